// SPDX-License-Identifier: GPL-2.0-or-later
/* Time: the processor's time-stamp counter, whose rate CPUID gives, or the ACPI timer of 3.579545 MHz. */
#include <cpuid.h>
#include <string.h>
#include <time.h>

#include "base/os.h"
#include "os/efi/efi.h"

enum { ACPI_HZ = 3579545, CALIBRATION_NS = 20000000 };

static struct {
	uint64_t first, hz;    /* of the counter */
	uint64_t first_real_s; /* what the clock said at the same time, since 1970 */
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

/* ACPI 6.5, 5.2.9: PM_TMR_BLK.  The timer has 24 bits at least. 0: there is none, or it stands still. */
static uint64_t hz_of_acpi(void)
{
	enum { PM_TMR_BLK = 76, MASK = 0xffffff };
	const uint8_t *fadt = unc_efi_acpi("FACP");
	uint16_t port = fadt ? (uint16_t)number(fadt + PM_TMR_BLK, 2) : 0;
	uint64_t begin, end, passed = 0;
	uint32_t from, to;

	if (!port)
		return 0;
	from = port_read(port) & MASK;
	for (unsigned i = 0; (port_read(port) & MASK) == from; i++)
		if (i > 100000)
			return 0;
	from = port_read(port) & MASK;
	begin = end = ticks();
	while (passed < (uint64_t)ACPI_HZ * CALIBRATION_NS / 1000000000) {
		to = port_read(port) & MASK;
		end = ticks();
		passed = (to - from) & MASK;
	}
	return (end - begin) * ACPI_HZ / passed;
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

void unc_efi_clock_start(void)
{
	enum { INVARIANT_TSC = 1 << 8 }; /* CPUID 80000007h, EDX */
	uint32_t a, b, c, d = 0;
	EFI_TIME now = {0};

	if (__get_cpuid_max(0x80000000, NULL) >= 0x80000007)
		__cpuid(0x80000007, a, b, c, d);
	clock.hz = hz_of_cpuid();
	if (!clock.hz)
		clock.hz = hz_of_acpi();
	if (!(d & INVARIANT_TSC))
		clock.doubt = "the processor's time-stamp counter is not invariant, so rates are wrong if its "
			      "frequency changes; "
			      "counts are right";
	if (!clock.hz) {
		uint64_t begin = ticks();

		efi->boot->Stall(CALIBRATION_NS / 1000);
		clock.hz = (ticks() - begin) * (1000000000 / CALIBRATION_NS);
		clock.doubt = "neither CPUID leaf 15h nor an ACPI timer gives the rate of the time-stamp counter, so "
			      "times and rates may "
			      "be wrong by some percent; counts are right";
	}
	clock.first = ticks();
	if (efi->system->runtime->GetTime(&now, NULL) == EFI_SUCCESS && now.Year >= 1970)
		clock.first_real_s = unc_efi_seconds(&now);
}

const char *unc_efi_clock_doubt(void)
{
	return clock.doubt;
}

uint64_t unc_os_now_ns(enum unc_clock which)
{
	uint64_t passed = ticks() - clock.first;
	uint64_t ns = passed / clock.hz * 1000000000 + passed % clock.hz * 1000000000 / clock.hz;

	return ns + (which == UNC_CLOCK_REAL ? clock.first_real_s * 1000000000 : 0);
}

int unc_os_sleep_until(uint64_t mono_ns, int wake_fd)
{
	enum { KEYS_NS = 20000000, LEAST_NS = 1000000 };
	uint64_t now = unc_os_now_ns(UNC_CLOCK_MONO), keys = now;

	for (; now < mono_ns; now = unc_os_now_ns(UNC_CLOCK_MONO)) {
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
