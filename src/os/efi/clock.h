/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time of two counters.  The time-stamp counter is fine but may change its rate; the ACPI timer is coarse (279 ns) and does not.
 * Each time that is asked for is of the first, if both say the same since the last look, and of the second if not: firmware may set
 * P-states, and T-states, under a counter that is not invariant, and a rate over the wrong time would look as good as a right one.
 */
#ifndef UNC_OS_EFI_CLOCK_H
#define UNC_OS_EFI_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { UNC_EFI_ACPI_HZ = 3579545 }; /* ACPI: Power Management Timer */

struct unc_efi_moment {
	uint64_t tsc, width; /* the timer was read within so many ticks around that one */
	uint32_t timer;
};

struct unc_efi_clock {
	uint64_t hz;   /* of the time-stamp counter */
	uint32_t mask; /* of the timer's bits; 0: there is none */
	struct unc_efi_moment from;
	uint64_t from_ns, last_ns; /* what it was then; what was said last */
	bool differs;              /* the time-stamp counter was wrong at least once */
};

/* Nanoseconds at that moment, never fewer than the last time; right if the counters drift apart by less than half the timer's way since then. */
uint64_t unc_efi_clock_ns(struct unc_efi_clock *clock, const struct unc_efi_moment *now);

#endif
