/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does this silicon count correctly? */
#ifndef UNCORE_CHECK_H
#define UNCORE_CHECK_H

#include <uncore.h>

#ifdef __cplusplus
extern "C" {
#endif

enum unc_check_depth {
	UNC_CHECK_QUICK, /* checks without a long wait, each wait as short as possible */
	UNC_CHECK_USUAL,
	UNC_CHECK_FULL, /* longer and more often: more likely to find intermittent faults */
};

struct unc_check_about {    /* description of a check, the same for every machine */
	const char *name;   /* "registers.bits": its theme, and what it looks at */
	const char *proves; /* what it proves, one line */
	const char *src;    /* the section of the manual on which it is based */
	unsigned ms[3];     /* duration on a machine of two sockets, by enum unc_check_depth; 0: not in that depth */
	bool writes;        /* writes registers */
	bool makes_traffic; /* needs unc_traffic_start() */
	bool global;        /* stops whole sockets: only with cfg.global */
};
/* Returns a check by its index; NULL beyond the last. */
UNC_API const struct unc_check_about *unc_check_about(size_t index);

enum unc_check_state {
	UNC_CHECK_PASS,
	UNC_CHECK_FAIL,
	UNC_CHECK_SKIP,    /* it could not be checked, or this machine has nothing to check: finding has the reason */
	UNC_CHECK_NOT_RUN, /* the run ended before it */
};
/*
 * Result of one check for one subject: a channel, a socket, a CPU, an L3, or the machine.  All texts live as long as the run.
 */
struct unc_check_result {
	const char *check;   /* unc_check_about.name */
	const char *subject; /* "socket0.imc0.ch2", "socket1", "cpu4", "socket0.l3-0", "machine" */
	enum unc_check_state state;
	int rc; /* with UNC_CHECK_SKIP: the error before it could be tried (UNC_EPERM, UNC_EIO, ...); or 0 */
	const char *finding; /* one sentence */
	const char *tested;  /* lines of YAML for `tested:` of a map, if a `verify:` was tried; or NULL */
	size_t n_values, n_plots;
	size_t n_dropped; /* number of further wrong values, which are not kept */
	uint64_t ns;      /* the machine's time that its check took for all subjects together */
};
/* Evidence for a result: a register that was read, and perhaps written before. */
struct unc_check_value {
	const char *what; /* "walking one" */
	const char *box, *pci,
		*reg; /* "socket0.imc0.ch2", "0000:7f:10.4", "CTL[3]"; not a register: box and pci are "" */
	uint32_t offset;
	unsigned bits; /* 32 or 64 */
	bool has_wrote, has_expected;
	uint64_t wrote, read, expected;
	uint64_t compared; /* the bits of read that are compared with expected */
	bool good;
};
struct unc_check_point {
	double x, y;
};
struct unc_check_plot { /* values of a counter over time, or another trace */
	const char *title, *x_unit, *y_unit;
	const struct unc_check_point *points;
	size_t n_points;
	double low, high; /* expected range of y; both 0: none */
};

struct unc_check_progress {
	const char *check; /* the check that runs next */
	unsigned nth, of;
	uint64_t left_ns; /* estimated rest, in the machine's time */
};

struct unc_check_cfg {
	enum unc_check_depth depth;
	const char *box;         /* a pattern for names of channels, "socket0.*"; NULL: all */
	const char *const *only; /* names or themes ("registers"); n_only 0: all */
	size_t n_only;
	const char *const *skip;
	size_t n_skip;
	bool force;   /* also channels and caches that another program uses: its counts are spoiled */
	bool global;  /* also checks that stop whole sockets */
	bool observe; /* only checks that write no register */
	void (*progress)(void *arg, const struct unc_check_progress *progress); /* before each check; or NULL */
	void *progress_arg;
};

struct unc_check;

/*
 * Finds what can be checked, and touches nothing except to see which other programs count.  UNC_EARG: a name or pattern in cfg
 * does not exist here; UNC_EDENIED: the machine is open for reading only, and not cfg.observe; UNC_ENODEV: there is nothing to
 * check; UNC_EBUSY: everything is used by other programs, and no cfg.force; UNC_ENOMEM.
 */
UNC_API int unc_check_open(struct unc_machine *machine, const struct unc_check_cfg *cfg, struct unc_check **ret_check);
/*
 * Runs the checks one after the other; after each all registers are as they were found.  0: all were run, whatever they found;
 * UNC_EAGAIN: woken before the end; UNC_EBUSY: another uncorectl writes in all channels, and nothing was run; UNC_EIO: a register
 * could not be put back; UNC_ENOMEM.  Call it once.
 */
UNC_API int unc_check_run(struct unc_check *check);
/* Returns the chosen checks in order, before and after the run.  NULL beyond the last. */
UNC_API const struct unc_check_about *unc_check_chosen(const struct unc_check *check, size_t index);
/* Returns the number of results, which are in the order of checks, including those not run. */
UNC_API size_t unc_check_results(const struct unc_check *check);
/* UNC_ENODEV: index is too high. */
UNC_API int unc_check_result(const struct unc_check *check, size_t index, struct unc_check_result *ret_result);
UNC_API int unc_check_value(const struct unc_check *check, size_t result, size_t index,
			    struct unc_check_value *ret_value);
UNC_API int unc_check_plot(const struct unc_check *check, size_t result, size_t index, struct unc_check_plot *ret_plot);
/* Call it before the machine is closed.  NULL is fine. */
UNC_API void unc_check_close(struct unc_check *check);

#ifdef __cplusplus
}
#endif

#endif
