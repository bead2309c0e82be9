// SPDX-License-Identifier: GPL-2.0-or-later
/* Is the clock one that memory can have, and the one that the firmware reports? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "check/clock.h"
#include "check/smbios.h"

#define MHZ(hz) ((hz) / 1e6)

/* ---- JEDEC ---- */

/*
 * JESD79-3F and JESD79-4, speed bins: the names are rounded, and the clocks are multiples of 400/3 MHz.  So DDR4-2133 has 8 of
 * them, 1066.67 MHz, which gives 2133.33 MT/s.
 */
static const struct bin {
	const char *names;
	unsigned thirds; /* multiples of 400/3 MHz */
} bins[] = {
	{"DDR3-800", 3},
	{"DDR3-1066", 4},
	{"DDR3-1333", 5},
	{"DDR3-1600 and DDR4-1600", 6},
	{"DDR3-1866 and DDR4-1866", 7},
	{"DDR3-2133 and DDR4-2133", 8},
	{"DDR4-2400", 9},
	{"DDR4-2666", 10},
	{"DDR4-2933", 11},
	{"DDR4-3200", 12},
};
/* The tolerance for the clocks of boards, and for clocks that are spread against interference (by half a percent). */
static const double near = 0.01;

static double bin_hz(const struct bin *bin)
{
	return bin->thirds * 400e6 / 3;
}

static double off_by(double hz, double from_hz)
{
	return (hz - from_hz) / from_hz;
}

static double size_of(double value)
{
	return value < 0 ? -value : value;
}

static const struct bin *nearest(double hz)
{
	const struct bin *best = &bins[0];

	for (size_t i = 1; i < sizeof(bins) / sizeof(bins[0]); i++)
		if (size_of(hz - bin_hz(&bins[i])) < size_of(hz - bin_hz(best)))
			best = &bins[i];
	return best;
}

static void judge_jedec(struct unc_check *c, const struct unc_check_box *b, const struct unc_clock_seen *seen)
{
	double hz = unc_clock_middle(seen->rate), doubt = unc_clock_doubt(seen->rate);
	double most_hz = (double)b->box->unit->max_clock_hz;
	const struct bin *bin = nearest(hz);
	double off = off_by(hz, bin_hz(bin));

	if (size_of(hz - bin_hz(bin)) > near * bin_hz(bin) + doubt)
		unc_check_fail(c,
			       "%.4f MHz +- %.4f, so %.2f MT/s, is %+.2f %% from the nearest speed that memory has, %s "
			       "(%.4f MHz)",
			       MHZ(hz), MHZ(doubt), MHZ(2 * hz), 100 * off, bin->names, MHZ(bin_hz(bin)));
	else if (most_hz > 0 && seen->rate.low_hz > most_hz * (1 + near))
		unc_check_fail(c, "%.4f MHz +- %.4f is above the %.0f MHz that the map allows for %s", MHZ(hz),
			       MHZ(doubt), MHZ(most_hz), b->box->unit->title);
	else
		unc_check_pass(c, "%.4f MHz is that of %s (%.4f MHz) %+.3f %%", MHZ(hz), bin->names, MHZ(bin_hz(bin)),
			       100 * off);
}

int unc_clock_run_jedec(struct unc_check *c)
{
	int rc = unc_clocks_measure(c);

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++) {
		const struct unc_clock_seen *seen = unc_clock_begin(c, i);

		if (seen)
			judge_jedec(c, &c->boxes[i], seen);
	}
	return rc;
}

/* ---- SMBIOS ---- */

struct configured { /* a speed to which the firmware has set memory */
	uint32_t mts;
	bool may_be_clock;
	size_t n_devices;
};
struct firmware {
	struct configured *speeds; /* owned */
	size_t n, n_devices, n_installed;
	bool broken; /* a table was not well-formed up to its end */
	int rc;
};

static void note_speed(struct firmware *firmware, const struct unc_smbios_memory *memory)
{
	struct configured *more;

	for (size_t i = 0; i < firmware->n; i++)
		if (firmware->speeds[i].mts == memory->configured_mts &&
		    firmware->speeds[i].may_be_clock == memory->may_be_clock) {
			firmware->speeds[i].n_devices++;
			return;
		}
	more = unc_array_more(firmware->speeds, firmware->n, sizeof(*more));
	if (!more) {
		firmware->rc = UNC_ENOMEM;
		return;
	}
	firmware->speeds = more;
	more[firmware->n++] = (struct configured){memory->configured_mts, memory->may_be_clock, 1};
}

static void note_table(struct firmware *firmware, const char *table, size_t len)
{
	struct unc_smbios_memory memory;
	size_t at = 0;
	bool whole;

	while (unc_smbios_next(table, len, &at, &memory, &whole)) {
		firmware->n_devices++;
		firmware->n_installed += memory.installed;
		if (memory.installed && memory.configured_mts)
			note_speed(firmware, &memory);
	}
	firmware->broken |= !whole;
}

enum { TABLE_MAX = 1 << 20, PATH_TEXT = 200 };
static const char table_path[] = "/sys/firmware/dmi/tables/DMI", entries[] = "/sys/firmware/dmi/entries";

static int read_table(struct unc_check *c, const char *path, struct firmware *firmware)
{
	char *text;
	size_t len;
	int rc = c->m->host->ops->file(c->m->host, path, TABLE_MAX, &text, &len);

	if (rc < 0)
		return rc;
	note_table(firmware, text, len);
	free(text);
	return firmware->rc;
}

/* A name is "17-3": the fourth structure of type 17. */
static int read_entries(struct unc_check *c, struct firmware *firmware)
{
	const char *const *names;
	size_t n;
	int rc = c->m->host->ops->names(c->m->host, entries, &names, &n);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		char path[PATH_TEXT];

		if (strncmp(names[i], "17-", 3) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%.100s/raw", entries, names[i]);
		rc = read_table(c, path, firmware);
	}
	free((void *)names);
	return rc;
}

static int ask_firmware(struct unc_check *c, struct firmware *firmware)
{
	struct unc_saved_msg first;
	int rc = read_table(c, table_path, firmware), again;

	if (rc == 0 || rc == UNC_ENOMEM)
		return rc;
	unc_msg_save(c->m->ctx, &first);
	again = read_entries(c, firmware);
	if (again < 0 && again != UNC_ENOMEM)
		unc_msg_restore(c->m->ctx, &first);
	return again;
}

/* Does 2 x DCLK agree with the given speed, within tolerance?  Does the clock itself, where the speed may be a clock? */
static bool is_speed(const struct configured *speed, const struct unc_clock_seen *seen, bool *ret_is_clock)
{
	double hz = unc_clock_middle(seen->rate), doubt = unc_clock_doubt(seen->rate), told = speed->mts * 1e6;

	*ret_is_clock = false;
	if (size_of(2 * hz - told) <= near * told + 2 * doubt)
		return true;
	*ret_is_clock = speed->may_be_clock && size_of(hz - told) <= near * told + doubt;
	return *ret_is_clock;
}

static void judge_smbios(struct unc_check *c, const struct firmware *firmware, const struct unc_clock_seen *seen)
{
	double mts = MHZ(2 * unc_clock_middle(seen->rate));
	char told[200] = "";

	for (size_t i = 0, used = 0; i < firmware->n; i++) {
		const struct configured *speed = &firmware->speeds[i];
		bool is_clock;

		if (is_speed(speed, seen, &is_clock)) {
			unc_check_pass(c, "%.2f MT/s, and firmware has set memory up for %u %s (devices: %zu)", mts,
				       speed->mts, is_clock ? "MHz, which is the clock" : "MT/s", speed->n_devices);
			return;
		}
		if (used < sizeof(told))
			used += (size_t)snprintf(told + used, sizeof(told) - used, "%s%u (devices: %zu)", i ? ", " : "",
						 speed->mts, speed->n_devices);
	}
	unc_check_fail(c, "%.2f MT/s, but firmware has set memory up for other speeds, in MT/s: %s", mts, told);
}

/* Returns why there is nothing to compare; NULL: there is something. */
static const char *cannot(const struct firmware *firmware)
{
	if (!firmware->n_devices)
		return "holds no memory device (type 17)";
	if (!firmware->n_installed)
		return "has places for memory, and says that all are empty";
	return firmware->n ? NULL : "does not tell for which speed memory was set up (type 17, offset 0x20)";
}

int unc_clock_run_smbios(struct unc_check *c)
{
	struct firmware firmware = {0};
	int rc = unc_clocks_measure(c), asked = rc == 0 ? ask_firmware(c, &firmware) : rc;

	if (rc < 0 || asked == UNC_ENOMEM) {
		free(firmware.speeds);
		return rc < 0 ? rc : unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	}
	if (asked < 0)
		unc_check_skip_all(c, "what firmware says of memory (SMBIOS) cannot be read: %s", c->m->ctx->msg);
	else if (cannot(&firmware))
		unc_check_skip_all(c, "the SMBIOS table of this machine %s%s", cannot(&firmware),
				   firmware.broken ? "; it is malformed" : "");
	for (size_t i = 0; i < c->n_boxes && asked == 0 && !cannot(&firmware); i++) {
		const struct unc_clock_seen *seen = unc_clock_begin(c, i);

		if (seen)
			judge_smbios(c, &firmware, seen);
	}
	free(firmware.speeds);
	return rc;
}
