// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own way to uncore counters (Linux arch/x86/events/intel/uncore.c): a PCI driver, snbep_uncore and its like, that is
 * bound to the functions, and a PMU for each box, uncore_imc_0 and so on, through which perf counts.  Neither tells whether anybody
 * does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "machine/house_finders.h"

#define PMUS    "/sys/bus/event_source/devices"
#define DRIVERS "/sys/bus/pci/drivers"

enum { PATH = 96 };

int unc_house_uncore_pmus(struct unc_house *house, struct unc_uncore_pmus *ret_pmus)
{
	const char *const *names;
	size_t n;
	int rc = unc_house_names(house, PMUS, &names, &n);

	*ret_pmus = (struct unc_uncore_pmus){0};
	for (size_t i = 0; i < n; i++) {
		if (strncmp(names[i], "uncore_imc", strlen("uncore_imc")) != 0)
			continue;
		if (ret_pmus->n++ == 0)
			snprintf(ret_pmus->first, sizeof(ret_pmus->first), "%s", names[i]);
	}
	free((void *)names);
	return rc;
}

struct bound { /* functions that a driver has */
	unsigned n;
	char path[PATH]; /* of the link of the first of them */
	char pci[UNC_ADDR_TEXT];
	char driver[40];
};

static int look_at(struct unc_house *house, const struct unc_box *box, struct bound *bound)
{
	char path[PATH], *target;
	const char *slash;
	int rc;

	if (box->addr.kind != UNC_PCI || !box->addr_known)
		return UNC_OK;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", box->pci);
	rc = unc_house_link(house, path, &target);
	if (rc < 0 || !target)
		return rc;
	slash = strrchr(target, '/');
	if (bound->n++ == 0) {
		memcpy(bound->path, path, sizeof(path));
		memcpy(bound->pci, box->pci, sizeof(bound->pci));
		snprintf(bound->driver, sizeof(bound->driver), "%s", slash ? slash + 1 : target);
	}
	free(target);
	return UNC_OK;
}

/* snbep_uncore, ivbep_uncore, hswep_uncore, bdx_uncore, skx_uncore. */
static bool is_uncore(const char *driver)
{
	static const char end[] = "uncore";
	size_t len = strlen(driver);

	return len >= sizeof(end) - 1 && strcmp(driver + len - (sizeof(end) - 1), end) == 0;
}

static int add_bound(struct unc_house *house, const struct bound *bound)
{
	struct unc_finding *found = unc_house_add(house, UNC_FOUND_DRIVER, false);
	char whose[60] = "this function";

	if (!found)
		return UNC_ENOMEM;
	if (!house->box)
		snprintf(whose, sizeof(whose), "%u of the functions of memory controllers", bound->n);
	snprintf(found->evidence, sizeof(found->evidence), "%s: leads to %s", bound->path, bound->driver);
	snprintf(found->way_out, sizeof(found->way_out),
		 "%s, or take the driver away (echo %s > " DRIVERS "/%s/unbind)",
		 is_uncore(bound->driver) ? "stop perf" : "stop who uses that", bound->pci, bound->driver);
	if (is_uncore(bound->driver))
		snprintf(found->sentence, sizeof(found->sentence),
			 "possible: perf counts, as the kernel's driver %s is bound to %s", bound->driver, whose);
	else
		snprintf(found->sentence, sizeof(found->sentence), "possible: the driver %s, which is bound to %s",
			 bound->driver, whose);
	return UNC_OK;
}

static int add_pmus(struct unc_house *house, const struct unc_uncore_pmus *pmus)
{
	struct unc_finding *found = unc_house_add(house, UNC_FOUND_DRIVER, false);

	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), PMUS ": %u of %s", pmus->n, pmus->first);
	snprintf(found->way_out, sizeof(found->way_out), "stop perf");
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: perf counts, as the kernel has a driver for counters of memory controllers");
	return UNC_OK;
}

int unc_house_find_driver(struct unc_house *house)
{
	const struct unc_machine *m = house->m;
	struct unc_uncore_pmus pmus;
	struct bound bound = {0};
	int rc = UNC_OK;

	if (house->box)
		rc = look_at(house, house->box, &bound);
	for (size_t i = 0; !house->box && i < m->n_boxes && rc == 0; i++)
		rc = look_at(house, &m->boxes[i], &bound);
	if (rc < 0)
		return rc;
	if (bound.n)
		return add_bound(house, &bound);
	rc = unc_house_uncore_pmus(house, &pmus);
	return rc == 0 && pmus.n ? add_pmus(house, &pmus) : rc;
}
