// SPDX-License-Identifier: GPL-2.0-or-later
/* Selects the checks and the channels, runs one check after the other, and puts all registers back in between. */

#include "check/drive.h"

/* ==== the list of all checks ==== */

/* In the order in which they are run: a check comes after those that it relies on. */
static const struct unc_check_theme *const themes[] = {
	&unc_check_presence, &unc_check_registers, &unc_check_behaviour,  &unc_check_clock,
	&unc_check_traffic,  &unc_check_always,    &unc_check_monitoring, &unc_check_after,
};

const struct unc_check_def *unc_check_def_at(size_t i)
{
	for (size_t t = 0; t < sizeof(themes) / sizeof(themes[0]); t++) {
		if (i < themes[t]->n)
			return &themes[t]->defs[i];
		i -= themes[t]->n;
	}
	return NULL;
}

const struct unc_check_about *unc_check_about(size_t index)
{
	const struct unc_check_def *def = unc_check_def_at(index);

	return def ? &def->about : NULL;
}

/* ==== selection ==== */

bool unc_check_is_meant(const char *text, const char *name)
{
	size_t len = strlen(text);

	return strncmp(name, text, len) == 0 && (name[len] == '\0' || name[len] == '.');
}

static bool named_in(const char *const *texts, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (unc_check_is_meant(texts[i], name))
			return true;
	return false;
}

bool unc_check_is_selected(const struct unc_check_cfg *cfg, const struct unc_check_about *about)
{
	return (!cfg->n_only || named_in(cfg->only, cfg->n_only, about->name)) &&
	       !named_in(cfg->skip, cfg->n_skip, about->name) && (!about->writes || !cfg->observe);
}

bool unc_check_is_wanted(const struct unc_check_cfg *cfg, const struct unc_check_about *about)
{
	return unc_check_is_selected(cfg, about) && (cfg->n_only || about->ms[cfg->depth]) &&
	       (!about->global || cfg->global);
}

static int check_names(struct unc_ctx *ctx, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct unc_check_about *about;
		bool known = false;

		for (size_t k = 0; !known && (about = unc_check_about(k)); k++)
			known = unc_check_is_meant(texts[i], about->name);
		if (!known)
			return unc_fail(ctx, UNC_EARG, "there is no check or theme \"%.80s\"", texts[i]);
	}
	return UNC_OK;
}

/* ---- channels ---- */

static void inspect(const struct unc_check *c, struct unc_check_box *b)
{
	const char *name = b->box->name, *who;

	if (b->box->presence != UNC_PRESENT) {
		snprintf(b->why, sizeof(b->why), "%s", b->box->why);
		b->rc = b->box->presence == UNC_DENIED ? UNC_EPERM : UNC_OK;
		return;
	}
	b->rc = unc_pmon1_init(b->box, &b->pbox);
	if (b->rc == 0)
		b->rc = unc_pmon1_inspect(&b->pbox);
	if (b->rc < 0) {
		memcpy(b->why, c->m->ctx->msg, sizeof(b->why));
		return;
	}
	/* A killed program may have left the channel changed. */
	who = b->pbox.regs.box_ctl ? unc_gate_left(b->box, b->pbox.regs.box_ctl, 0) : NULL;
	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		const struct unc_slot *slot = &b->pbox.slots[i];

		unc_gate_reg_text(slot->ctr, slot->index, b->name[i]);
		who = who ? who : unc_gate_left(b->box, slot->ctl, slot->index);
		who = who ? who : unc_gate_left(b->box, slot->ctr, slot->index);
	}
	b->there = true;
	b->busy = b->pbox.foreign || who;
	b->usable = !who && (c->cfg.force || !b->pbox.foreign) && !c->cfg.observe;
	if (who)
		snprintf(b->why, sizeof(b->why),
			 "%s: it was left changed by %s; `uncorectl recover` puts it back, until then it is left alone",
			 name, who);
	else if (b->pbox.foreign && !c->cfg.force)
		snprintf(b->why, sizeof(b->why),
			 "%s: another program counts there; its counts would be spoiled (--force checks it all the "
			 "same)",
			 name);
	else if (c->cfg.observe)
		snprintf(b->why, sizeof(b->why), "%s: no register is written (--observe)", name);
}

/* Is it requested?  The name of a channel that a data fabric counts for means the fabric. */
static bool is_wanted(const struct unc_machine *m, const struct unc_box *box, const char *pattern)
{
	const struct unc_box *channel;
	bool wanted = !pattern || unc_text_match(pattern, box->name);

	for (size_t i = 0; !wanted && (channel = unc_box_at(m, "imc", i)); i++)
		wanted = channel->counted_by == box && unc_text_match(pattern, channel->name);
	return wanted;
}

/* Channels that a data fabric counts for have no counters of their own; a fabric is checked once, under its own name. */
static int find_unit(struct unc_check *c, const char *unit, const char *pattern)
{
	struct unc_box *box;

	for (size_t i = 0; (box = unc_box_at(c->m, unit, i)); i++) {
		const struct unc_check_box found = {.box = box};

		/* Nothing is known that the counters of a POWER chip must fulfil. */
		if (box->presence == UNC_ABSENT || box->counted_by || box->unit->kind == UNC_AREA ||
		    !is_wanted(c->m, box, pattern))
			continue;
		if (strcmp(box->unit->model, "free1") == 0) {
			if (unc_list_add(c->m->ctx, &c->always, &c->n_always, &box, sizeof(box)) < 0)
				return UNC_ENOMEM;
			continue;
		}
		if (unc_list_add(c->m->ctx, &c->boxes, &c->n_boxes, &found, sizeof(found)) < 0)
			return UNC_ENOMEM;
		inspect(c, &c->boxes[c->n_boxes - 1]);
	}
	return UNC_OK;
}

static int find_boxes(struct unc_check *c, const char *pattern)
{
	if (find_unit(c, "imc", pattern) < 0 || find_unit(c, "df", pattern) < 0 || find_unit(c, "pmon", pattern) < 0)
		return UNC_ENOMEM;
	if (pattern && !c->n_boxes && !c->n_always)
		return unc_fail(c->m->ctx, UNC_EARG,
				"no memory channel of this machine is called \"%.80s\"; `uncorectl list` names them",
				pattern);
	return UNC_OK;
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

static bool needs_channels(const struct unc_check_def *def)
{
	return def->need == UNC_CHECK_CHANNELS || def->need == UNC_CHECK_COUNTING;
}

static int choose(struct unc_check *c)
{
	const struct unc_check_cfg *cfg = &c->cfg;
	const struct unc_check_def *def;
	unsigned caches = caches_for(c->m);

	for (size_t i = 0; (def = unc_check_def_at(i)); i++) {
		if (!unc_check_is_wanted(cfg, &def->about) ||
		    !(needs_channels(def)             ? c->n_boxes > 0
		      : def->need == UNC_CHECK_ALWAYS ? c->n_always > 0
						      : caches >> def->need & 1 && !cfg->box))
			continue;
		if (unc_list_add(c->m->ctx, &c->chosen, &c->n_chosen, &def, sizeof(def)) < 0)
			return UNC_ENOMEM;
	}
	return UNC_OK;
}

/* Does a selected check write to channels? */
static bool wants_channels(const struct unc_check *c)
{
	for (size_t i = 0; i < c->n_chosen; i++)
		if (needs_channels(c->chosen[i]) && c->chosen[i]->about.writes)
			return true;
	return false;
}

/* Fails because nothing is present, or because only absent channels were requested. */
static int nothing(const struct unc_check *c)
{
	bool asked = c->cfg.n_only || c->cfg.n_skip || c->cfg.observe || c->cfg.box, caches = caches_for(c->m) != 0;
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
			c->m->name,
			counters               ? counters
			: c->m->map->catalogue ? "those of POWER chips are only read, and no check of them is known"
					       : "none is there",
			why);
}

/* Fails if no channel is present, or all present ones are used by other programs. */
static int check_something(const struct unc_check *c)
{
	const struct unc_check_box *busy = NULL;
	bool any_free = false;

	for (size_t i = 0; i < c->n_boxes; i++) {
		const struct unc_check_box *b = &c->boxes[i];

		if (b->there && b->busy && !b->usable)
			busy = busy ? busy : b;
		else
			any_free |= b->there;
	}
	if (!c->n_chosen)
		return nothing(c);
	if (busy && !any_free && wants_channels(c))
		return unc_fail(c->m->ctx, UNC_EBUSY, "%s", busy->why);
	return UNC_OK;
}

int unc_check_open(struct unc_machine *m, const struct unc_check_cfg *cfg, struct unc_check **ret_check)
{
	struct unc_check *c;
	int rc;

	if (!m->writable && !cfg->observe)
		return unc_fail(m->ctx, UNC_EDENIED,
				"the machine was opened read-only, and most checks write registers; open it with "
				"cfg.writable, or %s runs those that do not",
				unc_setting(m->ctx, "--observe"));
	rc = check_names(m->ctx, cfg->only, cfg->n_only);
	if (rc == 0)
		rc = check_names(m->ctx, cfg->skip, cfg->n_skip);
	if (rc < 0)
		return rc;
	c = calloc(1, sizeof(*c));
	if (!c)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	c->m = m;
	c->cfg = *cfg;
	rc = find_boxes(c, cfg->box);
	if (rc == 0)
		rc = choose(c);
	if (rc == 0)
		rc = check_something(c);
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
	free(c->always);
	free(c->chosen);
	free(c->clocks);
	unc_check_traffic_free(c->traffic);
	free(c);
}

/* ==== the run ==== */

/*
 * On this computer packages sleep (C3, C6) when all CPUs sleep long enough, unless traffic keeps it awake: then memory refreshes
 * itself, and the clock of the channels stops.  For a machine that is recorded, staying awake would record nothing but reads of the
 * time.
 */
int unc_check_wait(const struct unc_check *c, uint64_t ns)
{
	struct unc_machine *m = c->m;
	bool stay_awake = unc_machine_is_live(m->name) && !m->has_traffic && !m->recording;
	uint64_t until_ns = unc_machine_mono_ns(m) + ns;
	int rc = UNC_OK;

	if (!stay_awake)
		return unc_machine_sleep_until(m, until_ns);
	while (rc == 0 && unc_machine_mono_ns(m) < until_ns)
		rc = unc_machine_sleep_until(m, 0); /* it only detects whether the wait was woken */
	return rc;
}

unsigned unc_check_times(const struct unc_check *c, unsigned quick, unsigned usual, unsigned full)
{
	return c->cfg.depth == UNC_CHECK_QUICK ? quick : c->cfg.depth == UNC_CHECK_USUAL ? usual : full;
}

uint64_t unc_check_ms(const struct unc_check *c, unsigned quick, unsigned usual, unsigned full)
{
	return unc_check_times(c, quick, usual, full) * UINT64_C(1000000);
}

size_t unc_check_sockets(const struct unc_check *c, unsigned ret_sockets[UNC_SOCKETS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_boxes; i++) {
		unsigned socket = c->boxes[i].box->socket;
		size_t k = 0;

		while (k < n && ret_sockets[k] != socket)
			k++;
		if (k == n && n < UNC_SOCKETS_MAX)
			ret_sockets[n++] = socket;
	}
	return n;
}

enum { ROUNDS_LEAST = 10 };

uint64_t unc_check_rounds_end_ns(const struct unc_check *c)
{
	return unc_machine_raw_ns(c->m) + unc_check_ms(c, 200, 1000, 6000) / c->n_boxes;
}

bool unc_check_has_round(const struct unc_check *c, unsigned n, unsigned most, uint64_t end_ns)
{
	return n < most && (n < ROUNDS_LEAST || unc_machine_raw_ns(c->m) < end_ns);
}

/* A failure is noted and ends nothing: in the end the gate tries again, and reports what it could not put back. */
static int put_back(struct unc_check *c)
{
	for (size_t i = 0, n = c->n_boxes; i < 2 * n; i++) {
		struct unc_check_box *b = &c->boxes[i < n ? i : i - n];

		/* In the second round, what was put back elsewhere also reached a channel that is shared. */
		if (i < n ? !b->touched : !b->shared)
			continue;
		if (unc_drive_put_back(b) < 0 && c->rc == 0)
			unc_note(c->m->ctx, "after %s: %s", c->now->about.name, c->m->ctx->msg);
	}
	return c->rc;
}

static int run_def(struct unc_check *c, const struct unc_check_def *def)
{
	unsigned sockets[UNC_SOCKETS_MAX];
	size_t first = c->n_entries, n_sockets = unc_check_sockets(c, sockets);
	int rc = def->measure ? def->measure(c) : UNC_OK;

	if (rc < 0 || c->n_entries > first)
		return rc;
	if (def->windows)
		return unc_windows_check(c);
	if (def->channel)
		return unc_registers_check(c);
	if (def->l3)
		return unc_mon_check(c);
	if (def->run)
		return def->run(c);
	for (size_t i = 0; i < n_sockets && def->socket; i++)
		def->socket(c, sockets[i]);
	for (size_t i = 0; i < c->n_boxes && def->box; i++)
		def->box(c, i);
	for (size_t i = 0; i < c->n_boxes && def->read && rc == 0; i++)
		if (unc_check_begin_box(c, &c->boxes[i], true))
			rc = unc_check_broke(c, def->read(c, &c->boxes[i]));
	return rc;
}

static int run_one(struct unc_check *c, const struct unc_check_def *def)
{
	uint64_t begin_ns = unc_machine_raw_ns(c->m);
	size_t first = c->n_entries, first_own;
	int rc, back;

	c->now = def;
	rc = def->need == UNC_CHECK_COUNTING && !c->looked_running ? unc_running_look(c) : UNC_OK;
	first_own = c->n_entries;
	if (rc == 0)
		rc = run_def(c, def);
	back = put_back(c);
	if (rc == 0 && back == 0 && def->need == UNC_CHECK_COUNTING) {
		rc = unc_running_look_again(c, first_own);
		back = put_back(c);
	}
	if (c->n_entries == first && rc == 0) {
		unc_check_begin(c, "machine");
		unc_check_skip(c, "there is nothing here that it could look at");
	}
	if (rc == 0 && back == 0)
		unc_check_verify_readback(c, first);
	for (size_t i = first; i < c->n_entries; i++)
		c->entries[i].result.ns = unc_machine_raw_ns(c->m) - begin_ns;
	return rc < 0 ? rc : back;
}

/* The run ends here.  Results of the check that was begun are incomplete and count as not run, except failures. */
static void not_run(struct unc_check *c, size_t n_whole, size_t from)
{
	for (size_t i = n_whole; i < c->n_entries; i++)
		if (c->entries[i].result.state != UNC_CHECK_FAIL)
			c->entries[i].result.state = UNC_CHECK_NOT_RUN;
	if (c->n_entries > n_whole)
		from++;
	for (; from < c->n_chosen; from++) {
		c->now = c->chosen[from];
		unc_check_begin(c, "machine");
		if (c->rc == 0)
			c->entries[c->n_entries - 1].result.state = UNC_CHECK_NOT_RUN;
	}
}

int unc_check_run(struct unc_check *c)
{
	const struct unc_check_box *busy = NULL;
	bool any_usable = false;
	size_t i, n_whole = 0;
	int rc, back;

	if (c->has_run || c->m->dry_run)
		return unc_fail(c->m->ctx, UNC_EARG, "%s",
				c->has_run ? "these checks were run already" : "in a dry run nothing can be checked");
	c->has_run = true;
	/* Takes all channels before the first check reads any: while another program writes there no two reads agree. */
	rc = wants_channels(c) ? unc_drive_claim(c) : UNC_OK;
	for (size_t k = 0; k < c->n_boxes; k++) {
		any_usable |= c->boxes[k].usable;
		if (c->boxes[k].rc == UNC_EBUSY)
			busy = &c->boxes[k];
	}
	if (rc == 0 && busy && !any_usable)
		rc = unc_fail(c->m->ctx, UNC_EBUSY, "%s", busy->why);
	for (i = 0; i < c->n_chosen && rc == 0; i++) {
		n_whole = c->n_entries;
		if (c->cfg.progress) {
			struct unc_check_progress progress = {
				.check = c->chosen[i]->about.name, .nth = (unsigned)i + 1, .of = (unsigned)c->n_chosen};

			for (size_t k = i; k < c->n_chosen; k++)
				progress.left_ns += c->chosen[k]->about.ms[c->cfg.depth] * UINT64_C(1000000);
			c->cfg.progress(c->cfg.progress_arg, &progress);
		}
		rc = run_one(c, c->chosen[i]);
	}
	if (rc == UNC_EAGAIN)
		not_run(c, n_whole, i - 1);
	back = unc_gate_restore(c->m, c);
	return rc < 0 ? rc : back;
}
