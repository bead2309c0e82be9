// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check_html.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/check_text.h"

enum { WORD = 32, NIBBLE = 4 };
#define WORD_MASK UINT64_C(0xffffffff)

struct bits {
	const struct check_report *report;
	const struct unc_check_value *value;
	struct output *out;
	unsigned high, low; /* the bits of one table */
};

/* A thicker line marks the beginning of a nibble, which makes bits easier to count. */
static bool begins_nibble(unsigned bit)
{
	return bit % NIBBLE == NIBBLE - 1;
}

static void print_heads(const struct bits *bits)
{
	output_text(bits->out, "<tr><th class=\"row\">bit</th>");
	for (unsigned bit = bits->high + 1; bit-- > bits->low;) {
		const char *field = check_bit_field(bits->report->machine, bits->value, bit);

		output_printf(bits->out, "<th%s title=\"bit %u", begins_nibble(bit) ? " class=\"nib\"" : "", bit);
		output_text(bits->out, *field ? ": " : "");
		check_xml(bits->out, field);
		output_printf(bits->out, "\">%u</th>", bit);
	}
	output_text(bits->out, "<th class=\"hex\"></th></tr>\n");
}

static void print_cell(const struct bits *bits, unsigned bit, uint64_t number, bool marks)
{
	uint64_t mask = UINT64_C(1) << bit;
	bool bad = marks && check_differing(bits->value) & mask;
	bool unasked = marks && bits->value->has_expected && !(bits->value->compared & mask);

	output_text(bits->out, "<td");
	if (begins_nibble(bit) || bad || unasked)
		output_printf(bits->out, " class=\"%s%s\"", begins_nibble(bit) ? "nib" : "",
			      bad       ? " bad"
			      : unasked ? " out"
					: "");
	output_text(bits->out, number & mask ? ">1</td>" : ">0</td>");
}

static void print_row(const struct bits *bits, const char *label, uint64_t number, bool marks)
{
	char text[CHECK_NUMBER_MAX];

	output_printf(bits->out, "<tr><th class=\"row\">%s</th>", label);
	for (unsigned bit = bits->high + 1; bit-- > bits->low;)
		print_cell(bits, bit, number, marks);
	output_printf(bits->out, "<td class=\"hex\">%s</td></tr>\n", check_number(bits->value, number, text));
}

/* Marks differences not by colour alone. */
static void print_marks(const struct bits *bits)
{
	output_text(bits->out, "<tr><th class=\"row\">differs</th>");
	for (unsigned bit = bits->high + 1; bit-- > bits->low;)
		output_text(bits->out,
			    check_differing(bits->value) >> bit & 1 ? "<td class=\"bad\">^</td>" : "<td></td>");
	output_text(bits->out, "<td class=\"hex\"></td></tr>\n");
}

static void print_table(const struct bits *bits)
{
	const struct unc_check_value *value = bits->value;

	output_text(bits->out, "<div class=\"wide\"><table class=\"bits\">\n");
	print_heads(bits);
	if (value->has_wrote)
		print_row(bits, "wrote", value->wrote, false);
	print_row(bits, "read", value->read, true);
	if (value->has_expected)
		print_row(bits, "expected", value->expected, true);
	if (check_differing(value) >> bits->low & WORD_MASK)
		print_marks(bits);
	output_text(bits->out, "</table></div>\n");
}

static void print_bits(const struct check_report *report, const struct unc_check_value *value, struct output *out)
{
	struct bits bits = {.report = report, .value = value, .out = out, .high = WORD - 1};
	char text[400];

	if (value->bits > WORD) {
		bits.low = WORD;
		bits.high = 2 * WORD - 1;
		print_table(&bits);
		bits.low = 0;
		bits.high = WORD - 1;
	}
	print_table(&bits);
	check_bits_text(report->machine, value, text, sizeof(text));
	if (!text[0])
		return;
	output_text(out, "<p>");
	check_xml(out, text);
	output_text(out, "</p>\n");
}

static void print_numbers(const struct unc_check_value *value, struct output *out)
{
	char text[CHECK_SHOWN_MAX];

	output_text(out, "<p class=\"num\">");
	if (!value->box[0])
		check_xml(out, value->reg);
	output_printf(out, " read %s", check_shown(value, value->read, text));
	if (value->has_wrote)
		output_printf(out, ", wrote %s", check_shown(value, value->wrote, text));
	if (value->has_expected)
		output_printf(out, ", expected %s", check_shown(value, value->expected, text));
	output_text(out, "</p>\n");
}

static void print_line(struct output *out, const char *label, uint64_t number)
{
	char text[CHECK_SHOWN_MAX];

	output_printf(out, "<tr><th class=\"row\">%s</th><td class=\"hex\">%s</td></tr>\n", label,
		      check_count(number, text));
}

/* Prints how far a counter came. */
static void print_count(const struct unc_check_value *value, int64_t by, struct output *out)
{
	char text[80];

	output_text(out, "<div class=\"wide\"><table class=\"bits count\">\n");
	if (value->has_wrote)
		print_line(out, "wrote", value->wrote);
	print_line(out, "read", value->read);
	print_line(out, "expected", value->expected);
	check_by_text(by, text, sizeof(text));
	output_printf(out, "<tr><th class=\"row\">differs</th><td class=\"hex bad\">%s</td></tr>\n</table></div>\n",
		      text);
}

void check_html_value(const struct check_report *report, const struct unc_check_value *value, struct output *out)
{
	int64_t by;

	output_text(out, "<h4>");
	check_html_state(out, value->good ? UNC_CHECK_PASS : UNC_CHECK_FAIL);
	output_text(out, " ");
	if (value->box[0]) {
		check_xml(out, value->box);
		output_text(out, " ");
		check_xml(out, value->reg);
		output_printf(out, " <span class=\"dim num\">0x%" PRIx32 " of ", value->offset);
		check_xml(out, value->pci);
		output_text(out, "</span> ");
	}
	check_xml(out, value->what);
	output_text(out, "</h4>\n");
	if (check_is_count(report->machine, value, &by))
		print_count(value, by, out);
	else if (value->box[0] && !value->good)
		print_bits(report, value, out);
	else
		print_numbers(value, out);
}
