// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim_qm.h"

#define STEP     "snbep,sockets=2,clock=step,dword_ns=0"
#define CHANNELS "format: uncorectl-load/1\nchannels:\n"

static uint64_t bytes_read(const char *at)
{
	struct unc_addr addr = fx_addr(at);

	return fx_moved(&addr).read;
}

static uint64_t bytes_written(const char *at)
{
	struct unc_addr addr = fx_addr(at);

	return fx_moved(&addr).written;
}

TEST(constant_rates_are_bytes_per_second)
{
	fx_open_load(STEP, CHANNELS "  socket1.imc0.ch3: {read: 6.4e9, write: 1000000064}\n");
	fx_step(1000000000);
	CU_ASSERT_EQUAL(bytes_read("ff:10.5"), 6400000000);
	CU_ASSERT_EQUAL(bytes_written("ff:10.5"), 1000000064);
	fx_step(500000000);
	CU_ASSERT_EQUAL(bytes_read("ff:10.5"), 9600000000);
	CU_ASSERT_EQUAL(bytes_written("ff:10.5"), 1500000096 / 64 * 64);
}

TEST(what_is_not_given_is_idle)
{
	fx_open_load(STEP, CHANNELS "  socket1.imc0.ch3: {read: 6.4e9}\n");
	fx_step(1000000000);
	CU_ASSERT_EQUAL(bytes_written("ff:10.5"), 0);
	CU_ASSERT_EQUAL(bytes_read("ff:10.0"), 0);
	CU_ASSERT_EQUAL(bytes_read("7f:10.5"), 0);
	TRUTH("ff:10.5", {"act_count", 0});
	TRUTH("7f:10.0", {"clockticks", 800000000});
	fx_open_load(STEP, CHANNELS "  {}\n");
}

TEST(steps_change_the_rate_at_their_time)
{
	fx_open_load(STEP, CHANNELS "  socket0.imc0.ch0:\n"
				    "    read:\n"
				    "      - {at: 0.5, rate: 64e6}\n"
				    "      - {at: 1.25, rate: 0}\n"
				    "      - {at: 2, rate: 128e6}\n"
				    "    events: {act_count: [{at: 0, rate: 100}, {at: 1, rate: 1000}]}\n");
	fx_step(500000000);
	CU_ASSERT_EQUAL(bytes_read("7f:10.0"), 0);
	TRUTH("7f:10.0", {"act_count", 50});
	fx_step(250000000);
	CU_ASSERT_EQUAL(bytes_read("7f:10.0"), 16000000);
	fx_step(1000000000); /* 1.75 s: it stopped at 1.25 s */
	CU_ASSERT_EQUAL(bytes_read("7f:10.0"), 48000000);
	TRUTH("7f:10.0", {"act_count", 850});
	fx_step(1000000000);
	CU_ASSERT_EQUAL(bytes_read("7f:10.0"), 48000000 + 96000000);
}

TEST(a_counter_follows_the_steps)
{
	fx_open_load(STEP, CHANNELS "  socket0.imc0.ch0: {read: [{at: 1, rate: 64e6}, {at: 2, rate: 192e6}]}\n");
	fx_step(999999000);
	fx_w32("7f:10.0", 0xd8, 0x400304);
	fx_step(1000);
	IS48("7f:10.0", {0xa0, 0});
	fx_step(1500000000);
	IS48("7f:10.0", {0xa0, 1000000 + 1500000});
}

TEST(names_match_and_later_entries_replace)
{
	fx_open_load(STEP, CHANNELS "  \"socket*.imc0.ch*\": {read: 64, write: 640}\n"
				    "  \"socket1.imc0.ch?\": {read: 6400}\n"
				    "  socket1.imc0.ch1: {read: 64000, events: {act_count: 7}}\n");
	fx_step(1000000000);
	CU_ASSERT_EQUAL(bytes_read("7f:10.0"), 64);
	CU_ASSERT_EQUAL(bytes_read("ff:10.0"), 6400);
	CU_ASSERT_EQUAL(bytes_read("ff:10.1"), 64000);
	CU_ASSERT_EQUAL(bytes_written("ff:10.1"), 640);
	TRUTH("ff:10.1", {"act_count", 7});
	TRUTH("ff:10.0", {"act_count", 0});
}

TEST(cas_events_stand_for_bytes)
{
	fx_open_load(STEP, CHANNELS "  \"*.ch0\": {read: 6.4e9, events: {cas_count.wr_rmm: 5}}\n"
				    "  \"socket1.*.ch0\": {events: {cas_count.rd_underfill: 100}}\n"
				    "  \"*.ch1\": {events: {cas_count.rd_underfill: 100, cas_count.rd_reg: 3}}\n"
				    "  \"socket1.*.ch1\": {read: 640}\n"
				    "  socket0.imc0.ch2: {events: {cas_count.rd_reg: 50}}\n"
				    "  \"socket?.imc0.ch2\": {read: 640}\n"
				    "  \"*.ch2\": {events: {cas_count.rd_underfill: 7}}\n");
	fx_step(1000000000);
	CU_ASSERT_EQUAL(bytes_read("7f:10.0"), 6400000000);
	CU_ASSERT_EQUAL(bytes_written("7f:10.0"), 64 * 5);
	/* The other form, given later, replaces all of it. */
	CU_ASSERT_EQUAL(bytes_read("ff:10.0"), 6400);
	TRUTH("ff:10.0", {"cas_count.rd_reg", 0});
	CU_ASSERT_EQUAL(bytes_read("7f:10.1"), 64 * 103);
	CU_ASSERT_EQUAL(bytes_read("ff:10.1"), 640);
	CU_ASSERT_EQUAL(bytes_read("7f:10.4"), 64 * 7);
}

TEST(rates_may_be_fractions)
{
	fx_open_load(STEP,
		     CHANNELS "  socket0.imc0.ch0: {events: {ecc_correctable_errors: 0.1, dram_pre_all: 0.000001}}\n");
	fx_step(9999999999);
	TRUTH("7f:10.0", {"ecc_correctable_errors", 0});
	fx_step(1);
	TRUTH("7f:10.0", {"ecc_correctable_errors", 1});
	fx_step(999990000000000);
	TRUTH("7f:10.0", {"dram_pre_all", 1}, {"ecc_correctable_errors", 100000});
}

/* A file of this text is refused, with its name and this line, and this in the sentence. */
static void refuse(const char *text, unsigned line, const char *piece)
{
	const char *path = fx_file(text);

	FX_REFUSED(fx_text("snbep,load=%s", path), fx_text("%s:%u: ", path, line), piece);
}

TEST(a_file_that_is_no_load_is_refused)
{
	refuse("", 1, "empty");
	refuse("just text\n", 1, "format: uncorectl-load/1");
	refuse("channels: {}\n", 1, "format: uncorectl-load/1");
	refuse("format: uncorectl-regs/1\nchannels: {}\n", 1, "format: uncorectl-load/1");
	refuse("format: uncorectl-load/1\n", 1, "channels");
	refuse("format: uncorectl-load/1\nchannels: [1]\n", 2, "mapping");
	refuse("format: uncorectl-load/1\nchannels: {}\nspeed: 7\n", 3, "unknown key \"speed\"");
	refuse(CHANNELS "  socket0.imc0.ch0: {read: 1\n", 4, "malformed");
	refuse(CHANNELS "  socket0.imc0.ch0: {read: &a 1}\n", 3, "anchor");
}

TEST(an_unknown_channel_or_key_is_refused)
{
	refuse(CHANNELS "  socket2.imc0.ch0: {read: 1}\n", 3,
	       "no channel \"socket2.imc0.ch0\"; it has socket0.imc0.ch0 to "
	       "socket1.imc0.ch3");
	refuse(CHANNELS "  socket0.imc0.ch0: {read: 1}\n  \"socket*.imc1.*\": {read: 1}\n", 4, "socket*.imc1.*");
	refuse(CHANNELS "  socket0.imc0.ch0: 5\n", 3, "mapping");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    reads: 5\n", 4, "unknown key \"reads\"");
}

TEST(an_unknown_event_or_a_sum_is_refused)
{
	refuse(CHANNELS "  socket0.imc0.ch0:\n    events:\n      act_cont: 5\n", 5,
	       "act_cont: sim:snbep has no such event");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    events:\n      cas_count.rd: 5\n", 5, "cas_count.rd: this is a sum");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    events:\n      cas_count.all: 5\n", 5, "this is a sum");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    events:\n      pre_count: 5\n", 5,
	       "sub-events; give them one by one");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    events:\n      clockticks: 5\n", 5, "DRAM clock");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    events: 7\n", 4, "mapping");
}

TEST(a_bad_number_is_refused)
{
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read: -1\n", 4, "read: -1 is negative");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    write: 5 GB\n", 4, "write: \"5 GB\" is not a number");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    write: nan\n", 4, "\"nan\" is not a number");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read: 1e13\n", 4, "too large");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read: {at: 1, rate: 1}\n", 4, "must be a number, or a list");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    events: {act_count: -0.5}\n", 4, "act_count: -0.5 is negative");
}

TEST(bad_steps_are_refused)
{
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read: []\n", 4, "empty");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read:\n      - {at: 0, rate: 1}\n      - 5\n", 6, "a step must be");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read:\n      - {at: 0}\n", 5, "a step must be");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read:\n      - {at: 0, rate: 1, to: 3}\n", 5, "not \"to\"");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read:\n      - {at: 2, rate: 1}\n      - {at: 1, rate: 2}\n", 6,
	       "not later");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read:\n      - {at: 2, rate: 1}\n      - {at: 2, rate: 2}\n", 6,
	       "not later");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read:\n      - {at: -2, rate: 1}\n", 5, "negative");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read:\n      - {at: 1, rate: -5}\n", 5, "-5 is negative");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read:\n      - {at: 2e9, rate: 1}\n", 5, "too large");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read:\n      - {at: [1], rate: 1}\n", 5, "a number belongs here");
}

TEST(bytes_and_cas_events_in_one_entry_are_refused)
{
	refuse(CHANNELS "  socket0.imc0.ch0:\n    read: 1\n    events:\n      cas_count.rd_reg: 5\n", 6,
	       "contradicts \"read:\"");
	refuse(CHANNELS "  socket0.imc0.ch0:\n    events:\n      cas_count.wr_rmm: 5\n    write: 1\n", 5,
	       "contradicts \"write:\"");
}

TEST(too_many_steps_are_refused)
{
	size_t size = 64 * 1024, len;
	char *text = malloc(size);

	CU_ASSERT_FATAL(text != NULL);
	len = (size_t)snprintf(text, size, "%s", CHANNELS "  socket0.imc0.ch0:\n    read:\n");
	for (int i = 0; i <= 1000; i++)
		len += (size_t)snprintf(text + len, size - len, "      - {at: %d, rate: 1}\n", i);
	refuse(text, 4 + 1001, "more than 1000 steps");
	free(text);
}

TEST(cpus_are_listed_as_linux_lists_them)
{
	fx_open_load(BDX,
		     HEAD "  0-1,3: {occupancy: 1000, total: 2e6, local: 1e6}\n"
			  "  \"3\": {local: [{at: 0.5, rate: 5e5}, {at: 1, rate: 0}]}\n"); /* later replaces earlier */
	fx_step(2000000000);
	TOTALS({0, 0, 8000000}, {1, 0, 4000000}); /* CPU 2 is idle */
	CU_ASSERT(llc(0, 0).local_bytes == 4000000 && llc(1, 0).local_bytes == 250000);
	HOLDS({0, 0, 2000}, {1, 0, 1000});
	CU_ASSERT_EQUAL(bytes_read("ff:14.0"), 0); /* without channels, they are idle */
}

TEST(without_cpus_the_caches_are_idle)
{
	fx_open_load(BDX, CHANNELS "  socket1.imc0.ch0: {read: 6.4e9}\n");
	fx_step(1000000000);
	CU_ASSERT_EQUAL(bytes_read("ff:14.0"), 6400000000);
	TOTALS({0, 0, 0});
	HOLDS({1, 0, 0});
}

TEST(cpus_that_make_no_sense_are_refused_with_their_line)
{
	static const struct {
		const char *text, *piece;
	} loads[] = {
		{"  0-4: {total: 1}\n", ":3: this machine has no CPU 4; it has 0 to 3"},
		{"  0: {total: 1}\n  1-4: {}\n", ":4: this machine has no CPU 4"},
		{"  3-1: {total: 1}\n", ":3: \"3-1\" is not a list of CPUs"},
		{"  socket0: {total: 1}\n", ":3: \"socket0\" is not a list of CPUs"},
		{"  0: {total: -1}\n", ":3: total: -1 is negative"},
		{"  0:\n    occupancy: -5\n", ":4: occupancy: -5 is negative"},
		{"  0: {total: x}\n", ":3: total: \"x\" is not a number"},
		{"  0: {read: 1}\n", ":3: unknown key \"read\"; a CPU has occupancy, total and local"},
		{"  0: 5\n", ":3: 0: must be a mapping with occupancy, total or local"},
		{"  1: {local: 2e6, total: 1e6}\n",
		 ":3: CPU 1: local would be 2000000 bytes a second and total 1000000"},
		{"  1: {local: 1}\n", ":3: CPU 1: local would be 1 bytes a second and total 0"},
		{"  1: {local: 0.000001}\n", ":3: CPU 1: local would be"}, /* rates are kept in millionths */
		{"  1:\n    local: 5\n    total:\n      - {at: 0, rate: 9}\n      - {at: 1, rate: 4}\n",
		 ":7: CPU 1: local would be 5 bytes a second and total 4"},
	};

	for (size_t i = 0; i < N(loads); i++) {
		const char *path = fx_file(fx_text(HEAD "%s", loads[i].text));

		FX_REFUSED(fx_text("%s,load=%s", BDX, path), path, loads[i].piece);
	}
}

TEST(a_section_of_cpus_must_be_one)
{
	const char *path = fx_file("format: uncorectl-load/1\ncpus: 3\n");

	FX_REFUSED(fx_text("%s,load=%s", BDX, path), path, ":2: cpus: must be a mapping of CPUs");
}
