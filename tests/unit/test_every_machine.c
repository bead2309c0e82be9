// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulated machines of every model: numbers of sockets, numberings of buses, PCI domains, and any one function hidden.  On
 * each all channels are found under their names, count what happened, and are left as they were; and no write broke a rule
 * of the manual.
 */
#define _DEFAULT_SOURCE
#include "every.h"
#include "onsim.h"
#include "sim/computer.h"
#include "test.h"

enum { SOCKETS = 8, CHANNELS = 96, EVENTS = 3 };

static const char *const models[] = {"snbep", "ivt", "hsx", "bdx", "bdxde", "skx", "clx",
				     "cpx",   "icx", "snr", "spr", "gnr",   "cwf"};

enum { MODELS = sizeof(models) / sizeof(models[0]), DOMAINS = 4 };

static const char *const of_channels[EVENTS] = {"cas_count.rd", "cas_count.wr", "dclk"};
static const char *const of_ddr5[EVENTS] = {"cas_count.rd", "cas_count.wr", "clockticks"};
static const char *const of_sub_channels[EVENTS] = {"cas_count_sch0.rd", "cas_count_sch1.wr", "clockticks"};

static const char *const *events_of(const struct unc_sim_model *model)
{
	if (!unc_sim_sum_find(model, "cas_count.rd"))
		return of_sub_channels;
	return unc_sim_event_find(model, "hclockticks") ? of_ddr5 : of_channels;
}

static struct tried {
	struct onsim o;
	const char *args; /* for messages */
	const char *const *events;
	const struct unc_addr *hidden;
	struct unc_count counts[CHANNELS * EVENTS];
} t;

static struct unc_box *box_at(const struct unc_addr *addr)
{
	for (size_t i = 0; i < unc_box_count(t.o.m, "imc"); i++) {
		struct unc_box *box = unc_box_at(t.o.m, "imc", i);

		if (box->addr_known && unc_addr_compare(&box->addr, addr) == 0)
			return box;
	}
	return NULL;
}

/* Where there is a channel there is a box, of that name. */
static void check_names(void)
{
	struct unc_sim_channel channel;
	size_t present = 0, found = 0;

	for (size_t i = 0; unc_sim_channel(t.o.hand, i, &channel) == 0; i++) {
		struct unc_box *box = box_at(&channel.addr);
		char name[64];

		if (t.hidden && unc_addr_compare(t.hidden, &channel.addr) == 0) {
			CU_ASSERT(!box || box->presence == UNC_MISSING || box->presence == UNC_ABSENT);
			continue;
		}
		snprintf(name, sizeof(name), "socket%u.imc%u.ch%u", channel.socket, channel.imc, channel.channel);
		if (!box || strcmp(box->name, name) != 0)
			fprintf(stderr, "\n%s: %s is %s\n", t.args, name, box ? box->name : "not found");
		CU_ASSERT_PTR_NOT_NULL_FATAL(box);
		CU_ASSERT_STRING_EQUAL(box->name, name);
		CU_ASSERT_EQUAL(box->presence, UNC_PRESENT);
		found++;
	}
	for (size_t i = 0; i < unc_box_count(t.o.m, "imc"); i++)
		present += unc_box_at(t.o.m, "imc", i)->presence == UNC_PRESENT;
	CU_ASSERT(found > 0);
	CU_ASSERT_EQUAL(present, found);
}

static void check_count(size_t i, const struct unc_box *box, const char *event)
{
	const struct unc_count *count = &t.counts[i];
	uint64_t end_ns = count->time_ns - (unc_machine_real_ns(t.o.m) - unc_machine_raw_ns(t.o.m));
	uint64_t happened =
		onsim_truth(&t.o, box, event, end_ns) - onsim_truth(&t.o, box, event, end_ns - count->interval_ns);

	if (count->flags || count->delta != happened)
		fprintf(stderr, "\n%s: %s %s: flags 0x%x, %" PRIu64 ", not %" PRIu64 "\n", t.args, box->name, event,
			count->flags, count->delta, happened);
	CU_ASSERT_EQUAL(count->flags, 0);
	CU_ASSERT(count->delta > 0);
	CU_ASSERT_EQUAL(count->delta, happened);
}

static void read_and_check(struct unc_session *session, struct unc_box *const *boxes, size_t n)
{
	onsim_step(&t.o, S_NS);
	OK(&t.o, unc_session_read(session, t.counts, n * EVENTS));
	for (size_t i = 0; i < n * EVENTS; i++)
		check_count(i, boxes[i / EVENTS], t.events[i % EVENTS]);
}

/* Two intervals, so that a box that is frozen to be read has to go on once. */
static void check_counts(bool freeze)
{
	struct onsim_controls before = onsim_controls(&t.o);
	struct unc_session_cfg cfg = {.freeze = freeze};
	struct unc_session *session = NULL;
	struct unc_box *boxes[CHANNELS];
	size_t n = 0;

	OK(&t.o, unc_session_open(t.o.m, &cfg, &session));
	for (size_t i = 0; i < unc_box_count(t.o.m, "imc"); i++) {
		struct unc_box *box = unc_box_at(t.o.m, "imc", i);

		for (size_t k = 0; box->presence == UNC_PRESENT && k < EVENTS; k++)
			OK(&t.o, unc_session_add(session, box, t.events[k], NULL));
		if (box->presence == UNC_PRESENT)
			boxes[n++] = box;
	}
	OK(&t.o, unc_session_start(session));
	read_and_check(session, boxes, n);
	read_and_check(session, boxes, n);
	OK(&t.o, unc_session_close(session));
	onsim_controls_are(&t.o, &before, R_FRZ);
}

struct asked {
	const char *common, *own; /* options of the machine, of the one who opens it */
	const struct unc_addr *hidden;
	bool freeze; /* the boxes while they are read */
};

static void try(const char *model, const struct asked *asked)
{
	char own[96], at[UNC_ADDR_TEXT], args[192];

	snprintf(own, sizeof(own), "dword_ns=0%s%s%s%s", asked->own ? "," : "", asked->own ? asked->own : "",
		 asked->hidden ? ",hide=" : "", asked->hidden ? unc_addr_text(asked->hidden, at) : "");
	snprintf(args, sizeof(args), "sim:%s,%s%s%s", model, asked->common ? asked->common : "",
		 asked->common ? "," : "", own);
	t.args = args;
	t.hidden = asked->hidden;
	t.events = events_of(unc_sim_model_find(model));
	onsim_open_model(&t.o, model, asked->common, own);
	check_names();
	check_counts(asked->freeze);
	onsim_close(&t.o);
}

struct shape {
	unsigned sockets, domains;
	bool reversed;
};

static const char *common_of(struct shape shape, char buf[64])
{
	snprintf(buf, 64, "sockets=%u,domains=%u,numbering=%s", shape.sockets, shape.domains,
		 shape.reversed ? "reversed" : "normal");
	return buf;
}

TEST(each_number_of_sockets_and_domains_counts)
{
	char common[64];

	for (size_t i = 0; i < MODELS; i++) {
		struct shape shape;

		for (shape.sockets = 1; shape.sockets <= SOCKETS; shape.sockets *= 2)
			for (shape.domains = 1; shape.domains <= DOMAINS && shape.domains <= shape.sockets;
			     shape.domains *= 2)
				for (int reversed = 0; reversed < 2; reversed++) {
					shape.reversed = reversed;
					try(models[i], &(struct asked){.common = common_of(shape, common)});
				}
	}
}

/*
 * Each function of that machine in turn: on one socket all of them; on two those that matter; on more those of one socket, as
 * the others are like it.
 */
static bool has(const struct unc_sim_model *model, enum unc_sim_kind kind)
{
	for (size_t i = 0; i < model->n_functions; i++)
		if (model->functions[i].kind == kind)
			return true;
	return false;
}

/* Windows in memory are no functions; they are found as long as one of two functions tells where they are. */
static bool worth_hiding(const struct unc_sim_model *model, const struct unc_sim_place *place, struct shape shape)
{
	enum unc_sim_kind kind = place->function->kind;

	if (kind == UNC_SIM_BASE || kind == UNC_SIM_DISCOVERY) {
		if (!has(model, kind == UNC_SIM_BASE ? UNC_SIM_DISCOVERY : UNC_SIM_BASE))
			return false;
	} else if (place->addr.kind != UNC_PCI)
		return false;
	return shape.sockets == 1 || (kind != UNC_SIM_OTHER && (shape.sockets == 2 || place->socket == 1));
}

static void hide_each(const char *model, struct shape shape)
{
	struct unc_host *host = NULL;
	struct unc_ctx *ctx = NULL;
	char args[128], common[64];
	const struct unc_sim *sim;

	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	snprintf(args, sizeof(args), "%s,%s", model, common_of(shape, common));
	CU_ASSERT_FATAL(unc_sim_open(ctx, args, -1, &host) == 0);
	sim = unc_sim_of(host);
	for (size_t i = 0; i < sim->n_places; i++)
		if (worth_hiding(sim->options.model, &sim->places[i], shape))
			try(model, &(struct asked){.common = common, .hidden = &sim->places[i].addr});
	unc_host_close(host);
	unc_free(ctx);
}

TEST(any_one_function_may_be_hidden)
{
	static const struct shape shapes[] = {{1, 1, false}, {2, 1, false}, {2, 2, true}, {4, 2, false}, {8, 4, true}};

	for (size_t i = 0; i < MODELS; i++) {
		for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
			hide_each(models[i], shapes[k]);
	}
}

/* Boxes frozen to be read; without MSRs; with a frz_en that reads back where there is one, and where a control wants two writes. */
TEST(no_way_of_reading_and_no_difference_of_manuals_changes_a_count)
{
	for (size_t i = 0; i < MODELS; i++) {
		bool has_frz_en = unc_sim_model_find(models[i])->pmon->frz_needs_en;

		try(models[i], &(struct asked){.freeze = true});
		try(models[i], &(struct asked){.own = "msr=absent"});
		if (!unc_sim_model_find(models[i])->memory) /* no source says so of those */
			try(models[i], &(struct asked){.own = "ctl_writes=twice"});
		if (has_frz_en)
			try(models[i], &(struct asked){.common = "frz_en=rw"});
	}
}
