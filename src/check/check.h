/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does this silicon count right?  A check is a function that handles all channels (or sockets, CPUs, caches) at once, so that one
 * wait serves all of them.  For each it leaves one result: a state, a sentence, and what was seen.  A theme is a file, with a table
 * of its checks; run.c lists the themes in order.
 *
 * Writes go through check/drive.h.  A check finds every channel at rest (released, all controls blank; what was found there is
 * remembered) and need not tidy up: after the check everything is put back as it was found.
 */
#ifndef UNC_CHECK_CHECK_H
#define UNC_CHECK_CHECK_H

#include "pmon/pmon.h"
#include "uncore/check.h"

enum { UNC_CHECK_VALUES_KEPT = 24, UNC_CHECK_TEXT = 700 };

enum unc_check_need {
	UNC_CHECK_CHANNELS,    /* memory channels of this part, if a map knows it */
	UNC_CHECK_COUNTING,    /* the same, with counters that run: see check/running.c */
	UNC_CHECK_ALWAYS,      /* controllers whose counters always run and are only read */
	UNC_CHECK_CACHES,      /* cache monitoring */
	UNC_CHECK_CACHE_CPUID, /* a CPU that announces cache monitoring, even if its announcement contradicts itself */
};

/* To which boxes with counters in MSRs a check applies.  No register stops such a box as a whole. */
enum unc_check_msrs {
	UNC_CHECK_NO_MSRS,
	UNC_CHECK_CLOCKED, /* those that count the clock of a channel */
	UNC_CHECK_DRIVEN,  /* all; those that count no clock while loads are made, which are counted as a clock is */
	UNC_CHECK_MSRS,    /* all */
};

struct unc_check_box;
struct unc_mon;
struct unc_mon_l3;
struct unc_check_def {
	enum unc_check_need need;
	/* Called first, or NULL: measures what several checks use.  If it leaves a result, that is the result of the whole check. */
	int (*measure)(struct unc_check *c);
	/*
	 * How it is run, one of these.  run() and measure() leave results, and return not 0 only where the whole run ends: UNC_EAGAIN
	 * (unc_check_wait() was woken) and UNC_ENOMEM.  Any other failure becomes the result of the object that failed:
	 * unc_check_broke().
	 */
	int (*run)(struct unc_check *c);
	void (*socket)(struct unc_check *c, unsigned socket); /* for each socket that has channels */
	void (*box)(struct unc_check *c, size_t i);           /* for each channel of unc_check.boxes */
	/* For each channel that can be read, when its result has begun; returns the failure of an access, which becomes its result. */
	int (*read)(struct unc_check *c, const struct unc_check_box *b);
	const struct unc_windows_def *windows;                         /* check/window.h */
	void (*channel)(struct unc_check *c, struct unc_check_box *b); /* check/registers.h */
	void (*l3)(struct unc_mon *mon, struct unc_mon_l3 *l3);        /* check/monitoring.h */
	bool occupancy;                                                /* l3 needs occupancy monitoring */
	enum unc_check_msrs msrs;
	struct unc_check_about about;
};

struct unc_check_theme {
	const struct unc_check_def *defs;
	size_t n;
};
extern const struct unc_check_theme unc_check_presence, unc_check_registers, unc_check_behaviour, unc_check_clock,
	unc_check_traffic, unc_check_always, unc_check_monitoring, unc_check_after;
/* NULL: i is beyond the last check. */
const struct unc_check_def *unc_check_def_at(size_t i);

struct unc_check_enabled { /* the last write that enabled a control */
	bool known;
	uint64_t wrote, read; /* what was written, and how the control read after that */
};

/* A value as evidence.  What it is compared with, and whether it was written, is set by the functions below. */
struct unc_check_seen {
	const char *what; /* copied */
	const struct unc_box *box;
	const struct unc_reg *reg;
	unsigned index;
	const char *name; /* a name instead of box and reg, for a value that is in no register; copied */
	bool has_wrote, has_expected;
	uint64_t wrote, read, expected;
	uint64_t compared; /* 0 with has_expected: all bits of the register are compared */
};

/* A channel that could be written and cannot be any more. */
struct unc_check_lost {
	bool is, told;              /* told: a result has failed because of it */
	struct unc_check_seen seen; /* the control that shows it; without a register: an access failed */
};

/*
 * A memory channel that is present or should be; absent channels have none.  Or the data fabric of a node, also instead of the
 * channels that it counts for.
 */
struct unc_check_box {
	struct unc_box *box;
	struct unc_pmon_box pbox; /* its registers and slots, as they were found; unset if !there */
	bool there;               /* it can be read */
	bool busy;                /* another program counts there, or left it changed */
	bool usable;              /* it may be written; if not, why holds the reason */
	char why[UNC_MSG_MAX];
	char name[UNC_PMON_SLOTS][UNC_GATE_TEXT]; /* of the counters of its slots: "CTR[2]", "FIXED_CTR" */
	int rc;                                   /* the error of the failure in why; 0: no access failed */
	struct unc_check_lost lost;               /* the channel was lost while checks ran */
	bool shared;                              /* writes to another channel reach this one, too */
	/* Members of check/drive.c: */
	const void *owner;                 /* the owner of the writes, for the gate */
	bool taken;                        /* it is claimed and planned, and the members below hold what it held */
	uint64_t counters[UNC_PMON_SLOTS]; /* what its counters held */
	const struct unc_reg *box_status;  /* NULL: it has no status that can be written */
	uint64_t status;                   /* what box_status held */
	struct unc_check_enabled enabled[UNC_PMON_SLOTS];
	int failed;   /* the first failure of an access since unc_drive_end() */
	bool touched; /* a register was written since the channel was last put back */
	bool rested;  /* a check has found it at rest */
	/* Members of check/running.c: */
	bool was_frozen; /* its clock stood still until this run released BOX_CTL */
	bool stands;     /* its clock stands still, as do all clocks of its socket: it is not usable */
};

struct unc_check_entry { /* a result */
	/* tested is owned, or NULL; subject and finding are set when it is asked for, since entries move. */
	struct unc_check_result result;
	char subject[40], finding[UNC_CHECK_TEXT];
	struct unc_check_kept *values;  /* owned; result.n_values of them */
	struct unc_check_trace *traces; /* owned; result.n_plots of them */
};

struct unc_check {
	struct unc_machine *m;               /* outlives it */
	struct unc_check_cfg cfg;            /* its names are the caller's, and valid only in unc_check_open() */
	const struct unc_check_def **chosen; /* owned */
	size_t n_chosen;
	const struct unc_check_def *now; /* the check that is run */
	struct unc_check_box *boxes;     /* the channels that --box selects; owned */
	size_t n_boxes;
	struct unc_box **always; /* controllers whose counters always run; owned */
	size_t n_always;
	struct unc_check_entry *entries; /* owned */
	size_t n_entries;
	int rc; /* UNC_ENOMEM if memory ran out while results were noted */
	bool has_run;
	bool looked_running; /* unc_running_look() was called */
	/* The measured clocks of the channels, of check/clock_rate.c; owned.  NULL: not measured yet. */
	struct unc_check_clocks *clocks;
	/* The measured traffic, of check/traffic_measure.c; owned.  NULL: not measured yet. */
	struct unc_check_traffic *traffic;
};

/* ---- results (check/result.c) ---- */

/*
 * Begins a result of the check that is run, with the state pass.  The functions below act on the result that was begun last.  If
 * memory runs out this is noted in c->rc and ends the run later; until then they do nothing.
 */
void unc_check_begin(struct unc_check *c, const char *subject);
void unc_check_begin_socket(struct unc_check *c, unsigned socket); /* "socket1" */
/*
 * Begins the result of a channel.  False: it may not be written (or, with only_read, not even be read), and is skipped with its
 * reason.
 */
bool unc_check_begin_box(struct unc_check *c, const struct unc_check_box *b, bool only_read);
/* Returns why the check that is run does not apply to the box; NULL: it does. */
const char *unc_check_inapplicable(const struct unc_check *c, const struct unc_check_box *b);
/*
 * What was found, as one sentence without a full stop.  The first failure is the one reported; a later pass does not replace it.  A
 * result that has no sentence when its check ends becomes a failure: a check must say what it saw, or why it did not look.
 */
void unc_check_say(struct unc_check *c, enum unc_check_state state, const char *fmt, ...) UNC_PRINTF(3, 4);
#define unc_check_pass(c, ...) unc_check_say(c, UNC_CHECK_PASS, __VA_ARGS__)
#define unc_check_fail(c, ...) unc_check_say(c, UNC_CHECK_FAIL, __VA_ARGS__)
#define unc_check_skip(c, ...) unc_check_say(c, UNC_CHECK_SKIP, __VA_ARGS__)
/* Skips the result, since something failed before the test could be tried; with rc 0 it is the same as unc_check_skip(). */
void unc_check_prevented(struct unc_check *c, int rc, const char *why);
bool unc_check_failed(const struct unc_check *c);
/*
 * Call this after an access failed with rc and left its sentence in the context.  Returns what the check must return: rc where the
 * run ends (UNC_EAGAIN, UNC_ENOMEM), else 0.  Then the result has failed with that sentence; with UNC_EBUSY it is skipped instead,
 * and unc_check_verify_readback() makes it a failure if a channel was lost.
 */
int unc_check_broke(struct unc_check *c, int rc);
/*
 * Ends a check.  A channel that was lost in it fails, with the control that shows it, and so does each result from first on that
 * has no sentence.  If any channel has a result, all channels must have one: a missing one becomes such a failure, too.
 */
void unc_check_verify_readback(struct unc_check *c, size_t first);

/* Values as evidence.  Bad ones have priority: when there is no room they replace good ones, and further bad ones are only counted. */
/* What a register of a box read; box NULL: of none. */
struct unc_check_seen unc_seen(const struct unc_box *box, const struct unc_reg *reg, unsigned index, const char *what,
			       uint64_t read);
struct unc_check_seen unc_seen_value(const char *name, const char *what, uint64_t read); /* a value of no register */
struct unc_check_seen unc_seen_wrote(struct unc_check_seen seen, uint64_t wrote); /* the same, and what was written */
/* Returns whether read equals expected in the compared bits, if that is known; without it true. */
bool unc_check_see(struct unc_check *c, struct unc_check_seen seen);
/* The same, and what is expected in these bits (0: in all). */
bool unc_check_compare(struct unc_check *c, struct unc_check_seen seen, uint64_t expected, uint64_t compared);
/* As unc_check_compare(); if it returns false the result fails with "REG: WHAT: wrote W, read R, expected E". */
bool unc_check_expect(struct unc_check *c, struct unc_check_seen seen, uint64_t expected, uint64_t compared);

/* The title is copied, the units are static text; the points follow. */
void unc_check_begin_plot(struct unc_check *c, const struct unc_check_plot *plot);
void unc_check_point(struct unc_check *c, double x, double y); /* adds to the plot begun last */

/*
 * Reports the test of a register or field that the map marks `verify:` as a line of YAML for its `tested:`, "BOX_CTL.frz_en:
 * \"...\"". name: "BOX_CTL.frz_en"; the text says what silicon did, and which source that agrees with.
 */
void unc_check_tested(struct unc_check *c, const char *name, const char *fmt, ...) UNC_PRINTF(3, 4);
/*
 * Is the field, or its register, marked verify:? Then it cannot fail a check.  A doubt about a register as a whole, such as "the
 * guide of this part was not at hand", concerns its reset value, reserved bits and status bits; its rw and wo fields are trusted,
 * since every tool depends on them.
 */
bool unc_check_is_doubtful(const struct unc_reg *reg, const struct unc_field *field);

/* ---- how rare a fault may be (check/result.c) ---- */

enum { UNC_ODDS_TEXT = 100 };
/*
 * "one in N would have been seen with 99 %": the largest N such that n tries show at least one failure with that probability, if one
 * in N fails; 0: n is too small for any N.  If n_bad of n failed, "one in 120".  Returns buf.
 */
const char *unc_odds_text(uint64_t n, uint64_t n_bad, char buf[UNC_ODDS_TEXT]);

/* ---- the rest (check/run.c) ---- */

/* Is the text the name of the check, or its theme, which is before the dot? */
bool unc_check_is_meant(const char *text, const char *name);
/* Do only, skip and observe select the check? */
bool unc_check_is_selected(const struct unc_check_cfg *cfg, const struct unc_check_about *about);
/* Is it run, in this depth, where the machine has what it needs? */
bool unc_check_is_wanted(const struct unc_check_cfg *cfg, const struct unc_check_about *about);

/* The numbers of the sockets that checked channels are on, at most UNC_SOCKETS_MAX.  Returns how many there are. */
size_t unc_check_sockets(const struct unc_check *c, unsigned ret_sockets[UNC_SOCKETS_MAX]);
/* Waits in the machine's time, and keeps this computer awake meanwhile.  UNC_EAGAIN: the wait was woken. */
int unc_check_wait(const struct unc_check *c, uint64_t ns);
/* Chooses one of three values in milliseconds by the depth, and returns it in nanoseconds. */
uint64_t unc_check_ms(const struct unc_check *c, unsigned quick, unsigned usual, unsigned full);
unsigned unc_check_times(const struct unc_check *c, unsigned quick, unsigned usual, unsigned full);
/*
 * When the rounds of a channel should end, of a check that looks for rare faults channel by channel: each has its share of a part of
 * the machine's time, since how long an access takes is not known before.
 */
uint64_t unc_check_rounds_end_ns(const struct unc_check *c);
/* Is there another round after n of at most that many?  The first ROUNDS_LEAST rounds are always done. */
bool unc_check_has_round(const struct unc_check *c, unsigned n, unsigned most, uint64_t end_ns);

int unc_windows_check(struct unc_check *c);                     /* check/window.c: runs c->now->windows */
int unc_registers_check(struct unc_check *c);                   /* check/registers.c: runs c->now->channel() */
int unc_mon_check(struct unc_check *c);                         /* check/monitoring.c: runs c->now->l3() */
void unc_check_entry_clear(struct unc_check_entry *entry);      /* check/result.c */
void unc_check_traffic_free(struct unc_check_traffic *traffic); /* check/traffic_measure.c; NULL is fine */

#endif
