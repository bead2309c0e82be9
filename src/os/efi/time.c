// SPDX-License-Identifier: GPL-2.0-or-later
/* Time: the time-stamp counter, whose rate CPUID or the ACPI timer gives.  That timer also checks it (clock.h). */
#include <cpuid.h>
#include <string.h>
#include <time.h>

#include "base/os.h"
#include "os/efi/clock.h"
#include "os/efi/efi.h"

enum { CALIBRATION_NS = 20000000 };

static struct {
	struct unc_efi_clock of;
	uint16_t port;         /* of the ACPI timer; 0: there is none */
	uint64_t first_real_s; /* what the clock said at the start, since 1970 */
	const char *doubt;
} clock;

static uint64_t ticks(void)
{
	__asm__ __volatile__("lfence" ::: "memory");
	return __builtin_ia32_rdtsc();
}

/* ACPI 6.5, 5.2.6 and 5.2.7: a table begins with its name, length and a byte that makes the sum of its bytes 0. */
static bool sum_is_right(const uint8_t *table, size_t len)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum = (uint8_t)(sum + table[i]);
	return sum == 0;
}

static uint64_t number(const uint8_t *at, size_t len)
{
	uint64_t value = 0;

	memcpy(&value, at, len);
	return value;
}

const uint8_t *unc_efi_acpi(const char name[4])
{
	enum { XSDT_AT = 24, LENGTH_AT = 4, HEADER = 36, LENGTH_MAX = 1 << 20 };
	const uint8_t *root = NULL, *xsdt;

	for (size_t i = 0; i < efi->system->n_tables; i++)
		if (unc_efi_same(&efi->system->tables[i].guid, &EFI_ACPI_20_TABLE))
			root = efi->system->tables[i].table;
	xsdt = root ? (const uint8_t *)number(root + XSDT_AT, 8) : NULL;
	if (!xsdt || memcmp(xsdt, "XSDT", 4) != 0 || number(xsdt + LENGTH_AT, 4) > LENGTH_MAX)
		return NULL;
	for (size_t at = HEADER; at + 8 <= number(xsdt + LENGTH_AT, 4); at += 8) {
		const uint8_t *table = (const uint8_t *)number(xsdt + at, 8);

		if (table && memcmp(table, name, 4) == 0 && number(table + LENGTH_AT, 4) <= LENGTH_MAX &&
		    sum_is_right(table, number(table + LENGTH_AT, 4)))
			return table;
	}
	return NULL;
}

static uint32_t port_read(uint16_t port)
{
	uint32_t value;

	__asm__ __volatile__("inl %1, %0" : "=a"(value) : "d"(port));
	return value;
}

/* Both counters, once more if something came in between: an SMI, or another guest of the hypervisor. */
static struct unc_efi_moment look(void)
{
	enum { TRIES = 5, NARROW = 20000 };
	struct unc_efi_moment best = {.width = UINT64_MAX};

	for (unsigned i = 0; i < TRIES && best.width > NARROW; i++) {
		uint64_t before = ticks();
		uint32_t timer = clock.port ? port_read(clock.port) : 0;
		uint64_t width = ticks() - before;

		if (width < best.width)
			best = (struct unc_efi_moment){before + width / 2, width, timer};
	}
	return best;
}

/* ACPI 6.5, 5.2.9. */
static void find_timer(void)
{
	enum { PM_TMR_BLK = 76, FLAGS = 112, TMR_VAL_EXT = 8, LOOKS = 100000 };
	const uint8_t *fadt = unc_efi_acpi("FACP");
	uint32_t first;

	clock.port = fadt ? (uint16_t)number(fadt + PM_TMR_BLK, 2) : 0;
	if (!clock.port)
		return;
	clock.of.mask = number(fadt + FLAGS, 4) >> TMR_VAL_EXT & 1 ? UINT32_MAX : 0xffffff;
	first = port_read(clock.port);
	for (unsigned i = 0; port_read(clock.port) == first; i++)
		if (i > LOOKS) { /* it stands still */
			clock.port = 0;
			clock.of.mask = 0;
			return;
		}
}

/* On a busy hypervisor a look may take long.  Then it measures for up to ten times as long, until looks are a 4000th of that time. */
static uint64_t hz_of_acpi(void)
{
	enum { TICKS = (uint64_t)UNC_EFI_ACPI_HZ * CALIBRATION_NS / 1000000000, PART = 4000, MOST = 10 };
	struct unc_efi_moment from = look(), to = from;
	uint32_t passed = 0;

	while (clock.port &&
	       (passed < TICKS || (passed < MOST * TICKS && (from.width + to.width) * PART > to.tsc - from.tsc))) {
		to = look();
		passed = (to.timer - from.timer) & clock.of.mask;
	}
	return passed ? (to.tsc - from.tsc) * UNC_EFI_ACPI_HZ / passed : 0;
}

/* Intel SDM, CPUID leaf 15h: TSC = crystal * EBX / EAX. 0: it does not say. */
static uint64_t hz_of_cpuid(void)
{
	uint32_t a, b, c, d;

	if (__get_cpuid_max(0, NULL) < 0x15)
		return 0;
	__cpuid_count(0x15, 0, a, b, c, d);
	return a && b && c ? (uint64_t)c * b / a : 0;
}

/* Since 1970, UTC where the zone is known. */
static uint64_t seconds(const EFI_TIME *time)
{
	struct tm tm = {.tm_year = time->Year - 1900,
			.tm_mon = time->Month - 1,
			.tm_mday = time->Day,
			.tm_hour = time->Hour,
			.tm_min = time->Minute + (time->TimeZone == 2047 ? 0 : time->TimeZone),
			.tm_sec = time->Second};

	return (uint64_t)timegm(&tm);
}

void unc_efi_clock_start(void)
{
	enum { INVARIANT_TSC = 1 << 8 }; /* CPUID 80000007h, EDX */
	uint32_t a, b, c, d = 0;
	EFI_TIME now = {0};

	if (__get_cpuid_max(0x80000000, NULL) >= 0x80000007)
		__cpuid(0x80000007, a, b, c, d);
	find_timer();
	clock.of.hz = hz_of_cpuid();
	if (!clock.of.hz)
		clock.of.hz = hz_of_acpi();
	if (!clock.port)
		clock.doubt = "there is no ACPI timer to check the time-stamp counter, so rates are wrong if its "
			      "frequency changes; "
			      "counts are right";
	else if (!(d & INVARIANT_TSC))
		clock.doubt =
			"the processor's time-stamp counter is not invariant; each time is checked against the ACPI "
			"timer, and taken from that where they differ";
	if (!clock.of.hz) {
		uint64_t begin = ticks();

		efi->boot->Stall(CALIBRATION_NS / 1000);
		clock.of.hz = (ticks() - begin) * (1000000000 / CALIBRATION_NS);
		clock.doubt = "neither CPUID leaf 15h nor an ACPI timer gives the rate of the time-stamp counter, so "
			      "times and rates may be wrong by some percent; counts are right";
	}
	clock.of.from = look();
	if (efi->system->runtime->GetTime(&now, NULL) == EFI_SUCCESS && now.Year >= 1970)
		clock.first_real_s = seconds(&now);
}

const char *unc_efi_clock_doubt(void)
{
	return clock.of.differs
		       ? "the processor's time-stamp counter and the ACPI timer differ, so times are those of the "
			 "timer, in steps of 279 ns"
		       : clock.doubt;
}

uint64_t unc_os_now_ns(enum unc_clock which)
{
	struct unc_efi_moment now = look();

	return unc_efi_clock_ns(&clock.of, &now) + (which == UNC_CLOCK_REAL ? clock.first_real_s * 1000000000 : 0);
}

int unc_os_sleep_until(uint64_t mono_ns, int wake_fd)
{
	enum { KEYS_NS = 20000000, LEAST_NS = 1000000 };
	uint64_t now = unc_os_now_ns(UNC_CLOCK_MONO), keys = now;

	for (; now < mono_ns; now = unc_os_now_ns(UNC_CLOCK_MONO)) {
		unc_efi_serial_pause(mono_ns - now);
		/* A look at the keys may take a while on some consoles, so there is none just before the time has come. */
		if (wake_fd >= 0 && now >= keys && mono_ns - now > LEAST_NS) {
			if (unc_efi_interrupted())
				return UNC_EAGAIN;
			keys = now + KEYS_NS;
		}
		__builtin_ia32_pause();
	}
	return UNC_OK;
}

int clock_gettime(int which, struct timespec *ret_time)
{
	uint64_t ns = unc_os_now_ns(which == CLOCK_REALTIME ? UNC_CLOCK_REAL : UNC_CLOCK_MONO);

	*ret_time = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	return 0;
}

time_t time(time_t *ret_time)
{
	time_t now = (time_t)(unc_os_now_ns(UNC_CLOCK_REAL) / 1000000000);

	if (ret_time)
		*ret_time = now;
	return now;
}
