// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "sim/keys.h"

enum { DWORD_NS_DEFAULT = 500 };

int unc_sim_path_failed(struct unc_ctx *ctx, const struct unc_sim_model *model, const char *key, int rc)
{
	bool typed = rc == UNC_ENODEV || rc == UNC_ERANGE || !strcmp(unc_err_name(ctx, rc), "EISDIR");

	if (!model)
		return unc_wrap(ctx, typed ? UNC_EARG : rc, "sim:%s", key);
	return unc_wrap(ctx, typed ? UNC_EARG : rc, "sim:%s: %s", model->name, key);
}

void unc_sim_list_add(char *list, size_t size, const char *item)
{
	size_t len = strlen(list);

	snprintf(list + len, size - len, "%s%s", len ? ", " : "", item);
}

static int unknown_model(struct unc_ctx *ctx, const char *name)
{
	const struct unc_sim_model *model;
	char list[256] = "";
	size_t i;

	for (i = 0; (model = unc_sim_model_at(i)) != NULL; i++)
		unc_sim_list_add(list, sizeof(list), model->name);
	unc_sim_list_add(list, sizeof(list), "cpuid=FILE");
	return unc_fail(ctx, UNC_EARG, "sim:%.200s: there is no simulated machine of that name; there is: %s", name,
			list);
}

static int unknown_key(const struct unc_sim_parse *parse, const char *name)
{
	char list[1024] = "";
	size_t i;

	for (i = 0; i < unc_sim_n_keys; i++)
		unc_sim_list_add(list, sizeof(list), unc_sim_keys[i].name);
	return unc_fail(parse->ctx, UNC_EARG, "sim:%s: unknown key \"%.200s\"; the keys are: %s",
			parse->options->model->name, name, list);
}

static int set_key(struct unc_sim_parse *parse, char *text)
{
	const struct unc_sim_key *key;
	char *value = strchr(text, '=');

	/* The lists of offline=, nohz_full= and resctrl_group= continue after their commas. */
	if (!value && text[0] >= '0' && text[0] <= '9' && unc_sim_key_more(parse->last))
		return unc_sim_key_more(parse->last)(parse, parse->last, text);
	if (value)
		*value++ = '\0';
	key = unc_sim_key_find(text);
	parse->last = key;
	if (!key)
		return unknown_key(parse, text);
	if (!value)
		return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s needs a value: %s=..., %s",
				parse->options->model->name, key->name, key->name, key->possible);
	if (unc_sim_key_given(parse, key->name) && !key->repeats)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: %s=%.200s: %s was given before, and can be given once only",
				parse->options->model->name, key->name, value, key->name);
	parse->given |= UINT64_C(1) << (key - unc_sim_keys);
	return key->set(parse, key, value);
}

/* Checks keys that must go together, and keys that need what this model does not have. */
static int check_together(const struct unc_sim_parse *parse)
{
	static const char *const of_msrs[] = {"msr_writes", "qm_scope", "qm", "disturb", "mbm_erratum", "abmc"};
	const struct unc_sim_options *options = parse->options;
	const char *model = options->model->name;
	size_t i;
	int rc;

	if (unc_sim_key_given(parse, "dword_ns") && !options->step)
		return unc_fail(
			parse->ctx, UNC_EARG,
			"sim:%s: dword_ns=%llu: with clock=real an access takes as long as it takes; add clock=step",
			model, (unsigned long long)options->dword_ns);
	for (i = 0; i < sizeof(of_msrs) / sizeof(of_msrs[0]); i++) {
		if (options->msr_absent && unc_sim_key_given(parse, of_msrs[i]))
			return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s: there are no MSRs with msr=absent", model,
					of_msrs[i]);
		if (!options->model->rdt && i >= 1 && unc_sim_key_given(parse, of_msrs[i]))
			return unc_fail(parse->ctx, UNC_EARG,
					"sim:%s: %s: this processor has no cache monitoring; those from hsx on have",
					model, of_msrs[i]);
	}
	if (options->frz_en_rw && !(options->model->pmon && options->model->pmon->frz_needs_en))
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: frz_en=rw: this processor has no frz_en; snbep, hsx, bdx and bdxde have",
				model);
	if (options->domains > options->sockets)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: domains=%u: more domains than sockets, of which there are %u", model,
				options->domains, options->sockets);
	rc = unc_sim_check_kernel(parse);
	return rc < 0 ? rc : unc_sim_check_caches(parse);
}

static int find_model(const struct unc_sim_parse *parse, const char *name)
{
	static const char from_dump[] = "cpuid=";
	struct unc_sim_options *options = parse->options;
	int rc;

	if (strncmp(name, from_dump, strlen(from_dump)) != 0) {
		options->model = unc_sim_model_find(name);
		return options->model ? UNC_OK : unknown_model(parse->ctx, name);
	}
	rc = unc_sim_dump_open(parse->ctx, name + strlen(from_dump), &options->dump);
	if (rc == UNC_OK)
		options->model = &options->dump->model;
	return rc;
}

static int parse_all(struct unc_sim_parse *parse, char *rest)
{
	const char *name = unc_text_cut(&rest, ',');
	char *text;
	int rc;

	rc = find_model(parse, name ? name : "");
	if (rc < 0)
		return rc;
	parse->options->sockets = parse->options->model->sockets;
	parse->options->cores = parse->options->model->cores;
	parse->options->threads = parse->options->model->threads;

	while ((text = unc_text_cut(&rest, ',')) != NULL) {
		rc = set_key(parse, text);
		if (rc < 0)
			return rc;
	}
	return check_together(parse);
}

int unc_sim_options_parse(struct unc_ctx *ctx, const char *args, struct unc_sim_options *ret_options)
{
	struct unc_sim_parse parse = {.ctx = ctx, .options = ret_options};
	char *copy;
	int rc;

	*ret_options = (struct unc_sim_options){.l3s = 1, .snc = 1, .domains = 1, .dword_ns = DWORD_NS_DEFAULT};
	copy = unc_text_dup(args);
	if (!copy)
		return unc_fail(ctx, UNC_ENOMEM, "sim: out of memory");
	rc = parse_all(&parse, copy);
	free(copy);
	return rc;
}

void unc_sim_options_clear(struct unc_sim_options *options)
{
	unc_sim_dump_free(options->dump);
	free(options->load);
	free(options->state);
	free(options->files);
	free(options->hide);
	free(options->gone);
	free(options->sleeps);
	for (size_t i = 0; i < options->n_freezes; i++)
		free(options->freezes[i].where);
	free(options->freezes);
	free(options->offline.cpus);
	free(options->nohz_full.cpus);
	unc_sim_defects_clear(&options->defects);
	unc_sim_groups_clear(&options->resctrl);
	for (size_t i = 0; i < options->n_empty; i++)
		free(options->empty[i]);
	free(options->empty);
	*options = (struct unc_sim_options){0};
}
