// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Regions of a program.  Each read of the session belongs to the innermost region that was open before it; what a region holds
 * with those inside of it is added up when it is asked for.
 */
#define UNC_REGIONS
#include "uncore/region.h"

#include "pmon/session.h"

enum { READS_MAX = 64 }; /* reads that wait to be confirmed; a confirmation looks at every box */
#define NONE SIZE_MAX

struct region {
	char *name;    /* owned */
	size_t parent; /* NONE, or an earlier one */
	uint64_t times;
	struct unc_count *own; /* without the regions inside of it; owned */
};

struct unc_regions {
	struct unc_session *session; /* not owned */
	struct region *list;         /* owned */
	size_t n, open;              /* open: the innermost, or NONE */
	struct unc_count *reads;     /* room for READS_MAX reads of every event; n_reads of them wait; owned */
	size_t of[READS_MAX], n_reads;
};

int unc_regions_open(struct unc_session *session, struct unc_regions **ret_regions)
{
	struct unc_ctx *ctx = session->machine->ctx;
	struct unc_regions *regions;

	if (!session->started)
		return unc_fail(ctx, UNC_EARG, "regions: the session has not started; call unc_session_start() first");
	regions = calloc(1, sizeof(*regions));
	if (regions)
		regions->reads = calloc(READS_MAX * session->n_requests, sizeof(*regions->reads));
	if (!regions || !regions->reads) {
		free(regions);
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	}
	/* Its clocks are measured while it sleeps, and a program with regions does not sleep in it. */
	while (session->rate_mono_ns != UINT64_MAX &&
	       unc_session_sleep_until(session, session->rate_mono_ns + 1) == UNC_OK)
		;
	regions->session = session;
	regions->open = NONE;
	*ret_regions = regions;
	return UNC_OK;
}

void unc_regions_close(struct unc_regions *regions)
{
	if (!regions)
		return;
	for (size_t i = 0; i < regions->n; i++) {
		free(regions->list[i].name);
		free(regions->list[i].own);
	}
	free(regions->list);
	free(regions->reads);
	free(regions);
}

/* ---- sums ---- */

static void add_count(struct unc_count *sum, const struct unc_count *count)
{
	uint64_t ns = sum->running_ns + count->running_ns;
	unsigned flags = count->flags & ~(unsigned)UNC_COUNT_LATE;

	/* Multiplexed: the other times stand for this one, too. */
	if ((flags & UNC_COUNT_NO_NUMBER) == UNC_COUNT_NOT_RUN)
		flags ^= UNC_COUNT_NOT_RUN | UNC_COUNT_SCALED;
	if (ns > 0)
		sum->uncertainty_percent = (sum->uncertainty_percent * (double)sum->running_ns +
					    count->uncertainty_percent * (double)count->running_ns) /
					   (double)ns;
	sum->running_ns = ns;
	sum->interval_ns += count->interval_ns;
	sum->enabled_ns += count->enabled_ns;
	sum->flags |= flags;
	sum->delta = sum->flags & UNC_COUNT_NO_NUMBER ? 0 : sum->delta + count->delta;
	sum->total = sum->delta;
	sum->scale = count->scale;
	sum->unit = count->unit;
	if (count->time_ns > sum->time_ns)
		sum->time_ns = count->time_ns;
}

/* Confirms the reads that wait, and gives them to their regions. */
static int settle(struct unc_regions *regions)
{
	size_t n_events = regions->session->n_requests;
	int rc = UNC_OK;

	if (regions->session->cfg.confirm_later && regions->n_reads > 0)
		rc = unc_session_confirm(regions->session, regions->reads, regions->n_reads * n_events);
	for (size_t i = 0; i < regions->n_reads; i++)
		for (size_t k = 0; k < n_events && regions->of[i] != NONE; k++)
			add_count(&regions->list[regions->of[i]].own[k], &regions->reads[i * n_events + k]);
	regions->n_reads = 0;
	return rc;
}

static int read_all(struct unc_regions *regions)
{
	size_t n_events = regions->session->n_requests;
	struct unc_count *counts = regions->reads + regions->n_reads * n_events;
	bool pending = false;
	int rc = unc_session_read(regions->session, counts, n_events);

	if (rc < 0)
		return rc;
	regions->of[regions->n_reads++] = regions->open;
	for (size_t k = 0; k < n_events; k++)
		pending |= (counts[k].flags & UNC_COUNT_PENDING) != 0;
	return pending && regions->n_reads < READS_MAX ? UNC_OK : settle(regions);
}

/* ---- begin and end ---- */

static int find(struct unc_regions *regions, const char *name, size_t *ret_region)
{
	struct unc_ctx *ctx = regions->session->machine->ctx;
	struct region region = {.parent = regions->open};
	int rc;

	for (size_t i = 0; i < regions->n; i++)
		if (regions->list[i].parent == regions->open && strcmp(regions->list[i].name, name) == 0) {
			*ret_region = i;
			return UNC_OK;
		}
	region.name = unc_text_dup(name);
	region.own = calloc(regions->session->n_requests, sizeof(*region.own));
	rc = region.name && region.own ? unc_list_add(ctx, &regions->list, &regions->n, &region, sizeof(region))
				       : unc_fail(ctx, UNC_ENOMEM, "out of memory");
	if (rc < 0) {
		free(region.name);
		free(region.own);
		return rc;
	}
	*ret_region = regions->n - 1;
	return UNC_OK;
}

int unc_region_begin(struct unc_regions *regions, const char *name)
{
	size_t region;
	int rc;

	if (!name || !*name)
		return unc_fail(regions->session->machine->ctx, UNC_EARG, "regions: a region needs a name");
	rc = find(regions, name, &region);
	if (rc == UNC_OK)
		rc = read_all(regions);
	if (rc == UNC_OK)
		regions->open = region;
	return rc;
}

int unc_region_end(struct unc_regions *regions, const char *name)
{
	struct region *region = regions->open == NONE ? NULL : &regions->list[regions->open];
	int rc;

	if (!region || !name || strcmp(region->name, name) != 0)
		return unc_fail(regions->session->machine->ctx, UNC_EARG,
				"regions: %s cannot end: %s%s is the innermost region that is open",
				name ? name : "(none)", region ? "" : "no region", region ? region->name : "");
	rc = read_all(regions);
	region->times++;
	regions->open = region->parent;
	return rc;
}

/* ---- what they hold ---- */

size_t unc_region_count(const struct unc_regions *regions)
{
	return regions->n;
}

static bool is_inside(const struct unc_regions *regions, size_t inner, size_t outer)
{
	while (inner != NONE && inner != outer)
		inner = regions->list[inner].parent;
	return inner == outer;
}

int unc_region_counts(struct unc_regions *regions, size_t region, struct unc_count *ret_counts, size_t n)
{
	const double late_percent = 0.2;
	int rc;

	if (region >= regions->n || n != regions->session->n_requests)
		return unc_fail(regions->session->machine->ctx, UNC_EARG,
				"regions: there are %zu regions and %zu events in each; number %zu and %zu counts were "
				"asked for",
				regions->n, regions->session->n_requests, region, n);
	rc = settle(regions);
	if (rc < 0)
		return rc;
	memset(ret_counts, 0, n * sizeof(*ret_counts));
	for (size_t i = region; i < regions->n; i++)
		for (size_t k = 0; k < n && is_inside(regions, i, region); k++)
			add_count(&ret_counts[k], &regions->list[i].own[k]);
	for (size_t k = 0; k < n; k++) {
		if (ret_counts[k].flags & UNC_COUNT_SCALED && ret_counts[k].running_ns == 0)
			ret_counts[k].flags |= UNC_COUNT_NOT_RUN;
		if (ret_counts[k].uncertainty_percent > late_percent)
			ret_counts[k].flags |= UNC_COUNT_LATE;
	}
	return UNC_OK;
}

int unc_region_info(struct unc_regions *regions, size_t region, struct unc_region_info *ret_info)
{
	const double most_percent = 1;
	size_t n = regions->session->n_requests;
	struct unc_count *counts = calloc(n, sizeof(*counts));
	struct unc_region_info info = {.name = NULL};
	int rc;

	if (!counts)
		return unc_fail(regions->session->machine->ctx, UNC_ENOMEM, "out of memory");
	rc = unc_region_counts(regions, region, counts, n);
	for (size_t k = 0; rc == UNC_OK && k < n; k++) {
		if (counts[k].interval_ns > info.interval_ns)
			info.interval_ns = counts[k].interval_ns;
		if (counts[k].uncertainty_percent > info.uncertainty_percent)
			info.uncertainty_percent = counts[k].uncertainty_percent;
	}
	free(counts);
	if (rc < 0)
		return rc;
	info.name = regions->list[region].name;
	info.parent = regions->list[region].parent;
	info.times = regions->list[region].times;
	info.too_short = info.uncertainty_percent > most_percent;
	*ret_info = info;
	return UNC_OK;
}
