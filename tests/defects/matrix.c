// SPDX-License-Identifier: GPL-2.0-or-later
/* Which check found which defect: the rows are defects, the columns checks. */
#include <stdio.h>
#include <string.h>

#include "defects.h"

/* Is that one of the words? */
static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = words; at && (at = strstr(at, word)) != NULL; at += len)
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

bool is_found(const struct run *run, const struct checks *checks)
{
	size_t i;

	for (i = 0; i < checks->n; i++)
		if (run->states[i] == FAIL && has_word(run->of->found_by, checks->names[i]))
			return true;
	return false;
}

bool failed_any(const struct run *run, const struct checks *checks)
{
	size_t i;

	for (i = 0; i < checks->n; i++)
		if (run->states[i] == FAIL)
			return true;
	return false;
}

/* It ended, and its exit status says what its lines say. */
static bool went_well(const struct run *run, const struct checks *checks)
{
	return run->ended && run->status == (failed_any(run, checks) ? 1 : 0);
}

/* The runs of one case. */
struct row {
	const struct run *runs;
	size_t n;
	unsigned broken, found, alarmed;
};

static struct row row_at(const struct run *runs, size_t n, const struct checks *checks)
{
	struct row row = {.runs = runs};

	for (; row.n < n && runs[row.n].of == runs->of; row.n++) {
		row.broken += !went_well(&runs[row.n], checks);
		row.found += runs->of->defect && is_found(&runs[row.n], checks);
		row.alarmed += failed_any(&runs[row.n], checks);
	}
	return row;
}

static bool is_good(const struct row *row)
{
	const struct defect_case *of = row->runs->of;

	if (row->broken)
		return false;
	return of->defect ? row->found >= (of->least ? of->least : row->n) : !row->alarmed;
}

static char letter(const struct row *row, const struct checks *checks, size_t check)
{
	enum state worst = ABSENT;
	size_t i;

	for (i = 0; i < row->n; i++)
		if (worst < row->runs[i].states[check])
			worst = row->runs[i].states[check];
	if (worst == FAIL && has_word(row->runs->of->found_by, checks->names[check]))
		return '#';
	return " ?-.x"[worst];
}

static bool same_theme(const char *a, const char *b)
{
	size_t len = strcspn(a, ".");

	return !strncmp(a, b, len) && b[len] == '.';
}

static void print_cells(const struct row *row, const struct checks *checks)
{
	size_t i;

	for (i = 0; i < checks->n; i++)
		printf("%s%c", i && !same_theme(checks->names[i - 1], checks->names[i]) ? " " : "",
		       letter(row, checks, i));
}

/* The columns' names, one below the other, each from its column on. */
static void print_head(const struct checks *checks, int indent)
{
	size_t i, k;

	for (i = checks->n; i-- > 0;) {
		printf("%*s", indent, "");
		for (k = 0; k < i; k++)
			printf("%s|", k && !same_theme(checks->names[k - 1], checks->names[k]) ? " " : "");
		printf("%s%s\n", i && !same_theme(checks->names[i - 1], checks->names[i]) ? " " : "", checks->names[i]);
	}
}

static void print_verdict(const struct row *row)
{
	const struct defect_case *of = row->runs->of;

	if (row->broken)
		printf("  %u of %zu runs did not end as they should", row->broken, row->n);
	else if (of->rate)
		printf("  %s: found in %u of %zu runs, %u must be", of->rate, row->found, row->n, of->least);
	else if (of->defect)
		printf("  %s", row->found ? "found" : "NOT FOUND");
	else
		printf("  %u false alarms in %zu runs", row->alarmed, row->n);
	printf("%s\n", is_good(row) ? "" : "  <-- not as it should be");
}

enum { INDENT = 52 };

int print_matrix(const struct run *runs, size_t n, const struct checks *checks, double seconds)
{
	unsigned bad = 0, cases = 0, defects = 0;
	char name[200];
	struct row row;
	size_t i;

	print_head(checks, INDENT);
	for (i = 0; i < n; i += row.n) {
		const struct defect_case *of = runs[i].of;

		row = row_at(&runs[i], n - i, checks);
		snprintf(name, sizeof(name), "%s%s", of->defect ? of->defect : of->machine,
			 of->defect && of->inside   ? ", inside"
			 : of->defect || of->inside ? ""
						    : ", mounted");
		printf("%-*.*s ", INDENT - 1, INDENT - 1, name);
		print_cells(&row, checks);
		print_verdict(&row);
		bad += !is_good(&row);
		defects += of->defect != NULL;
		cases++;
	}
	printf("\n# the check that must find it did   x another one failed   . passed   - skipped   ? not run\n");
	printf("%u defects and %u machines without: %u as they should be, %u not; %zu runs in %.1f s\n", defects,
	       cases - defects, cases - bad, bad, n, seconds);
	return bad != 0;
}

static void write_names(FILE *file, const char *key, const struct checks *checks, const struct row *row, char wanted)
{
	const char *comma = "";
	size_t i;

	fprintf(file, ",\"%s\":[", key);
	for (i = 0; i < checks->n; i++) {
		if (letter(row, checks, i) != wanted)
			continue;
		fprintf(file, "%s\"%s\"", comma, checks->names[i]);
		comma = ",";
	}
	fprintf(file, "]");
}

/* Nothing in the table has to be escaped. */
static void write_text(FILE *file, const char *key, const char *text)
{
	if (text)
		fprintf(file, ",\"%s\":\"%s\"", key, text);
	else
		fprintf(file, ",\"%s\":null", key);
}

static void write_row(FILE *file, const struct row *row, const struct checks *checks)
{
	const struct defect_case *of = row->runs->of;
	double seconds = 0;
	size_t i;

	for (i = 0; i < row->n; i++)
		seconds += row->runs[i].seconds;
	fprintf(file, "{\"good\":%s", is_good(row) ? "true" : "false");
	write_text(file, "defect", of->defect);
	write_text(file, "machine", of->machine);
	write_text(file, "found_by", of->found_by);
	write_text(file, "rate", of->rate);
	fprintf(file, ",\"mounted\":%s", of->inside ? "false" : "true");
	fprintf(file, ",\"runs\":%zu,\"broken\":%u,\"found\":%u,\"alarmed\":%u", row->n, row->broken, row->found,
		row->alarmed);
	if (of->defect)
		fprintf(file, ",\"required_probability\":%.2f", of->least ? (double)of->least / (double)of->runs : 1.0);
	write_names(file, "found", checks, row, '#');
	write_names(file, "others", checks, row, 'x');
	write_names(file, "passed", checks, row, '.');
	write_names(file, "skipped", checks, row, '-');
	fprintf(file, ",\"seconds\":%.3f}", seconds);
}

int write_matrix(const char *path, const struct run *runs, size_t n, const struct checks *checks, double seconds)
{
	FILE *file = fopen(path, "we");
	struct row row;
	size_t i;

	if (!file)
		return -1;
	fprintf(file, "{\"format\":\"uncorectl-defects/1\",\"seconds\":%.1f,\"checks\":[", seconds);
	for (i = 0; i < checks->n; i++)
		fprintf(file, "%s\"%s\"", i ? "," : "", checks->names[i]);
	fprintf(file, "],\"cases\":[");
	for (i = 0; i < n; i += row.n) {
		row = row_at(&runs[i], n - i, checks);
		fprintf(file, "%s\n", i ? "," : "");
		write_row(file, &row, checks);
	}
	fprintf(file, "\n]}\n");
	return fclose(file);
}
