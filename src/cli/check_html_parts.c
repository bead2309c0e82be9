// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/check.h"

/* Styles for light, dark and paper; wide elements scroll by themselves, so that the page does not. */
const char check_html_style[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1c2024;--dim:#5b6470;--line:#d3d8de;--soft:#f4f6f8;\n"
	"--pass:#dff3e3;--pass-fg:#12602b;--fail:#fbd9d6;--fail-fg:#9a1510;--skip:#e9ebee;--skip-fg:#4a525c;\n"
	"--none:#fbeecb;--none-fg:#6d4c00;--link:#0b57b0;--trace:#0b57b0;--band:#12602b}\n"
	"@media "
	"(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e4e7eb;--dim:#9aa4b0;--line:#3a424c;--soft:#1e2329;\n"
	"--pass:#173a22;--pass-fg:#9fe0b1;--fail:#5a1a18;--fail-fg:#ffc9c4;--skip:#2b3138;--skip-fg:#b9c1ca;\n"
	"--none:#4a3a10;--none-fg:#f4dc9b;--link:#8ab8f5;--trace:#8ab8f5;--band:#9fe0b1}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:1rem;max-width:72rem;background:var(--bg);color:var(--fg);\n"
	"font:15px/1.45 system-ui,-apple-system,'Segoe UI','Liberation Sans',sans-serif;overflow-wrap:anywhere}\n"
	"h1{font-size:1.5rem;margin:.2rem 0 .4rem}h2{font-size:1.15rem;margin:2rem 0 .6rem;padding-bottom:.2rem;\n"
	"border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1rem 0 .3rem}h4{font-size:.9rem;margin:.2rem 0}\n"
	"p{margin:.4rem 0}a{color:var(--link)}code,pre,.num{font-family:ui-monospace,'Liberation Mono',monospace;\n"
	"font-size:.86em}.dim{color:var(--dim)}\n"
	".state{display:inline-block;padding:0 .45em;border-radius:.25em;white-space:nowrap;font-weight:600}\n"
	".pass{background:var(--pass);color:var(--pass-fg)}.fail{background:var(--fail);color:var(--fail-fg)}\n"
	".skip{background:var(--skip);color:var(--skip-fg)}.notrun{background:var(--none);color:var(--none-fg)}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.4rem 0}\n"
	"dt{color:var(--dim)}dd{margin:0}\n"
	".tiles{display:flex;flex-wrap:wrap;gap:.5rem;margin:.6rem 0}\n"
	".tile{padding:.4rem .8rem;border-radius:.4rem;min-width:7rem}.tile b{display:block;font-size:1.4rem}\n"
	".wide{overflow-x:auto;margin:.3rem 0}\n"
	"table{border-collapse:collapse}.list{width:100%}\n"
	".list th,.list td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid "
	"var(--line)}\n"
	".list th{color:var(--dim);font-weight:500}.list td:first-child{white-space:nowrap}\n"
	".list td:nth-child(-n+2){width:1%;padding-right:1.2rem}"
	".brief td.where{width:30%;white-space:normal;border-right:1px solid var(--line)}.brief "
	"td.which{width:1%;white-space:nowrap}"
	".brief td.found{width:auto}\n"
	".sockets{display:flex;flex-wrap:wrap;gap:.8rem}\n"
	".socket{border:2px solid var(--line);border-radius:.5rem;padding:.5rem .7rem;background:var(--soft)}.socket "
	"h3{margin-top:0}\n"
	".imc{border:1px solid var(--line);border-radius:.4rem;padding:.3rem .5rem;background:var(--bg)}\n"
	".offail{border-color:var(--fail-fg)}.ofpass{border-color:var(--pass-fg)}.ofnotrun{border-color:var(--none-fg)}"
	"\n"
	".imcs{display:flex;flex-wrap:wrap;gap:.6rem}.channels{display:flex;flex-wrap:wrap;gap:.3rem}\n"
	".ch{display:block;min-width:4.2rem;padding:.3rem .4rem;border-radius:.3rem;border:1px solid currentColor;\n"
	"text-align:center;text-decoration:none;line-height:1.25}.ch b{display:block}\n"
	".ch.fail{border-width:3px}.ch.skip,.ch.notrun{border-style:dashed}\n"
	".failure{border:1px solid var(--line);border-left:5px solid var(--fail-fg);border-radius:.3rem;\n"
	"padding:.5rem .8rem;margin:.7rem 0;break-inside:avoid-page}.failure h3{margin-top:0}\n"
	".bits{font-family:ui-monospace,'Liberation Mono',monospace;font-size:.78rem;line-height:1.2}\n"
	".bits th,.bits td{border:1px solid var(--line);padding:.05rem "
	"0;width:1.55em;min-width:1.55em;text-align:center}\n"
	".bits th{color:var(--dim);font-weight:400}.bits .row{width:auto;white-space:nowrap;padding:.05rem "
	".5em;text-align:right;\n"
	"position:sticky;left:0;background:var(--bg);color:var(--fg)}\n"
	".bits .hex{width:auto;padding:.05rem .5em;text-align:left;white-space:nowrap}\n"
	".bits .nib{border-left:2px solid var(--dim)}.bits .out{color:var(--dim)}\n"
	".bits .bad{background:var(--fail);color:var(--fail-fg);font-weight:700;outline:2px solid var(--fail-fg);\n"
	"outline-offset:-2px}\n"
	"pre{background:var(--soft);border:1px solid var(--line);border-radius:.3rem;padding:.6rem;overflow-x:auto;\n"
	"overflow-wrap:normal}\n"
	"details{border:1px solid var(--line);border-radius:.3rem;margin:.4rem 0;padding:0 .7rem}\n"
	"details details{margin:.3rem 0}summary{cursor:pointer;padding:.4rem 0}details[open]{padding-bottom:.5rem}\n"
	"figure{margin:.6rem 0;break-inside:avoid}figcaption{font-size:.9em}\n"
	"svg{display:block;width:100%;max-width:42rem;height:auto;color:var(--fg)}\n"
	"svg text{font:12px system-ui,'Liberation Sans',sans-serif;fill:currentColor}\n"
	".grid{stroke:var(--line);stroke-width:1}.axis{stroke:var(--dim);stroke-width:1}\n"
	".band{fill:var(--band);opacity:.18}.edge{stroke:var(--band);stroke-width:1;stroke-dasharray:5 3}\n"
	".trace{fill:none;stroke:var(--trace);stroke-width:1.6}.dot{fill:none;stroke:var(--trace);stroke-width:5;"
	"stroke-linecap:round}\n"
	"circle.out{fill:none;stroke:var(--fail-fg);stroke-width:2}\n"
	"footer{margin-top:2.5rem;color:var(--dim);font-size:.9em}\n"
	"@media (max-width:36rem){.brief tr,.brief td,.brief td.where{display:block;width:auto}.brief "
	"th{display:none}\n"
	".brief "
	"td.where{border-right:0;background:var(--soft)}body{padding:.6rem}dl{grid-template-columns:1fr;gap:0}dd{"
	"margin:0 0 .4rem .8rem}\n"
	".tile{flex:1 1 40%}}\n"
	"@media print{html{font-size:11px}body{max-width:none;padding:0;font-size:1rem}\n"
	".failure{break-inside:auto}h2,h3,h4,summary{break-after:avoid}.wide,tr{break-inside:avoid}#map "
	"details{display:none}\n"
	"details>summary{list-style:none}\n"
	"details::details-content{content-visibility:visible;block-size:auto}\n"
	".wide,pre{overflow:visible}pre{white-space:pre-wrap}.bits{font-size:6.5px}.bits.count{font-size:.9rem}\n"
	"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

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

enum { CROWD = 16 }; /* if there are more of a kind they are not shown one by one */

static void counts_text(const struct check_tally *tally, char *buf, size_t size)
{
	size_t len = (size_t)snprintf(buf, size, "%u passed, %u failed, %u skipped", tally->counts[UNC_CHECK_PASS],
				      tally->counts[UNC_CHECK_FAIL], tally->counts[UNC_CHECK_SKIP]);

	if (tally->counts[UNC_CHECK_NOT_RUN] && len < size)
		snprintf(buf + len, size - len, ", %u not run", tally->counts[UNC_CHECK_NOT_RUN]);
}

/* A box with a link to what failed there, or else to its row in the table. */
static void print_link(const struct check_report *report, const char *subject, const char *label, struct output *out)
{
	enum unc_check_state worst;
	struct check_tally tally;
	char counts[100];

	check_tally(report, subject, &tally);
	if (!tally.n) {
		output_text(out, "<span class=\"ch skip\" title=\"not looked at\">");
		check_xml(out, label);
		output_text(out, "<b>&middot;</b></span>\n");
		return;
	}
	worst = check_worst(tally.counts);
	counts_text(&tally, counts, sizeof(counts));
	output_printf(out, "<a class=\"ch %s\" href=\"#%s%zu\" title=\"", check_html_class(worst),
		      worst == UNC_CHECK_FAIL ? "f" : "s",
		      worst == UNC_CHECK_FAIL ? tally.first_failure : check_first_of(report, subject));
	check_xml(out, subject);
	output_printf(out, ": %s%s", counts, tally.failed[0] ? ": " : "");
	check_xml(out, tally.failed);
	output_text(out, "\">");
	check_xml(out, label);
	output_printf(out, "<b>%s %s</b></a>\n", check_html_mark(worst), check_state_name(worst));
}

/* The worst state of a socket, or of one of its controllers; imc -1: of all of them. */
static void print_heading(const struct check_report *report, unsigned socket, int imc, struct output *out)
{
	unsigned counts[CHECK_STATES] = {0}, n = 0;
	enum unc_check_state worst;

	for (size_t i = 0; i < report->n; i++) {
		const struct check_item *item = &report->items[i];

		if (item->socket != (int)socket || (imc >= 0 && item->imc != imc))
			continue;
		counts[item->result.state]++;
		n++;
	}
	worst = check_worst(counts);
	output_printf(out, "<div class=\"%s of%s\">", imc < 0 ? "socket" : "imc", n ? check_html_class(worst) : "none");
	output_printf(out, imc < 0 ? "<h3>socket %u" : "<h4>iMC %u", imc < 0 ? socket : (unsigned)imc);
	if (n)
		output_printf(out, " <span class=\"state %s\" title=\"%s\">%s</span>", check_html_class(worst),
			      check_state_name(worst), check_html_mark(worst));
	output_text(out, imc < 0 ? "</h3>\n<div class=\"imcs\">\n" : "</h4><div class=\"channels\">\n");
}

static void print_socket(const struct check_report *report, unsigned socket, struct output *out)
{
	size_t n = unc_box_count(report->machine, "imc");
	int imc = -1;
	char name[40];

	snprintf(name, sizeof(name), "socket%u", socket);
	print_heading(report, socket, -1, out);
	for (size_t i = 0; i < n; i++) {
		struct unc_box_info box;
		char label[24];

		unc_box_info(unc_box_at(report->machine, "imc", i), &box);
		if (box.socket != socket || box.presence == UNC_ABSENT)
			continue;
		if (imc != (int)box.imc) {
			output_text(out, imc < 0 ? "" : "</div></div>\n");
			print_heading(report, socket, (int)box.imc, out);
		}
		imc = (int)box.imc;
		snprintf(label, sizeof(label), "ch%u", box.channel);
		print_link(report, box.name, label, out);
	}
	output_text(out, imc < 0 ? "" : "</div></div>\n");
	if (check_first_of(report, name) < report->n) {
		output_text(out, "<div class=\"imc\"><h4>socket</h4><div class=\"channels\">\n");
		print_link(report, name, name, out);
		output_text(out, "</div></div>\n");
	}
	output_text(out, "</div></div>\n");
}

/* How many caches, CPUs and so on there are of a kind. */
static size_t count_kind(const struct check_report *report, const char *kind)
{
	size_t n = 0;

	for (size_t i = 0; i < report->n; i++)
		n += report->items[i].socket < 0 && check_is_first(report, i) && check_kind(&report->items[i]) == kind;
	return n;
}

/* One box for all of them: some machines have hundreds of CPUs. */
static void print_crowd(const struct check_report *report, size_t first, size_t n, struct output *out)
{
	const char *kind = check_kind(&report->items[first]);
	unsigned counts[CHECK_STATES] = {0};
	enum unc_check_state worst;
	size_t at = report->n;

	for (size_t i = 0; i < first; i++)
		if (check_kind(&report->items[i]) == kind)
			return; /* it was printed already */
	for (size_t i = first; i < report->n; i++) {
		const struct check_item *item = &report->items[i];

		if (check_kind(item) != kind)
			continue;
		counts[item->result.state]++;
		if (at == report->n && item->result.state == UNC_CHECK_FAIL)
			at = i;
	}
	worst = check_worst(counts);
	output_printf(out, "<a class=\"ch %s\" href=\"#%s%zu\" title=\"%u passed, %u failed, %u skipped\">%zu %ss",
		      check_html_class(worst), at < report->n ? "f" : "s", at < report->n ? at : first,
		      counts[UNC_CHECK_PASS], counts[UNC_CHECK_FAIL], counts[UNC_CHECK_SKIP], n, kind);
	output_printf(out, "<b>%s %s</b></a>\n", check_html_mark(worst), check_state_name(worst));
}

/* Prints caches, CPUs, and the machine. */
static void print_others(const struct check_report *report, struct output *out)
{
	bool any = false;

	for (size_t i = 0; i < report->n; i++) {
		const struct check_item *item = &report->items[i];
		size_t n;

		if (item->socket >= 0 || !check_is_first(report, i))
			continue;
		if (!any)
			output_text(out, "<div class=\"socket\"><h3>besides</h3>\n<div class=\"channels\">\n");
		any = true;
		n = count_kind(report, check_kind(item));
		if (n > CROWD)
			print_crowd(report, i, n, out);
		else
			print_link(report, item->result.subject, item->result.subject, out);
	}
	output_text(out, any ? "</div></div>\n" : "");
}

static void print_map_row(const struct check_report *report, size_t i, struct output *out)
{
	const char *subject = report->items[i].result.subject;
	struct check_tally tally;
	char counts[100];

	check_tally(report, subject, &tally);
	counts_text(&tally, counts, sizeof(counts));
	output_printf(out, "<tr id=\"s%zu\"><td>", i);
	check_xml(out, subject);
	output_text(out, "</td><td>");
	check_html_state(out, check_worst(tally.counts));
	output_printf(out, "</td><td>%s", counts);
	for (size_t k = i; k < report->n && tally.counts[UNC_CHECK_FAIL]; k++) {
		const struct unc_check_result *result = &report->items[k].result;

		if (result->state != UNC_CHECK_FAIL || strcmp(result->subject, subject) != 0)
			continue;
		output_printf(out, " <a href=\"#f%zu\">", k);
		check_xml(out, result->check);
		output_text(out, "</a>");
	}
	output_text(out, "</td></tr>\n");
}

void check_html_map(const struct check_report *report, struct output *out)
{
	output_text(out, "<section id=\"map\"><h2>Map</h2>\n<div class=\"sockets\">\n");
	for (unsigned socket = 0; socket < report->info.n_sockets; socket++)
		print_socket(report, socket, out);
	print_others(report, out);
	output_text(out, "</div>\n<details><summary>The same as a table</summary>\n<table class=\"list\">\n"
			 "<tr><th>what</th><th>worst</th><th>results</th></tr>\n");
	for (size_t i = 0; i < report->n; i++)
		if (check_is_first(report, i))
			print_map_row(report, i, out);
	output_text(out, "</table></details></section>\n");
}

/* Plots of `check --format html`, as SVG in the page. */

enum { WIDTH = 640, HEIGHT = 250, LEFT = 92, RIGHT = 18, TOP = 28, BOTTOM = 44, TICKS = 6, DOTS_MAX = 80 };

struct range {
	double low, high, step; /* ticks are at multiples of step */
};
struct drawing {
	const struct unc_check_plot *plot;
	struct output *out;
	struct range x, y;
	bool banded;
};

static void widen(struct range *range, double value)
{
	if (!isfinite(value))
		return;
	range->low = value < range->low ? value : range->low;
	range->high = value > range->high ? value : range->high;
}

/* The smallest of 1, 2, 5 times a power of ten that gives at most as many ticks as fit. */
static double nice_step(double span)
{
	static const double times[] = {1, 2, 5};
	double power = 1;

	while (power * TICKS < span)
		power *= 10;
	while (power > span / TICKS)
		power /= 10;
	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (power * times[i] * TICKS >= span)
			return power * times[i];
	return power * 10;
}

static void finish(struct range *range, bool pad)
{
	double span, room;

	if (!(range->low <= range->high)) /* there is no number at all */
		range->low = range->high = 0;
	span = range->high - range->low;
	room = span > 0 ? span * 0.06 : range->high != 0 ? (range->high < 0 ? -range->high : range->high) * 0.01 : 1;
	if (pad || span <= 0) {
		range->low -= room;
		range->high += room;
	}
	range->step = nice_step(range->high - range->low);
}

static double across(const struct drawing *d, double x)
{
	return LEFT + (x - d->x.low) / (d->x.high - d->x.low) * (WIDTH - LEFT - RIGHT);
}

static double down(const struct drawing *d, double y)
{
	return TOP + (d->y.high - y) / (d->y.high - d->y.low) * (HEIGHT - TOP - BOTTOM);
}

/* Writes enough digits to distinguish ticks; "30M" rather than 3e+07. */
static void tick_text(const struct range *range, double at, char *buf, size_t size)
{
	static const struct {
		double least;
		const char *name;
	} units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {0, ""}};
	double most = range->high > -range->low ? range->high : -range->low;
	double part = range->step * 1e5;
	unsigned unit = 0;
	int digits = 6;

	while (most < units[unit].least)
		unit++;
	while (part < most && digits < 15) {
		part *= 10;
		digits++;
	}
	if (at < range->step / 1000 && at > -range->step / 1000)
		at = 0;
	snprintf(buf, size, "%.*g%s", digits, units[unit].least > 0 ? at / units[unit].least : at,
		 at == 0 ? "" : units[unit].name);
}

/* The tick of that index.  False: it is beyond the end. */
static bool tick(const struct range *range, unsigned index, double *ret_at)
{
	double n = range->low / range->step;

	n = n >= 0 ? (double)(uint64_t)n : -(double)(uint64_t)-n;
	if (n * range->step < range->low)
		n += 1;
	*ret_at = (n + index) * range->step;
	return *ret_at <= range->high;
}

static void draw_ticks(const struct drawing *d)
{
	char text[40];
	double at;

	for (unsigned i = 0; tick(&d->y, i, &at); i++) {
		tick_text(&d->y, at, text, sizeof(text));
		output_printf(d->out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT,
			      WIDTH - RIGHT, down(d, at), down(d, at));
		output_printf(d->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 6,
			      down(d, at) + 4, text);
	}
	for (unsigned i = 0; tick(&d->x, i, &at); i++) {
		tick_text(&d->x, at, text, sizeof(text));
		output_printf(d->out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
			      across(d, at), across(d, at), HEIGHT - BOTTOM, HEIGHT - BOTTOM + 5);
		output_printf(d->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", across(d, at),
			      HEIGHT - BOTTOM + 18, text);
	}
}

static void draw_axes(const struct drawing *d)
{
	output_printf(d->out, "<path class=\"axis\" fill=\"none\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, HEIGHT - BOTTOM,
		      WIDTH - RIGHT);
	output_printf(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
		      HEIGHT - 8);
	check_xml(d->out, d->plot->x_unit);
	output_printf(d->out, "</text>\n<text x=\"%d\" y=\"%d\">", 4, TOP - 12);
	check_xml(d->out, d->plot->y_unit);
	output_text(d->out, "</text>\n");
}

static void draw_band(const struct drawing *d)
{
	double high = down(d, d->plot->high), low = down(d, d->plot->low);

	if (!d->banded)
		return;
	output_printf(d->out, "<rect class=\"band\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>", LEFT, high,
		      WIDTH - LEFT - RIGHT, low - high);
	output_printf(d->out, "<path class=\"edge\" d=\"M%d %.1fH%dM%d %.1fH%d\"/>\n", LEFT, high, WIDTH - RIGHT, LEFT,
		      low, WIDTH - RIGHT);
	output_printf(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">expected: %.6g to %.6g</text>\n",
		      WIDTH - RIGHT, TOP - 12, d->plot->low, d->plot->high);
}

static bool is_drawn(const struct unc_check_point *point)
{
	return isfinite(point->x) && isfinite(point->y);
}

/* All dots are one path: lines of zero length with round ends.  Dots outside the band are drawn one by one, as rings. */
static void draw_dots(const struct drawing *d)
{
	const struct unc_check_plot *plot = d->plot;

	output_text(d->out, "<path class=\"dot\" d=\"M0 0");
	for (size_t i = 0; i < plot->n_points && plot->n_points <= DOTS_MAX; i++)
		if (is_drawn(&plot->points[i]))
			output_printf(d->out, "M%.1f %.1fh0", across(d, plot->points[i].x), down(d, plot->points[i].y));
	output_text(d->out, "\"/>\n");
	for (size_t i = 0; i < plot->n_points && d->banded; i++) {
		const struct unc_check_point *point = &plot->points[i];

		if (is_drawn(point) && (point->y < plot->low || point->y > plot->high))
			output_printf(d->out, "<circle class=\"out\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n",
				      across(d, point->x), down(d, point->y));
	}
}

static void draw_trace(const struct drawing *d)
{
	const struct unc_check_plot *plot = d->plot;
	bool down_now = false;

	output_text(d->out, "<path class=\"trace\" d=\"");
	for (size_t i = 0; i < plot->n_points; i++) {
		if (is_drawn(&plot->points[i]))
			output_printf(d->out, "%c%.1f %.1f", down_now ? 'L' : 'M', across(d, plot->points[i].x),
				      down(d, plot->points[i].y));
		down_now = is_drawn(&plot->points[i]);
	}
	output_text(d->out, "\"/>\n");
	draw_dots(d);
}

static void print_plot(const char *subject, const struct unc_check_plot *plot, struct output *out)
{
	struct drawing d = {
		.plot = plot,
		.out = out,
		.x = {.low = INFINITY, .high = -INFINITY},
		.y = {.low = INFINITY, .high = -INFINITY},
		.banded = plot->low != 0 || plot->high != 0,
	};

	for (size_t i = 0; i < plot->n_points; i++) {
		widen(&d.x, plot->points[i].x);
		widen(&d.y, plot->points[i].y);
	}
	if (d.banded) {
		widen(&d.y, plot->low);
		widen(&d.y, plot->high);
	}
	finish(&d.x, false);
	finish(&d.y, true);
	output_text(out, "<figure><figcaption>");
	check_xml(out, subject);
	output_text(out, ": ");
	check_xml(out, plot->title);
	output_printf(out,
		      "</figcaption>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">"
		      "<title>",
		      WIDTH, HEIGHT);
	check_xml(out, plot->title);
	output_text(out, "</title>\n");
	draw_ticks(&d);
	draw_band(&d);
	draw_axes(&d);
	draw_trace(&d);
	output_text(out, "</svg></figure>\n");
}

void check_html_plots(const struct check_report *report, size_t index, struct output *out)
{
	struct unc_check_plot plot;

	for (size_t i = 0; unc_check_plot(report->check, index, i, &plot) == 0; i++)
		print_plot(report->items[index].result.subject, &plot, out);
}
