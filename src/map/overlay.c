// SPDX-License-Identifier: GPL-2.0-or-later
/* Putting what one file says over what another says. */
#include "map/overlay.h"

#include <string.h>

static bool is_none(const struct unc_yaml *node)
{
	const char *text = unc_yaml_text(node);

	return text && strcmp(text, "none") == 0;
}

static struct unc_yaml **find_slot(struct unc_yaml *map, const char *key)
{
	struct unc_yaml **slot = &map->child;

	while (*slot && strcmp((*slot)->key, key) != 0)
		slot = &(*slot)->next;
	return slot;
}

static void replace(struct unc_yaml **slot, struct unc_yaml *by)
{
	struct unc_yaml *old = *slot;

	by->next = old->next;
	old->next = NULL;
	*slot = by;
	unc_yaml_free(old);
}

static void remove_slot(struct unc_yaml **slot)
{
	struct unc_yaml *old = *slot;

	*slot = old->next;
	old->next = NULL;
	unc_yaml_free(old);
}

void unc_map_overlay(struct unc_checker *c, struct unc_yaml *under, struct unc_yaml *top)
{
	under->line = top->line;
	under->key_line = top->key_line;
	under->file = top->file;
	while (top->child) {
		struct unc_yaml *child = top->child, **slot = find_slot(under, child->key);

		top->child = child->next;
		child->next = NULL;
		if (!*slot && is_none(child))
			unc_found(c, child, "%s: none, but no base has it; leave the line out", child->key);
		if (!*slot) {
			*slot = child;
		} else if (is_none(child)) {
			remove_slot(slot);
			unc_yaml_free(child);
		} else if ((*slot)->kind == UNC_YAML_MAP && child->kind == UNC_YAML_MAP) {
			unc_map_overlay(c, *slot, child);
			unc_yaml_free(child);
		} else {
			replace(slot, child);
		}
	}
}

void unc_map_check_sources_kept(struct unc_checker *c, const struct unc_yaml *under, const struct unc_yaml *top)
{
	const struct unc_yaml *theirs = unc_yaml_get(under, "sources"), *ours = unc_yaml_get(top, "sources");

	if (!theirs || !ours || ours->kind != UNC_YAML_MAP)
		return;
	for (const struct unc_yaml *source = ours->child; source; source = source->next) {
		const char *old = unc_yaml_text(unc_yaml_get(theirs, source->key));
		const char *now = unc_yaml_text(source);

		if (old && now && strcmp(old, now) != 0)
			unc_found(c, source,
				  "source %s is another document in the base (%.80s); give this one a new tag",
				  source->key, old);
	}
}
