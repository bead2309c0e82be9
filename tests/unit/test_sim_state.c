// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

#include <stddef.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sim/state.h"

#define CH "ff:10.0"

#define OFF(member) offsetof(struct unc_sim_state, member)
#define AT(member, value)                                                                                              \
	{                                                                                                              \
		OFF(member), sizeof(((struct unc_sim_state *)NULL)->member), value                                     \
	}

static void open_state(const char *options, const char *path)
{
	fx_open(fx_text("%s,state=%s", options, path));
}

TEST(registers_outlive_the_machine)
{
	const char *path = fx_file(NULL);

	open_state("snbep,clock=step,dword_ns=0", path);
	fx_w48(CH, CTR + 8, 0xfffffffffff0);
	W32(CH, {0xdc, 0x400001}, {0xf4, 0x3});
	fx_step(1000);
	CU_ASSERT_EQUAL(fx_violations(), 1);
	open_state("snbep,clock=step,dword_ns=0", path);
	IS32(CH, {0xdc, 0x400001});
	IS48(CH, {CTR + 8, fx_truth(CH, "act_count") - 0x10}); /* it wrapped */
	CU_ASSERT_EQUAL(fx_raw_ns(), UINT64_C(1000000001000));
	CU_ASSERT_EQUAL(fx_violations(), 1);
}

TEST(two_openers_share_one_machine)
{
	const char *path = fx_file(NULL);

	open_state("snbep,clock=step,dword_ns=0", path);
	fx_w32(CH, CTL, READS);
	fx_use(1);
	open_state("snbep,clock=step,dword_ns=0,hide=7f:10.0", path); /* what one does not see is its own affair */
	IS32(CH, {CTL, READS});
	fx_step(MS);
	fx_use(0);
	IS48(CH, {CTR, fx_truth(CH, "cas_count.rd")});
	fx_use(1);
	fx_w32(CH, CTL, 0);
	fx_use(0);
	fx_step(MS);
	fx_use(1);
	CU_ASSERT(fx_r48(CH, CTR) < fx_truth(CH, "cas_count.rd"));
}

enum { PROCESSES = 4, WRITES = 4000 };

/* Waits for the end of the gate, so that all begin at once; each write breaks a rule and takes 10 ns. */
static void write_many(const char *path, const int gate[2])
{
	char byte;

	close(gate[1]);
	open_state("snbep,clock=step,dword_ns=10", path);
	while (read(gate[0], &byte, 1) > 0)
		;
	for (int k = 0; k < WRITES; k++)
		fx_w32(CH, 0xf4, 0x1);
	_exit(0);
}

TEST(processes_at_once_lose_no_count_and_no_violation)
{
	uint64_t t_ns = (PROCESSES * WRITES + 1) * 10;
	const char *path = fx_file(NULL);
	int i, status, gate[2], ended_well = 0;

	open_state("snbep,clock=step,dword_ns=10", path);
	fx_w32(CH, CTL, READS);
	CU_ASSERT_FATAL(pipe(gate) == 0);
	for (i = 0; i < PROCESSES; i++)
		if (fork() == 0)
			write_many(path, gate);
	close(gate[0]);
	close(gate[1]);
	for (i = 0; i < PROCESSES; i++)
		ended_well += wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	CU_ASSERT_EQUAL(ended_well, PROCESSES);
	CU_ASSERT_EQUAL(fx_violations(), PROCESSES * WRITES);
	CU_ASSERT_EQUAL(fx_raw_ns(), UINT64_C(1000000000000) + t_ns);
	fx_w32(CH, CTL, 0);
	IS48(CH, {CTR, t_ns * 413 / 6400}); /* 4.13e9 bytes/s: 413/6400 reads a ns */
}

TEST(real_time_goes_on_while_nobody_looks)
{
	const char *path = fx_file(NULL);
	uint64_t first, second, ns;

	open_state("snbep", path);
	fx_w32(CH, FIXED_CTL, EN);
	first = fx_r48(CH, FIXED);
	ns = fx_raw_ns();
	fx_close();
	usleep(3000);
	open_state("snbep", path);
	ns = fx_raw_ns() - ns;
	second = fx_r48(CH, FIXED);
	CU_ASSERT(ns >= 3000000);
	CU_ASSERT(second - first >= ns / 5 * 4);
}

/* The state of a machine that was opened once. */
static const char *state_of(const char *options)
{
	const char *path = fx_file(NULL);

	open_state(options, path);
	fx_close();
	return path;
}

static void fail(const char *options, const char *path, int err, const char *piece)
{
	const char *const pieces[] = {"state", path, piece, NULL};

	fx_refused(fx_text("%s,state=%s", options, path), err, pieces, __FILE__, __LINE__);
}

static void refuse(const char *options, const char *path, const char *piece)
{
	fail(options, path, UNC_EARG, piece);
}

TEST(the_state_of_another_machine_is_refused)
{
	static const char *const others[] = {"cores=4", "frz_en=rw", "numbering=reversed", "threads=1", "offline=3"};
	const char *path = fx_file(NULL), *load;

	open_state("snbep,clock=step", path);
	refuse("snbep,clock=step,sockets=1", path,
	       "snbep,sockets=2,cores=8,threads=2,l3s=1,snc=1,domains=1,clock=step,frz_en=wo,numbering=normal,qm_scope="
	       "thread,abmc=0, with no CPU offline");
	refuse("snbep", path, "another machine");
	for (size_t i = 0; i < N(others); i++)
		refuse(fx_text("snbep,clock=step,%s", others[i]), path, "another machine");
	load = fx_file("format: uncorectl-load/1\nchannels: {}\n");
	refuse(fx_text("snbep,clock=step,load=%s", load), path, "another machine");
	open_state("snbep,clock=step,dword_ns=0", path); /* how long an access takes is each opener's own affair, too */
}

TEST(each_key_of_cpus_and_caches_makes_another_machine)
{
	const char *path = fx_file(NULL);

	open_state("skx,domains=2,qm_scope=package,offline=70,offline=3,5", path);
	refuse("skx,domains=2,qm_scope=package,offline=3,5", path, "with 3,5,70 offline");
	refuse("skx,domains=2,offline=3,5,70", path, "qm_scope=package");
	refuse("skx,qm_scope=package,offline=3,5,70", path, "domains=2");
	open_state("skx,domains=2,qm_scope=package,offline=3,5,70,offline=5,msr_writes=off,qm=error", path);
}

static void poke(const char *path, size_t off, uint64_t value, size_t len)
{
	FILE *file = fopen(path, "r+");

	CU_ASSERT_FATAL(file != NULL);
	CU_ASSERT_EQUAL(fseek(file, (long)off, SEEK_SET), 0);
	CU_ASSERT_EQUAL(fwrite(&value, len, 1, file), 1);
	fclose(file);
}

TEST(a_file_that_is_no_state_is_refused)
{
	const char *whole = state_of("snbep");

	refuse("snbep", fx_file("this is not what it should be\n"), "state");
	poke(whole, 0, 0x6e69687465736d6f, 8);
	refuse("snbep", whole, "not a state of a simulated machine");
}

TEST(a_state_from_before_the_last_boot_is_refused)
{
	const char *path = state_of("snbep");

	/* Started when this computer will have run for 146 years. */
	poke(path, OFF(start_raw_ns), UINT64_C(1) << 62, 8);
	refuse("snbep", path, "started before this computer");
	path = state_of("snbep");
	poke(path, OFF(now_ns), UINT64_C(1) << 59, 8); /* has run for 18 years */
	refuse("snbep", path, "started before this computer");
}

TEST(a_state_of_another_version_is_refused)
{
	const char *path = state_of("snbep");

	poke(path, OFF(identity.version), 99, 4);
	refuse("snbep", path, "another version");
}

TEST(a_damaged_violation_is_an_error)
{
	struct unc_sim_violation violation;
	const char *path = fx_file(NULL);

	open_state("snbep", path);
	fx_w32(CH, 0xe8, 1);
	fx_violation(0);
	fx_close();
	poke(path, OFF(violations[0].place), 1000, 4); /* which function */
	open_state("snbep", path);
	CU_ASSERT_EQUAL(fx_violations(), 1);
	CU_ASSERT_EQUAL(unc_sim_violation(fx.host, 0, &violation), UNC_EIO);
}

TEST(numbers_and_indices_that_cannot_be_are_refused)
{
	static const struct {
		size_t off, len;
		uint64_t value;
	} rows[] = {
		AT(now_ns, UINT64_MAX),          AT(seen_ns, UINT64_MAX),  AT(suspended_ns, UINT64_MAX),
		AT(imc[5].since_ns, BIT(63)),    AT(n_traffics, 1025),     AT(n_changes, 1),
		AT(n_changes, UINT64_MAX),       AT(perf.n, 513),          AT(perf.events[0].order, 1),
		AT(perf.boxes[0].polls_ns, 1), /* of function 0, which is no channel */
		AT(perf.boxes[3].place, 100000), AT(resctrl.n_groups, 17),
	};

	for (size_t i = 0; i < N(rows); i++) {
		const char *path = state_of("snbep,clock=step,perf=on");

		open_state("snbep,clock=step,perf=on", path);
		fx_close();
		if (rows[i].off == OFF(perf.events[0].order))
			poke(path, OFF(perf.n), 1, 4);
		if (rows[i].off == OFF(perf.boxes[3].place))
			poke(path, OFF(perf.boxes[3].polls_ns), 1, 8);
		poke(path, rows[i].off, rows[i].value, rows[i].len);
		refuse("snbep,clock=step,perf=on", path, "this file is damaged: its ");
	}
}

/* What another process changes after it was opened. */
TEST(numbers_that_change_under_way_are_bounded)
{
	/* Boxes 3 to 5: their place is no channel's. */
	static const size_t offs[] = {OFF(perf.boxes[3].rotates_ns),
				      OFF(perf.boxes[4].moves_ns),
				      OFF(perf.boxes[5].polls_ns),
				      OFF(n_violations),
				      OFF(n_traffics),
				      OFF(n_changes),
				      OFF(perf.due_ns),
				      OFF(perf.n),
				      OFF(resctrl.due_ns),
				      OFF(resctrl.n_groups),
				      OFF(shares),
				      OFF(imc[4].since_ns),
				      OFF(seen_ns),
				      OFF(now_ns)};
	static const uint64_t values[] = {1, 0x7fffffff, (uint64_t)INT64_MIN, UINT64_MAX};

	for (size_t i = 0; i < N(offs); i++) {
		for (size_t k = 0; k < N(values); k++) {
			const unsigned cpus[] = {0};
			const struct unc_traffic traffic = {
				.node = 0, .cpus = cpus, .n_cpus = 1, .size_bytes = 1 << 30};
			struct unc_traffic_done done;
			const char *path = fx_file(NULL);

			open_state("hsx,clock=step,perf=on,resctrl=on", path);
			poke(path, offs[i], values[k], 8);
			if (i < 3)
				poke(path, OFF(perf.due_ns), 1, 8);
			fx_violations(); /* any number of them */
			unc_sim_step(fx.host, SECOND, false);
			fx.host->ops->traffic(fx.host, UNC_TRAFFIC_START, &traffic, &done);
			unc_sim_step(fx.host, SECOND, false);
		}
	}
	CU_PASS("nothing was read or written beyond the file, and all ended");
}

/* AMD's RMIDs have 12 bits; this one has more, so it does not exist. */
TEST(an_rmid_that_does_not_exist_is_bounded)
{
	const char *path = fx_file(NULL);

	open_state("zen5,clock=step", path);
	fx_wmsr(0, 0xc8f, 1);
	poke(path, OFF(threads[1].pqr_assoc), UINT32_MAX, 8);
	fx_wmsr(0, 0xc8f, 2);
	fx_step(SECOND);
	fx_wmsr(1, 0xc8f, 3);
	fx_close();
	open_state("zen5,clock=step", path);
}

TEST(a_state_that_others_can_change_is_not_trusted)
{
	const char *path = fx_file(NULL), *link = fx_file(NULL);

	open_state("snbep", path);
	CU_ASSERT_EQUAL(chmod(path, 0620), 0);
	fail("snbep", path, UNC_EPERM, "not trusted: others may write it; `chmod go-w` it");
	CU_ASSERT_EQUAL(chmod(path, 0644), 0);
	open_state("snbep", path);
	CU_ASSERT_EQUAL(symlink(path, link), 0);
	fail("snbep", link, UNC_EPERM, "it is a symbolic link");
	CU_ASSERT_TRUE(unlink(link) == 0 && mkfifo(link, 0600) == 0);
	refuse("snbep", link, "not a file of");
	if (geteuid() == 0) {
		CU_ASSERT_EQUAL(chown(path, 65534, 65534), 0);
		fail("snbep", path, UNC_EPERM, "not trusted: it belongs to user 65534");
	}
}
