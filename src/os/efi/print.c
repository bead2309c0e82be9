// SPDX-License-Identifier: GPL-2.0-or-later
/* Printing into memory, and reading of real numbers: each is rounded as the C library of Linux does, from its exact value. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct to {
	char *text;
	size_t size, len; /* len may be beyond size */
};

static void put(struct to *to, const char *text, size_t len)
{
	if (to->len < to->size)
		memcpy(to->text + to->len, text, len < to->size - to->len ? len : to->size - to->len);
	to->len += len;
}

static void fill(struct to *to, char c, int n)
{
	for (; n > 0; n--)
		put(to, &c, 1);
}

struct form { /* between % and the letter */
	bool left, zeros, plus, blank, other;
	int width, precision; /* precision -1: none */
};

/* sign and prefix, then zeros or blanks to the width, then the text. */
static void put_padded(struct to *to, const struct form *form, const char *before, const char *text, size_t len,
		       bool zeros)
{
	size_t n = strlen(before);
	int pad = form->width - (int)(n + len);

	if (!zeros && !form->left)
		fill(to, ' ', pad);
	put(to, before, n);
	if (zeros)
		fill(to, '0', pad);
	put(to, text, len);
	if (form->left)
		fill(to, ' ', pad);
}

static void put_integer(struct to *to, const struct form *form, uint64_t value, unsigned base, const char *before)
{
	char digits[64];
	size_t at = sizeof(digits);
	int least = form->precision < 0 ? 1 : form->precision;

	for (; value || (int)(sizeof(digits) - at) < least; value /= base)
		digits[--at] = "0123456789abcdef"[value % base];
	put_padded(to, form, before, digits + at, sizeof(digits) - at,
		   form->zeros && !form->left && form->precision < 0);
}

/* ---- real numbers ---- */

enum { LIMB = 1000000000, WHOLE = 36, LIMBS = WHOLE + 122, DIGITS_MAX = 9 * LIMBS };
struct decimal {                     /* 0.DIGITS * 10^point, exactly */
	char digits[DIGITS_MAX + 1]; /* '0' to '9' */
	int n, point;
};

/* mantissa * 2^power in limbs of nine digits, WHOLE of them before the point; those from begin to end are not all 0. */
static void decimal_of(uint64_t mantissa, int power, struct decimal *d)
{
	uint32_t limbs[LIMBS];
	int n = 0, first = 0, begin = WHOLE, end = WHOLE;

	for (; mantissa; mantissa /= LIMB)
		limbs[--begin] = (uint32_t)(mantissa % LIMB);
	while (power > 0) {
		int bits = power < 29 ? power : 29;
		uint64_t carry = 0;

		for (int i = end - 1; i >= begin; i--) {
			carry += (uint64_t)limbs[i] << bits;
			limbs[i] = (uint32_t)(carry % LIMB);
			carry /= LIMB;
		}
		if (carry)
			limbs[--begin] = (uint32_t)carry;
		power -= bits;
	}
	while (power < 0) {
		int bits = -power < 9 ? -power : 9; /* 10^9 has nine factors of 2 */
		uint32_t rest = 0;

		for (int i = begin; i < end; i++) {
			uint32_t limb = limbs[i];

			limbs[i] = (limb >> bits) + rest;
			rest = (limb & ((1u << bits) - 1)) * (LIMB >> bits);
		}
		if (rest)
			limbs[end++] = rest;
		power += bits;
	}
	for (int i = begin; i < end; i++)
		for (uint32_t unit = LIMB / 10; unit; unit /= 10)
			d->digits[n++] = (char)('0' + limbs[i] / unit % 10);
	while (first < n && d->digits[first] == '0')
		first++;
	while (n > first && d->digits[n - 1] == '0')
		n--;
	d->point = first < n ? 9 * (WHOLE - begin) - first : 0;
	d->n = n - first;
	memmove(d->digits, d->digits + first, (size_t)d->n);
}

static void decimal_of_double(uint64_t bits, bool middle, struct decimal *d)
{
	int power = (int)(bits >> 52 & 0x7ff);
	uint64_t mantissa = (bits & 0xfffffffffffff) | (power ? UINT64_C(1) << 52 : 0);

	decimal_of(2 * mantissa + middle, (power ? power : 1) - 1076, d);
}

/* Keeps so many digits; exactly half goes to the even one. */
static void decimal_round(struct decimal *d, int keep)
{
	bool up;
	int i = keep;

	if (keep < 0) {
		d->n = 0;
		return;
	}
	if (keep >= d->n)
		return;
	up = d->digits[keep] > '5' ||
	     (d->digits[keep] == '5' && (d->n > keep + 1 || (keep > 0 && (d->digits[keep - 1] & 1))));
	d->n = keep;
	while (up && i > 0 && d->digits[i - 1] == '9')
		i--;
	if (up && i == 0) {
		d->digits[0] = '1';
		d->n = 1;
		d->point++;
	} else if (up) {
		d->digits[i - 1]++;
		d->n = i;
	}
}

static char digit_at(const struct decimal *d, int place) /* place 0: the one behind the point */
{
	int i = d->point + place;

	return i >= 0 && i < d->n ? d->digits[i] : '0';
}

static char *write_fixed(const struct decimal *d, int decimals, char *to)
{
	for (int place = d->point > 0 ? -d->point : -1; place < decimals; place++) {
		if (place == 0)
			*to++ = '.';
		*to++ = digit_at(d, place);
	}
	return to;
}

static char *write_exponent(const struct decimal *d, int decimals, char *to)
{
	int exponent = d->n ? d->point - 1 : 0;

	for (int i = 0; i <= decimals; i++) {
		if (i == 1)
			*to++ = '.';
		*to++ = i < d->n ? d->digits[i] : '0';
	}
	return to + snprintf(to, 8, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

static void put_real(struct to *to, const struct form *form, double value, char letter)
{
	static const int MOST = 60;
	int precision = form->precision < 0 ? 6 : form->precision < MOST ? form->precision : MOST;
	char text[DIGITS_MAX], *end = text;
	struct decimal d;
	uint64_t bits;
	int most;

	memcpy(&bits, &value, sizeof(bits));
	if ((bits >> 52 & 0x7ff) == 0x7ff) {
		put_padded(to, form, bits >> 63 ? "-" : "", bits << 12 ? "nan" : "inf", 3, false);
		return;
	}
	decimal_of_double(bits, false, &d);
	switch (letter) {
	case 'f':
		decimal_round(&d, d.point + precision);
		end = write_fixed(&d, precision, text);
		break;
	case 'e':
		decimal_round(&d, precision + 1);
		end = write_exponent(&d, precision, text);
		break;
	default: /* g: the shorter of both, without zeros at the end */
		most = precision ? precision : 1;
		decimal_round(&d, most);
		if (d.n && (d.point < -3 || d.point > most))
			end = write_exponent(&d, d.n - 1, text);
		else
			end = write_fixed(&d, d.n > d.point ? d.n - d.point : 0, text);
	}
	put_padded(to, form,
		   bits >> 63   ? "-"
		   : form->plus ? "+"
				: "",
		   text, (size_t)(end - text), form->zeros && !form->left);
}

static void put_one(struct to *to, struct form *form, char letter, unsigned n_l, va_list *args)
{
	int64_t number;
	const char *text;
	char c;

	switch (letter) {
	case 'd':
	case 'i':
		number = n_l > 1 ? va_arg(*args, long long) : n_l ? va_arg(*args, long) : va_arg(*args, int);
		put_integer(to, form, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10,
			    number < 0    ? "-"
			    : form->plus  ? "+"
			    : form->blank ? " "
					  : "");
		break;
	case 'u':
	case 'x':
		number = n_l > 1 ? (int64_t)va_arg(*args, unsigned long long)
			 : n_l   ? (int64_t)va_arg(*args, unsigned long)
				 : (int64_t)va_arg(*args, unsigned);
		put_integer(to, form, (uint64_t)number, letter == 'x' ? 16 : 10,
			    form->other && letter == 'x' && number ? "0x" : "");
		break;
	case 'c':
		c = (char)va_arg(*args, int);
		put_padded(to, form, "", &c, 1, false);
		break;
	case 's':
		text = va_arg(*args, const char *);
		put_padded(to, form, "", text,
			   strnlen(text, form->precision < 0 ? (size_t)-1 : (size_t)form->precision), false);
		break;
	case 'f':
	case 'e':
	case 'g':
		put_real(to, form, va_arg(*args, double), letter);
		break;
	default:
		put(to, &letter, 1);
	}
}

static int take_number(const char **at, va_list *args)
{
	char *end;
	int number;

	if (**at == '*') {
		++*at;
		return va_arg(*args, int);
	}
	number = (int)strtol(*at, &end, 10);
	*at = end;
	return number;
}

int vsnprintf(char *text, size_t size, const char *format, va_list given)
{
	struct to to = {text, size, 0};
	va_list args;

	va_copy(args, given);
	while (*format) {
		size_t plain = strcspn(format, "%");
		struct form form = {.precision = -1};
		unsigned n_l = 0;

		put(&to, format, plain);
		format += plain;
		if (!*format++)
			break;
		for (bool flag = true; flag; format += flag) {
			switch (*format) {
			case '-':
				form.left = true;
				break;
			case '0':
				form.zeros = true;
				break;
			case '+':
				form.plus = true;
				break;
			case ' ':
				form.blank = true;
				break;
			case '#':
				form.other = true;
				break;
			default:
				flag = false;
			}
		}
		if (*format == '*' || (*format >= '0' && *format <= '9'))
			form.width = take_number(&format, &args);
		if (form.width < 0) {
			form.left = true;
			form.width = -form.width;
		}
		if (*format == '.') {
			format++;
			form.precision = take_number(&format, &args);
		}
		for (; *format && strchr("lzh", *format); format++)
			n_l += *format == 'l' ? 1 : *format == 'z' ? 2 : 0;
		put_one(&to, &form, *format, n_l, &args);
		format += *format != '\0';
	}
	va_end(args);
	if (size)
		text[to.len < size ? to.len : size - 1] = '\0';
	return (int)to.len;
}

int snprintf(char *text, size_t size, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, size, format, args);
	va_end(args);
	return n;
}

int vasprintf(char **ret_text, const char *format, va_list args)
{
	int n = vsnprintf(NULL, 0, format, args);

	*ret_text = malloc((size_t)n + 1);
	return *ret_text ? vsnprintf(*ret_text, (size_t)n + 1, format, args) : -1;
}

int asprintf(char **ret_text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(ret_text, format, args);
	va_end(args);
	return n;
}

/* ---- reading them ---- */

struct read { /* 0.DIGITS * 10^point */
	char digits[40];
	int n, point;
};

/* Compares it with the middle between a double and the next larger one. */
static int against_middle(const struct read *read, uint64_t bits)
{
	struct decimal d;

	decimal_of_double(bits, true, &d);
	for (int i = 0; read->point == d.point && (i < read->n || i < d.n); i++) {
		int a = i < read->n ? read->digits[i] : '0', b = i < d.n ? d.digits[i] : '0';

		if (a != b)
			return a - b;
	}
	return read->point - d.point;
}

/* From a value that is near to the double that is nearest; in the middle between two it is the even one. */
static double nearest(const struct read *read, double value)
{
	uint64_t bits;
	int order;

	memcpy(&bits, &value, sizeof(bits));
	while ((order = against_middle(read, bits)) > 0 || (order == 0 && (bits & 1)))
		bits++;
	while (bits && ((order = against_middle(read, bits - 1)) < 0 || (order == 0 && (bits & 1))))
		bits--;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The first 40 digits count, which is more than this program writes. */
double strtod(const char *text, char **end)
{
	const char *at = text + strspn(text, " \t\n");
	bool minus = *at == '-', seen = false, behind = false;
	struct read read = {.n = 0};
	char *after;
	double value = 0;
	int exponent;

	at += minus || *at == '+';
	for (; (*at >= '0' && *at <= '9') || (*at == '.' && !behind); at++) {
		if (*at == '.') {
			behind = true;
			continue;
		}
		seen = true;
		if (read.n || *at != '0') {
			read.point += !behind;
			if (read.n < (int)sizeof(read.digits))
				read.digits[read.n++] = *at;
		} else {
			read.point -= behind;
		}
	}
	if (seen && (*at == 'e' || *at == 'E')) {
		exponent = (int)strtol(at + 1, &after, 10);
		if (after != at + 1) {
			read.point += exponent;
			at = after;
		}
	}
	if (end)
		*end = (char *)(seen ? at : text);
	for (int i = 0; i < read.n; i++)
		value = value * 10 + (read.digits[i] - '0');
	for (int i = read.point; i > read.n && value < 1e300; i--)
		value *= 10;
	for (int i = read.point; i < read.n && value > 0; i++)
		value /= 10;
	if (read.n && value > 0 && value < 1e300)
		value = nearest(&read, value);
	return minus ? -value : value;
}
