// SPDX-License-Identifier: GPL-2.0-or-later
/* The bus that goes wrong, and the keys fail=, kill=, lose=, vanish= and allones=ADDR@... of the simulated machine. */
#include "test_sim.h"

#include "access/fault.h"
#include "access/trace.h"

enum { CTL3 = 0xe4 };

static struct unc_space *open_on(struct unc_bus *bus, const char *at)
{
	struct unc_addr addr = fx_addr(at);
	struct unc_space *space = NULL;

	CU_ASSERT_FATAL(unc_space_open(bus, &addr, &space) == 0);
	return space;
}

static int put(struct unc_space *space, uint32_t off, uint32_t value)
{
	unsigned char bytes[4];

	unc_put_le32(bytes, value);
	return space->bus->ops->write(space, off, bytes, sizeof(bytes));
}

TEST(each_failure_has_its_code_and_sentence)
{
	static const struct {
		const char *name, *os_name, *text;
		int err;
	} cases[] = {
		{"EIO", "EIO", "Input/output error", UNC_EIO},
		{"EPERM", "EPERM", "Operation not permitted", UNC_EPERM},
		{"ENODEV", "ENODEV", "No such device", UNC_ENODEV},
		{"ENXIO", "ENXIO", "No such device or address", UNC_ENODEV},
		{"short", "EIO", "fewer bytes", UNC_EIO},
	};

	for (size_t i = 0; i < N(cases); i++) {
		struct unc_space *space;
		uint32_t value = 7;

		fx_open(fx_text("snbep,clock=step,fail=2:%s", cases[i].name));
		space = open_on(fx.bus, "ff:10.4");
		CU_ASSERT_EQUAL(put(space, CTL3, 0x304), 0);
		CU_ASSERT_EQUAL(unc_read32(space, CTL3, &value), cases[i].err);
		CU_ASSERT_EQUAL(value, 7);
		CU_ASSERT_STRING_EQUAL(unc_err_name(fx.ctx, cases[i].err), cases[i].os_name);
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx.ctx), "pci 0000:ff:10.4: read 0xe4: "));
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx.ctx), cases[i].text));
		CU_ASSERT_EQUAL(unc_read32(space, CTL3, &value), 0);
		CU_ASSERT_EQUAL(value, 0x304);
		unc_space_close(space);
	}
}

TEST(for_ever_is_from_then_on_over_all_functions)
{
	struct unc_space *a, *b;
	uint32_t value;

	fx_open("snbep,clock=step,fail=3:EPERM:forever");
	a = open_on(fx.bus, "ff:10.0");
	b = open_on(fx.bus, "ff:10.1");
	CU_ASSERT_EQUAL(unc_read32(a, 0, &value), 0);
	CU_ASSERT_EQUAL(unc_read32(b, 0, &value), 0);
	CU_ASSERT_EQUAL(unc_read32(a, 0, &value), UNC_EPERM);
	CU_ASSERT_EQUAL(put(b, CTL3, 0x304), UNC_EPERM);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx.ctx), "write 0xe4"));
	unc_space_close(a);
	unc_space_close(b);
}

TEST(ones_and_drop_succeed_and_lie)
{
	struct unc_space *space;
	uint32_t value = 0;

	fx_open("snbep,clock=step,fail=2:ones:forever");
	space = open_on(fx.bus, "ff:10.0");
	CU_ASSERT_EQUAL(unc_read32(space, 0, &value), 0);
	CU_ASSERT_EQUAL(value, 0x3cb08086);
	CU_ASSERT_EQUAL(unc_read32(space, 0, &value), 0);
	CU_ASSERT_EQUAL(value, UINT32_MAX);
	CU_ASSERT_EQUAL(put(space, CTL3, 0x304), 0);
	unc_space_close(space);
	fx_open("snbep,clock=step,fail=1:drop");
	space = open_on(fx.bus, "ff:10.0");
	CU_ASSERT_EQUAL(put(space, CTL3, 0x304), 0);
	CU_ASSERT_EQUAL(unc_read32(space, CTL3, &value), 0);
	CU_ASSERT_EQUAL(value, 0);
	CU_ASSERT_EQUAL(put(space, CTL3, 0x304), 0);
	CU_ASSERT_EQUAL(unc_read32(space, CTL3, &value), 0);
	CU_ASSERT_EQUAL(value, 0x304);
	unc_space_close(space);
}

/* Puts 1 to 5 to CTL0 to CTL3 and CTR3, each read back at once: a digit each, 0 what was lost. */
static void written(const char *args, char *ret_digits)
{
	static const uint32_t offs[] = {0xd8, 0xdc, 0xe0, 0xe4, 0xb8};
	struct unc_space *space;

	fx_open(args);
	space = open_on(fx.bus, "ff:10.0");
	for (size_t i = 0; i < 5; i++) {
		uint32_t value = 9;

		CU_ASSERT_EQUAL(put(space, offs[i], (uint32_t)i + 1), 0);
		CU_ASSERT_EQUAL(unc_read32(space, offs[i], &value), 0);
		*ret_digits++ = (char)('0' + value);
	}
	*ret_digits = '\0';
	unc_space_close(space);
}

TEST(lose_counts_writes_alone)
{
	static const struct {
		const char *args, *digits;
	} cases[] = {
		{"snbep,clock=step,lose=1", "02345"},
		{"snbep,clock=step,lose=4", "12305"},
		{"snbep,clock=step,lose=6", "12345"},
		{"snbep,clock=step,lose=2:3", "10005"},
		{"snbep,clock=step,lose=3:18446744073709551615", "12000"},
		{"snbep,clock=step,lose=4,fail=3:drop", "10305"}, /* reads count for fail= */
	};

	for (size_t i = 0; i < N(cases); i++) {
		char digits[6];

		written(cases[i].args, digits);
		CU_ASSERT_STRING_EQUAL(digits, cases[i].digits);
	}
}

TEST(opening_counts_only_where_it_is_asked_for)
{
	struct unc_fault fault = {.at = 1, .opens = true, .how = UNC_FAULT_ENODEV};
	struct unc_addr addr = fx_addr("ff:10.0");
	struct unc_space *space = NULL;
	struct unc_bus *bus;

	fx_open("snbep,clock=step");
	CU_ASSERT_FATAL(unc_fault_wrap(fx.bus, &fault, &bus) == 0);
	fx.bus = bus;
	CU_ASSERT_EQUAL(unc_space_open(bus, &addr, &space), UNC_ENODEV);
	CU_ASSERT_PTR_NULL(space);
	fault = (struct unc_fault){.at = 1, .how = UNC_FAULT_ENODEV};
	space = open_on(bus, "ff:10.0");
	CU_ASSERT_EQUAL(fault.seen, 0);
	unc_space_close(space);
}

TEST(another_opener_of_the_same_machine_is_not_affected)
{
	const char *state = fx_file(NULL);

	fx_open(fx_text("snbep,clock=step,state=%s,fail=1:EIO:forever,vanish=ff:10.0@0", state));
	fx_use(1);
	fx_open(fx_text("snbep,clock=step,state=%s", state));
	IS32("ff:10.0", {0, 0x3cb08086});
	fx_w32("ff:10.0", CTL3, 0x304);
	IS32("ff:10.0", {CTL3, 0x304});
}

TEST(a_function_vanishes_at_its_time)
{
	fx_open("snbep,clock=step,dword_ns=0,vanish=ff:10.0@1.5,vanish=7f:10.1@2");
	fx_step(1499999999);
	fx_w32("ff:10.0", CTL3, 0x304);
	IS32("ff:10.0", {CTL3, 0x304});
	fx_step(1);
	IS32("ff:10.0", {CTL3, UINT32_MAX}, {0, UINT32_MAX});
	fx_w32("ff:10.0", 0, 1); /* lost, so it breaks no rule either */
	CU_ASSERT_EQUAL(fx_violations(), 0);
	IS32("7f:10.1", {0, 0x3cb18086});
	fx_step(500000000);
	IS32("7f:10.1", {0, UINT32_MAX});
}

TEST(all_ones_for_a_time_loses_writes_and_keeps_registers)
{
	fx_open("snbep,clock=step,dword_ns=0,allones=ff:10.0@1.5-3,allones=7f:10.0@2");
	fx_w32("ff:10.0", CTL3, 0x304);
	fx_step(1500000000);
	IS32("ff:10.0", {CTL3, UINT32_MAX});
	fx_w32("ff:10.0", CTL3, 0);
	IS32("7f:10.0", {0, 0x3cb08086});
	fx_step(1499999999);
	IS32("ff:10.0", {CTL3, UINT32_MAX});
	fx_step(1);
	IS32("ff:10.0", {CTL3, 0x304});
	IS32("7f:10.0", {0, UINT32_MAX});
}

struct killing {
	unsigned calls;
	uint32_t seen; /* what is in CTL3 then */
};

static void note_kill(void *arg)
{
	struct killing *killing = arg;
	struct unc_addr addr = fx_addr("ff:10.0");
	unsigned char bytes[4];
	size_t done;

	/* Looking counts too, behind the access that kills. */
	if (killing->calls++ == 0 && unc_sim_pci_read(fx.host, &addr, CTL3, bytes, sizeof(bytes), &done) == 0)
		killing->seen = unc_le32(bytes);
}

TEST(kill_strikes_around_the_effect)
{
	static const struct {
		const char *args;
		uint32_t seen;
		int rc;
	} cases[] = {{"snbep,clock=step,kill=2:before", 0, UNC_EIO}, {"snbep,clock=step,kill=2:after", 0x304, UNC_OK}};

	for (size_t i = 0; i < 2; i++) {
		struct killing killing = {.seen = 7};
		struct unc_addr addr = fx_addr("ff:10.0");
		unsigned char bytes[4];
		size_t done;

		fx_open(cases[i].args);
		unc_sim_on_kill(fx.host, note_kill, &killing);
		fx_r32("7f:10.0", 0);
		CU_ASSERT_EQUAL(killing.calls, 0);
		unc_put_le32(bytes, 0x304);
		CU_ASSERT_EQUAL(unc_sim_pci_write(fx.host, &addr, CTL3, bytes, sizeof(bytes), &done), cases[i].rc);
		CU_ASSERT_EQUAL(killing.calls, 1);
		CU_ASSERT_EQUAL(killing.seen, cases[i].seen);
		/* Whoever is dead writes no more. */
		IS32("ff:10.0", {CTL3, cases[i].seen});
		CU_ASSERT_EQUAL(killing.calls, 1);
	}
}

/* The same faults where somebody serves configuration space as a file. */
TEST(files_fail_as_buses_do)
{
	static const struct {
		const char *how;
		int rc;
		size_t done;
		uint32_t read;
	} cases[] = {
		{"EIO", UNC_EIO, 0, 0},           {"ENXIO", UNC_ENODEV, 0, 0},      {"short", UNC_OK, 8, 0},
		{"drop", UNC_OK, 16, 0x3cb08086}, {"ones", UNC_OK, 16, UINT32_MAX},
	};
	struct unc_addr addr = fx_addr("ff:10.0");

	for (size_t i = 0; i < N(cases); i++) {
		unsigned char bytes[16] = {0};
		size_t done = 0;

		fx_open(fx_text("snbep,clock=step,fail=2:%s", cases[i].how));
		CU_ASSERT_EQUAL(unc_sim_pci_read(fx.host, &addr, 0, bytes, 16, &done), UNC_OK);
		CU_ASSERT_EQUAL(unc_sim_pci_read(fx.host, &addr, 0, bytes, 16, &done), cases[i].rc);
		CU_ASSERT(cases[i].rc < 0 || done == cases[i].done);
		CU_ASSERT(!cases[i].read || unc_le32(bytes) == cases[i].read);
		unc_put_le32(bytes, 0x304);
		CU_ASSERT_EQUAL(unc_sim_pci_write(fx.host, &addr, CTL3, bytes, 4, &done), UNC_OK);
		IS32("ff:10.0", {CTL3, 0x304});
	}
}

TEST(a_short_write_to_a_file_writes_nothing)
{
	struct unc_addr addr = fx_addr("ff:10.0");
	unsigned char bytes[4];
	size_t done = 9;

	unc_put_le32(bytes, 0x304);
	fx_open("snbep,clock=step,fail=1:short");
	CU_ASSERT_EQUAL(unc_sim_pci_write(fx.host, &addr, CTL3, bytes, 4, &done), UNC_OK);
	CU_ASSERT_EQUAL(done, 0);
	IS32("ff:10.0", {CTL3, 0});
}

TEST(a_lost_write_to_a_file_looks_done)
{
	static const char *const hows[] = {"fail=1:drop", "fail=1:ones", "lose=1"};
	struct unc_addr addr = fx_addr("ff:10.0");
	unsigned char bytes[4];

	unc_put_le32(bytes, 0x304);
	for (size_t i = 0; i < N(hows); i++) {
		size_t done = 0;

		fx_open(fx_text("snbep,clock=step,%s", hows[i]));
		CU_ASSERT_EQUAL(unc_sim_pci_write(fx.host, &addr, CTL3, bytes, 4, &done), UNC_OK);
		CU_ASSERT_EQUAL(done, 4);
		IS32("ff:10.0", {CTL3, 0});
	}
}

TEST(bad_values_are_refused)
{
	static const char *const kills[] = {"kill=",   "kill=1",     "kill=0:before",
					    "kill=1:", "kill=1:now", "kill=x:after"};
	static const char *const loses[] = {"lose=", "lose=0", "lose=x", "lose=1:", "lose=1:0", "lose=1:2:3"};
	static const char *const spans[] = {"allones=ff:10.0@", "allones=ff:10.0@1-", "allones=ff:10.0@2-1",
					    "allones=ff:10.0@1-1", "allones=ff:10.0@-1"};

	for (size_t i = 0; i < N(kills); i++) {
		FX_REFUSED(fx_text("snbep,%s", kills[i]), kills[i], "N:before or N:after");
	}
	for (size_t i = 0; i < N(loses); i++) {
		FX_REFUSED(fx_text("snbep,%s", loses[i]), loses[i], "NTH[:TIMES]");
	}
	for (size_t i = 0; i < N(spans); i++) {
		FX_REFUSED(fx_text("snbep,%s", spans[i]), spans[i], "ff:10.0@1.5-3");
	}
	FX_REFUSED("snbep,vanish=ff:10.0@1-2", "vanish=ff:10.0@1-2", "ADDR@SECONDS");

	static const char *const bad[] = {"",           "0",
					  "x",          "-1",
					  "1:",         "1:EFOO",
					  "1:eio",      "1:EIO:",
					  "1:EIO:ever", "1:forever:EIO",
					  "1::forever", "1:EIO:forever:"};

	for (size_t i = 0; i < N(bad); i++) {
		FX_REFUSED(fx_text("snbep,fail=%s", bad[i]), fx_text("fail=%s", bad[i]), "NTH[:WHAT][:forever]",
			   "drop");
	}
	FX_REFUSED("snbep,fail=1,fail=2", "fail=2", "once only");
	FX_REFUSED("snbep,vanish=ff:10.0", "vanish=ff:10.0", "ADDR@SECONDS");
	FX_REFUSED("snbep,vanish=@1", "vanish=@1", "ADDR@SECONDS");
	FX_REFUSED("snbep,vanish=ff:10.0@", "ADDR@SECONDS");
	FX_REFUSED("snbep,vanish=ff:10.0@soon", "ADDR@SECONDS");
	FX_REFUSED("snbep,vanish=ff:10.0@1e99", "ADDR@SECONDS");
	FX_REFUSED("snbep,vanish=fe:10.0@1", "vanish=0000:fe:10.0", "no such function");
	FX_REFUSED("snbep,vanish=ff:10.0@1,vanish=ff:10.0@2", "vanish=0000:ff:10.0", "only once");
	FX_REFUSED("snbep,vanish=ff:10.0@1,hide=ff:10.0", "vanish=0000:ff:10.0", "hide=");
}
