// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole runs of the command, in this process.  The linker hands us the one function that opens machines (--wrap): it opens
 * simulated machines whose time stands still and those in the folder of the run, never this computer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "access/cpuid_raw.h"
#include "access/replay.h"
#include "base/err.h"
#include "cli/child.h"
#include "fuzz.h"
#include "machine/machine.h"
#include "sim/computer.h"

int uncorectl_main(int argc, char **argv); /* main() of cli/main.c */
FUZZ_WRAPPED(int, unc_machine_host_open, struct unc_ctx *ctx, const char *name, int wake_fd,
	     struct unc_host **ret_host);
FUZZ_WRAPPED(bool, unc_replay_on_difference, struct unc_host *host, void (*fn)(void *arg, const char *sentence),
	     void *arg);
FUZZ_WRAPPED(int, unc_os_sleep_until, uint64_t mono_ns, int wake_fd);
FUZZ_WRAPPED(pid_t, fork, void);
FUZZ_WRAPPED(int, sigaction, int number, const struct sigaction *action, struct sigaction *ret_former);
FUZZ_WRAPPED(unsigned, alarm, unsigned seconds);
FUZZ_WRAPPED(int, raise, int number);

enum { HOSTS_MAX = 4, SLEEPS_MAX = 300 };

/* A machine that the run has open. */
struct hosted {
	struct unc_host *host;
	struct unc_sim *sim; /* NULL: it is none */
	struct unc_host_ops ops;
	const struct unc_host_ops *inner;
	struct unc_sim_imc imc[UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX]; /* when it was opened */
	struct unc_sim_thread threads[UNC_SIM_CPUS_MAX];
};

/* The run that is going on; libFuzzer runs one after the other. */
static struct {
	bool going;
	void (*interrupted)(int number, siginfo_t *info, void *context); /* what SIGINT would do; or NULL */
	const struct fuzz_scene *scene;
	struct unc_cpuid_dump *dump; /* of the scene's "cpuid"; or NULL */
	struct unc_bus_ops buses[UNC_KINDS];
	const struct unc_bus_ops *inner_buses[UNC_KINDS];
	struct hosted hosted[HOSTS_MAX];
	size_t n_hosted;
	unsigned sleeps;
	size_t reads;
	bool replays; /* machines are records */
} run;

/* ---- what a run may not do to this process ---- */

static void interrupt(void)
{
	siginfo_t info = {.si_signo = SIGINT, .si_code = SI_USER};

	if (run.interrupted)
		run.interrupted(SIGINT, &info, NULL);
}

static void difference(void *arg, const char *sentence)
{
	(void)arg, (void)sentence;
	interrupt();
}

/*
 * The command would end the process.  Here everything fails from then on, and all is freed; it is interrupted, since a sleep that
 * fails is done again.
 */
bool wrap_unc_replay_on_difference(struct unc_host *host, void (*fn)(void *arg, const char *sentence), void *arg)
{
	return real_unc_replay_on_difference(host, run.going ? difference : fn, arg);
}

/* A run that slept often, or would sleep for ever, is interrupted, since nothing else would end it. */
static int slept_enough(uint64_t mono_ns)
{
	if (++run.sleeps <= SLEEPS_MAX && mono_ns != UINT64_MAX)
		return UNC_OK;
	interrupt();
	return UNC_EAGAIN;
}

int wrap_unc_os_sleep_until(uint64_t mono_ns, int wake_fd)
{
	return run.going ? slept_enough(mono_ns) : real_unc_os_sleep_until(mono_ns, wake_fd);
}

pid_t wrap_fork(void)
{
	errno = EAGAIN;
	return -1;
}

int wrap_sigaction(int number, const struct sigaction *action, struct sigaction *ret_former)
{
	if (!run.going)
		return real_sigaction(number, action, ret_former);
	if (number == SIGINT && action && action->sa_flags & SA_SIGINFO)
		run.interrupted = action->sa_sigaction;
	if (ret_former)
		memset(ret_former, 0, sizeof(*ret_former));
	return 0;
}

unsigned wrap_alarm(unsigned seconds)
{
	(void)seconds;
	return 0;
}

int wrap_raise(int number)
{
	(void)number;
	return 0;
}

/* ---- the machine ---- */

static struct hosted *hosted_of(const struct unc_host *host)
{
	for (size_t i = 0; i < run.n_hosted; i++)
		if (run.hosted[i].host == host)
			return &run.hosted[i];
	fuzz_fail("a host that was not opened");
}

static bool has_word(const char *part)
{
	for (int i = 0; i < run.scene->n_words; i++)
		if (strstr(run.scene->words[i], part))
			return true;
	return false;
}

/* Is there anything in this run that leaves registers changed although all is well? */
static bool may_leave(void)
{
	static const char *const parts[] = {"keep",    "recover", "fail=",   "lose=",    "allones=", "vanish=",
					    "defect=", "perf",    "resctrl", "lockdown", "writes=",  "raw"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (has_word(parts[i]))
			return true;
	return fuzz_scene_file(run.scene, "bus") != NULL;
}

/* The release of a box cannot be read back everywhere, so frz_en (bit 16) may stay. */
static void check_registers(const struct hosted *h)
{
	const struct unc_sim_state *now = h->sim->store.state;

	for (size_t i = 0; i < UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX; i++) {
		const struct unc_sim_imc *a = &h->imc[i], *b = &now->imc[i];

		FUZZ_ASSERT(memcmp(a->ctl, b->ctl, sizeof(a->ctl)) == 0);
		FUZZ_ASSERT(a->fixed_ctl == b->fixed_ctl);
		FUZZ_ASSERT(((a->box_ctl ^ b->box_ctl) & ~UINT32_C(0x10000)) == 0);
		FUZZ_ASSERT(a->frozen_global == b->frozen_global);
	}
	for (size_t i = 0; i < h->sim->n_cpus; i++)
		FUZZ_ASSERT(memcmp(&h->threads[i], &now->threads[i], sizeof(h->threads[i])) == 0);
}

/*
 * No write broke a rule of the manual.  Where reads are made up, what is put back may have any bits, but it is put back where a
 * register that may be written was.
 */
static void check_writes(struct unc_host *host, const struct unc_sim_state *state)
{
	bool made_up = fuzz_scene_file(run.scene, "bus") != NULL;
	struct unc_sim_violation violation;

	for (size_t i = 0; unc_sim_violation(host, i, &violation) == 0; i++) {
		uint32_t rule = state->violations[i].rule;

		if (!made_up || rule == UNC_SIM_READ_ONLY || rule == UNC_SIM_NO_REGISTER)
			fuzz_fail("%s", violation.sentence);
	}
}

static void host_close(struct unc_host *host)
{
	struct hosted *h = hosted_of(host);

	if (h->sim) {
		host->ops = h->inner; /* it is known by these */
		if (!has_word("raw") && !has_word("perf"))
			check_writes(host, h->sim->store.state);
		if (!may_leave())
			check_registers(h);
	}
	h->host = NULL;
	h->inner->close(host);
}

static int host_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	int rc = slept_enough(mono_ns);

	if (run.sleeps > 2 * SLEEPS_MAX)
		return unc_fail(host->ctx, UNC_EIO, "the run has slept enough");
	return rc < 0 ? rc : hosted_of(host)->inner->sleep_until(host, mono_ns);
}

static int host_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		      struct unc_cpuid_regs *ret_regs)
{
	if (run.dump)
		return unc_cpuid_dump_get(host->ctx, run.dump, cpu, leaf, subleaf, ret_regs);
	return hosted_of(host)->inner->cpuid(host, cpu, leaf, subleaf, ret_regs);
}

static const char *without_own(const char *path)
{
	return strncmp(path, "own:", 4) == 0 ? path + 4 : path;
}

static int file_of(struct unc_host *host, const char *path, size_t max, struct unc_os_found *ret_found)
{
	const struct fuzz_file *file = fuzz_scene_file(run.scene, without_own(path));

	if (!file && path != without_own(path))
		return unc_fail(host->ctx, UNC_ENODEV, "%s: no such file", path);
	if (!file)
		return hosted_of(host)->inner->look(host, UNC_LOOK_TEXT, path, max, ret_found);
	if (file->len > max)
		return unc_fail(host->ctx, UNC_ERANGE, "%s: too long", path);
	*ret_found = (struct unc_os_found){.text = fuzz_copy(file->text, file->len), .n = file->len};
	return UNC_OK;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The name in that directory that leads to a file of the scene; "": none. */
static void name_below(const char *dir, const char *path, char name[FUZZ_NAME])
{
	size_t len = strlen(dir);

	name[0] = '\0';
	if (strncmp(path, dir, len) == 0 && path[len] == '/')
		snprintf(name, FUZZ_NAME, "%.*s", (int)strcspn(path + len + 1, "/"), path + len + 1);
}

static int names_of(struct unc_host *host, const char *path, struct unc_os_found *ret_found)
{
	char(*texts)[FUZZ_NAME];
	const char **names;
	size_t n = 0, unique = 0;

	names = calloc(1, FUZZ_FILES * (sizeof(*names) + sizeof(*texts)));
	FUZZ_ASSERT(names);
	texts = (char(*)[FUZZ_NAME])(names + FUZZ_FILES);
	for (size_t i = 0; i < run.scene->n_files; i++) {
		name_below(without_own(path), run.scene->files[i].name, texts[n]);
		if (texts[n][0]) {
			names[n] = texts[n];
			n++;
		}
	}
	if (n == 0) {
		free(names);
		if (path != without_own(path))
			return unc_fail(host->ctx, UNC_ENODEV, "%s: no such directory", path);
		return hosted_of(host)->inner->look(host, UNC_LOOK_NAMES, path, SIZE_MAX, ret_found);
	}
	qsort(names, n, sizeof(*names), by_text);
	for (size_t i = 0; i < n; i++)
		if (unique == 0 || strcmp(names[unique - 1], names[i]) != 0)
			names[unique++] = names[i];
	*ret_found = (struct unc_os_found){.names = names, .n = unique};
	return UNC_OK;
}

static int host_look(struct unc_host *host, enum unc_look what, const char *path, size_t max,
		     struct unc_os_found *ret_found)
{
	if (what == UNC_LOOK_NAMES)
		return names_of(host, path, ret_found);
	if (what == UNC_LOOK_TEXT)
		return file_of(host, path, max, ret_found);
	if (!fuzz_scene_file(run.scene, without_own(path)) && path == without_own(path))
		return hosted_of(host)->inner->look(host, what, path, max, ret_found);
	return file_of(host, path, 4096, ret_found);
}

/* Each read takes the next byte of the scene's "bus": it is XORed into every byte that was read. */
static int bus_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	const struct fuzz_file *bytes = fuzz_scene_file(run.scene, "bus");
	int rc = run.inner_buses[space->addr.kind]->read(space, off, buf, len);

	if (bytes->len && rc == 0)
		for (size_t i = 0; i < len; i++)
			((unsigned char *)buf)[i] ^= (unsigned char)bytes->text[run.reads % bytes->len];
	run.reads++;
	return rc;
}

static int host_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	int rc = hosted_of(host)->inner->bus_open(host, kind, writable, ret_bus);

	if (rc == 0 && fuzz_scene_file(run.scene, "bus")) {
		run.inner_buses[kind] = (*ret_bus)->ops;
		run.buses[kind] = *(*ret_bus)->ops;
		run.buses[kind].read = bus_read;
		(*ret_bus)->ops = &run.buses[kind];
	}
	return rc;
}

/* What the scene has goes in front of what the machine has. */
static void stand_before(struct unc_host *host)
{
	struct hosted *h = &run.hosted[run.n_hosted++];

	h->host = host;
	h->sim = unc_sim_of(host);
	h->inner = host->ops;
	h->ops = *host->ops;
	h->ops.close = host_close;
	h->ops.sleep_until = host_sleep_until;
	h->ops.cpuid = host_cpuid;
	h->ops.look = host_look;
	h->ops.bus_open = host_bus_open;
	host->ops = &h->ops;
	if (h->sim) {
		memcpy(h->imc, h->sim->store.state->imc, sizeof(h->imc));
		memcpy(h->threads, h->sim->store.state->threads, h->sim->n_cpus * sizeof(h->threads[0]));
	}
}

static int open_sim(struct unc_ctx *ctx, const char *name, int wake_fd, struct unc_host **ret_host)
{
	char stepped[2048];

	if (strstr(name, "clock=") || strstr(name, "kill=") || strlen(name) > sizeof(stepped) - 16)
		return unc_fail(ctx, UNC_EARG, "%s: not here", name);
	snprintf(stepped, sizeof(stepped), "%s,clock=step", name);
	return real_unc_machine_host_open(ctx, stepped, wake_fd, ret_host);
}

int wrap_unc_machine_host_open(struct unc_ctx *ctx, const char *name, int wake_fd, struct unc_host **ret_host)
{
	bool replay = strncmp(name, "replay:", 7) == 0;
	int rc;

	if (!run.going) /* another target */
		return real_unc_machine_host_open(ctx, name, wake_fd, ret_host);
	if (strcmp(name, "live") == 0 || run.n_hosted == HOSTS_MAX || replay != run.replays)
		return unc_fail(ctx, UNC_ENOSUP, "%s: not here", name);
	rc = strncmp(name, "sim:", 4) == 0 ? open_sim(ctx, name, wake_fd, ret_host)
					   : real_unc_machine_host_open(ctx, name, wake_fd, ret_host);
	if (rc == 0 && !replay) /* a replay is known by its functions */
		stand_before(*ret_host);
	return rc;
}

/* ---- the run ---- */

static int to_memory(int fd, const char *name)
{
	int kept = dup(fd), memory = memfd_create(name, MFD_CLOEXEC);

	FUZZ_ASSERT(kept >= 0 && memory >= 0 && dup2(memory, fd) == fd);
	close(memory);
	return kept;
}

static void call_main(const struct fuzz_scene *scene)
{
	char *words[FUZZ_WORDS + 4] = {(char[]){"uncorectl"}, (char[]){"--state"}, (char[]){"journals"}};
	int kept = to_memory(STDOUT_FILENO, "stdout");

	memcpy(&words[3], scene->words, (size_t)scene->n_words * sizeof(words[0]));
	optind = 0;
	run.going = true;
	run.interrupted = NULL;
	uncorectl_main(3 + scene->n_words, words);
	run.going = false;
	signals_clear();
	endings_of(NULL);
	fflush(stdout);
	FUZZ_ASSERT(dup2(kept, STDOUT_FILENO) == STDOUT_FILENO);
	close(kept);
}

static void parse_dump(const struct fuzz_scene *scene)
{
	const struct fuzz_file *file = fuzz_scene_file(scene, "cpuid");
	struct unc_ctx *ctx;

	run.dump = NULL;
	FUZZ_ASSERT(unc_new(&ctx) == 0);
	if (file)
		unc_cpuid_dump_parse(ctx, "cpuid", file->text, file->len, &run.dump);
	unc_free(ctx);
}

/*
 * Bits that the guides name, of CTL[0..3] from 0xd8 on, FIXED_CTL at 0xf0 and BOX_CTL at 0xf4: Intel 327043-001, section 2.5.  Others are
 * reserved: a control is written whole, with zeros there, so they do not come back where a file had them set.
 */
static uint32_t known_bits(size_t off)
{
	if (off >= 0xd8 && off < 0xe8)
		return 0xffc4ffff;
	if (off == 0xf0)
		return 0x00400000;
	return off == 0xf4 ? 0x00010100 : 0xffffffff;
}

/* Configuration space that a file stands for is as it was, and has no bit more. */
static void check_file(const struct fuzz_file *file, const char *now, size_t len)
{
	FUZZ_ASSERT(len == file->len);
	for (size_t off = 0; off < len; off++) {
		unsigned known = known_bits(off & ~(size_t)3) >> 8 * (off & 3) & 0xff;
		unsigned was = (unsigned char)file->text[off], is = (unsigned char)now[off];

		if ((was & known) != (is & known) || (is & ~was))
			fuzz_fail("%s: 0x%zx was 0x%02x, and is 0x%02x", file->name, off, was, is);
	}
}

static void check_files(const struct fuzz_scene *scene)
{
	for (size_t i = 0; i < scene->n_files; i++) {
		const struct fuzz_file *file = &scene->files[i];
		char *now;
		size_t len;

		if (strncmp(file->name, "r/", 2) != 0 || fuzz_scene_file(scene, file->name) != file)
			continue;
		now = fuzz_folder_read(file->name, &len);
		if (now)
			check_file(file, now, len);
		free(now);
	}
}

static void run_scene_of(const char *text, size_t size, bool replays)
{
	struct fuzz_scene scene;

	if (!fuzz_scene_parse(text, size, &scene))
		return;
	run.scene = &scene;
	run.n_hosted = run.sleeps = 0;
	run.reads = 0;
	run.replays = replays;
	parse_dump(&scene);
	fuzz_folder_begin();
	for (size_t i = 0; i < scene.n_files; i++)
		if (scene.files[i].name[0] != '/')
			fuzz_folder_write(scene.files[i].name, scene.files[i].text, scene.files[i].len);
	call_main(&scene);
	if (!may_leave())
		check_files(&scene);
	fuzz_folder_end();
	unc_cpuid_dump_free(run.dump);
	fuzz_scene_clear(&scene);
}

static void run_command(const char *text, size_t size)
{
	run_scene_of(text, size, false);
}

/* A record, and the command with which it is replayed: without one that which was recorded. */
static void run_replay(const char *text, size_t size)
{
	run_scene_of(text, size, true);
}

const struct fuzz_target fuzz_runs[] = {{"command", run_command},
					{"hostile", run_command},
					{"root", run_command},
					{"replay", run_replay},
					{NULL, NULL}};
