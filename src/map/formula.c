// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/formula.h"

#include <float.h>

#include "base/err.h"
#include "base/text.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"

enum { NAME_MAX_LEN = 63 };

/* A formula is kept in postfix form: operands push a value, operators take two and push one. */
struct step {
	char what;        /* '+', '-', '*', '/', '1' (a number), 'n' (a name), 't' (the time) */
	double number;    /* '1'; 'n': what its value is multiplied by */
	unsigned name;    /* 'n': index of names */
	unsigned at, len; /* operands: place in the text */
};

struct unc_formula {
	char text[UNC_FORMULA_MAX];
	unsigned n_steps;
	struct step steps[]; /* operands are in the order of the text */
};

struct parser {
	struct unc_ctx *ctx;
	const char *const *names;
	size_t n_names;
	struct unc_formula *formula;
	unsigned at, depth;
};

static int refuse(const struct parser *p, const char *why)
{
	return unc_fail(p->ctx, UNC_EMAP, "formula \"%s\": at character %u: %s", p->formula->text, p->at + 1, why);
}

static char next_char(struct parser *p)
{
	while (p->formula->text[p->at] == ' ')
		p->at++;
	return p->formula->text[p->at];
}

static void add_step(struct parser *p, struct step step)
{
	p->formula->steps[p->formula->n_steps++] = step;
	p->at += step.len;
}

static int parse_number(struct parser *p)
{
	const char *text = p->formula->text + p->at;
	struct step step = {.what = '1', .at = p->at};
	size_t len = strspn(text, DIGITS ".");
	char copy[UNC_FORMULA_MAX];

	if (text[len] == 'e') { /* "1e9", "1e-9" */
		len += 1 + (text[len + 1] == '-' || text[len + 1] == '+');
		len += strspn(text + len, DIGITS);
	}
	step.len = (unsigned)len;
	memcpy(copy, text, step.len);
	copy[step.len] = '\0';
	if (!unc_text_double(copy, &step.number))
		return refuse(p, "this is not a number; write it like 64 or 0.5 or 1e9");
	add_step(p, step);
	return 0;
}

static int parse_name(struct parser *p)
{
	const char *text = p->formula->text + p->at;
	struct step step = {.what = 'n', .number = 1, .at = p->at, .len = (unsigned)strspn(text, LETTERS DIGITS "_")};
	char known[UNC_FORMULA_NAMES_MAX * 20] = "";

	if (step.len == 4 && memcmp(text, "time", 4) == 0) {
		step.what = 't';
		add_step(p, step);
		return 0;
	}
	for (; step.name < p->n_names; step.name++) {
		const char *name = p->names[step.name];

		if (strlen(name) == step.len && memcmp(name, text, step.len) == 0) {
			add_step(p, step);
			return 0;
		}
		unc_text_join(known, sizeof(known), "", "%s, ", name);
	}
	return unc_fail(p->ctx, UNC_EMAP, "formula \"%s\": at character %u: \"%.*s\" is not known; there are %stime",
			p->formula->text, p->at + 1, step.len < 64 ? (int)step.len : 64, text, known);
}

static int parse_sum(struct parser *p);

static int parse_operand(struct parser *p)
{
	char c = next_char(p);
	int rc;

	if (c >= 'a' && c <= 'z')
		return parse_name(p);
	if ((c >= '0' && c <= '9') || c == '.')
		return parse_number(p);
	if (c != '(')
		return refuse(p, "a number, a name or ( is wanted here");
	if (p->depth == UNC_FORMULA_DEPTH_MAX)
		return refuse(p, "too many parentheses inside of parentheses");
	p->at++;
	p->depth++;
	rc = parse_sum(p);
	p->depth--;
	if (rc < 0)
		return rc;
	if (next_char(p) != ')')
		return refuse(p, "an operator or ) is wanted here");
	p->at++;
	return 0;
}

/* Reads operands and operators of a set, from left to right. */
static int parse_chain(struct parser *p, const char *operators, int (*parse_part)(struct parser *p))
{
	int rc = parse_part(p);

	while (rc == 0 && next_char(p) && strchr(operators, next_char(p))) {
		char what = next_char(p);

		p->at++;
		rc = parse_part(p);
		if (rc == 0)
			add_step(p, (struct step){.what = what});
	}
	return rc;
}

static int parse_product(struct parser *p)
{
	return parse_chain(p, "*/", parse_operand);
}

static int parse_sum(struct parser *p)
{
	return parse_chain(p, "+-", parse_product);
}

int unc_formula_parse(struct unc_ctx *ctx, const char *text, const char *const *names, size_t n_names,
		      struct unc_formula **ret_formula)
{
	struct parser p = {.ctx = ctx, .names = names, .n_names = n_names};
	size_t len = strlen(text);
	int rc;

	if (len >= UNC_FORMULA_MAX)
		return unc_fail(ctx, UNC_EMAP,
				"formula \"%.40s...\": %zu characters are too many; at most %d are possible", text, len,
				UNC_FORMULA_MAX - 1);
	/* Each step needs at least one character. */
	p.formula = calloc(1, sizeof(*p.formula) + len * sizeof(p.formula->steps[0]));
	if (!p.formula)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	memcpy(p.formula->text, text, len + 1);
	rc = parse_sum(&p);
	if (rc == 0 && next_char(&p) != '\0')
		rc = refuse(&p, "an operator is wanted here");
	if (rc < 0)
		free(p.formula);
	else
		*ret_formula = p.formula;
	return rc;
}

bool unc_formula_uses(const struct unc_formula *formula, size_t index)
{
	for (unsigned i = 0; i < formula->n_steps; i++)
		if (formula->steps[i].what == 'n' && formula->steps[i].name == index)
			return true;
	return false;
}

static double operand(const struct step *step, const double *values, double seconds)
{
	return step->what == '1' ? step->number : step->what == 't' ? seconds : values[step->name] * step->number;
}

void unc_formula_scale(struct unc_formula *formula, size_t index, double factor)
{
	for (unsigned i = 0; i < formula->n_steps; i++)
		if (formula->steps[i].what == 'n' && formula->steps[i].name == index)
			formula->steps[i].number = factor;
}

struct measured { /* a value and its uncertainty */
	double value, doubt;
};

static double size_of(double number)
{
	return number < 0 ? -number : number;
}

/* The uncertainties of both operands may add up, since nothing is known about how they depend on each other. */
static struct measured operate(char what, struct measured a, struct measured b)
{
	double least = size_of(b.value) - b.doubt; /* the distance of a divisor from zero may be as small as this */

	switch (what) {
	case '+':
		return (struct measured){a.value + b.value, a.doubt + b.doubt};
	case '-':
		return (struct measured){a.value - b.value, a.doubt + b.doubt};
	case '*':
		return (struct measured){
			a.value * b.value,
			size_of(a.value) * b.doubt + size_of(b.value) * a.doubt + a.doubt * b.doubt,
		};
	default:
		return (struct measured){
			a.value / b.value,
			least > 0 ? (a.doubt + size_of(a.value / b.value) * b.doubt) / least : DBL_MAX,
		};
	}
}

int unc_formula_measure(const struct unc_formula *formula, const double *values, const double *doubts, double seconds,
			double *ret_value, double *ret_doubt)
{
	/* In each level of parentheses one sum and one product may wait for their second operand. */
	struct measured stack[2 * (UNC_FORMULA_DEPTH_MAX + 1) + 1] = {{0}};
	unsigned n = 0;

	for (const struct step *step = formula->steps; step < formula->steps + formula->n_steps; step++) {
		if (strchr("1nt", step->what)) {
			stack[n++] = (struct measured){
				operand(step, values, seconds),
				doubts && step->what == 'n' ? doubts[step->name] * step->number : 0,
			};
			continue;
		}
		n--;
		if (step->what == '/' && stack[n].value == 0)
			return UNC_ENODATA;
		stack[n - 1] = operate(step->what, stack[n - 1], stack[n]);
	}
	/* Refuses infinity and NaN, as after a division by almost nothing. */
	if (stack[0].value - stack[0].value != 0)
		return UNC_ENODATA;
	*ret_value = stack[0].value;
	*ret_doubt = stack[0].doubt < DBL_MAX ? stack[0].doubt : DBL_MAX;
	return 0;
}

int unc_formula_value(const struct unc_formula *formula, const double *values, double seconds, double *ret_value)
{
	double doubt;

	return unc_formula_measure(formula, values, NULL, seconds, ret_value, &doubt);
}

/*
 * Whole numbers, as counts are, in full; others, such as seconds of whole nanoseconds, with all the decimals for which
 * a double has digits.
 */
static void number_text(double number, char *buf, size_t size)
{
	int whole = snprintf(buf, size, "%.0f", number);
	size_t len = (size_t)snprintf(buf, size, "%.*f", whole < 6 ? 9 : whole < 15 ? 15 - whole : 0, number);

	if (len >= size || !strchr(buf, '.'))
		return;
	while (buf[len - 1] == '0')
		buf[--len] = '\0';
	if (buf[len - 1] == '.')
		buf[--len] = '\0';
}

bool unc_formula_explain(const struct unc_formula *formula, const double *values, double seconds, char *buf,
			 size_t size)
{
	size_t used = 0;
	unsigned at = 0;

	for (const struct step *step = formula->steps; step < formula->steps + formula->n_steps; step++) {
		char number[330]; /* the largest double has 309 digits */

		if (step->what != 'n' && step->what != 't')
			continue;
		number_text(operand(step, values, seconds), number, sizeof(number));
		used += (size_t)snprintf(buf + used, size - used, "%.*s%s", (int)(step->at - at), formula->text + at,
					 number);
		at = step->at + step->len;
		if (used >= size)
			return false;
	}
	used += (size_t)snprintf(buf + used, size - used, "%s", formula->text + at);
	return used < size;
}

bool unc_formula_name_valid(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len <= NAME_MAX_LEN && len == strspn(name, LETTERS DIGITS "_") && name[0] >= 'a' &&
	       name[0] <= 'z';
}
