// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmon/event.h"

#include "map/field.h"
#include "onsim.h"
#include "test.h"

EACH_ON_SIM(o, "snbep", "sockets=1", NULL)

#define BOX "socket0.imc0.ch0"

static const char *const models[] = {"snbep", "ivt", "hsx", "bdx", "skx"};
enum { MODELS = sizeof(models) / sizeof(models[0]) };

static struct unc_wanted *wanted_of(const char *text)
{
	struct unc_wanted *wanted = NULL;
	int rc = unc_wanted_new(onsim_box(&o, BOX), text, &wanted);

	if (rc < 0)
		fprintf(stderr, "\n%s: %s\n", text, unc_errmsg(o.ctx));
	CU_ASSERT_EQUAL_FATAL(rc, 0);
	return wanted;
}

/* The control register by hand (Intel 327043-001, table 2-61): thresh 31:24, invert 23, edge 18, umask 15:8, event 7:0. */
TEST(every_way_of_writing_gives_the_same_bits)
{
	enum { FIXED = 0x00400000 }; /* of the fixed counter; no event has this bit */
	static const struct {
		const char *text;
		uint32_t control;
		const char *shown;
	} cases[] = {
		{"cas_count.rd", 0x0304, "cas_count.rd"},
		{"CAS_COUNT.RD", 0x0304, "cas_count.rd"},
		{"UNC_M_CAS_COUNT.RD:thresh=8", 0x08000304, "cas_count.rd:thresh=8"},
		{"imc/cas_count.rd/", 0x0304, "cas_count.rd"},
		{"imc/cas_count.rd", 0x0304, "cas_count.rd"},
		{"uncore_imc/cas_count.rd/", 0x0304, "cas_count.rd"},
		{"cas_count.rd:thresh=8", 0x08000304, "cas_count.rd:thresh=8"},
		{"cas_count.rd:thresh=0", 0x0304, "cas_count.rd"},
		{"cas_count.rd:edge:thresh=0x8", 0x08040304, "cas_count.rd:thresh=8:edge"},
		{"cas_count.rd:thresh=255:invert", 0xff800304, "cas_count.rd:thresh=255:invert"},
		{"cas_count.rd:thresh=8:edge:invert", 0x08840304, "cas_count.rd:thresh=8:edge:invert"},
		{"cas_count.rd:thresh=8:edge_det=1:inv=0", 0x08040304, "cas_count.rd:thresh=8:edge"},
		{"imc/cas_count.rd,thresh=8,edge/", 0x08040304, "cas_count.rd:thresh=8:edge"},
		{"imc/cas_count.rd:thresh=8/", 0x08000304, "cas_count.rd:thresh=8"},
		{"imc/event=0x04,umask=0x03/", 0x0304, "event=0x4,umask=0x3"},
		{"event=4,umask=3", 0x0304, "event=0x4,umask=0x3"},
		{"ev_sel=4:umask=3", 0x0304, "event=0x4,umask=0x3"},
		{"imc/event=0xff/", 0xff, "event=0xff,umask=0x0"},
		{"imc/event=0xff,umask=0x00/", 0xff, "event=0xff,umask=0x0"},
		{"uncore_imc/event=0xff,umask=0x1/", 0x1ff, "event=0xff,umask=0x1"},
		{"uncore_imc/event=0xff,thresh=1/", 0x010000ff, "event=0xff,umask=0x0,thresh=1"},
		{"uncore_imc/event=0x0/", 0, "event=0x0,umask=0x0"},
		{"uncore_imc/event=0x4,umask=0x3,edge,inv,thresh=1/", 0x01840304,
		 "event=0x4,umask=0x3,edge,inv,thresh=1"},
		{"uncore_imc/edge,thresh=1,event=0x4/", 0x01040004, "event=0x4,umask=0x0,edge,thresh=1"},
		{"imc/config=0x304/", 0x0304, "event=0x4,umask=0x3"},
		{"uncore_imc/config=0x1840304/", 0x01840304, "event=0x4,umask=0x3,edge,inv,thresh=1"},
		/* perf lists the fixed counter as clockticks, "event=0xff,umask=0x00". */
		{"uncore_imc/event=0xff,umask=0x00/", FIXED, "dclk"},
		{"uncore_imc/event=0xff/", FIXED, "dclk"},
		{"uncore_imc/config=0xff/", FIXED, "dclk"},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_wanted *wanted = wanted_of(cases[i].text);

		EQ(wanted->event.fixed, cases[i].control == FIXED);
		SAME(wanted->text, cases[i].shown);
		if (!wanted->event.fixed) {
			EQ(wanted->control, cases[i].control);
			SAME(wanted->event.name, cases[i].shown);
			EQ(wanted->event.counters, 0xf);
		}
		unc_wanted_free(wanted);
	}
	EQ(onsim_trace_count(&o, "\n"), 0);
}

TEST(what_makes_no_sense_is_refused_with_a_sentence)
{
	static const struct {
		const char *text;
		int err;
		const char *why;
	} cases[] = {
		{"", UNC_ENOREG, "has no imc event \"\""},
		{"cas_count.rd:", UNC_EARG, "\"\" is none of thresh=, edge, invert"},
		{"cas_count.rd:color=8", UNC_EARG, "\"color\" is none of thresh=, edge, invert"},
		{"cas_count.rd:thresh", UNC_EARG, "thresh needs a value"},
		{"cas_count.rd:thresh=", UNC_EARG, "thresh=: not a number"},
		{"cas_count.rd:thresh=8x", UNC_EARG, "thresh=8x: not a number"},
		{"cas_count.rd:thresh=-1", UNC_EARG, "not a number"},
		{"cas_count.rd:thresh=256", UNC_ERANGE, "the largest value is 255"},
		{"cas_count.rd:thresh=18446744073709551616", UNC_EARG, "not a number"},
		{"cas_count.rd:thresh=1:edge=2", UNC_ERANGE, "the largest value is 1"},
		{"cas_count.rd:thresh=1:thresh=1", UNC_EARG, "said twice"},
		{"cas_count.rd:edge", UNC_EARG, "edge acts on what comes out of the threshold comparison"},
		{"cas_count.rd:invert", UNC_EARG, "invert acts on what comes out of the threshold comparison"},
		{"cas_count.rd:invert:thresh=0", UNC_EARG, "add thresh=1 or more"},
		{"cas_count.rd:umask=1", UNC_EARG, "selected by its name"},
		{"imc/cas_count.rd,config=1/", UNC_EARG, "selected by its name"},
		{"cbo/cas_count.rd/", UNC_EARG, "a box of the unit imc, not of \"cbo\""},
		{"/cas_count.rd/", UNC_EARG, "not of \"\""},
		{"uncore_cbox/cas_count.rd/", UNC_EARG, "not of \"uncore_cbox\""},
		{"uncore_imc_2/event=4/", UNC_EARG, "choose boxes with --box"},
		{"imc/cas_count.rd/u", UNC_EARG, "\"u\" after the last slash"},
		{"imc/cas_count.rd//", UNC_EARG, "after the last slash"},
		{"umask=3", UNC_EARG, "no event= in it"},
		{"event=0x104", UNC_ERANGE, "the largest value is 255 (0xff)"},
		{"event=4,edge", UNC_EARG, "thresh=1"},
		{"config=0x400304", UNC_EARG, "bits 0x400000 belong to no part of an event"},
		{"config=0x100000304", UNC_EARG, "bits 0x100000000"},
		{"config=0x40304", UNC_EARG, "thresh=1"},
		{"config=0x304,event=4", UNC_EARG, "config= has all parts"},
		{"event=4,config=0x304", UNC_EARG, "event is said twice"},
		{"dclk:thresh=1", UNC_EARG, "counted by the fixed counter"},
		{"imc/dclk,edge/", UNC_EARG, "counted by the fixed counter"},
		{"cas_count.rx", UNC_ENOREG, "the nearest are cas_count.rd, cas_count.wr"},
		{"act_cuont", UNC_ENOREG, "the nearest is act_count;"},
		{"nothing_like_it_at_all", UNC_ENOREG, "\"nothing_like_it_at_all\"; `uncorectl events`"},
	};
	struct unc_wanted *wanted = NULL;
	char longest[301] = "";

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		FAILS(&o, cases[i].err, unc_wanted_new(onsim_box(&o, BOX), cases[i].text, &wanted), BOX, cases[i].why);
	memset(longest, 'x', 300);
	FAILS(&o, UNC_EARG, unc_wanted_new(onsim_box(&o, BOX), longest, &wanted), "300 letters");
	CU_ASSERT_PTR_NULL(wanted);
}

TEST(what_is_known_of_an_event_goes_with_what_it_counts)
{
	static const struct {
		const char *text;
		unsigned max_inc, one_per;
		double scale;
		bool bytes;
	} cases[] = {
		{"cas_count.rd", 1, 4, 64, true},
		{"event=4,umask=3", 1, 4, 64, true}, /* the same by another name */
		{"event=0x80", 22, 0, 1, false},
		{"event=4,umask=0x13", 0, 0, 1, false}, /* no event of the map */
		{"rpq_occupancy", 22, 0, 1, false},
		{"rpq_occupancy:thresh=4", 1, 0, 1, false}, /* clocks */
		{"cas_count.rd:thresh=1:edge", 1, 0, 1, false},
		{"event=0x99,thresh=1", 1, 0, 1, false},
		{"dclk", 1, 0, 1, false},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_wanted *wanted = wanted_of(cases[i].text);

		EQ(wanted->event.max_inc, cases[i].max_inc);
		EQ(wanted->event.one_per, cases[i].one_per);
		CU_ASSERT_EQUAL(wanted->event.scale, cases[i].scale);
		CU_ASSERT_EQUAL(wanted->event.unit != NULL, cases[i].bytes);
		EQ(wanted->event.fixed, strcmp(cases[i].text, "dclk") == 0);
		unc_wanted_free(wanted);
	}
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Shown, read again, shown: the same bits, and the same text. */
static void check_round(const char *text)
{
	struct unc_wanted *once = wanted_of(text);
	char again[3][160];

	snprintf(again[0], sizeof(again[0]), "%s", once->text);
	snprintf(again[1], sizeof(again[1]), "uncore_imc/%s/", once->text);
	snprintf(again[2], sizeof(again[2]), "imc/config=0x%" PRIx64 "/", once->control);
	for (unsigned i = 0; i < (once->event.fixed ? 2 : 3); i++) {
		struct unc_wanted *twice = wanted_of(again[i]);

		EQ(once->control, twice->control);
		if (i == 0)
			SAME(once->text, twice->text);
		EQ(once->event.max_inc, twice->event.max_inc);
		unc_wanted_free(twice);
	}
	unc_wanted_free(once);
}

TEST(every_event_with_every_option_reads_back_as_it_is_shown)
{
	static const char *const options[] = {"",        ":thresh=1",      ":thresh=0x7f:edge",  ":thresh=128:invert",
					      ":edge=0", ":edge:thresh=2", ":inv:edge:thresh=3", ":thresh=255"};

	for (unsigned m = 0; m < MODELS; m++) {
		const struct unc_unit *unit;
		char text[160];

		onsim_reopen(&o, models[m], "sockets=1", NULL);
		unit = onsim_box(&o, BOX)->unit;
		CU_ASSERT_TRUE(unit->n_events > 40);
		for (size_t i = 0; i < unit->n_events; i++) {
			for (unsigned k = 0; k < sizeof(options) / sizeof(options[0]); k++) {
				/* Ivy Bridge-EP has no invert (Intel 329468-002 does not name it). */
				if ((unit->events[i].fixed && k > 0) ||
				    (strstr(options[k], ":inv") && strcmp(models[m], "ivt") == 0))
					continue;
				snprintf(text, sizeof(text), "%s%s", unit->events[i].name, options[k]);
				check_round(text);
			}
		}
	}
}

TEST(every_raw_event_reads_back_as_it_is_shown)
{
	uint64_t state = 0x9e3779b97f4a7c15;
	char text[160];

	for (unsigned i = 0; i < 2000; i++) {
		uint64_t bits = random_next(&state);
		unsigned thresh = 1 + (unsigned)(bits >> 32) % 255;

		snprintf(text, sizeof(text), "event=%u,umask=0x%x%s%s,thresh=%u", (unsigned)bits & 0xff,
			 (unsigned)(bits >> 8) & 0xff, bits >> 16 & 1 ? ",edge" : "", bits >> 17 & 1 ? ",inv" : "",
			 thresh);
		check_round(text);
	}
}

/* Of every register: fields taken out of a value and put together give it again, and touch no other bit. */
TEST(fields_taken_apart_and_put_together_are_the_same_value)
{
	uint64_t state = 88172645463325252;

	for (unsigned m = 0; m < MODELS; m++) {
		const struct unc_unit *unit;

		onsim_reopen(&o, models[m], "sockets=1", NULL);
		unit = onsim_box(&o, BOX)->unit;
		for (size_t n = 0; n < 200 * unit->n_regs; n++) {
			const struct unc_reg *reg = &unit->regs[n / 200];
			uint64_t value = random_next(&state) & unc_reg_all(reg), again = 0;

			for (size_t k = 0; k < reg->n_fields; k++) {
				uint64_t part = unc_field_get(&reg->fields[k], value), over = value;

				OK(&o, unc_field_set(o.ctx, &reg->fields[k], part, &again));
				OK(&o, unc_field_set(o.ctx, &reg->fields[k], part ^ 1, &over));
				CU_ASSERT_EQUAL((over ^ value) & ~unc_field_mask(&reg->fields[k]), 0);
				CU_ASSERT_EQUAL(unc_field_get(&reg->fields[k], over), part ^ 1);
			}
			EQ(again, value);
		}
	}
}

TEST(ivy_bridge_has_no_invert)
{
	struct unc_wanted *wanted = NULL;

	onsim_reopen(&o, "ivt", "sockets=1", NULL);
	FAILS(&o, UNC_EARG, unc_wanted_new(onsim_box(&o, BOX), "cas_count.rd:thresh=8:invert", &wanted), "Ivy Bridge-E",
	      "has no invert");
	FAILS(&o, UNC_EARG, unc_wanted_new(onsim_box(&o, BOX), "event=4,inv,thresh=1", &wanted), "has no invert");
	FAILS(&o, UNC_EARG, unc_wanted_new(onsim_box(&o, BOX), "config=0x1800304", &wanted),
	      "bits 0x800000 belong to no part");
}

TEST(a_session_shows_its_events)
{
	struct onrun r;

	onrun_open(&r, &o, NULL);
	onrun_add(&r, BOX, "imc/cas_count.rd,edge,thresh=1/");
	onrun_add(&r, BOX, "uncore_imc/config=0xc04/");
	onrun_add(&r, BOX, "dclk");
	SAME(unc_session_event(r.s, 0), "cas_count.rd:thresh=1:edge");
	SAME(unc_session_event(r.s, 1), "event=0x4,umask=0xc");
	SAME(unc_session_event(r.s, 2), "dclk");
	CU_ASSERT_PTR_NULL(unc_session_event(r.s, 3));
	onrun_start(&r);
	EQ(onsim_peek(&o, r.box[0], R_CTL(3)), R_EN | 0x01040304);
	EQ(onsim_peek(&o, r.box[0], R_CTL(2)), R_EN | 0x0c04);
	EQ(onsim_peek(&o, r.box[0], R_FIXED_CTL), R_EN);
	onrun_close(&r);
}
