/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions of a program: what a session counts between a begin and an end, under a name, nested, and summed over all times that
 * the region was passed.
 *
 * Only a program that defines UNC_REGIONS before it includes this has any of it.  In others every call is a constant, its
 * arguments are not evaluated, and neither the library nor a session is needed; so the calls can stay in a program.
 */
#ifndef UNCORE_REGION_H
#define UNCORE_REGION_H

#include <uncore.h>

#ifdef __cplusplus
extern "C" {
#endif

struct unc_regions; /* the regions of one session */

struct unc_region_info {
	const char *name;
	size_t parent;              /* the region in which it begins; SIZE_MAX: none */
	uint64_t times;             /* how often it was passed: begun and ended */
	uint64_t interval_ns;       /* the machine's raw time in it, summed; that of the box which was longest in it */
	double uncertainty_percent; /* of interval_ns: an upper limit of what the reads of its counters make uncertain */
	bool too_short;             /* that is above 1 %: what was counted in it is no measure of the region */
};

/*
 * Makes an empty list of regions for a session that has started, and waits, 20 ms as a rule and 90 ms at most, until the rates of
 * the boxes' clocks are known.  Until unc_regions_close() the session is read through it alone: the counts of an
 * unc_session_read() in between would be missing in the region that is open then.  With cfg.confirm_later of the session, each
 * begin and each end reads every box once; without it, each of them also looks at every box. UNC_EARG: the session has not
 * started; UNC_ENOMEM.
 */
UNC_API int unc_regions_open(struct unc_session *session, struct unc_regions **ret_regions);
/*
 * Begins a region inside of the region that is open: the same name in another region is another one.  Reads every counter of the
 * session.  Errors as unc_session_read(), then the region has not begun; UNC_EARG: name is NULL or empty; UNC_ENOMEM.
 */
UNC_API int unc_region_begin(struct unc_regions *regions, const char *name);
/*
 * Ends the region that was begun last.  Reads every counter of the session.  UNC_EARG: no region of that name is the innermost one
 * that is open, and nothing is read; other errors as unc_session_read() and unc_session_confirm(), and the region has ended.
 */
UNC_API int unc_region_end(struct unc_regions *regions, const char *name);
/* How many regions there are; a region comes after the one in which it begins. */
UNC_API size_t unc_region_count(const struct unc_regions *regions);
/* Confirms what was counted.  The name lives as long as regions. UNC_EARG: no such region; else as unc_session_confirm(). */
UNC_API int unc_region_info(struct unc_regions *regions, size_t region, struct unc_region_info *ret_info);
/*
 * The sums of a region, with those of the regions inside of it, up to the last begin or end: for each event of the session in the
 * order in which they were added, n in all.  delta and total are the same.  A count that had no number once has none in the sum,
 * and its flags tell why; a flag of a single short read (UNC_COUNT_LATE) is set only if the sum is uncertain by more than 0.2 %.
 * UNC_EARG: no such region, or n is not the number of events; else as unc_session_confirm().
 */
UNC_API int unc_region_counts(struct unc_regions *regions, size_t region, struct unc_count *ret_counts, size_t n);
/* Frees the regions, not the session.  NULL is fine. */
UNC_API void unc_regions_close(struct unc_regions *regions);

#ifdef __cplusplus
}
#endif

#ifndef UNC_REGIONS
#define unc_regions_open(session, ret_regions)            0
#define unc_region_begin(regions, name)                   0
#define unc_region_end(regions, name)                     0
#define unc_region_count(regions)                         ((size_t)0)
#define unc_region_info(regions, region, ret_info)        UNC_EARG
#define unc_region_counts(regions, region, ret_counts, n) UNC_EARG
#define unc_regions_close(regions)                        ((void)0)
#endif

#endif
