/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds why a machine can or cannot be measured.  A check looks at one item and adds one line or more for it.  No check relies on
 * the success of another, since the reason why a machine fails to open is what is looked for.  Nothing is written.
 */
#ifndef UNC_DOCTOR_DOCTOR_H
#define UNC_DOCTOR_DOCTOR_H

#include "pmon/pmon.h"
#include "uncore/doctor.h"

enum { UNC_DOCTOR_TEXT = 1800 }; /* what to do is a whole command, which must not be truncated */
struct unc_doctor_entry {
	const char *theme; /* static text */
	char check[24];
	enum unc_doctor_state state;
	int err; /* with UNC_DOCTOR_FAIL */
	char finding[UNC_DOCTOR_TEXT], evidence[UNC_DOCTOR_TEXT], todo[UNC_DOCTOR_TEXT];
};

struct unc_doctor_box { /* a memory channel that is present, as far as it could be read */
	struct unc_pmon_box pbox;
	int rc; /* error of reading it */
	char why[UNC_MSG_MAX];
	unsigned n_enabled, n_free; /* counters that another program has enabled; general ones that are not enabled */
	bool ticks[UNC_PMON_SLOTS];
	bool claimed; /* another uncorectl writes there */
};

struct unc_doctor {
	struct unc_ctx *ctx;
	const char *map_dir, *state_dir; /* from the cfg; valid while checks run */
	struct unc_machine *m;           /* owned; valid while checks run */
	int rc;                          /* error that ends all checks: out of memory, or a wrong map */
	struct unc_doctor_entry *entries;
	size_t n_entries;
	const char *theme;

	/* what is known so far */
	enum { UNC_DOCTOR_LIVE, UNC_DOCTOR_ROOT, UNC_DOCTOR_SIM } kind;
	char command[900];     /* the first words of a command for this machine */
	bool no_proc, no_sys;  /* root:DIR has no such folder: what it would contain is not known */
	bool known;            /* the CPU is known; then there is a map, perhaps an empty one */
	bool no_msrs;          /* MSRs cannot be reached */
	bool channels, caches; /* this part has them, and a map knows them */
	struct unc_llc_info llc;
	int llc_rc; /* why caches are not known; 0: they are, or llc.no_monitoring has the reason */
	char llc_why[UNC_MSG_MAX];
	struct unc_doctor_box *boxes; /* owned */
	size_t n_boxes;
	size_t n_pmem; /* channels with Optane modules */
	struct unc_journals journals;
	bool counting; /* a program was found that may own counters */
};

typedef void unc_doctor_check(struct unc_doctor *d);
/* hardware.c */
bool unc_doctor_is_amd(const struct unc_doctor *d); /* or Hygon */
unc_doctor_check unc_doctor_ibs;
unc_doctor_check unc_doctor_cpu, unc_doctor_map, unc_doctor_virtual, unc_doctor_caches;
unc_doctor_check unc_doctor_find, unc_doctor_hidden, unc_doctor_config, unc_doctor_nest;
/* kernel.c */
unc_doctor_check unc_doctor_firmware, unc_doctor_simulated, unc_doctor_root, unc_doctor_container, unc_doctor_rights;
unc_doctor_check unc_doctor_msr_driver, unc_doctor_msr_writes, unc_doctor_lockdown, unc_doctor_sysfs,
	unc_doctor_watchdog;
/* counters.c; unc_doctor_stopped() uses what unc_doctor_ticking() has read */
unc_doctor_check unc_doctor_in_use, unc_doctor_ticking, unc_doctor_left, unc_doctor_stopped;
/* others.c */
unc_doctor_check unc_doctor_others, unc_doctor_instances, unc_doctor_rmids, unc_doctor_journals;

/*
 * Adds a line.  state: an enum unc_doctor_state, or the error with which a command would fail, which makes it UNC_DOCTOR_FAIL.
 * finding, and todo (NULL: nothing is to be done), are plain text; fmt: the evidence.  If memory runs out, d->rc is set, and this
 * and the functions below do nothing.
 */
void unc_doctor_add(struct unc_doctor *d, const char *check, int state, const char *finding, const char *todo,
		    const char *fmt, ...) UNC_PRINTF(6, 7);
/* The same in pieces: the first adds a line with a finding, the other two add to the last line. */
void unc_doctor_say(struct unc_doctor *d, const char *check, int state, const char *fmt, ...) UNC_PRINTF(4, 5);
void unc_doctor_seen(struct unc_doctor *d, const char *fmt, ...) UNC_PRINTF(2, 3);
void unc_doctor_todo(struct unc_doctor *d, const char *fmt, ...) UNC_PRINTF(2, 3);
/* Where PCI functions are found. */
static inline const char *unc_doctor_pci(const struct unc_doctor *d)
{
	return d->m->host->ops->firmware ? "PCI" : "/sys/bus/pci/devices";
}
/* Returns rc; if that is UNC_ENOMEM, all checks end. */
static inline int unc_doctor_rc(struct unc_doctor *d, int rc)
{
	if (rc == UNC_ENOMEM)
		d->rc = rc;
	return rc;
}

#endif
