// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/gate.h"

#include "onsim.h"
#include "test.h"
#include "uncore/reg.h"

EACH_ON_SIM(o, "snbep", "sockets=1", NULL)

/* Another program on the same machine: what tells two of them apart is that each has opened its files. */
static struct onplain second;
static char writes[2000]; /* of a dry run */

static void on_write(void *arg, const char *line)
{
	size_t len = strlen(writes);

	(void)arg;
	snprintf(writes + len, sizeof(writes) - len, "%s\n", line);
}

static void open_second(const char *model, const char *common, bool dry)
{
	char name[300];
	const struct unc_machine_cfg cfg = {
		.machine = name, .writable = true, .wake_fd = -1, .dry_run = dry ? on_write : NULL};

	writes[0] = '\0';
	snprintf(name, sizeof(name), "sim:%s,clock=step,state=%s,%s", model, o.state, common);
	onplain_open_cfg(&second, &cfg);
}

static struct unc_box *box_of(struct unc_machine *m, const char *name)
{
	struct unc_box *box = NULL;

	onsim_ok(&m->ctx, unc_box_find(m, name, &box), name, __FILE__, __LINE__);
	return box;
}

static int claim(struct unc_machine *m, const char *name)
{
	return unc_claim_box(box_of(m, name), m);
}

TEST(a_box_has_one_writer)
{
	open_second("snbep", "sockets=1", false);
	OK(&o, claim(o.m, "socket0.imc0.ch0"));
	OK(&o, claim(o.m, "socket0.imc0.ch0")); /* twice is as once */
	FAILS(&second, UNC_EBUSY, claim(second.m, "socket0.imc0.ch0"),
	      "socket0.imc0.ch0 (0000:ff:10.0) is in use: ", o.state);
	OK(&second, claim(second.m, "socket0.imc0.ch1"));
	FAILS(&o, UNC_EBUSY, claim(o.m, "socket0.imc0.ch1"), "socket0.imc0.ch1 (0000:ff:10.1) is in use: ", o.state);
	OK(&o, claim(o.m, "socket0.imc0.ch2"));
	unc_claim_leave(o.m, o.m);
	OK(&second, claim(second.m, "socket0.imc0.ch0"));
	OK(&second, claim(second.m, "socket0.imc0.ch2"));
	onplain_close(&second);
	OK(&o, claim(o.m, "socket0.imc0.ch1"));
}

TEST(it_is_held_as_long_as_one_owner_needs_it)
{
	struct unc_box *box;

	open_second("snbep", "sockets=1", false);
	box = box_of(o.m, "socket0.imc0.ch0");
	OK(&o, unc_claim_box(box, &o));
	OK(&o, unc_claim_box(box, &second));
	unc_claim_leave(o.m, &o);
	unc_claim_leave(o.m, &o);
	FAILS(&second, UNC_EBUSY, claim(second.m, "socket0.imc0.ch0"), "is in use", "");
	unc_claim_leave(o.m, &second);
	OK(&second, claim(second.m, "socket0.imc0.ch0"));
	unc_claim_leave(second.m, NULL);
	OK(&o, unc_claim_box(box, &o));
	onplain_close(&second);
}

TEST(cpus_that_share_an_l3_have_one_writer)
{
	static const char common[] = "sockets=2,cores=4";

	onsim_reopen(&o, "hsx", common, NULL);
	open_second("hsx", common, false);
	OK(&o, claim(o.m, "cpu2.rdt"));
	OK(&o, claim(o.m, "cpu0.rdt"));
	FAILS(&second, UNC_EBUSY, claim(second.m, "cpu3.rdt"), "cpu3.rdt, whose L3 is that of cpu0, is in use",
	      o.state);
	FAILS(&second, UNC_EBUSY, claim(second.m, "cpu0.rdt"), "cpu0.rdt is in use", o.state);
	OK(&second, claim(second.m, "cpu7.rdt")); /* of another socket */
	OK(&second, claim(second.m, "socket0.imc0.ch0"));
	FAILS(&o, UNC_EBUSY, claim(o.m, "cpu4.rdt"), "cpu4.rdt is in use", o.state);
	unc_claim_leave(o.m, o.m);
	OK(&second, claim(second.m, "cpu3.rdt"));
	onplain_close(&second);
}

TEST(a_register_that_no_map_names_is_of_its_function)
{
	struct unc_box *raw;

	open_second("snbep", "sockets=1", false);
	OK(&o, claim(o.m, "socket0.imc0.ch0"));
	/* It is reached through a file of its own, and does not stand in the way of the channel of the same program. */
	OK(&o, unc_raw_pci(o.m, "ff:10.0", 0x84, &raw));
	OK(&o, unc_claim_box(raw, &second));
	OK(&second, unc_raw_pci(second.m, "ff:10.0", 0x88, &raw));
	FAILS(&second, UNC_EBUSY, unc_claim_box(raw, &second), "0000:ff:10.0 is in use", o.state);
	unc_claim_leave(o.m, o.m);
	FAILS(&second, UNC_EBUSY, unc_claim_box(raw, &second), "0000:ff:10.0 is in use", o.state);
	unc_claim_leave(o.m, &second);
	OK(&second, unc_claim_box(raw, &second));
	/* Of MSRs each number is one. */
	OK(&o, unc_raw_msr(o.m, 1, 0xc10, &raw));
	OK(&o, unc_claim_box(raw, &o));
	OK(&second, unc_raw_msr(second.m, 1, 0xc11, &raw));
	OK(&second, unc_claim_box(raw, &second));
	OK(&second, unc_raw_msr(second.m, 1, 0xc10, &raw));
	FAILS(&second, UNC_EBUSY, unc_claim_box(raw, &second), "cpu1, MSR 0xc10, is in use", o.state);
	onplain_close(&second);
}

TEST(a_dry_run_asks_and_takes_nothing)
{
	open_second("snbep", "sockets=1", true);
	OK(&o, claim(o.m, "socket0.imc0.ch0"));
	FAILS(&second, UNC_EBUSY, claim(second.m, "socket0.imc0.ch0"), "is in use", o.state);
	OK(&second, claim(second.m, "socket0.imc0.ch1"));
	OK(&o, claim(o.m, "socket0.imc0.ch1"));
	onplain_close(&second);
}

TEST(a_machine_that_no_other_program_can_reach_needs_no_lock)
{
	onplain_open(&second, "sim:snbep,clock=step");
	OK(&second, claim(second.m, "socket0.imc0.ch0"));
	unc_claim_leave(second.m, NULL);
	onplain_close(&second);
}
