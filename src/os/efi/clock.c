// SPDX-License-Identifier: GPL-2.0-or-later
/* The arithmetic of the clock; time.c reads the counters. */
#include "os/efi/clock.h"

enum { NS = 1000000000 };

/* n * to / from, whose product may have more than 64 bits. */
static uint64_t scaled(uint64_t n, uint64_t from, uint64_t to)
{
	return n / from * to + n % from * to / from;
}

uint64_t unc_efi_clock_ns(struct unc_efi_clock *clock, const struct unc_efi_moment *now)
{
	enum { TICKS_NS = 2 * (NS / UNC_EFI_ACPI_HZ + 1), OF = 1000 }; /* both ends of the timer; 0.1 % of the time */
	uint64_t ns = scaled(now->tsc - clock->from.tsc, clock->hz, NS), mask = clock->mask;
	/* The timer may have wrapped several times, so it says how far off the other is. */
	uint64_t expected = scaled(ns, NS, UNC_EFI_ACPI_HZ), passed = now->timer - clock->from.timer;
	uint64_t more = (passed - expected) & mask, less = (expected - passed) & mask;
	bool slow = more < less || less > expected, differs = false;

	if (scaled(slow ? more : less, UNC_EFI_ACPI_HZ, NS) >
	    TICKS_NS + ns / OF + scaled(now->width + clock->from.width, clock->hz, NS)) {
		ns = scaled(slow ? expected + more : expected - less, UNC_EFI_ACPI_HZ, NS);
		clock->differs = differs = true;
	}
	ns += clock->from_ns;
	if (differs || ns - clock->from_ns > NS) {
		clock->from = *now;
		clock->from_ns = ns;
	}
	if (ns > clock->last_ns)
		clock->last_ns = ns;
	return clock->last_ns;
}
