// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

TEST(channels_come_by_socket_and_channel)
{
	static const char *const at[] = {"0000:ff:10.0", "0000:ff:10.1", "0000:ff:10.4", "0000:ff:10.5",
					 "0000:7f:10.0", "0000:7f:10.1", "0000:7f:10.4", "0000:7f:10.5"};
	struct unc_sim_channel channel;
	char name[UNC_ADDR_TEXT];

	fx_open("snbep,numbering=reversed,hide=ff:10.1,allones=7f:10.5");
	CU_ASSERT_EQUAL_FATAL(unc_sim_info(fx.host).n_channels, 8);
	for (unsigned i = 0; i < 8; i++) {
		channel = fx_channel(i);
		CU_ASSERT(channel.socket == i / 4 && channel.imc == 0 && channel.channel == i % 4);
		CU_ASSERT(channel.hidden == (i == 1) && channel.allones == (i == 7));
		CU_ASSERT_STRING_EQUAL(unc_addr_text(&channel.addr, name), at[i]);
	}
	CU_ASSERT_EQUAL(unc_sim_channel(fx.host, 8, &channel), UNC_ENODEV);
}

TEST(the_load_goes_by_socket_not_by_bus)
{
	fx_open("snbep,numbering=reversed,clock=step");
	fx_step(SECOND);
	TRUTH("ff:10.0", {"cas_count.rd", 4000000000 / 64});
	TRUTH("7f:10.0", {"cas_count.rd", 4130000000 / 64});
}

TEST(a_hidden_channel_works_all_the_same)
{
	fx_open("snbep,clock=step,hide=ff:10.0");
	fx_step(SECOND);
	TRUTH("ff:10.0", {"cas_count.rd", 4130000000 / 64});
}

TEST(a_counter_agrees_with_the_truth_between_two_moments)
{
	uint64_t before, count, raw_ns = 0;
	struct unc_addr addr = fx_addr("ff:10.4");

	fx_open("snbep,clock=step,dword_ns=0");
	fx_step(7777);
	before = fx_truth("ff:10.4", "cas_count.all");
	fx_w32("ff:10.4", 0xe4, 0x400f04);
	for (int i = 0; i < 100; i++) {
		fx_step(12345);
		IS48("ff:10.4", {0xb8, fx_truth("ff:10.4", "cas_count.all") - before});
	}
	/* also of a moment that is past */
	raw_ns = fx_raw_ns();
	count = fx_truth("ff:10.4", "cas_count.all");
	fx_step(1000000);
	CU_ASSERT_EQUAL(unc_sim_truth_events_at(fx.host, &addr, "cas_count.all", raw_ns, &before), 0);
	CU_ASSERT_EQUAL(before, count);
}

TEST(in_real_time_the_truth_is_of_the_moment_asked_for)
{
	struct unc_addr addr = fx_addr("ff:10.0");
	uint64_t raw_ns, r1, w1, r2, w2;

	fx_open("snbep");
	raw_ns = fx_raw_ns();
	CU_ASSERT_EQUAL(unc_sim_truth_bytes_at(fx.host, &addr, raw_ns, &r1, &w1), 0);
	CU_ASSERT_EQUAL(unc_sim_truth_bytes_at(fx.host, &addr, raw_ns + 1000000000, &r2, &w2), 0);
	CU_ASSERT(r2 - r1 >= 4130000000 - 64 && r2 - r1 <= 4130000000 + 64);
	CU_ASSERT(w2 - w1 >= 1590000000 - 64 && w2 - w1 <= 1590000000 + 64);
	CU_ASSERT_EQUAL(unc_sim_truth_bytes_at(fx.host, &addr, raw_ns - UINT64_C(3600000000000), &r1, &w1), UNC_ERANGE);
}

/* A process that opens another machine of these arguments knows by that what the first one did when. */
TEST(what_a_machine_did_depends_on_the_time_since_its_start_alone)
{
	struct unc_addr addr = fx_addr("ff:10.0");
	uint64_t first_ns, counts[2][100];

	fx_open("snbep");
	first_ns = fx_raw_ns() - unc_sim_info(fx.host).start_ns;
	CU_ASSERT(first_ns < 3600 * SECOND);
	for (size_t run = 0; run < 2; run++) {
		for (uint64_t i = 0; i < 100; i++)
			CU_ASSERT_EQUAL(
				unc_sim_truth_events_at(fx.host, &addr, "cas_count.rd",
							unc_sim_info(fx.host).start_ns + first_ns + i * 123456789,
							&counts[run][i]),
				0);
		fx_open("snbep,clock=step");
		CU_ASSERT_EQUAL(unc_sim_info(fx.host).start_ns, fx_raw_ns());
	}
	CU_ASSERT(memcmp(counts[0], counts[1], sizeof(counts[0])) == 0);
}

TEST(bad_questions_get_a_sentence)
{
	struct unc_addr channel = fx_addr("ff:10.0"), ubox = fx_addr("ff:0b.0"), nowhere = fx_addr("00:00.0");
	const uint64_t end =
		UINT64_C(1000000000000) + (UINT64_C(1) << 58); /* of the machine's time, on its RAW clock */
	uint64_t count;

	fx_open("snbep,clock=step");
	CU_ASSERT_EQUAL(unc_sim_truth_events_at(fx.host, &ubox, "act_count", UNC_SIM_NOW, &count), UNC_ENODEV);
	FAILS(unc_sim_truth_events_at(fx.host, &nowhere, "act_count", UNC_SIM_NOW, &count), UNC_ENODEV, "0000:00:00.0");
	FAILS(unc_sim_truth_events_at(fx.host, &channel, "act", UNC_SIM_NOW, &count), UNC_EARG, "\"act\"");
	CU_ASSERT_EQUAL(unc_sim_truth_events_at(fx.host, &channel, "act_count", 5, &count), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_sim_truth_events_at(fx.host, &channel, "act_count", end, &count), UNC_OK);
	CU_ASSERT_EQUAL(unc_sim_truth_events_at(fx.host, &channel, "act_count", end + 1, &count), UNC_ERANGE);
}

TEST(another_host_is_refused)
{
	static const struct unc_host_ops ops;
	struct unc_addr addr = fx_addr("ff:10.0");
	struct unc_sim_violation violation;
	struct unc_sim_channel channel;
	struct unc_host other = {.ops = &ops};
	unsigned char buf[4];
	uint64_t count;
	size_t done;

	CU_ASSERT_FATAL(unc_new(&other.ctx) == 0);
	CU_ASSERT_EQUAL(unc_sim_step(&other, 1, false), UNC_EARG);
	CU_ASSERT_EQUAL(unc_sim_info(&other).start_ns, 0);
	CU_ASSERT_EQUAL(unc_sim_info(&other).n_channels, 0);
	CU_ASSERT_EQUAL(unc_sim_channel(&other, 0, &channel), UNC_EARG);
	CU_ASSERT_EQUAL(unc_sim_truth_events_at(&other, &addr, "act_count", 0, &count), UNC_EARG);
	CU_ASSERT_PTR_NULL(unc_sim_event_name(&other, 0));
	CU_ASSERT_EQUAL(unc_sim_violations(&other), 0);
	CU_ASSERT_EQUAL(unc_sim_violation(&other, 0, &violation), UNC_EARG);
	CU_ASSERT_EQUAL(unc_sim_access(&other, &addr, false, 0, buf, 4, &done), UNC_EARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(other.ctx), "not a simulated machine"));
	unc_free(other.ctx);
}
