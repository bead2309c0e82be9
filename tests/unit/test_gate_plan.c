// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is written is in the journal on disk before: a spy in front of the bus reads the journal's file at every write, as
 * whoever comes after a SIGKILL at that moment would.
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

static const char me[1];

/* ---- the journal as others read it ---- */

/* Bytes of the file of journals, of which there is one at most. */
static long journal_bytes(const struct onsim *o)
{
	DIR *dir = opendir(o->journals);
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

static void read_journals(struct onsim *o, struct unc_journals *journals)
{
	struct unc_host_identity identity;
	struct unc_os_folder *folder;

	memset(journals, 0, sizeof(*journals));
	journals->ctx = o->hand_ctx;
	OK(o, o->m->host->ops->identity(o->m->host, &identity));
	if (unc_os_folder_open(o->hand_ctx, o->journals, false, &folder) < 0)
		return;
	onsim_ok(&o->hand_ctx, unc_journals_read(o->hand_ctx, folder, &identity, false, NULL, journals), "read",
		 __FILE__, __LINE__);
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

static bool is_on_disk(struct onsim *o, const struct unc_box *box, uint64_t off)
{
	struct unc_journals journals;
	bool found;

	read_journals(o, &journals);
	found = find_line(&journals, &box->addr, off) != NULL;
	unc_journals_clear(&journals);
	return found;
}

/* ---- the spy ---- */

static struct {
	struct onsim *o;
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

	read_journals(spy.o, &journals);
	line = find_line(&journals, &space->addr, off);
	if (!line || !foresees(line, unc_le32(buf), off > line->off)) {
		spy.bad++;
		fprintf(stderr, "\nwrite of 0x%08x at 0x%x: %s\n", unc_le32(buf), (unsigned)off,
			line ? "the journal does not have the value" : "not in the journal");
	}
	unc_journals_clear(&journals);
	if (!spy.writes++)
		spy.bytes = journal_bytes(spy.o);
	return spy.real->write(space, off, buf, len);
}

static void spy_on(struct onsim *o)
{
	struct unc_bus *bus = o->m->bus[UNC_PCI];

	memset(&spy, 0, sizeof(spy));
	spy.o = o;
	spy.real = bus->ops;
	spy.ops = *bus->ops;
	spy.ops.write = spy_write;
	bus->ops = &spy.ops;
}

/* ---- sessions ---- */

static void add_many(struct onrun *r)
{
	static const char *const events[] = {"cas_count.rd",     "cas_count.wr",     "act_count", "pre_count.page_miss",
					     "cas_count.rd_reg", "cas_count.wr_wmm", "dclk"};

	for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		onrun_add(r, "socket0.imc0.ch0", events[i]);
	onrun_add(r, "socket0.imc0.ch2", "cas_count.rd");
}

static void all_writes_of_a_session(const char *options, bool freeze)
{
	const struct unc_session_cfg cfg = {.multiplex = true, .freeze = freeze};
	struct onsim o;
	struct onrun r;

	onsim_open(&o, options, NULL);
	for (unsigned i = 0; i < 4; i++)
		onsim_poke(&o, onsim_box(&o, "socket0.imc0.ch0"), R_CTL(i), 0x1234 + i);
	spy_on(&o);
	onrun_open(&r, &o, &cfg);
	add_many(&r);
	onrun_start(&r);
	CU_ASSERT_TRUE(spy.writes > 10);
	for (unsigned i = 0; i < 5; i++) {
		onsim_step(&o, 15 * MS_NS);
		onrun_read(&r);
	}
	CU_ASSERT_TRUE(spy.writes > 30);
	/* One append before the first write, and none since: not for a turn, nor for freezing. */
	CU_ASSERT_TRUE(spy.bytes > 0);
	CU_ASSERT_EQUAL(journal_bytes(&o), spy.bytes);
	onrun_close(&r);
	EQ(spy.bad, 0);
	CU_ASSERT_EQUAL(journal_bytes(&o), 0);
	onsim_close(&o);
}

TEST(every_write_of_a_session_is_on_the_disk_before_and_all_at_once)
{
	all_writes_of_a_session("sockets=1,frz_en=rw", false);
	all_writes_of_a_session("sockets=1,frz_en=wo", false);
	all_writes_of_a_session("sockets=1,frz_en=rw", true);
}

/* The folder cannot be made, since there is a file. */
static void block_journals(const struct onsim *o)
{
	FILE *f = fopen(o->journals, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fclose(f);
}

TEST(without_a_journal_nothing_is_written)
{
	const struct unc_session_cfg cfg = {.multiplex = true};
	struct onsim o;
	struct onrun r;
	struct unc_box *box;
	uint64_t now;
	int rc;

	onsim_open(&o, "sockets=1", NULL);
	spy_on(&o);
	block_journals(&o);
	onrun_open(&r, &o, &cfg);
	add_many(&r);
	rc = unc_session_start(r.s);
	CU_ASSERT_TRUE(rc < 0);
	HAS(unc_errmsg(o.ctx), "nothing was written to the hardware");
	box = onsim_box(&o, "socket0.imc0.ch1");
	CU_ASSERT_TRUE(unc_gate_write(box, onsim_reg(box, "CTL"), 3, 0x304, me) < 0);
	CU_ASSERT_TRUE(unc_box_reg_write(box, 0, 0, &now) < 0);
	EQ(spy.writes, 0);
	/* There is room again: the same session starts. */
	unlink(o.journals);
	onrun_start(&r);
	CU_ASSERT_TRUE(spy.writes > 10);
	onrun_close(&r);
	EQ(spy.bad, 0);
	onsim_close(&o);
}

/* ---- single registers ---- */

TEST(what_was_not_planned_is_on_the_disk_before_it_is_written)
{
	struct onsim o;
	struct unc_box *box;
	const struct unc_reg *ctl;
	long bytes;

	onsim_open(&o, "sockets=1", NULL);
	box = onsim_box(&o, "socket0.imc0.ch1");
	ctl = onsim_reg(box, "CTL");
	spy_on(&o);
	for (unsigned i = 0; i < 40; i++)
		OK(&o, unc_gate_write(box, ctl, 3, i, me));
	bytes = journal_bytes(&o);
	OK(&o, unc_gate_write(box, ctl, 3, 39, me));
	OK(&o, unc_gate_write(box, ctl, 3, 38, me));
	CU_ASSERT_EQUAL(journal_bytes(&o), bytes); /* these are known */
	OK(&o, unc_gate_write(box, ctl, 2, 1, me));
	CU_ASSERT_TRUE(journal_bytes(&o) > bytes);
	EQ(spy.writes, 43);
	EQ(spy.bad, 0);
	OK(&o, unc_gate_restore(o.m, me));
	EQ(onsim_peek(&o, box, R_CTL3), 0);
	onsim_close(&o);
}

static int plan(struct unc_box *box, const char *reg, unsigned index, uint64_t value)
{
	struct unc_gate_intent intent = {.index = index, .values = &value, .n_values = 1};

	intent.reg = onsim_reg(box, reg);
	return unc_gate_plan(box, &intent, me);
}

TEST(what_was_planned_and_not_written_is_nobodys)
{
	struct onsim o;
	struct unc_box *box;

	onsim_open(&o, "sockets=1", NULL);
	box = onsim_box(&o, "socket0.imc0.ch1");
	OK(&o, plan(box, "CTL", 3, 0x304));
	OK(&o, unc_gate_ready(o.m));
	CU_ASSERT_TRUE(is_on_disk(&o, box, R_CTL3));
	onsim_poke(&o, box, R_CTL3, 0x304); /* the very value, by somebody else */
	OK(&o, unc_gate_restore(o.m, me));
	EQ(onsim_peek(&o, box, R_CTL3), 0x304);
	EQ(onsim_trace_count(&o, " w"), 0);
	SAME(o.notes, "");
	CU_ASSERT_EQUAL(journal_bytes(&o), 0);
	onsim_close(&o);
}

TEST(a_plan_is_checked_as_a_write_is)
{
	struct onsim o;
	struct unc_box *box;

	onsim_open(&o, "sockets=1", NULL);
	box = onsim_box(&o, "socket0.imc0.ch1");
	FAILS(&o, UNC_EDENIED, plan(box, "CTL", 0, 1 << 16), "reserved", "CTL[0]");
	FAILS(&o, UNC_EDENIED, plan(box, "CTL", 4, 0x304), "not a register of");
	EQ(o.m->journal.n, 0);
	onsim_close(&o);
	onsim_open_read_only(&o, "sockets=1", NULL);
	FAILS(&o, UNC_EDENIED, plan(onsim_box(&o, "socket0.imc0.ch1"), "CTL", 0, 0x304), "opened read-only");
	onsim_close(&o);
}

TEST(what_is_kept_or_refused_is_in_no_journal)
{
	struct onsim o;
	struct unc_box *box;
	const struct unc_reg *ctl;

	onsim_open(&o, "sockets=1", NULL);
	box = onsim_box(&o, "socket0.imc0.ch1");
	ctl = onsim_reg(box, "CTL");
	OK(&o, unc_gate_write(box, ctl, 3, 0x304, me));
	OK(&o, unc_gate_write(box, ctl, 1, 0x304, me));
	unc_gate_keep(box, ctl, 3);
	OK(&o, unc_gate_write(box, ctl, 2, 0x304, me)); /* with this it arrives */
	CU_ASSERT_FALSE(is_on_disk(&o, box, R_CTL(3)));
	CU_ASSERT_TRUE(is_on_disk(&o, box, R_CTL(1)));
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_EPERM, .writes_only = true);
	FAILS(&o, UNC_EPERM, unc_gate_write(box, ctl, 0, 0x304, me), "CTL[0]");
	onsim_work(&o);
	EQ(o.m->journal.n, 2);
	OK(&o, plan(box, "CTL", 0, 0x304));
	OK(&o, unc_gate_ready(o.m));
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_EPERM, .writes_only = true);
	FAILS(&o, UNC_EPERM, unc_gate_write(box, ctl, 0, 0x304, me), "CTL[0]");
	onsim_work(&o);
	onsim_poke(&o, box, R_CTL(0), 0x304); /* somebody else's, and it stays */
	OK(&o, unc_gate_restore(o.m, me));
	EQ(onsim_peek(&o, box, R_CTL(0)), 0x304);
	EQ(onsim_peek(&o, box, R_CTL(1)), 0);
	EQ(onsim_peek(&o, box, R_CTL(3)), 0x304);
	CU_ASSERT_EQUAL(journal_bytes(&o), 0);
	onsim_close(&o);
}

/* Of two dwords the second did not arrive. */
TEST(half_a_write_is_put_back_too)
{
	struct onsim o;
	struct unc_box *box;
	const struct unc_reg *ctr;

	onsim_open(&o, "sockets=1", NULL);
	box = onsim_box(&o, "socket0.imc0.ch1");
	ctr = onsim_reg(box, "CTR");
	onsim_poke48(&o, box, R_CTR(1), UINT64_C(0x111122223333));
	spy_on(&o);
	ONSIM_FAIL(&o, .at = 2, .how = UNC_FAULT_EIO, .writes_only = true);
	FAILS(&o, UNC_EIO, unc_gate_write(box, ctr, 1, UINT64_C(0x444455556666), me), "CTR[1]");
	onsim_work(&o);
	CU_ASSERT_EQUAL(onsim_peek48(&o, box, R_CTR(1)), UINT64_C(0x111155556666));
	EQ(spy.bad, 0);
	OK(&o, unc_gate_restore(o.m, me));
	CU_ASSERT_EQUAL(onsim_peek48(&o, box, R_CTR(1)), UINT64_C(0x111122223333));
	SAME(o.notes, "");
	onsim_close(&o);
}

/* ---- what another process left ---- */

/* The register that begins at that offset, and its index in an array of registers. */
static const struct unc_reg *reg_at(const struct unc_unit *unit, uint32_t off, unsigned *ret_index)
{
	for (size_t i = 0; i < unit->n_regs; i++)
		for (*ret_index = 0; *ret_index < unit->regs[i].count; ++*ret_index)
			if (unc_reg_off(&unit->regs[i], *ret_index) == off)
				return &unit->regs[i];
	return NULL;
}

static void judged(struct onsim *o, struct unc_box *box, const struct unc_journal_line *line, enum unc_gate_state state)
{
	struct unc_journal_entry *entry;
	struct unc_gate_verdict verdict;
	unsigned index;
	const struct unc_reg *reg = reg_at(box->unit, line->off, &index);

	OK(o, unc_gate_adopt(box, reg, index, line, me, &entry));
	OK(o, unc_gate_judge(entry, &verdict));
	EQ(verdict.state, state);
	if (verdict.state == UNC_GATE_OURS)
		OK(o, unc_gate_put_back(entry, &verdict));
	unc_gate_keep(box, reg, index);
}

TEST(any_of_its_values_or_half_of_one_is_his_who_is_gone)
{
	static const uint64_t values[] = {UINT64_C(0x444455556666), UINT64_C(0x777788889999)},
			      controls[] = {4, 0x400304};
	struct unc_journal_line line = {.off = R_CTR(1),
					.bits = 64,
					.before = UINT64_C(0x111122223333),
					.ours = UINT64_MAX,
					.values = values,
					.n_values = 2};
	static const struct {
		uint64_t now;
		enum unc_gate_state state;
	} cases[] = {
		{UINT64_C(0x111122223333), UNC_GATE_BACK},    {UINT64_C(0x444455556666), UNC_GATE_OURS},
		{UINT64_C(0x111155556666), UNC_GATE_OURS},    {UINT64_C(0x444488889999), UNC_GATE_OURS},
		{UINT64_C(0x777722223333), UNC_GATE_OURS},    {UINT64_C(0x111122223334), UNC_GATE_CHANGED},
		{UINT64_C(0x111255556666), UNC_GATE_CHANGED},
	};
	struct onsim o;
	struct unc_box *box;

	onsim_open(&o, "sockets=1", NULL);
	box = onsim_box(&o, "socket0.imc0.ch1");
	line.addr = box->addr;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool put_back = cases[i].state != UNC_GATE_CHANGED;

		onsim_poke48(&o, box, R_CTR(1), cases[i].now);
		judged(&o, box, &line, cases[i].state);
		CU_ASSERT_EQUAL(onsim_peek48(&o, box, R_CTR(1)), put_back ? line.before : cases[i].now);
	}
	line.off = R_CTL3;
	line.bits = 32;
	line.before = 0x77;
	line.values = controls;
	for (unsigned i = 0; i < 2; i++) {
		onsim_poke(&o, box, R_CTL3, (uint32_t)controls[i]);
		judged(&o, box, &line, UNC_GATE_OURS);
		EQ(onsim_peek(&o, box, R_CTL3), 0x77);
	}
	onsim_poke(&o, box, R_CTL3, 0x400704);
	judged(&o, box, &line, UNC_GATE_CHANGED);
	EQ(onsim_peek(&o, box, R_CTL3), 0x400704);
	line.any = 0x400; /* as in a selector */
	judged(&o, box, &line, UNC_GATE_OURS);
	EQ(onsim_peek(&o, box, R_CTL3), 0x77);
	onsim_close(&o);
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
		struct unc_journal_line line = {.off = R_BOX_CTL,
						.bits = 32,
						.ours = UINT64_MAX,
						.doubted = R_FRZ_EN,
						.has_idle = true,
						.idle = R_FRZ_EN,
						.values = values,
						.n_values = 2};
		struct onsim o;
		struct unc_box *box;

		onsim_open(&o, cases[i].options, NULL);
		box = onsim_box(&o, "socket0.imc0.ch1");
		line.addr = box->addr;
		onsim_poke(&o, box, R_BOX_CTL, cases[i].now);
		judged(&o, box, &line, UNC_GATE_OURS);
		EQ(onsim_box_ctl(&o, box), cases[i].back);
		onsim_close(&o);
	}
}

/* A process of its own counts cas_count.rd in one channel, and is gone. */
static void count_and_die(struct onsim *o, const char *options)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		char machine[200];
		const struct unc_machine_cfg cfg = {
			.machine = machine, .state_dir = o->journals, .writable = true, .wake_fd = -1};
		const struct unc_session_cfg session_cfg = {0};
		struct unc_session *s;
		struct unc_machine *m;
		struct unc_ctx *ctx;
		struct unc_box *box;

		snprintf(machine, sizeof(machine), "sim:snbep,clock=step,state=%s,%s", o->state, options);
		_exit(unc_new(&ctx) < 0 || unc_machine_open(ctx, &cfg, &m) < 0 ||
		      unc_box_find(m, "socket0.imc0.ch1", &box) < 0 || unc_session_open(m, &session_cfg, &s) < 0 ||
		      unc_session_add(s, box, "cas_count.rd", NULL) < 0 || unc_session_start(s) < 0);
	}
	CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
}

/* The same computer as seen by who comes next. */
static struct unc_machine *come_next(struct onsim *o, const char *options)
{
	char machine[200];
	const struct unc_machine_cfg cfg = {
		.machine = machine, .state_dir = o->journals, .writable = true, .wake_fd = -1};
	struct unc_machine *m;

	snprintf(machine, sizeof(machine), "sim:snbep,clock=step,state=%s,%s", o->state, options);
	OK(o, unc_machine_open(o->ctx, &cfg, &m));
	return m;
}

static struct unc_session *session_of(struct onsim *o, struct unc_machine *m, const char *event, bool freeze)
{
	const struct unc_session_cfg cfg = {.freeze = freeze, .force = true};
	struct unc_session *s;
	struct unc_box *box;

	OK(o, unc_session_open(m, &cfg, &s));
	OK(o, unc_box_find(m, "socket0.imc0.ch1", &box));
	OK(o, unc_session_add(s, box, event, NULL));
	return s;
}

TEST(what_a_killed_process_left_is_left_alone)
{
	static const char options[] = "sockets=1,frz_en=rw";
	struct onsim o;
	struct unc_machine *m;
	struct unc_session *s;
	struct unc_count count;
	struct unc_box *box, *hand;

	onsim_open(&o, options, NULL);
	hand = onsim_box(&o, "socket0.imc0.ch1");
	count_and_die(&o, options);
	EQ(onsim_peek(&o, hand, R_CTL3), R_EN | 0x304);
	m = come_next(&o, options);
	HAS(o.notes, "without putting back");
	OK(&o, unc_box_find(m, "socket0.imc0.ch1", &box));
	FAILS(&o, UNC_EBUSY, plan(box, "CTL", 3, 0x304), "CTL[3]", "left changed by process", "uncorectl recover");
	FAILS(&o, UNC_EBUSY, unc_gate_write(box, onsim_reg(box, "BOX_CTL"), 0, R_FRZ_EN, me),
	      "left changed by process");
	unc_gate_restore(m, me);
	s = session_of(&o, m, "cas_count.rd", true);
	FAILS(&o, UNC_EBUSY, unc_session_start(s), "BOX_CTL", "left changed by process", "--freeze");
	OK(&o, unc_session_close(s));
	/* Another counter, and the box is not stopped. */
	onsim_trace_clear(&o);
	s = session_of(&o, m, "cas_count.rd", false);
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
	onsim_close(&o);
}
