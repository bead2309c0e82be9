// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/traffic_make.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/os.h"
#include "cli/traffic_loops.h"
#include "cli/traffic_memory.h"
#include "cli/traffic_pace.h"

enum { PAGE = 4096, TOUCHED_AT_ONCE = 1 << 20, NS_PER_S = 1000000000, STACK = 256 * 1024 };

struct worker {
	struct traffic_make *make; /* not owned */
	pthread_t thread;
	bool runs;
	unsigned cpu;
	char *memory; /* owned */
	struct traffic_slot *slot;
	struct traffic_pace pace;
	uint64_t ended_ns;
};

struct traffic_make {
	struct unc_ctx *ctx;
	struct traffic_board *board; /* not owned */
	enum unc_traffic_kind kind;
	size_t size;
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* signals a change of the members below, or of board->quit */
	size_t n_ready;
	bool go;
	int error; /* why a thread could not run on its CPU; 0: all do */
	unsigned on_cpu;
	size_t n;
	struct worker workers[];
};

size_t traffic_board_size(size_t n_slots)
{
	return sizeof(struct traffic_board) + n_slots * sizeof(struct traffic_slot);
}

uint64_t traffic_board_bytes(const struct traffic_board *board, size_t n_cpus)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n_cpus && i < board->n_slots; i++)
		bytes += atomic_load_explicit(&board->slots[i].bytes, memory_order_acquire);
	return bytes;
}

/* ---- one thread ---- */

static bool quits(const struct traffic_make *make)
{
	return atomic_load_explicit(&make->board->quit, memory_order_relaxed);
}

static int pin(unsigned cpu)
{
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int error;

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	error = sched_setaffinity(0, size, set) == 0 ? 0 : errno;
	CPU_FREE(set);
	return error;
}

/* Pages are allocated by their first write, so all are written before anything counts. */
static void touch(const struct worker *worker)
{
	size_t size = worker->make->size;

	for (size_t at = 0; at < size && !quits(worker->make); at += TOUCHED_AT_ONCE)
		memset(worker->memory + at, 0x5a, size - at < TOUCHED_AT_ONCE ? size - at : TOUCHED_AT_ONCE);
}

static void move(enum unc_traffic_kind kind, void *at, size_t bytes)
{
	switch (kind) {
	case UNC_TRAFFIC_READ:
		traffic_load(at, bytes);
		break;
	case UNC_TRAFFIC_WRITE:
		traffic_store(at, bytes);
		break;
	case UNC_TRAFFIC_NT_WRITE:
		traffic_nt_store(at, bytes);
		break;
	}
}

/* Rests until that raw time, or until the end. */
static void rest_until(struct traffic_make *make, uint64_t raw_ns, uint64_t now_ns)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	if (raw_ns != UINT64_MAX) {
		uint64_t ns = (uint64_t)until.tv_nsec + (raw_ns - now_ns);

		until.tv_sec += (time_t)(ns / NS_PER_S);
		until.tv_nsec = (long)(ns % NS_PER_S);
	}
	pthread_mutex_lock(&make->mutex);
	while (!quits(make) &&
	       (raw_ns == UINT64_MAX ? pthread_cond_wait(&make->changed, &make->mutex)
				     : pthread_cond_timedwait(&make->changed, &make->mutex, &until)) == 0)
		;
	pthread_mutex_unlock(&make->mutex);
}

static void work(struct worker *worker)
{
	struct traffic_make *make = worker->make;
	size_t at = 0, burst = traffic_pace_burst(&worker->pace);
	uint64_t done = 0, now = 0, next;

	worker->pace.start_ns = atomic_load(&make->board->began_ns);
	next = worker->pace.paced && !worker->pace.bytes_per_s ? UINT64_MAX : 0;
	while (!quits(make)) {
		size_t bytes = make->size - at < burst ? make->size - at : burst;

		if (next) {
			rest_until(make, next, now);
			if (quits(make))
				break;
		}
		move(make->kind, worker->memory + at, bytes);
		at += bytes;
		if (at == make->size)
			at = 0;
		done += bytes;
		atomic_store_explicit(&worker->slot->bytes, done, memory_order_release);
		if (worker->pace.paced) {
			now = unc_os_now_ns(UNC_CLOCK_RAW);
			next = traffic_pace_next_ns(&worker->pace, done, now);
		}
	}
	worker->ended_ns = unc_os_now_ns(UNC_CLOCK_RAW);
}

static void *life(void *arg)
{
	struct worker *worker = arg;
	struct traffic_make *make = worker->make;
	int error = pin(worker->cpu);
	bool go;

	if (!error)
		touch(worker);
	pthread_mutex_lock(&make->mutex);
	make->n_ready++;
	if (error) {
		make->error = error;
		make->on_cpu = worker->cpu;
	}
	pthread_cond_broadcast(&make->changed);
	while (!make->go && !quits(make))
		pthread_cond_wait(&make->changed, &make->mutex);
	go = make->go;
	pthread_mutex_unlock(&make->mutex);
	if (go)
		work(worker);
	return NULL;
}

/* ---- all threads ---- */

static int check(struct unc_ctx *ctx, const struct unc_traffic *traffic, const struct traffic_board *board)
{
	if (traffic->kind == UNC_TRAFFIC_NT_WRITE && !traffic_has_nt)
		return unc_fail(ctx, UNC_ENOSUP, "non-temporal stores are made on x86 only; take plain ones, --write");
	if (traffic->size_bytes % PAGE || !traffic->size_bytes)
		return unc_fail(ctx, UNC_EARG, "a buffer is of whole pages of %d bytes, and of one at least", PAGE);
	if (traffic->n_cpus > board->n_slots || traffic->size_bytes > SIZE_MAX / traffic->n_cpus)
		return unc_fail(ctx, UNC_EARG, "%zu CPUs: this computer has not so many, or not so much memory",
				traffic->n_cpus);
	for (size_t i = 0; i < traffic->n_cpus; i++) {
		int rc = traffic_cpu_check(ctx, traffic->cpus[i]);

		if (rc < 0)
			return rc;
		for (size_t k = 0; k < i; k++)
			if (traffic->cpus[k] == traffic->cpus[i])
				return unc_fail(ctx, UNC_EARG, "cpu %u: given twice", traffic->cpus[i]);
	}
	return traffic_node_check(ctx, traffic->node, traffic->size_bytes * traffic->n_cpus);
}

static bool init_sync(struct traffic_make *make)
{
	pthread_condattr_t attr;
	bool good;

	if (pthread_condattr_init(&attr) != 0)
		return false;
	good = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 && pthread_cond_init(&make->changed, &attr) == 0;
	pthread_condattr_destroy(&attr);
	return good && pthread_mutex_init(&make->mutex, NULL) == 0;
}

static int begin_worker(struct traffic_make *make, struct worker *worker, unsigned node)
{
	pthread_attr_t attr;
	void *memory;
	int error, rc = traffic_memory(make->ctx, node, make->size, &memory);

	if (rc < 0)
		return rc;
	worker->memory = memory;
	error = pthread_attr_init(&attr);
	if (!error) {
		error = pthread_attr_setstacksize(&attr, STACK);
		if (!error)
			error = pthread_create(&worker->thread, &attr, life, worker);
		pthread_attr_destroy(&attr);
	}
	worker->runs = !error;
	return error ? unc_fail(make->ctx, UNC_EIO, "a thread for cpu %u: %s", worker->cpu, strerror(error)) : UNC_OK;
}

/* Waits until all are on their CPUs and have their memory. */
static int wait_ready(struct traffic_make *make)
{
	int rc = UNC_OK;

	pthread_mutex_lock(&make->mutex);
	while (make->n_ready < make->n)
		pthread_cond_wait(&make->changed, &make->mutex);
	if (make->error)
		rc = unc_fail(make->ctx, UNC_EPERM, "cpu %u: this process may not run there: %s", make->on_cpu,
			      strerror(make->error));
	else if (quits(make))
		rc = unc_fail(make->ctx, UNC_EAGAIN, "memory traffic was interrupted before it began");
	if (rc == 0) {
		atomic_store(&make->board->began_ns, unc_os_now_ns(UNC_CLOCK_RAW));
		make->go = true;
		pthread_cond_broadcast(&make->changed);
	}
	pthread_mutex_unlock(&make->mutex);
	return rc;
}

int traffic_make_start(struct unc_ctx *ctx, const struct unc_traffic *traffic, struct traffic_board *board,
		       struct traffic_make **ret_make)
{
	struct traffic_make *make;
	int rc = check(ctx, traffic, board);

	if (rc < 0)
		return rc;
	make = calloc(1, sizeof(*make) + traffic->n_cpus * sizeof(make->workers[0]));
	if (!make || !init_sync(make)) {
		free(make);
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	}
	make->ctx = ctx;
	make->board = board;
	make->kind = traffic->kind;
	make->size = (size_t)traffic->size_bytes;
	make->n = traffic->n_cpus;
	atomic_store(&board->ended_ns, 0);
	for (size_t i = 0; i < make->n && rc == 0; i++) {
		atomic_store(&board->slots[i].bytes, 0);
		make->workers[i] = (struct worker){
			.make = make,
			.cpu = traffic->cpus[i],
			.slot = &board->slots[i],
			.pace = traffic_pace_of(traffic->bytes_per_s, i, traffic->n_cpus),
		};
		rc = begin_worker(make, &make->workers[i], traffic->node);
	}
	if (rc == 0)
		rc = wait_ready(make);
	if (rc < 0) {
		traffic_make_stop(make);
		return rc;
	}
	*ret_make = make;
	return UNC_OK;
}

void traffic_make_stop(struct traffic_make *make)
{
	uint64_t ended_ns = 0;

	if (!make)
		return;
	pthread_mutex_lock(&make->mutex);
	atomic_store(&make->board->quit, true);
	pthread_cond_broadcast(&make->changed);
	pthread_mutex_unlock(&make->mutex);
	for (size_t i = 0; i < make->n; i++) {
		struct worker *worker = &make->workers[i];

		if (worker->runs)
			pthread_join(worker->thread, NULL);
		if (worker->ended_ns > ended_ns)
			ended_ns = worker->ended_ns;
		free(worker->memory);
	}
	atomic_store(&make->board->ended_ns, ended_ns);
	pthread_cond_destroy(&make->changed);
	pthread_mutex_destroy(&make->mutex);
	free(make);
}
