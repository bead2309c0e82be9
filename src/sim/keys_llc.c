// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of caches and their monitoring. */
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "sim/keys.h"

enum { QM_TIMES_MAX = 1000000, QM_SLOW_READS = 2 };

int unc_sim_set_l3s(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_count(parse, key, value, UNC_SIM_L3S_MAX, &parse->options->l3s);
}

int unc_sim_set_snc(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	unsigned *snc = &parse->options->snc;
	int rc = unc_sim_set_count(parse, key, value, 4, snc);

	return rc == UNC_OK && *snc == 3 ? unc_sim_bad_value(parse, key, value) : rc;
}

int unc_sim_set_qm_scope(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "thread", "package", &parse->options->qm_per_package);
}

/* ok; error or unavailable, optionally with :TIMES or :alternate; slow, optionally with :READS. */
int unc_sim_set_qm(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	const char *colon = strchr(value, ':');
	size_t len = colon ? (size_t)(colon - value) : strlen(value);
	uint64_t times;

	if (len == 5 && !strncmp(value, "error", len))
		options->qm = UNC_SIM_QM_ERROR;
	else if (len == 11 && !strncmp(value, "unavailable", len))
		options->qm = UNC_SIM_QM_UNAVAILABLE;
	else if (len == 4 && !strncmp(value, "slow", len))
		options->qm = UNC_SIM_QM_SLOW;
	else if (strcmp(value, "ok") != 0)
		return unc_sim_bad_value(parse, key, value);
	options->qm_alternate = colon && options->qm != UNC_SIM_QM_SLOW && !strcmp(colon + 1, "alternate");
	times = options->qm == UNC_SIM_QM_SLOW && !colon ? QM_SLOW_READS : 0;
	if (colon && !options->qm_alternate && (!unc_text_u64(colon + 1, &times) || times < 1 || times > QM_TIMES_MAX))
		return unc_sim_bad_value(parse, key, value);
	options->qm_times = (unsigned)times;
	return UNC_OK;
}

int unc_sim_set_disturb(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;

	return unc_sim_set_nth(parse, key, value, &options->disturb_at, &options->disturb_times);
}

int unc_sim_set_mbm_erratum(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	bool on = false;
	int rc;

	rc = unc_sim_set_word(parse, key, value, "0", "1", &on);
	parse->options->mbm_erratum = on ? UNC_SIM_YES : UNC_SIM_NO;
	return rc;
}

int unc_sim_set_abmc(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "0", "1", &parse->options->abmc);
}

/* The CPUs and caches of a dump cannot be changed. */
static int check_dump(const struct unc_sim_parse *parse)
{
	static const char *const fixed[] = {"sockets", "cores", "threads", "l3s", "snc"};
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (unc_sim_key_given(parse, fixed[i]))
			return unc_fail(parse->ctx, UNC_EARG, "sim:cpuid: %s: the dump says what there is", fixed[i]);
	return UNC_OK;
}

/* Returns as many L3s as the real part would need for these cores, or more until these are spread evenly. */
static unsigned l3s_for(const struct unc_sim_options *options)
{
	unsigned of_l3 = options->model->l3_cores, n = of_l3 ? (options->cores + of_l3 - 1) / of_l3 : 1;

	while (options->cores % n)
		n++;
	return n;
}

int unc_sim_check_caches(const struct unc_sim_parse *parse)
{
	struct unc_sim_options *options = parse->options;
	const char *model = options->model->name;

	if (options->dump)
		return check_dump(parse);
	if (!unc_sim_key_given(parse, "l3s"))
		options->l3s = l3s_for(options);
	if (options->snc > 1 && !options->model->has_snc)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: snc=%u: this processor has no sub-NUMA clustering here; icx and spr have",
				model, options->snc);
	if (options->l3s > 1 && !options->model->l3_cores)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: l3s=%u: a socket of this processor has one L3; those of AMD have several",
				model, options->l3s);
	if (options->cores % options->l3s || options->cores % options->snc)
		return unc_fail(
			parse->ctx, UNC_EARG,
			"sim:%s: %s=%u: the %u cores of a socket cannot be shared out evenly; choose cores= to fit",
			model, options->cores % options->l3s ? "l3s" : "snc",
			options->cores % options->l3s ? options->l3s : options->snc, options->cores);
	if (options->sockets * options->l3s * options->snc > UNC_SIM_L3S_MAX)
		return unc_fail(
			parse->ctx, UNC_EARG,
			"sim:%s: %u sockets of %u L3 caches are more caches than the %d that a simulated machine "
			"can have",
			model, options->sockets, options->l3s, UNC_SIM_L3S_MAX);
	return UNC_OK;
}
