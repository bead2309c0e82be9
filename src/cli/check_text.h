/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts and values in the reports of `check`, escaped as each format needs.  They may contain anything that a machine reports of
 * itself.
 */
#ifndef UNC_CLI_CHECK_TEXT_H
#define UNC_CLI_CHECK_TEXT_H

#include "cli/output.h"
#include "uncore/check.h"

/* Escapes for XML and HTML, also between quotes, after unc_text_show(). */
void check_xml(struct output *out, const char *text);

enum { CHECK_NUMBER_MAX = 24, CHECK_SHOWN_MAX = 48 };
/* "0x00400304", as wide as the register; decimal for a value that is not a register's. */
const char *check_number(const struct unc_check_value *value, uint64_t number, char buf[CHECK_NUMBER_MAX]);
/* For people: a large number that is not a register's is also given in hexadecimal. */
const char *check_shown(const struct unc_check_value *value, uint64_t number, char buf[CHECK_SHOWN_MAX]);
/* The bits of a register that differ from what was expected; 0: nothing was expected, or all agree. */
uint64_t check_differing(const struct unc_check_value *value);
/* "bit 22 (en) reads 0, bits 3-7 (umask) read 0x1f"; "" if none differs. */
void check_bits_text(struct unc_machine *machine, const struct unc_check_value *value, char *buf, size_t size);
/*
 * Is the value a count, and not a pattern that should be read back, so that single bits mean nothing?  Then *ret_by is how much
 * more it is than expected.
 */
bool check_is_count(struct unc_machine *machine, const struct unc_check_value *value, int64_t *ret_by);
/* "1648000 (0x192580)" */
const char *check_count(uint64_t number, char buf[CHECK_SHOWN_MAX]);
/* "1648000 more than expected" */
void check_by_text(int64_t by, char *buf, size_t size);
/* The field of the register that a bit belongs to; "" if the map does not say. */
const char *check_bit_field(struct unc_machine *machine, const struct unc_check_value *value, unsigned bit);
/* "1.2 s", "35 ms", "2 min 5 s" */
void check_time_text(uint64_t ns, char *buf, size_t size);

#endif
