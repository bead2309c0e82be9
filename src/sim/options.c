// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of a simulated machine: which model it is, and which keys go together. */
#include "sim/options.h"

#include "base/nearest.h"
#include "sim/keys.h"

enum { DWORD_NS_DEFAULT = 500 };

int unc_sim_path_failed(struct unc_ctx *ctx, const struct unc_sim_model *model, const char *key, int rc)
{
	bool typed = rc == UNC_ENODEV || rc == UNC_ERANGE || !strcmp(unc_err_name(ctx, rc), "EISDIR");

	if (!model)
		return unc_wrap(ctx, typed ? UNC_EARG : rc, "sim:%s", key);
	return unc_wrap(ctx, typed ? UNC_EARG : rc, "sim:%s: %s", model->name, key);
}

/* Chooses the caches and nodes of a socket where no key does. */
static int check_caches(struct unc_sim_parse *parse)
{
	struct unc_sim_options *options = parse->options;
	unsigned of_l3 = options->model->l3_cores;

	if (options->dump)
		return unc_sim_keys_refuse(parse, UNC_SIM_NEEDS_MODEL, "the dump says what there is");
	if (!unc_sim_key_given(parse, "l3s")) {
		/* As many as the real part would need for these cores, or more until these are spread evenly. */
		options->l3s = of_l3 ? (options->cores + of_l3 - 1) / of_l3 : 1;
		while (options->cores % options->l3s)
			options->l3s++;
	}
	if (options->snc > 1 && !options->model->has_snc)
		return unc_sim_refuse(parse, "snc=%u: this processor has no sub-NUMA clustering here; icx and spr have",
				      options->snc);
	if (options->l3s > 1 && !options->model->l3_cores)
		return unc_sim_refuse(parse, "l3s=%u: a socket of this processor has one L3; those of AMD have several",
				      options->l3s);
	if (options->cores % options->l3s || options->cores % options->snc)
		return unc_sim_refuse(
			parse, "%s=%u: the %u cores of a socket cannot be shared out evenly; choose cores= to fit",
			options->cores % options->l3s ? "l3s" : "snc",
			options->cores % options->l3s ? options->l3s : options->snc, options->cores);
	if (options->sockets * options->l3s * options->snc > UNC_SIM_L3S_MAX)
		return unc_sim_refuse(parse,
				      "%u sockets of %u L3 caches are more caches than the %d that a simulated machine "
				      "can have",
				      options->sockets, options->l3s, UNC_SIM_L3S_MAX);
	return UNC_OK;
}

/* Checks what needs the kernel's driver of memory channels, or resctrl. */
static int check_kernel(struct unc_sim_parse *parse)
{
	const struct unc_sim_options *options = parse->options;
	int rc = UNC_OK;

	if (options->perf.on && !options->model->pmon)
		return unc_sim_refuse(parse, "perf=on: no memory channels are modelled that have registers of their "
					     "own, so there is nothing to drive");
	if (!options->perf.on)
		rc = unc_sim_keys_refuse(parse, UNC_SIM_NEEDS_PERF,
					 "there is no driver of memory channels; add perf=on");
	if (rc == UNC_OK && !options->resctrl.on)
		rc = unc_sim_keys_refuse(parse, UNC_SIM_NEEDS_RESCTRL, "resctrl is not mounted; add resctrl=on");
	if (rc < 0 || !options->resctrl.on)
		return rc;
	if (!options->model->rdt || !options->model->rdt->events)
		return unc_sim_refuse(parse, "resctrl=on: this processor has no cache monitoring");
	if (options->snc > 1)
		return unc_sim_refuse(parse,
				      "resctrl=on: with snc=%u it would be that of a later kernel than the one here",
				      options->snc);
	return UNC_OK;
}

/* AMD's uncore counters: four for each UMC that has memory, unless keys say otherwise. */
static int check_amd(struct unc_sim_parse *parse)
{
	struct unc_sim_options *options = parse->options;
	const struct unc_sim_model *model = options->model;
	struct unc_sim_amd *amd = &options->amd;
	int rc = UNC_OK;

	if (!(model->on & UNC_SIM_ON_ZENS))
		rc = unc_sim_keys_refuse(parse, UNC_SIM_NEEDS_ZEN, "only zen1 to zen5 have that");
	if (rc == UNC_OK && !model->nest)
		rc = unc_sim_keys_refuse(parse, UNC_SIM_NEEDS_POWER, "only p9 and p10 have that");
	if (rc == UNC_OK && !model->umcs)
		rc = unc_sim_keys_refuse(parse, UNC_SIM_NEEDS_UMCS,
					 "this processor has no PerfMonV2; zen4 and zen5 have");
	if (rc == UNC_OK && amd->remote && options->sockets == 1)
		return unc_sim_refuse(parse, "remote=%u: there is no other socket", (unsigned)amd->remote);
	if (!options->amd_given.df_ctrs && model->on & UNC_SIM_ON_ZENS)
		amd->df_ctrs = amd->df_here = model->umcs ? UNC_SIM_DF_CTRS : 4;
	for (size_t i = 0; i < UNC_SIM_N(amd->umcs); i++) {
		struct unc_sim_umcs *umcs = &amd->umcs[i];

		if (!options->amd_given.umcs)
			umcs->mask = model->umcs;
		umcs->ctrs = options->amd_given.umc_ctrs ? amd->umcs[0].ctrs : 4 * unc_bits_set(umcs->mask);
		umcs->here = options->amd_given.umc_ctrs ? amd->umcs[0].here : umcs->ctrs;
	}
	return rc;
}

/* Checks keys that must go together, and keys that need what this model does not have. */
static int check_together(struct unc_sim_parse *parse)
{
	const struct unc_sim_options *options = parse->options;
	int rc = UNC_OK;

	if (unc_sim_key_given(parse, "dword_ns") && !options->step)
		return unc_sim_refuse(
			parse, "dword_ns=%u: with clock=real an access takes as long as it takes; add clock=step",
			options->dword_ns);
	if (options->msr_absent)
		rc = unc_sim_keys_refuse(parse, UNC_SIM_NEEDS_MSRS, "there are no MSRs with msr=absent");
	if (rc == UNC_OK && !options->model->rdt)
		rc = unc_sim_keys_refuse(parse, UNC_SIM_NEEDS_MONITORING,
					 "this processor has no cache monitoring; those from hsx on have");
	if (rc < 0)
		return rc;
	if (options->frz_en_rw && !(options->model->pmon && options->model->pmon->frz_needs_en))
		return unc_sim_refuse(parse, "frz_en=rw: this processor has no frz_en; snbep, hsx, bdx and bdxde have");
	if (options->pmem.n && !(options->model->memory && options->model->memory->ddrt))
		return unc_sim_refuse(parse, "pmem=%.60s: this processor has no Optane modules here; icx and icxd have",
				      options->pmem.all.bytes);
	if (options->sockets > UNC_SIM_SOCKETS_X86 && !options->model->nest)
		return unc_sim_refuse(parse,
				      "sockets=%u: only p9 and p10 have more than %d: it is a number from 1 to %d",
				      options->sockets, UNC_SIM_SOCKETS_X86, UNC_SIM_SOCKETS_X86);
	if (options->domains > options->sockets)
		return unc_sim_refuse(parse, "domains=%u: more domains than sockets, of which there are %u",
				      options->domains, options->sockets);
	rc = check_kernel(parse);
	if (rc == UNC_OK)
		rc = check_amd(parse);
	return rc < 0 ? rc : check_caches(parse);
}

/* In the hole below 4 GiB, as firmware does it on one or two sockets. */
#define MMIO_BASE_DEFAULT UINT64_C(0xf0000000)

static int find_model(const struct unc_sim_parse *parse, const char *name)
{
	static const char from_dump[] = "cpuid=";
	struct unc_sim_options *options = parse->options;
	const struct unc_sim_model *model;
	struct unc_nearest nearest = {.asked = name};
	char near[UNC_NEAREST_TEXT];
	int rc;

	if (strncmp(name, from_dump, strlen(from_dump)) == 0) {
		rc = unc_sim_dump_open(parse->ctx, name + strlen(from_dump), &options->dump);
		if (rc == UNC_OK)
			options->model = &options->dump->model;
		return rc;
	}
	options->model = unc_sim_model_find(name);
	if (options->model)
		return UNC_OK;
	for (size_t i = 0; (model = unc_sim_model_at(i)) != NULL; i++)
		unc_nearest_offer(&nearest, model->name);
	return unc_fail(
		parse->ctx, UNC_EARG,
		"sim:%.200s: there is no simulated machine of that name%s; `uncorectl --list-machines` shows them, and "
		"sim:cpuid=FILE is one of a CPUID dump",
		name, unc_nearest_text(&nearest, near));
}

int unc_sim_options_parse(struct unc_ctx *ctx, const char *args, struct unc_sim_options *ret_options)
{
	struct unc_sim_parse parse = {.ctx = ctx, .options = ret_options};
	char *copy = unc_text_dup(args), *rest = copy, *text;
	int rc;

	*ret_options = (struct unc_sim_options){
		.l3s = 1, .snc = 1, .domains = 1, .dword_ns = DWORD_NS_DEFAULT, .mmio_base = MMIO_BASE_DEFAULT};
	if (!copy)
		return unc_fail(ctx, UNC_ENOMEM, "sim: out of memory");
	text = unc_text_cut(&rest, ',');
	rc = find_model(&parse, text ? text : "");
	if (rc == UNC_OK) {
		ret_options->sockets = ret_options->model->sockets;
		ret_options->cores = ret_options->model->cores;
		ret_options->threads = ret_options->model->threads;
		ret_options->qm_per_package = ret_options->model->qm_of_l3;
	}
	while (rc == UNC_OK && (text = unc_text_cut(&rest, ',')) != NULL)
		rc = unc_sim_key_set(&parse, text);
	if (rc == UNC_OK)
		rc = check_together(&parse);
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
	unc_sim_defects_clear(&options->defects);
	for (size_t i = 0; i < options->resctrl.n; i++)
		free(options->resctrl.groups[i].path);
	free(options->resctrl.groups);
	free(options->empty.all.bytes);
	free(options->pmem.all.bytes);
	*options = (struct unc_sim_options){0};
}
