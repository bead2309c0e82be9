// SPDX-License-Identifier: GPL-2.0-or-later
/* This computer, made of the parts beside. */
#include "os/efi/host.h"

static void host_close(struct unc_host *host)
{
	free(((struct unc_efi_host *)host)->cpus);
	free(host);
}

static void tell_doubt(struct unc_efi_host *host)
{
	const char *doubt = unc_efi_clock_doubt();

	if (doubt && doubt != host->told)
		unc_note(host->host.ctx, "%s", doubt);
	host->told = doubt;
}

static uint64_t host_now_ns(struct unc_host *host, enum unc_clock clock)
{
	uint64_t now_ns = unc_os_now_ns(clock);

	tell_doubt((struct unc_efi_host *)host);
	return now_ns;
}

static int host_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	return unc_os_sleep_until(mono_ns, host->wake_fd);
}

static int host_look(struct unc_host *host, enum unc_look what, const char *path, size_t max,
		     struct unc_os_found *ret_found)
{
	if (strcmp(path, "/proc/iomem") == 0)
		return unc_efi_memory_map(host->ctx, ret_found);
	return unc_os_look(host->ctx, what, path, max, ret_found);
}

/* A boot is known by the variable that its first run made, since that lives as long as registers keep what they hold. */
static int host_identity(struct unc_host *host, struct unc_host_identity *ret_identity)
{
	static const CHAR16 name[] = u"UncorectlBoot";
	uint64_t boot[2];
	size_t size = sizeof(boot);
	EFI_STATUS status = efi->system->runtime->GetVariable(name, &UNC_EFI_VENDOR, NULL, &size, boot);

	if (status != EFI_SUCCESS || size != sizeof(boot)) {
		boot[0] = unc_os_now_ns(UNC_CLOCK_REAL);
		boot[1] = __builtin_ia32_rdtsc();
		status = efi->system->runtime->SetVariable(name, &UNC_EFI_VENDOR, EFI_VARIABLE_UNTIL_RESET,
							   sizeof(boot), boot);
	}
	if (status != EFI_SUCCESS)
		return unc_fail(host->ctx, UNC_EIO,
				"firmware keeps no variable until the next reset (error %u), so no journal could tell "
				"what boot "
				"it is of",
				(unsigned)status);
	snprintf(ret_identity->machine, sizeof(ret_identity->machine), "live");
	snprintf(ret_identity->boot, sizeof(ret_identity->boot), "firmware %016llx%016llx", (unsigned long long)boot[0],
		 (unsigned long long)boot[1]);
	return UNC_OK;
}

int unc_efi_bus_new(struct unc_efi_host *host, const struct unc_bus_ops *ops, enum unc_kind kind, bool writable,
		    size_t size, struct unc_bus **ret_bus)
{
	struct unc_efi_bus *bus = calloc(1, size);

	if (!bus)
		return unc_fail(host->host.ctx, UNC_ENOMEM, "%s: out of memory", ops->name);
	bus->bus = (struct unc_bus){.ops = ops, .ctx = host->host.ctx, .writable = writable, .kind = kind};
	bus->host = host;
	*ret_bus = &bus->bus;
	return UNC_OK;
}

static int host_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	switch (kind) {
	case UNC_PCI:
		return unc_efi_pci_open((struct unc_efi_host *)host, writable, ret_bus);
	case UNC_MSR:
		return unc_efi_msr_open((struct unc_efi_host *)host, writable, ret_bus);
	case UNC_MMIO:
		return unc_efi_mmio_open((struct unc_efi_host *)host, writable, ret_bus);
	default:
		return unc_fail(host->ctx, UNC_ENOSUP, "there is no such way to registers under firmware");
	}
}

static void host_firmware(struct unc_host *host, struct unc_host_fact ret_facts[UNC_HOST_FACTS])
{
	enum {
		REVISION = 8,
		MCFG_RECORDS = 44,
		MCFG_RECORD = 16,
		LEN = sizeof(ret_facts[0].finding)
	}; /* UEFI 4.2: major and minor in 16 bits each */
	const struct efi_system *system = efi->system;
	const uint8_t *mcfg = unc_efi_acpi("MCFG");
	uint32_t revision = unc_le32(system->header + REVISION);
	const struct unc_host_fact facts[UNC_HOST_FACTS] = {{"firmware", "the system table of UEFI", ""},
							    {"secure boot", "the variable SecureBoot", ""},
							    {"memory map", "GetMemoryMap()", ""},
							    {"MCFG", "the ACPI table MCFG", ""}};
	struct unc_os_found map = {0};
	char vendor[64] = "";
	uint8_t secure = 0;
	size_t size = 1, n = 0;

	memcpy(ret_facts, facts, sizeof(facts));
	for (size_t i = 0; system->FirmwareVendor && system->FirmwareVendor[i] && i + 1 < sizeof(vendor); i++)
		vendor[i] = system->FirmwareVendor[i] < 0x7f ? (char)system->FirmwareVendor[i] : '?';
	snprintf(ret_facts[0].finding, LEN, "%s, revision 0x%x, UEFI %u.%u", vendor, system->FirmwareRevision,
		 revision >> 16, (revision & 0xffff) / 10);
	system->runtime->GetVariable(u"SecureBoot", &EFI_GLOBAL_VARIABLE, NULL, &size, &secure);
	snprintf(ret_facts[1].finding, LEN, "Secure Boot is %s",
		 secure ? "on, and firmware accepted this program" : "not on");
	if (unc_efi_memory_map(host->ctx, &map) == UNC_OK)
		for (size_t i = 0; i < map.n; i++)
			n += map.text[i] == '\n';
	free(map.text);
	snprintf(ret_facts[2].finding, LEN,
		 n ? "firmware names %zu ranges of memory and devices" : "firmware does not tell where memory is", n);
	if (mcfg && unc_le32(mcfg + 4) < MCFG_RECORDS + MCFG_RECORD)
		mcfg = NULL; /* it names nothing */
	snprintf(ret_facts[3].finding, LEN,
		 mcfg ? "PCI configuration space is in memory, the first of it at 0x%llx"
		      : "there is none: where PCI configuration space is in memory is not known",
		 mcfg ? (unsigned long long)unc_le64(mcfg + MCFG_RECORDS) : 0);
}

static const struct unc_host_ops efi_ops = {
	.close = host_close,
	.now_ns = host_now_ns,
	.sleep_until = host_sleep_until,
	.cpuid = unc_efi_cpuid,
	.topology = unc_host_topology,
	.cpus = unc_efi_cpus,
	.look = host_look,
	.identity = host_identity,
	.firmware = host_firmware,
	.bus_open = host_bus_open,
};

int unc_efi_host_open(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host)
{
	struct unc_efi_host *host = calloc(1, sizeof(*host));
	size_t self = 0;

	(void)args;
	if (!host)
		return unc_fail(ctx, UNC_ENOMEM, "machine: out of memory");
	host->host = (struct unc_host){.ops = &efi_ops, .ctx = ctx, .wake_fd = wake_fd};
	if (efi->boot->LocateProtocol(&EFI_MP_SERVICES, NULL, (void **)&host->mp) != EFI_SUCCESS ||
	    host->mp->WhoAmI(host->mp, &self) != EFI_SUCCESS) {
		host->mp = NULL;
		unc_note(ctx,
			 "firmware has no way to other processors, so only MSRs of the one that it started are read");
	}
	host->self = (unsigned)self;
	tell_doubt(host);
	*ret_host = &host->host;
	return UNC_OK;
}
