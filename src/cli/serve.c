// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl serve: memory channels and caches for Prometheus, over HTTP. */
#define _GNU_SOURCE
#include "cli/serve.h"

#include <unistd.h>

#include "cli/child.h"
#include "cli/llc.h"
#include "cli/mem.h"
#include "cli/metrics.h"

static const char usage[] =
	"usage: uncorectl serve [OPTION]...\n"
	"\n"
	"Serves the bandwidth of every memory channel, and the caches, to Prometheus: /metrics over\n"
	"HTTP, until interrupted.\n";
static const char notes[] =
	"It samples by itself, since counters wrap, and reads once more for a scrape, at most ten times a\n"
	"second.  uncorectl-output(5) has the names.  TLS and passwords are for a reverse proxy.\n";

/* A scrape reads only if the last read is this old, and between samples the server is looked after this often. */
enum { FRESH_NS = 100000000, SLICE_NS = 1000000000 };

struct serve {
	const char *listen;
	bool no_caches;

	struct unc_ctx *ctx; /* not owned, as is machine */
	struct unc_machine *machine;
	struct mem mem;
	struct llc_beside beside;
	struct unc_count *counts; /* of the last read; owned, as are the others */
	struct metrics *metrics;
	struct metrics_rows of_channels, of_caches;
	struct output nowhere;
	struct emitter channels, caches;
	int listener; /* below 0: not open; http's once that has started */
	struct http *http;
	int failed;             /* the first register of caches that could not be put back */
	uint64_t due_ns;        /* pacing time of the next sample */
	uint64_t read_ns;       /* of the last read */
	uint64_t written_ns[2]; /* of the read that was written last, in each format */
	bool more;              /* the server has more to do */
};

static const struct option_def option_defs[] = {
	{"listen", "WHERE", option_text, offsetof(struct serve, listen),
	 .help = "ADDRESS:PORT (default 127.0.0.1:9769), [ADDRESS]:PORT or unix:PATH; a socket\n"
		 "that systemd passes comes first"},
	{"no-caches", NULL, option_flag, offsetof(struct serve, no_caches),
	 .help = "leave the caches out: then no CPU gets an RMID"},
	{"cpus", "LIST", llc_take_cpus, offsetof(struct serve, beside.llc),
	 .help = "a group in the caches, as of `llc`; may be given several times"},
	{"group", "NAME=LIST", llc_take_group, offsetof(struct serve, beside.llc), .help = "the same with a name"},
	OPTION_PEAK(struct serve, mem.peaks),
	SAMPLER_TIMES,
	SAMPLER_OBSERVE("write no register: serve what others count; no caches"),
	{0},
};

/* ---- reading ---- */

static int read_all(struct serve *serve, bool on_time)
{
	uint64_t began_ns = unc_machine_mono_ns(serve->machine);
	bool pending = false;
	int rc = counting_read(&serve->mem.counting, serve->counts, &pending);

	if (rc == 0 && serve->beside.on && llc_read(&serve->beside.llc, serve->beside.rows, &pending) < 0)
		llc_beside_end(&serve->beside, true, &serve->failed);
	serve->read_ns = unc_machine_mono_ns(serve->machine);
	metrics_timed(serve->metrics, serve->due_ns, began_ns, serve->read_ns, on_time);
	return rc;
}

static int take_all(struct serve *serve, bool on_time)
{
	int rc;

	metrics_begin(serve->metrics);
	rc = mem_emit(&serve->mem, serve->counts, &serve->channels);
	if (rc == 0 && serve->beside.on)
		rc = llc_emit(&serve->beside.llc, serve->beside.rows, &serve->caches);
	metrics_end(serve->metrics, on_time);
	return rc;
}

/* Values that are not older than this scrape, unless another one was just before.  False: they are those that were written last. */
static bool put_metrics(void *arg, bool openmetrics, struct output *out)
{
	struct serve *serve = arg;
	uint64_t *written_ns = &serve->written_ns[openmetrics];
	bool fresh = unc_machine_mono_ns(serve->machine) - serve->read_ns >= FRESH_NS;

	/* Where no channel can be read the next sample ends the server; until then a scrape has the last values. */
	if (fresh && read_all(serve, false) == 0)
		take_all(serve, false);
	metrics_scraped(serve->metrics, fresh);
	if (*written_ns == serve->read_ns)
		return false;
	*written_ns = serve->read_ns;
	metrics_write(serve->metrics, openmetrics, out);
	return true;
}

/* ---- the sampler ---- */

/* A sample that is due comes before requests, which are answered a part at a time. */
static int sleep_until(void *arg, uint64_t mono_ns)
{
	struct serve *serve = arg;
	uint64_t now = unc_machine_mono_ns(serve->machine), until;
	/* After each sample the server is looked after, since connections that say nothing for too long do not wake it. */
	int rc = serve->more || serve->due_ns != mono_ns ? UNC_EAGAIN : UNC_OK;

	serve->due_ns = mono_ns;
	if (mono_ns <= now)
		return UNC_OK;
	until = mono_ns - now > SLICE_NS ? now + SLICE_NS : mono_ns;
	/* Simulated time that passes only in sleeps would not leave time to answer. */
	if (rc == 0 && serve->machine->host->stands_still)
		rc = unc_os_sleep_until(unc_os_now_ns(UNC_CLOCK_MONO) + until - now, serve->machine->host->wake_fd);
	/* Reads what would wrap, however often requests come. */
	if (rc == 0 && serve->beside.on && now - serve->read_ns >= SLICE_NS)
		rc = unc_llc_sleep_until(serve->beside.llc.llc, now);
	if (rc == 0)
		rc = counting_sleep_until(&serve->mem.counting, until);
	if (rc == 0 && until == mono_ns)
		return UNC_OK;
	serve->more = http_run(serve->http);
	return UNC_EAGAIN;
}

static int serve_read(void *arg, void *read, bool *ret_pending)
{
	(void)read; /* it is never held */
	(void)ret_pending;
	return read_all(arg, true);
}

static int serve_emit(void *arg, const void *read, struct emitter *emitter)
{
	(void)read;
	(void)emitter;
	return take_all(arg, true);
}

static int options_done(void *arg, struct sampler_options *options)
{
	struct serve *serve = arg;
	int status;

	if (options->command)
		return usage_error(
			"serve: it goes on until it is ended; `uncorectl mem -- COMMAND` measures a COMMAND");
	serve->no_caches |= options->observe;
	if (serve->no_caches && serve->beside.llc.n_groups)
		return usage_error("serve: --%s leaves the caches out, and --group and --cpus are of them",
				   options->observe ? "observe" : "no-caches");
	serve->beside.llc.cfg.interval_ns = options->interval_ns;
	status = counting_options_done(&serve->mem.counting, options);
	mem_name_series(options->columns);
	serve->mem.counting.cfg.confirm_later = false;
	return status;
}

static void make_series(struct serve *serve)
{
	serve->nowhere.fd = -1;
	serve->of_channels = (struct metrics_rows){
		.metrics = serve->metrics, .columns = serve->mem.counting.columns, .n_columns = n_mem_columns};
	serve->of_caches = (struct metrics_rows){
		.metrics = serve->metrics, .columns = serve->beside.columns, .n_columns = n_llc_columns};
	emitter_init(&serve->channels, FORMAT_PROMETHEUS, serve->mem.counting.columns, n_mem_columns, &serve->nowhere,
		     false);
	emitter_init(&serve->caches, FORMAT_PROMETHEUS, serve->beside.columns, n_llc_columns, &serve->nowhere, false);
	serve->channels.metrics = &serve->of_channels;
	serve->caches.metrics = &serve->of_caches;
}

static int start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	struct serve *serve = arg;
	int rc;

	serve->ctx = ctx;
	serve->machine = machine;
	rc = http_listen(ctx, serve->listen, &serve->listener); /* before a register is written */
	if (rc == 0)
		rc = mem_start(&serve->mem, ctx, machine, ret_bytes);
	if (rc == 0 && !(serve->counts = calloc(1, *ret_bytes + 1)))
		rc = unc_fail(ctx, UNC_ENOMEM, "out of memory");
	*ret_bytes = sizeof(uint64_t);
	if (rc == 0 && !serve->no_caches && llc_beside_start(&serve->beside, ctx, machine) < 0)
		llc_beside_end(&serve->beside, true, &serve->failed);
	serve->metrics = rc == 0 ? metrics_new(ctx, machine, serve->mem.counting.cfg.interval_ns) : NULL;
	if (rc == 0 && !serve->metrics)
		rc = unc_fail(ctx, UNC_ENOMEM, "out of memory");
	if (rc < 0)
		return rc;
	make_series(serve);
	rc = read_all(serve, false); /* the first scrape finds where channels are */
	if (rc == 0)
		rc = take_all(serve, false);
	if (rc < 0)
		return rc;
	rc = http_start(ctx, serve->listener, put_metrics, serve, &serve->http);
	if (rc == 0 && !signals_wake_by(http_fd(serve->http)))
		rc = unc_fail(ctx, UNC_EIO, "serve: the server's descriptor cannot be waited for");
	if (rc < 0)
		return rc;
	http_tell_ready();
	return UNC_OK;
}

static int stop(void *arg)
{
	struct serve *serve = arg;
	int rc;

	if (serve->http)
		http_stop(serve->http);
	else if (serve->listener >= 0)
		close(serve->listener);
	llc_beside_end(&serve->beside, false, &serve->failed);
	rc = counting_stop(&serve->mem.counting);
	return rc < 0 ? rc : serve->failed;
}

static void clear(void *arg)
{
	struct serve *serve = arg;

	metrics_free(serve->metrics);
	free(serve->counts);
	free(serve->beside.rows);
	llc_close(&serve->beside.llc);
	mem_close(&serve->mem);
}

static int serve_run(const struct globals *globals, int argc, char **argv)
{
	struct serve serve = {.listen = "127.0.0.1:9769",
			      .listener = -1,
			      .mem = mem_init(),
			      .beside.llc.examine_ns = 10000000,
			      .written_ns = {UINT64_MAX, UINT64_MAX}};
	struct sampler sampler = {
		.line = {"serve", usage, notes, .options = option_defs},
		.columns = mem_columns,
		.n_columns = n_mem_columns,
		.arg = &serve,
		.draws = true,
		.serves = true,
		.options_done = options_done,
		.start = start,
		.sleep_until = sleep_until,
		.read = serve_read,
		.emit = serve_emit,
		.stop = stop,
		.close = clear,
	};

	if (globals->recorder || endings_replayed())
		return usage_error("serve: what is asked of it is in no record; record mem, stat or llc");
	if (globals->dry_run)
		return usage_error("serve: --dry-run: `uncorectl --dry-run mem` and llc print the same writes");
	return sampler_run(&sampler, globals, argc, argv);
}

const struct command serve_command = {"serve", "memory channels and caches for Prometheus, over HTTP", serve_run};
