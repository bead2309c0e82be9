// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The UBOX of each socket holds the socket's node id and a table that gives the physical package: the index of the
 * entry that equals the node id (Linux arch/x86/events/intel/uncore_snbep.c, snbep_pci2phy_map_init).
 */
#include "machine/boxes.h"

#include "base/text.h"
#include "machine/discovery.h"
#include "map/field.h"

enum { UNMAPPED = -1 };

/* A possible socket: the bus of its channels, and the bus of its UBOX. */
struct claim {
	const struct unc_uncore_bus *bus, *ubox; /* either may be NULL */
	int id;                                  /* or UNMAPPED, */
	char how[400];                           /* and how that is known */
};

/* Returns the socket that its UBOX reports, or UNMAPPED. */
static int ask_ubox(struct unc_machine *m, const struct unc_unit *unit, struct claim *claim)
{
	const struct unc_reg *node_reg = unc_unit_reg(unit, "CPUNODEID"), *map_reg = unc_unit_reg(unit, "GIDNIDMAP");
	const struct unc_field *node = node_reg ? unc_reg_field(node_reg, "node") : NULL, *entry;
	uint32_t node_value, map_value;
	char unread[400];
	const char *why = NULL;

	if (!node || !map_reg)
		why = "the register map names no UBOX registers";
	else if (!claim->ubox)
		why = "its UBOX is not there";
	else if (unc_read32(claim->ubox->ubox, node_reg->off, &node_value) < 0 ||
		 unc_read32(claim->ubox->ubox, map_reg->off, &map_value) < 0)
		why = unread;
	else if (node_value == UINT32_MAX || map_value == UINT32_MAX)
		why = "its UBOX reads as all ones";
	snprintf(unread, sizeof(unread), "its UBOX cannot be read (%.350s)", m->ctx->msg);
	if (why) {
		snprintf(claim->how, sizeof(claim->how), "%s", why);
		return UNMAPPED;
	}
	for (int socket = 0;; socket++) {
		char name[16];

		snprintf(name, sizeof(name), "gid%d", socket);
		entry = unc_reg_field(map_reg, name);
		if (entry && unc_field_get(entry, map_value) != unc_field_get(node, node_value))
			continue;
		if (entry)
			snprintf(claim->how, sizeof(claim->how), "UBOX: CPUNODEID 0x%x is entry %d of GIDNIDMAP 0x%08x",
				 node_value, socket, map_value);
		else
			snprintf(claim->how, sizeof(claim->how),
				 "UBOX: CPUNODEID 0x%x is not an entry of GIDNIDMAP 0x%08x", node_value, map_value);
		return entry ? socket : UNMAPPED;
	}
}

/* Where no UBOX tells: the package that the bus is near to, by the NUMA node of a function there. */
static int ask_numa(struct unc_machine *m, struct claim *claim)
{
	const struct unc_uncore_bus *bus = claim->bus;
	struct unc_addr addr = {.kind = UNC_PCI,
				.pci = {.domain = bus->domain, .bus = bus->bus, .fn = bus->fn, .dev = bus->dev}};
	int package = unc_machine_package_near(m, &addr);

	if (package < 0)
		return UNMAPPED;
	snprintf(claim->how, sizeof(claim->how), "the NUMA node of PCI bus %04x:%02x", bus->domain, bus->bus);
	return package;
}

static bool contradict(const struct claim *claims, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (claims[i].id != UNMAPPED && claims[i].id == claims[k].id)
				return true;
	return false;
}

static struct unc_socket *find_socket(struct unc_machine *m, unsigned id)
{
	for (unsigned i = 0; i < m->n_sockets; i++)
		if (m->sockets[i].id == id)
			return &m->sockets[i];
	return NULL;
}

static int add_socket(struct unc_machine *m, unsigned id, const struct claim *claim, const char *how)
{
	struct unc_socket *socket;

	if (m->n_sockets == UNC_SOCKETS_MAX)
		return unc_fail(m->ctx, UNC_ERANGE, "more than %d sockets", UNC_SOCKETS_MAX);
	socket = &m->sockets[m->n_sockets++];
	socket->id = id;
	if (claim && claim->bus) {
		socket->has_bus = true;
		socket->domain = claim->bus->domain;
		socket->bus = claim->bus->bus;
	}
	if (claim && claim->ubox) {
		socket->has_ubox = true;
		socket->ubox_domain = claim->ubox->domain;
		socket->ubox_bus = claim->ubox->bus;
	}
	snprintf(socket->how, sizeof(socket->how), "%s", how);
	return UNC_OK;
}

/*
 * Returns the lowest number that no socket has yet: a package that the operating system knows, else the next in order.
 */
static unsigned free_id(struct unc_machine *m)
{
	unsigned id = 0;

	for (size_t i = 0; i < m->topo.n_packages; i++)
		if (!find_socket(m, m->topo.packages[i].id))
			return m->topo.packages[i].id;
	while (find_socket(m, id))
		id++;
	return id;
}

static int by_id(const void *a, const void *b)
{
	const struct unc_socket *x = a, *y = b;

	return unc_order(x->id, y->id);
}

/*
 * If the UBOX is on the bus of the channels, each bus is a possible socket; else each bus with channels, and each UBOX left.  There
 * a UBOX belongs to the first bus with channels after it, in the direction that the map gives and in its domain; one that is on the
 * bus of channels itself belongs there.
 */
static size_t make_claims(const struct unc_uncore_bus *buses, size_t n_buses, enum unc_ubox_bus rule,
			  struct claim *claims)
{
	const struct unc_uncore_bus *ubox = NULL;
	bool up = rule == UNC_BUS_LOWER;
	size_t n = 0, n_seen = 0;

	for (size_t i = 0; i < n_buses; i++)
		if (rule == UNC_BUS_SAME || buses[i].channels)
			claims[n++] = (struct claim){.bus = &buses[i], .ubox = buses[i].ubox ? &buses[i] : NULL};
	for (size_t i = 0; i < n_buses && rule != UNC_BUS_SAME; i++) {
		const struct unc_uncore_bus *bus = &buses[up ? i : n_buses - 1 - i];

		if (bus->channels) {
			struct claim *claim = &claims[up ? n_seen : n - 1 - n_seen];

			if (!claim->ubox && ubox && ubox->domain == bus->domain)
				claim->ubox = ubox;
			n_seen++;
		}
		ubox = bus->channels ? NULL : bus;
	}
	for (size_t i = 0; i < n_buses; i++) {
		bool used = false;

		for (size_t k = 0; k < n; k++)
			used |= claims[k].ubox == &buses[i];
		if (buses[i].ubox && !used)
			claims[n++] = (struct claim){.ubox = &buses[i]};
	}
	return n;
}

static int number_claims(struct unc_machine *m, const struct claim *claims, size_t n)
{
	const struct unc_unit *imc = unc_map_unit(m->map, "imc");
	bool in_memory = imc && imc->kind == UNC_MMIO;
	int rc = UNC_OK;

	for (size_t i = 0; i < n && rc == 0; i++)
		if (claims[i].id != UNMAPPED)
			rc = add_socket(m, (unsigned)claims[i].id, &claims[i], claims[i].how);
	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct unc_uncore_bus *bus = claims[i].bus;
		char how[480];

		if (claims[i].id != UNMAPPED || !bus) /* a UBOX without channels that reports nothing is no socket */
			continue;
		/* Of parts with counters in memory nothing is known that numbers sockets in bus order. */
		if (in_memory && m->topo.n_packages > 1)
			return unc_fail(
				m->ctx, UNC_ENODEV,
				"pci bus %04x:%02x: which socket it belongs to is not known, since %s, and it has no "
				"NUMA node: boot without numa=off",
				bus->domain, bus->bus, claims[i].how);
		if (in_memory && n == 1 && !unc_map_unit(m->map, "ubox")) { /* of a client processor */
			rc = add_socket(m, free_id(m), &claims[i], "there being only one");
			continue;
		}
		snprintf(how, sizeof(how), "bus order, since %s", claims[i].how);
		snprintf(m->socket_rule, sizeof(m->socket_rule), "bus order for bus %04x:%02x, since %s", bus->domain,
			 bus->bus, claims[i].how);
		rc = add_socket(m, free_id(m), &claims[i], how);
	}
	return rc;
}

/*
 * If the UBOX of one socket and all channels of another are hidden, the bus of the one has the UBOX of the other as its
 * nearest, and nothing shows that.
 */
static bool doubtful(const struct unc_machine *m, enum unc_ubox_bus rule, const struct unc_uncore_bus *buses, size_t n)
{
	size_t n_uboxes = 0, n_channels = 0;

	for (size_t i = 0; i < n; i++) {
		n_uboxes += buses[i].ubox != NULL;
		n_channels += buses[i].channels;
	}
	return rule != UNC_BUS_SAME && n_uboxes < m->topo.n_packages && n_channels < m->topo.n_packages && n_uboxes &&
	       n_channels;
}

static int add_packages(struct unc_machine *m)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < m->topo.n_packages && rc == 0; i++)
		if (!find_socket(m, m->topo.packages[i].id))
			rc = add_socket(m, m->topo.packages[i].id, NULL, "no uncore bus of this package was found");
	if (rc == 0 && m->n_sockets == 0)
		rc = add_socket(m, 0, NULL, "no uncore bus was found");
	return rc;
}

int unc_machine_sockets_of_packages(struct unc_machine *m)
{
	snprintf(m->socket_rule, sizeof(m->socket_rule), "%s",
		 m->topo.n_packages ? "the packages of the operating system"
				    : "nothing: this machine does not tell them");
	return add_packages(m);
}

int unc_machine_number_sockets(struct unc_machine *m, const struct unc_unit *ubox, const struct unc_uncore_bus *buses,
			       size_t n_buses)
{
	const char *good = ubox ? "UBOX mapping" : "NUMA nodes of the buses";
	struct claim *claims = calloc(n_buses ? n_buses : 1, sizeof(*claims));
	enum unc_ubox_bus rule = ubox ? ubox->bus : UNC_BUS_SAME;
	size_t n;
	int rc;

	if (!claims)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	snprintf(m->socket_rule, sizeof(m->socket_rule), "%s",
		 doubtful(m, rule, buses, n_buses) ? "UBOX mapping, but a UBOX and a whole bus of channels are not "
						     "there: a bus may have got the number of the socket before it"
						   : good);
	n = make_claims(buses, n_buses, rule, claims);
	/* Asks the UBOXes, and NUMA nodes where one does not tell.  If two claim the same socket none of that kind can be trusted. */
	for (size_t i = 0; i < n; i++) {
		if (!ubox)
			snprintf(claims[i].how, sizeof(claims[i].how), "the register map names no UBOX registers");
		claims[i].id = ubox ? ask_ubox(m, ubox, &claims[i]) : UNMAPPED;
		if (claims[i].id == UNMAPPED && claims[i].bus)
			claims[i].id = ask_numa(m, &claims[i]);
	}
	for (unsigned numa = ubox != NULL; contradict(claims, n); numa = 0)
		for (size_t i = 0; i < n; i++) {
			snprintf(claims[i].how, sizeof(claims[i].how), "two %s claim the same socket",
				 numa ? "UBOXes" : "buses");
			claims[i].id = numa && claims[i].bus ? ask_numa(m, &claims[i]) : UNMAPPED;
		}
	rc = number_claims(m, claims, n);
	if (rc == 0)
		rc = add_packages(m);
	if (rc == 0 && strcmp(m->socket_rule, good) != 0)
		unc_note(m->ctx, "socket numbers: %s", m->socket_rule);
	qsort(m->sockets, m->n_sockets, sizeof(m->sockets[0]), by_id);
	free(claims);
	return rc;
}
