// SPDX-License-Identifier: GPL-2.0-or-later
/* machine/recover.c */
#define _GNU_SOURCE
#include "onleft.h"
#include "test.h"
#include "uncore/recover.h"
#include "uncore/reg.h"

static struct onleft t;
static struct unc_recover *r;

#define BEFORE UINT64_C(0x1234567890ab)
#define WROTE  UINT64_C(0xa00000000007)

static int write_three(struct unc_machine *m)
{
	int rc = onleft_write(m, "socket0.imc0.ch2", "CTL", 3, 0x00400304);

	if (rc == 0)
		rc = onleft_write(m, "socket0.imc0.ch2", "CTL", 2, 0x00400c04);
	return rc < 0 ? rc : onleft_write(m, "socket0.imc0.ch0", "CTL", 3, 0x00400304);
}

static int write_box_ctl(struct unc_machine *m)
{
	static const uint64_t values[] = {0x10000, 0x10100};
	struct unc_box *box = onleft_box(m, "socket0.imc0.ch2");
	const struct unc_gate_intent intent = {
		.reg = onsim_reg(box, "BOX_CTL"), .values = values, .n_values = 2, .doubted = 0x10000, .idle = 0x10000};
	int rc = unc_gate_plan(box, &intent, m);

	if (rc == 0)
		rc = unc_gate_ready(m);
	return rc < 0 ? rc : unc_gate_write(box, intent.reg, 0, 0x10100, m);
}

static int write_counter(struct unc_machine *m)
{
	return onleft_write(m, "socket0.imc0.ch2", "CTR", 1, WROTE);
}

static int write_other(struct unc_machine *m)
{
	return onleft_write(m, "socket0.imc0.ch2", "CTL", 1, 0x00400304);
}

static int write_again(struct unc_machine *m)
{
	return onleft_write(m, "socket0.imc0.ch2", "CTL", 3, 0x00400c04);
}

/* No map has it: it is unknown what it is on this part. */
static int write_raw(struct unc_machine *m)
{
	struct unc_box *box;
	int rc = unc_raw_msr(m, 0, 0xd10, &box);

	return rc < 0 ? rc : unc_gate_write(box, &box->raw->regs[0], 0, 7, m);
}

static uint32_t control(const char *box, unsigned i)
{
	return onsim_peek(&t.o, onsim_box(&t.o, box), R_CTL(i));
}

/* As a reset does. */
static void reset(void)
{
	onsim_poke(&t.o, onsim_box(&t.o, "socket0.imc0.ch2"), R_CTL(3), 0);
	onsim_poke(&t.o, onsim_box(&t.o, "socket0.imc0.ch2"), R_CTL(2), 0);
	onsim_poke(&t.o, onsim_box(&t.o, "socket0.imc0.ch0"), R_CTL(3), 0);
}

static struct unc_recover_info row(size_t i)
{
	struct unc_recover_info info = {.box = ""};

	OK(&t, unc_recover_info(r, i, &info));
	return info;
}

static void is_state(size_t i, enum unc_recover_state state)
{
	EQ(row(i).state, state);
}

/* Opens the machine, and the list of what was left. */
static void list_as(const struct unc_machine_cfg *special)
{
	onleft_start_as(&t, special);
	OK(&t, unc_recover_open(t.m, &r));
}

static void list(void)
{
	list_as(&(struct unc_machine_cfg){.writable = true, .recovers = true});
}

/* Recovers what was left; the first register must end in that state. */
static void recover(enum unc_recover_state state)
{
	list();
	OK(&t, unc_recover_run(r, false));
	is_state(0, state);
}

/* Of a child that has done that and is gone. */
static void list_left(int (*work)(struct unc_machine *m))
{
	onleft_child(&t, work, false);
	list();
}

static void list_end(void)
{
	unc_recover_close(r);
	r = NULL;
	if (t.m)
		onleft_end(&t);
}

static void begin(void)
{
	onleft_open(&t);
}

static void end(void)
{
	list_end();
	onleft_close(&t);
}

EACH(begin, end)

TEST(nothing_to_recover_is_no_failure)
{
	list();
	EQ(unc_recover_count(r), 0);
	EQ(unc_recover_journals(r), 0);
	OK(&t, unc_recover_run(r, false));
	FAILS(&t, UNC_ENODEV, unc_recover_info(r, 0, NULL), "number 0");
	FAILS(&t, UNC_ENODEV, unc_recover_journal(r, 0, NULL), "number 0");
	unc_recover_close(NULL);
}

TEST(what_was_written_is_put_back_last_first)
{
	struct unc_recover_journal journal;
	struct unc_recover_info info;
	pid_t pid;

	onsim_poke(&t.o, onsim_box(&t.o, "socket0.imc0.ch2"), R_CTL(3), 0x01000304);
	pid = onleft_child(&t, write_three, false);
	list();
	SAME(t.notes, "");
	EQ(unc_recover_journals(r), 1);
	OK(&t, unc_recover_journal(r, 0, &journal));
	EQ(journal.kind, UNC_RECOVER_STALE);
	EQ(journal.n_registers, 3);
	EQ(unc_recover_count(r), 3);
	is_state(2, UNC_RECOVER_NOT_YET);
	OK(&t, unc_recover_run(r, false));
	info = row(2);
	SAME(info.box, "socket0.imc0.ch2");
	SAME(info.reg, "CTL[3]");
	SAME(info.pci, "0000:ff:10.4");
	EQ(info.pid, pid);
	EQ(info.offset, R_CTL(3));
	EQ(info.bits, 32);
	EQ(info.was, 0x01000304);
	EQ(info.is, 0x00400304);
	EQ(info.becomes, 0x01000304);
	CU_ASSERT_TRUE(info.is_known && info.becomes_known);
	SAME(info.why, "");
	for (size_t i = 0; i < 3; i++)
		is_state(i, UNC_RECOVER_PUT_BACK);
	SAME(row(0).box, "socket0.imc0.ch0");
	EQ(onleft_files(&t), 1); /* that of the box's owner, who is us */
	list_end();
	EQ(onleft_files(&t), 0);
	EQ(control("socket0.imc0.ch2", 3), 0x01000304);
	EQ(control("socket0.imc0.ch2", 2), 0);
	EQ(control("socket0.imc0.ch0", 3), 0);
}

static void told(void *arg, const char *line)
{
	(void)arg;
	(void)line;
	CU_FAIL("a dry run of recovering writes nothing, not even in its mind");
}

TEST(a_dry_run_looks_only)
{
	onleft_child(&t, write_three, false);
	onsim_poke(&t.o, onsim_box(&t.o, "socket0.imc0.ch2"), R_CTL(2), 0);
	list_as(&(struct unc_machine_cfg){.writable = true, .recovers = true, .dry_run = told});
	OK(&t, unc_recover_run(r, false));
	is_state(0, UNC_RECOVER_WOULD);
	is_state(1, UNC_RECOVER_AS_IT_WAS);
	EQ(row(0).becomes, 0);
	list_end();
	EQ(onleft_files(&t), 1);
	EQ(control("socket0.imc0.ch2", 3), 0x00400304);
}

TEST(a_machine_that_is_open_for_reading_recovers_nothing)
{
	onleft_child(&t, write_three, false);
	list_as(&(struct unc_machine_cfg){.recovers = true});
	EQ(unc_recover_count(r), 3);
	FAILS(&t, UNC_EDENIED, unc_recover_run(r, true), "read-only");
}

TEST(what_another_process_has_changed_is_left_alone_unless_forced)
{
	onleft_child(&t, write_three, false);
	onsim_poke(&t.o, onsim_box(&t.o, "socket0.imc0.ch2"), R_CTL(3), 0x00400404);
	list();
	FAILS(&t, UNC_EIO, unc_recover_run(r, false), "1 of 3 registers");
	is_state(0, UNC_RECOVER_PUT_BACK);
	is_state(2, UNC_RECOVER_CHANGED);
	HAS(row(2).why, "socket0.imc0.ch2: CTL[3]: it no longer holds what was written");
	list_end();
	EQ(control("socket0.imc0.ch2", 3), 0x00400404);
	EQ(onleft_files(&t), 1);
	/* The others are in the journal no more. */
	list();
	EQ(unc_recover_count(r), 1);
	OK(&t, unc_recover_run(r, true));
	is_state(0, UNC_RECOVER_PUT_BACK);
	list_end();
	EQ(control("socket0.imc0.ch2", 3), 0);
	EQ(onleft_files(&t), 0);
}

TEST(what_cannot_be_read_goes_to_its_idle_state)
{
	onleft_child(&t, write_box_ctl, false);
	EQ(onsim_box_ctl(&t.o, onsim_box(&t.o, "socket0.imc0.ch2")), 0x10100);
	recover(UNC_RECOVER_IDLE);
	EQ(row(0).becomes, 0x10000);
	list_end();
	EQ(onsim_box_ctl(&t.o, onsim_box(&t.o, "socket0.imc0.ch2")), 0x10000);
}

TEST(a_counter_that_was_half_written_is_put_back_and_one_that_counts_is_not)
{
	struct unc_box *box = onsim_box(&t.o, "socket0.imc0.ch2");

	onsim_poke48(&t.o, box, R_CTR(1), BEFORE);
	onleft_child(&t, write_counter, false);
	EQ(onsim_peek48(&t.o, box, R_CTR(1)), WROTE);
	onsim_poke48(&t.o, box, R_CTR(1), (BEFORE & 0xffff00000000) | (WROTE & UINT32_MAX));
	recover(UNC_RECOVER_PUT_BACK);
	list_end();
	EQ(onsim_peek48(&t.o, box, R_CTR(1)), BEFORE);

	onleft_child(&t, write_counter, false);
	onsim_poke48(&t.o, box, R_CTR(1), WROTE + 3);
	recover(UNC_RECOVER_COUNTED);
	list_end();
	EQ(onsim_peek48(&t.o, box, R_CTR(1)), WROTE + 3);
}

TEST(names_that_do_not_fit_the_place_reach_nothing_that_a_map_names)
{
	onleft_child(&t, write_three, false);
	onleft_rewrite(&t, "socket0.imc0.ch0 CTL[3] was", "socket0.other7.ch0 KTL was");
	list();
	/* The map names it, so it is not written as one that no map names. */
	FAILS(&t, UNC_EIO, unc_recover_run(r, false), "1 of 3");
	is_state(0, UNC_RECOVER_NOT_REACHED);
	HAS(row(0).why, "--regs");
	is_state(1, UNC_RECOVER_PUT_BACK);
}

TEST(a_register_that_no_map_names_is_found_by_its_address)
{
	struct unc_box *box;
	uint64_t before, now;

	list();
	OK(&t, unc_raw_msr(t.m, 0, 0xd10, &box));
	OK(&t, unc_reg_get(box, &box->raw->regs[0], 0, &before));
	list_end();
	list_left(write_raw);
	OK(&t, unc_raw_msr(t.m, 0, 0xd10, &box));
	OK(&t, unc_reg_get(box, &box->raw->regs[0], 0, &now));
	EQ(now, 7);
	OK(&t, unc_recover_run(r, false));
	is_state(0, UNC_RECOVER_PUT_BACK);
	OK(&t, unc_reg_get(box, &box->raw->regs[0], 0, &now));
	EQ(now, before);
}

TEST(a_box_in_use_is_left_alone_and_its_user_named)
{
	const char *who;
	pid_t pid;

	onleft_child(&t, write_three, false);
	pid = onleft_child(&t, write_other, true);
	who = test_text("process %d (", (int)pid);
	list();
	FAILS(&t, UNC_EBUSY, unc_recover_run(r, false), "2 of 3");
	is_state(0, UNC_RECOVER_PUT_BACK);
	is_state(1, UNC_RECOVER_IN_USE);
	is_state(2, UNC_RECOVER_IN_USE);
	HAS(row(1).why, who);
	list_end();
	EQ(control("socket0.imc0.ch2", 3), 0x00400304);
	EQ(control("socket0.imc0.ch0", 3), 0);
	onleft_kill(pid);
	list();
	OK(&t, unc_recover_run(r, false));
	list_end();
	EQ(control("socket0.imc0.ch2", 3), 0);
}

TEST(a_second_who_recovers_waits_for_the_first)
{
	struct unc_os_folder *folder;
	struct unc_os_held *held;

	list_left(write_three);
	EQ(onleft_files(&t), 1);
	OK(&t, unc_os_folder_open(t.ctx, t.o.journals, false, &folder));
	OK(&t, unc_os_folder_hold(folder, strrchr(t.path, '/') + 1, false, &held));
	FAILS(&t, UNC_EBUSY, unc_recover_run(r, false), "3 of 3");
	HAS(row(0).why, "recovering it just now");
	OK(&t, unc_os_held_end(held, false));
	unc_os_folder_close(folder);
	list_end();
	EQ(control("socket0.imc0.ch2", 3), 0x00400304);
}

TEST(two_who_left_the_same_register_are_undone_in_turn)
{
	const char *old;

	onleft_child(&t, write_three, false);
	EQ(onleft_files(&t), 1);
	old = test_text("%s.away", t.path);
	CU_ASSERT_EQUAL(rename(t.path, old), 0); /* so that the second does not know of the first */
	onleft_child(&t, write_again, false);
	CU_ASSERT_EQUAL(rename(old, t.path), 0);
	list();
	EQ(unc_recover_count(r), 4);
	OK(&t, unc_recover_run(r, false));
	EQ(row(0).becomes, 0x00400304);
	list_end();
	EQ(control("socket0.imc0.ch2", 3), 0);
	EQ(onleft_files(&t), 0);
}

TEST(kinds_of_journals_are_told)
{
	static const struct {
		const char *from, *to;
		enum unc_recover_kind kind;
	} cases[] = {
		{"\nboot ", "\nboot 0", UNC_RECOVER_OTHER_BOOT},
		{"machine sim:", "machine root:", UNC_RECOVER_OTHER_MACHINE},
		{"since ", "since x", UNC_RECOVER_DAMAGED},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_recover_journal journal;

		end();
		begin();
		onleft_child(&t, write_three, false);
		onleft_rewrite(&t, cases[i].from, cases[i].to);
		if (cases[i].kind == UNC_RECOVER_OTHER_BOOT)
			reset();
		list();
		SAME(t.notes, "");
		EQ(unc_recover_count(r), 0);
		OK(&t, unc_recover_journal(r, 0, &journal));
		EQ(journal.kind, cases[i].kind);
		EQ(journal.why[0] != '\0', cases[i].kind == UNC_RECOVER_DAMAGED);
		OK(&t, unc_recover_run(r, true));
		list_end();
		EQ(onleft_files(&t), cases[i].kind == UNC_RECOVER_OTHER_BOOT ? 0 : 1);
		EQ(control("socket0.imc0.ch2", 3), cases[i].kind == UNC_RECOVER_OTHER_BOOT ? 0 : 0x00400304);
	}
}

TEST(what_still_holds_what_another_boot_wrote_is_put_back)
{
	struct unc_recover_journal journal;

	onleft_child(&t, write_three, false);
	onleft_rewrite(&t, "\nboot ", "\nboot 0");
	onsim_poke(&t.o, onsim_box(&t.o, "socket0.imc0.ch0"), R_CTL(3), 0);
	list();
	OK(&t, unc_recover_journal(r, 0, &journal));
	EQ(journal.kind, UNC_RECOVER_STALE);
	EQ(journal.n_registers, 2);
	EQ(unc_recover_count(r), 2);
	OK(&t, unc_recover_run(r, false));
	is_state(0, UNC_RECOVER_PUT_BACK);
	is_state(1, UNC_RECOVER_PUT_BACK);
	list_end();
	EQ(control("socket0.imc0.ch2", 3), 0);
	EQ(control("socket0.imc0.ch2", 2), 0);
	EQ(onleft_files(&t), 0);
}

/* A counter moves by itself, so what it holds tells nothing. */
TEST(a_counter_of_another_boot_is_obsolete)
{
	onleft_child(&t, write_counter, false);
	onleft_rewrite(&t, "\nboot ", "\nboot 0");
	list();
	EQ(unc_recover_count(r), 0);
	OK(&t, unc_recover_run(r, false));
	list_end();
	EQ(onleft_files(&t), 0);
}

/* Every byte: nothing is written, or all of it as it was. */
TEST(a_journal_cut_off_anywhere_or_with_any_byte_changed_is_never_half_believed)
{
	static char good[65536];
	ssize_t len;
	int fd;

	onleft_child(&t, write_three, false);
	EQ(onleft_files(&t), 1);
	fd = open(t.path, O_RDWR | O_CLOEXEC);
	len = read(fd, good, sizeof(good));
	CU_ASSERT_FATAL(len > 0);
	for (ssize_t i = 0; i < 2 * len; i++) {
		char byte = (char)(good[i / 2] ^ 1 << i / 2 % 8);

		CU_ASSERT_EQUAL(pwrite(fd, good, (size_t)len, 0), len);
		CU_ASSERT_TRUE(i % 2 ? ftruncate(fd, i / 2) == 0 : pwrite(fd, &byte, 1, i / 2) == 1);
		if (i % 16 > 1 && i > 2 * UNC_JOURNAL_HEAD) /* test_journal_text.c does each */
			continue;
		list();
		EQ(unc_recover_count(r), 0);
		OK(&t, unc_recover_run(r, true));
		list_end();
		EQ(control("socket0.imc0.ch2", 3), 0x00400304);
	}
	close(fd);
}
