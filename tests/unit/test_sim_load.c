// SPDX-License-Identifier: GPL-2.0-or-later
/* The default load, and what is the same for all loads; load files are in test_sim_load_file.c. */
#include "test_sim.h"

#include "sim/computer.h"

static void expect_default_rates(const char *model)
{
	uint64_t rates[2 * UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX];
	size_t n = 0;

	fx_open(fx_text("%s,sockets=8,clock=step", model));
	fx_step(SECOND);
	for (size_t i = 0; i < unc_sim_info(fx.host).n_channels; i++) {
		struct unc_sim_channel c = fx_channel(i);
		struct fx_moved is = fx_moved(&c.addr);

		CU_ASSERT(is.read > 1000000000 && is.written > 1000000000 && is.read + is.written < 12800000000);
		/* In whole CAS of 64 bytes. */
		CU_ASSERT_EQUAL(is.read, (4000 + 700 * c.channel + 130 * c.socket + 55 * c.imc) * UINT64_C(1000000));
		CU_ASSERT_EQUAL(is.written, (1500 + 350 * c.channel + 90 * c.socket + 25 * c.imc) * UINT64_C(1000000));
		rates[n++] = is.read;
		rates[n++] = is.written;
	}
	CU_ASSERT(n >= 32);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_NOT_EQUAL(rates[i], rates[k]);
}

TEST(no_two_rates_of_the_default_load_are_alike)
{
	for (size_t i = 0; i < N(models); i++)
		expect_default_rates(models[i]);
}

TEST(the_default_load_has_the_common_events_too)
{
	static const char *const names[] = {
		"act_count",         "pre_count.page_miss", "pre_count.page_close", "dram_refresh.high",
		"rpq_inserts",       "rpq_occupancy",       "wpq_inserts",          "wpq_occupancy",
		"rpq_cycles_ne",     "wpq_cycles_ne",       "major_modes.read",     "power_cke_cycles.rank0",
		"power_channel_ppd",
	};

	fx_open("snbep,sockets=8,clock=step");
	fx_step(SECOND);
	for (size_t i = 0; i < N(names); i++) {
		CU_ASSERT(fx_truth("1f:10.0", names[i]) > 0);
		CU_ASSERT(fx_truth("ff:10.5", names[i]) > 0);
	}
	TRUTH("ff:10.5", {"ecc_correctable_errors", 0});
	fx_open("skx,sockets=8,clock=step");
	fx_step(SECOND);
	TRUTH("0e:0a.2", {"major_modes.read", 840000000}); /* seven tenths of DCLK */
	CU_ASSERT(fx_truth("0e:0a.2", "act_count.rd") > 0);
	CU_ASSERT(fx_truth("0e:0a.2", "pre_count.wr") > 0);
	CU_ASSERT(fx_truth("0e:0a.2", "rpq_occupancy") > 0);
	/* Two ranks have all of the commands, but for what dividing by banks leaves over. */
	CU_ASSERT(fx_truth("0e:0a.2", "cas_count.rd") - fx_truth("0e:0a.2", "rd_cas_rank0.allbanks") -
			  fx_truth("0e:0a.2", "rd_cas_rank1.allbanks") <
		  33);
	CU_ASSERT(fx_truth("0e:0a.2", "wr_cas_rank1.bank15") > 0);
	TRUTH("0e:0a.2", {"wr_cas_rank2.bank0", 0});
}

TEST(the_default_load_is_one_that_counters_can_take)
{
	for (size_t i = 0; i < N(models); i++) {
		fx_open(fx_text("%s,sockets=8,cores=8", models[i]));
		CU_ASSERT_EQUAL(unc_sim_of(fx.host)->load.fingerprint, 0);
		CU_ASSERT_EQUAL(unc_sim_load_check(fx.ctx, "default", &unc_sim_of(fx.host)->load), 0);
	}
}

TEST(bytes_are_64_for_each_cas_at_every_moment)
{
	struct unc_addr addr = fx_addr("ff:10.1");

	fx_open("snbep,clock=step");
	for (int i = 0; i < 2000; i++) {
		uint64_t reg, underfill, wmm, rmm;

		fx_step(17);
		reg = fx_truth("ff:10.1", "cas_count.rd_reg");
		underfill = fx_truth("ff:10.1", "cas_count.rd_underfill");
		wmm = fx_truth("ff:10.1", "cas_count.wr_wmm");
		rmm = fx_truth("ff:10.1", "cas_count.wr_rmm");
		CU_ASSERT_EQUAL(fx_moved(&addr).read, 64 * (reg + underfill));
		CU_ASSERT_EQUAL(fx_moved(&addr).written, 64 * (wmm + rmm));
		CU_ASSERT_EQUAL(underfill, (reg + underfill) / 16);
		CU_ASSERT_EQUAL(rmm, (wmm + rmm) / 8);
		TRUTH("ff:10.1", {"cas_count.all", reg + underfill + wmm + rmm});
	}
}

static void refuse(const char *events, unsigned at, const char *name, const char *rate)
{
	const char *path =
		fx_file(fx_text("format: uncorectl-load/1\nchannels:\n  socket1.imc0.ch2:\n    events:\n%s", events));

	FX_REFUSED(fx_text("snbep,load=%s", path), fx_text("%s:%u: socket1.imc0.ch2: ", path, at), name, rate);
}

TEST(more_than_the_maximum_increment_is_refused)
{
	refuse("      act_count: 800000000.5\n", 5, "act_count", "800000001");
	refuse("      rpq_occupancy: 17600000001\n", 5, "rpq_occupancy", "at most 22 each");
	refuse("      wpq_occupancy: 25600000001\n", 5, "wpq_occupancy", "at most 32 each");
	refuse("      power_channel_ppd: 3200000001\n", 5, "power_channel_ppd", "at most 4 each");
	refuse("      power_cke_cycles.rank3: 12800000001\n", 5, "power_cke_cycles.rank3", "at most 16 each");
	refuse("      major_modes.read: [{at: 1, rate: 800000001}]\n", 5, "major_modes, all", "800000001");
}

TEST(sub_events_count_together)
{
	refuse("      major_modes.read: [{at: 0, rate: 5e8}, {at: 1, rate: 0}, {at: 2, rate: 5e8}]\n"
	       "      major_modes.isoch: [{at: 1, rate: 3e8}, {at: 3, rate: 300000001}]\n"
	       "      major_modes.write: 0\n",
	       6, "major_modes, all of its sub-events together,", "800000001");
	/* As many as fit, and ranks do not add up. */
	fx_open_load("snbep", "format: uncorectl-load/1\n"
			      "channels:\n"
			      "  \"*\":\n"
			      "    read: 6.4e9\n"
			      "    write: 6.4e9\n"
			      "    events: {act_count: 8e8, wpq_occupancy: 25.6e9, power_cke_cycles.rank0: 12.8e9,\n"
			      "             power_cke_cycles.rank1: 12.8e9, power_throttle_cycles.rank5: 8e8,\n"
			      "             power_throttle_cycles.rank6: 8e8}\n");
	/* A burst of eight transfers takes the data bus for four cycles. */
	refuse("      cas_count.rd_reg: 2e8\n      cas_count.wr_wmm: 1\n", 5, "cas_count, all", "200000001");
	refuse("      cas_count.rd_reg: 200000001\n", 5, "at most 1 each 4 DCLK cycles", "200000000 a second");
}

TEST(no_two_cpus_of_the_default_load_are_alike)
{
	static const char *const parts[] = {"hsx", "bdx", "skx", "bdxde", "clx", "cpx"};

	for (size_t i = 0; i < N(parts); i++) {
		const struct unc_sim_load *load;
		uint64_t wanted = 0;

		fx_open(fx_text("%s,sockets=8", parts[i]));
		load = &unc_sim_of(fx.host)->load;
		CU_ASSERT_EQUAL(unc_sim_load_check(fx.ctx, "default", load), 0);
		for (size_t n = 0; n < load->n_cpus; n++) {
			for (size_t k = 0; k < n; k++) {
				CU_ASSERT_NOT_EQUAL(load->cpus[n].occupancy.steps[0].rate,
						    load->cpus[k].occupancy.steps[0].rate);
				CU_ASSERT_NOT_EQUAL(load->cpus[n].total.steps[0].rate,
						    load->cpus[k].total.steps[0].rate);
				CU_ASSERT_NOT_EQUAL(load->cpus[n].local.steps[0].rate,
						    load->cpus[k].local.steps[0].rate);
			}
			wanted += load->cpus[n].occupancy.steps[0].rate / UNC_SIM_RATE_ONE;
		}
		CU_ASSERT(wanted < 8 * unc_sim_model_find(parts[i])->l3_bytes);
	}
}
