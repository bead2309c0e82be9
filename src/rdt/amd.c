// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Features that only AMD has: AMD 56375, "Bandwidth Monitoring Event Configuration" and "Assignable Bandwidth Monitoring
 * Counters"; CPUID 0x80000020.3 EBX (how many events can be set) and ECX (what they can count), .5 EBX (the highest counter).
 */
#include <inttypes.h>

#include "base/text.h"
#include "rdt/leaves.h"

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

void unc_rdt_amd(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
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
