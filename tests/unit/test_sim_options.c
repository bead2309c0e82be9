// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

#include "sim/options.h"

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
	static const char *const args[] = {"snbep", "snbep,clock=real,frz_en=wo,numbering=normal"};

	for (size_t i = 0; i < N(args); i++) {
		struct unc_sim_options o = parsed(args[i]);

		CU_ASSERT_STRING_EQUAL(o.model->name, "snbep");
		CU_ASSERT(o.sockets == 2 && o.cores == 8 && o.threads == 2 && o.domains == 1);
		CU_ASSERT(!o.step && !o.frz_en_rw && !o.reversed);
		CU_ASSERT_EQUAL(o.dword_ns, 500);
		CU_ASSERT(!o.load && !o.state && !o.files);
		done(&o);
	}
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

	CU_ASSERT(o.sockets == 4 && o.cores == 6 && o.dword_ns == 0);
	CU_ASSERT(!strcmp(o.load, "/l") && !strcmp(o.state, "/s") && !strcmp(o.files, "/f"));
	CU_ASSERT(o.step && o.frz_en_rw && o.reversed);
	CU_ASSERT_FATAL(o.n_hide == 2 && o.n_gone == 1);
	CU_ASSERT(o.hide[1].pci.bus == 0xff && o.hide[1].pci.fn == 5);
	CU_ASSERT(o.gone[0].addr.pci.bus == 0x7f && o.gone[0].from_ns == 0 && o.gone[0].until_ns == UINT64_MAX);
	done(&o);
}

TEST(an_unknown_model_is_refused_with_the_nearest)
{
	FX_REFUSED("hsw", "sim:hsw", "the nearest is hsx; `uncorectl --list-machines` shows them");
	FX_REFUSED("", "`uncorectl --list-machines` shows them");
	FX_REFUSED("snbepx,sockets=1", "sim:snbepx", "the nearest is snbep;");
}

TEST(an_unknown_key_is_refused_with_a_list)
{
	FX_REFUSED("snbep,sokets=2", "\"sokets\"", "sockets", "cores", "load", "clock", "state", "hide", "allones",
		   "frz_en", "dword_ns", "numbering");
	FX_REFUSED("snbep,", "unknown key \"\"");
	FX_REFUSED("snbep,=2", "unknown key \"\"");
}

TEST(a_key_without_a_value_is_refused)
{
	FX_REFUSED("snbep,sockets", "sockets needs a value", "1 to 8");
	BAD_KEYS("snbep", {"load=", "path"}, {"state=", "path"}, {"files=", "path"}, {"hide=", "DD.F"});
}

TEST(a_bad_value_is_refused_with_what_is_possible)
{
	BAD_KEYS("snbep", {"sockets=0", "1 to 8"}, {"sockets=9", "1 to 8"}, {"sockets=2x", "1 to 8"},
		 {"sockets=-1", "1 to 8"}, {"sockets=18446744073709551618", ""}, {"cores=0", "1 to 128"},
		 {"cores=129", "1 to 128"}, {"threads=3", "1 or 2"});
	FX_REFUSED("skx,domains=9", "domains=9", "1 to 8");
	BAD_KEYS("snbep", {"offline=x", "3,7"}, {"clock=fast", "real or step"});
	FX_REFUSED("snbep,frz_en=ro", "frz_en=ro", "wo", "rw");
	FX_REFUSED("hsx,ctl_writes=2", "ctl_writes=2", "once, or twice");
	FX_REFUSED("snbep,numbering=odd", "numbering=odd", "reversed");
	FX_REFUSED("snbep,clock=step,dword_ns=1000000001", "dword_ns=1000000001", "1000000000");
	BAD_KEYS("snbep", {"hide=ff:10", "DD.F"}, {"vanish=ff:10.0@200000001", "a time of the machine"},
		 {"msr=none", "present or absent"}, {"msr_writes=no", "on or off"}, {"lockdown=yes", "0 or 1"});
	BAD_KEYS("bdx", {"qm_scope=core", "thread or package"}, {"qm=errors", "ok, error, unavailable or slow"},
		 {"qm=ok:1", ":TIMES"}, {"qm=slow:0", ":READS"}, {"qm=slow:alternate", ":READS"},
		 {"qm=ok:alternate", ":alternate"}, {"qm=error:alternating", ":alternate"},
		 {"disturb=0", "NTH[:TIMES]"}, {"disturb=1:0", "NTH[:TIMES]"}, {"disturb=1:x", "NTH[:TIMES]"},
		 {"disturb=", "NTH[:TIMES]"}, {"mbm_erratum=2", "0 or 1"}, {"abmc=on", "0 or 1"},
		 {"qm=error:0", ":TIMES"}, {"qm=error:", ":TIMES"}, {"qm=unavailable:1000001", ":TIMES"});
	FX_REFUSED("snbep,allones=ff:10.9", "allones=ff:10.9", "a PCI address");
}

TEST(a_key_given_twice_is_refused)
{
	FX_REFUSED("snbep,sockets=2,cores=4,sockets=2", "sockets=2", "once only");
	FX_REFUSED("snbep,clock=step,clock=real", "clock=real", "once only");
	FX_REFUSED("snbep,load=/a,load=/b", "load=/b", "once only");
}

TEST(contradictions_are_refused)
{
	FX_REFUSED("snbep,dword_ns=3", "dword_ns=3", "clock=step");
	FX_REFUSED("snbep,clock=real,dword_ns=0", "dword_ns=0", "clock=step");
	FX_REFUSED("bdxde,domains=2", "domains=2", "more domains than sockets");
	FX_REFUSED("clx,frz_en=rw", "frz_en=rw", "no frz_en");
	FX_REFUSED("skx,sockets=2,domains=3", "domains=3", "more domains than sockets");
	FX_REFUSED("skx,frz_en=rw", "frz_en=rw", "no frz_en", "snbep, hsx, bdx and bdxde");
	FX_REFUSED("ivt,frz_en=rw", "frz_en=rw", "no frz_en");
	FX_REFUSED("snbep,qm_scope=thread", "qm_scope", "no cache monitoring", "those from hsx on");
	FX_REFUSED("ivt,qm=error", "qm", "no cache monitoring");
	FX_REFUSED("bdx,msr=absent,msr_writes=off", "msr_writes", "no MSRs");
	FX_REFUSED("bdx,msr=absent,qm_scope=package", "qm_scope", "no MSRs");
	FX_REFUSED("bdx,msr=absent,qm=error", "qm", "no MSRs");
	FX_REFUSED("snbep,allones=ff:10.0,allones=ff:10.0", "allones=0000:ff:10.0", "only once");
	FX_REFUSED("snbep,offline=32", "offline=32", "CPUs 0 to 31");
	FX_REFUSED("snbep,sockets=1,cores=1,offline=0,1", "at least one CPU");
	FX_REFUSED("snbep,hide=ff:10.0,allones=ff:10.0", "allones=0000:ff:10.0", "hide=");
}

TEST(files_that_do_not_exist_are_a_mistake_of_the_caller)
{
	FX_REFUSED("snbep,load=/nonexistent/load.yaml", "sim:snbep: load", "/nonexistent/load.yaml");
	FX_REFUSED("snbep,state=/nonexistent/state", "sim:snbep: state", "/nonexistent/state");
	FX_REFUSED("snbep,load=/", "sim:snbep: load: /", "directory");
	FX_REFUSED("snbep,state=/", "sim:snbep: state: /", "directory");
}

TEST(what_is_long_or_has_lines_leaves_room_for_what_is_possible)
{
	char args[3000];

	memset(args, 'x', sizeof(args));
	args[sizeof(args) - 1] = '\0';
	FX_REFUSED(args, "`uncorectl --list-machines` shows them");
	memcpy(args, "snbep,", 6);
	FX_REFUSED(args, "unknown key", "the keys are: sockets");
	memcpy(args, "snbep,sockets=", 14);
	FX_REFUSED(args, "sockets=xx", "1 to 8");
	memcpy(args, "snbep,sockets=2,sockets=", 24);
	FX_REFUSED(args, "once only");
	FX_REFUSED("snbep,a\nb=1", "unknown key", "the keys are: sockets");
	FX_REFUSED("skx,sockets=8,domains=8,hide=17:08.0", "its buses are 0000:00", "0007:3a, 0007:5d");
}

TEST(the_list_of_models_is_what_can_be_opened)
{
	const char *name, *title, *brand;
	size_t n = 0;

	for (; unc_sim_list(n, &name, &title, &brand); n++) {
		struct unc_sim_options o = parsed(name);

		CU_ASSERT(*title && *brand && *brand != ' ');
		done(&o);
	}
	CU_ASSERT_EQUAL(n, 30);
}
