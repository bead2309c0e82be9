// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CPU this is, which map fits it, what of its caches can be monitored, and whether there is a hypervisor. */
#include <stdio.h>
#include <string.h>

#include "doctor/doctor.h"
#include "rdt/leaves.h"

/* Intel SDM vol. 2A, CPUID leaf 1 ECX; AMD 24594 has the same: the bit is always 0 in a processor, and hypervisors set it. */
enum { HYPERVISOR_BIT = 31 };
#define HYPERVISOR_LEAF UINT32_C(0x40000000) /* Linux arch/x86/include/asm/processor.h, hypervisor_cpuid_base() */

void unc_doctor_cpu(struct unc_doctor *d)
{
	struct unc_machine *m = d->m;
	struct unc_cpu_info cpu = {0};
	int rc = unc_machine_who(m);

	if (rc < 0) {
		unc_doctor_fail(d, "cpu", rc, "which CPU this is cannot be known: %.500s", unc_errmsg(d->ctx));
		unc_doctor_seen(d, "CPUID leaf 0x0 and 0x1");
		unc_doctor_todo(d, d->kind == UNC_DOCTOR_ROOT && rc != UNC_EPERM
					   ? "put a raw CPUID dump there as cpuid.raw, or load the cpuid driver "
					     "(`modprobe cpuid`)"
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
		unc_doctor_say(d, "topology", UNC_DOCTOR_WARN,
			       "which CPUs share a socket is not told: sockets are numbered by PCI alone");
		unc_doctor_seen(d, "%s", m->no_topology);
		unc_doctor_todo(d, "make /sys/devices/system/cpu reachable");
	}
}

static void ask_caches(struct unc_doctor *d)
{
	d->llc_rc = unc_llc_info(d->m, &d->llc);
	if (d->llc_rc == UNC_ENOMEM)
		d->rc = d->llc_rc;
	if (d->llc_rc < 0)
		snprintf(d->llc_why, sizeof(d->llc_why), "%s", unc_errmsg(d->ctx));
	d->caches = d->llc_rc == 0 && !d->llc.no_monitoring;
}

static const struct unc_unit *unit_with_counters(const struct unc_map *map)
{
	for (size_t i = 0; i < map->n_units; i++)
		if (map->units[i].counter_bits)
			return &map->units[i];
	return NULL;
}

void unc_doctor_map(struct unc_doctor *d)
{
	const struct unc_unit *unit;

	if (!d->known)
		return;
	d->rc = unc_machine_fit(d->m, d->map_dir);
	if (d->rc < 0) {
		d->known = false;
		return;
	}
	ask_caches(d);
	unit = unit_with_counters(d->m->map);
	d->channels = unit && !d->m->map->no_counters;
	if (d->channels) {
		unc_doctor_say(d, "map", UNC_DOCTOR_OK, "%s: counters of its memory channels are known", unit->title);
		unc_doctor_seen(d, "%s", unit->path);
		return;
	}
	if (d->caches)
		unc_doctor_say(d, "map", UNC_DOCTOR_NOTE, "%.500s; caches can be monitored all the same",
			       d->m->map->no_counters);
	else
		unc_doctor_fail(d, "map", UNC_ENOSUP, "%.600s", d->m->map->no_counters);
	unc_doctor_seen(d, "CPUID leaf 0x1: %s family %u model 0x%x stepping %u; `uncorectl maps check` lists maps",
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
		if (d->llc_rc == UNC_ENODATA)
			unc_doctor_say(d, "caches", UNC_DOCTOR_UNKNOWN,
				       "whether caches can be monitored is not told: %.500s", d->llc_why);
		else
			unc_doctor_fail(d, "caches", d->llc_rc, "caches cannot be monitored: %.500s", d->llc_why);
		unc_doctor_seen(d, "CPUID leaves 0x7, 0xf and 0x4 of every CPU, and /sys/devices/system/cpu");
		unc_doctor_todo(d, "memory channels (mem, stat) need none of that; else see the sentence");
		return;
	}
	if (!d->caches) {
		unc_doctor_say(d, "caches", UNC_DOCTOR_OK, "this part does not monitor caches: `llc` is not for it");
		unc_doctor_seen(d, "%.600s", d->llc.no_monitoring);
		return;
	}
	for (unsigned i = 0; i < UNC_LLC_EVENTS; i++)
		if (d->llc.events >> i & 1)
			unc_doctor_list(events, sizeof(events), "%s", names[i]);
	unc_doctor_say(d, "caches", d->llc.warning ? UNC_DOCTOR_WARN : UNC_DOCTOR_OK,
		       "%zu L3%s can be monitored: %s%s%.400s", d->llc.n_l3s, d->llc.n_l3s == 1 ? "" : "s", events,
		       d->llc.warning ? "; but " : "", d->llc.warning ? d->llc.warning : "");
	unc_doctor_seen(d, "CPUID leaf 0xf: RMIDs 0 to %u, units of %u bytes", d->llc.max_rmid,
			(unsigned)d->llc.unit_bytes);
	if (d->llc.warning)
		unc_doctor_todo(d, "know it when you read the numbers of `llc`");
}

/* Names the hypervisor by EBX, ECX, EDX of its leaf, from the hypervisors' documents and Linux (arch/x86/kernel/cpu/). */
static const char *maker_of(const char *signature)
{
	static const char *const makers[][2] = {
		{"KVMKVMKVM", "KVM"},          {"Microsoft Hv", "Hyper-V"}, {"VMwareVMware", "VMware"},
		{"XenVMMXenVMM", "Xen"},       {"TCGTCGTCGTCG", "QEMU"},    {"bhyve bhyve ", "bhyve"},
		{"ACRNACRNACRN", "ACRN"},      {"SRESRESRESRE", "SRE"},     {"VBoxVBoxVBox", "VirtualBox"},
		{" lrpepyh  vr", "Parallels"},
	};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strcmp(makers[i][0], signature) == 0)
			return makers[i][1];
	return "of an unknown kind";
}

static void read_signature(struct unc_doctor *d, char signature[13])
{
	struct unc_cpuid_regs regs;

	memset(signature, 0, 13);
	if (unc_rdt_cpuid_or_0(d->m, d->m->cpu.cpu, HYPERVISOR_LEAF, 0, &regs) < 0)
		return;
	unc_put_le32(signature, regs.ebx);
	unc_put_le32(signature + 4, regs.ecx);
	unc_put_le32(signature + 8, regs.edx);
	for (unsigned i = 0; i < 12 && signature[i]; i++)
		if (signature[i] < ' ' || signature[i] > '~')
			signature[i] = '?';
}

void unc_doctor_virtual(struct unc_doctor *d)
{
	struct unc_cpuid_regs leaf1;
	char signature[13];

	if (!d->known)
		return;
	if (unc_rdt_cpuid(d->m, d->m->cpu.cpu, 1, 0, &leaf1) < 0) {
		unc_doctor_say(d, "virtual", UNC_DOCTOR_UNKNOWN, "whether this is a virtual machine cannot be told");
		unc_doctor_seen(d, "%s", unc_errmsg(d->ctx));
		unc_doctor_todo(d, "see the sentence");
		return;
	}
	if (!unc_rdt_bit(leaf1.ecx, HYPERVISOR_BIT)) {
		unc_doctor_say(d, "virtual", UNC_DOCTOR_OK, "no virtual machine");
		unc_doctor_seen(d, "CPUID leaf 0x1 ECX bit 31 is 0");
		return;
	}
	read_signature(d, signature);
	unc_doctor_say(d, "virtual", UNC_DOCTOR_WARN,
		       "a virtual machine (%s): mostly its hypervisor shows no PCI functions of the uncore and no such "
		       "MSRs, or answers them itself, often with 0; what is read is perhaps no counter",
		       maker_of(signature));
	unc_doctor_seen(d, "CPUID leaf 0x1 ECX bit 31 is 1; leaf 0x40000000 says \"%s\"", signature);
	unc_doctor_todo(d, "measure on the machine itself, outside of its guests");
}
