// SPDX-License-Identifier: GPL-2.0-or-later
/* Plots of `check --format html`, as SVG in the page. */
#include <math.h>
#include <stdio.h>

#include "cli/check_html.h"
#include "cli/check_text.h"

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
