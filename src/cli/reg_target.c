// SPDX-License-Identifier: GPL-2.0-or-later
/* The names BOX.REG[.FIELD] of the commands of reg. */
#include "cli/reg.h"

#include "base/text.h"
#include "cli/channels.h"
#include "machine/machine.h"

static bool copy(char *to, size_t size, const char *from, size_t len)
{
	if (len >= size)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

bool reg_target_parse(const char *text, struct reg_target *ret_target)
{
	struct reg_target target = {.text = text};
	const char *part = text, *field;
	bool capital = false;
	size_t len;

	for (;; part += len + 1) {
		for (len = 0; part[len] && part[len] != '.'; len++)
			capital |= part[len] >= 'A' && part[len] <= 'Z';
		if (capital)
			break;
		if (part[len] == '\0')
			return false;
	}
	field = part[len] ? part + len + 1 : part + len;
	if (part[len] && !*field)
		return false;
	if (!copy(target.box, sizeof(target.box), text, part > text ? (size_t)(part - text - 1) : 0) ||
	    !copy(target.reg, sizeof(target.reg), part, len) ||
	    !copy(target.field, sizeof(target.field), field, strlen(field)))
		return false;
	*ret_target = target;
	return true;
}

int reg_targets_parse(const char *command, char **args, int n_args, struct reg_target **ret_targets)
{
	struct reg_target *targets;

	if (n_args == 0)
		return usage_error("%s: which? BOX.REG[.FIELD], e.g. socket0.imc0.ch0.CTL[3]", command);
	targets = calloc((size_t)n_args, sizeof(*targets));
	if (!targets)
		return no_memory();
	for (int i = 0; i < n_args; i++) {
		if (reg_target_parse(args[i], &targets[i]) && targets[i].box[0])
			continue;
		free(targets);
		return usage_error("%s: %s: not BOX.REG[.FIELD] with a register in capitals", command, args[i]);
	}
	*ret_targets = targets;
	return EXIT_DONE;
}

bool reg_target_has_reg(const struct reg_target *target, const struct unc_reg_info *reg)
{
	char name[REG_NAME_MAX];

	return unc_text_match(target->reg, reg_name(reg, name)) || unc_text_match(target->reg, reg->name);
}

bool reg_target_has_field(const struct reg_target *target, const char *field)
{
	return !target->field[0] || unc_text_match(target->field, field);
}

/* Finds the box of a CPU by its exact name; the CPU need not exist. */
static int find_cpu_box(const struct opened *opened, const char *name, struct reg_boxes *boxes)
{
	struct unc_box *box;
	int rc = unc_box_find(opened->machine, name, &box);

	if (rc == UNC_ENOSUP || rc == UNC_ENODEV) /* no such kind or number: no box has this name */
		return EXIT_DONE;
	if (rc < 0)
		return fail_with(opened->ctx, rc);
	return unc_array_add(&boxes->items, &boxes->n, &box, sizeof(box)) ? EXIT_DONE : no_memory();
}

/* There may be hundreds of these boxes, so they are searched only if the pattern means them. */
static int find_of_cpus(const struct opened *opened, const char *pattern, struct reg_boxes *boxes)
{
	const struct unc_map *map = opened->machine->map;
	const struct unc_host_cpu *cpus;
	int rc, status = EXIT_DONE;
	const char *unit;
	unsigned cpu;
	size_t n;

	if (!strpbrk(pattern, "*?") && unc_machine_cpu_box_named(pattern, &cpu, &unit))
		return find_cpu_box(opened, pattern, boxes);
	rc = unc_machine_cpus(opened->machine, &cpus, &n);
	if (rc < 0)
		return refuse(rc == UNC_ENODATA ? EXIT_NOT_HERE : exit_status_of(rc),
			      "%s: which CPUs there are is not known, name one, cpu0.rdt: %s", pattern,
			      unc_errmsg(opened->ctx));
	for (size_t i = 0; i < n; i++) {
		for (size_t u = 0; status == EXIT_DONE && cpus[i].online && u < map->n_units; u++) {
			char name[100];

			snprintf(name, sizeof(name), "cpu%u.%s", cpus[i].cpu, map->units[u].name);
			if (map->units[u].per == UNC_PER_CPU && unc_text_match(pattern, name))
				status = find_cpu_box(opened, name, boxes);
		}
	}
	return status;
}

int reg_boxes_find(const struct opened *opened, const char *pattern, struct reg_boxes *ret_boxes)
{
	size_t n = unc_box_count(opened->machine, NULL);
	struct reg_boxes boxes = {0};
	int status = EXIT_DONE;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n && status == EXIT_DONE; i++) {
			struct unc_box *box = unc_box_at(opened->machine, NULL, i);

			if ((strcmp(box->unit->name, "imc") != 0) == pass &&
			    (!pattern || unc_text_match(pattern, box->name)) &&
			    !unc_array_add(&boxes.items, &boxes.n, &box, sizeof(box)))
				status = no_memory();
		}
	}
	if (status == EXIT_DONE && pattern && strncmp(pattern, "cpu", 3) == 0)
		status = find_of_cpus(opened, pattern, &boxes);
	if (status == EXIT_DONE)
		*ret_boxes = boxes;
	else
		free(boxes.items);
	return status;
}

/* NULL: of every box. */
static bool is_of_cpus(const char *pattern)
{
	return pattern && strncmp(pattern, "cpu", 3) == 0;
}

const char *reg_boxes_none(const char *pattern)
{
	if (is_of_cpus(pattern) && strstr(pattern, ".ibs"))
		return "IBS is on processors of AMD whose CPUID leaf 0x80000001 has ECX bit 10, which the firmware may "
		       "switch off and a hypervisor hide";
	return is_of_cpus(pattern) ? "those of CPUs are called like cpu0.rdt, where there is cache monitoring"
				   : "`uncorectl list` shows their names";
}

/* What was found in the boxes so far: whether a register matched, and a field of it. */
struct found {
	bool reg, field;
	char regs[700], fields[700]; /* names for a message, each once */
	bool failed;                 /* a box that has it could not be read when it was examined */
	bool memory;                 /* out of memory */
	struct absent absent;
};

/* An absent box that would have such a register is noted. */
static void search_box(const struct reg_target *target, struct unc_box *box, struct reg_places *places,
		       struct found *found)
{
	bool there, has = false, meant;
	struct unc_field_info field;
	struct unc_box_info where;
	uint64_t none;

	unc_box_info(box, &where);
	there = where.presence != UNC_MISSING && where.presence != UNC_ABSENT;
	for (size_t i = 0; i < unc_box_reg_count(box) && !found->memory; i++) {
		struct unc_reg_info info;

		if (unc_box_reg_info(box, i, &info) < 0)
			continue;
		unc_text_enlist(found->regs, sizeof(found->regs), info.name, strlen(info.name));
		if (!reg_target_has_reg(target, &info))
			continue;
		found->reg = true;
		meant = info.n_fields == 0;
		for (size_t k = 0; unc_box_field_info(box, i, k, &field) == 0; k++) {
			meant |= reg_target_has_field(target, field.name);
			unc_text_enlist(found->fields, sizeof(found->fields), field.name, strlen(field.name));
		}
		has |= meant;
		if (meant && there)
			found->memory |= !unc_array_add(&places->items, &places->n, &(struct reg_place){box, i, target},
							sizeof(struct reg_place));
	}
	found->field |= has;
	if (!has || there)
		return;
	found->failed |= unc_box_reg_read(box, 0, &none) == UNC_EIO; /* a box that was not found is not read */
	if (!absent_add(&found->absent, &where))
		say("note: %s", where.why);
}

int reg_places_add(const struct opened *opened, const char *command, const struct reg_target *target,
		   struct reg_places *places)
{
	size_t n_before = places->n, n_boxes;
	struct found found = {0};
	struct reg_boxes boxes;
	char near[UNC_NEAREST_TEXT];
	int status = reg_boxes_find(opened, target->box, &boxes);

	if (status != EXIT_DONE)
		return status;
	n_boxes = boxes.n;
	for (size_t i = 0; i < boxes.n; i++)
		search_box(target, boxes.items[i], places, &found);
	free(boxes.items);
	if (found.memory)
		return no_memory();
	if (places->n > n_before)
		return EXIT_DONE;
	absent_say(&found.absent);
	if (n_boxes == 0 && !is_of_cpus(target->box) && need_counters(opened) != EXIT_DONE)
		return EXIT_NOT_HERE;
	if (n_boxes == 0)
		return refuse(EXIT_NOT_HERE, "%s: %s: no box is called \"%s\"%s; %s", command, target->text,
			      target->box, boxes_nearest(opened->machine, target->box, near),
			      reg_boxes_none(target->box));
	if (!found.reg)
		return usage_error("%s: %s: there is no register %s%s; there are %s", command, target->text,
				   target->reg, unc_nearest_listed(target->reg, found.regs, near), found.regs);
	if (!found.field)
		return usage_error("%s: %s: %s has no field %s%s; it has %s", command, target->text, target->reg,
				   target->field, unc_nearest_listed(target->field, found.fields, near), found.fields);
	return refuse(found.failed ? EXIT_FAILED : EXIT_NOT_HERE, "%s: %s: none of these boxes answers", command,
		      target->text);
}
