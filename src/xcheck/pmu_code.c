// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * Encodes events as bits of perf_event_attr.  These are the kernel's own numbers, with the layout in its format/, and not a
 * register.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/field.h"
#include "pmon/event_parts.h"
#include "xcheck/pmu.h"

/*
 *
 * Linux arch/x86/events/intel/uncore.h, UNCORE_FIXED_EVENT: this value in config, and nothing else, means the fixed counter.
 */
enum { FIXED_EVENT = 0xff };

static void add_bit(void *arg, uint64_t bit)
{
	uint64_t *bits = arg;

	*bits |= UINT64_C(1) << bit;
}

bool unc_pmu_field_parse(const char *text, struct unc_pmu_field *field)
{
	static const char *const configs[UNC_PMU_CONFIGS] = {"config:", "config1:", "config2:"};

	field->bits = 0;
	for (unsigned i = 0; i < UNC_PMU_CONFIGS; i++) {
		size_t len = strlen(configs[i]);

		if (strncmp(text, configs[i], len) != 0)
			continue;
		field->config = i;
		return unc_text_list(text + len, 63, add_bit, &field->bits);
	}
	return false;
}

static const struct unc_pmu_field *field_of(const struct unc_pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->n_fields; i++)
		if (strcmp(pmu->fields[i].name, name) == 0)
			return &pmu->fields[i];
	return NULL;
}

/* Puts a value into a field.  False: it does not fit. */
static bool put(const struct unc_pmu_field *field, uint64_t value, struct unc_pmu_code *code)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t mask = UINT64_C(1) << bit;

		if (!(field->bits & mask))
			continue;
		code->config[field->config] &= ~mask;
		if (value & 1)
			code->config[field->config] |= mask;
		value >>= 1;
	}
	return value == 0;
}

bool unc_pmu_code_parse(const struct unc_pmu *pmu, char *text, struct unc_pmu_code *ret_code)
{
	char *rest = text, *term;

	*ret_code = (struct unc_pmu_code){{0}};
	while ((term = unc_text_cut(&rest, ',')) != NULL) {
		char *number = strchr(term, '=');
		const struct unc_pmu_field *field;
		uint64_t value = 1;

		if (number)
			*number++ = '\0';
		field = field_of(pmu, term);
		if (!field || (number && !unc_text_u64(number, &value)) || !put(field, value, ret_code))
			return false;
	}
	return true;
}

static int encode_part(const struct unc_pmu *pmu, const struct unc_box *box, const struct unc_part_name *part,
		       uint64_t value, struct unc_pmu_code *code)
{
	const struct unc_pmu_field *field = field_of(pmu, part->perf);

	if (value && !field)
		return unc_fail(box->machine->ctx, UNC_EARG,
				"%s: perf's driver has no field for %s=0x%" PRIx64 " (" UNC_PMU_DEVICES "/%s/format)",
				box->name, part->perf, value, pmu->name);
	if (field && !put(field, value, code))
		return unc_fail(box->machine->ctx, UNC_EARG,
				"%s: %s=0x%" PRIx64 " is wider than perf's field (" UNC_PMU_DEVICES "/%s/format/%s)",
				box->name, part->perf, value, pmu->name, part->perf);
	return UNC_OK;
}

int unc_pmu_encode(const struct unc_pmu *pmu, const struct unc_box *box, const struct unc_wanted *wanted,
		   struct unc_pmu_code *ret_code)
{
	const struct unc_reg *ctl = unc_unit_reg(box->unit, "CTL");
	static const struct unc_pmu_code fixed = {{FIXED_EVENT}};
	struct unc_pmu_code code = {{0}};
	int rc = UNC_OK;

	for (unsigned i = 0; i < UNC_PARTS && rc == 0; i++) {
		const struct unc_field *field = unc_reg_field(ctl, unc_part_names[i].field);
		uint64_t value = field && field->acc == UNC_RW ? unc_field_get(field, wanted->control) : 0;

		if (wanted->event.fixed)
			value = i == UNC_PART_EVENT ? FIXED_EVENT : 0;
		rc = encode_part(pmu, box, &unc_part_names[i], value, &code);
	}
	if (rc == 0 && !wanted->event.fixed && memcmp(&code, &fixed, sizeof(code)) == 0)
		rc = unc_fail(box->machine->ctx, UNC_EARG,
			      "%s: %s: perf's driver takes that for the fixed counter, and cannot count it in another",
			      box->name, wanted->text);
	if (rc == 0)
		*ret_code = code;
	return rc;
}

const char *unc_pmu_alias(const struct unc_pmu *pmu, const struct unc_pmu_code *code)
{
	for (size_t i = 0; i < pmu->n_aliases; i++)
		if (memcmp(&pmu->aliases[i].code, code, sizeof(*code)) == 0)
			return pmu->aliases[i].name;
	return NULL;
}

const char *unc_pmu_text(const struct unc_pmu *pmu, const struct unc_pmu_code *code, char *buf, size_t size)
{
	size_t used;

	snprintf(buf, size, "type=%" PRIu32 " config=0x%" PRIx64, pmu->type, code->config[0]);
	for (unsigned i = 1; i < UNC_PMU_CONFIGS; i++) {
		used = strlen(buf);
		if (code->config[i])
			snprintf(buf + used, size - used, " config%u=0x%" PRIx64, i, code->config[i]);
	}
	return buf;
}

static uint64_t get(const struct unc_pmu_field *field, const struct unc_pmu_code *code)
{
	uint64_t value = 0;
	unsigned at = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (field->bits >> bit & 1)
			value |= (code->config[field->config] >> bit & 1) << at++;
	return value;
}

/* Fields that are 0 are left out, and so are those whose bits other fields have already set: fields of a PMU may overlap. */
static bool put_fields(const struct unc_pmu *pmu, const struct unc_pmu_code *code, char *buf, size_t size)
{
	struct unc_pmu_code said = {{0}};

	for (size_t i = 0; i < pmu->n_fields; i++) {
		uint64_t value = get(&pmu->fields[i], code);
		size_t used = strlen(buf);

		if (!value || get(&pmu->fields[i], &said) == value)
			continue;
		put(&pmu->fields[i], value, &said);
		snprintf(buf + used, size - used, "%s%s=0x%" PRIx64, used ? "," : "", pmu->fields[i].name, value);
	}
	return memcmp(&said, code, sizeof(said)) == 0;
}

const char *unc_pmu_words(const struct unc_pmu *pmu, const struct unc_pmu_code *code, char *buf, size_t size)
{
	char words[96] = "";

	if (!put_fields(pmu, code, words, sizeof(words)))
		snprintf(words, sizeof(words), "config=0x%" PRIx64 ",config1=0x%" PRIx64 ",config2=0x%" PRIx64,
			 code->config[0], code->config[1], code->config[2]);
	snprintf(buf, size, "%s/%s/", pmu->name, words);
	return buf;
}
