/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text to numbers and numbers to text.  Nothing about hardware. */
#ifndef UNC_BASE_TEXT_H
#define UNC_BASE_TEXT_H

#include "uncore.h"

/* The value of a hex digit, 0 to 15, or -1. */
static inline int unc_text_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline char unc_lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}
/* Whatever the case of their letters. */
bool unc_text_same(const char *a, const char *b);

/* Reads a whole string that is an unsigned number, decimal or 0x-hex, without sign and blanks: true and *ret_value. */
bool unc_text_u64(const char *text, uint64_t *ret_value);
/* Reads up to `most` digits of that base; *text moves to their end.  False: there are none, or the number is too large. */
bool unc_text_digits(const char **text, unsigned base, unsigned most, uint64_t *ret_value);
/* The same of all decimal digits that are there. */
bool unc_text_take(const char **text, uint64_t *ret_value);
/* As unc_text_u64() for the number with which a text begins; *text moves to its end. */
bool unc_text_number(const char **text, uint64_t *ret_value);
/* Reads a whole string that is a hex number without a prefix ("3cb0"), at most 16 digits. */
bool unc_text_hex(const char *text, uint64_t *ret_value);
/* Reads a whole string that is a decimal number such as 12, 0.5, 25.6e9; not negative, not infinite, not NaN. */
bool unc_text_double(const char *text, double *ret_value);
/*
 * Takes the next number or range from a list as Linux writes CPU lists ("0-3,8,10-11", perhaps with a newline); *list moves
 * on, and is NULL after the last.  False: there are no more, or *list is malformed, as with a number above max.
 */
bool unc_text_range(const char **list, uint64_t max, uint64_t *ret_first, uint64_t *ret_last);

/*
 * Returns the next character of a text in UTF-8; *text moves to its end.  UNC_TEXT_ILL: a byte that begins no
 * character; *text moves by one.
 */
#define UNC_TEXT_ILL UINT32_MAX
uint32_t unc_text_next(const char **text);
/*
 * The only filter for text that people read.  Control characters (C0, DEL, C1), characters that change the direction of
 * text or have no width, and bytes that are not UTF-8 become "\x1b", byte by byte; everything else is copied.
 * Filtering a filtered text does not change it.
 */
enum { UNC_TEXT_PIECE = 17 };
/* Writes the next character, filtered, with its zero; returns its length.  *text moves to the end of the character. */
size_t unc_text_show_next(const char **text, char piece[UNC_TEXT_PIECE]);
/* Filters the whole text; cuts it between characters if it does not fit. */
void unc_text_show(const char *text, char *buf, size_t size);

/* Cuts a copy of text at a separator: returns the next piece, or NULL at the end.  *rest moves on; text is changed. */
char *unc_text_cut(char **rest, char separator);

/*
 * Cuts a command line into words, in place; words, of max elements, ends with NULL.  Quotes, single or double, keep blanks; # begins
 * a comment.  Returns how many words there are; -1: a quote has no end, or there are too many words.
 */
int unc_text_words(char *line, char **words, int max);

/* Returns true if the word, of len letters, is one of "one, another, a third".  NULL: an empty list. */
bool unc_text_listed(const char *list, const char *word, size_t len);

/* Adds the word to such a list in buf, unless it is in it or does not fit. */
void unc_text_enlist(char *buf, size_t size, const char *word, size_t len);
/* Appends to the text in buf, after the separator if it is not empty, and cuts it at its end. */
void unc_text_join(char *buf, size_t size, const char *separator, const char *fmt, ...) UNC_PRINTF(4, 5);

/* strdup(), which the headers of a freestanding host lack.  NULL when out of memory; free() it. */
char *unc_text_dup(const char *text);
/* The same of a text that printf() would write. */
char *unc_text_new(const char *fmt, ...) UNC_PRINTF(1, 2);
/* Writes bytes in hex, in the order of their addresses, and a zero: 2 * n + 1 characters. */
void unc_text_put_hex(char *to, const void *bytes, size_t n);

/*
 * Copies the text up to end, with the byte that each %HH stands for, and a zero after it.  False: it is malformed, or has no room
 * with that zero.
 */
bool unc_text_unescape(const char *text, const char *end, char *buf, size_t size, size_t *ret_len);

/* Replaces \\ooo by its byte, in place: so Linux writes blanks and backslashes in a mount table (fs/proc_namespace.c, mangle()). */
void unc_text_demangle(char *text);

/* Matches a pattern with * and ? with the whole text. */
bool unc_text_match(const char *pattern, const char *text);

/* Bytes that grow.  All zero: none. */
struct unc_bytes {
	char *bytes; /* owned: free() */
	size_t len, room;
};
/* False: out of memory, and nothing is added. */
bool unc_bytes_add(struct unc_bytes *to, const void *bytes, size_t n);

/* Names that are collected.  All zero: none. */
struct unc_names {
	struct unc_bytes all; /* each name with its zero */
	size_t n;
};
/* False: out of memory. */
bool unc_names_add(struct unc_names *names, const char *name);
/* Frees the names and returns them as unc_os_dir_list() does, in one allocation; sorted: by strcmp.  NULL: out of memory. */
const char *const *unc_names_list(struct unc_names *names, bool sorted);

/* For qsort() and bsearch(): below, equal, above.  The second is of elements that are unsigned. */
int unc_order(uint64_t a, uint64_t b);
int unc_order_unsigned(const void *a, const void *b);
/* How many bits are 1. */
unsigned unc_bits_set(uint64_t bits);

/* Arrays that grow.  One element type per array; the owner frees the memory with free(). */

/*
 * Makes room for one more element of the given size after the n that are there: returns the array, perhaps moved, with
 * the new element zeroed, or NULL when out of memory (then the old array is untouched and still the caller's). The
 * capacity doubles, so only n must be remembered.
 */
void *unc_array_more(void *array, size_t n, size_t size);
/* Appends a copy of the element.  array: the address of the pointer to the first, such as &list->items.  False: out of memory. */
bool unc_array_add(void *array, size_t *n, const void *element, size_t size);

#endif
