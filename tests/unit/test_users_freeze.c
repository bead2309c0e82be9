// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of who froze counters: only what was seen. */
#include "machine/gate.h"
#include "machine/users.h"

#include "onsim.h"
#include "test.h"

EACH_ON_SIM(o, "hsx", "sockets=2,cores=2", NULL)

#define HSX "sockets=2,cores=2"
#define CH1 "socket0.imc0.ch1"

struct told {
	char text[600];
};

static struct told of(const char *box)
{
	struct told told;

	OK(&o, unc_users_of_freeze(onsim_box(&o, box), told.text, sizeof(told.text)));
	return told;
}

TEST(without_evidence_nobody_is_named)
{
	onsim_reopen(&o, "hsx", HSX ",freeze=socket0,freeze=" CH1, NULL);
	SAME(of(CH1).text, "");
	CU_ASSERT_FALSE(unc_users_is_frozen(onsim_box(&o, CH1)));
	EQ(onsim_trace_count(&o, " w"), 0);
	onsim_reopen(&o, "hsx", HSX ",freeze=socket0,msr=absent", NULL);
	SAME(of(CH1).text, "");
	onsim_reopen(&o, "snbep", "sockets=1", NULL); /* a part without such a register */
	CU_ASSERT_PTR_NULL(unc_users_global(onsim_box(&o, CH1)));
	SAME(of(CH1).text, "");
}

TEST(freeze_bits_that_read_back_are_evidence)
{
	onsim_reopen(&o, "hsx", HSX ",frz=rw,freeze=socket0,freeze=" CH1, NULL);
	SAME(of(CH1).text, "GLOBAL_CTL of socket0 reads frz_all=1; BOX_CTL reads frz=1");
	SAME(of("socket0.imc0.ch0").text, "GLOBAL_CTL of socket0 reads frz_all=1");
	SAME(of("socket1.imc0.ch1").text, "");
	SAME(unc_users_global(onsim_box(&o, "socket1.imc0.ch1"))->name, "socket1.global");
}

TEST(parts_in_memory_have_it_too)
{
	onsim_reopen(&o, "icx", HSX ",frz=rw,freeze=socket1", NULL);
	SAME(of("socket1.imc0.ch1").text, "GLOBAL_CTL of socket1 reads frz_all=1");
	SAME(unc_users_release(unc_users_global(onsim_box(&o, CH1))), "unfrz_all=1");
	/* Sapphire Rapids: one bit, which is a state. */
	onsim_reopen(&o, "spr", HSX ",freeze=socket1", NULL);
	SAME(of("socket1.imc0.ch1").text, "GLOBAL_CTL of socket1 reads frz_all=1");
	SAME(of("socket0.imc0.ch1").text, "");
	SAME(unc_users_release(unc_users_global(onsim_box(&o, CH1))), "frz_all=0");
}

/* What failed before keeps its sentence. */
TEST(a_register_that_cannot_be_read_tells_nothing)
{
	onsim_reopen(&o, "hsx", HSX ",frz=rw,freeze=" CH1, NULL);
	FAILS(&o, UNC_EIO, unc_fail(o.ctx, UNC_EIO, "what failed before"), "what failed before");
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_EIO);
	SAME(of(CH1).text, "");
	SAME(unc_errmsg(o.ctx), "what failed before");
	onsim_work(&o);
}

TEST(another_uncorectl_that_writes_there_is_evidence)
{
	struct onplain other;
	char name[300];
	struct unc_box *box = NULL;

	SAME(of(CH1).text, "");
	snprintf(name, sizeof(name), "sim:hsx,clock=step,state=%s," HSX, o.state);
	onplain_open(&other, name);
	CU_ASSERT_EQUAL_FATAL(unc_box_find(other.m, CH1, &box), 0);
	CU_ASSERT_EQUAL(unc_claim_box(box, other.m), 0);
	HAS(of(CH1).text, "another uncorectl writes to this channel (");
	SAME(of("socket0.imc0.ch0").text, "");
	onplain_close(&other);
}
