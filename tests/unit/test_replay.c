// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "access/replay.h"

#include "access/write.h"
#include "base/err.h"
#include "machine/machine.h"
#include "onrecord.h"
#include "tree.h"
#include "test.h"

static void count_difference(void *arg, const char *sentence)
{
	(void)sentence;
	++*(unsigned *)arg;
}

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

static void record(struct unc_ctx *ctx, struct text *text, uint64_t *ret_count)
{
	struct unc_machine_cfg cfg = {.machine = "sim:snbep,sockets=1,clock=step",
				      .writable = true,
				      .wake_fd = -1,
				      .record = add_line,
				      .record_arg = text};

	text->len = 0;
	CU_ASSERT_EQUAL_FATAL(measure(ctx, &cfg, ret_count), UNC_OK);
}

struct bench {
	struct tree tree;
	struct unc_ctx *ctx;
	struct text text;
	uint64_t count;
	unsigned differences;
	char machine[600];
};

static struct bench *bench_new(void)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	bench->tree = tree_new();
	CU_ASSERT_EQUAL_FATAL(unc_new(&bench->ctx), 0);
	snprintf(bench->machine, sizeof(bench->machine), "replay:%s/r", bench->tree.root);
	record(bench->ctx, &bench->text, &bench->count);
	return bench;
}

static void bench_free(struct bench *bench)
{
	tree_remove(&bench->tree);
	unc_free(bench->ctx);
	free(bench);
}

static int replay(struct bench *bench, const char *text, size_t len, uint64_t *ret_count)
{
	struct unc_machine_cfg cfg = {.machine = bench->machine,
				      .writable = true,
				      .wake_fd = -1,
				      .differs = count_difference,
				      .differs_arg = &bench->differences};

	bench->differences = 0;
	tree_bytes(&bench->tree, "r", text, len);
	return measure(bench->ctx, &cfg, ret_count);
}

TEST(a_record_runs_again_with_the_same_numbers)
{
	struct bench *bench = bench_new();
	uint64_t count = 0;

	CU_ASSERT_TRUE(bench->count > 0);
	CU_ASSERT_EQUAL(replay(bench, bench->text.bytes, bench->text.len, &count), UNC_OK);
	CU_ASSERT_EQUAL(count, bench->count);
	CU_ASSERT_EQUAL(bench->differences, 0);
	bench_free(bench);
}

static char *table_of(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, size_t *ret_len)
{
	struct unc_machine *m;
	char *table = NULL;

	CU_ASSERT_EQUAL_FATAL(unc_machine_open(ctx, cfg, &m), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(m->host->ops->file(m->host, "/sys/firmware/dmi/tables/DMI", 65536, &table, ret_len), 0);
	CU_ASSERT_EQUAL(unc_machine_close(m), UNC_OK);
	return table;
}

/* All of them are below 0x80 in a record. */
TEST(a_binary_file_is_the_same_to_the_byte)
{
	struct bench *bench = bench_new();
	struct unc_machine_cfg cfg = {
		.machine = "sim:hsx", .wake_fd = -1, .record = add_line, .record_arg = &bench->text};
	char *live, *again;
	size_t len, len_again;

	bench->text.len = 0;
	live = table_of(bench->ctx, &cfg, &len);
	CU_ASSERT(len > 400);
	for (size_t i = 0; i < bench->text.len; i++)
		CU_ASSERT(bench->text.bytes[i] > 0);
	tree_bytes(&bench->tree, "r", bench->text.bytes, bench->text.len);
	cfg = (struct unc_machine_cfg){.machine = bench->machine,
				       .wake_fd = -1,
				       .differs = count_difference,
				       .differs_arg = &bench->differences};
	again = table_of(bench->ctx, &cfg, &len_again);
	CU_ASSERT_EQUAL_FATAL(len_again, len);
	CU_ASSERT(memcmp(live, again, len) == 0);
	CU_ASSERT_EQUAL(bench->differences, 0);
	free(live);
	free(again);
	bench_free(bench);
}

/* Wherever it is cut: no run that has all its answers is taken for a whole one, and all end. */
TEST(a_record_that_is_cut_anywhere_ends_the_run)
{
	struct bench *bench = bench_new();
	uint64_t count;

	for (size_t len = 0; len < bench->text.len; len++) {
		int rc = replay(bench, bench->text.bytes, len, &count);

		/* What lets go of a box has no result: there the difference alone tells, which ends a command. */
		CU_ASSERT_TRUE(rc < 0 || bench->differences == 1);
		CU_ASSERT_TRUE(rc == UNC_EARG || bench->differences == 1);
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx), "/r:"));
	}
	bench_free(bench);
}

TEST(a_record_with_any_byte_changed_ends_the_run)
{
	static const char others[] = {'0', ' ', '\n', '%', '!', '*', '-', 'z', '\0', '\x7f', '9'};
	struct bench *bench = bench_new();
	uint64_t count;

	for (size_t at = 0; at < bench->text.len; at++) {
		char before = bench->text.bytes[at];

		bench->text.bytes[at] = others[at % sizeof(others)];
		replay(bench, bench->text.bytes, bench->text.len, &count);
		CU_ASSERT_TRUE(bench->differences <= 1);
		bench->text.bytes[at] = before;
	}
	bench_free(bench);
}

/* Then the run ends, or the count is the same: where a time is missing that it does not depend on, or one of two same answers. */
TEST(every_line_may_be_missing)
{
	struct bench *bench = bench_new();
	char *copy = malloc(bench->text.len);
	uint64_t count;

	for (size_t at = 0; at < bench->text.len;) {
		size_t end = (size_t)(strchr(bench->text.bytes + at, '\n') + 1 - bench->text.bytes);
		bool fact = strncmp(bench->text.bytes + at, "simulated", 9) == 0 ||
			    strncmp(bench->text.bytes + at, "stands_still", 12) == 0;

		int rc;

		memcpy(copy, bench->text.bytes, at);
		memcpy(copy + at, bench->text.bytes + end, bench->text.len - end);
		rc = replay(bench, copy, bench->text.len - (end - at), &count);
		CU_ASSERT_TRUE(rc < 0 || fact || bench->differences == 1 || count == bench->count);
		at = end;
	}
	free(copy);
	bench_free(bench);
}

/* ---- by hand ---- */

static struct unc_host *open_text(struct bench *bench, const char *text)
{
	struct unc_host *host = NULL;

	tree_text(&bench->tree, "r", text);
	CU_ASSERT_EQUAL_FATAL(unc_replay_open(bench->ctx, bench->machine + strlen("replay:"), -1, &host), UNC_OK);
	CU_ASSERT_TRUE(unc_replay_on_difference(host, count_difference, &bench->differences));
	return host;
}

#define HEAD "uncorectl-record/2\nmachine live\nbegin\n"

TEST(what_failed_fails_again_with_its_sentence)
{
	struct bench *bench = bench_new();
	struct unc_host *host = open_text(bench, HEAD "bus msr ro !perm EACCES open: 100%25 no\n"
						      "bus pci ro\n"
						      "list pci !nodev - there is none\n"
						      "open 0000:ff:10.0 !io - broken\n"
						      "sleep forever !again -\n"
						      "topology !nodata - not told\n");
	const struct unc_addr addr = {.kind = UNC_PCI, .pci = {.bus = 0xff, .dev = 0x10}};
	struct unc_addr *addrs;
	struct unc_space *space;
	struct unc_topo topo;
	struct unc_bus *bus;
	size_t n;

	CU_ASSERT_EQUAL(host->ops->bus_open(host, UNC_MSR, false, &bus), UNC_EPERM);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(bench->ctx), "open: 100% no");
	CU_ASSERT_STRING_EQUAL(unc_err_name(bench->ctx, UNC_EPERM), "EACCES");
	CU_ASSERT_EQUAL_FATAL(host->ops->bus_open(host, UNC_PCI, false, &bus), UNC_OK);
	CU_ASSERT_EQUAL(unc_bus_list(bus, &addrs, &n), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_space_open(bus, &addr, &space), UNC_EIO);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(bench->ctx), "broken");
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, UINT64_MAX), UNC_EAGAIN);
	CU_ASSERT_EQUAL(host->ops->topology(host, &topo), UNC_ENODATA);
	unc_bus_close(bus);
	unc_host_close(host);
	CU_ASSERT_EQUAL(bench->differences, 0);
	bench_free(bench);
}

TEST(after_a_difference_everything_fails_and_time_goes_on)
{
	struct bench *bench = bench_new();
	struct unc_host *host = open_text(bench, HEAD "t r+100 m+50 m-10\nbus pci rw\nopen cpu3 4294967296\n");
	struct unc_cpuid_regs regs;
	struct unc_topo topo;
	struct unc_bus *bus;
	uint64_t now_ns;

	CU_ASSERT_EQUAL(host->ops->now_ns(host, UNC_CLOCK_RAW), 100);
	CU_ASSERT_EQUAL(host->bystander->ops->now_ns(host->bystander, UNC_CLOCK_RAW), 100);
	CU_ASSERT_EQUAL(host->ops->now_ns(host, UNC_CLOCK_MONO), 50);
	CU_ASSERT_EQUAL(host->ops->now_ns(host, UNC_CLOCK_MONO), 40);
	CU_ASSERT_EQUAL(host->ops->cpuid(host, 0, 1, 0, &regs), UNC_EIO);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx),
				      "/r: CPUID (cpuid 0 0x1 0x0) is not in the record; record this command"));
	CU_ASSERT_EQUAL(host->ops->bus_open(host, UNC_PCI, true, &bus), UNC_EIO);
	CU_ASSERT_EQUAL(host->ops->topology(host, &topo), UNC_EIO);
	now_ns = host->ops->now_ns(host, UNC_CLOCK_MONO);
	CU_ASSERT_TRUE(now_ns > 40);
	/* Who waits in a loop for something to happen would wait for ever. */
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, now_ns + 1000), UNC_EIO);
	CU_ASSERT_TRUE(host->ops->now_ns(host, UNC_CLOCK_MONO) > now_ns);
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, UINT64_MAX), UNC_EIO);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx), "/r: CPUID "));
	unc_host_close(host);
	CU_ASSERT_EQUAL(bench->differences, 1);
	bench_free(bench);
}

TEST(a_record_that_never_tells_how_the_command_ended_is_over)
{
	static const char *const texts[] = {HEAD, HEAD "bus pci rw\n", HEAD "ended 3 99999999\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct bench *bench = bench_new();
		struct unc_host *host = open_text(bench, texts[i]);
		unsigned asked = 0;
		int number = 0;

		while (asked < 100000 && !unc_replay_asks(host, UNC_RECORD_ENDED, &number))
			asked++;
		CU_ASSERT_TRUE(asked < 100000);
		CU_ASSERT_EQUAL(number, 1);
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx), "does not tell how the COMMAND ended"));
		unc_host_close(host);
		CU_ASSERT_EQUAL(bench->differences, 1);
		bench_free(bench);
	}
}

TEST(an_ending_comes_at_its_question)
{
	struct bench *bench = bench_new();
	struct unc_host *host = open_text(bench, HEAD "signal 2 2\nt r+1\nended 7 1\n");
	int number = 0;

	CU_ASSERT_FALSE(unc_replay_asks(host, UNC_RECORD_SIGNAL, &number));
	CU_ASSERT_FALSE(unc_replay_asks(host, UNC_RECORD_ENDED, &number));
	CU_ASSERT_TRUE(unc_replay_asks(host, UNC_RECORD_SIGNAL, &number));
	CU_ASSERT_EQUAL(number, 2);
	CU_ASSERT_FALSE(unc_replay_asks(host, UNC_RECORD_ENDED, &number));
	host->ops->now_ns(host, UNC_CLOCK_RAW);
	CU_ASSERT_TRUE(unc_replay_asks(host, UNC_RECORD_ENDED, &number));
	CU_ASSERT_EQUAL(number, 7);
	unc_host_close(host);
	CU_ASSERT_EQUAL(bench->differences, 0);
	bench_free(bench);
}

TEST(map_files_come_from_the_record)
{
	struct bench *bench = bench_new();
	struct unc_host *host = open_text(bench, "uncorectl-record/2\nmachine live\nmaps\nbegin\n"
						 "maps 2\n+ a.yaml\n+ b%25.yaml\n"
						 "file a.yaml 10\n|one: 1\n:%09%25x\n"
						 "file b.yaml !perm - not trusted\n");
	const char *const *names;
	size_t n, len;
	char *text;

	CU_ASSERT_STRING_EQUAL(host->map_dir, "REGS");
	CU_ASSERT_EQUAL(unc_files_list(bench->ctx, "REGS", &names, &n), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(n, 2);
	CU_ASSERT_STRING_EQUAL(names[1], "b%.yaml");
	free((void *)names);
	CU_ASSERT_EQUAL_FATAL(unc_files_read(bench->ctx, "REGS/a.yaml", 100, UNC_TRUST_OWNED, &text, &len), UNC_OK);
	CU_ASSERT_EQUAL(len, 10);
	CU_ASSERT_STRING_EQUAL(text, "one: 1\n\t%x");
	free(text);
	CU_ASSERT_EQUAL(unc_files_read(bench->ctx, "REGS/b.yaml", 100, UNC_TRUST_OWNED, &text, &len), UNC_EPERM);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(bench->ctx), "not trusted");
	unc_host_close(host);
	CU_ASSERT_PTR_NULL(bench->ctx->files);
	CU_ASSERT_EQUAL(bench->differences, 0);
	bench_free(bench);
}

TEST(cpus_and_files_of_the_system_come_from_the_record)
{
	struct bench *bench = bench_new();
	struct unc_host *host = open_text(bench, HEAD "cpus 3\n+ 0:0:1:0 1:off\n+ 5:-:-:4\n"
						      "cpus !nodata - not told\n"
						      "text own:/proc/COMMAND/a%20b 7\n|one\n:two\n"
						      "text /y !nodev ENOENT /y: no\n"
						      "text /empty 0\n"
						      "names /var/lock 2\n+ a%0Ab\n+ c d\n"
						      "names /none 0\n"
						      "names /z !perm EACCES /z: no\n");
	struct unc_host_cpu *cpus;
	const char *const *names;
	size_t n, len;
	char *text;

	CU_ASSERT_EQUAL_FATAL(host->ops->cpus(host, &cpus, &n), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(n, 3);
	CU_ASSERT_TRUE(cpus[0].online && cpus[0].package == 0 && cpus[0].node == 1 && cpus[0].l3 == 0);
	CU_ASSERT_TRUE(cpus[1].cpu == 1 && !cpus[1].online && cpus[1].package == -1 && cpus[1].l3 == -1);
	CU_ASSERT_TRUE(cpus[2].cpu == 5 && cpus[2].online && cpus[2].package == -1 && cpus[2].l3 == 4);
	free(cpus);
	CU_ASSERT_EQUAL(host->ops->cpus(host, &cpus, &n), UNC_ENODATA);
	CU_ASSERT_EQUAL_FATAL(host->ops->file(host, "own:/proc/COMMAND/a b", 100, &text, &len), UNC_OK);
	CU_ASSERT_EQUAL(len, 7);
	CU_ASSERT_STRING_EQUAL(text, "one\ntwo");
	free(text);
	CU_ASSERT_EQUAL(host->ops->file(host, "/y", 100, &text, &len), UNC_ENODEV);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(bench->ctx), "/y: no");
	CU_ASSERT_EQUAL_FATAL(host->ops->file(host, "/empty", 100, &text, NULL), UNC_OK);
	CU_ASSERT_STRING_EQUAL(text, "");
	free(text);
	CU_ASSERT_EQUAL_FATAL(host->ops->names(host, "/var/lock", &names, &n), UNC_OK);
	CU_ASSERT_TRUE(n == 2 && strcmp(names[0], "a\nb") == 0 && strcmp(names[1], "c d") == 0);
	free((void *)names);
	CU_ASSERT_EQUAL_FATAL(host->ops->names(host, "/none", &names, &n), UNC_OK);
	CU_ASSERT_EQUAL(n, 0);
	free((void *)names);
	CU_ASSERT_EQUAL(host->ops->names(host, "/z", &names, &n), UNC_EPERM);
	unc_host_close(host);
	CU_ASSERT_EQUAL(bench->differences, 0);
	bench_free(bench);
}

TEST(claims_and_links_come_from_the_record)
{
	static const char text[] = HEAD "bus msr rw\nopen cpu4 4096\nclaim take cpu4 0xc8d 3\n"
					"claim ask cpu4 0xc8d 3 !busy EBUSY somebody has it\n"
					"link /a%20b =!../c %25\nlink /b =\nlink /c !nodev ENOENT no such link\n"
					"claim leave cpu4 0x0 0\n";
	const struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = 4}};
	struct bench *bench = bench_new();
	struct unc_space *space;
	struct unc_host *host;
	struct unc_bus *bus;
	char *target;

	tree_text(&bench->tree, "r", text);
	CU_ASSERT_EQUAL_FATAL(unc_replay_open(bench->ctx, bench->machine + strlen("replay:"), -1, &host), UNC_OK);
	CU_ASSERT_PTR_NULL(host->ops->identity);
	CU_ASSERT_EQUAL_FATAL(host->ops->bus_open(host, UNC_MSR, true, &bus), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(unc_space_open(bus, &addr, &space), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(space, 0xc8d, 3, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(space, 0xc8d, 3, UNC_CLAIM_ASK), UNC_EBUSY);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(bench->ctx), "somebody has it");
	CU_ASSERT_EQUAL_FATAL(host->ops->link(host, "/a b", &target), UNC_OK);
	CU_ASSERT_STRING_EQUAL(target, "!../c %");
	free(target);
	CU_ASSERT_EQUAL_FATAL(host->ops->link(host, "/b", &target), UNC_OK);
	CU_ASSERT_STRING_EQUAL(target, "");
	free(target);
	CU_ASSERT_EQUAL(host->ops->link(host, "/c", &target), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_space_claim(space, 0xc8d, 3, UNC_CLAIM_LEAVE), UNC_EIO);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx), "(claim leave cpu4 0xc8d 3) is not in the record"));
	unc_space_close(space);
	unc_bus_close(bus);
	unc_host_close(host);
	bench_free(bench);
}

/* ---- the answers of a place ---- */

/* A replay of one function, and what may be asked of it. */
struct place {
	struct bench *bench;
	struct unc_host *host;
	struct unc_bus *bus;
	struct unc_space *space;
};

#define OPENED HEAD "bus pci rw\nopen 0000:ff:10.0 256\n"

static struct place place_open(const char *text)
{
	const struct unc_addr addr = {.kind = UNC_PCI, .pci = {.bus = 0xff, .dev = 0x10}};
	struct place place = {.bench = bench_new()};

	place.host = open_text(place.bench, text);
	CU_ASSERT_EQUAL_FATAL(place.host->ops->bus_open(place.host, UNC_PCI, true, &place.bus), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(unc_space_open(place.bus, &addr, &place.space), UNC_OK);
	return place;
}

static void place_close(struct place *place, unsigned differences)
{
	unc_space_close(place->space);
	unc_bus_close(place->bus);
	unc_host_close(place->host);
	CU_ASSERT_EQUAL(place->bench->differences, differences);
	bench_free(place->bench);
}

static void reads(struct place *place, uint64_t off, uint32_t wanted)
{
	uint32_t value = 0;

	CU_ASSERT_EQUAL(unc_read32(place->space, off, &value), UNC_OK);
	CU_ASSERT_EQUAL(value, wanted);
}

/* Ends as every difference does, and the number is not touched. */
static void does_not_read(struct place *place, uint64_t off, const char *why)
{
	uint32_t value = 4711;

	CU_ASSERT_EQUAL(unc_read32(place->space, off, &value), UNC_EIO);
	CU_ASSERT_EQUAL(value, 4711);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(place->bench->ctx), why));
	if (!strstr(unc_errmsg(place->bench->ctx), why))
		printf("%s\n", unc_errmsg(place->bench->ctx));
}

static uint64_t now(struct place *place, enum unc_clock clock)
{
	return place->host->ops->now_ns(place->host, clock);
}

TEST(each_answer_of_a_register_is_given_once)
{
	struct place place = place_open(OPENED "r32 0000:ff:10.0 0xa0 0x1\nr32 0000:ff:10.0 0xa4 0x3\n"
					       "r32 0000:ff:10.0 0xa0 0x2\n");

	reads(&place, 0xa4, 3); /* another order, as no time was told between them */
	reads(&place, 0xa0, 1);
	reads(&place, 0xa0, 2);
	does_not_read(&place, 0xa0,
		      "the record has a read (r32 0000:ff:10.0 0xa0) 2 times, and this command asks for one more");
	place_close(&place, 1);
}

TEST(a_register_that_was_not_recorded_has_no_number)
{
	struct place place = place_open(OPENED "r32 0000:ff:10.0 0xa0 0x1\n");

	does_not_read(&place, 0xa4, "a read (r32 0000:ff:10.0 0xa4) is not in the record; record this command");
	place_close(&place, 1);
}

TEST(a_block_answers_reads_of_its_parts)
{
	struct place place = place_open(OPENED "rblk 0000:ff:10.0 0xa0 01000000020000000300000004000000\n"
					       "rblk 0000:ff:10.0 0xa0 05000000060000000700000008000000\n");
	unsigned char bytes[8];

	CU_ASSERT_EQUAL(unc_read_block(place.space, 0xa0, bytes, 8), UNC_OK);
	CU_ASSERT_EQUAL(unc_le64(bytes), 0x200000001);
	CU_ASSERT_EQUAL(unc_read_block(place.space, 0xa8, bytes, 8), UNC_OK);
	CU_ASSERT_EQUAL(unc_le64(bytes), 0x400000003);
	reads(&place, 0xa0, 5);
	/* The two halves of a number are never taken from two reads. */
	CU_ASSERT_EQUAL(unc_read_block(place.space, 0xa0, bytes, 8), UNC_EIO);
	place_close(&place, 1);
}

TEST(a_register_that_failed_fails_in_each_part)
{
	struct place place = place_open(OPENED "rblk 0000:ff:10.0 0xa0 *8 !io EIO it is broken\n");
	uint32_t value;

	CU_ASSERT_EQUAL(unc_read32(place.space, 0xa4, &value), UNC_EIO);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(place.bench->ctx), "it is broken");
	place_close(&place, 0);
}

#define WRITTEN OPENED "r32 0000:ff:10.0 0xa0 0x1\nw32 0000:ff:10.0 0xa4 0x00000007\nr32 0000:ff:10.0 0xa0 0x2\n"

TEST(writes_divide_the_answers)
{
	struct place place = place_open(WRITTEN);

	CU_ASSERT_EQUAL(unc_write32(place.space, 0xa4, 7), UNC_OK);
	reads(&place, 0xa0, 2); /* not what it was before */
	place_close(&place, 0);
	place = place_open(WRITTEN);
	reads(&place, 0xa0, 1);
	does_not_read(&place, 0xa0,
		      "/r:7: the record has a write (w32 0000:ff:10.0 0xa4 0x00000007) next at that place, and this "
		      "command goes on with a read (r32 0000:ff:10.0 0xa0)");
	place_close(&place, 1);
}

TEST(another_write_is_a_difference)
{
	static const struct {
		uint64_t off;
		uint32_t value;
	} others[] = {{0xa4, 8}, {0xa8, 7}};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct place place = place_open(OPENED "w32 0000:ff:10.0 0xa4 0x00000007\n");

		CU_ASSERT_EQUAL(unc_write32(place.space, others[i].off, others[i].value), UNC_EIO);
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(place.bench->ctx),
					      "/r:6: the record has a write (w32 0000:ff:10.0 0xa4 0x00000007) next at "
					      "that place, and this command goes on with a write (w32 0000:ff:10.0 "));
		place_close(&place, 1);
	}
}

TEST(a_write_more_than_was_recorded_is_a_difference)
{
	struct place place = place_open(OPENED "w32 0000:ff:10.0 0xa4 0x00000007\n");

	CU_ASSERT_EQUAL(unc_write32(place.space, 0xa4, 7), UNC_OK);
	CU_ASSERT_EQUAL(unc_write32(place.space, 0xa4, 7), UNC_EIO);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(place.bench->ctx), "1 time, and this command asks for one more"));
	place_close(&place, 1);
}

TEST(a_number_is_never_that_of_another_time)
{
	struct place place = place_open(OPENED "t r+10\nr32 0000:ff:10.0 0xa0 0x1\nt r+10\n"
					       "r32 0000:ff:10.0 0xa4 0x2\nt r+10\n");

	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_RAW), 10);
	reads(&place, 0xa4, 2);
	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_RAW), 30); /* when that had been read */
	does_not_read(&place, 0xa0, "/r:7: the record has a read (r32 0000:ff:10.0 0xa0) only at another time");
	place_close(&place, 1);
}

/* A command that shows the time where the recorded one did not. */
TEST(a_clock_that_was_not_read_goes_with_the_others)
{
	struct place place = place_open(OPENED "t w+5000 m+100 r+200\nr32 0000:ff:10.0 0xa0 0x1\nt r+30 m+20\n"
					       "sleep m+50\nt m+50 r+50 w+100\n");

	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_MONO), 100);
	reads(&place, 0xa0, 1);
	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_RAW), 230);
	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_REAL), 5030);
	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_MONO), 120);
	CU_ASSERT_EQUAL(place.host->ops->sleep_until(place.host, 170), UNC_OK);
	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_REAL), 5100);
	place_close(&place, 0);
}

TEST(a_sleep_until_another_time_is_a_difference)
{
	struct place place = place_open(OPENED "t m+100\nsleep m+50\nt m+50\nsleep m+50\nt m+50\n");

	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_MONO), 100);
	CU_ASSERT_EQUAL(place.host->ops->sleep_until(place.host, 200), UNC_OK); /* one was left out */
	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_MONO), 200);
	CU_ASSERT_EQUAL(place.host->ops->sleep_until(place.host, 150), UNC_EIO);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(place.bench->ctx), "the record has no further sleep"));
	place_close(&place, 1);
	place = place_open(OPENED "t m+100\nsleep m+50\nt m+50\n");
	CU_ASSERT_EQUAL(place.host->ops->sleep_until(place.host, 120), UNC_EIO);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(place.bench->ctx), "/r:7: the record has no sleep that ends when"));
	place_close(&place, 1);
}

/* Nothing passes while a clock is looked at. */
TEST(a_wait_for_time_to_pass_ends)
{
	struct place place = place_open(OPENED "t r+10\n");
	unsigned looks = 0;

	while (now(&place, UNC_CLOCK_RAW) < 20 && looks < 100000)
		looks++;
	CU_ASSERT_TRUE(looks < 100000);
	place_close(&place, 1);
}

TEST(what_does_not_change_may_be_asked_again)
{
	struct bench *bench = bench_new();
	struct unc_host *host = open_text(bench, HEAD "cpuid 0 0x1 0x0 1 2 3 4\ntext /a 1\n:a\nt r+1\ntext /a 1\n:b\n"
						      "bus pci rw\n");
	struct unc_cpuid_regs regs;
	struct unc_bus *bus;
	char *text;

	for (unsigned i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(host->ops->cpuid(host, 0, 1, 0, &regs), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(host->ops->bus_open(host, UNC_PCI, false, &bus), UNC_OK);
	CU_ASSERT_FALSE(bus->writable); /* it only reads */
	unc_bus_close(bus);
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL_FATAL(host->ops->file(host, "/a", 10, &text, NULL), UNC_OK);
		CU_ASSERT_STRING_EQUAL(text, i ? "b" : "a");
		free(text);
	}
	CU_ASSERT_EQUAL(host->ops->file(host, "/a", 10, &text, NULL), UNC_EIO);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx),
				      "the record has a file of the system (text /a) 2 times, and this command asks"));
	unc_host_close(host);
	CU_ASSERT_EQUAL(bench->differences, 1);
	bench_free(bench);
}

/* A question that another version asks earlier does not take the time along. */
TEST(what_does_not_change_is_answered_before_its_time)
{
	struct place place =
		place_open(OPENED "t r+10\nr32 0000:ff:10.0 0xa0 0x1\nt r+10\ncpuid 0 0x1 0x0 1 2 3 4\nt r+10\n");
	struct unc_cpuid_regs regs;

	CU_ASSERT_EQUAL(place.host->ops->cpuid(place.host, 0, 1, 0, &regs), UNC_OK);
	CU_ASSERT_EQUAL(regs.edx, 4);
	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_RAW), 10);
	reads(&place, 0xa0, 1);
	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_RAW), 20);
	CU_ASSERT_EQUAL(place.host->ops->cpuid(place.host, 0, 1, 0, &regs), UNC_OK);
	CU_ASSERT_EQUAL(now(&place, UNC_CLOCK_RAW), 30);
	place_close(&place, 0);
}

TEST(an_older_format_is_refused_in_a_sentence)
{
	struct bench *bench = bench_new();
	struct unc_host *host;

	tree_text(&bench->tree, "r", "uncorectl-record/1\nmachine live\nbegin\n");
	CU_ASSERT_EQUAL(unc_replay_open(bench->ctx, bench->machine + strlen("replay:"), -1, &host), UNC_EARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx),
				      "/r:1: this record has the format uncorectl-record/1, which "
				      "this version does not read"));
	bench_free(bench);
}

#define NONE "perf open 12 0x0 0x0 0x0 0 !nosup - there is none\n"

TEST(events_of_the_operating_system_come_from_the_record)
{
	struct bench *bench = bench_new();
	struct unc_host *host = open_text(bench, HEAD "perf open 12 0x304 0x1 0x2 3 =10\nperf on 10\n"
						      "perf read 10 18446744073709551615 5000000000 4000000000\n"
						      "perf read 10 !io EIO it has stopped\n"
						      "perf off 10\nperf close 10\n" NONE);
	const struct unc_perf_attr attr = {12, 0x304, 1, 2, 3}, other = {.type = 12};
	struct unc_perf_count count = {0};
	unsigned event = 0;

	CU_ASSERT_EQUAL_FATAL(host->ops->perf_open(host, &attr, &event), UNC_OK);
	CU_ASSERT_EQUAL(event, 10);
	CU_ASSERT_EQUAL(host->ops->perf(host, UNC_PERF_ON, event, NULL), UNC_OK);
	CU_ASSERT_EQUAL(host->ops->perf(host, UNC_PERF_READ, event, &count), UNC_OK);
	CU_ASSERT_TRUE(count.value == UINT64_MAX && count.enabled_ns == 5000000000 && count.running_ns == 4000000000);
	count.value = 4711;
	CU_ASSERT_EQUAL(host->ops->perf(host, UNC_PERF_READ, event, &count), UNC_EIO);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(bench->ctx), "it has stopped");
	CU_ASSERT_EQUAL(count.value, 4711);
	CU_ASSERT_EQUAL(host->ops->perf(host, UNC_PERF_OFF, event, NULL), UNC_OK);
	CU_ASSERT_EQUAL(host->ops->perf(host, UNC_PERF_CLOSE, event, NULL), UNC_OK);
	event = 99;
	CU_ASSERT_EQUAL(host->ops->perf_open(host, &other, &event), UNC_ENOSUP);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(bench->ctx), "there is none");
	CU_ASSERT_EQUAL(event, 99);
	unc_host_close(host);
	CU_ASSERT_EQUAL(bench->differences, 0);
	bench_free(bench);
}

/* One that is opened otherwise, in each of its numbers. */
TEST(another_event_is_a_difference)
{
	static const struct unc_perf_attr others[] = {
		{13, 4, 1, 2, 3}, {12, 5, 1, 2, 3}, {12, 4, 0, 2, 3}, {12, 4, 1, 1, 3}, {12, 4, 1, 2, 2},
	};
	struct bench *bench = bench_new();

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct unc_host *host = open_text(bench, HEAD "perf open 12 0x4 0x1 0x2 3 =10\n");
		unsigned event;

		CU_ASSERT_EQUAL(host->ops->perf_open(host, &others[i], &event), UNC_EIO);
		CU_ASSERT_EQUAL(bench->differences, i + 1);
		unc_host_close(host);
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx),
				      "opening an event of perf (perf open 12 0x4 0x1 0x2 2) is not in the record"));
	bench_free(bench);
}

TEST(another_deed_with_an_event_is_a_difference)
{
	static const struct {
		enum unc_perf_op op;
		unsigned event;
		const char *what;
	} others[] = {
		{UNC_PERF_ON, 11, "/r: switching on an event of perf (perf on 11) is not in the record"},
		{UNC_PERF_OFF, 10,
		 "/r:4: the record has switching on an event of perf (perf on 10) next at that place, and this command "
		 "goes on with switching off an event of perf (perf off 10)"},
		{UNC_PERF_READ, 10,
		 "/r:4: the record has switching on an event of perf (perf on 10) next at that place, and this command "
		 "goes on with reading an event of perf (perf read 10)"},
		{UNC_PERF_CLOSE, 10, "and this command goes on with closing an event of perf (perf close 10)"},
	};
	struct bench *bench = bench_new();

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct unc_host *host = open_text(bench, HEAD "perf on 10\nperf read 10 1 2 3\n");
		struct unc_perf_count count;

		CU_ASSERT_EQUAL(host->ops->perf(host, others[i].op, others[i].event, &count), UNC_EIO);
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx), others[i].what));
		CU_ASSERT_EQUAL(bench->differences, i + 1);
		unc_host_close(host);
	}
	bench_free(bench);
}

TEST(another_file_of_the_system_is_a_difference)
{
	struct bench *bench = bench_new();
	struct unc_host *host = open_text(bench, HEAD "text /proc/mounts 1\n:x\n");
	const char *const *names;
	size_t n;

	CU_ASSERT_EQUAL(host->ops->names(host, "/proc/mounts", &names, &n), UNC_EIO);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(unc_errmsg(bench->ctx), "what there is in a folder (names /proc/mounts) is not in the record"));
	unc_host_close(host);
	host = open_text(bench, HEAD "text /proc/mounts 1\n:x\n");
	CU_ASSERT_EQUAL(host->ops->cpus(host, &(struct unc_host_cpu *){NULL}, &n), UNC_EIO);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx), "which CPUs share what (cpus) is not in the record"));
	unc_host_close(host);
	CU_ASSERT_EQUAL(bench->differences, 2);
	bench_free(bench);
}

TEST(a_folder_of_files_has_an_alias)
{
	struct bench *bench = bench_new();
	struct unc_machine_cfg cfg = {.wake_fd = -1, .record = add_line, .record_arg = &bench->text};
	struct unc_host *host;
	struct unc_machine *m;
	char name[1200], *text;

	tree_text(&bench->tree, "proc/sys/kernel/osrelease", "x\n");
	snprintf(name, sizeof(name), "sim:snbep,files=%s/,sockets=1,clock=step,state=%s/s", bench->tree.root,
		 bench->tree.root);
	cfg.machine = name;
	bench->text.len = 0;
	CU_ASSERT_EQUAL_FATAL(unc_machine_open(bench->ctx, &cfg, &m), UNC_OK);
	host = m->host;
	CU_ASSERT_EQUAL_FATAL(host->ops->file(host, "/proc/sys/kernel/osrelease", 100, &text, NULL), UNC_OK);
	free(text);
	CU_ASSERT_EQUAL(host->ops->file(host, "/proc/stat", 100, &text, NULL), UNC_ENODEV);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx), "DIR//proc/stat"));
	unc_machine_close(m);
	CU_ASSERT_PTR_NOT_NULL(strstr(bench->text.bytes, "sim:snbep,files=DIR,sockets=1,clock=step,state=FILE\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(bench->text.bytes, "text /proc/sys/kernel/osrelease 2\n|x\ntext /proc/stat !nodev ENOENT "));
	CU_ASSERT_PTR_NULL(strstr(bench->text.bytes, bench->tree.root));
	bench_free(bench);
}

TEST(a_dump_as_a_model_has_an_alias)
{
	struct bench *bench = bench_new();
	struct unc_machine_cfg cfg = {.wake_fd = -1, .record = add_line, .record_arg = &bench->text};
	struct unc_machine *m;
	char name[700];

	tree_text(&bench->tree, "dump",
		  "basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\n"
		  "basic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff\n");
	snprintf(name, sizeof(name), "sim:cpuid=%s/dump,clock=step", bench->tree.root);
	cfg.machine = name;
	bench->text.len = 0;
	CU_ASSERT_EQUAL_FATAL(unc_machine_open(bench->ctx, &cfg, &m), UNC_OK);
	unc_machine_close(m);
	CU_ASSERT_PTR_NOT_NULL(strstr(bench->text.bytes, "machine sim:cpuid=FILE,clock=step\n"));
	CU_ASSERT_PTR_NULL(strstr(bench->text.bytes, bench->tree.root));
	bench_free(bench);
}

TEST(the_head_tells_the_run)
{
	struct bench *bench = bench_new();
	struct unc_replay_head head;

	tree_text(
		&bench->tree, "r",
		"uncorectl-record/2\nprogram 1.2\nutc -3600\noption mem\noption \noption a%0Ab\nmachine x\nsimulated\n"
		"maps\nbegin\n");
	CU_ASSERT_EQUAL_FATAL(unc_replay_head_read(bench->ctx, bench->machine + strlen("replay:"), &head), UNC_OK);
	CU_ASSERT_STRING_EQUAL(head.program, "1.2");
	CU_ASSERT_EQUAL(head.utc_s, -3600);
	CU_ASSERT_EQUAL_FATAL(head.n_options, 3);
	CU_ASSERT_STRING_EQUAL(head.options[1], "");
	CU_ASSERT_STRING_EQUAL(head.options[2], "a\nb");
	CU_ASSERT_TRUE(head.simulated && head.maps && !head.stands_still);
	unc_replay_head_clear(&head);
	bench_free(bench);
}

/* Each is one line that nobody writes. */
TEST(what_makes_no_sense_is_refused_with_its_line)
{
	static const char *const lines[] = {
		"nonsense",
		"",
		"t",
		"t r+",
		"t x+1",
		"t r+18446744073709551616",
		"sleep m*1",
		"sleep",
		"cpuid 0 0x0 0x0 1 2 3",
		"cpuid 0 0x0 0x0 1 2 3 4 5",
		"cpuid 0 0x100000000 0x0 1 2 3 4",
		"topology 1",
		"topology 1 0 0",
		"topology 1 0 0:1",
		"topology 1 0 0:1:x",
		"topology 1 0 0:1:0:0",
		"bus usb ro",
		"bus pci rx",
		"bus pci ro !well EIO no",
		"bus pci ro !io",
		"list pci 1",
		"list pci 1\n+ 0000:ff:10.0 0000:ff:10.1",
		"list pci 99999999",
		"open 0000:ff:10.9 1",
		"open 0:ff:10.0 1",
		"open 0000:ff:10.0",
		"r32 0000:ff:10.0 0x0 0x100000000",
		"r64 0000:ff:10.0 0x0 0x1",
		"rblk 0000:ff:10.0 0x0 123",
		"rblk 0000:ff:10.0 0x0 ",
		"rblk 0000:ff:10.0 0x0 12345678",
		"rblk 0000:ff:10.0 0x0 *16",
		"wblk 0000:ff:10.0 0x0 *16 !io EIO x",
		"rblk 0000:ff:10.0 0x0 *99999 !io EIO x",
		"w16 0000:ff:10.0 0x0 0x1",
		"note %zz",
		"note a%00b",
		"signal 0 1",
		"signal 300 1",
		"ended 256 1",
		"ended 1",
		"maps 1",
		"maps 1\n+ a/b",
		"file a.yaml",
		"file a.yaml 3\n|a\n|bc",
		"file a.yaml 3\nabc",
		"file a.yaml 99999999",
		"cpus",
		"cpus 1",
		"cpus 1\n+ 0",
		"cpus 1\n+ 0:0:0",
		"cpus 1\n+ 0:0:0:0:0",
		"cpus 1\n+ 0:0:x:0",
		"cpus 1\n+ 0:0:0:99999999999",
		"cpus 1\n+ 0:0:0:0 1:0:0:0",
		"cpus 2\n+ 0:off",
		"cpus 99999999",
		"text /a",
		"text /a 3\n|a\n|bc",
		"text /a 99999999",
		"text /a%zz 0",
		"link /a",
		"link /a b",
		"link /a%zz =",
		"claim",
		"claim hold cpu0 0x0 0",
		"claim take cpu0 0x0",
		"claim take cpux 0x0 0",
		"claim take cpu0 0x0 0 0",
		"names /a",
		"names /a 1",
		"names /a 2\n+ b",
		"names /a 99999999",
		"perf",
		"perf open",
		"perf open 1 0x0 0x0 0x0 0",
		"perf open 1 0x0 0x0 0x0 0 1",
		"perf open 1 0x0 0x0 0x0 =1",
		"perf open 4294967296 0x0 0x0 0x0 0 =1",
		"perf open 1 0x0 0x0 0x0 0 =1 2",
		"perf open 1 0x0 0x0 0x0 0 !well - no",
		"perf on",
		"perf on 1 2",
		"perf reset 1",
		"perf read 1",
		"perf read 1 2 3",
		"perf read 1 2 3 4 5",
		"perf read 1 18446744073709551616 0 0",
		"perf close x",
	};
	struct bench *bench = bench_new();
	char text[512];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct unc_host *host;
		int rc;

		snprintf(text, sizeof(text), HEAD "%s\n", lines[i]);
		tree_text(&bench->tree, "r", text);
		rc = unc_replay_open(bench->ctx, bench->machine + strlen("replay:"), -1, &host);
		CU_ASSERT_EQUAL(rc, UNC_EARG);
		if (rc != UNC_EARG)
			printf("accepted: %s\n", lines[i]);
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(bench->ctx), "makes no sense"));
	}
	bench_free(bench);
}
