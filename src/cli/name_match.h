/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the names that a pattern means. */
#ifndef UNC_CLI_NAME_MATCH_H
#define UNC_CLI_NAME_MATCH_H

/*
 * How well a name matches a pattern, in upper or lower case: 2: the pattern has * or ? and matches the whole name, or is the name,
 * or its beginning up to a dot ("cas_count" of "cas_count.rd"); 1: it is somewhere in the name; 0: no match.  Only the names that
 * match best are meant.  NULL matches every name.
 */
int name_match(const char *pattern, const char *name);

#endif
