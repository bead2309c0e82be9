// SPDX-License-Identifier: GPL-2.0-or-later
/* The bus that goes wrong, and the keys fail=, kill=, lose=, vanish= and allones=ADDR@... of the simulated machine. */
#include "test_sim.h"

#include "access/fault.h"
#include "access/trace.h"

enum { CTL3 = 0xe4 };

static int read_at(const char *at, uint32_t off, uint32_t *ret_value)
{
	struct unc_space *space = fx_space(at);
	int rc = unc_read32(space, off, ret_value);

	unc_space_close(space);
	return rc;
}

static int write_at(const char *at, uint32_t off, uint32_t value)
{
	struct unc_space *space = fx_space(at);
	unsigned char bytes[4];
	int rc;

	unc_put_le32(bytes, value);
	rc = space->bus->ops->write(space, off, bytes, sizeof(bytes));
	unc_space_close(space);
	return rc;
}

/* CTL3 of ff:10.0 as a file. */
static int write_file(uint32_t value, size_t *ret_done)
{
	struct unc_addr addr = fx_addr("ff:10.0");
	unsigned char bytes[4];

	unc_put_le32(bytes, value);
	return unc_sim_access(fx.host, &addr, true, CTL3, bytes, sizeof(bytes), ret_done);
}

TEST(each_failure_has_its_code_and_sentence)
{
	static const struct {
		const char *option, *os_name, *text;
		int err;
	} cases[] = {
		{"fail=2:EIO", "EIO", "Input/output error", UNC_EIO},
		{"fail=2:EPERM", "EPERM", "Operation not permitted", UNC_EPERM},
		{"fail=2:ENODEV", "ENODEV", "No such device", UNC_ENODEV},
		{"fail=2:ENXIO", "ENXIO", "No such device or address", UNC_ENODEV},
		{"fail=2:short", "EIO", "fewer bytes", UNC_EIO},
	};

	for (size_t i = 0; i < N(cases); i++) {
		uint32_t value = 7;

		fx_open(fx_text("snbep,clock=step,%s", cases[i].option));
		fx_w32("ff:10.4", CTL3, 0x304);
		CU_ASSERT_EQUAL(read_at("ff:10.4", CTL3, &value), cases[i].err);
		CU_ASSERT_EQUAL(value, 7);
		CU_ASSERT_STRING_EQUAL(unc_err_name(fx.ctx, cases[i].err), cases[i].os_name);
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx.ctx), "pci 0000:ff:10.4: read 0xe4: "));
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx.ctx), cases[i].text));
		CU_ASSERT_EQUAL(fx_r32("ff:10.4", CTL3), 0x304);
	}
}

TEST(for_ever_is_from_then_on_over_all_functions)
{
	uint32_t value;

	fx_open("snbep,clock=step,fail=3:EPERM:forever");
	fx_r32("ff:10.0", 0);
	fx_r32("ff:10.1", 0);
	CU_ASSERT_EQUAL(read_at("ff:10.0", 0, &value), UNC_EPERM);
	CU_ASSERT_EQUAL(write_at("ff:10.1", CTL3, 0x304), UNC_EPERM);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx.ctx), "write 0xe4"));
}

TEST(ones_and_drop_succeed_and_lie)
{
	fx_open("snbep,clock=step,fail=2:ones:forever");
	CU_ASSERT_EQUAL(fx_r32("ff:10.0", 0), 0x3cb08086);
	CU_ASSERT_EQUAL(fx_r32("ff:10.0", 0), UINT32_MAX);
	fx_w32("ff:10.0", CTL3, 0x304);
	fx_open("snbep,clock=step,fail=1:drop");
	fx_w32("ff:10.0", CTL3, 0x304);
	CU_ASSERT_EQUAL(fx_r32("ff:10.0", CTL3), 0);
	fx_w32("ff:10.0", CTL3, 0x304);
	CU_ASSERT_EQUAL(fx_r32("ff:10.0", CTL3), 0x304);
}

/* CTL0 to CTL3 and CTR3 get 1 to 5, each read back at once: a digit each, 0 what was lost. */
TEST(lose_counts_writes_alone)
{
	static const uint32_t offs[] = {0xd8, 0xdc, 0xe0, 0xe4, 0xb8};
	static const struct {
		const char *option, *digits;
	} cases[] = {
		{"lose=1", "02345"},
		{"lose=4", "12305"},
		{"lose=6", "12345"},
		{"lose=2:3", "10005"},
		{"lose=3:18446744073709551615", "12000"},
		{"lose=4,fail=3:drop", "10305"}, /* reads count for fail= */
	};

	for (size_t i = 0; i < N(cases); i++) {
		char digits[6] = "";

		fx_open(fx_text("snbep,clock=step,%s", cases[i].option));
		for (uint32_t n = 0; n < 5; n++) {
			fx_w32("ff:10.0", offs[n], n + 1);
			digits[n] = (char)('0' + fx_r32("ff:10.0", offs[n]));
		}
		CU_ASSERT_STRING_EQUAL(digits, cases[i].digits);
	}
}

TEST(opening_counts_only_where_it_is_asked_for)
{
	static struct unc_fault fault; /* until the bus is closed */
	struct unc_addr addr = fx_addr("ff:10.0");
	struct unc_space *space = NULL;

	fx_open("snbep,clock=step");
	fault = (struct unc_fault){.at = 1, .opens = true, .how = UNC_FAULT_ENODEV};
	CU_ASSERT_FATAL(unc_fault_wrap(fx.bus, &fault, &fx.bus) == 0);
	CU_ASSERT_EQUAL(unc_space_open(fx.bus, &addr, &space), UNC_ENODEV);
	CU_ASSERT_PTR_NULL(space);
	fault = (struct unc_fault){.at = 1, .how = UNC_FAULT_ENODEV};
	unc_space_close(fx_space("ff:10.0"));
	CU_ASSERT_EQUAL(fault.seen, 0);
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
	CU_ASSERT_EQUAL(fx_r32("ff:10.0", CTL3), 0x304);
	fx_step(1);
	IS32("ff:10.0", {CTL3, UINT32_MAX}, {0, UINT32_MAX});
	fx_w32("ff:10.0", 0, 1); /* lost, so it breaks no rule either */
	CU_ASSERT_EQUAL(unc_sim_violations(fx.host), 0);
	CU_ASSERT_EQUAL(fx_r32("7f:10.1", 0), 0x3cb18086);
	fx_step(500000000);
	CU_ASSERT_EQUAL(fx_r32("7f:10.1", 0), UINT32_MAX);
}

TEST(all_ones_for_a_time_loses_writes_and_keeps_registers)
{
	fx_open("snbep,clock=step,dword_ns=0,allones=ff:10.0@1.5-3,allones=7f:10.0@2");
	fx_w32("ff:10.0", CTL3, 0x304);
	fx_step(1500000000);
	CU_ASSERT_EQUAL(fx_r32("ff:10.0", CTL3), UINT32_MAX);
	fx_w32("ff:10.0", CTL3, 0);
	CU_ASSERT_EQUAL(fx_r32("7f:10.0", 0), 0x3cb08086);
	fx_step(1499999999);
	CU_ASSERT_EQUAL(fx_r32("ff:10.0", CTL3), UINT32_MAX);
	fx_step(1);
	CU_ASSERT_EQUAL(fx_r32("ff:10.0", CTL3), 0x304);
	CU_ASSERT_EQUAL(fx_r32("7f:10.0", 0), UINT32_MAX);
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

	/* Looking counts too, after the access that kills. */
	if (killing->calls++ == 0 && unc_sim_access(fx.host, &addr, false, CTL3, bytes, sizeof(bytes), &done) == 0)
		killing->seen = unc_le32(bytes);
}

TEST(kill_strikes_around_the_effect)
{
	static const struct {
		const char *option;
		uint32_t seen;
		int rc;
	} cases[] = {{"kill=2:before", 0, UNC_EIO}, {"kill=2:after", 0x304, UNC_OK}};

	for (size_t i = 0; i < 2; i++) {
		struct killing killing = {.seen = 7};
		size_t done;

		fx_open(fx_text("snbep,clock=step,%s", cases[i].option));
		unc_sim_on_kill(fx.host, note_kill, &killing);
		fx_r32("7f:10.0", 0);
		CU_ASSERT_EQUAL(killing.calls, 0);
		CU_ASSERT_EQUAL(write_file(0x304, &done), cases[i].rc);
		CU_ASSERT_EQUAL(killing.calls, 1);
		CU_ASSERT_EQUAL(killing.seen, cases[i].seen);
		/* A process that is dead writes no more. */
		CU_ASSERT_EQUAL(fx_r32("ff:10.0", CTL3), cases[i].seen);
		CU_ASSERT_EQUAL(killing.calls, 1);
	}
}

/* The same faults where configuration space is served as a file: of the second access, which reads ID and more, or writes CTL3. */
TEST(files_fail_as_buses_do)
{
	static const struct {
		const char *option;
		bool write;
		int rc;
		size_t done; /* a write that is lost looks done */
		uint32_t id;
	} cases[] = {
		{"fail=2:EIO", false, UNC_EIO, 0, 0},
		{"fail=2:ENXIO", false, UNC_ENODEV, 0, 0},
		{"fail=2:short", false, UNC_OK, 8, 0},
		{"fail=2:drop", false, UNC_OK, 16, 0x3cb08086},
		{"fail=2:ones", false, UNC_OK, 16, UINT32_MAX},
		{"fail=2:short", true, UNC_OK, 0, 0},
		{"fail=2:drop", true, UNC_OK, 4, 0},
		{"fail=2:ones", true, UNC_OK, 4, 0},
		{"lose=1", true, UNC_OK, 4, 0},
	};
	struct unc_addr addr = fx_addr("ff:10.0");

	for (size_t i = 0; i < N(cases); i++) {
		unsigned char bytes[16] = {0};
		size_t done = 9;

		fx_open(fx_text("snbep,clock=step,%s", cases[i].option));
		CU_ASSERT_EQUAL(unc_sim_access(fx.host, &addr, false, 0, bytes, 16, &done), UNC_OK);
		if (cases[i].write) {
			CU_ASSERT_EQUAL(write_file(0x304, &done), cases[i].rc);
			CU_ASSERT_EQUAL(fx_r32("ff:10.0", CTL3), 0);
		} else {
			CU_ASSERT_EQUAL(unc_sim_access(fx.host, &addr, false, 0, bytes, 16, &done), cases[i].rc);
			CU_ASSERT(!cases[i].id || unc_le32(bytes) == cases[i].id);
		}
		CU_ASSERT(cases[i].rc < 0 || done == cases[i].done);
		CU_ASSERT_EQUAL(write_file(0x304, &done), UNC_OK);
		CU_ASSERT_EQUAL(fx_r32("ff:10.0", CTL3), 0x304);
	}
}

/* Each is quoted, and the sentence has the form that is wanted. */
static void refuses_each(const char *key, const char *form, const char *const *values)
{
	for (; *values; values++) {
		const char *quoted = fx_text("%s=%s", key, *values);

		FX_REFUSED(fx_text("snbep,%s", quoted), quoted, form);
	}
}
#define REFUSES_EACH(key, form, ...) refuses_each(key, form, (const char *const[]){__VA_ARGS__, NULL})

TEST(bad_values_are_refused)
{
	REFUSES_EACH("kill", "N:before or N:after", "", "1", "0:before", "1:", "1:now", "x:after");
	REFUSES_EACH("lose", "NTH[:TIMES]", "", "0", "x", "1:", "1:0", "1:2:3");
	REFUSES_EACH("allones", "ff:10.0@1.5-3", "ff:10.0@", "ff:10.0@1-", "ff:10.0@2-1", "ff:10.0@1-1", "ff:10.0@-1");
	REFUSES_EACH("fail", "NTH[:WHAT][:forever]", "", "0", "x", "-1", "1:", "1:EFOO", "1:eio",
		     "1:EIO:", "1:EIO:ever", "1:forever:EIO", "1::forever", "1:EIO:forever:");
	REFUSES_EACH("fail", "drop", "", "0");
	REFUSES_EACH("vanish", "ADDR@SECONDS", "ff:10.0@1-2", "ff:10.0", "@1", "ff:10.0@", "ff:10.0@soon",
		     "ff:10.0@1e99");
	FX_REFUSED("snbep,fail=1,fail=2", "fail=2", "once only");
	FX_REFUSED("snbep,vanish=fe:10.0@1", "vanish=0000:fe:10.0", "no such function");
	FX_REFUSED("snbep,vanish=ff:10.0@1,vanish=ff:10.0@2", "vanish=0000:ff:10.0", "only once");
	FX_REFUSED("snbep,vanish=ff:10.0@1,hide=ff:10.0", "vanish=0000:ff:10.0", "hide=");
}
