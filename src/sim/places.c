// SPDX-License-Identifier: GPL-2.0-or-later
/* The PCI functions of the machine, and their addresses. */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "sim/computer.h"

static int by_address(const void *a, const void *b)
{
	const struct unc_sim_place *x = a, *y = b;

	return unc_addr_compare(&x->addr, &y->addr);
}

static struct unc_sim_place *place_find(const struct unc_sim *sim, const struct unc_addr *addr)
{
	size_t low = 0, high = sim->n_places;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = unc_addr_compare(&sim->places[middle].addr, addr);

		if (order == 0)
			return &sim->places[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct unc_sim_place *unc_sim_place_find(const struct unc_sim *sim, const struct unc_addr *addr)
{
	return place_find(sim, addr);
}

static void place_all(struct unc_sim *sim)
{
	const struct unc_sim_model *model = sim->options.model;
	size_t channel = 0, i;
	unsigned socket;

	for (socket = 0; socket < sim->options.sockets; socket++) {
		for (i = 0; i < model->n_functions; i++) {
			const struct unc_sim_function *function = &model->functions[i];
			struct unc_sim_place *place = &sim->places[sim->n_places++];

			place->function = function;
			place->socket = socket;
			place->channel = function->kind == UNC_SIM_IMC ? channel++ : 0;
			place->addr.kind = UNC_PCI;
			model->bus(&sim->options, socket, function->slot, &place->addr.pci.domain,
				   &place->addr.pci.bus);
			place->addr.pci.dev = function->dev;
			place->addr.pci.fn = function->fn;
		}
	}
	qsort(sim->places, sim->n_places, sizeof(sim->places[0]), by_address);
}

static bool same_bus(const struct unc_addr *a, const struct unc_addr *b)
{
	return a->pci.domain == b->pci.domain && a->pci.bus == b->pci.bus;
}

/* Lists the functions on that bus; an empty list means that there is no such bus. */
static void list_functions(const struct unc_sim *sim, const struct unc_addr *bus, char *text, size_t size)
{
	char item[16];
	size_t i;

	for (i = 0; i < sim->n_places; i++) {
		const struct unc_addr *addr = &sim->places[i].addr;

		if (!same_bus(addr, bus))
			continue;
		snprintf(item, sizeof(item), "%02x.%x", addr->pci.dev, addr->pci.fn);
		unc_sim_list_add(text, size, item);
	}
}

static void list_buses(const struct unc_sim *sim, char *text, size_t size)
{
	char item[16];
	size_t i;

	for (i = 0; i < sim->n_places; i++) { /* sorted by address */
		const struct unc_addr *addr = &sim->places[i].addr;

		if (i && same_bus(addr, &sim->places[i - 1].addr))
			continue;
		snprintf(item, sizeof(item), "%04x:%02x", addr->pci.domain, addr->pci.bus);
		unc_sim_list_add(text, size, item);
	}
}

static int no_function(const struct unc_sim *sim, const char *key, const struct unc_addr *addr)
{
	const char *model = sim->options.model->name;
	char name[UNC_ADDR_TEXT], list[512] = ""; /* 32 buses of 9 bytes */

	if (!sim->n_places)
		return unc_fail(sim->host.ctx, UNC_EARG, "sim:%s: %s=%s: the machine has no PCI functions", model, key,
				unc_addr_text(addr, name));
	list_functions(sim, addr, list, sizeof(list));
	if (*list)
		return unc_fail(sim->host.ctx, UNC_EARG,
				"sim:%s: %s=%s: the machine has no such function; on that bus it has %s", model, key,
				unc_addr_text(addr, name), list);
	list_buses(sim, list, sizeof(list));
	return unc_fail(sim->host.ctx, UNC_EARG, "sim:%s: %s=%s: the machine has no such function; its buses are %s",
			model, key, unc_addr_text(addr, name), list);
}

static int mark(struct unc_sim *sim)
{
	char name[UNC_ADDR_TEXT];
	size_t i;

	for (i = 0; i < sim->options.n_hide; i++) {
		struct unc_sim_place *place = place_find(sim, &sim->options.hide[i]);

		if (!place)
			return no_function(sim, "hide", &sim->options.hide[i]);
		place->hidden = true;
	}
	for (i = 0; i < sim->options.n_gone; i++) {
		const struct unc_sim_gone *gone = &sim->options.gone[i];
		struct unc_sim_place *place = place_find(sim, &gone->addr);

		if (!place)
			return no_function(sim, gone->key, &gone->addr);
		if (place->hidden || place->gone)
			return unc_fail(sim->host.ctx, UNC_EARG,
					"sim:%s: %s=%s: hide=, allones= or vanish= names that function too, and it "
					"can be away only once",
					sim->options.model->name, gone->key, unc_addr_text(&place->addr, name));
		place->gone = gone;
	}
	return UNC_OK;
}

int unc_sim_places_init(struct unc_sim *sim)
{
	sim->places = calloc(sim->options.sockets * sim->options.model->n_functions + 1, sizeof(sim->places[0]));
	if (!sim->places)
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	place_all(sim);
	return mark(sim);
}

/* Returns the i-th function that is not hidden. */
static const struct unc_sim_place *place_at(const struct unc_sim *sim, size_t i)
{
	size_t k;

	for (k = 0; k < sim->n_places; k++)
		if (!sim->places[k].hidden && i-- == 0)
			return &sim->places[k];
	return NULL;
}

size_t unc_sim_pcis(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);
	size_t k, n = 0;

	for (k = 0; sim && k < sim->n_places; k++)
		n += !sim->places[k].hidden;
	return n;
}

int unc_sim_pci(struct unc_host *host, size_t i, struct unc_sim_pci *ret_pci)
{
	const struct unc_sim *sim = unc_sim_of(host);
	const struct unc_sim_place *place;

	if (!sim)
		return unc_sim_none(host);
	place = place_at(sim, i);
	if (!place)
		return unc_fail(host->ctx, UNC_ENODEV, "sim:%s: there is no PCI function %zu", sim->options.model->name,
				i);
	*ret_pci = unc_sim_pci_of(sim, place);
	return UNC_OK;
}
