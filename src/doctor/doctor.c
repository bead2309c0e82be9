// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks in their order, the run, and its lines. */
#include "doctor/doctor.h"

static const struct {
	const char *theme;
	unc_doctor_check *run;
	bool of_system; /* it looks at an operating system */
} checks[] = {
	/* clang-format off */
	{"machine", unc_doctor_simulated, false},
	{"machine", unc_doctor_root, false},
	{"machine", unc_doctor_container, true},
	{"firmware", unc_doctor_firmware, false},
	{"cpu", unc_doctor_cpu, false},
	{"cpu", unc_doctor_map, false},
	{"cpu", unc_doctor_caches, false},
	{"cpu", unc_doctor_virtual, false},
	{"cpu", unc_doctor_ibs, false},
	{"rights", unc_doctor_rights, true},
	{"kernel", unc_doctor_sysfs, true},
	{"kernel", unc_doctor_lockdown, true},
	{"kernel", unc_doctor_msr_driver, true},
	{"kernel", unc_doctor_msr_writes, true},
	{"kernel", unc_doctor_watchdog, true},
	{"pci", unc_doctor_find, false},
	{"pci", unc_doctor_config, false},
	{"pci", unc_doctor_hidden, false},
	{"counters", unc_doctor_nest, false},
	{"journals", unc_doctor_journals, false},
	{"others", unc_doctor_others, true},
	{"others", unc_doctor_instances, true},
	{"counters", unc_doctor_in_use, false},
	{"counters", unc_doctor_ticking, false},
	{"counters", unc_doctor_stopped, false},
	{"counters", unc_doctor_left, false},
	{"counters", unc_doctor_rmids, false},
	/* clang-format on */
};

static enum unc_err kind_of_failure(int err)
{
	if (err == UNC_EPERM || err == UNC_EDENIED)
		return UNC_EPERM;
	if (err == UNC_ENODEV || err == UNC_ENOSUP || err == UNC_ENODATA || err == UNC_ENOREG)
		return UNC_ENODEV;
	return err == UNC_EBUSY ? UNC_EBUSY : UNC_EIO;
}

static void see(struct unc_doctor *d, const char *fmt, va_list args)
{
	if (d->rc == 0 && d->n_entries)
		vsnprintf(d->entries[d->n_entries - 1].evidence, UNC_DOCTOR_TEXT, fmt, args);
}

void unc_doctor_say(struct unc_doctor *d, const char *check, int state, const char *fmt, ...)
{
	struct unc_doctor_entry *entry, *more;
	va_list args;

	if (d->rc < 0)
		return;
	more = unc_array_more(d->entries, d->n_entries, sizeof(*more));
	if (!more) {
		d->rc = unc_fail(d->ctx, UNC_ENOMEM, "out of memory");
		return;
	}
	d->entries = more;
	entry = &more[d->n_entries++];
	entry->theme = d->theme;
	entry->state = state < 0 ? UNC_DOCTOR_FAIL : (enum unc_doctor_state)state;
	entry->err = state < 0 ? kind_of_failure(state) : UNC_OK;
	snprintf(entry->check, sizeof(entry->check), "%s", check);
	va_start(args, fmt);
	vsnprintf(entry->finding, UNC_DOCTOR_TEXT, fmt, args);
	va_end(args);
}

void unc_doctor_seen(struct unc_doctor *d, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	see(d, fmt, args);
	va_end(args);
}

void unc_doctor_todo(struct unc_doctor *d, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (d->rc == 0 && d->n_entries)
		vsnprintf(d->entries[d->n_entries - 1].todo, UNC_DOCTOR_TEXT, fmt, args);
	va_end(args);
}

void unc_doctor_add(struct unc_doctor *d, const char *check, int state, const char *finding, const char *todo,
		    const char *fmt, ...)
{
	va_list args;

	unc_doctor_say(d, check, state, "%s", finding);
	if (todo)
		unc_doctor_todo(d, "%s", todo);
	va_start(args, fmt);
	see(d, fmt, args);
	va_end(args);
}

static const char *quote_of(const char *word)
{
	return strchr(word, '\'') ? "" : "'";
}

/* Finds the kind of machine, for a replay the kind that was recorded, and the first words of every suggested command. */
static void find_kind(struct unc_doctor *d)
{
	const char *name = d->m->host->name ? d->m->host->name : d->m->name, *quote;

	d->kind = unc_machine_is_live(name)                      ? UNC_DOCTOR_LIVE
		  : strncmp(name, "root:", strlen("root:")) == 0 ? UNC_DOCTOR_ROOT
								 : UNC_DOCTOR_SIM;
	snprintf(d->command, sizeof(d->command), "uncorectl");
	if (d->state_dir && !d->m->host->name) { /* a record has no journals */
		quote = quote_of(d->state_dir);
		unc_text_join(d->command, sizeof(d->command), " ", "--state %s%.300s%s", quote, d->state_dir, quote);
	}
	quote = quote_of(name);
	if (strcmp(name, "live") != 0)
		unc_text_join(d->command, sizeof(d->command), " ", "--machine %s%.500s%s", quote, name, quote);
}

int unc_doctor_run(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_doctor **ret_doctor)
{
	struct unc_machine_cfg reading = *cfg;
	struct unc_doctor *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	d->ctx = ctx;
	d->map_dir = cfg->map_dir;
	d->state_dir = cfg->state_dir;
	reading.writable = false;
	reading.dry_run = NULL;
	d->rc = unc_machine_reach(ctx, &reading, &d->m);
	if (d->rc == 0)
		find_kind(d);
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) && d->rc == 0; i++) {
		d->theme = checks[i].theme;
		if (!(checks[i].of_system && d->m->host->ops->firmware))
			checks[i].run(d);
	}
	rc = unc_machine_close(d->m);
	d->m = NULL;
	free(d->boxes);
	d->boxes = NULL;
	unc_journals_clear(&d->journals);
	if (d->rc < 0 || rc < 0) {
		rc = d->rc < 0 ? d->rc : rc;
		unc_doctor_free(d);
		return rc;
	}
	*ret_doctor = d;
	return UNC_OK;
}

size_t unc_doctor_count(const struct unc_doctor *d)
{
	return d->n_entries;
}

int unc_doctor_line(const struct unc_doctor *d, size_t index, struct unc_doctor_line *ret_line)
{
	const struct unc_doctor_entry *entry;

	if (index >= d->n_entries)
		return unc_fail(d->ctx, UNC_ENODEV, "doctor: there is no line number %zu", index);
	entry = &d->entries[index];
	*ret_line = (struct unc_doctor_line){
		.theme = entry->theme,
		.check = entry->check,
		.state = entry->state,
		.err = entry->err,
		.finding = entry->finding,
		.evidence = entry->evidence,
		.todo = entry->todo[0] ? entry->todo : NULL,
	};
	return UNC_OK;
}

/* Failures that no permission helps against come first, then those that waiting does not help against. */
int unc_doctor_verdict(const struct unc_doctor *d)
{
	static const int worst[] = {UNC_ENODEV, UNC_EPERM, UNC_EBUSY, UNC_EIO};

	for (size_t w = 0; w < sizeof(worst) / sizeof(worst[0]); w++)
		for (size_t i = 0; i < d->n_entries; i++)
			if (d->entries[i].state == UNC_DOCTOR_FAIL && d->entries[i].err == worst[w])
				return worst[w];
	return UNC_OK;
}

void unc_doctor_free(struct unc_doctor *d)
{
	if (!d)
		return;
	free(d->entries);
	free(d);
}
