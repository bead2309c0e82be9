// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes memory traffic. */
#define _GNU_SOURCE
#include "cli/traffic.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include "base/err.h"
#include "base/text.h"
#include "cli/number.h"

enum { NS_PER_S = 1000000000, BURSTS_PER_S = 1000, FORGOTTEN_NS = 1000000000 };

struct traffic_pace traffic_pace_of(uint64_t bytes_per_s, size_t index, size_t n)
{
	return (struct traffic_pace){
		.paced = bytes_per_s != 0,
		.bytes_per_s = bytes_per_s / n + (index < bytes_per_s % n),
	};
}

size_t traffic_pace_burst(const struct traffic_pace *pace)
{
	uint64_t burst = pace->bytes_per_s / BURSTS_PER_S / TRAFFIC_LINE * TRAFFIC_LINE;

	if (!pace->paced || burst > TRAFFIC_CHUNK)
		return TRAFFIC_CHUNK;
	return burst ? (size_t)burst : TRAFFIC_LINE;
}

uint64_t traffic_pace_next_ns(struct traffic_pace *pace, uint64_t done_bytes, uint64_t now_ns)
{
	uint64_t rate = pace->bytes_per_s, due;

	if (!pace->paced)
		return 0;
	if (rate == 0)
		return UINT64_MAX;
	due = pace->start_ns + done_bytes / rate * NS_PER_S +
	      (uint64_t)((double)(done_bytes % rate) * NS_PER_S / (double)rate);
	if (due > now_ns)
		return due;
	if (now_ns - due > FORGOTTEN_NS)
		pace->start_ns += now_ns - due - FORGOTTEN_NS;
	return 0;
}

enum { FILE_MAX = 65536, NODES_MAX = 1024, CPUS_MAX = 65536, HUGE_PAGE = 2 << 20, WORD_BITS = 8 * sizeof(long) };

/*
 * Only mbind() of libnuma is needed.  Its object file in the archive refers to this function, which is in a file whose constructor
 * reads /proc and /sys: 31 more system calls at each start of every command.
 */
unsigned int numa_bitmask_nbytes(struct bitmask *mask)
{
	return (unsigned)((mask->size + WORD_BITS - 1) / WORD_BITS * sizeof(long));
}

/* Reads the list of a file of /sys, "0-3,8".  False: there is no such file, or no memory. */
static bool read_list(struct unc_ctx *ctx, const char *path, struct cpu_list *list)
{
	bool whole;
	char *text;

	*list = (struct cpu_list){0};
	if (unc_os_file_read(ctx, path, FILE_MAX, UNC_TRUST_ANY, &text, NULL) < 0)
		return false;
	whole = cpu_list_add(list, text) == CPU_LIST_GOOD;
	free(text);
	return whole;
}

/* The value of a line "Name: 123 kB", or of a node "Node 0 Name: 123 kB", in bytes; 0: there is no such line. */
static uint64_t line_of(const char *meminfo, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = meminfo; (at = strstr(at, name)); at += len) {
		char *end;
		uint64_t kib;

		if ((at > meminfo && at[-1] != ' ' && at[-1] != '\n') || at[len] != ':')
			continue;
		kib = strtoull(at + len + 1, &end, 10);
		return strncmp(end, " kB", 3) == 0 ? kib * 1024 : 0;
	}
	return 0;
}

/* Cached files can be dropped, except those in use; a node does not report what is available, as the whole computer does. */
bool traffic_meminfo_spare(const char *meminfo, uint64_t *ret_bytes)
{
	uint64_t spare = line_of(meminfo, "MemAvailable");

	if (!spare)
		spare = line_of(meminfo, "MemFree") + line_of(meminfo, "Inactive(file)") +
			line_of(meminfo, "SReclaimable") / 2;
	if (!strstr(meminfo, "MemFree:"))
		return false;
	*ret_bytes = spare;
	return true;
}

static size_t count_nodes(struct unc_ctx *ctx, unsigned node, bool *ret_there)
{
	struct cpu_list nodes;
	/* A kernel without NUMA has no such file, and all memory in node 0. */
	bool listed = read_list(ctx, "/sys/devices/system/node/online", &nodes);
	size_t n = listed ? nodes.n : 1;

	*ret_there = (listed ? cpu_list_has(&nodes, node) : node == 0) && node < NODES_MAX;
	cpu_list_clear(&nodes);
	return n;
}

enum { PAGE = 4096, TOUCHED_AT_ONCE = 1 << 20, STACK = 256 * 1024 };

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
		if (make->kind == UNC_TRAFFIC_READ)
			traffic_load(worker->memory + at, bytes);
		else if (make->kind == UNC_TRAFFIC_WRITE)
			traffic_store(worker->memory + at, bytes);
		else
			traffic_nt_store(worker->memory + at, bytes);
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
	size_t set_size = CPU_ALLOC_SIZE(worker->cpu + 1), size;
	cpu_set_t *set = CPU_ALLOC(worker->cpu + 1);
	int error = ENOMEM;
	bool go;

	if (set) {
		CPU_ZERO_S(set_size, set);
		CPU_SET_S(worker->cpu, set_size, set);
		error = sched_setaffinity(0, set_size, set) == 0 ? 0 : errno;
	}
	CPU_FREE(set);
	size = error ? 0 : make->size;
	/* Pages are allocated by their first write, so all are written before anything counts. */
	for (size_t at = 0; at < size && !quits(make); at += TOUCHED_AT_ONCE)
		memset(worker->memory + at, 0x5a, size - at < TOUCHED_AT_ONCE ? size - at : TOUCHED_AT_ONCE);
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

/* UNC_ENODEV: no such CPU, or it is offline; UNC_EPERM: this process may not run there. */
static int check_cpu(struct unc_ctx *ctx, unsigned cpu)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	struct cpu_list online;
	bool allowed, offline;

	if (!set)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	CPU_ZERO_S(size, set);
	allowed = sched_getaffinity(0, size, set) == 0 && CPU_ISSET_S(cpu, size, set);
	CPU_FREE(set);
	if (allowed)
		return UNC_OK;
	offline = read_list(ctx, "/sys/devices/system/cpu/online", &online) && !cpu_list_has(&online, cpu);
	cpu_list_clear(&online);
	if (offline)
		return unc_fail(ctx, UNC_ENODEV, "cpu %u: there is none of that number online", cpu);
	return unc_fail(ctx, UNC_EPERM,
			"cpu %u: this process may not run there; its CPUs are restricted (taskset, cgroup, container)",
			cpu);
}

static int check(struct unc_ctx *ctx, const struct unc_traffic *traffic, const struct traffic_board *board)
{
	uint64_t bytes = traffic->size_bytes * traffic->n_cpus, spare;
	bool there, known = false;
	char path[64], *text;
	size_t n_nodes;

	if (traffic->kind == UNC_TRAFFIC_NT_WRITE && !traffic_has_nt)
		return unc_fail(ctx, UNC_ENOSUP, "non-temporal stores are made on x86 only; take plain ones, --write");
	if (traffic->size_bytes % PAGE || !traffic->size_bytes)
		return unc_fail(ctx, UNC_EARG, "a buffer is of whole pages of %d bytes, and of one at least", PAGE);
	if (traffic->n_cpus > board->n_slots || traffic->size_bytes > SIZE_MAX / traffic->n_cpus)
		return unc_fail(ctx, UNC_EARG, "%zu CPUs: this computer has not so many, or not so much memory",
				traffic->n_cpus);
	for (size_t i = 0; i < traffic->n_cpus; i++) {
		int rc = check_cpu(ctx, traffic->cpus[i]);

		if (rc < 0)
			return rc;
		for (size_t k = 0; k < i; k++)
			if (traffic->cpus[k] == traffic->cpus[i])
				return unc_fail(ctx, UNC_EARG, "cpu %u: given twice", traffic->cpus[i]);
	}
	n_nodes = count_nodes(ctx, traffic->node, &there);
	if (!there)
		return unc_fail(ctx, UNC_ENODEV, "node %u: this computer has no such NUMA node", traffic->node);
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", traffic->node);
	if (unc_os_file_read(ctx, n_nodes > 1 ? path : "/proc/meminfo", FILE_MAX, UNC_TRUST_ANY, &text, NULL) == 0) {
		known = traffic_meminfo_spare(text, &spare);
		free(text);
	}
	/* Leaves a tenth to other processes. */
	if (known && bytes > spare - spare / 10)
		return unc_fail(ctx, UNC_EARG,
				"node %u: buffers of %" PRIu64 " bytes in all are too large for the %" PRIu64
				" bytes of memory that it has to spare; take a smaller --size, or fewer CPUs",
				traffic->node, bytes, spare);
	return UNC_OK;
}

/* Its memory is on that node and no other; none of it was touched, so no page is taken yet. */
static int begin_worker(struct traffic_make *make, struct worker *worker, unsigned node)
{
	unsigned long mask[NODES_MAX / WORD_BITS] = {0};
	pthread_attr_t attr;
	void *memory;
	bool there;
	int error;

	if (posix_memalign(&memory, HUGE_PAGE, make->size) != 0)
		return unc_fail(make->ctx, UNC_ENOMEM, "out of memory: a buffer of %zu bytes", make->size);
	worker->memory = memory;
	mask[node / WORD_BITS] = 1UL << (node % WORD_BITS);
	error = mbind(memory, make->size, MPOL_BIND, mask, NODES_MAX + 1, 0) == 0 ? 0 : errno;
	/* There is nothing to choose: a kernel without NUMA, or a container that forbids it on a computer with one node. */
	if ((error == ENOSYS || error == EPERM) && count_nodes(make->ctx, node, &there) == 1)
		error = 0;
	if (error == EPERM || error == EINVAL)
		return unc_fail(
			make->ctx, UNC_EPERM,
			"node %u: this process may not have memory there; it is restricted (cgroup, container): %s",
			node, strerror(error));
	if (error)
		return unc_fail(make->ctx, UNC_EIO, "node %u: memory cannot be bound to it: %s", node, strerror(error));
	/* Reduces page walks, which read memory too; huge pages are not required. */
	madvise(memory, make->size, MADV_HUGEPAGE);
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
	pthread_condattr_t attr;
	int rc = check(ctx, traffic, board);

	if (rc < 0)
		return rc;
	make = calloc(1, sizeof(*make) + traffic->n_cpus * sizeof(make->workers[0]));
	if (!make || pthread_condattr_init(&attr) != 0 || pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) != 0 ||
	    pthread_cond_init(&make->changed, &attr) != 0 || pthread_mutex_init(&make->mutex, NULL) != 0) {
		free(make);
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	}
	pthread_condattr_destroy(&attr);
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
