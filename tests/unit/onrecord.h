/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record in memory, and questions of the form that a record has. */
#ifndef UNC_TESTS_ONRECORD_H
#define UNC_TESTS_ONRECORD_H

#include "onsim.h"

struct text {
	char bytes[65536];
	size_t len;
};

/* Adds a line of it; arg is a struct text. */
static inline void add_line(void *arg, const char *line)
{
	struct text *text = arg;
	size_t room = sizeof(text->bytes) - text->len;
	int n = snprintf(text->bytes + text->len, room, "%s\n", line);

	CU_ASSERT_FATAL(n > 0 && (size_t)n < room);
	text->len += (size_t)n;
}

/*
 * Asks a host about an event of the operating system: "perf open 12 0x304 0 0 3", "perf read 10".  text: the answer as a record has it,
 * or the sentence of what fails, which must leave the results as they were.
 */
static inline int perf_ask(struct unc_host *host, const char *question, char text[400])
{
	static const char *const ops[] = {
		[UNC_PERF_ON] = "on", [UNC_PERF_OFF] = "off", [UNC_PERF_READ] = "read", [UNC_PERF_CLOSE] = "close"};
	const char *what = question + strlen("perf ");
	struct unc_perf_count count = {.value = 4711};
	unsigned event = 4711, op = 0;
	uint64_t numbers[5] = {0};
	char *rest = strchr(what, ' ');
	int rc;

	for (unsigned i = 0; i < 5 && *rest; i++)
		numbers[i] = strtoull(rest, &rest, 0);
	text[0] = '\0';
	if (strncmp(what, "open ", 5) == 0) {
		const struct unc_perf_attr attr = {(uint32_t)numbers[0], numbers[1], numbers[2], numbers[3],
						   (unsigned)numbers[4]};

		rc = unc_host_perf_open(host, &attr, &event);
		snprintf(text, 400, "=%u", event);
	} else {
		while (strncmp(what, ops[op], strlen(ops[op])) != 0)
			op++;
		rc = unc_host_perf(host, (enum unc_perf_op)op, (unsigned)numbers[0],
				   op == UNC_PERF_READ ? &count : NULL);
		if (op == UNC_PERF_READ)
			snprintf(text, 400, "%" PRIu64 " %" PRIu64 " %" PRIu64, count.value, count.enabled_ns,
				 count.running_ns);
	}
	if (rc < 0) {
		CU_ASSERT_TRUE(event == 4711 && count.value == 4711);
		snprintf(text, 400, "%s", unc_errmsg(host->ctx));
	}
	return rc;
}

/* {a question, what it returns, what the text has in it}, ... */
struct perf_row {
	const char *question;
	int rc;
	const char *text;
};

static inline void perf_answers(struct unc_host *host, size_t n, const struct perf_row *rows)
{
	for (size_t i = 0; i < n; i++) {
		char text[400];

		EQ(perf_ask(host, rows[i].question, text), rows[i].rc);
		if (rows[i].rc < 0)
			HAS(text, rows[i].text);
		else
			SAME(text, rows[i].text);
	}
}

#define PERF_ANSWERS(host, ...)                                                                                        \
	perf_answers(host, sizeof((struct perf_row[]){__VA_ARGS__}) / sizeof(struct perf_row),                         \
		     (const struct perf_row[]){__VA_ARGS__})

#endif
