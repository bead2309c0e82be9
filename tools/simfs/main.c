// SPDX-License-Identifier: GPL-2.0-or-later
/* uncore-simfs: a simulated machine as the files of a real one.  See uncore-simfs(1). */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "mount.h"

static const char usage[] = "usage: uncore-simfs [--log FILE] MACHINE MOUNTPOINT\n";

static const char help[] =
	"\n"
	"Mounts a simulated machine on MOUNTPOINT as the files of a real one, until it is told to end by SIGTERM,\n"
	"SIGINT or SIGHUP.  It is ready when MOUNTPOINT/truth.json is there.\n"
	"\n"
	"  --log FILE    write each access to a register there\n"
	"  --help        this\n"
	"  --version     its version\n"
	"\n"
	"MACHINE is sim:MODEL[,KEY=VALUE]..., see uncorectl-sim(5), for example sim:hsx,sockets=2.\n"
	"\n"
	"  dev/cpu/N/{msr,cpuid}  sys/bus/pci  sys/devices/system/{cpu,node}  sys/firmware/acpi/tables/MCFG\n"
	"  sys/firmware/dmi/tables/{DMI,smbios_entry_point}  sys/fs/resctrl\n"
	"  proc/bus/pci  proc/cpuinfo     as Linux shows them\n"
	"  truth.json  violations.json    what the hardware really did, and what was done to it against the rules\n"
	"  clock                          with clock=step: nanoseconds written to it pass\n"
	"  traffic                        starts and stops traffic between CPUs and memory\n";

const char program_name[] = "uncore-simfs";

struct wishes {
	const char *log, *machine, *mountpoint;
};

static int usage_error(void)
{
	fputs(usage, stderr);
	return USAGE;
}

static int print(const char *text, const char *more)
{
	return fputs(text, stdout) < 0 || fputs(more, stdout) < 0 || fflush(stdout) != 0 ? FAILED : DONE;
}

/* DONE with machine NULL: there is nothing left to do. */
static int parse(int argc, char **argv, struct wishes *ret_wishes)
{
	static const struct option options[] = {
		{"log", required_argument, NULL, 'l'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		if (option == 'h')
			return print(usage, help);
		if (option == 'V')
			return print("uncore-simfs ", UNC_VERSION "\n");
		if (option != 'l') {
			say(option == ':' ? "%s needs a value" : "there is no option %s", argv[optind - 1]);
			return USAGE;
		}
		ret_wishes->log = optarg;
	}
	if (argc - optind != 2)
		return usage_error();
	ret_wishes->machine = argv[optind];
	ret_wishes->mountpoint = argv[optind + 1];
	return DONE;
}

/* What many files need: it is the same for as long as the machine lives. */
static void machine_look(struct fs *fs)
{
	size_t n = unc_sim_info(fs->sim.host).n_cpus;

	for (size_t i = n; i-- > 0;) {
		struct unc_sim_cpu cpu = cpu_of(fs, i);

		if (cpu.online)
			fs->first_cpu = cpu.number;
		if (cpu.package >= fs->packages)
			fs->packages = cpu.package + 1;
		if (cpu.node >= fs->nodes)
			fs->nodes = cpu.node + 1;
	}
	shifts_get(fs);
}

static int tree_make(struct fs *fs)
{
	tree_init(&fs->tree);
	machine_look(fs);
	if (!unc_sim_info(fs->sim.host).n_chips)
		devcpu_add(fs);
	pci_add(fs);
	cpuinfo_add(fs);
	cpus_add(fs);
	numa_add(fs);
	acpi_add(fs);
	dmi_add(fs);
	truth_add(fs);
	clock_add(fs);
	traffic_add(fs);
	kernel_add(fs);
	resctrl_add(fs);
	power_add(fs);
	if (!fs->tree.failed)
		return DONE;
	say("out of memory");
	return FAILED;
}

int main(int argc, char **argv)
{
	struct fs fs = {.owner = geteuid(), .group = getegid()};
	struct wishes wishes = {0};
	int status, fd = -1;

	status = parse(argc, argv, &wishes);
	if (status != DONE || !wishes.machine)
		return status;
	status = served_open(&fs.sim, wishes.machine);
	if (status == DONE)
		status = mount_check(wishes.mountpoint, &fd);
	if (status == DONE)
		status = tree_make(&fs);
	if (status == DONE)
		status = log_open(&fs.sim, wishes.log);
	if (status == DONE) {
		unc_sim_on_kill(fs.sim.host, client_kill, &fs);
		status = mount_serve(&fs, wishes.mountpoint);
	}
	status = log_close(&fs.sim, status);
	if (fd >= 0)
		close(fd);
	ops_clear(&fs);
	tree_clear(&fs.tree);
	served_close(&fs.sim);
	return status;
}
