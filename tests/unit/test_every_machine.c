// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every simulated machine that can be built: all models, numbers of sockets, numberings of buses, PCI domains, and any one
 * function hidden.  On each all channels are found under their names, count what happened, and are left as they were; and
 * no write broke a rule of the manual.
 */
#define _DEFAULT_SOURCE
#include "every.h"
#include "onsim.h"

enum { SOCKETS = 8, CHANNELS = 64, EVENTS = 3 };

static const struct {
	const char *name;
	unsigned domains; /* the most */
} models[] = {{"snbep", 1}, {"ivt", 1}, {"hsx", 1}, {"bdx", 1}, {"bdxde", 1}, {"skx", 4}, {"clx", 4}, {"cpx", 4}};

enum { MODELS = sizeof(models) / sizeof(models[0]) };

static const char *const events[EVENTS] = {"cas_count.rd", "cas_count.wr", "dclk"};

void test_every_machine_suite(void);

struct tried {
	struct onsim o;
	const char *args; /* for messages */
	const struct unc_addr *hidden;
	struct unc_count counts[CHANNELS * EVENTS];
};

static struct unc_box *box_at(struct tried *t, const struct unc_addr *addr)
{
	for (size_t i = 0; i < unc_box_count(t->o.m, "imc"); i++) {
		struct unc_box *box = unc_box_at(t->o.m, "imc", i);

		if (box->addr_known && unc_addr_compare(&box->addr, addr) == 0)
			return box;
	}
	return NULL;
}

/* Where there is a channel there is a box, of that name. */
static void check_names(struct tried *t)
{
	struct unc_sim_channel channel;
	size_t present = 0, found = 0;

	for (size_t i = 0; unc_sim_channel(t->o.hand, i, &channel) == 0; i++) {
		struct unc_box *box = box_at(t, &channel.addr);
		char name[64];

		if (t->hidden && unc_addr_compare(t->hidden, &channel.addr) == 0) {
			CU_ASSERT(!box || box->presence == UNC_MISSING || box->presence == UNC_ABSENT);
			continue;
		}
		snprintf(name, sizeof(name), "socket%u.imc%u.ch%u", channel.socket, channel.imc, channel.channel);
		if (!box || strcmp(box->name, name) != 0)
			fprintf(stderr, "\n%s: %s is %s\n", t->args, name, box ? box->name : "not found");
		CU_ASSERT_PTR_NOT_NULL_FATAL(box);
		CU_ASSERT_STRING_EQUAL(box->name, name);
		CU_ASSERT_EQUAL(box->presence, UNC_PRESENT);
		found++;
	}
	for (size_t i = 0; i < unc_box_count(t->o.m, "imc"); i++)
		present += unc_box_at(t->o.m, "imc", i)->presence == UNC_PRESENT;
	CU_ASSERT(found > 0);
	CU_ASSERT_EQUAL(present, found);
}

static void check_count(struct tried *t, size_t i, const struct unc_box *box, const char *event)
{
	const struct unc_count *count = &t->counts[i];
	uint64_t end_ns = count->time_ns - (unc_machine_real_ns(t->o.m) - unc_machine_raw_ns(t->o.m));
	uint64_t happened =
		onsim_truth(&t->o, box, event, end_ns) - onsim_truth(&t->o, box, event, end_ns - count->interval_ns);

	if (count->flags || count->delta != happened)
		fprintf(stderr, "\n%s: %s %s: flags 0x%x, %" PRIu64 ", not %" PRIu64 "\n", t->args, box->name, event,
			count->flags, count->delta, happened);
	CU_ASSERT_EQUAL(count->flags, 0);
	CU_ASSERT(count->delta > 0);
	CU_ASSERT_EQUAL(count->delta, happened);
}

static void check_counts(struct tried *t)
{
	struct onsim_controls before = onsim_controls(&t->o), after;
	struct unc_session_cfg cfg = {0};
	struct unc_session *session = NULL;
	struct unc_box *boxes[CHANNELS];
	size_t n = 0;

	OK(&t->o, unc_session_open(t->o.m, &cfg, &session));
	for (size_t i = 0; i < unc_box_count(t->o.m, "imc"); i++) {
		struct unc_box *box = unc_box_at(t->o.m, "imc", i);

		for (size_t k = 0; box->presence == UNC_PRESENT && k < EVENTS; k++)
			OK(&t->o, unc_session_add(session, box, events[k], NULL));
		if (box->presence == UNC_PRESENT)
			boxes[n++] = box;
	}
	OK(&t->o, unc_session_start(session));
	onsim_step(&t->o, S_NS);
	OK(&t->o, unc_session_read(session, t->counts, n * EVENTS));
	for (size_t i = 0; i < n * EVENTS; i++)
		check_count(t, i, boxes[i / EVENTS], events[i % EVENTS]);
	OK(&t->o, unc_session_close(session));
	after = onsim_controls(&t->o);
	CU_ASSERT_EQUAL(onsim_controls_differ(&before, &after, R_FRZ), 0);
}

static void try(const char *model, const char *common, const struct unc_addr *hidden)
{
	static struct tried t;
	char own[64] = "dword_ns=0", at[UNC_ADDR_TEXT], args[160];

	if (hidden)
		snprintf(own, sizeof(own), "dword_ns=0,hide=%s", unc_addr_text(hidden, at));
	snprintf(args, sizeof(args), "sim:%s,%s,%s", model, common, own);
	t.args = args;
	t.hidden = hidden;
	onsim_open_model(&t.o, model, common, own);
	check_names(&t);
	check_counts(&t);
	onsim_close(&t.o);
}

static const char *common_of(unsigned sockets, unsigned domains, bool reversed, char buf[64])
{
	snprintf(buf, 64, "sockets=%u,domains=%u,numbering=%s", sockets, domains, reversed ? "reversed" : "normal");
	return buf;
}

static void each_number_of_sockets_and_domains_counts(void)
{
	char common[64];

	for (size_t i = 0; i < MODELS; i++) {
		if (!every_has_map(models[i].name))
			continue;
		for (unsigned sockets = 1; sockets <= SOCKETS; sockets++)
			for (unsigned domains = 1; domains <= models[i].domains && domains <= sockets; domains++)
				for (int reversed = 0; reversed < 2; reversed++)
					try(models[i].name, common_of(sockets, domains, reversed, common), NULL);
	}
}

/* Each function of that machine in turn. */
static void hide_each(const char *model, const char *common)
{
	struct unc_host *host = NULL;
	struct unc_ctx *ctx = NULL;
	struct unc_sim_pci pci;
	char args[128];

	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	snprintf(args, sizeof(args), "%s,%s", model, common);
	CU_ASSERT_FATAL(unc_sim_open(ctx, args, -1, &host) == 0);
	for (size_t i = 0; unc_sim_pci(host, i, &pci) == 0; i++)
		try(model, common, &pci.addr);
	unc_host_close(host);
	unc_free(ctx);
}

static void any_one_function_may_be_hidden(void)
{
	char common[64];

	for (size_t i = 0; i < MODELS; i++) {
		if (!every_has_map(models[i].name))
			continue;
		for (unsigned sockets = 1; sockets <= SOCKETS; sockets *= 2)
			for (unsigned domains = 1; domains <= models[i].domains && domains <= sockets; domains *= 2)
				for (int reversed = 0; reversed < 2; reversed++)
					hide_each(models[i].name, common_of(sockets, domains, reversed, common));
	}
}

void test_every_machine_suite(void)
{
	CU_pSuite s = CU_add_suite("every_machine", NULL, NULL);

	CU_add_test(s, "each number of sockets and domains counts", each_number_of_sockets_and_domains_counts);
	CU_add_test(s, "any one function may be hidden", any_one_function_may_be_hidden);
}
