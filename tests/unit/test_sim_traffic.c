// SPDX-License-Identifier: GPL-2.0-or-later
/* Traffic that is made on purpose, on a simulated machine. */
#include "test_sim_qm.h"

#include <signal.h>
#include <sys/wait.h>

#define IDLE "format: uncorectl-load/1\nchannels:\n  \"*\": {read: 0}\n"

enum { DCLK_HZ = 1200000000, PER_SOCKET = 4 }; /* bdx: DDR4-2400, two controllers of two channels */

__extension__ typedef unsigned __int128 wide;

static struct fx_moved moved(size_t channel)
{
	struct unc_sim_channel is = fx_channel(channel);

	return fx_moved(&is.addr);
}

static uint64_t events(size_t channel, const char *event)
{
	struct unc_sim_channel is = fx_channel(channel);
	char at[UNC_ADDR_TEXT];

	return fx_truth(unc_addr_text(&is.addr, at), event);
}

static int try_start(struct unc_traffic traffic)
{
	static const unsigned cpu0[] = {0};

	if (!traffic.cpus) {
		traffic.cpus = cpu0;
		traffic.n_cpus = 1;
	}
	if (!traffic.size_bytes)
		traffic.size_bytes = 1 << 20;
	return fx.host->ops->traffic(fx.host, UNC_TRAFFIC_START, &traffic, NULL);
}

static void start(struct unc_traffic traffic)
{
	int rc = try_start(traffic);

	if (rc < 0)
		fprintf(stderr, "\n%s\n", unc_errmsg(fx.ctx));
	CU_ASSERT_EQUAL_FATAL(rc, 0);
}

static struct unc_traffic_done ask(enum unc_traffic_op op)
{
	struct unc_traffic_done done = {0};

	CU_ASSERT_EQUAL(fx.host->ops->traffic(fx.host, op, NULL, &done), 0);
	return done;
}

#define LOOK() ask(UNC_TRAFFIC_LOOK)
#define STOP() ask(UNC_TRAFFIC_STOP)

TEST(each_kind_is_read_and_written_as_it_says)
{
	static const struct {
		enum unc_traffic_kind kind;
		uint64_t read, write;
	} kinds[] = {{UNC_TRAFFIC_READ, 1, 0}, {UNC_TRAFFIC_WRITE, 1, 1}, {UNC_TRAFFIC_NT_WRITE, 0, 1}};

	for (size_t i = 0; i < N(kinds); i++) {
		struct unc_traffic_done done;

		fx_open_load(BDX, IDLE);
		fx_step(12345);
		start((struct unc_traffic){.kind = kinds[i].kind, .bytes_per_s = 6400000000});
		fx_step(SECOND);
		done = STOP();
		fx_step(SECOND);
		CU_ASSERT_EQUAL(done.loaded_bytes, kinds[i].kind == UNC_TRAFFIC_READ ? 6400000000 : 0);
		CU_ASSERT_EQUAL(done.stored_bytes, kinds[i].kind == UNC_TRAFFIC_WRITE ? 6400000000 : 0);
		CU_ASSERT_EQUAL(done.nt_stored_bytes, kinds[i].kind == UNC_TRAFFIC_NT_WRITE ? 6400000000 : 0);
		CU_ASSERT_EQUAL(done.raw_ns, UINT64_C(1001000012345));
		for (size_t channel = 0; channel < 2 * PER_SOCKET; channel++) {
			bool here = channel < PER_SOCKET;

			CU_ASSERT_EQUAL(moved(channel).read, here * kinds[i].read * 1600000000);
			CU_ASSERT_EQUAL(moved(channel).written, here * kinds[i].write * 1600000000);
			CU_ASSERT_EQUAL(events(channel, "cas_count.rd_underfill"),
					here * kinds[i].read * 25000000 / 16);
			CU_ASSERT_EQUAL(events(channel, "cas_count.wr_rmm"), here * kinds[i].write * 25000000 / 8);
			CU_ASSERT_EQUAL(events(channel, "cas_count.rd_wmm"), here * kinds[i].read * 25000000 / 4);
		}
	}
}

/* Beside a machine that is the same without: over many starts and stops the counts differ by what was moved, to the CAS. */
TEST(what_is_moved_is_exact_over_starts_and_stops)
{
	enum { WITH, WITHOUT };
	uint64_t random = 1, all = 0;

	fx_open(BDX);
	fx_use(WITHOUT);
	fx_open(BDX);
	for (unsigned i = 0; i < 300; i++) {
		struct fx_moved without[2 * PER_SOCKET];
		uint64_t ns, rate, looked;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		ns = random >> 40;
		rate = 1 + (random >> 20) % 2000000000;
		all += (uint64_t)((wide)rate * ns / 1000000000);
		fx_use(WITHOUT);
		fx_step(ns + ns % 777);
		for (size_t channel = 0; channel < 2 * PER_SOCKET; channel++)
			without[channel] = moved(channel);
		fx_use(WITH);
		start((struct unc_traffic){.bytes_per_s = rate});
		fx_step(ns / 2);
		looked = LOOK().loaded_bytes;
		fx_step(ns - ns / 2);
		CU_ASSERT(looked <= LOOK().loaded_bytes);
		CU_ASSERT_EQUAL(LOOK().loaded_bytes, STOP().loaded_bytes);
		fx_step(ns % 777);
		for (size_t channel = 0; channel < PER_SOCKET; channel++) {
			uint64_t more = moved(channel).read - without[channel].read;

			/* Each start loses less than a byte of rate, and the load's own CAS may be at its end or not. */
			CU_ASSERT(more <= all / PER_SOCKET + 64 + i && more + 128 + i >= all / PER_SOCKET);
			CU_ASSERT_EQUAL(moved(channel).written, without[channel].written);
			CU_ASSERT_EQUAL(moved(channel + PER_SOCKET).read, without[channel + PER_SOCKET].read);
		}
	}
}

TEST(history_stays_as_it_was)
{
	static const char at[] = "7f:14.0"; /* channel 0 */
	uint64_t at_ns[8], counts[8];

	fx_open(BDX);
	for (unsigned i = 0; i < 8; i++) {
		if (i % 2)
			STOP();
		else
			start((struct unc_traffic){.kind = UNC_TRAFFIC_WRITE, .bytes_per_s = 12345678});
		fx_step(1234567 + i);
		at_ns[i] = fx_raw_ns();
		counts[i] = fx_truth(at, "cas_count.all");
	}
	for (unsigned i = 0; i < 8; i++)
		CU_ASSERT_EQUAL(fx_truth_at(at, "cas_count.all", at_ns[i]), counts[i]);
}

/* A counter of cas_count.rd, and of its cycles: those at or above a threshold and the others are all there are. */
TEST(counters_see_it)
{
	uint64_t reads, hits, before;

	fx_open("snbep,clock=step,dword_ns=0");
	W32("ff:10.0", {CTL, READS}, {CTL + 4, 0x01400304}, {CTL + 8, 0x01c00304}, {FIXED_CTL, EN});
	fx_step(1000003);
	before = fx_r48("ff:10.0", 0xa0);
	start((struct unc_traffic){.node = 1, .bytes_per_s = 2000000000});
	IS48("ff:10.0", {0xa0, before});
	fx_step(1000007);
	STOP();
	fx_step(1000007);
	reads = fx_r48("ff:10.0", CTR);
	hits = fx_r48("ff:10.0", CTR + 8);
	TRUTH("ff:10.0", {"cas_count.rd", reads});
	CU_ASSERT(reads / 3 > before + 2000);
	IS48("ff:10.0", {FIXED, hits + fx_r48("ff:10.0", CTR + 16)});
	CU_ASSERT(hits <= reads && hits + 2 >= reads); /* never two in a cycle */
}

TEST(the_channels_of_an_event_load_have_it_too)
{
	fx_open_load(BDX, "format: uncorectl-load/1\nchannels:\n  \"*\":\n    events:\n      cas_count.rd_reg: 1e6\n"
			  "      cas_count.wr_wmm: 1e6\n");
	start((struct unc_traffic){.kind = UNC_TRAFFIC_WRITE, .bytes_per_s = 6400000000});
	fx_step(SECOND);
	CU_ASSERT_EQUAL(moved(3).read, 64 * 26000000);
	CU_ASSERT_EQUAL(moved(3).written, 64 * 26000000);
	CU_ASSERT_EQUAL(events(3, "cas_count.rd_underfill"), 25000000 / 16);
}

TEST(as_fast_as_they_can_is_what_cpus_and_channels_can)
{
	static const unsigned all[] = {0, 1, 2, 3};
	struct unc_traffic_done done;

	fx_open_load(BDX, IDLE);
	start((struct unc_traffic){.kind = UNC_TRAFFIC_READ});
	fx_step(SECOND);
	done = STOP();
	CU_ASSERT_EQUAL(done.loaded_bytes, 10000000000);
	fx_open(BDX);
	start((struct unc_traffic){.kind = UNC_TRAFFIC_WRITE, .cpus = all, .n_cpus = 4, .node = 1});
	fx_step(SECOND);
	for (size_t channel = PER_SOCKET; channel < 2 * PER_SOCKET; channel++)
		CU_ASSERT(moved(channel).read + moved(channel).written <= UINT64_C(16) * DCLK_HZ);
	/* The fullest of them is full. */
	CU_ASSERT(moved(7).read + moved(7).written >= UINT64_C(16) * DCLK_HZ - 1000);
	done = STOP();
	start((struct unc_traffic){
		.kind = UNC_TRAFFIC_WRITE, .cpus = all, .n_cpus = 4, .node = 1, .bytes_per_s = 1000000000000});
	fx_step(SECOND);
	CU_ASSERT_EQUAL(STOP().stored_bytes, done.stored_bytes);
	CU_ASSERT(done.stored_bytes > 1000000000);
}

/* What the load will do later is kept free. */
TEST(a_load_that_will_rise_is_not_in_its_way)
{
	fx_open_load(
		BDX,
		"format: uncorectl-load/1\nchannels:\n  \"*\": {read: [{at: 0, rate: 0}, {at: 2, rate: 19.1e9}]}\n");
	start((struct unc_traffic){.kind = UNC_TRAFFIC_NT_WRITE});
	fx_step(SECOND);
	CU_ASSERT_EQUAL(STOP().nt_stored_bytes, 400000000);
	fx_open_load(BDX, "format: uncorectl-load/1\nchannels:\n  \"*\": {read: 19.2e9}\n");
	FAILS(try_start((struct unc_traffic){.bytes_per_s = 1}), UNC_ENOSUP, "as much to carry as it can");
}

TEST(empty_channels_carry_nothing)
{
	fx_open(BDX ",empty=socket0.imc0.ch1,empty=socket1.imc1.ch0");
	start((struct unc_traffic){.kind = UNC_TRAFFIC_READ, .bytes_per_s = 6000000000});
	fx_step(SECOND);
	CU_ASSERT(moved(1).read == 0 && moved(1).written == 0);
	CU_ASSERT_EQUAL(events(1, "act_count.rd"), 0);
	CU_ASSERT_EQUAL(events(1, "dram_refresh.high"), 0);
	CU_ASSERT_EQUAL(events(1, "clockticks"), DCLK_HZ);
	CU_ASSERT_EQUAL(moved(0).read / 64, (4000 + 2000) * UINT64_C(1000000) / 64);
	CU_ASSERT_EQUAL(moved(6).read, 0);
	fx_open(BDX ",empty=socket0.imc0.ch0,empty=socket0.imc0.ch1,empty=socket0.imc1.ch0,empty=socket0.imc1.ch1");
	FAILS(try_start((struct unc_traffic){.node = 0}), UNC_ENODEV, "node 0 has no memory");
	start((struct unc_traffic){.node = 1});
	FX_REFUSED("bdx,empty=socket0.imc0.ch2", "empty=socket0.imc0.ch2", "socket0.imc0.ch0 to socket1.imc1.ch1");
	FX_REFUSED(fx_text("%s,empty=socket0.imc0.ch0", fx_dump()), "no memory channels are modelled");
	FX_REFUSED("bdx,empty=", "a channel");
}

TEST(caches_count_it_for_who_makes_it)
{
	static const unsigned both[] = {0, 2}; /* of either socket */
	fx_open_load(BDX, HEAD "  0: {occupancy: 0}\n");
	fx_wmsr(0, PQR, 5);
	fx_step(SECOND);
	start((struct unc_traffic){
		.kind = UNC_TRAFFIC_WRITE, .cpus = both, .n_cpus = 2, .bytes_per_s = 2000000, .size_bytes = 3000000});
	fx_step(SECOND);
	TOTALS({0, 5, 2000000}, {1, 0, 2000000});
	CU_ASSERT(llc(0, 5).local_bytes == 2000000 && llc(1, 0).local_bytes == 0);
	HOLDS({0, 5, 2000000});
	QM({0, 5, TOTAL, 2000000 / UNIT});
	fx_step(SECOND);
	HOLDS({0, 5, 3000000});
	CU_ASSERT_EQUAL(STOP().stored_bytes, 4000000);
	/* It is not evicted until a CPU moves something: then byte by byte. */
	fx_step(SECOND);
	HOLDS({0, 5, 3000000});
	TOTALS({0, 5, 4000000});
	fx_wmsr(0, PQR, 6);
	start((struct unc_traffic){.kind = UNC_TRAFFIC_NT_WRITE, .bytes_per_s = 1000000});
	fx_step(SECOND);
	HOLDS({0, 5, 2000000}, {0, 6, 0});
	TOTALS({0, 6, 1000000});
}

TEST(a_machine_without_channels_has_it_in_its_caches)
{
	fx_open_load("icx,cores=2,snc=2,clock=step,dword_ns=0", HEAD "  0: {occupancy: 0}\n");
	start((struct unc_traffic){.node = 1, .bytes_per_s = 5000000});
	fx_step(SECOND);
	TOTALS({0, 0, 5000000});
	CU_ASSERT_EQUAL(llc(0, 0).local_bytes, 0);
	CU_ASSERT_EQUAL(STOP().loaded_bytes, 5000000);
}

static void open_state(const char *path)
{
	fx_open(fx_text(BDX ",state=%s", path));
}

TEST(several_openers_see_the_same)
{
	const char *path = fx_file(NULL);
	struct fx_moved moved_there[2 * PER_SOCKET];
	uint64_t total_there;

	open_state(path);
	start((struct unc_traffic){.kind = UNC_TRAFFIC_READ, .bytes_per_s = 1000000000});
	fx_use(1);
	open_state(path);
	fx_step(SECOND);
	CU_ASSERT_EQUAL(moved(0).read, UINT64_C(4250000000));
	start((struct unc_traffic){.kind = UNC_TRAFFIC_READ, .bytes_per_s = 2000000000, .node = 0});
	fx_use(0);
	fx_step(SECOND);
	CU_ASSERT_EQUAL(moved(0).read, UINT64_C(4250000000) + 4750000000);
	CU_ASSERT_EQUAL(LOOK().loaded_bytes, 2000000000);
	fx_close(); /* and its traffic ends */
	fx_use(1);
	CU_ASSERT_EQUAL(LOOK().loaded_bytes, 2000000000);
	fx_step(SECOND);
	for (size_t channel = 0; channel < 2 * PER_SOCKET; channel++)
		moved_there[channel] = moved(channel);
	total_there = total(0, 0);
	fx_use(2);
	open_state(path);
	for (size_t channel = 0; channel < 2 * PER_SOCKET; channel++) {
		CU_ASSERT_EQUAL(moved(channel).read, moved_there[channel].read);
		CU_ASSERT_EQUAL(moved(channel).written, moved_there[channel].written);
	}
	CU_ASSERT_EQUAL(moved(0).read, UINT64_C(4250000000) + 4750000000 + 4500000000);
	TOTALS({0, 0, total_there});
}

TEST(who_was_killed_makes_no_more)
{
	const char *path = fx_file(NULL);
	uint64_t before;
	int status;

	open_state(path);
	if (fork() == 0) {
		fx_use(1);
		open_state(path);
		start((struct unc_traffic){.kind = UNC_TRAFFIC_READ, .bytes_per_s = 1000000000});
		raise(SIGKILL);
	}
	CU_ASSERT(wait(&status) > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	fx_step(SECOND);
	CU_ASSERT_EQUAL(moved(0).read, 4250000000);
	fx_use(1);
	open_state(path);
	fx_use(0);
	before = moved(0).read;
	fx_step(SECOND);
	CU_ASSERT_EQUAL(moved(0).read - before, 4000000000);
	fx_use(1);
	CU_ASSERT_EQUAL(moved(0).read - before, 4000000000);
}

TEST(what_cannot_be_made_is_refused)
{
	static const unsigned beyond[] = {0, 4}, offline[] = {3};
	struct unc_traffic_done done;

	fx_open(BDX ",offline=3");
	FAILS(try_start((struct unc_traffic){.node = 2}), UNC_ENODEV, "no NUMA node 2");
	FAILS(try_start((struct unc_traffic){.cpus = beyond, .n_cpus = 2}), UNC_ENODEV, "CPU 4 is not there");
	FAILS(try_start((struct unc_traffic){.cpus = offline, .n_cpus = 1}), UNC_ENODEV, "CPU 3 is offline");
	CU_ASSERT_EQUAL(fx.host->ops->traffic(fx.host, UNC_TRAFFIC_LOOK, NULL, &done), UNC_EARG);
	CU_ASSERT_EQUAL(fx.host->ops->traffic(fx.host, UNC_TRAFFIC_STOP, NULL, &done), UNC_EARG);
	for (unsigned i = 0; i < 1024; i++) {
		start((struct unc_traffic){.bytes_per_s = 1000});
		CU_ASSERT_EQUAL(try_start((struct unc_traffic){.bytes_per_s = 1000}), UNC_EARG);
		fx_step(1000000);
		CU_ASSERT_EQUAL(STOP().loaded_bytes, 1);
	}
	FAILS(try_start((struct unc_traffic){.bytes_per_s = 1000}), UNC_ENOSUP, "1024 times");
}
