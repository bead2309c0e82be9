// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the head of a file, and of where its knowledge comes from. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "map/checker.h"
#include "map/cpus.h"
#include "map/field.h"

static bool is_key(const struct unc_yaml *node, const char *key)
{
	return node && strcmp(node->key, key) == 0;
}

void unc_check_head_first(struct unc_checker *c)
{
	const struct unc_yaml *first = c->root->kind == UNC_YAML_MAP ? c->root->child : NULL;

	if (c->root->kind != UNC_YAML_MAP)
		unc_found(c, c->root, "a map file is a mapping that begins with `format:` and `cpus:`");
	else if (!is_key(first, "format"))
		unc_found(c, first ? first : c->root, "the first key is to be format");
	else if (!is_key(first->next, "cpus"))
		unc_found(c, first->next ? first->next : first, "the second key is to be cpus");
}

static uint64_t number(const struct unc_yaml *node)
{
	uint64_t value = 0;

	unc_text_u64(unc_yaml_text(node), &value);
	return value;
}

static void check_when(struct unc_checker *c, const struct unc_yaml *when)
{
	const struct unc_yaml *cpuid = unc_yaml_get(when, "cpuid"), *is = unc_yaml_get(when, "is");
	struct unc_cpuid_bits bits;

	if (!unc_cpuid_bits_parse(cpuid->text, &bits))
		unc_found(c, cpuid,
			  "cpuid: \"%.40s\" is to be like \"7.0:ebx[12]\": leaf and sub-leaf in hex, register, bits",
			  cpuid->text);
	else if (number(is) > unc_field_max(&bits.bits))
		unc_found(c, is, "is: %s does not fit into the bits of %s", is->text, cpuid->text);
}

void unc_check_cpus_valid(struct unc_checker *c)
{
	const struct unc_yaml *cpus = unc_yaml_get(c->root, "cpus");

	if (!cpus)
		return;
	if (!cpus->child)
		unc_found(c, cpus, "cpus: no CPU is named, so this map would never be used");
	for (const struct unc_yaml *cpu = cpus->child; cpu; cpu = cpu->next) {
		const struct unc_yaml *stepping = unc_yaml_get(cpu, "stepping"), *when = unc_yaml_get(cpu, "when");

		if (stepping && number(stepping->child) > number(stepping->child->next))
			unc_found(c, stepping, "stepping: [low, high] is wanted, and %s is above %s",
				  stepping->child->text, stepping->child->next->text);
		if (unc_yaml_get(cpu, "model") && !unc_yaml_get(cpu, "family"))
			unc_found(c, cpu, "cpus: a model without a family means another CPU in each of them; say both");
		if (stepping && !unc_yaml_get(cpu, "model"))
			unc_found(c, cpu, "cpus: a stepping without a model means nothing; say which");
		if (when && when->kind == UNC_YAML_LIST)
			for (const struct unc_yaml *one = when->child; one; one = one->next)
				check_when(c, one);
		else if (when)
			check_when(c, when);
	}
}

static bool tag_known(const struct unc_yaml *sources, const char *tag, size_t len)
{
	for (const struct unc_yaml *source = sources ? sources->child : NULL; source; source = source->next) {
		if (strlen(source->key) == len && memcmp(source->key, tag, len) == 0)
			return true;
	}
	return false;
}

void unc_check_src(struct unc_checker *c, const char *src, const struct unc_place *at)
{
	const struct unc_yaml *sources = unc_yaml_get(c->root, "sources");

	while (src && *src) {
		size_t len;

		src += strspn(src, " ");
		len = strcspn(src, " ;");
		if (!tag_known(sources, src, len))
			unc_found_at(c, at->path, at->line, "%.64s: src: \"%.*s\" is no tag from sources", at->what,
				     (int)(len < 40 ? len : 40), src);
		src = strchr(src, ';');
		if (src)
			src++;
	}
}

static void check_said(struct unc_checker *c, const struct unc_field *field)
{
	const struct unc_yaml *sources = unc_yaml_get(c->root, "sources");

	for (size_t i = 0; i < field->n_said; i++)
		if (!tag_known(sources, field->said[i].tag, strlen(field->said[i].tag)))
			unc_found_at(c, field->path, field->line, "%.64s: said: \"%.40s\" is no tag from sources",
				     field->name, field->said[i].tag);
}

static void check_reg_src(struct unc_checker *c, const struct unc_reg *reg)
{
	unc_check_src(c, reg->src, &(struct unc_place){reg->name, reg->path, reg->line});
	for (size_t i = 0; i < reg->n_fields; i++) {
		const struct unc_field *field = &reg->fields[i];

		unc_check_src(c, field->src, &(struct unc_place){field->name, field->path, field->line});
		check_said(c, field);
	}
}

void unc_check_source_known(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_remarks; i++) {
		const struct unc_remark *remark = &unit->remarks[i];

		unc_check_src(c, remark->src, &(struct unc_place){"notes", remark->path, remark->line});
	}
	for (size_t i = 0; i < unit->n_regs; i++)
		check_reg_src(c, &unit->regs[i]);
	for (size_t i = 0; i < unit->n_events; i++) {
		const struct unc_event *event = &unit->events[i];

		unc_check_src(c, event->src, &(struct unc_place){event->name, event->path, event->line});
	}
}

void unc_check_register_has_source(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (!reg->src)
			unc_found_at(c, reg->path, reg->line, "%s lacks src; say which document describes it",
				     reg->name);
	}
}

void unc_check_event_has_source(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_events; i++) {
		const struct unc_event *event = &unit->events[i];

		if (!event->src)
			unc_found_at(c, event->path, event->line, "%s lacks src; say which document describes it",
				     event->name);
	}
}
