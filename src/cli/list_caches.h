/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What list says of the L3 caches: who shares them, what of them can be monitored and allocated. */
#ifndef UNC_CLI_LIST_CACHES_H
#define UNC_CLI_LIST_CACHES_H

#include "cli/report.h"

/* Paragraphs below the machine.  l3_bytes: of one, as libcpuid has it; 0: not told. */
void list_print_caches(struct opened *opened, bool verbose, uint64_t l3_bytes, struct output *out);
/* A paragraph behind its label, broken between words; the label "" continues the one before. */
void list_print_paragraph(struct output *out, const char *label, const char *text);
/* EXIT_DONE, or it was said why caches cannot be monitored. */
int list_has_caches(struct opened *opened);
/* list --caches: a row for each of them.  The exit status. */
int list_emit_caches(struct opened *opened, const struct report *report, struct output *out);

#endif
