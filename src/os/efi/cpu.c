// SPDX-License-Identifier: GPL-2.0-or-later
/* Processors: work on each of them (PI, EFI_MP_SERVICES_PROTOCOL), CPUID, and MSRs, whose absence is a caught exception. */
#include <cpuid.h>

#include "os/efi/host.h"

/* ---- an access that may raise an exception ---- */

/* Intel SDM, volume 3, 6.14.1: a gate of the interrupt descriptor table. */
struct gate {
	uint16_t low, selector;
	uint8_t stack, type; /* 0x8e: present, an interrupt gate */
	uint16_t middle;
	uint32_t high, reserved;
};
#pragma pack(push, 1)
struct table_register {
	uint16_t limit;
	uint64_t base;
};
#pragma pack(pop)
enum { GATES = 32, GENERAL_PROTECTION = 13, PAGE_FAULT = 14, INTERRUPT_GATE = 0x8e };

/* Goes on at the address in R11, with 1 in R10.  Both exceptions have an error code on the stack. */
void unc_efi_caught(void);
__asm__(".globl unc_efi_caught\n"
	"unc_efi_caught:\n"
	"	addq $8, %rsp\n"
	"	movq %r11, (%rsp)\n"
	"	movl $1, %r10d\n"
	"	iretq\n");

struct guard {
	struct gate gates[GATES];
	struct table_register former;
	uint64_t flags;
};

/* On this processor, until guard_end(), with interrupts off. */
static void guard_begin(struct guard *guard)
{
	static const unsigned ours[] = {GENERAL_PROTECTION, PAGE_FAULT};
	struct table_register own = {sizeof(guard->gates) - 1, (uint64_t)guard->gates};
	uint64_t at = (uint64_t)unc_efi_caught;
	uint16_t code;

	__asm__ __volatile__("pushfq; popq %0; cli" : "=r"(guard->flags)::"memory");
	__asm__ __volatile__("sidt %0" : "=m"(guard->former));
	__asm__ __volatile__("movw %%cs, %0" : "=r"(code));
	memcpy(guard->gates, (const void *)guard->former.base, sizeof(guard->gates));
	for (unsigned i = 0; i < 2; i++)
		guard->gates[ours[i]] = (struct gate){.low = (uint16_t)at,
						      .selector = code,
						      .type = INTERRUPT_GATE,
						      .middle = (uint16_t)(at >> 16),
						      .high = (uint32_t)(at >> 32)};
	__asm__ __volatile__("lidt %0" ::"m"(own) : "memory");
}

static void guard_end(struct guard *guard)
{
	__asm__ __volatile__("lidt %0" ::"m"(guard->former) : "memory");
	__asm__ __volatile__("pushq %0; popfq" ::"r"(guard->flags) : "memory", "cc");
}

/* clang-format off */
#define TOUCH(instruction, value) \
	__asm__ __volatile__("leaq 1f(%%rip), %%r11; xorl %%r10d, %%r10d; " instruction "; 1: movl %%r10d, %1" \
			     : "+&r"(value), "=&r"(failed) : "r"(at) : "r10", "r11", "memory")
/* clang-format on */

bool unc_efi_touch(uint64_t at, size_t len, bool write, uint64_t *value)
{
	uint32_t low = (uint32_t)*value, failed;
	uint64_t all = *value;
	struct guard guard;

	guard_begin(&guard);
	if (len == 8 && write)
		TOUCH("movq %0, (%2)", all);
	else if (len == 8)
		TOUCH("movq (%2), %0", all);
	else if (write)
		TOUCH("movl %0, (%2)", low);
	else
		TOUCH("movl (%2), %0", low);
	guard_end(&guard);
	if (!failed && !write)
		*value = len == 8 ? all : low;
	return !failed;
}

/* ---- work on a processor ---- */

struct work {
	enum { READ, WRITE, ASK } what;
	uint32_t number, sub; /* of an MSR, or leaf and sub-leaf */
	uint64_t value;
	struct unc_cpuid_regs regs;
	bool failed;
};

static void do_work(void *arg)
{
	struct work *work = arg;
	uint32_t low = (uint32_t)work->value, high = (uint32_t)(work->value >> 32), failed = 0;
	struct guard guard;

	if (work->what == ASK) {
		__cpuid_count(work->number, work->sub, work->regs.eax, work->regs.ebx, work->regs.ecx, work->regs.edx);
		return;
	}
	guard_begin(&guard);
	if (work->what == READ)
		__asm__ __volatile__("leaq 1f(%%rip), %%r11; xorl %%r10d, %%r10d; rdmsr; 1: movl %%r10d, %2"
				     : "=a"(low), "=d"(high), "=r"(failed)
				     : "c"(work->number)
				     : "r10", "r11", "memory");
	else
		__asm__ __volatile__("leaq 1f(%%rip), %%r11; xorl %%r10d, %%r10d; wrmsr; 1: movl %%r10d, %0"
				     : "=r"(failed)
				     : "c"(work->number), "a"(low), "d"(high)
				     : "r10", "r11", "memory");
	guard_end(&guard);
	work->failed = failed;
	work->value = (uint64_t)high << 32 | low;
}

bool unc_efi_msr(uint32_t number, uint64_t *ret_value)
{
	struct work work = {.what = READ, .number = number};

	do_work(&work);
	*ret_value = work.value;
	return !work.failed;
}

/* Firmware is asked once.  UNC_EIO, UNC_ENOMEM. */
static int know_cpus(struct unc_efi_host *host)
{
	enum { ENABLED = 1 << 1, LEVEL_3 = 3 };
	struct unc_host_cpu *cpus;
	uint32_t *caches; /* the part of the APIC id that CPUs with the same L3 share, plus 1 */
	size_t n = 1, enabled;

	if (host->cpus)
		return UNC_OK;
	if (host->mp && host->mp->GetNumberOfProcessors(host->mp, &n, &enabled) != EFI_SUCCESS)
		return unc_fail(host->host.ctx, UNC_EIO, "processors: firmware does not tell how many there are");
	cpus = calloc(n, sizeof(*cpus) + sizeof(*caches));
	if (!cpus)
		return unc_fail(host->host.ctx, UNC_ENOMEM, "processors: out of memory");
	caches = (uint32_t *)(cpus + n);
	for (size_t i = 0; i < n; i++) {
		struct efi_processor info = {.StatusFlag = ENABLED};
		struct unc_cpuid_regs regs;

		cpus[i] = (struct unc_host_cpu){.cpu = (unsigned)i, .node = -1, .l3 = -1};
		if (host->mp && host->mp->GetProcessorInfo(host->mp, i, &info) != EFI_SUCCESS)
			continue;
		cpus[i].online = info.StatusFlag & ENABLED;
		cpus[i].package = cpus[i].online ? (int)info.Location.Package : -1;
		/* Leaf 4, EAX bits 25 to 14: how many ids share the cache, less 1; all processors are taken to be alike. */
		for (uint32_t sub = 0; cpus[i].online && sub < 8; sub++) {
			__cpuid_count(4, sub, regs.eax, regs.ebx, regs.ecx, regs.edx);
			if (!(regs.eax & 0x1f))
				break;
			if ((regs.eax >> 5 & 7) == LEVEL_3) {
				uint32_t ids = regs.eax >> 14 & 0xfff,
					 bits = ids ? 32 - (uint32_t)__builtin_clz(ids) : 0;

				caches[i] = (uint32_t)(info.ProcessorId >> bits) + 1;
			}
		}
		for (size_t k = 0; k <= i && caches[i] && cpus[i].l3 < 0; k++)
			if (caches[k] == caches[i])
				cpus[i].l3 = (int)k;
	}
	host->cpus = cpus;
	host->n_cpus = n;
	return UNC_OK;
}

/* UNC_ENODEV, UNC_EIO, UNC_ENOMEM. */
static int find_cpu(struct unc_efi_host *host, unsigned cpu)
{
	int rc = know_cpus(host);

	if (rc == UNC_OK && (cpu >= host->n_cpus || !host->cpus[cpu].online))
		rc = unc_fail(host->host.ctx, UNC_ENODEV,
			      "cpu %u: there is no such processor, or firmware does not offer it", cpu);
	return rc;
}

/*
 * The crew is all processors but the one that runs this program.  Firmware starts them once, since each of its calls takes 10 ms.
 * Then each processor waits for work in its own mailbox, and calls nothing of firmware, until unc_efi_crew_end() dismisses it.  The
 * crew is at file scope, since firmware can start only one.
 */
enum { AWAITED, READY, ASKED, DISMISSED };
enum { CREW_NS = 1000000000 }; /* it comes, or leaves, in that time, or not at all */
static struct crew {
	struct member {
		uint32_t apic, state;
		struct work *work;
		char rest_of_line[48];
	} * members; /* by number of the processor; NULL: firmware starts no crew, or has not been asked */
	size_t n;
	void *left; /* firmware's event: all have returned */
	bool asked;
} crew;

static void serve(void *arg)
{
	uint32_t a, b, c, apic, state = AWAITED;
	size_t own = 0;

	(void)arg;
	__cpuid(1, a, apic, b, c);
	apic >>= 24;
	if (__get_cpuid_max(0, NULL) >= 0xb) { /* Intel SDM, CPUID leaf 0Bh: EBX is 0 where it does not have the id */
		__cpuid_count(0xb, 0, a, b, c, state);
		apic = b ? state : apic;
	}
	while (own < crew.n && crew.members[own].apic != apic)
		own++;
	if (own == crew.n)
		return;
	state = AWAITED;
	__atomic_compare_exchange_n(&crew.members[own].state, &state, READY, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	while ((state = __atomic_load_n(&crew.members[own].state, __ATOMIC_ACQUIRE)) != DISMISSED) {
		if (state == ASKED) {
			do_work(crew.members[own].work);
			__atomic_store_n(&crew.members[own].state, READY, __ATOMIC_RELEASE);
		}
		__builtin_ia32_pause();
	}
}

/* After firmware's ReadyToBoot it may refuse to start work that it does not wait for; then each work is a call. */
static void crew_begin(const struct unc_efi_host *host)
{
	uint64_t until_ns = unc_os_now_ns(UNC_CLOCK_MONO) + CREW_NS;
	size_t ready = 0;

	crew = (struct crew){.members = calloc(host->n_cpus, sizeof(*crew.members)), .n = host->n_cpus, .asked = true};
	for (size_t i = 0; crew.members && i < crew.n; i++) {
		struct efi_processor info = {0};

		host->mp->GetProcessorInfo(host->mp, i, &info);
		crew.members[i].apic = (uint32_t)info.ProcessorId;
	}
	if (!crew.members || efi->boot->CreateEvent(0, 0, NULL, NULL, &crew.left) != EFI_SUCCESS ||
	    host->mp->StartupAllAPs(host->mp, serve, false, crew.left, 0, NULL, NULL) != EFI_SUCCESS) {
		if (crew.left)
			efi->boot->CloseEvent(crew.left);
		free(crew.members);
		crew = (struct crew){.asked = true};
		unc_note(host->host.ctx, "firmware starts no lasting work on other processors, so each access to their "
					 "registers takes about 10 ms");
	}
	while (ready < crew.n && unc_os_now_ns(UNC_CLOCK_MONO) < until_ns) {
		bool comes = host->cpus[ready].online && ready != host->self;

		ready += !comes || __atomic_load_n(&crew.members[ready].state, __ATOMIC_ACQUIRE) == READY;
		__builtin_ia32_pause();
	}
}

void unc_efi_crew_end(void)
{
	uint64_t until_ns = unc_os_now_ns(UNC_CLOCK_MONO) + CREW_NS;

	if (!crew.members)
		return;
	for (size_t i = 0; i < crew.n; i++)
		__atomic_store_n(&crew.members[i].state, DISMISSED, __ATOMIC_RELEASE);
	while (efi->boot->CheckEvent(crew.left) != EFI_SUCCESS && unc_os_now_ns(UNC_CLOCK_MONO) < until_ns)
		__builtin_ia32_pause();
	efi->boot->CloseEvent(crew.left);
	free(crew.members);
	crew = (struct crew){0};
}

/* UNC_ENODEV: there is no such processor, or it is disabled; UNC_EIO; UNC_ENOMEM. */
static int work_on(struct unc_ctx *ctx, struct unc_efi_host *host, unsigned cpu, struct work *work)
{
	EFI_STATUS status = EFI_SUCCESS;
	struct member *member;
	int rc;

	if (cpu == host->self) {
		do_work(work);
		return UNC_OK;
	}
	rc = find_cpu(host, cpu);
	if (rc < 0)
		return rc;
	if (!crew.asked)
		crew_begin(host);
	member = crew.members ? &crew.members[cpu] : NULL;
	if (!member) {
		status = host->mp->StartupThisAP(host->mp, do_work, cpu, NULL, 1000000, work, NULL);
	} else if (__atomic_load_n(&member->state, __ATOMIC_ACQUIRE) == READY) {
		member->work = work;
		__atomic_store_n(&member->state, ASKED, __ATOMIC_RELEASE);
		while (__atomic_load_n(&member->state, __ATOMIC_ACQUIRE) == ASKED)
			__builtin_ia32_pause();
	} else {
		status = EFI_NOT_FOUND;
	}
	return status == EFI_SUCCESS ? UNC_OK
				     : unc_fail(ctx, UNC_EIO, "cpu %u: firmware cannot start work there (error %u)",
						cpu, (unsigned)status);
}

int unc_efi_cpuid(struct unc_host *unc_host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		  struct unc_cpuid_regs *ret_regs)
{
	struct work work = {.what = ASK, .number = leaf, .sub = subleaf};
	int rc = work_on(unc_host->ctx, (struct unc_efi_host *)unc_host, cpu, &work);

	if (rc == UNC_OK)
		*ret_regs = work.regs;
	return rc;
}

int unc_efi_cpus(struct unc_host *unc_host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct unc_efi_host *host = (struct unc_efi_host *)unc_host;
	int rc = know_cpus(host);

	if (rc < 0)
		return rc;
	*ret_cpus = malloc(host->n_cpus * sizeof(**ret_cpus));
	if (!*ret_cpus)
		return unc_fail(unc_host->ctx, UNC_ENOMEM, "processors: out of memory");
	memcpy(*ret_cpus, host->cpus, host->n_cpus * sizeof(**ret_cpus));
	*ret_n = host->n_cpus;
	return UNC_OK;
}

/* ---- the bus ---- */

static int msr_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	struct unc_efi_host *host = ((struct unc_efi_bus *)bus)->host;
	int rc = know_cpus(host);

	if (rc < 0)
		return rc;
	*ret_addrs = calloc(host->n_cpus, sizeof(**ret_addrs));
	if (!*ret_addrs)
		return unc_fail(bus->ctx, UNC_ENOMEM, "msr: out of memory");
	*ret_n = 0;
	for (size_t i = 0; i < host->n_cpus; i++)
		if (host->cpus[i].online)
			(*ret_addrs)[(*ret_n)++] = (struct unc_addr){.kind = UNC_MSR, .msr.cpu = (unsigned)i};
	return UNC_OK;
}

static int msr_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct unc_space *space;
	int rc = find_cpu(((struct unc_efi_bus *)bus)->host, addr->msr.cpu);

	if (rc < 0)
		return rc;
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "cpu %u: out of memory", addr->msr.cpu);
	*space = (struct unc_space){.bus = bus, .addr = *addr, .len = UINT64_C(1) << 32};
	*ret_space = space;
	return UNC_OK;
}

static int msr_do(struct unc_space *space, struct work *work)
{
	struct unc_efi_host *host = ((struct unc_efi_bus *)space->bus)->host;
	int rc = work_on(space->bus->ctx, host, space->addr.msr.cpu, work);

	if (rc == UNC_OK && work->failed)
		return unc_fail_named(
			space->bus->ctx, UNC_EIO, "EIO",
			"cpu %u: %s MSR 0x%x: the processor refuses it (#GP): it has no such register, or %s",
			space->addr.msr.cpu, work->what == READ ? "read" : "write", work->number,
			work->what == READ ? "firmware has locked it" : "not such a value");
	return rc;
}

static int msr_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct work work = {.what = READ, .number = (uint32_t)off};
	int rc = msr_do(space, &work);

	(void)len;
	if (rc == UNC_OK)
		unc_put_le64(buf, work.value);
	return rc;
}

static int msr_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct work work = {.what = WRITE, .number = (uint32_t)off, .value = unc_le64(buf)};

	(void)len;
	return msr_do(space, &work);
}

static const struct unc_bus_ops msr_ops = {
	.name = "msr",
	.list = msr_list,
	.space_open = msr_space_open,
	.read = msr_read,
	.write = msr_write,
};

int unc_efi_msr_open(struct unc_efi_host *host, bool writable, struct unc_bus **ret_bus)
{
	return unc_efi_bus_new(host, &msr_ops, UNC_MSR, writable, sizeof(struct unc_efi_bus), ret_bus);
}
