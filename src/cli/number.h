/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as text: all digits for programs, few for people; and texts as people write them. */
#ifndef UNC_CLI_NUMBER_H
#define UNC_CLI_NUMBER_H

#include "uncore.h"

enum { NUMBER_TEXT_MAX = 400 }; /* the largest double has 309 digits, the smallest has 324 zeros after the point */

/*
 * Writes as many digits as identify a finite number, without an exponent; a whole number has no point.  Returns buf, as the others
 * do.
 */
const char *number_exact(double number, char buf[NUMBER_TEXT_MAX]);
/* At most ten significant digits, but all of a whole number, and all before the point. */
const char *number_readable(double number, char buf[NUMBER_TEXT_MAX]);
/* The number that number_readable() writes. */
double number_as_readable(double number);
/* "12,345,678" */
const char *number_grouped(uint64_t number, char buf[NUMBER_TEXT_MAX]);
/* "+12,345", "-678", "0" */
const char *number_signed(int64_t number, char buf[NUMBER_TEXT_MAX]);
/* "0x0c" with at least so many digits. */
const char *number_hex(uint64_t number, unsigned digits, char buf[NUMBER_TEXT_MAX]);
/* The distance from 0. */
uint64_t number_distance(int64_t number);
/* The divisor for a number of this size in this unit, "bytes" as MB or GB; 1: the number is shown as it is. */
double number_scale(double number, const char *unit);
/* At least four digits, divided by scale, and the unit: "6.400 GB", "84.13 ns", "12,346". unit NULL: none. */
const char *number_with_unit(double number, const char *unit, double scale, char buf[NUMBER_TEXT_MAX]);

/* Sizes and rates as people write them. */

/*
 * A number of bytes, "4096", "2e9", "1.5GB", "64M": kB, MB, GB and TB are powers of 1000; k, M, G and T, also as KiB and so on, are
 * powers of 1024, as in dd and head.  The result is rounded to whole bytes.  False: the text is not such a number, or it is above a
 * PiB.
 */
bool amount_of_bytes(const char *text, uint64_t *ret_bytes);
/* The same per second, with or without "/s" after it. */
bool amount_of_rate(const char *text, uint64_t *ret_bytes_per_s);

/* Lists of CPUs in the format of Linux: "0-3,8". */

enum { CPU_LIST_MAX = 65535 }; /* the highest number; Linux is built for 8192 CPUs at most */

struct cpu_list {
	unsigned *cpus; /* sorted, without duplicates; owned */
	size_t n;
};

enum cpu_list_fault { CPU_LIST_GOOD, CPU_LIST_MALFORMED, CPU_LIST_TOO_HIGH, CPU_LIST_NO_MEMORY };
/* Adds the CPUs of a text to a list, which is all zero at first.  After a fault the content of the list is undefined. */
enum cpu_list_fault cpu_list_add(struct cpu_list *list, const char *text);
bool cpu_list_has(const struct cpu_list *list, unsigned cpu);
void cpu_list_clear(struct cpu_list *list);

/* The argument of `stat -e`: events joined by commas, some of them in braces. */

struct event_item {
	char *text;   /* as it was written: "imc/event=0x4,umask=0x3/"; owned */
	char *shown;  /* the name that is shown; NULL: as the session writes it; owned */
	unsigned set; /* events with the same number, above 0, were in the same braces; 0: not in braces */
};

struct event_list {
	struct event_item *items; /* owned */
	size_t n;
	unsigned n_sets;
};

enum { EVENT_LIST_COMPLAINT = 160 };

/*
 * Adds "a,{b,c},imc/x=1,y=2/" to a list, which is all zero at first.  A comma between the slashes of a unit, or in braces, does not
 * separate elements.  False: complaint describes the error, and the list has the events before it.
 */
bool event_list_add(struct event_list *list, const char *text, char complaint[EVENT_LIST_COMPLAINT]);
void event_list_clear(struct event_list *list);

/* The words of the column flags. */

enum { FLAGS_TEXT_MAX = 160 }; /* room for every word of a text */

/* Bits besides those of enum unc_count_flag and enum unc_llc_flag. */
enum {
	FLAG_TASKS = 16,           /* the bit from which on those of enum unc_task_flag are */
	FLAG_MESH = 1 << 26,       /* counted by the mesh, not by the channels */
	FLAG_SUM = 1 << 27,        /* of a group on several L3s */
	FLAG_SIMULATED = 1 << 28,  /* the machine is */
	FLAG_PARTIAL = 1 << 29,    /* a sum that lacks a channel */
	FLAG_BELOW_ZERO = 1 << 30, /* a metric is below zero by more than its uncertainty, so it has no number */
};

struct flag_word {
	unsigned flag;
	const char *word;     /* NULL: the end of a table */
	const char *sentence; /* what it means, or NULL */
};
extern const struct flag_word count_flag_words[]; /* of flags_text() */
/* The words of the flags, joined by semicolons.  Returns buf. */
const char *flags_words(unsigned flags, const struct flag_word *words, char buf[FLAGS_TEXT_MAX]);
/* "stolen;simulated": of a count, or a sum of counts.  Returns buf. */
const char *flags_text(unsigned flags, char buf[FLAGS_TEXT_MAX]);

/* Finds the names that a pattern means. */

/*
 * How well a name matches a pattern, in upper or lower case: 2: the pattern has * or ? and matches the whole name, or is the name,
 * or its beginning up to a dot ("cas_count" of "cas_count.rd"); 1: it is somewhere in the name; 0: no match.  Only the names that
 * match best are meant.  NULL matches every name.
 */
int name_match(const char *pattern, const char *name);

#endif
