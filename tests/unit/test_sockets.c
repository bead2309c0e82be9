// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/boxes.h"

#include "onsim.h"
#include "test.h"

static struct onsim o;
static struct apart { /* another machine, and what was said while it was opened */
	struct unc_ctx *ctx;
	struct unc_machine *m;
	char notes[1024];
} apart;
static struct unc_uncore_bus given[UNC_SOCKETS_MAX + 1]; /* each with a UBOX taken from the simulated machine */
static size_t n_given;

static void end(void)
{
	for (; n_given; n_given--)
		unc_space_close(given[n_given - 1].ubox);
	onsim_work(&o);
	onsim_close(&o);
	if (apart.m)
		OK(&apart, unc_machine_close(apart.m));
	unc_free(apart.ctx);
	memset(&apart, 0, sizeof(apart));
	memset(given, 0, sizeof(given));
}
EACH(NULL, end)

static void reopen(const char *common, const char *own)
{
	end();
	onsim_open(&o, common, own);
}

/* "0=0:3a 1=-": the bus of each socket's channels, or of its UBOX; "-" where it is not known. */
static const char *buses(const struct unc_machine *m, bool ubox)
{
	static char text[200];
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < m->n_sockets && len < sizeof(text); i++) {
		const struct unc_socket *s = &m->sockets[i];
		uint32_t domain = ubox ? s->ubox_domain : s->domain;
		uint8_t bus = ubox ? s->ubox_bus : s->bus;

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u=", i ? " " : "", s->id);
		if (ubox ? s->has_ubox : s->has_bus)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%x:%02x", (unsigned)domain, bus);
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len, "-");
	}
	return text;
}

/* ---- as a machine is opened ---- */

TEST(the_ubox_tells_the_socket_of_a_bus)
{
	static const struct {
		const char *options, *buses;
	} cases[] = {
		{"sockets=1", "0=0:ff"},
		{"sockets=2", "0=0:7f 1=0:ff"},
		{"sockets=2,numbering=reversed", "0=0:ff 1=0:7f"},
		{"sockets=3", "0=0:3f 1=0:7f 2=0:bf"},
		{"sockets=4,numbering=reversed", "0=0:ff 1=0:bf 2=0:7f 3=0:3f"},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reopen(cases[i].options, NULL);
		SAME(buses(o.m, false), cases[i].buses);
		for (unsigned k = 0; k < o.m->n_sockets; k++)
			HAS(o.m->sockets[k].how, "CPUNODEID");
		SAME(o.m->socket_rule, "UBOX mapping");
		SAME(o.notes, "");
	}
}

TEST(a_bus_without_ubox_gets_the_number_that_is_left)
{
	static const struct {
		const char *common, *own, *buses, *piece;
	} cases[] = {
		{"sockets=2", "hide=7f:0b.0", "0=0:7f 1=0:ff", "bus 0000:7f"},
		{"sockets=2", "hide=ff:0b.0", "0=0:7f 1=0:ff", "bus 0000:ff"},
		{"sockets=2,numbering=reversed", "hide=7f:0b.0", "0=0:ff 1=0:7f", "bus 0000:7f"},
		{"sockets=2,numbering=reversed", "hide=ff:0b.0", "0=0:ff 1=0:7f", "bus 0000:ff"},
		{"sockets=2,numbering=reversed", "allones=ff:0b.0", "0=0:ff 1=0:7f", "bus 0000:ff"},
		{"sockets=2", "hide=7f:0b.0,hide=ff:0b.0", "0=0:7f 1=0:ff", "bus order"},
		/* Nothing can tell here, and that is said. */
		{"sockets=2,numbering=reversed", "hide=7f:0b.0,hide=ff:0b.0", "0=0:7f 1=0:ff", "bus order"},
		{"sockets=1", "hide=ff:0b.0", "0=0:ff", "bus order"},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reopen(cases[i].common, cases[i].own);
		SAME(buses(o.m, false), cases[i].buses);
		HAS(o.m->socket_rule, cases[i].piece);
		HAS(o.m->socket_rule, "its UBOX is not there");
		HAS(o.notes, "socket numbers: bus order");
	}
}

TEST(a_package_whose_bus_is_hidden_is_still_a_socket)
{
	reopen("sockets=2", "hide=ff:0b.0,hide=ff:10.0,hide=ff:10.1,hide=ff:10.4,hide=ff:10.5");
	SAME(buses(o.m, false), "0=0:7f 1=-");
	HAS(o.m->sockets[1].how, "no uncore bus");
}

/* ---- where the UBOX is on another bus ---- */

static void on_note(void *arg, const char *sentence)
{
	size_t len = strlen(apart.notes);

	(void)arg;
	snprintf(apart.notes + len, sizeof(apart.notes) - len, "%s\n", sentence);
}

static int try_apart(const char *model, const char *options)
{
	const struct unc_machine_cfg cfg = {.machine = test_text("sim:%s,clock=step,%s", model, options),
					    .wake_fd = -1};

	end();
	CU_ASSERT_FATAL(unc_new(&apart.ctx) == 0);
	unc_set_log(apart.ctx, on_note, NULL);
	return unc_machine_open(apart.ctx, &cfg, &apart.m);
}

#define NO_CHANNELS(bus)                                                                                               \
	"hide=" bus ":0a.2,hide=" bus ":0a.6,hide=" bus ":0b.2,hide=" bus ":0c.2,hide=" bus ":0c.6,hide=" bus ":0d.2"

TEST(a_ubox_of_another_bus_tells_the_socket)
{
	static const struct {
		const char *options, *channels, *uboxes, *rule;
	} cases[] = {
		{"sockets=1", "0=0:3a", "0=0:00", "UBOX mapping"},
		{"sockets=2", "0=0:3a 1=0:ae", "0=0:00 1=0:80", "UBOX mapping"},
		{"sockets=2,numbering=reversed", "0=0:ae 1=0:3a", "0=0:80 1=0:00", "UBOX mapping"},
		{"sockets=2,domains=2", "0=0:3a 1=1:3a", "0=0:00 1=1:00", "UBOX mapping"},
		{"sockets=4", "0=0:0e 1=0:4e 2=0:8e 3=0:ce", "0=0:00 1=0:40 2=0:80 3=0:c0", "UBOX mapping"},
		{"sockets=4,domains=2,numbering=reversed", "0=1:ae 1=1:3a 2=0:ae 3=0:3a", "0=1:80 1=1:00 2=0:80 3=0:00",
		 "UBOX mapping"},
		{"sockets=8", "0=0:0e 1=0:2e 2=0:4e 3=0:6e 4=0:8e 5=0:ae 6=0:ce 7=0:ee",
		 "0=0:00 1=0:20 2=0:40 3=0:60 4=0:80 5=0:a0 6=0:c0 7=0:e0", "UBOX mapping"},
		{"sockets=8,domains=4", "0=0:3a 1=0:ae 2=1:3a 3=1:ae 4=2:3a 5=2:ae 6=3:3a 7=3:ae",
		 "0=0:00 1=0:80 2=1:00 3=1:80 4=2:00 5=2:80 6=3:00 7=3:80", "UBOX mapping"},
		/* A hidden one: no socket gets its neighbour's. */
		{"sockets=1,hide=00:08.0", "0=0:3a", "0=-", "bus order for bus 0000:3a, since its UBOX is not there"},
		{"sockets=2,hide=80:08.0", "0=0:3a 1=0:ae", "0=0:00 1=-", "bus order for bus 0000:ae"},
		{"sockets=2,hide=00:08.0", "0=0:3a 1=0:ae", "0=- 1=0:80", "bus order for bus 0000:3a"},
		{"sockets=2,numbering=reversed,hide=80:08.0", "0=0:ae 1=0:3a", "0=- 1=0:00",
		 "bus order for bus 0000:ae"},
		{"sockets=2,numbering=reversed,allones=80:08.0", "0=0:ae 1=0:3a", "0=0:80 1=0:00",
		 "bus order for bus 0000:ae"},
		{"sockets=4,numbering=reversed,hide=80:08.0", "0=0:ce 1=0:8e 2=0:4e 3=0:0e", "0=0:c0 1=- 2=0:40 3=0:00",
		 "bus order for bus 0000:8e"},
		{"sockets=2,hide=00:08.0,hide=80:08.0", "0=0:3a 1=0:ae", "0=- 1=-", "bus order"},
		{"sockets=2,domains=2,hide=0001:00:08.0", "0=0:3a 1=1:3a", "0=0:00 1=-", "bus order for bus 0001:3a"},
		/* All channels of a socket hidden: its UBOX is no channel's. */
		{"sockets=2," NO_CHANNELS("3a"), "0=- 1=0:ae", "0=0:00 1=0:80", "UBOX mapping"},
		{"sockets=2," NO_CHANNELS("ae"), "0=0:3a 1=-", "0=0:00 1=0:80", "UBOX mapping"},
		{"sockets=2,hide=80:08.0," NO_CHANNELS("ae"), "0=0:3a 1=-", "0=0:00 1=-", "but a UBOX and a whole bus"},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		OK(&apart, try_apart("skx", cases[i].options));
		SAME(buses(apart.m, false), cases[i].channels);
		SAME(buses(apart.m, true), cases[i].uboxes);
		HAS(apart.m->socket_rule, cases[i].rule);
		CU_ASSERT_EQUAL(apart.notes[0] != '\0', strcmp(apart.m->socket_rule, "UBOX mapping") != 0);
	}
}

/* Counters in memory: where no UBOX tells it is the NUMA node, and the order of the buses alone never. */
TEST(without_a_ubox_the_numa_node_tells_the_socket)
{
	static const struct {
		const char *model, *options, *buses, *rule;
	} cases[] = {
		{"icx", "sockets=2,hide=7e:00.0,hide=fe:00.0", "0=0:7e 1=0:fe", "UBOX mapping"},
		{"icx", "sockets=2,numbering=reversed,hide=7e:00.0,hide=fe:00.0", "0=0:fe 1=0:7e", "UBOX mapping"},
		{"icx", "sockets=2,numbering=reversed,hide=7e:00.0", "0=0:fe 1=0:7e", "UBOX mapping"},
		{"icx", "sockets=1,numa=off,hide=7e:00.0", "0=0:7e",
		 "bus order for bus 0000:7e, since its UBOX is not there"},
		{"gnr", "sockets=2,numbering=reversed", "0=0:fe 1=0:7e", "NUMA nodes of the buses"},
		{"gnr", "sockets=2,numa=off", NULL,
		 "which socket it belongs to is not known, since the register map names no UBOX"},
		{"icx", "sockets=2,numa=off,hide=7e:00.0", NULL,
		 "pci bus 0000:7e: which socket it belongs to is not known"},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc = try_apart(cases[i].model, cases[i].options);

		CU_ASSERT_EQUAL(rc, cases[i].buses ? UNC_OK : UNC_ENODEV);
		if (rc == UNC_OK) {
			SAME(buses(apart.m, false), cases[i].buses);
			HAS(apart.m->socket_rule, cases[i].rule);
		} else {
			HAS(unc_errmsg(apart.ctx), cases[i].rule);
		}
	}
}

/* ---- from given buses ---- */

/* A bus whose UBOX is that of bus ubox of the machine; 0: none. */
static void give_bus(uint8_t bus, uint8_t ubox)
{
	struct unc_addr addr = {.kind = UNC_PCI, .pci = {.bus = ubox, .dev = 0x0b}};

	given[n_given].bus = bus;
	given[n_given].channels = true;
	if (ubox)
		OK(&o, unc_space_open(o.m->bus[UNC_PCI], &addr, &given[n_given].ubox));
	n_given++;
}

static int number(const char *unit)
{
	memset(o.m->sockets, 0, sizeof(o.m->sockets));
	o.m->n_sockets = 0;
	o.m->socket_rule[0] = '\0';
	o.notes[0] = '\0';
	return unc_machine_number_sockets(o.m, unit ? unc_map_unit(o.m->map, unit) : NULL, given, n_given);
}

static void gives(const char *expected)
{
	OK(&o, number("ubox"));
	SAME(buses(o.m, false), expected);
}

TEST(two_uboxes_that_claim_the_same_socket_are_both_not_believed)
{
	reopen("sockets=2,numbering=reversed", NULL);
	give_bus(0x7f, 0xff); /* both say socket 0 */
	give_bus(0xff, 0xff);
	gives("0=0:7f 1=0:ff");
	HAS(o.m->socket_rule, "two UBOXes claim the same socket");
	HAS(o.m->sockets[1].how, "bus order");
	HAS(o.notes, "two UBOXes claim the same socket");
}

TEST(a_third_one_is_not_believed_either_then)
{
	reopen("sockets=4,numbering=reversed", NULL);
	give_bus(0x3f, 0x3f); /* socket 3 */
	give_bus(0x7f, 0xff);
	give_bus(0xff, 0xff);
	gives("0=0:3f 1=0:7f 2=0:ff 3=-");
}

TEST(packages_give_the_numbers_that_are_left)
{
	reopen("sockets=2", NULL);
	o.m->topo.packages[0].id = 4; /* packages need not be numbered from 0 */
	o.m->topo.packages[1].id = 6;
	give_bus(0x7f, 0);
	give_bus(0xff, 0);
	give_bus(0xfe, 0); /* more buses than packages */
	gives("0=0:fe 4=0:7f 6=0:ff");
}

TEST(without_a_topology_pci_alone_decides)
{
	reopen("sockets=2,numbering=reversed", NULL);
	unc_topo_clear(&o.m->topo);
	memset(&o.m->topo, 0, sizeof(o.m->topo));
	give_bus(0x7f, 0x7f);
	give_bus(0xff, 0xff);
	gives("0=0:ff 1=0:7f");
	for (; n_given; n_given--)
		unc_space_close(given[n_given - 1].ubox);
	gives("0=-");
}

TEST(a_ubox_that_cannot_be_read_is_not_believed)
{
	static const struct {
		enum unc_fault_how how;
		const char *piece;
	} cases[] = {{UNC_FAULT_EIO, "made to fail"}, {UNC_FAULT_EPERM, "made to fail"}, {UNC_FAULT_ONES, "all ones"}};

	for (unsigned i = 0; i < 3; i++) {
		for (unsigned at = 1; at <= 2; at++) { /* CPUNODEID, GIDNIDMAP */
			reopen("sockets=2,numbering=reversed", NULL);
			give_bus(0x7f, 0x7f);
			give_bus(0xff, 0xff);
			ONSIM_FAIL(&o, .at = at, .how = cases[i].how);
			gives("0=0:ff 1=0:7f");
			HAS(o.m->socket_rule, "bus 0000:7f");
			HAS(o.m->socket_rule, cases[i].piece);
		}
	}
}

/* Buses of channels and of UBOXes in turn; the latter say 3, 2, 1, 0. */
TEST(the_nearest_in_the_right_direction_counts)
{
	static const uint8_t uboxes[] = {0x3f, 0x7f, 0xbf, 0xff};

	for (unsigned higher = 0; higher <= 1; higher++) {
		struct unc_unit *unit;

		reopen("sockets=4,numbering=reversed", NULL);
		unit = (struct unc_unit *)unc_map_unit(o.m->map, "ubox");
		unit->bus = higher ? UNC_BUS_HIGHER : UNC_BUS_LOWER;
		for (uint8_t bus = 0x10; bus < 0x18; bus++) {
			bool is_ubox = bus % 2 == higher;

			give_bus(bus, is_ubox ? uboxes[n_given / 2] : 0);
			given[n_given - 1].channels = !is_ubox;
		}
		OK(&o, number("ubox"));
		EQ(o.m->n_sockets, 4);
		for (unsigned i = 0; i < 4; i++) {
			EQ(o.m->sockets[i].id, i);
			EQ(o.m->sockets[i].ubox_bus, o.m->sockets[i].bus + (higher ? 1 : -1));
		}
		SAME(o.m->socket_rule, "UBOX mapping");
		unit->bus = UNC_BUS_SAME;
	}
}

TEST(a_map_that_names_no_ubox_is_survived)
{
	reopen("sockets=1", NULL);
	give_bus(0xff, 0xff);
	OK(&o, number(NULL));
	SAME(buses(o.m, false), "0=0:ff");
	HAS(o.m->socket_rule, "the register map names no UBOX registers");
	OK(&o, number("imc"));
	HAS(o.m->socket_rule, "the register map names no UBOX registers");
}

TEST(more_sockets_than_there_is_room_for_are_refused)
{
	reopen("sockets=1", NULL);
	for (unsigned i = 0; i < UNC_SOCKETS_MAX; i++)
		give_bus((uint8_t)i, 0);
	OK(&o, number("ubox"));
	EQ(o.m->n_sockets, UNC_SOCKETS_MAX);
	give_bus(UNC_SOCKETS_MAX, 0);
	FAILS(&o, UNC_ERANGE, number("ubox"), "64");
}
