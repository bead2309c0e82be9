// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/gate.h"

#include "onsim.h"
#include "test.h"
#include "uncore/reg.h"

EACH_ON_SIM(o, "snbep", "sockets=1", NULL)

/* Another program on the same machine: what tells two of them apart is that each has opened its files. */
struct second {
	struct unc_ctx *ctx;
	struct unc_machine *m;
	char writes[2000]; /* of a dry run */
};

static void on_write(void *arg, const char *line)
{
	struct second *second = arg;
	size_t len = strlen(second->writes);

	snprintf(second->writes + len, sizeof(second->writes) - len, "%s\n", line);
}

static void second_open(struct second *second, const char *model, const char *common, bool dry)
{
	struct unc_machine_cfg cfg = {.writable = true, .wake_fd = -1};
	char name[300];

	*second = (struct second){0};
	snprintf(name, sizeof(name), "sim:%s,clock=step,state=%s,%s", model, o.state, common);
	cfg.machine = name;
	cfg.dry_run = dry ? on_write : NULL;
	cfg.dry_run_arg = second;
	CU_ASSERT_EQUAL_FATAL(unc_new(&second->ctx), 0);
	OK(second, unc_machine_open(second->ctx, &cfg, &second->m));
}

static void second_close(struct second *second)
{
	OK(second, unc_machine_close(second->m));
	unc_free(second->ctx);
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
	struct second second;

	second_open(&second, "snbep", "sockets=1", false);
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
	second_close(&second);
	OK(&o, claim(o.m, "socket0.imc0.ch1"));
}

TEST(it_is_held_as_long_as_one_owner_needs_it)
{
	struct second second;
	struct unc_box *box;

	second_open(&second, "snbep", "sockets=1", false);
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
	second_close(&second);
}

TEST(cpus_that_share_an_l3_have_one_writer)
{
	static const char common[] = "sockets=2,cores=4";
	struct second second;

	onsim_reopen(&o, "hsx", common, NULL);
	second_open(&second, "hsx", common, false);
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
	second_close(&second);
}

TEST(a_register_that_no_map_names_is_of_its_function)
{
	struct second second;
	struct unc_box *raw;

	second_open(&second, "snbep", "sockets=1", false);
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
	second_close(&second);
}

TEST(a_dry_run_asks_and_takes_nothing)
{
	struct second second;

	second_open(&second, "snbep", "sockets=1", true);
	OK(&o, claim(o.m, "socket0.imc0.ch0"));
	FAILS(&second, UNC_EBUSY, claim(second.m, "socket0.imc0.ch0"), "is in use", o.state);
	OK(&second, claim(second.m, "socket0.imc0.ch1"));
	OK(&o, claim(o.m, "socket0.imc0.ch1"));
	second_close(&second);
}

TEST(a_machine_that_nobody_else_can_reach_needs_no_lock)
{
	struct second second = {0};
	struct unc_machine_cfg cfg = {.machine = "sim:snbep,clock=step", .writable = true, .wake_fd = -1};

	CU_ASSERT_EQUAL_FATAL(unc_new(&second.ctx), 0);
	OK(&second, unc_machine_open(second.ctx, &cfg, &second.m));
	OK(&second, claim(second.m, "socket0.imc0.ch0"));
	unc_claim_leave(second.m, NULL);
	second_close(&second);
}
