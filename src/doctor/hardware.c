// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CPU this is, which map fits it, what of its caches can be monitored, and whether there is a hypervisor. */

#include "doctor/doctor.h"
#include "machine/areas.h"
#include "machine/discovery.h"
#include "rdt/leaves.h"

/* Intel SDM vol. 2A, CPUID leaf 1 ECX; AMD 24594 has the same: the bit is always 0 in a processor, and hypervisors set it. */
enum { HYPERVISOR_BIT = 31 };
#define HYPERVISOR_LEAF UINT32_C(0x40000000) /* Linux arch/x86/include/asm/processor.h, hypervisor_cpuid_base() */

#define IBS_OP "/sys/bus/event_source/devices/ibs_op"

void unc_doctor_cpu(struct unc_doctor *d)
{
	struct unc_machine *m = d->m;
	struct unc_cpu_info cpu = {0};
	int rc = unc_machine_who(m);

	if (rc < 0)
		rc = unc_machine_by_catalogue(m, rc);
	if (rc == 0 && m->map) {
		const char *missing = m->map->no_counters;

		d->channels = !missing;
		unc_doctor_say(d, "cpu", missing ? (int)UNC_ENOSUP : UNC_DOCTOR_OK, "%s: %s", m->map->units[0].title,
			       missing ? missing : "its counters are known from its catalogue");
		unc_doctor_seen(d, "%s", m->map->units[0].sources[0].title);
		return;
	}
	if (rc < 0) {
		unc_doctor_say(d, "cpu", rc, "which CPU this is cannot be known: %.500s", unc_errmsg(d->ctx));
		unc_doctor_seen(d, "CPUID leaf 0x0 and 0x1");
		unc_doctor_todo(
			d,
			d->kind == UNC_DOCTOR_ROOT && rc != UNC_EPERM
				? "put a raw CPUID dump there as cpuid.raw, or load the cpuid driver (`modprobe cpuid`)"
				: "see the sentence");
		return;
	}
	d->known = true;
	if (unc_machine_cpu(m, &cpu) < 0 || !cpu.brand[0])
		snprintf(cpu.brand, sizeof(cpu.brand), "%s", m->cpu.vendor);
	unc_doctor_say(d, "cpu", UNC_DOCTOR_OK, "%s", cpu.brand);
	unc_doctor_seen(d, "CPUID leaf 0x1 of cpu%u: %s family %u model 0x%x stepping %u", m->cpu.cpu, m->cpu.vendor,
			m->cpu.family, m->cpu.model, m->cpu.stepping);
	if (m->no_topology[0]) {
		unc_doctor_add(d, "topology", UNC_DOCTOR_WARN,
			       "which CPUs share a socket is not told: sockets are numbered by PCI alone",
			       "make /sys/devices/system/cpu reachable", "%s", m->no_topology);
	}
}

void unc_doctor_map(struct unc_doctor *d)
{
	const struct unc_unit *unit = NULL;

	if (!d->known)
		return;
	d->rc = unc_machine_fit(d->m, d->map_dir);
	if (d->rc < 0) {
		d->known = false;
		return;
	}
	d->llc_rc = unc_doctor_rc(d, unc_llc_info(d->m, &d->llc));
	if (d->llc_rc < 0)
		snprintf(d->llc_why, sizeof(d->llc_why), "%s", unc_errmsg(d->ctx));
	d->caches = d->llc_rc == 0 && !d->llc.no_monitoring;
	for (size_t i = 0; i < d->m->map->n_units && !unit; i++)
		if (d->m->map->units[i].counter_bits)
			unit = &d->m->map->units[i];
	d->channels = unit && !d->m->map->no_counters;
	if (d->channels) {
		unc_doctor_say(d, "map", UNC_DOCTOR_OK, "%s: counters of its memory channels are known", unit->title);
		unc_doctor_seen(d, "%s", unit->path);
		return;
	}
	unc_doctor_say(d, "map", d->caches ? UNC_DOCTOR_NOTE : (int)UNC_ENOSUP, d->caches ? "%.500s%s" : "%.600s%s",
		       d->m->map->no_counters, d->caches ? "; caches can be monitored all the same" : "");
	unc_doctor_seen(d, "CPUID leaf 0x1: %s family %u model 0x%x stepping %u; `uncorectl maps list` shows the maps",
			d->m->cpu.vendor, d->m->cpu.family, d->m->cpu.model, d->m->cpu.stepping);
	unc_doctor_todo(d, "`--regs DIR` takes a map of it, see uncorectl-regs(5)");
}

/* A part without cache monitoring is not at fault: it is another kind of part. */
void unc_doctor_caches(struct unc_doctor *d)
{
	static const char *const names[UNC_LLC_EVENTS] = {"occupancy", "total", "local bandwidth"};
	char events[80] = "";

	if (!d->known)
		return;
	if (d->llc_rc < 0) {
		bool untold = d->llc_rc == UNC_ENODATA;

		unc_doctor_say(d, "caches", untold ? (int)UNC_DOCTOR_UNKNOWN : d->llc_rc, "%s: %.500s",
			       untold ? "whether caches can be monitored is not told" : "caches cannot be monitored",
			       d->llc_why);
		unc_doctor_seen(d, "CPUID leaves 0x7, 0xf and 0x4 of every CPU, and /sys/devices/system/cpu");
		unc_doctor_todo(d, "memory channels (mem, stat) need none of that; else see the sentence");
		return;
	}
	if (!d->caches) {
		unc_doctor_add(d, "caches", UNC_DOCTOR_OK, "this part does not monitor caches: `llc` is not for it",
			       NULL, "%.600s", d->llc.no_monitoring);
		return;
	}
	for (unsigned i = 0; i < UNC_LLC_EVENTS; i++)
		if (d->llc.events >> i & 1)
			unc_text_join(events, sizeof(events), ", ", "%s", names[i]);
	unc_doctor_say(d, "caches", d->llc.warning ? UNC_DOCTOR_WARN : UNC_DOCTOR_OK,
		       "%zu L3%s can be monitored: %s%s%.400s", d->llc.n_l3s, d->llc.n_l3s == 1 ? "" : "s", events,
		       d->llc.warning ? "; but " : "", d->llc.warning ? d->llc.warning : "");
	unc_doctor_seen(d, "CPUID leaf 0xf: RMIDs 0 to %u, units of %u bytes", d->llc.max_rmid,
			(unsigned)d->llc.unit_bytes);
	if (d->llc.warning)
		unc_doctor_todo(d, "know it when you read the numbers of `llc`");
}

/* Names the hypervisor by EBX, ECX, EDX of its leaf, from the hypervisors' documents and Linux (arch/x86/kernel/cpu/). */
static const char *name_hypervisor(struct unc_doctor *d, char signature[13])
{
	static const char *const makers[][2] = {
		{"KVMKVMKVM", "KVM"},          {"Microsoft Hv", "Hyper-V"}, {"VMwareVMware", "VMware"},
		{"XenVMMXenVMM", "Xen"},       {"TCGTCGTCGTCG", "QEMU"},    {"bhyve bhyve ", "bhyve"},
		{"ACRNACRNACRN", "ACRN"},      {"SRESRESRESRE", "SRE"},     {"VBoxVBoxVBox", "VirtualBox"},
		{" lrpepyh  vr", "Parallels"},
	};
	struct unc_cpuid_regs regs;

	memset(signature, 0, 13);
	if (unc_rdt_cpuid_or_0(d->m, d->m->cpu.cpu, HYPERVISOR_LEAF, 0, &regs) == 0) {
		unc_put_le32(signature, regs.ebx);
		unc_put_le32(signature + 4, regs.ecx);
		unc_put_le32(signature + 8, regs.edx);
	}
	for (unsigned i = 0; i < 12 && signature[i]; i++)
		if (signature[i] < ' ' || signature[i] > '~')
			signature[i] = '?';
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strcmp(makers[i][0], signature) == 0)
			return makers[i][1];
	return "of an unknown kind";
}

void unc_doctor_virtual(struct unc_doctor *d)
{
	struct unc_cpuid_regs leaf1;
	char signature[13];

	if (!d->known)
		return;
	if (unc_rdt_cpuid(d->m, d->m->cpu.cpu, 1, 0, &leaf1) < 0) {
		unc_doctor_add(d, "virtual", UNC_DOCTOR_UNKNOWN, "whether this is a virtual machine cannot be told",
			       "see the sentence", "%s", unc_errmsg(d->ctx));
		return;
	}
	if (!unc_rdt_bit(leaf1.ecx, HYPERVISOR_BIT)) {
		unc_doctor_add(d, "virtual", UNC_DOCTOR_OK, "no virtual machine", NULL,
			       "CPUID leaf 0x1 ECX bit 31 is 0");
		return;
	}
	unc_doctor_say(d, "virtual", UNC_DOCTOR_WARN,
		       "a virtual machine (%s): mostly its hypervisor shows no PCI functions of the uncore and no such "
		       "MSRs, or answers them itself, often with 0; what is read is perhaps no counter",
		       name_hypervisor(d, signature));
	unc_doctor_seen(d, "CPUID leaf 0x1 ECX bit 31 is 1; leaf 0x40000000 says \"%s\"", signature);
	unc_doctor_todo(d, "measure on the machine itself, outside of its guests");
}

bool unc_doctor_is_amd(const struct unc_doctor *d)
{
	return d->known && unc_text_listed("AuthenticAMD, HygonGenuine", d->m->cpu.vendor, strlen(d->m->cpu.vendor));
}

/*
 * AMD64 APM vol. 2, 13.3; Linux arch/x86/events/amd/ibs.c: from the start on a sample raises an NMI on every CPU, and one that perf
 * did not ask for is unknown to the kernel, which may panic then.
 */
void unc_doctor_ibs(struct unc_doctor *d)
{
	enum { IBS_BIT = 10 };
	const char *const *names = NULL;
	struct unc_cpuid_regs regs;
	size_t n = 0;
	int rc;

	if (!unc_doctor_is_amd(d) || unc_rdt_cpuid_or_0(d->m, d->m->cpu.cpu, 0x80000001, 0, &regs) < 0)
		return;
	if (!unc_rdt_bit(regs.ecx, IBS_BIT)) {
		unc_doctor_add(d, "ibs", UNC_DOCTOR_OK,
			       "IBS (sampling) is not offered by firmware, or a hypervisor hides it", NULL,
			       "CPUID leaf 0x80000001 ECX bit 10 is 0");
		return;
	}
	rc = unc_doctor_rc(d, unc_host_names(d->m->host, IBS_OP, &names, &n));
	free((void *)names);
	unc_doctor_say(
		d, "ibs", UNC_DOCTOR_OK,
		"IBS is not sampled: each sample would raise an NMI, and one that perf did not ask for is unknown to "
		"the kernel");
	unc_doctor_seen(d, "CPUID leaf 0x80000001 ECX bit 10 is 1; " IBS_OP ": %s", rc < 0 ? "not there" : "there");
	unc_doctor_todo(d, "%s; `%s reg dump cpu%u.ibs` shows its registers",
			rc < 0 ? "a kernel with perf's ibs_op samples" : "`perf record -e ibs_op//` samples",
			d->command, d->m->cpu.cpu);
}

/* Which PCI functions are present, which are hidden, and how much of their configuration space can be read. */

enum { SHOWN = 8 }; /* lines of one kind, so that the report stays one page */

/* Reads the controls of each channel once, and counts those of its general counters that are free. */
static void read_boxes(struct unc_doctor *d)
{
	size_t n = unc_box_count(d->m, "imc");

	d->boxes = calloc(n + 1, sizeof(*d->boxes));
	if (!d->boxes) {
		d->rc = unc_fail(d->ctx, UNC_ENOMEM, "out of memory");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct unc_box *box = unc_box_at(d->m, "imc", i);
		struct unc_doctor_box *seen = &d->boxes[d->n_boxes];

		if (box->presence != UNC_PRESENT || unc_pmon1_init(box, &seen->pbox) < 0)
			continue;
		d->n_boxes++;
		seen->rc = unc_pmon1_inspect(&seen->pbox);
		if (seen->rc < 0)
			snprintf(seen->why, sizeof(seen->why), "%s", unc_errmsg(d->ctx));
		for (unsigned k = 0; k < seen->pbox.n_slots && seen->rc == 0; k++) {
			const struct unc_slot *slot = &seen->pbox.slots[k];

			seen->n_enabled += slot->enabled;
			seen->n_free += !slot->fixed && !slot->enabled;
		}
	}
}

static bool is_in_memory(const struct unc_box *box)
{
	return box && (box->unit->kind == UNC_MMIO || box->unit->kind == UNC_AREA);
}

static bool in_memory(const struct unc_doctor *d)
{
	return is_in_memory(unc_box_at(d->m, "imc", 0));
}

/* Of several reasons, reports the one that more can be done about. */
static void say_none(struct unc_doctor *d, size_t all)
{
	int rc = UNC_ENODEV;

	for (size_t i = 0; i < all && rc != UNC_EPERM; i++) {
		const struct unc_box *box = unc_box_at(d->m, "imc", i);

		if (box->presence == UNC_DENIED)
			rc = UNC_EPERM;
		else if (box->presence == UNC_MISSING && box->rc == UNC_EIO)
			rc = UNC_EIO;
	}
	unc_doctor_say(d, "functions", rc, "none of the %zu memory channels that this part can have %s, on %u socket%s",
		       all,
		       rc == UNC_EPERM ? "is permitted"
		       : rc == UNC_EIO ? "can be read"
				       : "is there",
		       d->m->n_sockets, d->m->n_sockets == 1 ? "" : "s");
	if (rc != UNC_ENODEV) {
		unc_doctor_seen(d, "the lines below have each one's reason");
		unc_doctor_todo(d, "see those lines");
	} else if (in_memory(d)) {
		unc_doctor_seen(d, "%.600s", unc_box_at(d->m, "imc", 0)->why);
		unc_doctor_todo(d, "see that sentence; a virtual machine shows none");
	} else {
		unc_doctor_seen(d, "%s: none of the functions that the map names has its ids", unc_doctor_pci(d));
		unc_doctor_todo(d, "a virtual machine shows none; else the firmware hides them: look for a setting of "
				   "its, or a newer one");
	}
}

void unc_doctor_find(struct unc_doctor *d)
{
	char modules[60] = "";
	size_t n = 0, all;
	int rc;

	if (!d->known && !d->channels)
		return;
	rc = unc_doctor_rc(d, unc_machine_find_boxes(d->m));
	if (rc == 0 && d->channels && d->m->map->no_counters) /* as is known only now */
		rc = UNC_ENODEV;
	if (rc < 0 && !d->channels)
		return;
	if (rc < 0) {
		unc_doctor_add(d, "functions", rc,
			       rc == UNC_EPERM ? "memory channels cannot be reached: the operating system refuses"
			       : !d->known
				       ? "memory channels cannot be reached: there are no areas of their counters"
				       : "memory channels cannot be reached: PCI functions cannot be listed or read",
			       rc == UNC_EPERM ? "see that sentence, and the rights above"
			       : !d->known     ? "see that sentence"
					       : "see that sentence; PCI is at /sys/bus/pci",
			       "%s", unc_errmsg(d->ctx));
		return;
	}
	if (!d->channels)
		return;
	read_boxes(d);
	all = unc_box_count(d->m, "imc");
	for (size_t i = 0; i < all; i++) {
		const struct unc_box *box = unc_box_at(d->m, "imc", i);

		n += box->presence == UNC_PRESENT;
		d->n_pmem += box->presence == UNC_PRESENT && box->pmem;
	}
	if (d->n_pmem)
		snprintf(modules, sizeof(modules), "; Optane modules in %zu of them", d->n_pmem);
	if (n) {
		unc_doctor_say(d, "functions", UNC_DOCTOR_OK,
			       "%zu of %zu possible memory channels are there, on %u socket%s%s", n, all,
			       d->m->n_sockets, d->m->n_sockets == 1 ? "" : "s", modules);
		unc_doctor_seen(d, "%.600s", d->m->socket_rule);
		return;
	}
	say_none(d, all);
}

/* All gaps of that kind are reported in one line: some parts of a family have fewer channels than its map. */
static size_t say_absent(struct unc_doctor *d)
{
	char names[300] = "", functions[400] = "";
	const char *why = NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->m->n_boxes; i++) {
		const struct unc_box *box = &d->m->boxes[i];
		const struct unc_instance *instance = box->instance;
		const char *dot = strchr(box->name, '.');
		bool said = false; /* the same gap on every socket is reported once */

		for (size_t k = 0; k < d->m->n_boxes; k++) {
			const struct unc_box *same = &d->m->boxes[k];

			said |= same->instance == instance &&
				(same->presence == UNC_PRESENT || (k < i && same->presence == UNC_ABSENT));
		}
		if (box->presence != UNC_ABSENT || said)
			continue;
		n++;
		unc_text_join(names, sizeof(names), ", ", "%s", dot ? dot + 1 : box->name);
		if (box->unit->kind != UNC_PCI)
			why = box->why;
		unc_text_join(functions, sizeof(functions), ", ", "%04x:%04x at %02x.%x", instance->vendor,
			      instance->device, instance->dev, instance->fn);
	}
	if (!n)
		return 0;
	unc_doctor_say(d, "absent", UNC_DOCTOR_NOTE,
		       "%s: on no socket: this part does not have %s, or the firmware hides %s everywhere", names,
		       n == 1 ? "it" : "them", n == 1 ? "it" : "them");
	if (why)
		unc_doctor_seen(d, "%.600s", why);
	else
		unc_doctor_seen(d, "%s, %u socket%s: no %s", unc_doctor_pci(d), d->m->n_sockets,
				d->m->n_sockets == 1 ? "" : "s", functions);
	unc_doctor_todo(d, "nothing; where DIMMs are in such a channel, look for a setting of the firmware");
	return n;
}

/* A register that cannot be read back is left as after a reset, since what it held is not known. */
static void say_unread(struct unc_doctor *d)
{
	const struct unc_unit *unit = unc_map_unit(d->m->map, "imc");
	const struct unc_reg *reg = unit ? unc_unit_reg(unit, "BOX_CTL") : NULL;

	if (!reg || !unc_reg_mask(reg, UNC_WO))
		return;
	unc_doctor_add(d, "write-only", UNC_DOCTOR_OK,
		       "BOX_CTL cannot be read back on this part: after a run it is left idle, which no other program "
		       "minds",
		       NULL, "%s: BOX_CTL", unit->path);
}

static void say_missing(struct unc_doctor *d, struct unc_box *box)
{
	bool ones = strstr(box->why, "all ones") != NULL, listed = ones || box->rc == UNC_EIO;

	unc_doctor_say(d,
		       ones     ? "all ones"
		       : listed ? "silent"
				: "hidden",
		       UNC_DOCTOR_WARN, "%s: %s", box->name,
		       ones     ? "its function is listed, but answers nothing: sums without it are partial"
		       : listed ? "its function is listed, but its ids cannot be read: sums without it are partial"
				: "the firmware hides its function, or it failed, since other sockets have it: sums "
				  "without it are partial");
	unc_doctor_seen(d, "%.600s", box->why);
	unc_doctor_todo(d,
			ones     ? "nothing while the link or the channel is off; else restart the machine"
			: listed ? "see that sentence; `dmesg` may say more"
				 : "look for a setting of the firmware, or for what it says of that channel's memory");
}

/* For boxes whose registers are in memory the sentence says everything; boxes whose sentences differ only by name share a line. */
static void say_windows(struct unc_doctor *d)
{
	const char *said = "";
	size_t n = 0;

	for (size_t i = 0; i < d->m->n_boxes; i++) {
		const struct unc_box *box = &d->m->boxes[i];
		const char *why =
			box->why + (strncmp(box->why, box->name, strlen(box->name)) == 0 ? strlen(box->name) : 0);

		if (!is_in_memory(box) || box->presence == UNC_PRESENT || box->presence == UNC_ABSENT ||
		    strcmp(why, said) == 0 || n++ >= SHOWN)
			continue;
		said = why;
		unc_doctor_say(d, "memory", box->presence == UNC_DENIED ? (int)UNC_EPERM : UNC_DOCTOR_WARN,
			       box->presence == UNC_DENIED
				       ? "%s: its registers in memory may not be reached"
				       : "%s: its registers are not found in memory: sums without it are partial",
			       box->name);
		unc_doctor_seen(d, "%.600s", box->why);
		unc_doctor_todo(d, "see that sentence; `%s list -v` shows every channel", d->command);
	}
}

static void say_tables(struct unc_doctor *d)
{
	const struct unc_tables *tables = d->m->tables;

	for (size_t i = 0; tables && i < tables->n; i++) {
		if (!tables->tables[i].why[0])
			continue;
		unc_doctor_say(d, "table", UNC_DOCTOR_WARN,
			       "a discovery table of the firmware is malformed and not used: its counters are found "
			       "only if other registers have their addresses");
		unc_doctor_seen(d, "%.600s", tables->tables[i].why);
		unc_doctor_todo(d, "update the firmware, or report this to its vendor; `%s list -v` shows every table",
				d->command);
	}
}

void unc_doctor_hidden(struct unc_doctor *d)
{
	size_t n_absent, n_missing = 0, n_denied = 0;

	if (!d->channels)
		return;
	say_tables(d);
	say_windows(d);
	n_absent = say_absent(d);
	say_unread(d);
	for (size_t i = 0; i < d->m->n_boxes; i++) {
		struct unc_box *box = &d->m->boxes[i];

		if (box->unit->kind != UNC_PCI)
			continue;
		if (box->presence == UNC_MISSING && n_missing++ < SHOWN)
			say_missing(d, box);
		if (box->presence == UNC_DENIED && n_denied++ < SHOWN) {
			unc_doctor_say(d, "refused", UNC_EPERM, "%s: the operating system refuses it", box->name);
			unc_doctor_seen(d, "%.600s", box->why);
			unc_doctor_todo(d, "see that sentence, and the rights above");
		}
	}
	if (n_missing > SHOWN || n_denied > SHOWN) {
		unc_doctor_say(d, "more", UNC_DOCTOR_NOTE, "more of that kind is not shown here");
		unc_doctor_seen(d, "%zu missing, %zu refused", n_missing, n_denied);
		unc_doctor_todo(d, "`%s list -v` shows every one", d->command);
	}
	if (d->m->n_boxes && !n_absent && !n_missing && !n_denied && !in_memory(d))
		unc_doctor_add(d, "hidden", UNC_DOCTOR_OK, "no function is hidden, and none answers all ones", NULL,
			       "%s: every function that the map names has its ids", unc_doctor_pci(d));
}

/* Chips of POWER, in whose areas the microcode counts. */
void unc_doctor_nest(struct unc_doctor *d)
{
	for (size_t i = 0; d->channels && i < unc_box_count(d->m, "imc"); i++) {
		struct unc_box *box = unc_box_at(d->m, "imc", i);
		char text[UNC_AREA_TEXT] = "";
		unsigned speed;
		int rc;

		if (box->unit->kind != UNC_AREA || box->presence != UNC_PRESENT || unc_box_reach(box) < 0 ||
		    unc_area_text(box->space, text) < 0)
			continue;
		rc = unc_doctor_rc(d, unc_area_check(box->space, &speed));
		if (rc < 0)
			unc_doctor_say(d, "nest", rc, "%.600s", unc_errmsg(d->ctx));
		else
			unc_doctor_say(d, "nest", UNC_DOCTOR_OK, "chip %u: its counters run", box->socket);
		unc_doctor_seen(d, "%s", text);
		if (rc < 0)
			unc_doctor_todo(d, "see that sentence");
	}
}

enum { CMDLINE_MAX = 4096 };

/* The kernel lets only root read more than the first 64 bytes; that shows only when more is read. */
void unc_doctor_config(struct unc_doctor *d)
{
	const struct unc_doctor_box *failed[3] = {NULL}; /* by kind: truncated or refused, gone, any other */
	size_t n_good = 0, n_failed[3] = {0};
	struct unc_host *host = d->m->host;
	char *arguments;

	for (size_t i = 0; i < d->n_boxes; i++) {
		const struct unc_doctor_box *seen = &d->boxes[i];
		unsigned kind = seen->rc == UNC_EPERM ? 0 : seen->rc == UNC_ENODEV ? 1 : 2;

		n_good += seen->rc == 0;
		if (seen->rc < 0 && !n_failed[kind]++)
			failed[kind] = seen;
	}
	if (failed[0]) {
		unc_doctor_say(d, "config space", UNC_EPERM,
			       "of %zu functions only the first 64 bytes can be read, where no counter is",
			       n_failed[0]);
		unc_doctor_seen(d, "%.600s", failed[0]->why);
		unc_doctor_todo(d, "run it as root with CAP_SYS_ADMIN, outside of containers");
	}
	for (unsigned kind = 1; kind < 3; kind++) {
		if (!failed[kind])
			continue;
		unc_doctor_say(d, kind == 1 ? "all ones" : "silent", UNC_DOCTOR_WARN, "%s%s: %s",
			       failed[kind]->pbox.box->name, n_failed[kind] > 1 ? " and others" : "",
			       kind == 1 ? "it went away while it was looked at" : "its counters cannot be read");
		unc_doctor_seen(d, "%.600s", failed[kind]->why);
		unc_doctor_todo(d, "%s; `dmesg` may say more", kind == 1 ? "look once more" : "see that sentence");
	}
	if (!n_good && (failed[1] || failed[2]))
		unc_doctor_add(d, "config space", failed[2] ? UNC_EIO : UNC_ENODEV, "no channel's counters can be read",
			       "see the lines above", "%zu functions, and none answers", d->n_boxes);
	if (!n_good || failed[0])
		return;
	unc_doctor_say(d, in_memory(d) ? "memory" : "config space", UNC_DOCTOR_OK,
		       "counters of %zu channels can be read", n_good);
	unc_doctor_seen(d, in_memory(d) ? "in memory: controls of each were read"
					: "controls of each were read, beyond the first 64 bytes");
	/* Where the kernel lets programs map it, configuration space needs no system calls. */
	if (in_memory(d) || d->kind != UNC_DOCTOR_LIVE || strcmp(d->m->name, "live") != 0 ||
	    unc_host_file(host, "/proc/cmdline", CMDLINE_MAX, &arguments, NULL) < 0)
		return;
	if (strstr(arguments, "iomem=relaxed"))
		unc_doctor_todo(d, "samples without system calls: --machine live,ecam (this kernel was started with "
				   "iomem=relaxed)");
	free(arguments);
}
