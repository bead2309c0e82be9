// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errata BDF102 and SKX99: bandwidth of RMIDs above a threshold is too low or too high by a factor; threshold and factor depend
 * on how many RMIDs there are.  Numbers and parts are those of Linux (arch/x86/kernel/cpu/resctrl, mbm_cf_table;
 * __check_quirks_intel applies it to models 0x4f and 0x55), which took them from Intel 338822-001.  Broadwell-DE, 0x56, is not
 * among them, and no document says that it is affected.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "map/field.h"
#include "rdt/leaves.h"

static const struct correction {
	unsigned n_rmids;
	unsigned exact; /* the highest RMID that counts correctly */
	double factor;
} corrections[] = {
	{24, 15, 0.969650},   {40, 31, 1.066667},   {48, 31, 0.969650},   {56, 47, 1.142857},   {72, 63, 1.185115},
	{80, 63, 1.066553},   {88, 79, 1.454545},   {104, 95, 1.230769},  {112, 95, 1.142857},  {120, 95, 1.066667},
	{136, 127, 1.254863}, {144, 127, 1.185255}, {160, 127, 1.066667}, {176, 159, 1.454334}, {192, 127, 0.969744},
	{200, 191, 1.280246}, {208, 191, 1.230921}, {224, 191, 1.143118},
};

/* Sets exact_rmid and factor, and the warning for parts that Linux does not monitor. */
static void rdt_erratum(const struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	bool skylake = m->cpu.model == UNC_RDT_SKYLAKE_X;
	unsigned n_rmids = (rdt->info.cpuid_max_rmid + 1) / 8 * 8; /* Linux counts them in multiples of 8 */

	rdt->info.exact_rmid = rdt->info.max_rmid;
	rdt->info.factor = 1;
	if (leaves->vendor != UNC_RDT_INTEL || m->cpu.family != UNC_RDT_FAMILY ||
	    (!skylake && m->cpu.model != UNC_RDT_BROADWELL_X))
		return;
	for (size_t i = 0; i < sizeof(corrections) / sizeof(corrections[0]); i++) {
		if (corrections[i].n_rmids != n_rmids)
			continue;
		rdt->info.exact_rmid = corrections[i].exact;
		rdt->info.factor = corrections[i].factor;
	}
	if (skylake && m->cpu.stepping <= UNC_RDT_LAST_SKYLAKE)
		unc_rdt_warn(rdt, "errata SKZ4, SKZ14 and SKZ15: Linux does not use the cache monitoring of this "
				  "stepping unless it is told rdt=cmt,mbmtotal,mbmlocal, and its numbers may be wrong");
}

/* Finds what can be monitored, from its parts, and keeps it with the machine. */

void unc_rdt_warn(struct unc_rdt *rdt, const char *fmt, ...)
{
	char sentence[sizeof(rdt->warning)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, args);
	va_end(args);
	unc_text_join(rdt->warning, sizeof(rdt->warning), "; ", "%s", sentence);
}

int unc_rdt_field(struct unc_machine *m, unsigned cpu, const char *reg_name, unsigned index, const char *field_name,
		  uint64_t *ret_value)
{
	const struct unc_field *field;
	const struct unc_reg *reg;
	struct unc_box *box;
	uint64_t value;
	int rc = unc_machine_cpu_box(m, "rdt", cpu, &box);

	if (rc < 0)
		return rc;
	reg = unc_unit_reg(box->unit, reg_name);
	field = reg ? unc_reg_field(reg, field_name) : NULL;
	if (!field)
		return unc_fail(m->ctx, UNC_ENOREG, "%s: the register map has no %s.%s", box->name, reg_name,
				field_name);
	rc = unc_box_reach(box);
	if (rc == 0)
		rc = unc_read64(box->space, reg->off + index * reg->step, &value);
	if (rc == 0)
		*ret_value = unc_field_get(field, value);
	return unc_wrap(m->ctx, rc, "%s: %s", box->name, reg_name);
}

char *unc_rdt_cpu_list(const unsigned *cpus, size_t n)
{
	enum { LONGEST = sizeof("4294967295-4294967295,") };
	char *text = calloc(n + 1, LONGEST);
	size_t len = 0;

	for (size_t i = 0, last; text && i < n; i = last + 1) {
		for (last = i; last + 1 < n && cpus[last + 1] == cpus[last] + 1;)
			last++;
		len += (size_t)snprintf(text + len, LONGEST, "%s%u", i ? "," : "", cpus[i]);
		if (last > i)
			len += (size_t)snprintf(text + len, LONGEST, "-%u", cpus[last]);
	}
	return text;
}

/*
 * Features that only AMD has: AMD 56375, "Bandwidth Monitoring Event Configuration" and "Assignable Bandwidth Monitoring
 * Counters"; CPUID 0x80000020.3 EBX (how many events can be set) and ECX (what they can count), .5 EBX (the highest counter).
 */

enum { N_EVENTS = 2 };

/* What a bandwidth event can count, by bit. */
static const char *const kinds[] = {
	"local reads",
	"remote reads",
	"local non-temporal writes",
	"remote non-temporal writes",
	"local reads of slow memory",
	"remote reads of slow memory",
	"lines written back",
};

/* Describes what the two bandwidth events count, which a user may have changed from AMD's defaults. */
static void event_settings(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	static const uint64_t at_first[N_EVENTS] = {0x7f, 0x15};
	static const char *const events[N_EVENTS] = {"total", "local"};
	char *text = rdt->features;
	size_t size = sizeof(rdt->features);

	unc_text_join(text, size, "", "BMEC");
	for (unsigned i = 0; i < N_EVENTS; i++) {
		char list[200] = "";
		uint64_t config;

		unc_text_join(text, size, "", "%s%s counts ", i ? "; " : ": ", events[i]);
		if (unc_rdt_field(m, leaves->cpu, "QOS_EVT_CFG", i, "events", &config) < 0) {
			unc_text_join(text, size, "", "what could not be read");
		} else if (config == at_first[i]) {
			unc_text_join(text, size, "", "0x%" PRIx64 " as after power-on", config);
		} else {
			unc_text_join(text, size, "", "0x%" PRIx64 " instead of 0x%" PRIx64 ", which is ", config,
				      at_first[i]);
			for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
				if (config >> k & 1)
					unc_text_join(list, sizeof(list), ", ", "%s", kinds[k]);
			unc_text_join(text, size, "", "%s", list[0] ? list : "nothing");
		}
	}
}

static void assigned_counters(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	char *text = rdt->features;
	size_t size = sizeof(rdt->features);
	uint64_t on = 0;
	int rc = UNC_OK;

	/* Each L3 has that register; it counts as on if it is on in any. */
	for (size_t i = 0; i < rdt->info.n_l3s && rc == 0 && !on; i++)
		rc = unc_rdt_field(m, rdt->l3s[i].cpus[0], "L3_QOS_EXT_CFG", 0, "abmc", &on);
	rdt->assigned_unknown = rc < 0;
	rdt->assigned_counters = rc < 0 || on;
	unc_text_join(text, size, "; ", "ABMC");
	if (leaves->amd[UNC_RDT_AMD_ABMC].ebx)
		unc_text_join(text, size, "", " of %u counters",
			      (unsigned)(leaves->amd[UNC_RDT_AMD_ABMC].ebx & 0xffff) + 1);
	unc_text_join(text, size, "", "%s",
		      rc < 0 ? ": whether it is on could not be read"
		      : on   ? " is on"
			     : " is off");
	if (rc == 0 && on)
		unc_rdt_warn(
			rdt,
			"bandwidth counters are assigned one by one by another program (ABMC, L3_QOS_EXT_CFG bit 0 is "
			"1; Linux does that from 6.18 on): read by RMID they show 0, so there is occupancy alone");
}

/* Describes in words the features that only AMD has, and their settings. */
static void describe_amd(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	uint32_t what = leaves->amd[0].ebx;

	if (unc_rdt_bit(what, UNC_RDT_AMD_BMEC))
		event_settings(m, leaves, rdt);
	if (unc_rdt_bit(what, UNC_RDT_AMD_ABMC))
		assigned_counters(m, leaves, rdt);
	if (unc_rdt_bit(what, UNC_RDT_AMD_L3RR))
		unc_text_join(rdt->features, sizeof(rdt->features), "; ", "L3RR");
	if (unc_rdt_bit(what, UNC_RDT_AMD_SDCIAE))
		unc_text_join(rdt->features, sizeof(rdt->features), "; ", "SDCIAE");
}

static void free_rdt(struct unc_rdt *rdt)
{
	if (!rdt)
		return;
	for (size_t i = 0; rdt->l3s && i < rdt->info.n_l3s; i++) {
		free(rdt->l3s[i].cpus);
		free(rdt->l3s[i].nodes);
		free(rdt->l3s[i].text);
	}
	free(rdt->l3s);
	free(rdt->present);
	free(rdt);
}

static int find(struct unc_machine *m, struct unc_rdt *rdt)
{
	struct unc_llc_info *info = &rdt->info;
	struct unc_rdt_leaves leaves;
	int rc = unc_rdt_leaves_read(m, &leaves);

	if (rc < 0)
		return rc;
	unc_rdt_allocation(&leaves, rdt);
	rc = unc_rdt_monitoring(m, &leaves, rdt);
	info->no_monitoring = rdt->no_monitoring[0] ? rdt->no_monitoring : NULL;
	info->allocation = rdt->allocation[0] ? rdt->allocation : NULL;
	if (rc < 0 || info->no_monitoring)
		return rc;
	rc = unc_rdt_domains(m, &leaves, rdt);
	if (rc == 0 && info->unit_bytes > rdt->l3s[0].bytes) /* it would count nothing */
		rc = unc_fail(m->ctx, UNC_ENOSUP,
			      "CPUID leaf 0xf.1 EBX says that a unit is 0x%" PRIx64
			      " bytes, but an L3 has only 0x%" PRIx64
			      ": these answers contradict each other, so neither is believed",
			      info->unit_bytes, rdt->l3s[0].bytes);
	if (rc == 0)
		rc = unc_rdt_snc(m, &leaves, rdt);
	if (rc < 0)
		return rc;
	rdt_erratum(m, &leaves, rdt);
	describe_amd(m, &leaves, rdt);
	info->warning = rdt->warning[0] ? rdt->warning : NULL;
	info->features = rdt->features[0] ? rdt->features : NULL;
	return UNC_OK;
}

int unc_rdt_of(struct unc_machine *m, const struct unc_rdt **ret_rdt)
{
	struct unc_rdt *rdt = m->rdt ? NULL : calloc(1, sizeof(*rdt));
	int rc = UNC_OK;

	if (!m->rdt && !rdt)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	if (rdt)
		rc = find(m, rdt);
	if (rc < 0) {
		free_rdt(rdt);
		return rc;
	}
	if (rdt) {
		m->rdt = rdt;
		m->rdt_free = free_rdt;
	}
	*ret_rdt = m->rdt;
	return UNC_OK;
}

int unc_llc_info(struct unc_machine *m, struct unc_llc_info *ret_info)
{
	const struct unc_rdt *rdt;
	int rc = unc_rdt_of(m, &rdt);

	if (rc == 0)
		*ret_info = rdt->info;
	return rc;
}

int unc_l3_info(struct unc_machine *m, size_t l3, struct unc_l3_info *ret_info)
{
	const struct unc_rdt *rdt;
	const struct unc_l3 *found;
	int rc = unc_rdt_of(m, &rdt);

	if (rc < 0)
		return rc;
	if (l3 >= rdt->info.n_l3s)
		return unc_fail(m->ctx, UNC_ENODEV, "this machine has %zu L3 caches that can be monitored, not %zu",
				rdt->info.n_l3s, l3 + 1);
	found = &rdt->l3s[l3];
	*ret_info = (struct unc_l3_info){
		.id = found->id,
		.package = found->package,
		.bytes = found->bytes,
		.cpus = found->text,
		.first_cpu = found->cpus[0],
		.n_cpus = found->n_cpus,
	};
	return UNC_OK;
}
