// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/parse.h"

#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/field.h"

/* Reads exactly n hex digits, followed by the end or this character. */
static bool hex(const char *text, size_t n, char then, uint64_t *ret_value)
{
	char digits[8];

	if (strlen(text) < n || text[n] != then)
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	return unc_text_hex(digits, ret_value);
}

bool unc_pci_place_parse(const char *id, const char *at, struct unc_pci_place *ret_place)
{
	uint64_t vendor, device, dev, fn;

	if (!hex(id, 4, ':', &vendor) || !hex(id + 5, 4, '\0', &device))
		return false;
	if (!hex(at, 2, '.', &dev) || !hex(at + 3, 1, '\0', &fn) || dev > 0x1f || fn > 7)
		return false;
	*ret_place = (struct unc_pci_place){
		.vendor = (uint16_t)vendor, .device = (uint16_t)device, .dev = (uint8_t)dev, .fn = (uint8_t)fn};
	return true;
}

/* Copies the text before the separator into buf; NULL: no separator, or too long. */
static const char *piece(const char *text, char separator, char *buf, size_t size)
{
	const char *end = strchr(text, separator);

	if (!end || (size_t)(end - text) >= size)
		return NULL;
	memcpy(buf, text, (size_t)(end - text));
	buf[end - text] = '\0';
	return end + 1;
}

static bool parse_hex32(const char *text, uint32_t *ret_value)
{
	uint64_t value;

	if (!unc_text_hex(text, &value) || value > UINT32_MAX)
		return false;
	*ret_value = (uint32_t)value;
	return true;
}

/* Reads "12" or "15:12". */
static bool parse_bits(const char *text, struct unc_field *ret_bits)
{
	char high[8];
	const char *low = piece(text, ':', high, sizeof(high));
	uint64_t hi, lo;

	if (!unc_text_u64(low ? high : text, &hi) || !unc_text_u64(low ? low : text, &lo) || hi > 31 || lo > hi)
		return false;
	ret_bits->hi = (unsigned)hi;
	ret_bits->lo = (unsigned)lo;
	return true;
}

bool unc_cpuid_bits_parse(const char *text, struct unc_cpuid_bits *ret_bits)
{
	struct unc_cpuid_bits b = {.bits = {.name = "cpuid"}};
	static const char *const regs[] = {"eax", "ebx", "ecx", "edx", NULL};
	char leaf[16], subleaf[16], reg[8], bits[8];

	text = piece(text, '.', leaf, sizeof(leaf));
	if (text)
		text = piece(text, ':', subleaf, sizeof(subleaf));
	if (text)
		text = piece(text, '[', reg, sizeof(reg));
	if (text)
		text = piece(text, ']', bits, sizeof(bits));
	if (!text || *text || !parse_hex32(leaf, &b.leaf) || !parse_hex32(subleaf, &b.subleaf) ||
	    unc_word_find(regs, reg) < 0 || !parse_bits(bits, &b.bits))
		return false;
	b.reg = (unsigned)unc_word_find(regs, reg);
	*ret_bits = b;
	return true;
}

static int read_leaf(const struct unc_cpu_id *cpu, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4])
{
	struct unc_cpuid_regs r;
	int rc = cpu->host->ops->cpuid(cpu->host, cpu->cpu, leaf, subleaf, &r);

	if (rc < 0)
		return rc;
	ret_regs[0] = r.eax;
	ret_regs[1] = r.ebx;
	ret_regs[2] = r.ecx;
	ret_regs[3] = r.edx;
	return 0;
}

/* A leaf beyond the highest one answers with the data of another, so the highest is read first. */
static int one_holds(const struct unc_yaml *when, const struct unc_cpu_id *cpu, bool *ret_holds)
{
	uint32_t extended = UINT32_C(0x80000000), regs[4];
	struct unc_cpuid_bits want;
	int rc;

	*ret_holds = false;
	if (!cpu->host || !unc_cpuid_bits_parse(unc_yaml_text(unc_yaml_get(when, "cpuid")), &want))
		return 0;
	rc = read_leaf(cpu, want.leaf < extended ? 0 : extended, 0, regs);
	if (rc == 0 && want.leaf > regs[0])
		return 0;
	if (rc == 0)
		rc = read_leaf(cpu, want.leaf, want.subleaf, regs);
	if (rc == UNC_ENODATA)
		return 0;
	if (rc == 0)
		*ret_holds = unc_field_get(&want.bits, regs[want.reg]) == unc_yaml_number(unc_yaml_get(when, "is"), 0);
	return rc;
}

/* Checks all conditions of a list, up to the first that does not hold. */
static int when_holds(const struct unc_yaml *when, const struct unc_cpu_id *cpu, bool *ret_holds)
{
	int rc = 0;

	if (when->kind != UNC_YAML_LIST)
		return one_holds(when, cpu, ret_holds);
	for (const struct unc_yaml *one = when->child; one && rc == 0 && *ret_holds; one = one->next)
		rc = one_holds(one, cpu, ret_holds);
	return rc;
}

static bool is_or_unsaid(const struct unc_yaml *entry, const char *key, unsigned is)
{
	const struct unc_yaml *said = unc_yaml_get(entry, key);

	return !said || unc_yaml_number(said, 0) == is;
}

static bool identity_fits(const struct unc_yaml *entry, const struct unc_cpu_id *cpu)
{
	const struct unc_yaml *stepping = unc_yaml_get(entry, "stepping");

	if (strcmp(unc_yaml_text(unc_yaml_get(entry, "vendor")), cpu->vendor) != 0)
		return false;
	if (!is_or_unsaid(entry, "family", cpu->family) || !is_or_unsaid(entry, "model", cpu->model))
		return false;
	return !stepping || (unc_yaml_number(stepping->child, 0) <= cpu->stepping &&
			     cpu->stepping <= unc_yaml_number(stepping->child->next, 0));
}

int unc_cpus_match(struct unc_ctx *ctx, const struct unc_yaml *cpus, const struct unc_cpu_id *cpu, bool *ret_fits)
{
	bool fits = false;

	for (const struct unc_yaml *entry = cpus->child; entry && !fits; entry = entry->next) {
		const struct unc_yaml *when = unc_yaml_get(entry, "when");
		int rc = 0;

		fits = identity_fits(entry, cpu);
		if (fits && when)
			rc = when_holds(when, cpu, &fits);
		if (rc < 0)
			return unc_wrap(ctx, rc, "which register map fits");
	}
	*ret_fits = fits;
	return 0;
}
