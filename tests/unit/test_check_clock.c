// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks of the clock on healthy machines, on machines whose clock is wrong, and with SMBIOS tables of all sorts. */
#define _GNU_SOURCE
#include "onchecks.h"
#include "tree.h"
#include "test.h"

EACH(NULL, onchecks_end)

/* Of Sandy Bridge-EP the map doubts it, of Haswell-EP it does not. */
TEST(an_event_of_clocks_that_counts_nothing_is_silicon_where_the_map_doubts_it)
{
	onchecks_quick("snbep", "sockets=2,clock_event=dead", NULL, "clock");
	NONE_FAILED();
	FOUND("clock.rate", "socket1.imc0.ch3", UNC_CHECK_PASS, "800.0", "clockticks, which the map doubts, counts 0");
	TESTED("clock.rate", "socket0.imc0.ch0", "counts nothing");
	onchecks_quick("hsx", "sockets=1,clock_event=dead", NULL, "clock.rate");
	FOUND("clock.rate", "socket0.imc0.ch0", UNC_CHECK_FAIL, "CTR[0] 0.0000 MHz");
}

/* Memory that refreshes itself stops the clock of all channels; what stands by itself, or for good, is a fault. */
TEST(a_socket_that_sleeps_is_told_apart_from_a_channel_that_stands)
{
	onchecks_quick("hsx",
		       "sockets=2,defect=stops:socket0.imc0.ch0:0.05:0.06,defect=stops:socket0.imc0.ch1:0.05:0.06,"
		       "defect=stops:socket0.imc1.ch0:0.05:0.06,defect=stops:socket0.imc1.ch1:0.05:0.06,"
		       "defect=stops:socket1.imc1.ch0:0.05:0.06",
		       NULL, "clock.steady");
	FOUND("clock.steady", "socket0.imc0.ch1", UNC_CHECK_SKIP, "slow together", "sleeps");
	FOUND("clock.steady", "socket1.imc1.ch0", UNC_CHECK_FAIL, "MHz");
	FOUND("clock.steady", "socket1.imc0.ch0", UNC_CHECK_PASS, "800.0");
	onchecks_quick("hsx",
		       "sockets=1,defect=stops:socket0.imc0.ch0:0.05,defect=stops:socket0.imc0.ch1:0.05,"
		       "defect=stops:socket0.imc1.ch0:0.05,defect=stops:socket0.imc1.ch1:0.05",
		       NULL, "clock.steady");
	EQ(onchecks_count("clock.steady", UNC_CHECK_FAIL), 1);
	FOUND("clock.steady", "socket0", UNC_CHECK_FAIL, "all channels", "stood still", "sleeps");
	FOUND("clock.steady", "socket0.imc1.ch1", UNC_CHECK_SKIP, "the clock stood");
}

TEST(what_was_measured_is_told_in_numbers)
{
	struct unc_check_result result;
	struct unc_check_value value;
	struct unc_check_plot plot;

	onchecks_quick("bdx", "sockets=1", NULL, "clock");
	FOUND("clock.rate", "socket0.imc1.ch1", UNC_CHECK_PASS, "1200.0", "2400.0", "FIXED_CTR", "CTR[");
	FOUND("clock.jedec", "socket0.imc1.ch1", UNC_CHECK_PASS, "DDR4-2400");
	EQ(onchecks_result("clock.rate", "socket0.imc0.ch0").n_values, 2);
	OK(&rig.o, unc_check_value(rig.check, 0, 1, &value));
	SAME(value.reg, "FIXED_CTR");
	EQ(onchecks_result("clock.steady", "socket0.imc0.ch0").n_plots, 1);
	for (size_t i = 0; i < unc_check_results(rig.check); i++) {
		OK(&rig.o, unc_check_result(rig.check, i, &result));
		if (!result.n_plots)
			continue;
		OK(&rig.o, unc_check_plot(rig.check, i, 0, &plot));
		EQ(plot.n_points, 10);
		CU_ASSERT(plot.points[9].x > 90 && plot.points[9].x < 110);
		CU_ASSERT(plot.points[9].y > 1199.5 && plot.points[9].y < 1200.5);
		CU_ASSERT(plot.low < 1200 && plot.high > 1200);
	}
}

TEST(a_clock_that_is_off_is_no_speed_of_memory)
{
	static const char *const percents[] = {"3", "-3", "2"};

	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		onchecks_quick("hsx", test_text("sockets=2,defect=dclk-off:socket1.imc0.ch1:%s", percents[i]), NULL,
			       "clock");
		FOUND("clock.equal", "socket1", UNC_CHECK_FAIL, "but socket1.imc0.ch1", "3 of 4");
		FOUND("clock.jedec", "socket1.imc0.ch1", UNC_CHECK_FAIL, "from the nearest speed", "DDR4-1600");
		EQ(onchecks_count("clock.jedec", UNC_CHECK_FAIL), 1);
		EQ(onchecks_count("clock.equal", UNC_CHECK_FAIL), 1);
		EQ(onchecks_count("clock.rate", UNC_CHECK_FAIL), 0);
	}
}

/* 1200 MHz is DDR4-2400 on some parts and DDR5-4800 on others; 1300 MHz is a speed of DDR5 alone. */
TEST(dclk_of_ddr5_may_be_a_quarter_of_its_rate)
{
	onchecks_quick("spr", "sockets=1,defect=dclk-off:socket0.imc1.ch0:8.4,defect=dclk-off:socket0.imc1.ch1:4", NULL,
		       "clock");
	FOUND("clock.jedec", "socket0.imc0.ch0", UNC_CHECK_PASS, "DDR5-4800");
	FOUND("clock.smbios", "socket0.imc0.ch0", UNC_CHECK_PASS, "4800.00 MT/s", "for 4800 MT/s");
	FOUND("clock.jedec", "socket0.imc1.ch0", UNC_CHECK_PASS, "DDR5-5200");
	FOUND("clock.smbios", "socket0.imc1.ch0", UNC_CHECK_FAIL, "5203.20 MT/s");
	FOUND("clock.jedec", "socket0.imc1.ch1", UNC_CHECK_FAIL, "from the nearest speed", "DDR5-4800");
	EQ(onchecks_count("clock.jedec", UNC_CHECK_FAIL), 1);
}

/* 67 % above 800 MHz is DDR4-2666, within a percent. */
TEST(a_clock_beyond_what_the_part_can_have_fails)
{
	onchecks_quick("snbep", "sockets=1,defect=dclk-off:socket0.imc0.ch2:67", NULL, "clock.jedec");
	FOUND("clock.jedec", "socket0.imc0.ch2", UNC_CHECK_FAIL, "above the 1200 MHz", "Sandy Bridge-EP");
	EQ(onchecks_count("clock.jedec", UNC_CHECK_FAIL), 1);
}

TEST(a_clock_that_stands_is_found)
{
	onchecks_quick("hsx", "sockets=1,defect=stops:socket0.imc1.ch0:0", NULL, "clock");
	FOUND("clock.rate", "socket0.imc1.ch0", UNC_CHECK_FAIL, "does not tick", "FIXED_CTR");
	EQ(onchecks_count("clock.rate", UNC_CHECK_FAIL), 1);
	EQ(onchecks_count("clock.jedec", UNC_CHECK_FAIL), 0);
}

TEST(a_clock_that_stops_after_a_while_is_found)
{
	static const struct {
		const char *when, *piece;
	} cases[] = {{"0.75", "before 800.0"}, {"0.5", ""}, {"1.1", ""}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onchecks_open("hsx", test_text("sockets=1,defect=stops:socket0.imc1.ch0:%s", cases[i].when), NULL);
		onchecks_run(UNC_CHECK_USUAL, "clock", NULL, 0);
		FOUND("clock.steady", "socket0.imc1.ch0", UNC_CHECK_FAIL, cases[i].piece);
		EQ(onchecks_count("clock.steady", UNC_CHECK_FAIL), 1);
	}
}

TEST(an_access_that_fails_spoils_its_channel_alone)
{
	onchecks_fail_each("clock", UNC_FAULT_EIO, 7);
	onchecks_fail_each("clock", UNC_FAULT_ONES, 13);
	onchecks_open("hsx", "sockets=1", NULL);
	rig.broken = true;
	ONSIM_FAIL(&rig.o, .at = 80, .forever = true, .only = onsim_box(&rig.o, "socket0.imc1.ch0")->pci);
	onchecks_run(UNC_CHECK_QUICK, "clock.steady", NULL, UNC_EIO);
	FOUND("clock.steady", "socket0.imc1.ch0", UNC_CHECK_FAIL, "socket0.imc1.ch0", "Input/output error");
	EQ(onchecks_count("clock.steady", UNC_CHECK_PASS), 3);
	onsim_work(&rig.o);
}

/* ---- SMBIOS ---- */

enum { DEVICE_LEN = 0x5c };

struct told {
	size_t len; /* of the structure */
	unsigned size_mib, configured;
	size_t cut; /* so many bytes of the table are missing */
};

/* Runs the check on an hsx, whose memory has 1600 MT/s, with two such memory devices, which have no strings. */
static void with_table(const struct told *told)
{
	unsigned char table[2 * (DEVICE_LEN + 2)] = {0};
	struct tree tree = tree_new();

	for (unsigned n = 0; n < 2; n++) {
		unsigned char *at = table + n * (told->len + 2);

		at[0] = 17;
		at[1] = (unsigned char)told->len;
		at[0xc] = (unsigned char)told->size_mib;
		at[0xd] = (unsigned char)(told->size_mib >> 8);
		if (told->len >= 0x22) {
			at[0x20] = (unsigned char)told->configured;
			at[0x21] = (unsigned char)(told->configured >> 8);
		}
	}
	tree_bytes(&tree, "sys/firmware/dmi/tables/DMI", table, 2 * (told->len + 2) - told->cut);
	onchecks_quick("hsx", "sockets=1,defect=dclk-off:socket0.imc0.ch1:3", test_text("files=%s", tree.root),
		       "clock.smbios");
	tree_remove(&tree);
}

TEST(what_firmware_has_configured_is_what_is_measured)
{
	static const struct {
		struct told told;
		const char *subject, *piece;
		enum unc_check_state state;
	} cases[] = {
		{{DEVICE_LEN, 8192, 1600, 0}, "socket0.imc0.ch0", "up for 1600 MT/s (devices: 2)", UNC_CHECK_PASS},
		{{DEVICE_LEN, 8192, 1600, 0}, "socket0.imc0.ch1", "1648.0", UNC_CHECK_FAIL},
		{{DEVICE_LEN, 8192, 2133, 0}, "socket0.imc0.ch0", "2133 (devices: 2)", UNC_CHECK_FAIL},
		{{DEVICE_LEN, 8192, 800, 0}, "socket0.imc0.ch0", "800 (devices: 2)", UNC_CHECK_FAIL},
		{{0x28, 8192, 800, 0}, "socket0.imc0.ch0", "800 MHz, which is the clock", UNC_CHECK_PASS},
		{{0x22, 8192, 1600, 0}, "socket0.imc0.ch0", "1600 MT/s", UNC_CHECK_PASS},
		{{0x1b, 8192, 1600, 0}, "machine", "does not tell for which speed", UNC_CHECK_SKIP},
		{{DEVICE_LEN, 0, 1600, 0}, "machine", "all are empty", UNC_CHECK_SKIP},
		{{DEVICE_LEN, 8192, 0, 0}, "machine", "does not tell for which speed", UNC_CHECK_SKIP},
		{{DEVICE_LEN, 8192, 1600, 30}, "socket0.imc0.ch0", "devices: 1", UNC_CHECK_PASS},
		{{DEVICE_LEN, 8192, 1600, 30 + DEVICE_LEN + 2}, "machine", "malformed", UNC_CHECK_SKIP},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		with_table(&cases[i].told);
		FOUND("clock.smbios", cases[i].subject, cases[i].state, cases[i].piece);
	}
}
