// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "uncore/check.h"
#include "uncore/reg.h"

enum { RUNS_MAX = 4, COUNT_BITS = 32 };

void check_xml(struct output *out, const char *text)
{
	while (*text) {
		const char *next = text;
		uint32_t code = unc_text_next(&next);
		char piece[UNC_TEXT_PIECE];
		size_t len = unc_text_show_next(&text, piece);

		if (code == '&')
			output_text(out, "&amp;");
		else if (code == '<')
			output_text(out, "&lt;");
		else if (code == '>')
			output_text(out, "&gt;");
		else if (code == '"')
			output_text(out, "&quot;");
		else if (code == '\'')
			output_text(out, "&#39;");
		else if (code == '\n')
			output_text(out, "&#10;");
		else
			output_append(out, piece, len);
	}
}

const char *check_number(const struct unc_check_value *value, uint64_t number, char buf[CHECK_NUMBER_MAX])
{
	if (!value->box[0])
		snprintf(buf, CHECK_NUMBER_MAX, "%" PRIu64, number);
	else
		snprintf(buf, CHECK_NUMBER_MAX, "0x%0*" PRIx64, value->bits > 32 ? 16 : 8, number);
	return buf;
}

const char *check_count(uint64_t number, char buf[CHECK_SHOWN_MAX])
{
	snprintf(buf, CHECK_SHOWN_MAX, "%" PRIu64 " (0x%" PRIx64 ")", number, number);
	return buf;
}

const char *check_shown(const struct unc_check_value *value, uint64_t number, char buf[CHECK_SHOWN_MAX])
{
	if (value->box[0] || number <= UINT16_MAX)
		return check_number(value, number, buf);
	return check_count(number, buf);
}

uint64_t check_differing(const struct unc_check_value *value)
{
	return value->has_expected && value->box[0] ? (value->read ^ value->expected) & value->compared : 0;
}

/* Elements of an array are called "CTL[3]" in results. */
static bool is_named(const struct unc_reg_info *reg, const char *name)
{
	char full[80];

	snprintf(full, sizeof(full), reg->count > 1 ? "%s[%u]" : "%s", reg->name, reg->index);
	return strcmp(full, name) == 0;
}

static struct unc_box *box_of(struct unc_machine *machine, const char *name)
{
	size_t n = unc_box_count(machine, NULL);

	for (size_t i = 0; i < n; i++) {
		struct unc_box *box = unc_box_at(machine, NULL, i);
		struct unc_box_info info;

		unc_box_info(box, &info);
		if (strcmp(info.name, name) == 0)
			return box;
	}
	return NULL;
}

const char *check_bit_field(struct unc_machine *machine, const struct unc_check_value *value, unsigned bit)
{
	struct unc_box *box = value->box[0] ? box_of(machine, value->box) : NULL;
	size_t n = box ? unc_box_reg_count(box) : 0;
	struct unc_reg_info reg;

	for (size_t i = 0; i < n; i++) {
		struct unc_field_info field;

		if (unc_box_reg_info(box, i, &reg) < 0 || !is_named(&reg, value->reg))
			continue;
		for (size_t k = 0; unc_box_field_info(box, i, k, &field) == 0; k++)
			if (bit >= field.lo && bit <= field.hi)
				return field.name;
	}
	return "";
}

bool check_is_count(struct unc_machine *machine, const struct unc_check_value *value, int64_t *ret_by)
{
	uint64_t differing = check_differing(value);
	const char *field = check_bit_field(machine, value, 0);
	unsigned highest = 63;

	if (!differing || !*field || (value->has_wrote && !((value->wrote ^ value->expected) & value->compared)))
		return false;
	while (!(differing >> highest & 1))
		highest--;
	if (strcmp(check_bit_field(machine, value, COUNT_BITS - 1), field) != 0 ||
	    strcmp(check_bit_field(machine, value, highest), field) != 0)
		return false;
	*ret_by = (int64_t)(value->read & value->compared) - (int64_t)(value->expected & value->compared);
	return true;
}

void check_by_text(int64_t by, char *buf, size_t size)
{
	snprintf(buf, size, "%" PRId64 " %s than expected", by < 0 ? -by : by, by < 0 ? "less" : "more");
}

static bool has_bit(uint64_t value, unsigned bit)
{
	return bit < 64 && (value >> bit & 1) != 0;
}

/* Adjacent bits that read the same and belong to the same field. */
struct run {
	unsigned first, last;
	bool reads;
	const char *field;
};

/* The next run from *bit on; *bit moves after its end.  False: there is none. */
static bool next_run(struct unc_machine *machine, const struct unc_check_value *value, unsigned *bit, struct run *run)
{
	uint64_t differing = check_differing(value);

	while (*bit < 64 && !has_bit(differing, *bit))
		++*bit;
	if (*bit >= 64)
		return false;
	*run = (struct run){.first = *bit, .last = *bit};
	run->reads = has_bit(value->read, *bit);
	run->field = check_bit_field(machine, value, *bit);
	while (has_bit(differing, ++*bit) && has_bit(value->read, *bit) == run->reads &&
	       strcmp(check_bit_field(machine, value, *bit), run->field) == 0)
		run->last = *bit;
	return true;
}

static size_t run_text(const struct run *run, char *buf, size_t size)
{
	char bits[24];

	snprintf(bits, sizeof(bits), run->last > run->first ? "bits %u-%u" : "bit %u", run->first, run->last);
	return (size_t)snprintf(buf, size, "%s%s%s%s %s %d", bits, *run->field ? " (" : "", run->field,
				*run->field ? ")" : "", run->last > run->first ? "read" : "reads", run->reads);
}

static bool is_all_ones(const struct unc_check_value *value)
{
	uint64_t all = value->bits > COUNT_BITS ? UINT64_MAX : UINT32_MAX;

	return check_differing(value) && value->read == all;
}

void check_bits_text(struct unc_machine *machine, const struct unc_check_value *value, char *buf, size_t size)
{
	unsigned n = 0, bit = 0, first = 0;
	const char *field = NULL;
	struct run run = {0};
	size_t len = 0;

	buf[0] = '\0';
	for (; next_run(machine, value, &bit, &run); n++) {
		first = n ? first : run.first;
		field = n && strcmp(field, run.field) != 0 ? "" : run.field;
		if (len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s", n ? ", " : "");
		if (len < size)
			len += run_text(&run, buf + len, size - len);
	}
	if (is_all_ones(value))
		snprintf(buf, size, "all bits read 1, as where nothing answers");
	else if (n > RUNS_MAX) /* it is a different number altogether, as of a counter */
		snprintf(buf, size, "bits %u-%u%s%s%s, in many places", first, run.last, *field ? " (" : "", field,
			 *field ? ")" : "");
}

void check_time_text(uint64_t ns, char *buf, size_t size)
{
	double s = (double)ns / 1e9;

	if (s < 0.0995)
		snprintf(buf, size, "%.0f ms", s * 1e3);
	else if (s < 9.95)
		snprintf(buf, size, "%.1f s", s);
	else if (s < 119.5)
		snprintf(buf, size, "%.0f s", s);
	else
		snprintf(buf, size, "%" PRIu64 " min %02" PRIu64 " s", (uint64_t)(s + 0.5) / 60,
			 (uint64_t)(s + 0.5) % 60);
}
