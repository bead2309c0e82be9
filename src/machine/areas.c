// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The boxes of a machine whose map is a catalogue: the units of each POWER chip whose area of memory firmware exports.  The control block
 * in it tells which there are and whether they count: skiboot include/imc.h.
 */
#include "machine/areas.h"

#include "base/text.h"
#include "machine/users.h"
#include "map/area.h"

int unc_area_check(struct unc_space *space, unsigned *ret_speed)
{
	struct unc_ctx *ctx = space->bus->ctx;
	unsigned chip = space->addr.area.chip;
	uint64_t status = 0, speed = 0;
	int rc = unc_read64(space, UNC_AREA_STATUS, &status);

	if (rc == 0)
		rc = unc_read64(space, UNC_AREA_SPEED, &speed);
	if (rc < 0)
		return rc;
	if (status == UNC_AREA_NEVER_RAN)
		return unc_fail(ctx, UNC_ENODATA,
				"chip %u: its nest counters are not counting: their microcode never ran (status 0); "
				"firmware starts it",
				chip);
	if (status == UNC_AREA_PAUSED)
		return unc_fail(ctx, UNC_EBUSY,
				"chip %u: its nest counters are not counting: they are paused (status 2); with %s a "
				"measurement lets them run, and the kernel does while an event of them is open (`perf "
				"stat -a -e nest_mcs01_imc/...`)",
				chip, unc_setting(ctx, "--start"));
	if (status == UNC_AREA_BAD_SPEED || status == UNC_AREA_BAD_MODE)
		return unc_fail(
			ctx, UNC_ENODATA,
			"chip %u: its nest counters are not counting: the microcode refuses its %s (status %" PRIu64
			")",
			chip, status == UNC_AREA_BAD_SPEED ? "speed" : "mode", status);
	if (status != UNC_AREA_RUNS)
		return unc_fail(ctx, UNC_EIO,
				"chip %u: the status of its nest counters is 0x%" PRIx64
				", which none is: this is no area of counters, or its words are not big-endian",
				chip, status);
	if (speed > UNC_AREA_SPEED_MOST)
		return unc_fail(ctx, UNC_ENOSUP,
				"chip %u: its nest counters have speed %" PRIu64
				", at which the catalogue's scales are wrong: they are right up to 3",
				chip, speed);
	*ret_speed = (unsigned)speed;
	return UNC_OK;
}

int unc_area_users(struct unc_machine *m, char *buf, size_t size)
{
	struct unc_perf_users perf;
	int rc = unc_users_perf_users(m, &perf);

	*buf = '\0';
	if (rc == 0 && perf.n_holders)
		snprintf(buf, size, "process %" PRIu64 " (%.40s) has a perf event open, which may be of the nest",
			 perf.pid, perf.comm);
	else if (rc == 0 && perf.n_hidden)
		snprintf(buf, size, "%u processes do not show whether they have perf events open", perf.n_hidden);
	return rc;
}

int unc_area_text(struct unc_space *space, char buf[UNC_AREA_TEXT])
{
	enum { STATUS_WORD, COMMAND_WORD, SPEED_WORD, AVAILABLE_WORD, MODE_WORD, WORDS };
	unsigned char block[WORDS][8];
	uint64_t words[WORDS] = {0}, version = 0;
	int rc = unc_read64(space, UNC_AREA_VERSION, &version);

	if (rc == 0)
		rc = unc_read_block(space, UNC_AREA_STATUS, block, sizeof(block));
	for (size_t i = 0; i < WORDS && rc == 0; i++)
		words[i] = unc_le64(block[i]);
	if (rc < 0)
		return rc;
	/* Its version and date are decimal digits of 4 bits each. */
	snprintf(buf, UNC_AREA_TEXT,
		 "microcode %x.%x.%x of %04x-%02x-%02x, status %" PRIu64 ", speed %" PRIu64 ", mode %" PRIu64
		 ", availability 0x%016" PRIx64,
		 (unsigned)(version >> 60), (unsigned)(version >> 52 & 0xff), (unsigned)(version >> 48 & 0xf),
		 (unsigned)(version >> 16 & 0xffff), (unsigned)(version >> 32 & 0xff), (unsigned)(version >> 40 & 0xff),
		 words[STATUS_WORD], words[SPEED_WORD], words[MODE_WORD], words[AVAILABLE_WORD]);
	return UNC_OK;
}

/* The area is there or not for all units of a chip; rc: what opening it came to. */
static void fill_box(struct unc_machine *m, struct unc_box *box, const struct unc_addr *addr, uint64_t available,
		     int rc)
{
	const struct unc_area *area = &box->unit->area;
	bool has = area->of_link ? (available & area->available) == area->of_link : available & area->available;

	box->machine = m;
	box->instance = box->unit->instances;
	box->socket = addr->area.chip;
	box->addr = *addr;
	box->addr_known = true;
	unc_addr_text(addr, box->pci);
	snprintf(box->name, sizeof(box->name), "socket%u.%.24s%s", box->socket, box->unit->name,
		 strcmp(box->unit->name, "imc") == 0 ? "0" : "");
	box->rc = rc < 0 ? rc : UNC_ENODEV;
	if (rc < 0) {
		box->presence = rc == UNC_EPERM ? UNC_DENIED : UNC_MISSING;
		snprintf(box->why, sizeof(box->why), "%.1000s", m->ctx->msg);
	} else if (area->available && !has) {
		box->presence = UNC_ABSENT;
		snprintf(box->why, sizeof(box->why),
			 "%s: chip %u has none: its bits of the availability vector, 0x%016" PRIx64 ", are not set",
			 box->name, box->socket, available);
	} else {
		box->presence = UNC_PRESENT;
		snprintf(box->why, sizeof(box->why), "in the area of memory that firmware exports for chip %u",
			 box->socket);
	}
}

static int add_chip(struct unc_machine *m, struct unc_bus *bus, const struct unc_addr *addr)
{
	struct unc_socket *socket = &m->sockets[m->n_sockets];
	struct unc_space *space = NULL;
	uint64_t available = 0;
	unsigned speed;
	int rc, made;

	if (m->n_sockets == UNC_SOCKETS_MAX)
		return unc_fail(m->ctx, UNC_ERANGE, "more than %d chips", UNC_SOCKETS_MAX);
	*socket = (struct unc_socket){.id = addr->area.chip, .how = "the number of its area"};
	m->n_sockets++;
	rc = unc_space_open(bus, addr, &space);
	if (rc == 0)
		rc = unc_area_check(space, &speed);
	/* Whether it counts now is looked at when it is measured. */
	if (rc == 0 || rc == UNC_EBUSY || rc == UNC_ENODATA || rc == UNC_ENOSUP)
		rc = unc_read64(space, UNC_AREA_AVAILABLE, &available);
	unc_space_close(space);
	if (rc == UNC_ENOMEM)
		return rc;
	made = unc_boxes_make_room(m, m->map->n_units);
	for (size_t u = 0; u < m->map->n_units && made == 0; u++) {
		if (!m->map->units[u].area.bytes)
			continue;
		m->boxes[m->n_boxes].unit = &m->map->units[u];
		fill_box(m, &m->boxes[m->n_boxes++], addr, available, rc);
	}
	return made;
}

int unc_areas_find(struct unc_machine *m)
{
	struct unc_addr *addrs = NULL;
	struct unc_bus *bus;
	size_t n = 0;
	int rc;

	/* Firmware exports the area also where it removed all units; reading it then may crash the kernel (in QEMU 7.2). */
	if (m->map->no_counters)
		return UNC_OK;
	snprintf(m->socket_rule, sizeof(m->socket_rule), "the areas that firmware exports");
	rc = unc_machine_bus(m, UNC_AREA, &bus);
	if (rc == 0)
		rc = unc_bus_list(bus, &addrs, &n);
	if (rc == 0 && !n)
		rc = unc_fail(m->ctx, UNC_ENODEV,
			      "firmware exports no imc_nest_chip_* in /sys/firmware/opal/exports: this needs firmware "
			      "of version "
			      "5.10 or later");
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_chip(m, bus, &addrs[i]);
	free(addrs);
	if (rc != UNC_ENODEV)
		return rc;
	m->map->no_counters = unc_text_dup(m->ctx->msg); /* what the catalogue lists is known all the same */
	return m->map->no_counters ? UNC_OK : UNC_ENOMEM;
}
