// SPDX-License-Identifier: GPL-2.0-or-later
/* Selects the checks and the channels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "check/kept.h"

/* Is text the name, or the theme before its dot? */
static bool names(const char *text, const char *name)
{
	size_t len = strlen(text);

	return strncmp(name, text, len) == 0 && (name[len] == '\0' || name[len] == '.');
}

static bool named_in(const char *const *texts, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (names(texts[i], name))
			return true;
	return false;
}

static int check_names(struct unc_ctx *ctx, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct unc_check_about *about;
		bool known = false;

		for (size_t k = 0; !known && (about = unc_check_about(k)); k++)
			known = names(texts[i], about->name);
		if (!known)
			return unc_fail(ctx, UNC_EARG, "there is no check or theme \"%.80s\"", texts[i]);
	}
	return UNC_OK;
}

/* ---- channels ---- */

/* Returns which killed program left the channel changed; NULL: none did. */
static const char *left_by(const struct unc_pmon_box *pbox)
{
	const char *who = unc_gate_left(pbox->box, pbox->regs.box_ctl, 0);

	for (unsigned i = 0; !who && i < pbox->n_slots; i++) {
		who = unc_gate_left(pbox->box, pbox->slots[i].ctl, pbox->slots[i].index);
		if (!who)
			who = unc_gate_left(pbox->box, pbox->slots[i].ctr, pbox->slots[i].index);
	}
	return who;
}

static void look_who_counts(const struct unc_check *c, struct unc_check_box *b)
{
	const char *who = left_by(&b->pbox);

	b->busy = b->pbox.foreign || who;
	b->usable = !who && (c->force || !b->pbox.foreign);
	if (who)
		snprintf(b->why, sizeof(b->why),
			 "%s: it was left changed by %s; `uncorectl recover` puts it back, until then it is left alone",
			 b->box->name, who);
	else if (!b->usable)
		snprintf(b->why, sizeof(b->why),
			 "%s: somebody counts there; what he counts would be spoiled (--force checks it all the same)",
			 b->box->name);
}

static void look_at(const struct unc_check *c, struct unc_check_box *b)
{
	struct unc_ctx *ctx = c->m->ctx;

	if (b->box->presence != UNC_PRESENT) {
		snprintf(b->why, sizeof(b->why), "%s", b->box->why);
		b->rc = b->box->presence == UNC_DENIED ? UNC_EPERM : UNC_OK;
		return;
	}
	b->rc = unc_pmon1_init(b->box, &b->pbox);
	if (b->rc == 0)
		b->rc = unc_pmon1_inspect(&b->pbox);
	if (b->rc < 0) {
		memcpy(b->why, ctx->msg, sizeof(b->why));
		return;
	}
	b->there = true;
	look_who_counts(c, b);
	if (c->observe && b->usable) {
		b->usable = false;
		snprintf(b->why, sizeof(b->why), "%s: no register is written (--observe)", b->box->name);
	}
}

static int add_box(struct unc_check *c, struct unc_box *box)
{
	struct unc_check_box *more = unc_array_more(c->boxes, c->n_boxes, sizeof(*more));

	if (!more)
		return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	c->boxes = more;
	more[c->n_boxes] = (struct unc_check_box){.box = box};
	look_at(c, &more[c->n_boxes++]);
	return UNC_OK;
}

static int find_boxes(struct unc_check *c, const char *pattern)
{
	struct unc_box *box;
	int rc = UNC_OK;

	for (size_t i = 0; rc == 0 && (box = unc_box_at(c->m, "imc", i)); i++)
		if (box->presence != UNC_ABSENT && (!pattern || unc_text_match(pattern, box->name)))
			rc = add_box(c, box);
	if (rc == 0 && pattern && !c->n_boxes)
		return unc_fail(c->m->ctx, UNC_EARG,
				"no memory channel of this machine is called \"%.80s\"; `uncorectl list` names them",
				pattern);
	return rc;
}

/* ---- selection ---- */

/* The needs of checks that this machine's caches meet, as bits 1 << enum unc_check_need. */
static unsigned caches_for(struct unc_machine *m)
{
	struct unc_llc_info info;
	int rc = unc_llc_info(m, &info);

	if (rc == UNC_ENOSUP)
		return 1 << UNC_CHECK_CACHE_CPUID;
	return rc == 0 && !info.no_monitoring ? 1 << UNC_CHECK_CACHES | 1 << UNC_CHECK_CACHE_CPUID : 0;
}

static bool is_chosen(const struct unc_check *c, const struct unc_check_cfg *cfg, const struct unc_check_def *def,
		      unsigned caches)
{
	const struct unc_check_about *about = &def->about;
	bool asked = named_in(cfg->only, cfg->n_only, about->name);

	if ((cfg->n_only && !asked) || named_in(cfg->skip, cfg->n_skip, about->name))
		return false;
	if ((!about->ms[cfg->depth] && !asked) || (about->global && !cfg->global) || (about->writes && cfg->observe))
		return false;
	return def->need == UNC_CHECK_CHANNELS ? c->n_boxes > 0 : caches >> def->need & 1 && !cfg->box;
}

static int choose(struct unc_check *c, const struct unc_check_cfg *cfg)
{
	const struct unc_check_def *def;
	unsigned caches = caches_for(c->m);

	for (size_t i = 0; (def = unc_check_def_at(i)); i++) {
		const struct unc_check_def **more;

		if (!is_chosen(c, cfg, def, caches))
			continue;
		more = unc_array_more(c->chosen, c->n_chosen, sizeof(*more));
		if (!more)
			return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
		c->chosen = more;
		more[c->n_chosen++] = def;
	}
	return UNC_OK;
}

/* Does a selected check write to channels? */
static bool wants_channels(const struct unc_check *c)
{
	for (size_t i = 0; i < c->n_chosen; i++)
		if (c->chosen[i]->need == UNC_CHECK_CHANNELS && c->chosen[i]->about.writes)
			return true;
	return false;
}

/* Fails because nothing is present, or because only absent channels were requested. */
static int nothing(const struct unc_check *c, const struct unc_check_cfg *cfg)
{
	bool asked = cfg->n_only || cfg->n_skip || cfg->observe || cfg->box, caches = caches_for(c->m) != 0;
	const char *counters = c->m->map->no_counters;
	struct unc_llc_info info = {0};
	char why[UNC_MSG_MAX];

	if (unc_llc_info(c->m, &info) < 0)
		memcpy(why, c->m->ctx->msg, sizeof(why));
	else
		snprintf(why, sizeof(why), "%s", info.no_monitoring ? info.no_monitoring : "");
	if (asked && (c->n_boxes || caches))
		return unc_fail(c->m->ctx, UNC_ENODEV,
				"%s: there is nothing to check: this machine has %s, but nothing is left of what "
				"was asked for; `uncorectl check --list` tells of each check what it does",
				c->m->name,
				!caches      ? "memory channels and no cache monitoring"
				: c->n_boxes ? "memory channels and cache monitoring"
					     : "cache monitoring and no memory channels that are known here");
	return unc_fail(c->m->ctx, UNC_ENODEV,
			"%s: there is nothing to check: no memory channels (%s), and no cache monitoring (%s)",
			c->m->name, counters ? counters : "none is there", why);
}

/* Fails if no channel is present, or all present ones are used by other programs. */
static int check_something(const struct unc_check *c, const struct unc_check_cfg *cfg)
{
	const struct unc_check_box *busy = NULL;
	size_t n_there = 0, n_busy = 0;

	for (size_t i = 0; i < c->n_boxes; i++) {
		const struct unc_check_box *b = &c->boxes[i];

		n_there += b->there;
		if (b->there && b->busy && !b->usable) {
			busy = busy ? busy : b;
			n_busy++;
		}
	}
	if (!c->n_chosen)
		return nothing(c, cfg);
	if (busy && n_busy == n_there && wants_channels(c))
		return unc_fail(c->m->ctx, UNC_EBUSY, "%s", busy->why);
	return UNC_OK;
}

int unc_check_open(struct unc_machine *m, const struct unc_check_cfg *cfg, struct unc_check **ret_check)
{
	struct unc_check *c;
	int rc;

	if (!m->writable && !cfg->observe)
		return unc_fail(m->ctx, UNC_EDENIED,
				"the machine was opened read-only, and most checks write registers; --observe runs "
				"those that do not");
	rc = check_names(m->ctx, cfg->only, cfg->n_only);
	if (rc == 0)
		rc = check_names(m->ctx, cfg->skip, cfg->n_skip);
	if (rc < 0)
		return rc;
	c = calloc(1, sizeof(*c));
	if (!c)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	*c = (struct unc_check){
		.m = m,
		.depth = cfg->depth,
		.force = cfg->force,
		.global = cfg->global,
		.observe = cfg->observe,
		.progress = cfg->progress,
		.progress_arg = cfg->progress_arg,
	};
	rc = find_boxes(c, cfg->box);
	if (rc == 0)
		rc = choose(c, cfg);
	if (rc == 0)
		rc = check_something(c, cfg);
	if (rc < 0)
		unc_check_close(c);
	else
		*ret_check = c;
	return rc;
}

const struct unc_check_about *unc_check_chosen(const struct unc_check *c, size_t index)
{
	return index < c->n_chosen ? &c->chosen[index]->about : NULL;
}

void unc_check_close(struct unc_check *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_entries; i++)
		unc_check_entry_clear(&c->entries[i]);
	free(c->entries);
	free(c->boxes);
	free(c->chosen);
	unc_check_clocks_free(c->clocks);
	unc_check_traffic_free(c->traffic);
	free(c);
}
