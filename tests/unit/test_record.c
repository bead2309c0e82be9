// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "access/record.h"

#include "access/replay.h"
#include "access/write.h"
#include "onrecord.h"
#include "onsim.h"
#include "tree.h"
#include "test.h"

/* A computer of one function, whose answers a test sets. */
static struct {
	struct unc_host inner;
	struct unc_bus bus;
	struct unc_ctx *ctx;
	uint64_t now_ns;
	int fail; /* of the next thing; its sentence has a path in it */
	unsigned char bytes[256];
	struct text text; /* the record */
	char notes[1024];
} bench;

/* What it says when it fails, as a record has it. */
#define FAILED " EIO open DIR/sys: no, \"DIR\": /home/joe/xyz\n"

static int answer(void)
{
	int rc = bench.fail;

	bench.fail = 0;
	if (rc < 0)
		unc_fail_named(bench.ctx, rc, "EIO", "open /home/joe/x/sys: no, \"/home/joe/x\": /home/joe/xyz");
	return rc;
}

static void fake_close(struct unc_host *host)
{
	(void)host;
}

static uint64_t fake_now_ns(struct unc_host *host, enum unc_clock clock)
{
	(void)host;
	return bench.now_ns + 1000 * (uint64_t)clock;
}

static int fake_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	int rc = bench.fail;

	(void)host, (void)mono_ns;
	bench.fail = 0;
	return rc;
}

static int fake_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		      struct unc_cpuid_regs *ret_regs)
{
	(void)host;
	unc_note(bench.ctx, "CPU %u is at /home/joe/x, 100 %%", cpu);
	*ret_regs = (struct unc_cpuid_regs){leaf, subleaf, 3, 4};
	return answer();
}

static int fake_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	struct unc_package *packages = calloc(2, sizeof(*packages));

	(void)host;
	packages[0] = (struct unc_package){.id = 0, .n_cpus = 3, .first_cpu = 1};
	packages[1] = (struct unc_package){.id = 7, .n_cpus = 1, .first_cpu = 3};
	*ret_topo = (struct unc_topo){.packages = packages, .n_packages = 2, .n_cpus = 4, .first_cpu = 1};
	return UNC_OK;
}

static int fake_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	int rc = answer();

	(void)host;
	if (rc < 0)
		return rc;
	*ret_cpus = calloc(9, sizeof(**ret_cpus));
	for (unsigned i = 0; i < 9; i++)
		(*ret_cpus)[i] = (struct unc_host_cpu){.cpu = i, .online = i != 1, .package = 0, .node = -1, .l3 = 4};
	*ret_n = 9;
	return UNC_OK;
}

/* A file tells who the COMMAND is, and how much may be read; a folder, who the COMMAND is. */
static int fake_look(struct unc_host *host, enum unc_look what, const char *path, size_t max,
		     struct unc_os_found *ret_found)
{
	static char text[200];
	int rc = answer();

	if (rc < 0)
		return rc;
	if (what == UNC_LOOK_NAMES) {
		const char **names = calloc(2, sizeof(*names));

		snprintf(text, sizeof(text), "of %d", host->command);
		names[0] = "a\nb";
		names[1] = text;
		ret_found->names = names;
		ret_found->n = 2;
	} else if (what == UNC_LOOK_LINK) {
		ret_found->text = strdup(strstr(path, "/fd/") ? "/home/joe/secret" : "!../a b%");
	} else {
		snprintf(text, sizeof(text), "%s of %d, %zu\n\nand", path, host->command, max);
		ret_found->text = strdup(text);
		ret_found->n = strlen(text);
	}
	return UNC_OK;
}

static int fake_identity(struct unc_host *host, struct unc_host_identity *ret_identity)
{
	(void)host;
	*ret_identity = (struct unc_host_identity){.machine = "live", .boot = "4711"};
	return UNC_OK;
}

static int fake_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	(void)host;
	*ret_event = attr->cpu + 7;
	return answer();
}

static int fake_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count)
{
	(void)host;
	CU_ASSERT_EQUAL(ret_count != NULL, op == UNC_PERF_READ);
	if (ret_count)
		*ret_count = (struct unc_perf_count){UINT64_MAX, 5000000000, event};
	return answer();
}

static void fake_bus_close(struct unc_bus *bus)
{
	(void)bus;
}

static int fake_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	(void)bus;
	*ret_addrs = calloc(9, sizeof(**ret_addrs));
	for (unsigned i = 0; i < 9; i++)
		(*ret_addrs)[i] = (struct unc_addr){.kind = UNC_PCI, .pci = {.bus = 0xff, .dev = (uint8_t)i}};
	*ret_n = 9;
	return UNC_OK;
}

static int fake_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	int rc = answer();

	if (rc < 0)
		return rc;
	*ret_space = calloc(1, sizeof(**ret_space));
	**ret_space = (struct unc_space){.bus = bus, .addr = *addr, .len = 256};
	return UNC_OK;
}

static void fake_space_close(struct unc_space *space)
{
	free(space);
}

static int fake_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	(void)space;
	memcpy(buf, bench.bytes + off, len);
	return answer();
}

static int fake_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	(void)space;
	memcpy(bench.bytes + off, buf, len);
	return answer();
}

static int fake_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	(void)space, (void)first, (void)n, (void)how;
	return answer();
}

static const struct unc_bus_ops fake_bus_ops = {
	.name = "pci",
	.close = fake_bus_close,
	.list = fake_list,
	.space_open = fake_space_open,
	.space_close = fake_space_close,
	.read = fake_read,
	.write = fake_write,
	.claim = fake_claim,
};

static int fake_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	(void)host;
	bench.bus = (struct unc_bus){.ops = &fake_bus_ops, .ctx = bench.ctx, .writable = writable, .kind = kind};
	*ret_bus = &bench.bus;
	return answer();
}

static const struct unc_host_ops fake_ops = {
	.close = fake_close,
	.now_ns = fake_now_ns,
	.sleep_until = fake_sleep_until,
	.cpuid = fake_cpuid,
	.topology = fake_topology,
	.cpus = fake_cpus,
	.look = fake_look,
	.identity = fake_identity,
	.perf_open = fake_perf_open,
	.perf = fake_perf,
	.bus_open = fake_bus_open,
};

static struct unc_host *host; /* that records */

static void add_note(void *arg, const char *sentence)
{
	size_t len = strlen(bench.notes);

	(void)arg;
	snprintf(bench.notes + len, sizeof(bench.notes) - len, "%s\n", sentence);
}

static void bench_open(const char *maps)
{
	struct unc_record_cfg cfg = {.line = add_line, .arg = &bench.text, .name = "root:DIR"};

	memset(&bench, 0, sizeof(bench));
	CU_ASSERT_EQUAL_FATAL(unc_new(&bench.ctx), 0);
	unc_set_log(bench.ctx, add_note, NULL);
	bench.inner = (struct unc_host){.ops = &fake_ops, .ctx = bench.ctx, .stands_still = true, .wake_fd = -1};
	cfg.aliases[0] = (struct unc_record_alias){"/home/joe/x", "DIR"};
	if (maps) {
		cfg.aliases[1] = (struct unc_record_alias){maps, "REGS"};
		cfg.map_dir = "REGS";
	}
	CU_ASSERT_EQUAL_FATAL(unc_record_wrap(&bench.inner, &cfg, &host), 0);
}

static void drop_lines(void)
{
	bench.text.bytes[0] = '\0';
	bench.text.len = 0;
}

static void begin(void)
{
	bench_open(NULL);
	drop_lines();
}

static void end(void)
{
	unc_host_close(host);
	CU_ASSERT_PTR_NULL(bench.ctx->files);
	CU_ASSERT_PTR_EQUAL(bench.ctx->log, add_note);
	unc_free(bench.ctx);
}

EACH(begin, end)

/* What was written since; times end a line when something else comes. */
static void lines_are(const char *wanted)
{
	SAME(bench.text.bytes, wanted);
	drop_lines();
}

TEST(the_head_has_name_and_nature)
{
	end();
	bench_open(NULL);
	lines_are("uncorectl-record/2\nmachine root:DIR\nstands_still\nbegin\n");
	CU_ASSERT_STRING_EQUAL(host->name, "root:DIR");
	CU_ASSERT_TRUE(host->stands_still);
}

TEST(times_are_steps_of_each_clock_in_one_line)
{
	bench.now_ns = 5000;
	CU_ASSERT_EQUAL(host->ops->now_ns(host, UNC_CLOCK_RAW), 5000);
	CU_ASSERT_EQUAL(host->ops->now_ns(host, UNC_CLOCK_MONO), 6000);
	bench.now_ns = 4990;
	CU_ASSERT_EQUAL(host->ops->now_ns(host, UNC_CLOCK_RAW), 4990);
	CU_ASSERT_EQUAL(host->ops->now_ns(host, UNC_CLOCK_REAL), 7990);
	lines_are("");
	OK(&bench, host->ops->sleep_until(host, 7000));
	lines_are("t r+5000 m+6000 r-10 w+7990\nsleep m+1000\n");
	bench.fail = UNC_EAGAIN;
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, UINT64_MAX), UNC_EAGAIN);
	OK(&bench, host->ops->sleep_until(host, 0));
	lines_are("sleep forever !again -\nsleep m-6000\n");
	/* Looking at the time beside leaves no trace. */
	CU_ASSERT_EQUAL(host->bystander->ops->now_ns(host->bystander, UNC_CLOCK_RAW), 4990);
	lines_are("");
}

TEST(cpuid_and_cpus_and_notes_are_written_without_paths)
{
	struct unc_cpuid_regs regs;
	struct unc_topo topo;

	OK(&bench, host->ops->cpuid(host, 2, 0x80000002, 1, &regs));
	CU_ASSERT_EQUAL(regs.eax, 0x80000002);
	lines_are("note CPU 2 is at DIR, 100 %25\n"
		  "cpuid 2 0x80000002 0x1 0x80000002 0x00000001 0x00000003 0x00000004\n");
	CU_ASSERT_STRING_EQUAL(bench.notes, "CPU 2 is at DIR, 100 %\n");
	unc_note(bench.ctx, "not of the machine");
	lines_are("");
	bench.fail = UNC_EIO;
	CU_ASSERT_EQUAL(host->ops->cpuid(host, 0, 0, 0, &regs), UNC_EIO);
	lines_are("note CPU 0 is at DIR, 100 %25\n"
		  "cpuid 0 0x0 0x0 !io" FAILED);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(bench.ctx), "open DIR/sys: no, \"DIR\": /home/joe/xyz");
	OK(&bench, host->ops->topology(host, &topo));
	lines_are("topology 4 1 0:3:1 7:1:3\n");
	unc_topo_clear(&topo);
}

TEST(accesses_are_written_as_the_trace_writes_them)
{
	const struct unc_addr addr = {.kind = UNC_PCI, .pci = {.bus = 0xff, .dev = 0x10, .fn = 4}};
	struct unc_addr *addrs;
	struct unc_space *space;
	unsigned char block[8];
	struct unc_bus *bus;
	uint32_t value;
	size_t n;

	OK(&bench, host->ops->bus_open(host, UNC_PCI, true, &bus));
	CU_ASSERT_TRUE(bus->writable);
	CU_ASSERT_STRING_EQUAL(bus->ops->name, "pci");
	OK(&bench, unc_bus_list(bus, &addrs, &n));
	CU_ASSERT_EQUAL(n, 9);
	free(addrs);
	lines_are("bus pci rw\nlist pci 9\n+ 0000:ff:00.0 0000:ff:01.0 0000:ff:02.0 0000:ff:03.0 0000:ff:04.0 "
		  "0000:ff:05.0 0000:ff:06.0 0000:ff:07.0\n+ 0000:ff:08.0\n");
	bench.fail = UNC_EIO;
	CU_ASSERT_EQUAL(unc_space_open(bus, &addr, &space), UNC_EIO);
	OK(&bench, unc_space_open(bus, &addr, &space));
	lines_are("open 0000:ff:10.4 !io EIO open DIR/sys: no, \"DIR\": /home/joe/xyz\nopen 0000:ff:10.4 256\n");
	OK(&bench, unc_write32(space, 0xf4, 0x00010100));
	OK(&bench, unc_read32(space, 0xf4, &value));
	CU_ASSERT_EQUAL(value, 0x00010100);
	OK(&bench, unc_read_block(space, 0xf0, block, 8));
	bench.fail = UNC_EIO;
	CU_ASSERT_EQUAL(unc_read_block(space, 0xf0, block, 8), UNC_EIO);
	bench.fail = UNC_EIO;
	CU_ASSERT_EQUAL(unc_write32(space, 0xf4, 1), UNC_EIO);
	lines_are("w32 0000:ff:10.4 0xf4 0x00010100\nr32 0000:ff:10.4 0xf4 0x00010100\n"
		  "rblk 0000:ff:10.4 0xf0 0000000000010100\n"
		  "rblk 0000:ff:10.4 0xf0 *8 !io" FAILED "w32 0000:ff:10.4 0xf4 0x00000001 !io" FAILED);
	unc_space_close(space);
	unc_bus_close(bus);
}

TEST(claims_and_links_are_written)
{
	const struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = 4}};
	struct unc_host_identity identity;
	struct unc_space *space;
	struct unc_bus *bus;
	char *text;

	OK(&bench, host->ops->bus_open(host, UNC_MSR, true, &bus));
	OK(&bench, unc_space_open(bus, &addr, &space));
	drop_lines();
	OK(&bench, unc_space_claim(space, 0xc8d, 3, UNC_CLAIM_TAKE));
	OK(&bench, unc_space_claim(space, 0, 0, UNC_CLAIM_LEAVE));
	bench.fail = UNC_EBUSY;
	CU_ASSERT_EQUAL(unc_space_claim(space, 0xc8d, 3, UNC_CLAIM_ASK), UNC_EBUSY);
	lines_are("claim take cpu4 0xc8d 3\nclaim leave cpu4 0x0 0\n"
		  "claim ask cpu4 0xc8d 3 !busy" FAILED);
	unc_space_close(space);
	unc_bus_close(bus);
	OK(&bench, unc_host_link(host, "/sys/bus/pci/devices/a b/driver", &text));
	CU_ASSERT_STRING_EQUAL(text, "a b%");
	free(text);
	lines_are("link /sys/bus/pci/devices/a%20b/driver =a b%25\n");
	/* What a process has open is its own affair. */
	OK(&bench, unc_host_link(host, "/proc/7/fd/3", &text));
	CU_ASSERT_STRING_EQUAL(text, "");
	free(text);
	lines_are("link /proc/7/fd/3 =\n");
	bench.fail = UNC_EIO;
	CU_ASSERT_EQUAL(unc_host_link(host, "/a", &text), UNC_EIO);
	lines_are("link /a !io" FAILED);
	/* Which computer it is stands in no record. */
	OK(&bench, host->ops->identity(host, &identity));
	CU_ASSERT_STRING_EQUAL(identity.boot, "4711");
	lines_are("");
}

TEST(an_ending_tells_at_which_question_it_came)
{
	unc_record_asked(host, UNC_RECORD_SIGNAL, false, 0);
	unc_record_asked(host, UNC_RECORD_ENDED, false, 0);
	unc_record_asked(host, UNC_RECORD_SIGNAL, false, 0);
	unc_record_asked(host, UNC_RECORD_SIGNAL, true, 2);
	lines_are("signal 2 3\n");
	unc_record_asked(host, UNC_RECORD_ENDED, false, 0);
	host->ops->now_ns(host, UNC_CLOCK_RAW);
	unc_record_asked(host, UNC_RECORD_ENDED, true, 7);
	lines_are("t r+0\nended 7 1\n");
	unc_record_asked(&bench.inner, UNC_RECORD_ENDED, true, 7); /* no host that records */
	lines_are("");
}

TEST(map_files_are_written_with_their_text)
{
	struct tree tree = tree_new();
	const char *const *names;
	size_t n, len;
	char *text;

	tree_text(&tree, "a.yaml", "one: 1\n\ttwo % three");
	end();
	bench_open(tree.root);
	drop_lines();
	OK(&bench, unc_files_list(bench.ctx, "REGS", &names, &n));
	CU_ASSERT_EQUAL(n, 1);
	free((void *)names);
	OK(&bench, unc_files_read(bench.ctx, "REGS/a.yaml", 1000, UNC_TRUST_ANY, &text, &len));
	CU_ASSERT_EQUAL(len, 19);
	free(text);
	lines_are("maps 1\n+ a.yaml\nfile a.yaml 19\n|one: 1\n:%09two %25 three\n");
	CU_ASSERT_EQUAL(unc_files_read(bench.ctx, "REGS/b.yaml", 1000, UNC_TRUST_ANY, &text, &len), UNC_ENODEV);
	lines_are("file b.yaml !nodev ENOENT REGS/b.yaml: No such file or directory\n");
	tree_remove(&tree);
}

TEST(which_cpus_share_what_is_written)
{
	struct unc_host_cpu *cpus;
	size_t n = 0;

	OK(&bench, host->ops->cpus(host, &cpus, &n));
	CU_ASSERT_TRUE(n == 9 && cpus[8].cpu == 8);
	free(cpus);
	lines_are("cpus 9\n+ 0:0:-:4 1:off 2:0:-:4 3:0:-:4 4:0:-:4 5:0:-:4 6:0:-:4 7:0:-:4\n+ 8:0:-:4\n");
	bench.fail = UNC_ENODATA;
	CU_ASSERT_EQUAL(host->ops->cpus(host, &cpus, &n), UNC_ENODATA);
	lines_are("cpus !nodata" FAILED);
}

TEST(files_of_the_system_are_written_with_their_text)
{
	const char *const *names;
	size_t n = 0, len = 0;
	char *text;

	host->command = 77; /* known when it was started: long after the host inside was made */
	OK(&bench, unc_host_file(host, "own:/proc/sys/kernel/version", 99, &text, &len));
	CU_ASSERT_STRING_EQUAL(text, "own:/proc/sys/kernel/version of 77, 99\n"); /* what a rule keeps of it */
	CU_ASSERT_EQUAL(len, strlen(text));
	free(text);
	lines_are("text own:/proc/sys/kernel/version 39\n|own:/proc/sys/kernel/version of 77, 99\n");
	OK(&bench, unc_host_file(host, "/dev/shm/sem.Num PCM insts", 99, &text, NULL));
	free(text);
	lines_are("text /dev/shm/sem.Num%20PCM%20insts 4\n:/dev\n");
	OK(&bench, unc_host_file(host, "/proc/sys/kernel/osrelease", SIZE_MAX, &text, NULL));
	free(text);
	lines_are(
		"text /proc/sys/kernel/osrelease 42\n|/proc/sys/kernel/osrelease of 77, 1048576\n"); /* as much as a replay takes */
	CU_ASSERT_EQUAL(unc_host_file(host, "/x", 99, &text, &len), UNC_ENODATA);
	lines_are("text /x !nodata - /x: record: there is no rule what of it may be in a record\n");
	bench.fail = UNC_EPERM;
	CU_ASSERT_EQUAL(unc_host_file(host, "/x", 99, &text, &len), UNC_EPERM);
	lines_are("text /x !perm" FAILED);
	host->command = 78;
	OK(&bench, unc_host_names(host, "/proc/7/fd", &names, &n));
	CU_ASSERT_TRUE(n == 2 && strcmp(names[1], "of 78") == 0);
	free((void *)names);
	lines_are("names /proc/7/fd 2\n+ a%0Ab\n+ of 78\n");
	bench.fail = UNC_ENODEV;
	CU_ASSERT_EQUAL(unc_host_names(host, "/y", &names, &n), UNC_ENODEV);
	lines_are("names /y !nodev" FAILED);
}

TEST(events_of_the_operating_system_are_written)
{
	PERF_ANSWERS(host, {"perf open 12 0x304 0x0 0xfffffffffffffffe 3", 0, "=10"}, {"perf on 10", 0, ""},
		     {"perf read 10", 0, "18446744073709551615 5000000000 10"}, {"perf off 10", 0, ""},
		     {"perf close 10", 0, ""});
	lines_are("perf open 12 0x304 0x0 0xfffffffffffffffe 3 =10\nperf on 10\n"
		  "perf read 10 18446744073709551615 5000000000 10\nperf off 10\nperf close 10\n");
}

TEST(events_that_fail_are_written_with_what_was_said)
{
	bench.fail = UNC_EPERM;
	PERF_ANSWERS(host, {"perf open 12 0x0 0x0 0x0 0", UNC_EPERM, ""});
	bench.fail = UNC_EIO;
	PERF_ANSWERS(host, {"perf read 10", UNC_EIO, ""});
	bench.fail = UNC_EARG;
	PERF_ANSWERS(host, {"perf off 11", UNC_EARG, ""});
	lines_are("perf open 12 0x0 0x0 0x0 0 !perm" FAILED "perf read 10 !io" FAILED "perf off 11 !arg" FAILED);
}

/* So that a replay refuses them as the machine did, and with its words. */
TEST(that_a_host_has_no_such_events_is_written)
{
	struct unc_host_ops ops = fake_ops;

	ops.perf_open = NULL;
	ops.perf = NULL;
	bench.inner.ops = &ops;
	PERF_ANSWERS(host, {"perf open 12 0x0 0x0 0x0 0", UNC_ENOSUP, ""}, {"perf on 0", UNC_ENOSUP, ""});
	lines_are("perf open 12 0x0 0x0 0x0 0 !nosup - this machine has no operating system that would count with "
		  "these counters (perf)\n"
		  "perf on 0 !nosup - this machine has no operating system that would count with these counters "
		  "(perf)\n");
}

TEST(a_replay_answers_as_the_host_did)
{
	static const char *const questions[] = {"perf open 12 0x304 0x1 0x2 3", "perf on 10", "perf read 10",
						"perf off 10", "perf close 10"};
	enum { N = sizeof(questions) / sizeof(questions[0]) };
	struct unc_host_ops none = fake_ops;
	struct tree tree = tree_new();
	struct tree_path path = tree_path(&tree, "r");
	struct unc_host *replay;

	none.perf_open = NULL;
	none.perf = NULL;
	for (unsigned i = 0; i < 3; i++) { /* one that counts, one that refuses, one that cannot */
		char live[N][400], again[400];
		int rcs[N];

		end();
		bench_open(NULL);
		bench.inner.ops = i == 2 ? &none : &fake_ops;
		bench.fail = i == 1 ? UNC_EPERM : 0;
		for (unsigned k = 0; k < N; k++)
			rcs[k] = perf_ask(host, questions[k], live[k]);
		tree_text(&tree, "r", bench.text.bytes);
		end();
		begin();
		OK(&bench, unc_replay_open(bench.ctx, path.text, -1, &replay));
		for (unsigned k = 0; k < N; k++) {
			EQ(perf_ask(replay, questions[k], again), rcs[k]);
			SAME(again, live[k]);
		}
		unc_host_close(replay);
	}
	tree_remove(&tree);
}

/* ---- paths of the user ---- */

static struct tree tree;

/* What that machine is recorded as, with the folder in the places of %s. */
static struct unc_machine *opened(const char *fmt)
{
	struct unc_machine_cfg cfg = {.wake_fd = -1, .record = add_line, .record_arg = &bench.text};
	struct unc_machine *m;
	char name[1200];

	drop_lines();
	snprintf(name, sizeof(name), fmt, tree.root, tree.root);
	cfg.machine = name;
	OK(&bench, unc_machine_open(bench.ctx, &cfg, &m));
	return m;
}

TEST(a_folder_of_files_and_a_dump_have_aliases)
{
	struct unc_machine *m;
	char *text;

	tree = tree_new();
	tree_text(&tree, "proc/sys/kernel/osrelease", "x\n");
	tree_text(&tree, "dump",
		  "basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\n"
		  "basic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff\n");
	m = opened("sim:snbep,files=%s/,sockets=1,clock=step,state=%s/s");
	OK(&bench, unc_host_file(m->host, "/proc/sys/kernel/osrelease", 100, &text, NULL));
	free(text);
	FAILS(&bench, UNC_ENODEV, unc_host_file(m->host, "/proc/stat", 100, &text, NULL), "DIR//proc/stat");
	unc_machine_close(m);
	HAS(bench.text.bytes, "sim:snbep,files=DIR,sockets=1,clock=step,state=FILE\n");
	HAS(bench.text.bytes, "text /proc/sys/kernel/osrelease 2\n|x\ntext /proc/stat !nodev ENOENT ");
	CU_ASSERT_PTR_NULL(strstr(bench.text.bytes, tree.root));
	unc_machine_close(opened("sim:cpuid=%s/dump,clock=step"));
	HAS(bench.text.bytes, "machine sim:cpuid=FILE,clock=step\n");
	CU_ASSERT_PTR_NULL(strstr(bench.text.bytes, tree.root));
	tree_remove(&tree);
}
