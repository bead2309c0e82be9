// SPDX-License-Identifier: GPL-2.0-or-later
/* Which check found which defect: the rows are defects, the columns checks. */
#include <stdio.h>
#include <string.h>

#include "defects.h"

enum { WORD_MAX = 200 };

/* Is that one of the words, with or without a subject? */
static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = words; at && (at = strstr(at, word)) != NULL; at += len)
		if ((at == words || at[-1] == ' ') && strchr(" @", at[len]))
			return true;
	return false;
}

/* Is NAME[@SUBJECT], of len characters, among the words?  Without a subject any does. */
static bool has_failed(const char *words, const char *wanted, size_t len)
{
	const char *at = words;
	char word[WORD_MAX];

	snprintf(word, sizeof(word), " %.*s%s", (int)len, wanted, memchr(wanted, '@', len) ? "" : "@");
	while (at && (at = strstr(at, word)) != NULL) {
		at += strlen(word);
		if (at[-1] == '@' || !*at || *at == ' ')
			return true;
	}
	return false;
}

/* Did that check, one of found_by, fail where it should? */
static bool has_found(const struct run *run, const char *check, size_t len)
{
	char wanted[WORD_MAX];
	const char *of, *end;
	bool named = false;

	if (memchr(check, '@', len))
		return has_failed(run->failed, check, len);
	/* The channels and CPUs that the defect names, which are those of its arguments that begin so. */
	for (of = run->of->defect; of && (of = strchr(of, ':')) != NULL; of = end) {
		of++;
		end = of + strcspn(of, ":,");
		if (strncmp(of, "socket", 6) != 0 && strncmp(of, "cpu", 3) != 0)
			continue;
		named = true;
		snprintf(wanted, sizeof(wanted), "%.*s@%.*s", (int)len, check, (int)(end - of), of);
		if (has_failed(run->failed, wanted, strlen(wanted)))
			return true;
	}
	return !named && has_failed(run->failed, check, len);
}

bool is_found(const struct run *run)
{
	const char *at = run->of->found_by;
	bool found = false;
	size_t len;

	for (; at && *at; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		if (*at != '+')
			found = found || has_found(run, at, len);
		else if (!found)
			return false;
		else
			found = false;
	}
	return found;
}

bool failed_any(const struct run *run, const struct checks *checks)
{
	for (size_t i = 0; i < checks->n; i++)
		if (run->states[i] == FAIL)
			return true;
	return false;
}

/* Did nothing else fail than what had to? */
static bool failed_once(const struct run *run)
{
	const char *at = run->failed ? strchr(run->failed, '@') : NULL;

	return at && !strchr(at + 1, '@');
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
	double seconds;
	char name[200]; /* of the case */
};

static struct row row_at(const struct run *runs, size_t n, const struct checks *checks)
{
	const struct defect_case *of = runs->of;
	struct row row = {.runs = runs};

	snprintf(row.name, sizeof(row.name), "%s%s", of->defect ? of->defect : of->machine,
		 of->defect && of->inside   ? ", inside"
		 : of->defect || of->inside ? ""
					    : ", mounted");
	for (; row.n < n && runs[row.n].of == of; row.n++) {
		row.broken += !went_well(&runs[row.n], checks);
		row.found += of->found_by && is_found(&runs[row.n]);
		row.alarmed += failed_any(&runs[row.n], checks);
		row.seconds += runs[row.n].seconds;
	}
	return row;
}

/* In how many of the runs it must be found; there may be fewer of them than the table says. */
static size_t least_of(const struct row *row)
{
	const struct defect_case *of = row->runs->of;

	return of->least ? of->least * row->n / of->runs : row->n;
}

static bool is_good(const struct row *row)
{
	const struct defect_case *of = row->runs->of;

	if (row->broken || (of->found_by && !of->defect && !failed_once(row->runs)))
		return false;
	return of->found_by ? row->found >= least_of(row) : !row->alarmed;
}

static char letter(const struct row *row, const struct checks *checks, size_t check)
{
	enum state worst = ABSENT;

	for (size_t i = 0; i < row->n; i++)
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
	for (size_t i = 0; i < checks->n; i++)
		printf("%s%c", i && !same_theme(checks->names[i - 1], checks->names[i]) ? " " : "",
		       letter(row, checks, i));
}

/* The columns' names, one below the other, each from its column on. */
static void print_head(const struct checks *checks, int indent)
{
	for (size_t i = checks->n; i-- > 0;) {
		printf("%*s", indent, "");
		for (size_t k = 0; k < i; k++)
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
		printf("  %s: found in %u of %zu runs, %zu must be", of->rate, row->found, row->n, least_of(row));
	else if (of->found_by)
		printf("  %s", row->found ? "found" : "NOT FOUND");
	else
		printf("  %u false alarms in %zu runs", row->alarmed, row->n);
	printf("%s\n", is_good(row) ? "" : "  <-- not as it should be");
}

enum { INDENT = 52 };

int print_matrix(const struct run *runs, size_t n, const struct checks *checks, double seconds)
{
	unsigned bad = 0, cases = 0, defects = 0;
	struct row row;

	print_head(checks, INDENT);
	for (size_t i = 0; i < n; i += row.n) {
		const struct defect_case *of = runs[i].of;

		row = row_at(&runs[i], n - i, checks);
		printf("%-*.*s ", INDENT - 1, INDENT - 1, row.name);
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

int print_tests(const struct run *runs, size_t n, const struct checks *checks)
{
	unsigned bad = 0;
	struct row row;

	for (size_t i = 0; i < n; i += row.n) {
		const struct defect_case *of = runs[i].of;

		row = row_at(&runs[i], n - i, checks);
		printf("%sok ", is_good(&row) ? "" : "not ");
		if (of->found_by)
			printf("check finds %s\n", row.name);
		else
			printf("check finds nothing on a healthy %s, in %zu runs\n", row.name, row.n);
		if (is_good(&row))
			continue;
		bad++;
		printf("# of %zu runs %u found it, %u failed, %u did not end as they should;%s\n", row.n, row.found,
		       row.alarmed, row.broken, runs[i].failed ? runs[i].failed : "");
	}
	return bad != 0;
}

static void write_names(FILE *file, const char *key, const struct checks *checks, const struct row *row, char wanted)
{
	const char *comma = "";

	fprintf(file, ",\"%s\":[", key);
	for (size_t i = 0; i < checks->n; i++) {
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
	fprintf(file, ",\"%s\":%s%s%s", key, text ? "\"" : "", text ? text : "null", text ? "\"" : "");
}

static void write_row(FILE *file, const struct row *row, const struct checks *checks)
{
	const struct defect_case *of = row->runs->of;

	fprintf(file, "{\"good\":%s", is_good(row) ? "true" : "false");
	write_text(file, "defect", of->defect);
	write_text(file, "machine", of->machine);
	write_text(file, "found_by", of->found_by);
	write_text(file, "rate", of->rate);
	fprintf(file, ",\"mounted\":%s", of->inside ? "false" : "true");
	write_text(file, "option", of->option);
	fprintf(file, ",\"runs\":%zu,\"broken\":%u,\"found\":%u,\"alarmed\":%u", row->n, row->broken, row->found,
		row->alarmed);
	if (of->found_by)
		fprintf(file, ",\"required_probability\":%.2f", of->least ? (double)of->least / (double)of->runs : 1.0);
	write_names(file, "found", checks, row, '#');
	write_names(file, "others", checks, row, 'x');
	write_names(file, "passed", checks, row, '.');
	write_names(file, "skipped", checks, row, '-');
	fprintf(file, ",\"seconds\":%.3f}", row->seconds);
}

int write_matrix(const char *path, const struct run *runs, size_t n, const struct checks *checks, double seconds)
{
	FILE *file = fopen(path, "we");
	struct row row;

	if (!file)
		return -1;
	fprintf(file, "{\"format\":\"uncorectl-defects/1\",\"seconds\":%.1f,\"checks\":[", seconds);
	for (size_t i = 0; i < checks->n; i++)
		fprintf(file, "%s\"%s\"", i ? "," : "", checks->names[i]);
	fprintf(file, "],\"cases\":[");
	for (size_t i = 0; i < n; i += row.n) {
		row = row_at(&runs[i], n - i, checks);
		fprintf(file, "%s\n", i ? "," : "");
		write_row(file, &row, checks);
	}
	fprintf(file, "\n]}\n");
	return fclose(file);
}
