// SPDX-License-Identifier: GPL-2.0-or-later
/* Gathers the rows of samples as series. */
#include "cli/metrics.h"

#include "base/text.h"
#include "cli/cli.h"
#include "cli/metrics_store.h"
#include "cli/number.h"
#include "machine/machine.h"

/* The columns that rows may have. */
/* clang-format off */
#define METRICS_COLUMNS(IS) \
	IS(COL_SOCKET, "socket") \
	IS(COL_IMC, "imc") \
	IS(COL_CHANNEL, "channel") \
	IS(COL_BOX, "box") \
	IS(COL_MEMORY, "memory") \
	IS(COL_FLAGS, "flags") \
	IS(COL_TIME, "time_ns") \
	IS(COL_INTERVAL, "interval_ns") \
	IS(COL_PEAK, "peak_bytes_per_s") \
	IS(COL_CLOCK, "clock_count") \
	IS(COL_UNCORE, "uncore_clock_mhz") \
	IS(COL_COUNTER, "counter") \
	IS(COL_EVENT, "event") \
	IS(COL_COUNT, "count") \
	IS(COL_VALUE, "value") \
	IS(COL_UNIT, "unit") \
	IS(COL_ENABLED, "enabled_ns") \
	IS(COL_RUNNING, "running_ns") \
	IS(COL_GROUP, "group") \
	IS(COL_L3, "l3") \
	IS(COL_READ, "read_bytes") \
	IS(COL_WRITE, "write_bytes") \
	IS(COL_BOTH, "total_bytes") \
	IS(COL_PMEM_READ, "pmem_read_bytes") \
	IS(COL_PMEM_WRITE, "pmem_write_bytes") \
	IS(COL_OWNED, "occupancy_bytes") \
	IS(COL_OWNED_STATUS, "occupancy_status") \
	IS(COL_TOTAL, "mbm_total_bytes") \
	IS(COL_TOTAL_STATUS, "mbm_total_status") \
	IS(COL_LOCAL, "mbm_local_bytes") \
	IS(COL_LOCAL_STATUS, "mbm_local_status")
/* clang-format on */
#define NUMBER(number, name) number,
#define NAME(number, name)   name,
enum metrics_column { METRICS_COLUMNS(NUMBER) COLUMNS };
static const char *const column_names[] = {METRICS_COLUMNS(NAME)};

const double metrics_shares[METRICS_SHARES] = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
const double metrics_intervals[METRICS_INTERVALS] = {0.9, 0.99, 0.999, 1.001, 1.01, 1.1, 2};

/* The bytes of a memory channel; those of DRAM are its throughput. */
static const struct {
	enum metrics_column column;
	enum metrics_family family;
	bool is_dram;
} amounts[] = {
	{COL_READ, M_READ, true},
	{COL_WRITE, M_WRITTEN, true},
	{COL_BOTH, M_BOTH, true},
	{COL_PMEM_READ, M_PMEM_READ, false},
	{COL_PMEM_WRITE, M_PMEM_WRITTEN, false},
};

/* The values of a cache. */
static const struct {
	enum metrics_column column, status;
	enum metrics_family family;
	const char *scope;
} cache_values[] = {
	{COL_OWNED, COL_OWNED_STATUS, M_OCCUPANCY, NULL},
	{COL_TOTAL, COL_TOTAL_STATUS, M_BANDWIDTH, "total"},
	{COL_LOCAL, COL_LOCAL_STATUS, M_BANDWIDTH, "local"},
};

/* Flags of values that are given, or of every value. */
static const char harmless[] = "simulated, late, scaled, free_running, estimate, partial";

struct metrics *metrics_new(struct unc_ctx *ctx, struct unc_machine *machine, uint64_t interval_ns)
{
	struct metrics *m = calloc(1, sizeof(*m));
	struct unc_machine_info info;

	if (!m) {
		no_memory();
		return NULL;
	}
	unc_machine_info(machine, &info);
	m->ctx = ctx;
	m->machine = machine;
	m->simulated = info.simulated;
	m->interval_ns = interval_ns;
	m->started_ns = unc_machine_real_ns(machine);
	return m;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < M_FAMILIES; i++) {
		for (size_t k = 0; k < m->lists[i].n; k++)
			free(m->lists[i].series[k].labels);
		free(m->lists[i].series);
	}
	for (size_t i = 0; i < m->n_groups; i++)
		free(m->groups[i]);
	free(m->groups);
	free(m->channels);
	free(m->sockets);
	free(m);
}

/* ---- labels ---- */

/* There must be room. */
static void append(struct metrics_labels *labels, const char *text, size_t len)
{
	memcpy(labels->text + labels->len, text, len);
	labels->len += len;
	labels->text[labels->len] = '\0';
}

void metrics_label(struct metrics_labels *labels, const char *name, const char *text)
{
	size_t end, most = sizeof(labels->text) - sizeof("\"");

	if (labels->len + strlen(name) + strlen(",=\"") > most) {
		labels->cut = true;
		return;
	}
	append(labels, ",", labels->len ? 1 : 0);
	append(labels, name, strlen(name));
	append(labels, "=\"", 2);
	end = labels->len + METRICS_VALUE_MAX < most ? labels->len + METRICS_VALUE_MAX : most;
	while (*text) {
		const char *piece = text;
		uint32_t code = unc_text_next(&text);
		size_t len = (size_t)(text - piece), escapes = code == '\\' || code == '"';

		if (code == UNC_TEXT_ILL || code == '\n') {
			piece = code == '\n' ? "\\n" : "\xef\xbf\xbd";
			len = strlen(piece);
		}
		if (labels->len + escapes + len > end) {
			labels->cut = true;
			break;
		}
		append(labels, "\\", escapes);
		append(labels, piece, len);
	}
	append(labels, "\"", 1);
}

static void add_number(struct metrics_labels *labels, const char *name, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	metrics_label(labels, name, text);
}

/* ---- series ---- */

/*
 * Finds the series of these labels, or makes it.  NULL: there are too many, a label is too long, or memory is out; then it is counted
 * as dropped.
 */
static struct metrics_series *series_of(struct metrics *m, enum metrics_family family,
					const struct metrics_labels *labels)
{
	struct metrics_list *list = &m->lists[family];
	struct metrics_series series = {.labels = NULL};

	for (size_t i = 0; i < list->n && !labels->cut; i++) {
		size_t at = (list->next + i) % list->n;

		if (strcmp(list->series[at].labels, labels->text) == 0) {
			list->next = at + 1;
			return &list->series[at];
		}
	}
	if (m->n_series < METRICS_SERIES_MAX && !labels->cut)
		series.labels = unc_text_dup(labels->text);
	if (!series.labels || !unc_array_add(&list->series, &list->n, &series, sizeof(series))) {
		free(series.labels);
		m->dropped++;
		return NULL;
	}
	m->n_series++;
	return &list->series[list->n - 1];
}

/* A counter counts on. */
static void count(struct metrics *m, enum metrics_family family, const struct metrics_labels *labels, double more)
{
	struct metrics_series *series = series_of(m, family, labels);
	uint64_t whole;

	if (!series || (series->given && family != M_ERRORS && family != M_LLC_ERRORS)) /* asked for twice */
		return;
	series->given = true;
	whole = (uint64_t)(more + series->part);
	series->part += more - (double)whole;
	series->total += whole;
}

/* NULL: there is no such series, as of series_of(). */
static struct metrics_series *set_number(struct metrics *m, enum metrics_family family,
					 const struct metrics_labels *labels, double number)
{
	struct metrics_series *series = series_of(m, family, labels);

	if (series) {
		series->given = series->real = true;
		series->number = number;
	}
	return series;
}

static struct metrics_socket *socket_of(struct metrics *m, unsigned number)
{
	struct metrics_socket socket = {.number = number};

	for (size_t i = 0; i < m->n_sockets; i++)
		if (m->sockets[i].number == number)
			return &m->sockets[i];
	if (!unc_array_add(&m->sockets, &m->n_sockets, &socket, sizeof(socket)))
		return NULL;
	m->n_series += METRICS_SHARES + 4;
	return &m->sockets[m->n_sockets - 1];
}

/* ---- rows ---- */

static const struct value *value_of(const struct metrics_rows *rows, const struct row *row, enum metrics_column column)
{
	static const struct value none;

	return rows->at[column] < 0 ? &none : &row->values[rows->at[column]];
}

static uint64_t number_of(const struct metrics_rows *rows, const struct row *row, enum metrics_column column)
{
	const struct value *value = value_of(rows, row, column);

	return value->given ? value->number : 0;
}

static const char *text_of(const struct metrics_rows *rows, const struct row *row, enum metrics_column column)
{
	const struct value *value = value_of(rows, row, column);

	return value->given ? value->text : "";
}

static void find_columns(struct metrics_rows *rows)
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		rows->at[i] = -1;
		for (size_t k = 0; k < rows->n_columns && rows->at[i] < 0; k++)
			if (rows->columns[k].name && strcmp(rows->columns[k].name, column_names[i]) == 0)
				rows->at[i] = (int)k;
	}
	rows->found = true;
}

/* Where each channel is, and how many there should be.  Their controllers are numbered for each kind of memory. */
static void take_places(struct metrics *m, bool has_memory)
{
	struct unc_machine *machine = m->machine;

	m->has_expected = true;
	for (size_t i = 0; i < unc_box_count(machine, "imc"); i++) {
		struct metrics_labels socket = {.len = 0}, place;
		struct metrics_series *expected;
		struct unc_box_info info;
		char pmu[40];

		unc_box_info(unc_box_at(machine, "imc", i), &info);
		if (info.presence == UNC_ABSENT)
			continue;
		add_number(&socket, "socket", info.socket);
		place = socket;
		expected = series_of(m, M_EXPECTED, &socket);
		if (expected) {
			expected->given = true;
			expected->total++;
		}
		add_number(&place, "imc", info.imc);
		add_number(&place, "channel", info.channel);
		if (has_memory)
			metrics_label(&place, "memory", info.hbm ? "hbm" : "ddr");
		metrics_label(&place, "pci", info.pci);
		snprintf(pmu, sizeof(pmu), "uncore_%s_%d", info.hbm ? "hbm" : "imc", info.perf);
		metrics_label(&place, "pmu", info.perf < 0 ? "" : pmu);
		set_number(m, M_INFO, &place, 1);
	}
}

/* Each word of the flags is a reason why a channel has no value. */
static void take_reasons(struct metrics *m, const char *flags, const struct metrics_labels *place, size_t up)
{
	while (*flags) {
		size_t len = strcspn(flags, ";");
		struct metrics_labels state = *place, reason = {.len = 0};
		struct metrics_series *series;
		char word[FLAGS_TEXT_MAX];

		snprintf(word, sizeof(word), "%.*s", (int)len, flags);
		flags += len + (flags[len] == ';');
		if (unc_text_listed(harmless, word, len))
			continue;
		metrics_label(&state, "state", word);
		metrics_label(&reason, "reason", word);
		series = set_number(m, M_STATE, &state, 1);
		if (series)
			series->of = up;
		count(m, M_ERRORS, &reason, 1);
	}
}

/* An event counts; a metric is what it is.  Returns whether there is a value. */
static bool take_event(const struct metrics_rows *rows, const struct row *row, const struct metrics_labels *place)
{
	struct metrics *m = rows->metrics;
	const struct value *counted = value_of(rows, row, COL_COUNT), *value = value_of(rows, row, COL_VALUE);
	double enabled = (double)number_of(rows, row, COL_ENABLED), running = (double)number_of(rows, row, COL_RUNNING);
	const char *counter = text_of(rows, row, COL_COUNTER), *unit = text_of(rows, row, COL_UNIT);
	struct metrics_labels labels = *place;

	if (*counter)
		metrics_label(&labels, "counter", counter);
	if (counted->given) {
		metrics_label(&labels, "event", text_of(rows, row, COL_EVENT));
		count(m, M_EVENT, &labels,
		      running > 0 ? (double)counted->number * (enabled / running) : (double)counted->number);
	} else if (value->given) {
		metrics_label(&labels, "metric", text_of(rows, row, COL_EVENT));
		metrics_label(&labels, "unit", unit);
		set_number(m, M_METRIC, &labels, value->amount.number);
	}
	return counted->given || value->given;
}

/* Returns whether there is a value; *ret_bytes: of DRAM. */
static bool take_amounts(const struct metrics_rows *rows, const struct row *row, const struct metrics_labels *place,
			 uint64_t *ret_bytes)
{
	const struct value *clock = value_of(rows, row, COL_CLOCK);
	bool has_value = false;

	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
		const struct value *value = value_of(rows, row, amounts[i].column);

		if (!value->given)
			continue;
		has_value = true;
		*ret_bytes += amounts[i].is_dram ? value->number : 0;
		count(rows->metrics, amounts[i].family, place, (double)value->number);
	}
	if (has_value && clock->given) {
		struct metrics_series *series = series_of(rows->metrics, M_CYCLES, place);

		if (series) {
			series->given = true;
			series->total = clock->number;
		}
	}
	return has_value;
}

/* The channel beside a series of M_UP; NULL: out of memory, and the series is gone again. */
static struct metrics_channel *channel_of(struct metrics *m, size_t up, unsigned socket)
{
	struct metrics_list *list = &m->lists[M_UP];
	struct metrics_channel *more;

	if (up + 1 == list->n && !list->series[up].real) { /* it is new */
		more = realloc(m->channels, (up + 1) * sizeof(*more));
		if (!more) {
			free(list->series[--list->n].labels);
			m->n_series--;
			m->dropped++;
			return NULL;
		}
		m->channels = more;
		m->channels[up] = (struct metrics_channel){.socket = socket, .whole = true};
	}
	return &m->channels[up];
}

static void take_uncore(const struct metrics_rows *rows, const struct row *row, unsigned socket)
{
	struct metrics_labels place = {.len = 0};

	if (!value_of(rows, row, COL_UNCORE)->given)
		return;
	add_number(&place, "socket", socket);
	set_number(rows->metrics, M_UNCORE, &place, 1e6 * (double)number_of(rows, row, COL_UNCORE));
}

static void take_channel(const struct metrics_rows *rows, const struct row *row)
{
	struct metrics *m = rows->metrics;
	const struct value *imc = value_of(rows, row, COL_IMC), *number = value_of(rows, row, COL_CHANNEL);
	const char *memory = text_of(rows, row, COL_MEMORY);
	unsigned socket = (unsigned)number_of(rows, row, COL_SOCKET);
	struct metrics_labels place = {.len = 0};
	struct metrics_channel *channel;
	struct metrics_series *up;
	uint64_t bytes = 0;
	bool has_value;
	size_t at;

	if (!value_of(rows, row, COL_SOCKET)->given)
		return;
	add_number(&place, "socket", socket);
	if (imc->given)
		add_number(&place, "imc", imc->number);
	if (number->given)
		add_number(&place, "channel", number->number);
	if (!imc->given)
		metrics_label(&place, "box", text_of(rows, row, COL_BOX));
	if (*memory)
		metrics_label(&place, "memory", memory);
	if (number->given && !m->has_expected)
		take_places(m, rows->at[COL_MEMORY] >= 0);
	up = series_of(m, M_UP, &place);
	at = up ? (size_t)(up - m->lists[M_UP].series) : 0;
	channel = up ? channel_of(m, at, socket) : NULL;
	if (!channel)
		return;
	if (rows->at[COL_EVENT] >= 0)
		has_value = take_event(rows, row, &place);
	else
		has_value = take_amounts(rows, row, &place, &bytes);
	take_uncore(rows, row, socket);
	up->number = has_value || (up->given && up->number > 0);
	up->given = up->real = true;
	if (!has_value)
		take_reasons(m, text_of(rows, row, COL_FLAGS), &place, at);
	channel->bytes += bytes;
	channel->ns += number_of(rows, row, COL_INTERVAL);
	channel->whole &= has_value;
	channel->peak = value_of(rows, row, COL_PEAK)->given ? value_of(rows, row, COL_PEAK)->rate : 0;
}

/* False: there are too many groups. */
static bool know_group(struct metrics *m, const char *name)
{
	char *copy;

	for (size_t i = 0; i < m->n_groups; i++)
		if (strcmp(m->groups[i], name) == 0)
			return true;
	copy = m->n_groups < METRICS_GROUPS_MAX ? unc_text_dup(name) : NULL;
	if (copy && unc_array_add(&m->groups, &m->n_groups, &copy, sizeof(copy)))
		return true;
	free(copy);
	return false;
}

static void take_sizes(struct metrics *m)
{
	struct unc_l3_info l3;

	m->has_sizes = true;
	for (size_t i = 0; unc_l3_info(m->machine, i, &l3) == 0; i++) {
		struct metrics_labels labels = {.len = 0};

		add_number(&labels, "l3", l3.id);
		set_number(m, M_SIZE, &labels, (double)l3.bytes);
	}
}

static void take_cache(const struct metrics_rows *rows, const struct row *row)
{
	struct metrics *m = rows->metrics;
	const struct value *l3 = value_of(rows, row, COL_L3);
	bool known;

	if (!l3->given) /* a sum */
		return;
	if (!m->has_sizes)
		take_sizes(m);
	known = know_group(m, text_of(rows, row, COL_GROUP));
	for (size_t i = 0; i < sizeof(cache_values) / sizeof(cache_values[0]); i++) {
		const struct value *value = value_of(rows, row, cache_values[i].column);
		const char *status = text_of(rows, row, cache_values[i].status);
		struct metrics_labels labels = {.len = 0}, reason;

		add_number(&labels, "l3", l3->number);
		reason = labels;
		metrics_label(&labels, "group", text_of(rows, row, COL_GROUP));
		if (cache_values[i].scope)
			metrics_label(&labels, "scope", cache_values[i].scope);
		if (!known && (value->given || *status)) {
			m->dropped++;
		} else if (value->given && cache_values[i].scope) {
			count(m, cache_values[i].family, &labels, (double)value->number);
		} else if (value->given) {
			set_number(m, cache_values[i].family, &labels, (double)value->number);
		} else if (*status) {
			metrics_label(&reason, "reason", status);
			count(m, M_LLC_ERRORS, &reason, 1);
		}
	}
}

void metrics_take(struct metrics_rows *rows, const struct row *row)
{
	uint64_t time_ns;

	if (!rows->found)
		find_columns(rows);
	time_ns = number_of(rows, row, COL_TIME);
	if (time_ns > rows->metrics->newest_ns)
		rows->metrics->newest_ns = time_ns;
	if (rows->at[COL_GROUP] >= 0)
		take_cache(rows, row);
	else
		take_channel(rows, row);
}

/* ---- samples ---- */

void metrics_begin(struct metrics *m)
{
	static const bool stays[M_FAMILIES] = {[M_EXPECTED] = true, [M_INFO] = true,   [M_PEAK] = true,
					       [M_SIZE] = true,     [M_ERRORS] = true, [M_LLC_ERRORS] = true};

	m->dropped = m->newest_ns = 0;
	for (unsigned i = 0; i < M_FAMILIES; i++)
		for (size_t k = 0; k < m->lists[i].n && !stays[i]; k++)
			m->lists[i].series[k].given = false;
}

static void observe(struct metrics_histogram *histogram, const double *bounds, unsigned n, double scale, double value)
{
	unsigned i = 0;

	while (i < n && value > bounds[i] * scale)
		i++;
	histogram->buckets[i]++;
	histogram->count++;
	histogram->sum += value;
}

/* A socket of which a part has no value, or no peak, has no throughput. */
static void observe_socket(struct metrics *m, unsigned number)
{
	struct metrics_socket *socket;
	double rate = 0, peak = 0;
	bool whole = true;

	for (size_t i = 0; i < m->lists[M_UP].n; i++) {
		const struct metrics_channel *channel = &m->channels[i];

		if (channel->socket != number)
			continue;
		whole &= channel->whole && channel->ns && channel->peak > 0;
		rate += channel->ns ? (double)channel->bytes * 1e9 / (double)channel->ns : 0;
		peak += channel->peak;
	}
	socket = whole ? socket_of(m, number) : NULL;
	if (!socket)
		return;
	if (socket->peak == 0) {
		struct metrics_labels labels = {.len = 0};

		socket->peak = peak;
		add_number(&labels, "socket", number);
		set_number(m, M_PEAK, &labels, peak);
	}
	observe(&socket->throughput, metrics_shares, METRICS_SHARES, socket->peak, rate);
}

void metrics_end(struct metrics *m, bool on_time)
{
	if (m->newest_ns) /* it may be before the last one: a wall clock can be set back */
		m->time_ns = m->newest_ns;
	for (size_t i = 0; i < m->lists[M_STATE].n; i++) {
		struct metrics_series *state = &m->lists[M_STATE].series[i];

		/* Another event of the channel may have a value. */
		state->given &= m->lists[M_UP].series[state->of].number == 0;
	}
	for (size_t i = 0; i < m->lists[M_UP].n && on_time; i++) {
		size_t first = 0;

		while (m->channels[first].socket != m->channels[i].socket)
			first++;
		if (first == i)
			observe_socket(m, m->channels[i].socket);
	}
	for (size_t i = 0; i < m->lists[M_UP].n && on_time; i++) {
		m->channels[i].bytes = m->channels[i].ns = 0;
		m->channels[i].whole = true;
	}
}

void metrics_timed(struct metrics *m, uint64_t due_ns, uint64_t began_ns, uint64_t ended_ns, bool on_time)
{
	m->read_ns += ended_ns - began_ns;
	if (!on_time)
		return;
	m->samples++;
	m->late += m->interval_ns && began_ns > due_ns && began_ns - due_ns > m->interval_ns / 2;
	if (m->last_ns && m->interval_ns)
		observe(&m->intervals, metrics_intervals, METRICS_INTERVALS, (double)m->interval_ns / 1e9,
			(double)(began_ns - m->last_ns) / 1e9);
	m->last_ns = began_ns;
}

void metrics_scraped(struct metrics *m, bool fresh)
{
	m->serves = true;
	m->scrapes[fresh]++;
}
