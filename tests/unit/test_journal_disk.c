// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>

#include "onleft.h"
#include "test.h"
#include "uncore/recover.h"

static struct onleft t;

static void begin(void)
{
	onleft_open(&t);
}

static void end(void)
{
	if (t.m)
		onleft_end(&t);
	onleft_close(&t);
}

EACH(begin, end)

/* In the place of the C library's: the disk has failed. */
static bool fsync_fails, lseek_fails;

static int fail(void)
{
	errno = EIO;
	return -1;
}

int fsync(int fd)
{
	return fsync_fails ? fail() : (int)syscall(SYS_fsync, fd);
}

off_t lseek(int fd, off_t off, int whence)
{
	return lseek_fails ? fail() : (off_t)syscall(SYS_lseek, fd, off, whence);
}

static int write_one(struct unc_machine *m)
{
	return onleft_write(m, "socket0.imc0.ch2", "CTL", 3, 0x00400304);
}

static int write_two(struct unc_machine *m)
{
	int rc = write_one(m);

	return rc < 0 ? rc : onleft_write(m, "socket0.imc0.ch2", "CTL", 2, 0x00400c04);
}

enum { BEFORE = 0x00400001 };

static void set_control(uint32_t value)
{
	onsim_poke(&t.o, onsim_box(&t.o, "socket0.imc0.ch2"), R_CTL(3), value);
}

static uint32_t control(void)
{
	return onsim_peek(&t.o, onsim_box(&t.o, "socket0.imc0.ch2"), R_CTL(3));
}

TEST(nothing_is_on_the_disk_before_something_is_written)
{
	struct stat st;

	onleft_start(&t);
	CU_ASSERT_NOT_EQUAL(stat(t.o.journals, &st), 0);
	OK(&t, write_one(t.m));
	EQ(onleft_files(&t), 1);
	onleft_end(&t);
	EQ(onleft_files(&t), 0);
	EQ(control(), 0);
}

TEST(a_machine_that_ends_with_its_process_has_no_journal)
{
	struct onplain plain;
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	CU_ASSERT_PTR_NOT_NULL(o.m->disk); /* it is in a file */
	onsim_close(&o);
	onplain_open(&plain, "sim:snbep,clock=step");
	CU_ASSERT_PTR_NULL(plain.m->disk);
	onplain_close(&plain);
}

TEST(where_the_folder_is_refused_nothing_is_written)
{
	CU_ASSERT_EQUAL(mkdir(t.o.journals, 0755), 0);
	CU_ASSERT_EQUAL(chmod(t.o.journals, 0755), 0);
	onleft_start(&t); /* is no failure yet */
	FAILS(&t, UNC_EPERM, write_one(t.m), "nothing was written to the hardware", t.o.journals, "cfg.state_dir");
	EQ(control(), 0);
	/* As soon as it can be, it is. */
	CU_ASSERT_EQUAL(chmod(t.o.journals, 0700), 0);
	OK(&t, write_one(t.m));
	EQ(control(), 0x00400304);
	onleft_end(&t);
	EQ(control(), 0);
}

TEST(what_is_left_is_said_and_left_alone)
{
	const char *who;
	pid_t pid = onleft_child(&t, write_one, false);

	EQ(control(), 0x00400304);
	EQ(onleft_files(&t), 1);
	who = test_text("process %d (", (int)pid);
	onleft_start(&t);
	HAS(t.notes, who);
	HAS(t.notes, "1 register: left alone; `uncorectl recover`");
	FAILS(&t, UNC_EBUSY, onleft_write(t.m, "socket0.imc0.ch2", "CTL", 3, 0x00400c04), who, "CTL[3]",
	      "uncorectl recover");
	OK(&t, onleft_write(t.m, "socket0.imc0.ch2", "CTL", 2, 0x00400c04));
	onleft_end(&t);
	EQ(control(), 0x00400304);
	EQ(onleft_files(&t), 1);
}

TEST(a_journal_of_another_boot_is_discarded_with_a_sentence)
{
	/* As a reset leaves it, as it was, and as another program has programmed it since. */
	static const uint32_t now[] = {0, BEFORE, 0x00400c04};

	for (size_t i = 0; i < sizeof(now) / sizeof(now[0]); i++) {
		end();
		begin();
		set_control(BEFORE);
		onleft_child(&t, write_one, false);
		onleft_rewrite(&t, "\nboot ", "\nboot 0");
		set_control(now[i]);
		onleft_start(&t);
		HAS(t.notes, "discarded: process ");
		EQ(onleft_files(&t), 0);
		OK(&t, write_one(t.m));
	}
}

/* kexec, or a system that firmware starts after a run: nothing was reset. */
TEST(what_still_holds_what_another_boot_wrote_is_left_alone)
{
	onleft_child(&t, write_two, false);
	onleft_rewrite(&t, "\nboot ", "\nboot 0");
	onsim_poke(&t.o, onsim_box(&t.o, "socket0.imc0.ch2"), R_CTL(2), 0);
	onleft_start(&t);
	HAS(t.notes, "1 register: left alone; `uncorectl recover`");
	FAILS(&t, UNC_EBUSY, write_one(t.m), "CTL[3]", "uncorectl recover");
	OK(&t, onleft_write(t.m, "socket0.imc0.ch2", "CTL", 2, 0x00400c04));
	onleft_end(&t);
	EQ(control(), 0x00400304);
	EQ(onleft_files(&t), 1);
}

TEST(a_journal_of_another_machine_is_none_of_ours)
{
	onleft_child(&t, write_one, false);
	onleft_rewrite(&t, "machine sim:snbep", "machine sim:ivt");
	onleft_start(&t);
	SAME(t.notes, "");
	OK(&t, write_one(t.m));
	onleft_end(&t);
	EQ(onleft_files(&t), 1);
}

TEST(a_damaged_journal_is_told_and_stays)
{
	onleft_child(&t, write_one, false);
	EQ(onleft_files(&t), 1);
	CU_ASSERT_EQUAL(truncate(t.path, 300), 0);
	onleft_start(&t);
	HAS(t.notes, "a damaged journal");
	HAS(t.notes, t.path);
	onleft_end(&t);
	EQ(onleft_files(&t), 1);
}

static void ignore(void *arg, const char *line)
{
	(void)arg, (void)line;
}

TEST(a_file_that_was_only_begun_goes)
{
	struct unc_recover *r;
	int fd;

	CU_ASSERT_EQUAL(mkdir(t.o.journals, 0700), 0);
	snprintf(t.path, sizeof(t.path), "%s/new.1-2-0.journal", t.o.journals);
	fd = open(t.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CU_ASSERT_EQUAL(write(fd, "half", 4), 4);
	close(fd);
	onleft_start_as(&t, &(struct unc_machine_cfg){.writable = true, .recovers = true, .dry_run = ignore});
	OK(&t, unc_recover_open(t.m, &r));
	EQ(unc_recover_journals(r), 0);
	unc_recover_close(r);
	onleft_end(&t);
	onleft_start(&t);
	SAME(t.notes, "");
	EQ(onleft_files(&t), 0);
}

TEST(who_lives_is_no_matter_of_recovering_and_is_named)
{
	struct unc_addr addr;
	const char *who;
	char buf[400];
	pid_t pid = onleft_child(&t, write_one, true);

	who = test_text("process %d (", (int)pid);
	onleft_start(&t);
	SAME(t.notes, "");
	addr = onleft_box(t.m, "socket0.imc0.ch2")->addr;
	CU_ASSERT_TRUE(unc_journal_disk_owner(t.m, &addr, buf, sizeof(buf)));
	CU_ASSERT_EQUAL(strncmp(buf, who, strlen(who)), 0);
	HAS(buf, "), since 20");
	FAILS(&t, UNC_EBUSY, onleft_write(t.m, "socket0.imc0.ch2", "CTL", 2, 0x00400c04), who);
	OK(&t, onleft_write(t.m, "socket0.imc0.ch1", "CTL", 2, 0x00400c04));
	addr = onleft_box(t.m, "socket0.imc0.ch0")->addr;
	CU_ASSERT_FALSE(unc_journal_disk_owner(t.m, &addr, buf, sizeof(buf)));
	onleft_kill(pid);
	addr = onleft_box(t.m, "socket0.imc0.ch2")->addr;
	CU_ASSERT_FALSE(unc_journal_disk_owner(t.m, &addr, buf, sizeof(buf)));
}

TEST(who_dies_while_the_machine_is_open_is_seen)
{
	pid_t pid = onleft_child(&t, write_one, true);

	onleft_start(&t);
	onleft_kill(pid);
	SAME(t.notes, "");
	FAILS(&t, UNC_EBUSY, onleft_write(t.m, "socket0.imc0.ch2", "CTL", 3, 0x00400c04),
	      "it was left changed by process");
	HAS(t.notes, "1 register: left alone; `uncorectl recover`");
	OK(&t, onleft_write(t.m, "socket0.imc0.ch2", "CTL", 2, 0x00400c04));
	onleft_end(&t);
	EQ(control(), 0x00400304);
}

/* What others have left is not known then. */
TEST(where_the_folder_cannot_be_looked_through_nothing_is_written)
{
	onleft_child(&t, write_one, false);
	lseek_fails = true;
	onleft_start(&t);
	FAILS(&t, UNC_EIO, write_one(t.m), "nothing was written to the hardware", t.o.journals);
	lseek_fails = false;
	FAILS(&t, UNC_EBUSY, write_one(t.m), "it was left changed by process");
	onleft_end(&t);
	EQ(onleft_files(&t), 1);
}

/* As a program may that opens two machines, or one twice. */
static int write_with_two_machines(struct unc_machine *m)
{
	struct unc_machine_cfg cfg = {.machine = m->name, .state_dir = m->state_dir, .writable = true, .wake_fd = -1};
	struct unc_machine *other;
	int rc = write_one(m);

	if (rc == 0)
		rc = unc_machine_open(m->ctx, &cfg, &other);
	return rc < 0 ? rc : onleft_write(other, "socket0.imc0.ch0", "CTL", 3, 0x00400304);
}

TEST(two_machines_of_a_process_have_a_file_each)
{
	onleft_child(&t, write_with_two_machines, false);
	EQ(onleft_files(&t), 2);
	onleft_start(&t);
	FAILS(&t, UNC_EBUSY, write_one(t.m), "left changed by process");
	FAILS(&t, UNC_EBUSY, onleft_write(t.m, "socket0.imc0.ch0", "CTL", 3, 0x00400c04), "left changed by process");
}

enum { FILE_MAX = 65536 };

static size_t read_file(char text[FILE_MAX])
{
	ssize_t len;
	int fd;

	EQ(onleft_files(&t), 1);
	fd = open(t.path, O_RDONLY | O_CLOEXEC);
	len = read(fd, text, FILE_MAX - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

/* A kill between these writes and that of the head would make damaged what was good. */
TEST(what_the_head_calls_good_is_not_written_over)
{
	static char before[FILE_MAX], after[FILE_MAX];
	size_t len;

	onleft_start(&t);
	OK(&t, write_one(t.m));
	fsync_fails = true;
	FAILS(&t, UNC_EIO, onleft_write(t.m, "socket0.imc0.ch1", "CTL", 0, 0x00400304), "nothing more was written");
	fsync_fails = false;
	len = read_file(before);
	OK(&t, onleft_write(t.m, "socket0.imc0.ch0", "CTL", 0, 0x00400304));
	CU_ASSERT_TRUE(read_file(after) > len);
	CU_ASSERT_EQUAL(memcmp(before + UNC_JOURNAL_HEAD, after + UNC_JOURNAL_HEAD, len - UNC_JOURNAL_HEAD), 0);
}

static unsigned count_in_file(const char *part)
{
	static char text[FILE_MAX];

	read_file(text);
	return onsim_count(text, part);
}

TEST(who_comes_again_and_again_claims_once)
{
	struct unc_box *box;

	onleft_start(&t);
	box = onleft_box(t.m, "socket0.imc0.ch2");
	for (unsigned i = 0; i < 3; i++) {
		OK(&t, write_one(t.m));
		EQ(count_in_file("claim "), 1);
		OK(&t, unc_gate_restore(t.m, t.m));
	}
	OK(&t, unc_journal_disk_claim(t.m->disk, "socket0.imc0.ch", &box->addr)); /* as the other begins */
	OK(&t, write_one(t.m));
	EQ(count_in_file("claim "), 2);
}

/* No process would read it. */
TEST(one_that_has_become_too_long_is_written_to_no_more)
{
	static uint64_t values[65536];
	struct unc_journal_line line = {.off = 0x80, .bits = 64, .box = "box", .reg = "REG", .values = values};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		values[i] = UINT64_MAX - i;
	line.n_values = sizeof(values) / sizeof(values[0]);
	onleft_start(&t);
	OK(&t, write_one(t.m));
	line.addr = onleft_box(t.m, "socket0.imc0.ch0")->addr;
	for (size_t len = 0; len <= UNC_JOURNAL_MAX; len += line.n_values * strlen(" 0x0123456789abcdef"))
		OK(&t, unc_journal_disk_add(t.m->disk, &line));
	FAILS(&t, UNC_EIO, unc_journal_disk_sync(t.m->disk), "nothing more was written to the hardware",
	      "longer than the");
	EQ(count_in_file("reg "), 1);
	onleft_end(&t);
	EQ(control(), 0);
}

TEST(what_stays_as_it_is_is_not_left)
{
	struct unc_box *box;

	onleft_start(&t);
	box = onleft_box(t.m, "socket0.imc0.ch2");
	OK(&t, write_one(t.m));
	unc_gate_keep(box, onsim_reg(box, "CTL"), 3);
	onleft_end(&t);
	EQ(onleft_files(&t), 0);
	EQ(control(), 0x00400304);
}

TEST(times_are_written_as_people_do)
{
	static const struct {
		uint64_t seconds;
		const char *text;
	} cases[] = {
		/* date -u -d @SECONDS */
		{0, "1970-01-01 00:00:00 UTC"},          {951782400, "2000-02-29 00:00:00 UTC"},
		{951868799, "2000-02-29 23:59:59 UTC"},  {1763676184, "2025-11-20 22:03:04 UTC"},
		{1735689599, "2024-12-31 23:59:59 UTC"}, {4107542400, "2100-03-01 00:00:00 UTC"},
	};
	char buf[UNC_TIME_TEXT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		SAME(unc_journals_time(cases[i].seconds * 1000000000 + 999999999, buf), cases[i].text);
}
