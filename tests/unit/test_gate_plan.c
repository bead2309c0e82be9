// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is written is in the journal on disk before: a spy in front of the bus reads the journal's file at every write, as the next
 * program would after a SIGKILL at that moment.
 */
#define _GNU_SOURCE
#include "machine/gate.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/journals.h"
#include "map/field.h"
#include "onsim.h"
#include "test.h"
#include "uncore/reg.h"

EACH_ON_SIM(o, "snbep", "sockets=1", NULL)

static const char me[1];

static struct unc_box *ch1(void)
{
	return onsim_box(&o, "socket0.imc0.ch1");
}

/* To that control of ch1. */
static int put(unsigned index, uint64_t value)
{
	return unc_gate_write(ch1(), onsim_reg(ch1(), "CTL"), index, value, me);
}

/* ---- the journal as others read it ---- */

/* Bytes of the file of journals, of which there is one at most. */
static long journal_bytes(void)
{
	DIR *dir = opendir(o.journals);
	long bytes = 0;

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		struct stat st;

		if (entry->d_name[0] != '.' && fstatat(dirfd(dir), entry->d_name, &st, 0) == 0)
			bytes += (long)st.st_size;
	}
	if (dir)
		closedir(dir);
	return bytes;
}

static void read_journals(struct unc_journals *journals)
{
	struct unc_host_identity identity;
	struct unc_os_folder *folder;

	*journals = (struct unc_journals){0};
	OK(&o, o.m->host->ops->identity(o.m->host, &identity));
	if (unc_os_folder_open(o.hand_ctx, o.journals, false, &folder) < 0)
		return;
	CU_ASSERT_EQUAL(unc_journals_read(o.hand_ctx, folder, &identity, false, NULL, journals), 0);
	unc_os_folder_close(folder);
}

static const struct unc_journal_line *find_line(const struct unc_journals *journals, const struct unc_addr *addr,
						uint64_t off)
{
	for (size_t i = 0; i < journals->n; i++) {
		const struct unc_journal_text *text = &journals->files[i].text;

		for (size_t k = 0; k < text->n_lines; k++)
			if (unc_addr_compare(&text->lines[k].addr, addr) == 0 && text->lines[k].off <= off &&
			    off < text->lines[k].off + text->lines[k].bits / 8)
				return &text->lines[k];
	}
	return NULL;
}

static bool is_on_disk(const struct unc_box *box, uint64_t off)
{
	struct unc_journals journals;
	bool found;

	read_journals(&journals);
	found = find_line(&journals, &box->addr, off) != NULL;
	unc_journals_clear(&journals);
	return found;
}

/* ---- the spy ---- */

static struct {
	const struct unc_bus_ops *real;
	struct unc_bus_ops ops;
	unsigned writes, bad;
	long bytes; /* of the journal at the first write */
} spy;

static uint32_t half(uint64_t value, bool high)
{
	return (uint32_t)(high ? value >> 32 : value);
}

/* Does the line foresee that dword, or say that it goes back? */
static bool foresees(const struct unc_journal_line *line, uint32_t value, bool high)
{
	uint32_t told = ~half(line->any, high);

	for (size_t i = 0; i < line->n_values; i++)
		if (((half(line->values[i], high) ^ value) & told) == 0)
			return true;
	return value == half(line->before, high) || (line->has_idle && value == half(line->idle, high));
}

static int spy_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	const struct unc_journal_line *line;
	struct unc_journals journals;

	read_journals(&journals);
	line = find_line(&journals, &space->addr, off);
	if (!line || !foresees(line, unc_le32(buf), off > line->off)) {
		spy.bad++;
		fprintf(stderr, "\nwrite of 0x%08x at 0x%x: %s\n", unc_le32(buf), (unsigned)off,
			line ? "the journal does not have the value" : "not in the journal");
	}
	unc_journals_clear(&journals);
	if (!spy.writes++)
		spy.bytes = journal_bytes();
	return spy.real->write(space, off, buf, len);
}

static void spy_on(void)
{
	struct unc_bus *bus = o.m->bus[UNC_PCI];

	memset(&spy, 0, sizeof(spy));
	spy.real = bus->ops;
	spy.ops = *bus->ops;
	spy.ops.write = spy_write;
	bus->ops = &spy.ops;
}

/* ---- sessions ---- */

/* More events than counters, and another channel's. */
static void open_many(struct onrun *r, const struct unc_session_cfg *cfg)
{
	ONRUN_OPEN(r, &o, cfg, "ch0 cas_count.rd", "ch0 cas_count.wr", "ch0 act_count", "ch0 pre_count.page_miss",
		   "ch0 cas_count.rd_reg", "ch0 cas_count.wr_wmm", "ch0 dclk", "ch2 cas_count.rd");
}

static void all_writes_of_a_session(const char *options, bool freeze)
{
	const struct unc_session_cfg cfg = {.multiplex = true, .freeze = freeze};
	struct onrun r;

	onsim_reopen(&o, "snbep", options, NULL);
	for (unsigned i = 0; i < 4; i++)
		onsim_poke(&o, onsim_box(&o, "socket0.imc0.ch0"), R_CTL(i), 0x1234 + i);
	spy_on();
	open_many(&r, &cfg);
	onrun_start(&r);
	CU_ASSERT_TRUE(spy.writes > 10);
	for (unsigned i = 0; i < 5; i++) {
		onsim_step(&o, 15 * MS_NS);
		onrun_read(&r);
	}
	CU_ASSERT_TRUE(spy.writes > 30);
	/* One append before the first write, and none since: not for a turn, nor for freezing. */
	CU_ASSERT_TRUE(spy.bytes > 0);
	CU_ASSERT_EQUAL(journal_bytes(), spy.bytes);
	onrun_close(&r);
	EQ(spy.bad, 0);
	CU_ASSERT_EQUAL(journal_bytes(), 0);
}

TEST(every_write_of_a_session_is_on_the_disk_before_and_all_at_once)
{
	all_writes_of_a_session("sockets=1,frz_en=rw", false);
	all_writes_of_a_session("sockets=1,frz_en=wo", false);
	all_writes_of_a_session("sockets=1,frz_en=rw", true);
}

TEST(without_a_journal_nothing_is_written)
{
	const struct unc_session_cfg cfg = {.multiplex = true};
	FILE *in_the_way = fopen(o.journals, "w"); /* so that the folder cannot be made */
	struct onrun r;
	uint64_t now;

	CU_ASSERT_PTR_NOT_NULL_FATAL(in_the_way);
	fclose(in_the_way);
	spy_on();
	open_many(&r, &cfg);
	CU_ASSERT_TRUE(unc_session_start(r.s) < 0);
	HAS(unc_errmsg(o.ctx), "nothing was written to the hardware");
	CU_ASSERT_TRUE(put(3, 0x304) < 0);
	CU_ASSERT_TRUE(unc_box_reg_write(ch1(), 0, 0, &now) < 0);
	EQ(spy.writes, 0);
	/* There is room again: the same session starts. */
	unlink(o.journals);
	onrun_start(&r);
	CU_ASSERT_TRUE(spy.writes > 10);
	onrun_close(&r);
	EQ(spy.bad, 0);
}

/* ---- single registers ---- */

TEST(what_was_not_planned_is_on_the_disk_before_it_is_written)
{
	long bytes;

	spy_on();
	for (unsigned i = 0; i < 40; i++)
		OK(&o, put(3, i));
	bytes = journal_bytes();
	OK(&o, put(3, 39));
	OK(&o, put(3, 38));
	CU_ASSERT_EQUAL(journal_bytes(), bytes); /* these are known */
	OK(&o, put(2, 1));
	CU_ASSERT_TRUE(journal_bytes() > bytes);
	EQ(spy.writes, 43);
	EQ(spy.bad, 0);
	OK(&o, unc_gate_restore(o.m, me));
	EQ(onsim_peek(&o, ch1(), R_CTL3), 0);
}

static int plan(struct unc_box *box, const char *reg, unsigned index, uint64_t value)
{
	struct unc_gate_intent intent = {.reg = onsim_reg(box, reg), .index = index, .values = &value, .n_values = 1};

	return unc_gate_plan(box, &intent, me);
}

TEST(what_was_planned_and_not_written_is_not_put_back)
{
	struct unc_box *box = ch1();

	OK(&o, plan(box, "CTL", 3, 0x304));
	OK(&o, unc_gate_ready(o.m));
	CU_ASSERT_TRUE(is_on_disk(box, R_CTL3));
	onsim_poke(&o, box, R_CTL3, 0x304); /* the very value, by another program */
	OK(&o, unc_gate_restore(o.m, me));
	EQ(onsim_peek(&o, box, R_CTL3), 0x304);
	EQ(onsim_trace_count(&o, " w"), 0);
	SAME(o.notes, "");
	CU_ASSERT_EQUAL(journal_bytes(), 0);
}

TEST(a_plan_is_checked_as_a_write_is)
{
	struct unc_box *box = ch1();

	FAILS(&o, UNC_EDENIED, plan(box, "CTL", 0, 1 << 16), "reserved", "CTL[0]");
	FAILS(&o, UNC_EDENIED, plan(box, "CTL", 4, 0x304), "not a register of");
	EQ(o.m->journal.n, 0);
	onsim_close(&o);
	onsim_open_read_only(&o, "sockets=1", NULL);
	FAILS(&o, UNC_EDENIED, plan(ch1(), "CTL", 0, 0x304), "opened read-only");
}

TEST(what_is_kept_or_refused_is_in_no_journal)
{
	struct unc_box *box = ch1();

	OK(&o, put(3, 0x304));
	OK(&o, put(1, 0x304));
	unc_gate_keep(box, onsim_reg(box, "CTL"), 3);
	OK(&o, put(2, 0x304)); /* with this it arrives */
	CU_ASSERT_FALSE(is_on_disk(box, R_CTL(3)));
	CU_ASSERT_TRUE(is_on_disk(box, R_CTL(1)));
	for (unsigned planned = 0; planned < 2; planned++) {
		if (planned) {
			OK(&o, plan(box, "CTL", 0, 0x304));
			OK(&o, unc_gate_ready(o.m));
		}
		ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_EPERM, .writes_only = true);
		FAILS(&o, UNC_EPERM, put(0, 0x304), "CTL[0]");
		onsim_work(&o);
		CU_ASSERT_TRUE(planned || o.m->journal.n == 2);
	}
	onsim_poke(&o, box, R_CTL(0), 0x304); /* another program's, and it stays */
	OK(&o, unc_gate_restore(o.m, me));
	EQ(onsim_peek(&o, box, R_CTL(0)), 0x304);
	EQ(onsim_peek(&o, box, R_CTL(1)), 0);
	EQ(onsim_peek(&o, box, R_CTL(3)), 0x304);
	CU_ASSERT_EQUAL(journal_bytes(), 0);
}

/* Of two dwords the second did not arrive. */
TEST(half_a_write_is_put_back_too)
{
	struct unc_box *box = ch1();

	onsim_poke48(&o, box, R_CTR(1), UINT64_C(0x111122223333));
	spy_on();
	ONSIM_FAIL(&o, .at = 2, .how = UNC_FAULT_EIO, .writes_only = true);
	FAILS(&o, UNC_EIO, unc_gate_write(box, onsim_reg(box, "CTR"), 1, UINT64_C(0x444455556666), me), "CTR[1]");
	onsim_work(&o);
	CU_ASSERT_EQUAL(onsim_peek48(&o, box, R_CTR(1)), UINT64_C(0x111155556666));
	EQ(spy.bad, 0);
	OK(&o, unc_gate_restore(o.m, me));
	CU_ASSERT_EQUAL(onsim_peek48(&o, box, R_CTR(1)), UINT64_C(0x111122223333));
	SAME(o.notes, "");
}

/* ---- what another process left ---- */

static void judged(struct unc_box *box, const char *name, unsigned index, const struct unc_journal_line *line,
		   enum unc_gate_state state)
{
	struct unc_journal_entry *entry;
	struct unc_gate_verdict verdict;
	const struct unc_reg *reg = onsim_reg(box, name);

	OK(&o, unc_gate_adopt(box, reg, index, line, me, &entry));
	OK(&o, unc_gate_judge(entry, &verdict));
	EQ(verdict.state, state);
	if (verdict.state == UNC_GATE_OURS)
		OK(&o, unc_gate_put_back(entry, &verdict));
	unc_gate_keep(box, reg, index);
}

/* A line in the journal of another process: it found before in that register, and wrote one of two values. */
static struct unc_journal_line line_of(uint64_t off, unsigned bits, uint64_t before, const uint64_t values[2])
{
	return (struct unc_journal_line){.addr = ch1()->addr,
					 .off = off,
					 .bits = bits,
					 .before = before,
					 .ours = UINT64_MAX,
					 .values = values,
					 .n_values = 2};
}

TEST(any_of_its_values_or_half_of_one_is_of_the_process_that_is_gone)
{
	static const uint64_t values[] = {UINT64_C(0x444455556666), UINT64_C(0x777788889999)},
			      controls[] = {4, 0x400304};
	struct unc_box *box = ch1();
	struct unc_journal_line line = line_of(R_CTR(1), 64, UINT64_C(0x111122223333), values);
	static const struct {
		uint64_t now;
		enum unc_gate_state state;
	} cases[] = {
		{UINT64_C(0x111122223333), UNC_GATE_BACK},    {UINT64_C(0x444455556666), UNC_GATE_OURS},
		{UINT64_C(0x111155556666), UNC_GATE_OURS},    {UINT64_C(0x444488889999), UNC_GATE_OURS},
		{UINT64_C(0x777722223333), UNC_GATE_OURS},    {UINT64_C(0x111122223334), UNC_GATE_CHANGED},
		{UINT64_C(0x111255556666), UNC_GATE_CHANGED},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool put_back = cases[i].state != UNC_GATE_CHANGED;

		onsim_poke48(&o, box, R_CTR(1), cases[i].now);
		judged(box, "CTR", 1, &line, cases[i].state);
		CU_ASSERT_EQUAL(onsim_peek48(&o, box, R_CTR(1)), put_back ? line.before : cases[i].now);
	}
	line = line_of(R_CTL3, 32, 0x77, controls);
	for (unsigned i = 0; i < 2; i++) {
		onsim_poke(&o, box, R_CTL3, (uint32_t)controls[i]);
		judged(box, "CTL", 3, &line, UNC_GATE_OURS);
		EQ(onsim_peek(&o, box, R_CTL3), 0x77);
	}
	onsim_poke(&o, box, R_CTL3, 0x400704);
	judged(box, "CTL", 3, &line, UNC_GATE_CHANGED);
	EQ(onsim_peek(&o, box, R_CTL3), 0x400704);
	line.any = 0x400; /* as in a selector */
	judged(box, "CTL", 3, &line, UNC_GATE_OURS);
	EQ(onsim_peek(&o, box, R_CTL3), 0x77);
}

/* Whether BOX_CTL was written at all cannot be told where frz_en reads 0: written idle, it shows whether it reads back. */
TEST(bits_in_doubt_show_when_they_are_put_back)
{
	static const uint64_t values[] = {R_FRZ_EN, R_FRZ_EN | R_FRZ};
	static const struct {
		const char *options;
		uint32_t now, back;
	} cases[] = {
		{"sockets=1,frz_en=rw", 0, 0},
		{"sockets=1,frz_en=rw", R_FRZ_EN, 0},
		{"sockets=1,frz_en=rw", R_FRZ_EN | R_FRZ, 0},
		{"sockets=1,frz_en=wo", 0, R_FRZ_EN},
		{"sockets=1,frz_en=wo", R_FRZ_EN | R_FRZ, R_FRZ_EN},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_journal_line line;
		struct unc_box *box;

		onsim_reopen(&o, "snbep", cases[i].options, NULL);
		box = ch1();
		line = line_of(R_BOX_CTL, 32, 0, values);
		line.doubted = line.idle = R_FRZ_EN;
		line.has_idle = true;
		onsim_poke(&o, box, R_BOX_CTL, cases[i].now);
		judged(box, "BOX_CTL", 0, &line, UNC_GATE_OURS);
		EQ(onsim_box_ctl(&o, box), cases[i].back);
	}
}

/* The same computer as the next process sees it. */
static int open_next(struct unc_ctx *ctx, const char *options, struct unc_machine **ret_m)
{
	const struct unc_machine_cfg cfg = {.machine = test_text("sim:snbep,clock=step,state=%s,%s", o.state, options),
					    .state_dir = o.journals,
					    .writable = true,
					    .wake_fd = -1};

	return unc_machine_open(ctx, &cfg, ret_m);
}

/* It counts cas_count.rd in one channel, by force. */
static int open_session(struct unc_machine *m, bool freeze, struct unc_session **ret_s)
{
	const struct unc_session_cfg cfg = {.freeze = freeze, .force = true};
	struct unc_box *box;

	if (unc_session_open(m, &cfg, ret_s) < 0 || unc_box_find(m, "socket0.imc0.ch1", &box) < 0)
		return UNC_EARG;
	return unc_session_add(*ret_s, box, "cas_count.rd", NULL);
}

/* A process of its own counts, and is gone. */
static void count_and_die(const char *options)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct unc_session *s;
		struct unc_machine *m;
		struct unc_ctx *ctx;

		_exit(unc_new(&ctx) < 0 || open_next(ctx, options, &m) < 0 || open_session(m, false, &s) < 0 ||
		      unc_session_start(s) < 0);
	}
	CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
}

TEST(what_a_killed_process_left_is_left_alone)
{
	static const char options[] = "sockets=1,frz_en=rw";
	struct unc_machine *m;
	struct unc_session *s;
	struct unc_count count;
	struct unc_box *box, *hand;

	onsim_reopen(&o, "snbep", options, NULL);
	hand = ch1();
	count_and_die(options);
	EQ(onsim_peek(&o, hand, R_CTL3), R_EN | 0x304);
	OK(&o, open_next(o.ctx, options, &m));
	HAS(o.notes, "without putting back");
	OK(&o, unc_box_find(m, "socket0.imc0.ch1", &box));
	FAILS(&o, UNC_EBUSY, plan(box, "CTL", 3, 0x304), "CTL[3]", "left changed by process", "uncorectl recover");
	FAILS(&o, UNC_EBUSY, unc_gate_write(box, onsim_reg(box, "BOX_CTL"), 0, R_FRZ_EN, me),
	      "left changed by process");
	unc_gate_restore(m, me);
	OK(&o, open_session(m, true, &s));
	FAILS(&o, UNC_EBUSY, unc_session_start(s), "BOX_CTL", "left changed by process", "cfg.freeze");
	OK(&o, unc_session_close(s));
	/* Another counter, and the box is not stopped. */
	onsim_trace_clear(&o);
	OK(&o, open_session(m, false, &s));
	OK(&o, unc_session_start(s));
	EQ(onsim_peek(&o, hand, R_CTL(2)), R_EN | 0x304);
	EQ(onsim_peek(&o, hand, R_FIXED_CTL), R_EN); /* its clock goes on, and shows that it does not stand still */
	onsim_step(&o, 10 * MS_NS);
	OK(&o, unc_session_read(s, &count, 1));
	EQ(count.flags, 0);
	CU_ASSERT_TRUE(count.delta > 0);
	onsim_poke(&o, hand, R_BOX_CTL, R_FRZ_EN | R_FRZ);
	onsim_step(&o, 10 * MS_NS);
	OK(&o, unc_session_read(s, &count, 1));
	onsim_step(&o, 10 * MS_NS);
	OK(&o, unc_session_read(s, &count, 1));
	EQ(count.flags, UNC_COUNT_STOPPED);
	OK(&o, unc_session_close(s));
	EQ(onsim_peek(&o, hand, R_CTL(2)), 0);
	EQ(onsim_peek(&o, hand, R_FIXED_CTL), R_EN);
	EQ(onsim_peek(&o, hand, R_CTL3), R_EN | 0x304);
	OK(&o, unc_machine_close(m));
}
