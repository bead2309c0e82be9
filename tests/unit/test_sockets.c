// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/boxes.h"

#include "onsim.h"
#include "test.h"

static const struct unc_socket *socket_at(const struct onsim *o, uint8_t bus)
{
	for (unsigned i = 0; i < o->m->n_sockets; i++)
		if (o->m->sockets[i].has_bus && o->m->sockets[i].bus == bus)
			return &o->m->sockets[i];
	CU_FAIL_FATAL("no socket has that bus");
	return NULL;
}

/* ---- as a machine is opened ---- */

TEST(the_ubox_tells_the_socket_of_a_bus)
{
	static const struct {
		const char *options;
		unsigned n;
		uint8_t bus[4]; /* of sockets 0, 1, 2, 3 */
	} cases[] = {
		{"sockets=1", 1, {0xff}},
		{"sockets=2", 2, {0x7f, 0xff}},
		{"sockets=2,numbering=reversed", 2, {0xff, 0x7f}},
		{"sockets=3", 3, {0x3f, 0x7f, 0xbf}},
		{"sockets=4,numbering=reversed", 4, {0xff, 0xbf, 0x7f, 0x3f}},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct onsim o;

		onsim_open(&o, cases[i].options, NULL);
		EQ(o.m->n_sockets, cases[i].n);
		for (unsigned k = 0; k < cases[i].n; k++) {
			EQ(o.m->sockets[k].id, k);
			EQ(o.m->sockets[k].bus, cases[i].bus[k]);
			HAS(o.m->sockets[k].how, "CPUNODEID");
		}
		SAME(o.m->socket_rule, "UBOX mapping");
		SAME(o.notes, "");
		onsim_close(&o);
	}
}

TEST(a_bus_without_ubox_gets_the_number_that_is_left)
{
	static const struct {
		const char *common, *own;
		unsigned first, last; /* socket of the lowest and of the highest bus */
		const char *piece;
	} cases[] = {
		{"sockets=2", "hide=7f:0b.0", 0, 1, "bus 0000:7f"},
		{"sockets=2", "hide=ff:0b.0", 0, 1, "bus 0000:ff"},
		{"sockets=2,numbering=reversed", "hide=7f:0b.0", 1, 0, "bus 0000:7f"},
		{"sockets=2,numbering=reversed", "hide=ff:0b.0", 1, 0, "bus 0000:ff"},
		{"sockets=2,numbering=reversed", "allones=ff:0b.0", 1, 0, "bus 0000:ff"},
		{"sockets=2", "hide=7f:0b.0,hide=ff:0b.0", 0, 1, "bus order"},
		/* Nothing can tell here, and that is said. */
		{"sockets=2,numbering=reversed", "hide=7f:0b.0,hide=ff:0b.0", 0, 1, "bus order"},
		{"sockets=1", "hide=ff:0b.0", 0, 0, "bus order"},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct onsim o;

		onsim_open(&o, cases[i].common, cases[i].own);
		EQ(socket_at(&o, cases[i].first == cases[i].last ? 0xff : 0x7f)->id, cases[i].first);
		EQ(socket_at(&o, 0xff)->id, cases[i].last);
		HAS(o.m->socket_rule, cases[i].piece);
		HAS(o.m->socket_rule, "its UBOX is not there");
		HAS(o.notes, "socket numbers: bus order");
		onsim_close(&o);
	}
}

TEST(a_package_whose_bus_is_hidden_is_still_a_socket)
{
	struct onsim o;

	onsim_open(&o, "sockets=2", "hide=ff:0b.0,hide=ff:10.0,hide=ff:10.1,hide=ff:10.4,hide=ff:10.5");
	EQ(o.m->n_sockets, 2);
	EQ(o.m->sockets[1].id, 1);
	CU_ASSERT_TRUE(o.m->sockets[0].has_bus);
	CU_ASSERT_FALSE(o.m->sockets[1].has_bus);
	HAS(o.m->sockets[1].how, "no uncore bus");
	onsim_close(&o);
}

/* ---- where the UBOX is on another bus ---- */

struct apart { /* a simulated Skylake-SP, and what was said while it was opened */
	struct unc_ctx *ctx;
	struct unc_machine *m;
	char notes[1024];
};

static void on_note(void *arg, const char *sentence)
{
	struct apart *a = arg;
	size_t len = strlen(a->notes);

	snprintf(a->notes + len, sizeof(a->notes) - len, "%s\n", sentence);
}

static int apart_try(struct apart *a, const char *model, const char *options)
{
	struct unc_machine_cfg cfg = {.wake_fd = -1};
	char name[400];

	memset(a, 0, sizeof(*a));
	snprintf(name, sizeof(name), "sim:%s,clock=step,%s", model, options);
	cfg.machine = name;
	CU_ASSERT_FATAL(unc_new(&a->ctx) == 0);
	unc_set_log(a->ctx, on_note, a);
	return unc_machine_open(a->ctx, &cfg, &a->m);
}

static void apart_open(struct apart *a, const char *options)
{
	OK(a, apart_try(a, "skx", options));
}

static void apart_close(struct apart *a)
{
	if (a->m)
		OK(a, unc_machine_close(a->m));
	unc_free(a->ctx);
}

/* "0:3a,1:ae": the bus of each socket's channels, "-" where it is not known. */
static const char *apart_buses(const struct apart *a, bool ubox, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < a->m->n_sockets && len < size; i++) {
		const struct unc_socket *s = &a->m->sockets[i];
		uint32_t domain = ubox ? s->ubox_domain : s->domain;
		uint8_t bus = ubox ? s->ubox_bus : s->bus;

		len += (size_t)snprintf(text + len, size - len, "%s%u=", i ? " " : "", s->id);
		if (ubox ? s->has_ubox : s->has_bus)
			len += (size_t)snprintf(text + len, size - len, "%x:%02x", (unsigned)domain, bus);
		else
			len += (size_t)snprintf(text + len, size - len, "-");
	}
	return text;
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
		/* A hidden one: nobody gets his neighbour's. */
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
		struct apart a;
		char text[200];

		apart_open(&a, cases[i].options);
		SAME(apart_buses(&a, false, text, sizeof(text)), cases[i].channels);
		SAME(apart_buses(&a, true, text, sizeof(text)), cases[i].uboxes);
		HAS(a.m->socket_rule, cases[i].rule);
		CU_ASSERT_EQUAL(a.notes[0] != '\0', strcmp(a.m->socket_rule, "UBOX mapping") != 0);
		apart_close(&a);
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
		struct apart a;
		char text[200];
		int rc = apart_try(&a, cases[i].model, cases[i].options);

		CU_ASSERT_EQUAL(rc, cases[i].buses ? UNC_OK : UNC_ENODEV);
		if (rc == UNC_OK) {
			SAME(apart_buses(&a, false, text, sizeof(text)), cases[i].buses);
			HAS(a.m->socket_rule, cases[i].rule);
		} else {
			HAS(unc_errmsg(a.ctx), cases[i].rule);
		}
		apart_close(&a);
	}
}

/* ---- from given buses ---- */

struct given { /* buses, each with a UBOX taken from the simulated machine */
	struct onsim o;
	struct unc_uncore_bus buses[UNC_SOCKETS_MAX + 1];
	size_t n;
};

static void given_open(struct given *g, const char *common)
{
	memset(g, 0, sizeof(*g));
	onsim_open(&g->o, common, NULL);
}

/* A bus whose UBOX is that of bus ubox of the machine; 0: none. */
static void given_bus(struct given *g, uint8_t bus, uint8_t ubox)
{
	struct unc_addr addr = {.kind = UNC_PCI, .pci = {.bus = ubox, .dev = 0x0b}};

	g->buses[g->n].bus = bus;
	g->buses[g->n].channels = true;
	if (ubox)
		OK(&g->o, unc_space_open(g->o.m->bus[UNC_PCI], &addr, &g->buses[g->n].ubox));
	g->n++;
}

static int given_number(struct given *g, const char *unit)
{
	struct unc_machine *m = g->o.m;

	memset(m->sockets, 0, sizeof(m->sockets));
	m->n_sockets = 0;
	m->socket_rule[0] = '\0';
	g->o.notes[0] = '\0';
	return unc_machine_number_sockets(m, unit ? unc_map_unit(m->map, unit) : NULL, g->buses, g->n);
}

static void given_close(struct given *g)
{
	for (size_t i = 0; i < g->n; i++)
		unc_space_close(g->buses[i].ubox);
	onsim_close(&g->o);
}

TEST(two_uboxes_that_claim_the_same_socket_are_both_not_believed)
{
	struct given g;

	given_open(&g, "sockets=2,numbering=reversed");
	given_bus(&g, 0x7f, 0xff); /* both say socket 0 */
	given_bus(&g, 0xff, 0xff);
	OK(&g.o, given_number(&g, "ubox"));
	EQ(g.o.m->n_sockets, 2);
	EQ(socket_at(&g.o, 0x7f)->id, 0);
	EQ(socket_at(&g.o, 0xff)->id, 1);
	HAS(g.o.m->socket_rule, "two UBOXes claim the same socket");
	HAS(socket_at(&g.o, 0xff)->how, "bus order");
	HAS(g.o.notes, "two UBOXes claim the same socket");
	given_close(&g);
}

TEST(a_third_one_is_not_believed_either_then)
{
	struct given g;

	given_open(&g, "sockets=4,numbering=reversed");
	given_bus(&g, 0x3f, 0x3f); /* socket 3 */
	given_bus(&g, 0x7f, 0xff);
	given_bus(&g, 0xff, 0xff);
	OK(&g.o, given_number(&g, "ubox"));
	EQ(socket_at(&g.o, 0x3f)->id, 0);
	EQ(socket_at(&g.o, 0x7f)->id, 1);
	EQ(socket_at(&g.o, 0xff)->id, 2);
	given_close(&g);
}

TEST(packages_give_the_numbers_that_are_left)
{
	struct given g;

	given_open(&g, "sockets=2");
	g.o.m->topo.packages[0].id = 4; /* packages need not be numbered from 0 */
	g.o.m->topo.packages[1].id = 6;
	given_bus(&g, 0x7f, 0);
	given_bus(&g, 0xff, 0);
	given_bus(&g, 0xfe, 0); /* more buses than packages */
	OK(&g.o, given_number(&g, "ubox"));
	EQ(socket_at(&g.o, 0x7f)->id, 4);
	EQ(socket_at(&g.o, 0xff)->id, 6);
	EQ(socket_at(&g.o, 0xfe)->id, 0);
	EQ(g.o.m->sockets[0].id, 0);
	EQ(g.o.m->sockets[2].id, 6);
	given_close(&g);
}

TEST(without_a_topology_pci_alone_decides)
{
	struct given g;

	given_open(&g, "sockets=2,numbering=reversed");
	unc_topo_clear(&g.o.m->topo);
	memset(&g.o.m->topo, 0, sizeof(g.o.m->topo));
	given_bus(&g, 0x7f, 0x7f);
	given_bus(&g, 0xff, 0xff);
	OK(&g.o, given_number(&g, "ubox"));
	EQ(socket_at(&g.o, 0x7f)->id, 1);
	EQ(socket_at(&g.o, 0xff)->id, 0);
	for (unsigned i = 0; i < 2; i++)
		unc_space_close(g.buses[i].ubox);
	g.n = 0;
	OK(&g.o, given_number(&g, "ubox"));
	EQ(g.o.m->n_sockets, 1);
	CU_ASSERT_FALSE(g.o.m->sockets[0].has_bus);
	given_close(&g);
}

TEST(a_ubox_that_cannot_be_read_is_not_believed)
{
	static const struct {
		enum unc_fault_how how;
		const char *piece;
	} cases[] = {{UNC_FAULT_EIO, "made to fail"}, {UNC_FAULT_EPERM, "made to fail"}, {UNC_FAULT_ONES, "all ones"}};

	for (unsigned i = 0; i < 3; i++) {
		for (unsigned at = 1; at <= 2; at++) { /* CPUNODEID, GIDNIDMAP */
			struct given g;

			given_open(&g, "sockets=2,numbering=reversed");
			given_bus(&g, 0x7f, 0x7f);
			given_bus(&g, 0xff, 0xff);
			ONSIM_FAIL(&g.o, .at = at, .how = cases[i].how);
			OK(&g.o, given_number(&g, "ubox"));
			EQ(socket_at(&g.o, 0x7f)->id, 1);
			EQ(socket_at(&g.o, 0xff)->id, 0);
			HAS(g.o.m->socket_rule, "bus 0000:7f");
			HAS(g.o.m->socket_rule, cases[i].piece);
			onsim_work(&g.o);
			given_close(&g);
		}
	}
}

/* Buses of channels and of UBOXes in turn; the latter say 3, 2, 1, 0. */
TEST(the_nearest_in_the_right_direction_counts)
{
	static const uint8_t uboxes[] = {0x3f, 0x7f, 0xbf, 0xff};

	for (unsigned higher = 0; higher <= 1; higher++) {
		struct given g;
		struct unc_unit *unit;

		given_open(&g, "sockets=4,numbering=reversed");
		unit = (struct unc_unit *)unc_map_unit(g.o.m->map, "ubox");
		unit->bus = higher ? UNC_BUS_HIGHER : UNC_BUS_LOWER;
		for (uint8_t bus = 0x10; bus < 0x18; bus++) {
			bool is_ubox = bus % 2 == higher;

			given_bus(&g, bus, is_ubox ? uboxes[g.n / 2] : 0);
			g.buses[g.n - 1].channels = !is_ubox;
		}
		OK(&g.o, given_number(&g, "ubox"));
		EQ(g.o.m->n_sockets, 4);
		for (unsigned i = 0; i < 4; i++) {
			EQ(g.o.m->sockets[i].id, i);
			EQ(g.o.m->sockets[i].ubox_bus, g.o.m->sockets[i].bus + (higher ? 1 : -1));
		}
		SAME(g.o.m->socket_rule, "UBOX mapping");
		unit->bus = UNC_BUS_SAME;
		given_close(&g);
	}
}

TEST(a_map_that_names_no_ubox_is_survived)
{
	struct given g;

	given_open(&g, "sockets=1");
	given_bus(&g, 0xff, 0xff);
	OK(&g.o, given_number(&g, NULL));
	EQ(socket_at(&g.o, 0xff)->id, 0);
	HAS(g.o.m->socket_rule, "the register map names no UBOX registers");
	OK(&g.o, given_number(&g, "imc"));
	HAS(g.o.m->socket_rule, "the register map names no UBOX registers");
	given_close(&g);
}

TEST(more_sockets_than_there_is_room_for_are_refused)
{
	struct given g;

	given_open(&g, "sockets=1");
	for (unsigned i = 0; i < UNC_SOCKETS_MAX; i++)
		given_bus(&g, (uint8_t)i, 0);
	OK(&g.o, given_number(&g, "ubox"));
	EQ(g.o.m->n_sockets, UNC_SOCKETS_MAX);
	given_bus(&g, UNC_SOCKETS_MAX, 0);
	FAILS(&g.o, UNC_ERANGE, given_number(&g, "ubox"), "64");
	given_close(&g);
}
