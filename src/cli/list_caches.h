/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What list reports of the L3 caches: which CPUs share them, and what of them can be monitored and allocated. */
#ifndef UNC_CLI_LIST_CACHES_H
#define UNC_CLI_LIST_CACHES_H

#include "cli/report.h"

/* Prints paragraphs below the machine. l3_bytes: the size of one, from libcpuid; 0: not known. */
void list_print_caches(struct opened *opened, bool verbose, uint64_t l3_bytes, struct output *out);
/* Prints a paragraph after its label, broken between words; the label "" continues the one before. */
void list_print_paragraph(struct output *out, const char *label, const char *text);
/* EXIT_DONE, or an exit status after a message why caches cannot be monitored. */
int list_has_caches(struct opened *opened);
/* list --caches: prints a row for each cache.  Returns the exit status. */
int list_emit_caches(struct opened *opened, const struct report *report, struct output *out);

#endif
