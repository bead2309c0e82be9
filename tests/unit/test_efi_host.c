// SPDX-License-Identifier: GPL-2.0-or-later
/* A computer whose firmware lacks what may be absent: each is a sentence.  The file is no part of a build for Linux. */
#define efi             host_efi
#define unc_efi_acpi    host_acpi
#define unc_efi_bus_new host_bus_new
#include "../../src/os/efi/host.c"

#include "base/text.h"
#include "onsim.h"
#include "test.h"

static struct {
	struct unc_ctx *ctx;
	struct unc_host *host;
	bool has_mp, has_map, keeps_variables;
	uint8_t secure;
	uint64_t boot[2];
	const char *doubt;
	char notes[1000];
	struct unc_host_fact facts[UNC_HOST_FACTS];
} t;

/* ---- firmware ---- */

static EFI_STATUS who_am_i(struct efi_mp_services *self, size_t *ret_n)
{
	(void)self;
	*ret_n = 3;
	return EFI_SUCCESS;
}
static struct efi_mp_services mp = {.WhoAmI = who_am_i};

static EFI_STATUS locate(const EFI_GUID *protocol, void *key, void **ret_interface)
{
	(void)protocol, (void)key;
	*ret_interface = &mp;
	return t.has_mp ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_STATUS get(const CHAR16 *name, const EFI_GUID *vendor, uint32_t *ret_attributes, size_t *size, void *data)
{
	(void)vendor, (void)ret_attributes;
	if (name[0] == 'S') {
		memcpy(data, &t.secure, *size);
		return EFI_SUCCESS;
	}
	if (!t.boot[1])
		return EFI_NOT_FOUND;
	memcpy(data, t.boot, *size);
	return EFI_SUCCESS;
}

static EFI_STATUS set(const CHAR16 *name, const EFI_GUID *vendor, uint32_t attributes, size_t size, const void *data)
{
	(void)name, (void)vendor;
	EQ(attributes & 1, 0); /* it ends with the next reset */
	if (!t.keeps_variables)
		return EFI_NOT_FOUND;
	memcpy(t.boot, data, size);
	return EFI_SUCCESS;
}

static struct efi_boot boot = {.LocateProtocol = locate};
static struct efi_runtime runtime = {.GetVariable = get, .SetVariable = set};
static struct efi_system system_table = {.boot = &boot, .runtime = &runtime};
static const struct unc_efi self = {.boot = &boot, .system = &system_table};
const struct unc_efi *efi = &self;

const uint8_t *unc_efi_acpi(const char name[4])
{
	(void)name;
	return NULL;
}

const char *unc_efi_clock_doubt(void)
{
	return t.doubt;
}

int unc_efi_memory_map(struct unc_ctx *ctx, struct unc_os_found *ret_found)
{
	if (!t.has_map)
		return unc_fail(ctx, UNC_EIO, "no map");
	ret_found->text = unc_text_dup("0-1 : a\n2-3 : b\n");
	ret_found->n = strlen(ret_found->text);
	return UNC_OK;
}

#define NO_BUS(name)                                                                                                   \
	int name(struct unc_efi_host *host, bool writable, struct unc_bus **ret_bus)                                   \
	{                                                                                                              \
		(void)writable, (void)ret_bus;                                                                         \
		return unc_fail(host->host.ctx, UNC_ENODEV, #name);                                                    \
	}
NO_BUS(unc_efi_msr_open)
NO_BUS(unc_efi_mmio_open)

int unc_efi_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	(void)host, (void)cpu, (void)leaf, (void)subleaf, (void)regs;
	return UNC_OK;
}

int unc_efi_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	(void)ret_cpus, (void)ret_n;
	return unc_fail(host->ctx, UNC_ENODEV, "no processors");
}

/* ---- tests ---- */

static void note(void *arg, const char *sentence)
{
	(void)arg;
	snprintf(t.notes + strlen(t.notes), sizeof(t.notes) - strlen(t.notes), "%s\n", sentence);
}

static void begin(void)
{
	memset(&t, 0, sizeof(t));
	CU_ASSERT_FATAL(unc_new(&t.ctx) == 0);
	unc_set_log(t.ctx, note, NULL);
	t.has_mp = t.has_map = t.keeps_variables = true;
}

static void end(void)
{
	if (t.host)
		t.host->ops->close(t.host);
	unc_free(t.ctx);
}

EACH(begin, end)

static const char *fact(unsigned i)
{
	t.host->ops->firmware(t.host, t.facts);
	return t.facts[i].finding;
}

TEST(firmware_that_has_all_gives_no_note)
{
	OK(&t, unc_efi_host_open(t.ctx, NULL, -1, &t.host));
	SAME(t.notes, "");
	EQ(((struct unc_efi_host *)t.host)->self, 3);
	SAME(fact(1), "Secure Boot is not on");
	SAME(fact(2), "firmware names 2 ranges of memory and devices");
	HAS(fact(3), "there is none");
}

TEST(without_a_way_to_other_processors_only_one_has_msrs)
{
	t.has_mp = false;
	OK(&t, unc_efi_host_open(t.ctx, NULL, -1, &t.host));
	HAS(t.notes, "firmware has no way to other processors, so only MSRs of the one that it started are read");
	CU_ASSERT_TRUE(((struct unc_efi_host *)t.host)->mp == NULL);
}

TEST(without_a_memory_map_doctor_says_so)
{
	t.has_map = false;
	t.secure = 1;
	OK(&t, unc_efi_host_open(t.ctx, NULL, -1, &t.host));
	SAME(fact(1), "Secure Boot is on, and firmware accepted this program");
	SAME(fact(2), "firmware does not tell where memory is");
}

TEST(a_boot_is_the_same_until_the_variable_is_gone)
{
	struct unc_host_identity first, second, third;

	OK(&t, unc_efi_host_open(t.ctx, NULL, -1, &t.host));
	OK(&t, t.host->ops->identity(t.host, &first));
	OK(&t, t.host->ops->identity(t.host, &second));
	SAME(first.boot, second.boot);
	memset(t.boot, 0, sizeof(t.boot)); /* a reset */
	OK(&t, t.host->ops->identity(t.host, &third));
	CU_ASSERT_TRUE(strcmp(first.boot, third.boot) != 0);
}

TEST(without_variables_no_boot_is_known)
{
	struct unc_host_identity identity;

	t.keeps_variables = false;
	OK(&t, unc_efi_host_open(t.ctx, NULL, -1, &t.host));
	FAILS(&t, UNC_EIO, t.host->ops->identity(t.host, &identity),
	      "firmware keeps no variable until the next reset (error");
}

TEST(a_doubt_in_the_clock_is_told_once)
{
	t.doubt = "the clock is in doubt";
	OK(&t, unc_efi_host_open(t.ctx, NULL, -1, &t.host));
	t.host->ops->now_ns(t.host, UNC_CLOCK_RAW);
	t.host->ops->now_ns(t.host, UNC_CLOCK_RAW);
	SAME(t.notes, "the clock is in doubt\n");
}
