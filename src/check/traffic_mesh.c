// SPDX-License-Identifier: GPL-2.0-or-later
/* While traffic is made on purpose, what the mesh sends to a memory controller is about what its channels count. */

#include "check/traffic.h"

#define UNIT "m2m"
/* No document says whether the mesh and the channels count all requests alike, so that only a large difference is a fault. */
enum { WAYS = 2, LEAST = 10000, TOLERATED_PERCENT = 20 };

/* halves: of a channel whose sub-channels are counted one by one; the counter of the second is WAYS after that of the first. */
static const struct {
	enum unc_traffic_kind kind;
	const char *whole, *halves[2], *both, *mesh;
} ways[WAYS] = {{UNC_TRAFFIC_READ,
		 "cas_count.rd",
		 {"cas_count_sch0.rd", "cas_count_sch1.rd"},
		 "cas_count_sch[0-1].rd",
		 "imc_reads.all"},
		{UNC_TRAFFIC_NT_WRITE,
		 "cas_count.wr",
		 {"cas_count_sch0.wr", "cas_count_sch1.wr"},
		 "cas_count_sch[0-1].wr",
		 "imc_writes.all"}};

struct controller {                  /* kept with the first channel of each controller */
	struct unc_box *box;         /* NULL: not the first channel, or it has none */
	struct unc_session *session; /* owned; NULL: it cannot be counted, for the reason why */
	struct unc_count now[UNC_WINDOW_LOOKS][WAYS];
	double low[WAYS], high[WAYS], counted[WAYS]; /* of the mesh, and of the channels */
	int rc;
	char why[UNC_MSG_MAX];
};

static bool is_of(const struct controller *m, const struct unc_box *channel)
{
	return channel->socket == m->box->socket && !channel->instance->hbm &&
	       channel->instance->imc == m->box->instance->imc;
}

static void note(struct controller *m, int rc)
{
	if (rc == 0 || m->rc < 0)
		return;
	m->rc = rc;
	memcpy(m->why, m->box->machine->ctx->msg, sizeof(m->why));
}

static void begin(struct unc_windows *ws, struct controller *m)
{
	const struct unc_session_cfg cfg = {.force = ws->c->cfg.force};
	int rc = unc_session_open(ws->c->m, &cfg, &m->session);

	for (unsigned k = 0; k < WAYS && rc == 0; k++)
		rc = unc_session_add(m->session, m->box, ways[k].mesh, NULL);
	note(m, rc == 0 ? unc_session_start(m->session) : rc);
}

static void read_mesh(struct unc_windows *ws, unsigned nth)
{
	for (size_t i = 0; i < ws->n; i++) {
		struct controller *m = ws->of[i].seen;

		if (!m->box || m->rc < 0)
			continue;
		note(m, unc_session_read(m->session, m->now[nth], WAYS));
		for (unsigned k = 0; k < WAYS && m->rc == 0; k++)
			if (m->now[nth][k].flags & (UNC_COUNT_NO_NUMBER & ~UNC_COUNT_UNCONFIRMED))
				note(m, unc_fail(ws->c->m->ctx, UNC_EBUSY,
						 "%s: another program took its counters, or it stood still, while "
						 "traffic was made",
						 m->box->name));
	}
}

/* What came to the channels is at least the mesh's gain between the inner two looks, and at most that between the outer two. */
static void add(struct unc_windows *ws, unsigned way)
{
	for (size_t i = 0; i < ws->n; i++) {
		struct controller *m = ws->of[i].seen;

		if (!m->box)
			continue;
		m->low[way] += (double)(m->now[2][way].total - m->now[1][way].total);
		m->high[way] += (double)(m->now[3][way].total - m->now[0][way].total);
		for (size_t k = 0; k < ws->n; k++)
			if (is_of(m, ws->of[k].b->box))
				m->counted[way] += (double)(ws->of[k].gained[way] + ws->of[k].gained[WAYS + way]);
	}
}

static void report(const struct unc_windows *ws, const struct controller *m)
{
	struct unc_check *c = ws->c;
	char text[UNC_CHECK_TEXT] = "";
	const struct unc_box *channel;
	size_t lacking = 0;

	for (size_t i = 0; (channel = unc_box_at(c->m, "imc", i)) != NULL; i++)
		lacking += is_of(m, channel) && channel->presence != UNC_ABSENT;
	for (size_t i = 0; i < ws->n; i++)
		lacking -= is_of(m, ws->of[i].b->box) && ws->of[i].in;
	unc_check_begin(c, m->box->name);
	if (m->rc < 0) {
		unc_check_prevented(c, m->rc, m->why);
		return;
	}
	for (unsigned k = 0; k < WAYS && !lacking; k++) {
		const char *channels = unc_windows_know(ws, ways[k].whole) ? ways[k].whole : ways[k].both;
		double mesh = (m->low[k] + m->high[k]) / 2, percent;
		bool wrong = m->low[k] * 100 > m->counted[k] * (100 + TOLERATED_PERCENT) ||
			     m->high[k] * 100 < m->counted[k] * (100 - TOLERATED_PERCENT);

		if (m->counted[k] < LEAST)
			continue;
		percent = 100 * (mesh > m->counted[k] ? mesh - m->counted[k] : m->counted[k] - mesh) / m->counted[k];
		unc_text_join(text, sizeof(text), "; ", "%s differs by %.1f %% from the %.0f %s of its channels",
			      ways[k].mesh, percent, m->counted[k], channels);
		unc_check_see(c, unc_seen_value(ways[k].mesh, "of the mesh", (uint64_t)mesh));
		unc_check_see(c, unc_seen_value(channels, "of the channels", (uint64_t)m->counted[k]));
		if (wrong)
			unc_check_fail(c, "%s differs by more than %d %%: %.0f, and %.0f %s of its channels",
				       ways[k].mesh, TOLERATED_PERCENT, mesh, m->counted[k], channels);
		else
			unc_check_tested(c, ways[k].mesh, "differs by %.0f %% from %s of the channels", percent,
					 channels);
	}
	if (lacking)
		unc_check_skip(c, "some of its channels could not be counted at the same time");
	else if (!*text)
		unc_check_skip(c, "too little of the traffic reached this controller");
	else
		unc_check_pass(c, "%s", text);
}

static void count(struct unc_windows *ws)
{
	const char *events[UNC_COUNTERS_MAX] = {NULL};
	struct unc_stream_node *nodes = NULL;
	struct unc_traffic_done done;
	size_t n = 0, n_found = 0;
	struct unc_box *box;
	int rc;

	for (size_t i = 0; i < ws->n; i++) {
		struct controller *m = ws->of[i].seen;

		for (size_t k = 0; (box = unc_box_at(ws->c->m, UNIT, k)) != NULL; k++) {
			m->box = box;
			if (box->presence == UNC_PRESENT && is_of(m, ws->of[i].b->box) &&
			    !(i > 0 && is_of(m, ws->of[i - 1].b->box)))
				break;
			m->box = NULL;
		}
		n_found += m->box != NULL;
		if (m->box)
			begin(ws, m);
	}
	rc = n_found && ws->rc == 0 ? unc_stream_nodes(ws->c, &nodes, &n) : UNC_OK;
	for (unsigned k = 0; k < 2 * WAYS; k++) {
		const char *half = ways[k % WAYS].halves[k / WAYS];

		events[k] = unc_windows_know(ws, half) ? half : NULL;
		if (k < WAYS && unc_windows_know(ws, ways[k].whole))
			events[k] = ways[k].whole;
	}
	ws->look = read_mesh;
	for (size_t i = 0; i < WAYS * n && rc == 0 && ws->rc == 0; i++) {
		rc = unc_stream_start(ws->c, &nodes[i / WAYS], ways[i % WAYS].kind, 0);
		if (rc < 0)
			break;
		unc_windows_run(ws, events, unc_check_ms(ws->c, 5, 10, 40));
		rc = unc_traffic_stop(ws->c->m, &done);
		add(ws, i % WAYS);
	}
	free(nodes);
	for (size_t i = 0; i < ws->n; i++) {
		struct controller *m = ws->of[i].seen;

		if (!m->box)
			continue;
		note(m, rc);
		note(m, unc_session_close(m->session));
		if (ws->rc == 0)
			report(ws, m);
	}
	if (rc == UNC_ENOMEM)
		ws->rc = rc;
	if (n_found || ws->rc < 0)
		return;
	unc_check_begin(ws->c, "machine");
	unc_check_skip(ws->c, "no map of this part has counters of what the mesh sends to memory controllers");
}

const struct unc_windows_def unc_check_mesh = {sizeof(struct controller), count, NULL, NULL};
