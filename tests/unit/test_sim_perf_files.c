// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel's driver of memory channels tells in files: Linux 6.1, arch/x86/events/intel/uncore.c and uncore_snbep.c. */
#include "test_sim_files.h"

#define DEV "/sys/bus/event_source/devices"

TEST(the_files_are_those_of_linux)
{
	fx_open("snbep,sockets=2,clock=step,perf=on,offline=8,hide=ff:10.1");
	NAMES(DEV, {"", "uncore_imc_0 uncore_imc_1 uncore_imc_2 uncore_imc_3"},
	      {"/uncore_imc_3", "cpumask events format perf_event_mux_interval_ms type"},
	      {"/uncore_imc_3/format", "edge event inv thresh umask"},
	      {"/uncore_imc_3/events",
	       "cas_count_read cas_count_read.scale cas_count_read.unit cas_count_write cas_count_write.scale "
	       "cas_count_write.unit clockticks"},
	      {"/uncore_imc_4", NULL}, {"/uncore_imc_3/type", NULL});
	FILES(DEV, {"/uncore_imc_0/type", "12\n"}, {"/uncore_imc_3/type", "15\n"}, {"/uncore_imc_4/type", NULL},
	      {"/uncore_imc_03/type", NULL}, {"/uncore_imc_0/cpumask", "0,9\n"},
	      {"/uncore_imc_0/perf_event_mux_interval_ms", "4\n"}, {"/uncore_imc_0/format/event", "config:0-7\n"},
	      {"/uncore_imc_0/format/umask", "config:8-15\n"}, {"/uncore_imc_0/format/edge", "config:18\n"},
	      {"/uncore_imc_0/format/inv", "config:23\n"}, {"/uncore_imc_0/format/thresh", "config:24-31\n"},
	      {"/uncore_imc_0/events/clockticks", "event=0xff,umask=0x00"},
	      {"/uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03"},
	      {"/uncore_imc_0/events/cas_count_write.unit", "MiB"},
	      {"/uncore_imc_0/events/cas_count_write.scale", "6.103515625e-5"});
	file_is("/sys/devices/uncore_imc_2/type", "14\n");
	file_is("/proc/sys/kernel/perf_event_paranoid", "2\n");
	LINKS(DEV, {"/uncore_imc_2", "../../../devices/uncore_imc_2"}, {"/uncore_imc_2/type", NULL});
	LINKS("/sys/bus/pci/devices", {"/0000:7f:10.1/driver", "../../../bus/pci/drivers/snbep_uncore"},
	      {"/0000:ff:10.1/driver", NULL}, {"/0000:ff:0b.0/driver", NULL});
}

/* It takes what discovery tables have, without a name, events or a fixed counter. */
TEST(a_processor_that_linux_6_1_does_not_know_has_pmus_by_type)
{
	static const char *const unknown[] = {"gnr", "gnrd", "srf", "grr", "cwf"};

	for (size_t i = 0; i < N(unknown); i++) {
		fx_open(fx_text("%s,perf=on", unknown[i]));
		NAMES(DEV, {"/uncore_type_6_1", "cpumask format perf_event_mux_interval_ms type"},
		      {"/uncore_type_6_1/format", "edge event inv thresh umask"}, {"/uncore_imc_1", NULL});
		FILES(DEV, {"/uncore_type_6_1/type", "13\n"}, {"/uncore_type_6_1/format/thresh", "config:24-31\n"},
		      {"/uncore_type_6_1/events/clockticks", NULL});
		link_is(DEV "/uncore_type_6_1", "../../../devices/uncore_type_6_1");
	}
}

/* uncore_discovery.c: what a table has and the driver knows has its name by type as an alias; it does not know HBM (type 14). */
TEST(units_of_discovery_tables_have_names_by_type)
{
	fx_open("sprhbm,perf=on");
	NAMES(DEV, {"/uncore_imc_3", "alias cpumask events format perf_event_mux_interval_ms type"},
	      {"/uncore_type_14_31", "cpumask format perf_event_mux_interval_ms type"}, {"/uncore_type_14_32", NULL});
	FILES(DEV, {"/uncore_imc_3/alias", "uncore_type_6_3\n"}, {"/uncore_type_14_31/type", "59\n"},
	      {"/uncore_type_14_31/alias", NULL}, {"/uncore_type_14_0/events/clockticks", NULL});
	link_is(DEV "/uncore_type_14_31", "../../../devices/uncore_type_14_31");
	fx_open("icx,perf=on");
	file_is(DEV "/uncore_imc_3/alias", NULL);
}

TEST(they_tell_of_each_machine)
{
	fx_open("snbep,sockets=2,cores=1,threads=1,perf=on,perf_paranoid=-1,perf_order=9-10-11-2");
	names_are(DEV, "uncore_imc_10 uncore_imc_11 uncore_imc_2 uncore_imc_9");
	FILES(DEV, {"/uncore_imc_10/type", "22\n"}, {"/uncore_imc_2/cpumask", "0-1\n"});
	file_is("/proc/sys/kernel/perf_event_paranoid", "-1\n");
	fx_open("skx,perf=on");
	file_is(DEV "/uncore_imc_5/events/clockticks", "event=0x00,umask=0x00");
	fx_open("hsx,perf=on");
	names_are(DEV, "uncore_imc_0 uncore_imc_1 uncore_imc_4 uncore_imc_5");
	file_is(DEV "/uncore_imc_5/events/clockticks", "event=0x00,umask=0x00");
	fx_open("ivt,perf=on");
	file_is(DEV "/uncore_imc_5/events/clockticks", "event=0xff,umask=0x00");
	fx_open("spr,perf=on");
	file_is(DEV "/uncore_imc_0/type", "12\n");
	names_are(DEV "/uncore_type_6_0", NULL);
	fx_open("snbep");
	names_are(DEV, NULL);
	file_is(DEV "/uncore_imc_0/type", NULL);
	file_is("/proc/sys/kernel/perf_event_paranoid", NULL);
}

TEST(files_that_were_given_are_there_too)
{
	tree_text(fx_folder(), DEV "/cpu/type", "4\n");
	tree_dir(fx_folder(), DEV "/uncore_imc_0");
	fx_open(fx_text("snbep,sockets=1,clock=step,perf=on,files=%s", fx_folder()->root));
	NAMES(DEV, {"", "cpu uncore_imc_0 uncore_imc_1 uncore_imc_2 uncore_imc_3"}, {"/cpu", "type"});
	FILES(DEV, {"/cpu/type", "4\n"}, {"/uncore_imc_1/type", "13\n"});
}
