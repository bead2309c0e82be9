// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

#include "sim/options.h"
#include "test.h"

static struct unc_ctx *ctx;

static struct unc_sim_options parsed(const char *args)
{
	struct unc_sim_options options;

	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	CU_ASSERT_FATAL(unc_sim_options_parse(ctx, args, &options) == 0);
	return options;
}

static void done(struct unc_sim_options *options)
{
	unc_sim_options_clear(options);
	unc_free(ctx);
}

TEST(the_defaults_are_two_sockets_of_eight_cores_in_real_time)
{
	struct unc_sim_options o = parsed("snbep");

	CU_ASSERT_STRING_EQUAL(o.model->name, "snbep");
	CU_ASSERT_EQUAL(o.sockets, 2);
	CU_ASSERT_EQUAL(o.cores, 8);
	CU_ASSERT_EQUAL(o.threads, 2);
	CU_ASSERT_EQUAL(o.domains, 1);
	CU_ASSERT_FALSE(o.step);
	CU_ASSERT_FALSE(o.frz_en_rw);
	CU_ASSERT_FALSE(o.reversed);
	CU_ASSERT_EQUAL(o.dword_ns, 500);
	CU_ASSERT_PTR_NULL(o.load);
	CU_ASSERT_PTR_NULL(o.state);
	CU_ASSERT_PTR_NULL(o.files);
	done(&o);
}

TEST(a_xeon_d_has_one_socket_unless_told_otherwise)
{
	struct unc_sim_options o = parsed("bdxde");

	CU_ASSERT_EQUAL(o.sockets, 1);
	done(&o);
	o = parsed("bdxde,sockets=8");
	CU_ASSERT_EQUAL(o.sockets, 8);
	done(&o);
}

TEST(every_key_is_taken)
{
	struct unc_sim_options o = parsed("snbep,sockets=4,cores=6,load=/l,clock=step,state=/s,files=/f,hide=ff:10.0,"
					  "allones=7f:10.1,hide=0000:ff:10.5,frz_en=rw,dword_ns=0,numbering=reversed");

	CU_ASSERT_EQUAL(o.sockets, 4);
	CU_ASSERT_EQUAL(o.cores, 6);
	CU_ASSERT_STRING_EQUAL(o.load, "/l");
	CU_ASSERT_STRING_EQUAL(o.state, "/s");
	CU_ASSERT_STRING_EQUAL(o.files, "/f");
	CU_ASSERT_TRUE(o.step);
	CU_ASSERT_TRUE(o.frz_en_rw);
	CU_ASSERT_TRUE(o.reversed);
	CU_ASSERT_EQUAL(o.dword_ns, 0);
	CU_ASSERT_EQUAL_FATAL(o.n_hide, 2);
	CU_ASSERT_EQUAL_FATAL(o.n_gone, 1);
	CU_ASSERT_EQUAL(o.hide[1].pci.bus, 0xff);
	CU_ASSERT_EQUAL(o.hide[1].pci.fn, 5);
	CU_ASSERT_EQUAL(o.gone[0].addr.pci.bus, 0x7f);
	CU_ASSERT_EQUAL(o.gone[0].from_ns, 0);
	CU_ASSERT_EQUAL(o.gone[0].until_ns, UINT64_MAX);
	done(&o);
}

TEST(words_spell_out_the_defaults_too)
{
	struct unc_sim_options o = parsed("snbep,clock=real,frz_en=wo,numbering=normal");

	CU_ASSERT_FALSE(o.step);
	CU_ASSERT_FALSE(o.frz_en_rw);
	CU_ASSERT_FALSE(o.reversed);
	done(&o);
}

TEST(an_unknown_model_is_refused_with_a_list)
{
	FX_REFUSED("hsw", UNC_EARG, "sim:hsw", "snbep, ivt, hsx, bdx, bdxde, skx, clx, cpx");
	FX_REFUSED("", UNC_EARG, "snbep");
	FX_REFUSED("snbepx,sockets=1", UNC_EARG, "sim:snbepx", "snbep");
}

TEST(an_unknown_key_is_refused_with_a_list)
{
	FX_REFUSED("snbep,sokets=2", UNC_EARG, "\"sokets\"", "sockets", "cores", "load", "clock", "state", "hide",
		   "allones", "frz_en", "dword_ns", "numbering");
	FX_REFUSED("snbep,", UNC_EARG, "unknown key \"\"");
	FX_REFUSED("snbep,=2", UNC_EARG, "unknown key \"\"");
}

TEST(a_key_without_a_value_is_refused)
{
	FX_REFUSED("snbep,sockets", UNC_EARG, "sockets needs a value", "1 to 8");
	FX_REFUSED("snbep,load=", UNC_EARG, "load=", "path");
	FX_REFUSED("snbep,state=", UNC_EARG, "state=", "path");
	FX_REFUSED("snbep,files=", UNC_EARG, "files=", "path");
	FX_REFUSED("snbep,hide=", UNC_EARG, "hide=", "DD.F");
}

TEST(a_bad_value_is_refused_with_what_is_possible)
{
	FX_REFUSED("snbep,sockets=0", UNC_EARG, "sockets=0", "1 to 8");
	FX_REFUSED("snbep,sockets=9", UNC_EARG, "sockets=9", "1 to 8");
	FX_REFUSED("snbep,sockets=2x", UNC_EARG, "sockets=2x", "1 to 8");
	FX_REFUSED("snbep,sockets=-1", UNC_EARG, "sockets=-1", "1 to 8");
	FX_REFUSED("snbep,sockets=18446744073709551618", UNC_EARG, "sockets=18446744073709551618");
	FX_REFUSED("snbep,cores=0", UNC_EARG, "cores=0", "1 to 128");
	FX_REFUSED("snbep,cores=129", UNC_EARG, "cores=129", "1 to 128");
	FX_REFUSED("snbep,threads=3", UNC_EARG, "threads=3", "1 or 2");
	FX_REFUSED("skx,domains=9", UNC_EARG, "domains=9", "1 to 8");
	FX_REFUSED("snbep,offline=x", UNC_EARG, "offline=x", "3,7");
	FX_REFUSED("snbep,clock=fast", UNC_EARG, "clock=fast", "real or step");
	FX_REFUSED("snbep,frz_en=ro", UNC_EARG, "frz_en=ro", "wo", "rw");
	FX_REFUSED("hsx,ctl_writes=2", UNC_EARG, "ctl_writes=2", "once, or twice");
	FX_REFUSED("snbep,numbering=odd", UNC_EARG, "numbering=odd", "reversed");
	FX_REFUSED("snbep,clock=step,dword_ns=1000000001", UNC_EARG, "dword_ns=1000000001", "1000000000");
	FX_REFUSED("snbep,hide=ff:10", UNC_EARG, "hide=ff:10", "DD.F");
	FX_REFUSED("snbep,vanish=ff:10.0@200000001", UNC_EARG, "vanish=ff:10.0@200000001", "a time of the machine");
	FX_REFUSED("snbep,msr=none", UNC_EARG, "msr=none", "present or absent");
	FX_REFUSED("snbep,msr_writes=no", UNC_EARG, "msr_writes=no", "on or off");
	FX_REFUSED("snbep,lockdown=yes", UNC_EARG, "lockdown=yes", "0 or 1");
	FX_REFUSED("bdx,qm_scope=core", UNC_EARG, "qm_scope=core", "thread or package");
	FX_REFUSED("bdx,qm=errors", UNC_EARG, "qm=errors", "ok, error, unavailable or slow");
	FX_REFUSED("bdx,qm=ok:1", UNC_EARG, "qm=ok:1", ":TIMES");
	FX_REFUSED("bdx,qm=slow:0", UNC_EARG, "qm=slow:0", ":READS");
	FX_REFUSED("bdx,qm=slow:alternate", UNC_EARG, "qm=slow:alternate", ":READS");
	FX_REFUSED("bdx,qm=ok:alternate", UNC_EARG, "qm=ok:alternate", ":alternate");
	FX_REFUSED("bdx,qm=error:alternating", UNC_EARG, "qm=error:alternating", ":alternate");
	FX_REFUSED("bdx,disturb=0", UNC_EARG, "disturb=0", "NTH[:TIMES]");
	FX_REFUSED("bdx,disturb=1:0", UNC_EARG, "disturb=1:0", "NTH[:TIMES]");
	FX_REFUSED("bdx,disturb=1:x", UNC_EARG, "disturb=1:x", "NTH[:TIMES]");
	FX_REFUSED("bdx,disturb=", UNC_EARG, "disturb=", "NTH[:TIMES]");
	FX_REFUSED("bdx,mbm_erratum=2", UNC_EARG, "mbm_erratum=2", "0 or 1");
	FX_REFUSED("bdx,abmc=on", UNC_EARG, "abmc=on", "0 or 1");
	FX_REFUSED("bdx,qm=error:0", UNC_EARG, "qm=error:0", ":TIMES");
	FX_REFUSED("bdx,qm=error:", UNC_EARG, "qm=error:", ":TIMES");
	FX_REFUSED("bdx,qm=unavailable:1000001", UNC_EARG, "qm=unavailable:1000001", ":TIMES");
	FX_REFUSED("snbep,allones=ff:10.9", UNC_EARG, "allones=ff:10.9", "a PCI address");
}

TEST(a_key_given_twice_is_refused)
{
	FX_REFUSED("snbep,sockets=2,cores=4,sockets=2", UNC_EARG, "sockets=2", "once only");
	FX_REFUSED("snbep,clock=step,clock=real", UNC_EARG, "clock=real", "once only");
	FX_REFUSED("snbep,load=/a,load=/b", UNC_EARG, "load=/b", "once only");
}

TEST(contradictions_are_refused)
{
	FX_REFUSED("snbep,dword_ns=3", UNC_EARG, "dword_ns=3", "clock=step");
	FX_REFUSED("snbep,clock=real,dword_ns=0", UNC_EARG, "dword_ns=0", "clock=step");
	FX_REFUSED("bdxde,domains=2", UNC_EARG, "domains=2", "more domains than sockets");
	FX_REFUSED("clx,frz_en=rw", UNC_EARG, "frz_en=rw", "no frz_en");
	FX_REFUSED("skx,sockets=2,domains=3", UNC_EARG, "domains=3", "more domains than sockets");
	FX_REFUSED("skx,frz_en=rw", UNC_EARG, "frz_en=rw", "no frz_en", "snbep, hsx, bdx and bdxde");
	FX_REFUSED("ivt,frz_en=rw", UNC_EARG, "frz_en=rw", "no frz_en");
	FX_REFUSED("snbep,qm_scope=thread", UNC_EARG, "qm_scope", "no cache monitoring", "those from hsx on");
	FX_REFUSED("ivt,qm=error", UNC_EARG, "qm", "no cache monitoring");
	FX_REFUSED("bdx,msr=absent,msr_writes=off", UNC_EARG, "msr_writes", "no MSRs");
	FX_REFUSED("bdx,msr=absent,qm_scope=package", UNC_EARG, "qm_scope", "no MSRs");
	FX_REFUSED("bdx,msr=absent,qm=error", UNC_EARG, "qm", "no MSRs");
	FX_REFUSED("snbep,allones=ff:10.0,allones=ff:10.0", UNC_EARG, "allones=0000:ff:10.0", "only once");
	FX_REFUSED("snbep,offline=32", UNC_EARG, "offline=32", "CPUs 0 to 31");
	FX_REFUSED("snbep,sockets=1,cores=1,offline=0,1", UNC_EARG, "at least one CPU");
	FX_REFUSED("snbep,hide=ff:10.0,allones=ff:10.0", UNC_EARG, "allones=0000:ff:10.0", "hide=");
}

TEST(files_that_do_not_exist_are_a_mistake_of_the_caller)
{
	FX_REFUSED("snbep,load=/nonexistent/load.yaml", UNC_EARG, "sim:snbep: load", "/nonexistent/load.yaml");
	FX_REFUSED("snbep,state=/nonexistent/state", UNC_EARG, "sim:snbep: state", "/nonexistent/state");
	FX_REFUSED("snbep,load=/", UNC_EARG, "sim:snbep: load: /", "directory");
	FX_REFUSED("snbep,state=/", UNC_EARG, "sim:snbep: state: /", "directory");
}

TEST(what_is_long_or_has_lines_leaves_room_for_what_is_possible)
{
	char args[3000];

	memset(args, 'x', sizeof(args));
	args[sizeof(args) - 1] = '\0';
	FX_REFUSED(args, UNC_EARG, "there is: snbep, ivt, hsx, bdx, bdxde, skx, clx, cpx");
	memcpy(args, "snbep,", 6);
	FX_REFUSED(args, UNC_EARG, "unknown key", "the keys are: sockets");
	memcpy(args, "snbep,sockets=", 14);
	FX_REFUSED(args, UNC_EARG, "sockets=xx", "1 to 8");
	memcpy(args, "snbep,sockets=2,sockets=", 24);
	FX_REFUSED(args, UNC_EARG, "once only");
	FX_REFUSED("snbep,a\nb=1", UNC_EARG, "unknown key", "the keys are: sockets");
	FX_REFUSED("skx,sockets=8,domains=8,hide=17:08.0", UNC_EARG, "its buses are 0000:00", "0007:3a, 0007:5d");
}
