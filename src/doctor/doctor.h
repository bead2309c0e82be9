/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a machine can or cannot be measured.  A check looks at one thing and adds a line, or a few, for it; none relies on another
 * one having succeeded, since what makes a machine fail to open is what is looked for.  Nothing is written.
 */
#ifndef UNC_DOCTOR_DOCTOR_H
#define UNC_DOCTOR_DOCTOR_H

#include "machine/journals.h"
#include "machine/machine.h"
#include "pmon/pmon.h"

enum { UNC_DOCTOR_TEXT = 1800 }; /* what to do is a whole command, which is not to be cut */
struct unc_doctor_entry {
	const char *theme; /* static text */
	char check[24];
	enum unc_doctor_state state;
	int err; /* of UNC_DOCTOR_FAIL */
	char finding[UNC_DOCTOR_TEXT], evidence[UNC_DOCTOR_TEXT], todo[UNC_DOCTOR_TEXT];
};

struct unc_doctor_box { /* a memory channel that is there, as far as it could be read */
	struct unc_pmon_box pbox;
	int rc; /* what reading it failed with, */
	char why[UNC_MSG_MAX];
	unsigned n_free; /* general counters that nobody has enabled */
	bool ticks[UNC_PMON_SLOTS];
	bool claimed; /* another uncorectl writes there, */
	char by[400]; /* who, if he says so */
};

struct unc_doctor {
	struct unc_ctx *ctx;
	const char *map_dir, *state_dir; /* of the cfg; while checks run */
	struct unc_machine *m;           /* owned; while checks run */
	int rc;                          /* what ends all: out of memory, a map that is wrong */
	struct unc_doctor_entry *entries;
	size_t n_entries;
	const char *theme;

	/* what is known by now */
	enum { UNC_DOCTOR_LIVE, UNC_DOCTOR_ROOT, UNC_DOCTOR_SIM } kind;
	char command[900];     /* as which this program is called for this machine */
	bool no_proc, no_sys;  /* root:DIR has none: what would stand there is not known */
	bool known;            /* which CPU it is; then there is a map, perhaps an empty one */
	bool no_msrs;          /* they cannot be reached */
	bool channels, caches; /* this part has some that a map knows */
	struct unc_llc_info llc;
	int llc_rc; /* without caches: why not; 0: llc.no_monitoring says so */
	char llc_why[UNC_MSG_MAX];
	struct unc_doctor_box *boxes; /* owned */
	size_t n_boxes;
	struct unc_journals journals;
	bool counting; /* somebody was found who may own counters */
};

typedef void unc_doctor_check(struct unc_doctor *d);
/* cpu.c */
unc_doctor_check unc_doctor_cpu, unc_doctor_map, unc_doctor_virtual, unc_doctor_caches;
/* rights.c */
unc_doctor_check unc_doctor_rights;
/* kernel.c */
unc_doctor_check unc_doctor_msr_driver, unc_doctor_msr_writes, unc_doctor_lockdown, unc_doctor_sysfs,
	unc_doctor_watchdog;
/* pci.c */
unc_doctor_check unc_doctor_find, unc_doctor_hidden, unc_doctor_config;
/* counters.c */
unc_doctor_check unc_doctor_in_use, unc_doctor_ticking, unc_doctor_left;
/* stopped.c; uses what ticking has read */
unc_doctor_check unc_doctor_stopped;
/* others.c */
unc_doctor_check unc_doctor_others, unc_doctor_instances;
/* rmids.c */
unc_doctor_check unc_doctor_rmids;
/* journals.c */
unc_doctor_check unc_doctor_journals;
/* place.c */
unc_doctor_check unc_doctor_simulated, unc_doctor_root, unc_doctor_container;

/* A line, of what was found; what these two add is of the last line.  Out of memory: d->rc says so, and they do nothing. */
void unc_doctor_say(struct unc_doctor *d, const char *check, enum unc_doctor_state state, const char *fmt, ...)
	UNC_PRINTF(4, 5);
void unc_doctor_seen(struct unc_doctor *d, const char *fmt, ...) UNC_PRINTF(2, 3);
void unc_doctor_todo(struct unc_doctor *d, const char *fmt, ...) UNC_PRINTF(2, 3);
/* The same for what stops measuring; err is that of what would be refused. */
void unc_doctor_fail(struct unc_doctor *d, const char *check, int err, const char *fmt, ...) UNC_PRINTF(4, 5);
/* Of what caches alone need: where there are none it stops nothing. */
void unc_doctor_fail_caches(struct unc_doctor *d, const char *check, int err, const char *fmt, ...) UNC_PRINTF(4, 5);

/* The first line of a text file. */
struct unc_doctor_file {
	bool there;
	bool untold; /* whether it is there cannot be told */
	char value[256];
	char seen[400]; /* "/proc/sys/kernel/nmi_watchdog: 1" */
};
void unc_doctor_look(struct unc_doctor *d, const char *path, struct unc_doctor_file *ret_file);
/* All of it; the caller's to free().  NULL: it cannot be read, or all memory is gone, d->rc. */
char *unc_doctor_text(struct unc_doctor *d, const char *path, size_t *ret_len, int *ret_rc);
/* Is that folder there? */
bool unc_doctor_has_folder(struct unc_doctor *d, const char *path);
/* More behind a list of texts with commas, as long as there is room. */
void unc_doctor_list(char *buf, size_t size, const char *fmt, ...) UNC_PRINTF(3, 4);

#endif
