// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "access/replay.h"

#include "base/text.h"
#include "onreplay.h"
#include "onsim.h"
#include "test.h"

/* Opens a machine, counts one event of its first box for a second of its time, and closes all.  What became of it. */
static int measure(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, uint64_t *ret_count)
{
	struct unc_session_cfg session_cfg = {0};
	struct unc_session *session = NULL;
	struct unc_count count = {0};
	struct unc_machine *m;
	size_t index;
	int rc, closed;

	rc = unc_machine_open(ctx, cfg, &m);
	if (rc < 0)
		return rc;
	rc = unc_session_open(m, &session_cfg, &session);
	if (rc == 0)
		rc = unc_session_add(session, unc_box_at(m, "imc", 0), "cas_count.rd", &index);
	if (rc == 0)
		rc = unc_session_start(session);
	if (rc == 0)
		rc = unc_session_sleep_until(session, unc_machine_mono_ns(m) + 1000000000);
	if (rc == 0)
		rc = unc_session_read(session, &count, 1);
	closed = unc_session_close(session);
	rc = rc < 0 ? rc : closed;
	closed = unc_machine_close(m);
	*ret_count = count.total;
	return rc < 0 ? rc : closed;
}

EACH(onreplay_begin, onreplay_end)

static void record(void)
{
	struct unc_machine_cfg cfg = {.machine = "sim:snbep,sockets=1,clock=step",
				      .writable = true,
				      .wake_fd = -1,
				      .record = add_line,
				      .record_arg = &bench.text};

	OK(&bench, measure(bench.ctx, &cfg, &bench.count));
}

static struct unc_machine_cfg replay_cfg(void)
{
	return (struct unc_machine_cfg){.machine = bench.machine,
					.writable = true,
					.wake_fd = -1,
					.differs = count_difference,
					.differs_arg = &bench.differences};
}

static int replay(const char *text, size_t len, uint64_t *ret_count)
{
	struct unc_machine_cfg cfg = replay_cfg();

	bench.differences = 0;
	tree_bytes(&bench.tree, "r", text, len);
	return measure(bench.ctx, &cfg, ret_count);
}

TEST(a_record_runs_again_with_the_same_numbers)
{
	uint64_t count = 0;

	record();
	CU_ASSERT_TRUE(bench.count > 0);
	CU_ASSERT_EQUAL(replay(bench.text.bytes, bench.text.len, &count), UNC_OK);
	CU_ASSERT_EQUAL(count, bench.count);
	CU_ASSERT_EQUAL(bench.differences, 0);
}

static char *table_of(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, size_t *ret_len)
{
	struct unc_machine *m;
	char *table = NULL;

	OK(&bench, unc_machine_open(ctx, cfg, &m));
	CU_ASSERT_EQUAL_FATAL(unc_host_file(m->host, "/sys/firmware/dmi/tables/DMI", 65536, &table, ret_len), 0);
	OK(&bench, unc_machine_close(m));
	return table;
}

/* All of them are below 0x80 in a record. */
TEST(a_binary_file_is_the_same_to_the_byte)
{
	struct unc_machine_cfg cfg = {
		.machine = "sim:hsx", .wake_fd = -1, .record = add_line, .record_arg = &bench.text};
	char *live, *again;
	size_t len, len_again;

	live = table_of(bench.ctx, &cfg, &len);
	CU_ASSERT(len > 400);
	for (size_t i = 0; i < bench.text.len; i++)
		CU_ASSERT(bench.text.bytes[i] > 0);
	tree_bytes(&bench.tree, "r", bench.text.bytes, bench.text.len);
	cfg = replay_cfg();
	cfg.writable = false;
	again = table_of(bench.ctx, &cfg, &len_again);
	CU_ASSERT_EQUAL_FATAL(len_again, len);
	CU_ASSERT(memcmp(live, again, len) == 0);
	CU_ASSERT_EQUAL(bench.differences, 0);
	free(live);
	free(again);
}

/* Wherever it is cut: no run that has all its answers is taken for a whole one, and all end. */
TEST(a_record_that_is_cut_anywhere_ends_the_run)
{
	uint64_t count;

	record();
	for (size_t len = 0; len < bench.text.len; len++) {
		int rc = replay(bench.text.bytes, len, &count);

		/* What lets go of a box has no result: there the difference alone tells, which ends a command. */
		CU_ASSERT_TRUE(rc < 0 || bench.differences == 1);
		CU_ASSERT_TRUE(rc == UNC_EARG || bench.differences == 1);
		HAS(unc_errmsg(bench.ctx), "/r:");
	}
}

TEST(a_record_with_any_byte_changed_ends_the_run)
{
	static const char others[] = {'0', ' ', '\n', '%', '!', '*', '-', 'z', '\0', '\x7f', '9'};
	uint64_t count;

	record();
	for (size_t at = 0; at < bench.text.len; at++) {
		char before = bench.text.bytes[at];

		bench.text.bytes[at] = others[at % sizeof(others)];
		replay(bench.text.bytes, bench.text.len, &count);
		CU_ASSERT_TRUE(bench.differences <= 1);
		bench.text.bytes[at] = before;
	}
}

/* Then the run ends, or the count is the same: where a time is missing that it does not depend on, or one of two same answers. */
TEST(every_line_may_be_missing)
{
	uint64_t count;
	char *copy;

	record();
	copy = malloc(bench.text.len);
	for (size_t at = 0; at < bench.text.len;) {
		size_t end = (size_t)(strchr(bench.text.bytes + at, '\n') + 1 - bench.text.bytes);
		bool fact = strncmp(bench.text.bytes + at, "simulated", 9) == 0 ||
			    strncmp(bench.text.bytes + at, "stands_still", 12) == 0;

		int rc;

		memcpy(copy, bench.text.bytes, at);
		memcpy(copy + at, bench.text.bytes + end, bench.text.len - end);
		rc = replay(copy, bench.text.len - (end - at), &count);
		CU_ASSERT_TRUE(rc < 0 || fact || bench.differences == 1 || count == bench.count);
		at = end;
	}
	free(copy);
}

/* ---- by hand ---- */

static void open_text(const char *text)
{
	tree_text(&bench.tree, "r", text);
	open_record();
}

/* It failed with just that sentence. */
static void fails_as(int rc, int err, const char *sentence)
{
	CU_ASSERT_EQUAL(rc, err);
	SAME(unc_errmsg(bench.ctx), sentence);
}

TEST(what_failed_fails_again_with_its_sentence)
{
	const struct unc_addr addr = {.kind = UNC_PCI, .pci = {.bus = 0xff, .dev = 0x10}};
	struct unc_addr *addrs;
	struct unc_topo topo;
	size_t n;

	open_text(HEAD "bus msr ro !perm EACCES open: 100%25 no\n"
		       "bus pci ro\n"
		       "list pci !nodev - there is none\n"
		       "open 0000:ff:10.0 !io - broken\n"
		       "sleep forever !again -\n"
		       "topology !nodata - not told\n");
	fails_as(host->ops->bus_open(host, UNC_MSR, false, &bus), UNC_EPERM, "open: 100% no");
	CU_ASSERT_STRING_EQUAL(unc_err_name(bench.ctx, UNC_EPERM), "EACCES");
	OK(&bench, host->ops->bus_open(host, UNC_PCI, false, &bus));
	CU_ASSERT_EQUAL(unc_bus_list(bus, &addrs, &n), UNC_ENODEV);
	fails_as(unc_space_open(bus, &addr, &space), UNC_EIO, "broken");
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, UINT64_MAX), UNC_EAGAIN);
	CU_ASSERT_EQUAL(host->ops->topology(host, &topo), UNC_ENODATA);
}

TEST(after_a_difference_everything_fails_and_time_goes_on)
{
	struct unc_cpuid_regs regs;
	struct unc_topo topo;
	uint64_t now_ns;

	open_text(HEAD "t r+100 m+50 m-10\nbus pci rw\nopen cpu3 4294967296\n");
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), 100);
	CU_ASSERT_EQUAL(host->bystander->ops->now_ns(host->bystander, UNC_CLOCK_RAW), 100);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), 50);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), 40);
	FAILS(&bench, UNC_EIO, host->ops->cpuid(host, 0, 1, 0, &regs),
	      "/r: CPUID (cpuid 0 0x1 0x0) is not in the record; record this command");
	CU_ASSERT_EQUAL(host->ops->bus_open(host, UNC_PCI, true, &bus), UNC_EIO);
	CU_ASSERT_EQUAL(host->ops->topology(host, &topo), UNC_EIO);
	now_ns = now(UNC_CLOCK_MONO);
	CU_ASSERT_TRUE(now_ns > 40);
	/* Who waits in a loop for something to happen would wait for ever. */
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, now_ns + 1000), UNC_EIO);
	CU_ASSERT_TRUE(now(UNC_CLOCK_MONO) > now_ns);
	FAILS(&bench, UNC_EIO, host->ops->sleep_until(host, UINT64_MAX), "/r: CPUID ");
	differs(1);
}

TEST(a_record_that_never_tells_how_the_command_ended_is_over)
{
	static const char *const texts[] = {HEAD, HEAD "bus pci rw\n", HEAD "ended 3 99999999\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		unsigned asked = 0;
		int number = 0;

		open_text(texts[i]);
		while (asked < 100000 && !unc_replay_asks(host, UNC_RECORD_ENDED, &number))
			asked++;
		CU_ASSERT_TRUE(asked < 100000);
		CU_ASSERT_EQUAL(number, 1);
		HAS(unc_errmsg(bench.ctx), "does not tell how the COMMAND ended");
		differs(1);
	}
}

TEST(an_ending_comes_at_its_question)
{
	int number = 0;

	open_text(HEAD "signal 2 2\nt r+1\nended 7 1\n");
	CU_ASSERT_FALSE(unc_replay_asks(host, UNC_RECORD_SIGNAL, &number));
	CU_ASSERT_FALSE(unc_replay_asks(host, UNC_RECORD_ENDED, &number));
	CU_ASSERT_TRUE(unc_replay_asks(host, UNC_RECORD_SIGNAL, &number));
	CU_ASSERT_EQUAL(number, 2);
	CU_ASSERT_FALSE(unc_replay_asks(host, UNC_RECORD_ENDED, &number));
	now(UNC_CLOCK_RAW);
	CU_ASSERT_TRUE(unc_replay_asks(host, UNC_RECORD_ENDED, &number));
	CU_ASSERT_EQUAL(number, 7);
}

TEST(map_files_come_from_the_record)
{
	const char *const *names;
	size_t n, len;
	char *text;

	open_text("uncorectl-record/2\nmachine live\nmaps\nbegin\n"
		  "maps 2\n+ a.yaml\n+ b%25.yaml\n"
		  "file a.yaml 10\n|one: 1\n:%09%25x\n"
		  "file b.yaml !perm - not trusted\n");
	CU_ASSERT_STRING_EQUAL(host->map_dir, "REGS");
	OK(&bench, unc_files_list(bench.ctx, "REGS", &names, &n));
	CU_ASSERT_EQUAL_FATAL(n, 2);
	CU_ASSERT_STRING_EQUAL(names[1], "b%.yaml");
	free((void *)names);
	OK(&bench, unc_files_read(bench.ctx, "REGS/a.yaml", 100, UNC_TRUST_OWNED, &text, &len));
	CU_ASSERT_EQUAL(len, 10);
	CU_ASSERT_STRING_EQUAL(text, "one: 1\n\t%x");
	free(text);
	fails_as(unc_files_read(bench.ctx, "REGS/b.yaml", 100, UNC_TRUST_OWNED, &text, &len), UNC_EPERM, "not trusted");
	differs(0);
	CU_ASSERT_PTR_NULL(bench.ctx->files);
}

TEST(cpus_and_files_of_the_system_come_from_the_record)
{
	struct unc_host_cpu *cpus;
	const char *const *names;
	size_t n, len;
	char *text;

	open_text(HEAD "cpus 3\n+ 0:0:1:0 1:off\n+ 5:-:-:4\n"
		       "cpus !nodata - not told\n"
		       "text own:/proc/COMMAND/a%20b 7\n|one\n:two\n"
		       "text /y !nodev ENOENT /y: no\n"
		       "text /empty 0\n"
		       "names /var/lock 2\n+ a%0Ab\n+ c d\n"
		       "names /none 0\n"
		       "names /z !perm EACCES /z: no\n");
	OK(&bench, host->ops->cpus(host, &cpus, &n));
	CU_ASSERT_EQUAL_FATAL(n, 3);
	CU_ASSERT_TRUE(cpus[0].online && cpus[0].package == 0 && cpus[0].node == 1 && cpus[0].l3 == 0);
	CU_ASSERT_TRUE(cpus[1].cpu == 1 && !cpus[1].online && cpus[1].package == -1 && cpus[1].l3 == -1);
	CU_ASSERT_TRUE(cpus[2].cpu == 5 && cpus[2].online && cpus[2].package == -1 && cpus[2].l3 == 4);
	free(cpus);
	CU_ASSERT_EQUAL(host->ops->cpus(host, &cpus, &n), UNC_ENODATA);
	file_is("own:/proc/COMMAND/a b", "one\ntwo");
	fails_as(unc_host_file(host, "/y", 100, &text, &len), UNC_ENODEV, "/y: no");
	file_is("/empty", "");
	OK(&bench, unc_host_names(host, "/var/lock", &names, &n));
	CU_ASSERT_TRUE(n == 2 && strcmp(names[0], "a\nb") == 0 && strcmp(names[1], "c d") == 0);
	free((void *)names);
	OK(&bench, unc_host_names(host, "/none", &names, &n));
	CU_ASSERT_EQUAL(n, 0);
	free((void *)names);
	CU_ASSERT_EQUAL(unc_host_names(host, "/z", &names, &n), UNC_EPERM);
}

TEST(claims_and_links_come_from_the_record)
{
	const struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = 4}};
	char *target;

	open_text(HEAD "bus msr rw\nopen cpu4 4096\nclaim take cpu4 0xc8d 3\n"
		       "claim ask cpu4 0xc8d 3 !busy EBUSY another program has it\n"
		       "link /a%20b =!../c %25\nlink /b =\nlink /c !nodev ENOENT no such link\n"
		       "claim leave cpu4 0x0 0\n");
	CU_ASSERT_PTR_NULL(host->ops->identity);
	OK(&bench, host->ops->bus_open(host, UNC_MSR, true, &bus));
	OK(&bench, unc_space_open(bus, &addr, &space));
	OK(&bench, unc_space_claim(space, 0xc8d, 3, UNC_CLAIM_TAKE));
	fails_as(unc_space_claim(space, 0xc8d, 3, UNC_CLAIM_ASK), UNC_EBUSY, "another program has it");
	OK(&bench, unc_host_link(host, "/a b", &target));
	CU_ASSERT_STRING_EQUAL(target, "!../c %");
	free(target);
	OK(&bench, unc_host_link(host, "/b", &target));
	CU_ASSERT_STRING_EQUAL(target, "");
	free(target);
	CU_ASSERT_EQUAL(unc_host_link(host, "/c", &target), UNC_ENODEV);
	FAILS(&bench, UNC_EIO, unc_space_claim(space, 0xc8d, 3, UNC_CLAIM_LEAVE),
	      "(claim leave cpu4 0xc8d 3) is not in the record");
	differs(1);
}

/* ---- the answers of a place ---- */

static void open_place(const char *text)
{
	open_text(text);
	open_the_place();
}

TEST(each_answer_of_a_register_is_given_once_and_no_other)
{
	open_place(OPENED "r32 0000:ff:10.0 0xa0 0x1\nr32 0000:ff:10.0 0xa4 0x3\n"
			  "r32 0000:ff:10.0 0xa0 0x2\n");
	reads(0xa4, 3); /* another order, as no time was told between them */
	reads(0xa0, 1);
	reads(0xa0, 2);
	does_not_read(0xa0,
		      "the record has a read (r32 0000:ff:10.0 0xa0) 2 times, and this command asks for one more");
	differs(1);
	open_place(OPENED "r32 0000:ff:10.0 0xa0 0x1\n");
	does_not_read(0xa4, "a read (r32 0000:ff:10.0 0xa4) is not in the record; record this command");
	differs(1);
}

TEST(a_block_answers_reads_of_its_parts)
{
	unsigned char bytes[8];

	open_place(OPENED "rblk 0000:ff:10.0 0xa0 01000000020000000300000004000000\n"
			  "rblk 0000:ff:10.0 0xa0 05000000060000000700000008000000\n");
	OK(&bench, unc_read_block(space, 0xa0, bytes, 8));
	CU_ASSERT_EQUAL(unc_le64(bytes), 0x200000001);
	OK(&bench, unc_read_block(space, 0xa8, bytes, 8));
	CU_ASSERT_EQUAL(unc_le64(bytes), 0x400000003);
	reads(0xa0, 5);
	/* The two halves of a number are never taken from two reads. */
	CU_ASSERT_EQUAL(unc_read_block(space, 0xa0, bytes, 8), UNC_EIO);
	differs(1);
}

TEST(a_register_that_failed_fails_in_each_part)
{
	uint32_t value;

	open_place(OPENED "rblk 0000:ff:10.0 0xa0 *8 !io EIO it is broken\n");
	fails_as(unc_read32(space, 0xa4, &value), UNC_EIO, "it is broken");
}

#define WRITTEN OPENED "r32 0000:ff:10.0 0xa0 0x1\nw32 0000:ff:10.0 0xa4 0x00000007\nr32 0000:ff:10.0 0xa0 0x2\n"

TEST(writes_divide_the_answers)
{
	open_place(WRITTEN);
	OK(&bench, unc_write32(space, 0xa4, 7));
	reads(0xa0, 2); /* not what it was before */
	differs(0);
	open_place(WRITTEN);
	reads(0xa0, 1);
	does_not_read(0xa0,
		      "/r:7: the record has a write (w32 0000:ff:10.0 0xa4 0x00000007) next at that place, and this "
		      "command goes on with a read (r32 0000:ff:10.0 0xa0)");
	differs(1);
}

TEST(another_write_or_one_more_is_a_difference)
{
	static const struct {
		uint64_t off;
		uint32_t value;
	} others[] = {{0xa4, 8}, {0xa8, 7}};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		open_place(OPENED "w32 0000:ff:10.0 0xa4 0x00000007\n");
		FAILS(&bench, UNC_EIO, unc_write32(space, others[i].off, others[i].value),
		      "/r:6: the record has a write (w32 0000:ff:10.0 0xa4 0x00000007) next at "
		      "that place, and this command goes on with a write (w32 0000:ff:10.0 ");
		differs(1);
	}
	open_place(OPENED "w32 0000:ff:10.0 0xa4 0x00000007\n");
	OK(&bench, unc_write32(space, 0xa4, 7));
	FAILS(&bench, UNC_EIO, unc_write32(space, 0xa4, 7), "1 time, and this command asks for one more");
	differs(1);
}

TEST(a_number_is_never_that_of_another_time)
{
	open_place(OPENED "t r+10\nr32 0000:ff:10.0 0xa0 0x1\nt r+10\n"
			  "r32 0000:ff:10.0 0xa4 0x2\nt r+10\n");
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), 10);
	reads(0xa4, 2);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), 30); /* when that had been read */
	does_not_read(0xa0, "/r:7: the record has a read (r32 0000:ff:10.0 0xa0) only at another time");
	differs(1);
}

/* A command that shows the time where the recorded one did not. */
TEST(a_clock_that_was_not_read_goes_with_the_others)
{
	open_place(OPENED "t w+5000 m+100 r+200\nr32 0000:ff:10.0 0xa0 0x1\nt r+30 m+20\n"
			  "sleep m+50\nt m+50 r+50 w+100\n");
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), 100);
	reads(0xa0, 1);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), 230);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_REAL), 5030);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), 120);
	OK(&bench, host->ops->sleep_until(host, 170));
	CU_ASSERT_EQUAL(now(UNC_CLOCK_REAL), 5100);
}

TEST(a_sleep_until_another_time_is_a_difference)
{
	open_place(OPENED "t m+100\nsleep m+50\nt m+50\nsleep m+50\nt m+50\n");
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), 100);
	OK(&bench, host->ops->sleep_until(host, 200)); /* one was left out */
	CU_ASSERT_EQUAL(now(UNC_CLOCK_MONO), 200);
	FAILS(&bench, UNC_EIO, host->ops->sleep_until(host, 150), "the record has no further sleep");
	differs(1);
	open_place(OPENED "t m+100\nsleep m+50\nt m+50\n");
	FAILS(&bench, UNC_EIO, host->ops->sleep_until(host, 120), "/r:7: the record has no sleep that ends when");
	differs(1);
}

/* Nothing passes while a clock is looked at. */
TEST(a_wait_for_time_to_pass_ends)
{
	unsigned looks = 0;

	open_place(OPENED "t r+10\n");
	while (now(UNC_CLOCK_RAW) < 20 && looks < 100000)
		looks++;
	CU_ASSERT_TRUE(looks < 100000);
	differs(1);
}

TEST(what_does_not_change_may_be_asked_again)
{
	struct unc_cpuid_regs regs;
	char *text;

	open_text(HEAD "cpuid 0 0x1 0x0 1 2 3 4\ntext /a 1\n:a\nt r+1\ntext /a 1\n:b\n"
		       "bus pci rw\n");
	for (unsigned i = 0; i < 3; i++)
		OK(&bench, host->ops->cpuid(host, 0, 1, 0, &regs));
	OK(&bench, host->ops->bus_open(host, UNC_PCI, false, &bus));
	CU_ASSERT_FALSE(bus->writable); /* it only reads */
	file_is("/a", "a");
	file_is("/a", "b");
	FAILS(&bench, UNC_EIO, unc_host_file(host, "/a", 10, &text, NULL),
	      "the record has a file of the system (text /a) 2 times, and this command asks");
	differs(1);
}

/* A question that another version asks earlier does not take the time along. */
TEST(what_does_not_change_is_answered_before_its_time)
{
	struct unc_cpuid_regs regs;

	open_place(OPENED "t r+10\nr32 0000:ff:10.0 0xa0 0x1\nt r+10\ncpuid 0 0x1 0x0 1 2 3 4\nt r+10\n");
	OK(&bench, host->ops->cpuid(host, 0, 1, 0, &regs));
	CU_ASSERT_EQUAL(regs.edx, 4);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), 10);
	reads(0xa0, 1);
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), 20);
	OK(&bench, host->ops->cpuid(host, 0, 1, 0, &regs));
	CU_ASSERT_EQUAL(now(UNC_CLOCK_RAW), 30);
}

TEST(events_of_the_operating_system_come_from_the_record)
{
	open_text(HEAD "perf open 12 0x304 0x1 0x2 3 =10\nperf on 10\n"
		       "perf read 10 18446744073709551615 5000000000 4000000000\n"
		       "perf read 10 !io EIO it has stopped\n"
		       "perf off 10\nperf close 10\n"
		       "perf open 12 0x0 0x0 0x0 0 !nosup - there is none\n");
	PERF_ANSWERS(host, {"perf open 12 0x304 0x1 0x2 3", 0, "=10"}, {"perf on 10", 0, ""},
		     {"perf read 10", 0, "18446744073709551615 5000000000 4000000000"},
		     {"perf read 10", UNC_EIO, "it has stopped"}, {"perf off 10", 0, ""}, {"perf close 10", 0, ""},
		     {"perf open 12 0x0 0x0 0x0 0", UNC_ENOSUP, "there is none"});
}

/* One that is opened otherwise, in each of its numbers; and another deed with one that is open. */
TEST(another_event_is_a_difference)
{
#define NEXT_IS_ON                                                                                                     \
	"/r:5: the record has switching on an event of perf (perf on 10) next at that place, and this command goes "   \
	"on with "
	static const struct perf_row others[] = {
		{"perf open 13 0x4 0x1 0x2 3", UNC_EIO,
		 "opening an event of perf (perf open 13 0x4 0x1 0x2 3) is not in the record"},
		{"perf open 12 0x5 0x1 0x2 3", UNC_EIO, "(perf open 12 0x5 0x1 0x2 3) is not in the record"},
		{"perf open 12 0x4 0x0 0x2 3", UNC_EIO, "(perf open 12 0x4 0x0 0x2 3) is not in the record"},
		{"perf open 12 0x4 0x1 0x1 3", UNC_EIO, "(perf open 12 0x4 0x1 0x1 3) is not in the record"},
		{"perf open 12 0x4 0x1 0x2 2", UNC_EIO, "(perf open 12 0x4 0x1 0x2 2) is not in the record"},
		{"perf on 11", UNC_EIO, "/r: switching on an event of perf (perf on 11) is not in the record"},
		{"perf off 10", UNC_EIO, NEXT_IS_ON "switching off an event of perf (perf off 10)"},
		{"perf read 10", UNC_EIO, NEXT_IS_ON "reading an event of perf (perf read 10)"},
		{"perf close 10", UNC_EIO, NEXT_IS_ON "closing an event of perf (perf close 10)"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		open_text(HEAD "perf open 12 0x4 0x1 0x2 3 =10\nperf on 10\nperf read 10 1 2 3\n");
		perf_answers(host, 1, &others[i]);
		differs(1);
	}
}

TEST(another_file_of_the_system_is_a_difference)
{
	const char *const *names;
	size_t n;

	open_text(HEAD "text /proc/mounts 1\n:x\n");
	FAILS(&bench, UNC_EIO, unc_host_names(host, "/proc/mounts", &names, &n),
	      "what there is in a folder (names /proc/mounts) is not in the record");
	differs(1);
	open_text(HEAD "text /proc/mounts 1\n:x\n");
	FAILS(&bench, UNC_EIO, host->ops->cpus(host, &(struct unc_host_cpu *){NULL}, &n),
	      "which CPUs share what (cpus) is not in the record");
	differs(1);
}
