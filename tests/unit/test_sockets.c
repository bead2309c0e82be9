// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/sockets.h"

#include "onsim.h"

void test_sockets_suite(void);

static const struct unc_socket *socket_at(const struct onsim *o, uint8_t bus)
{
	for (unsigned i = 0; i < o->m->n_sockets; i++)
		if (o->m->sockets[i].has_bus && o->m->sockets[i].bus == bus)
			return &o->m->sockets[i];
	CU_FAIL_FATAL("no socket has that bus");
	return NULL;
}

/* ---- as a machine is opened ---- */

static void the_ubox_tells_the_socket_of_a_bus(void)
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

static void a_bus_without_ubox_gets_the_number_that_is_left(void)
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

static void a_package_whose_bus_is_hidden_is_still_a_socket(void)
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

static void two_uboxes_that_claim_the_same_socket_are_both_not_believed(void)
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

static void a_third_one_is_not_believed_either_then(void)
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

static void packages_give_the_numbers_that_are_left(void)
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

static void without_a_topology_pci_alone_decides(void)
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

static void a_ubox_that_cannot_be_read_is_not_believed(void)
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

static void a_map_that_names_no_ubox_is_survived(void)
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

static void more_sockets_than_there_is_room_for_are_refused(void)
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

void test_sockets_suite(void)
{
	CU_pSuite s = CU_add_suite("sockets", NULL, NULL);

	CU_add_test(s, "the UBOX tells the socket of a bus", the_ubox_tells_the_socket_of_a_bus);
	CU_add_test(s, "a bus without UBOX gets the number that is left, and that is said",
		    a_bus_without_ubox_gets_the_number_that_is_left);
	CU_add_test(s, "a package whose bus is hidden is still a socket",
		    a_package_whose_bus_is_hidden_is_still_a_socket);
	CU_add_test(s, "two UBOXes that claim the same socket are both not believed",
		    two_uboxes_that_claim_the_same_socket_are_both_not_believed);
	CU_add_test(s, "a third one is not believed either then", a_third_one_is_not_believed_either_then);
	CU_add_test(s, "packages give the numbers that are left", packages_give_the_numbers_that_are_left);
	CU_add_test(s, "without a topology PCI alone decides", without_a_topology_pci_alone_decides);
	CU_add_test(s, "a UBOX that cannot be read is not believed", a_ubox_that_cannot_be_read_is_not_believed);
	CU_add_test(s, "a map that names no UBOX is survived", a_map_that_names_no_ubox_is_survived);
	CU_add_test(s, "more sockets than there is room for are refused",
		    more_sockets_than_there_is_room_for_are_refused);
}
