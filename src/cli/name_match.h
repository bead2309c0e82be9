/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of many names a person means. */
#ifndef UNC_CLI_NAME_MATCH_H
#define UNC_CLI_NAME_MATCH_H

/*
 * How well a name fits a pattern, in upper or lower case: 2: the pattern has * or ? and matches it whole, or is the name, or its
 * beginning up to a dot ("cas_count" of "cas_count.rd"); 1: it stands somewhere in the name; 0: it does not.  Only the
 * names that fit best are meant.  A pattern of NULL fits every name.
 */
int name_match(const char *pattern, const char *name);

#endif
