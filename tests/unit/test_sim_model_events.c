// SPDX-License-Identifier: GPL-2.0-or-later
/* What the events of the lists count, by the codes and umasks of Intel's published lists. */
#include "test_sim.h"

#include "perfmon_list.h"
#include "sim/load.h"

static const struct {
	const char *name;
	const char *list; /* of Intel; of Cooper Lake there is none, and it counts what Cascade Lake does */
	const char *ch;   /* a channel of socket 0 with sockets=1, as address and as in load files */
	const char *channel;
	uint64_t dclk;
	unsigned banks; /* that its rank events tell apart */
	bool newest;    /* nothing but the fixed counter counts the clock under a second name */
} lists[] = {
	{"ivt", "ivytown", "ff:1e.0", "socket0.imc1.ch2", 800000000, 8, false},
	{"hsx", "haswellx", "ff:17.1", "socket0.imc1.ch1", 800000000, 16, false},
	{"bdx", "broadwellx", "ff:14.1", "socket0.imc0.ch1", 1200000000, 16, false},
	{"skx", "skylakex", "3a:0d.2", "socket0.imc1.ch2", 1200000000, 16, true},
	{"bdxde", "broadwellde", "ff:14.1", "socket0.imc0.ch1", 800000000, 16, false},
	{"clx", "cascadelakex", "3a:0c.6", "socket0.imc1.ch1", 1200000000, 16, true},
	{"cpx", "cascadelakex", "3a:0b.2", "socket0.imc0.ch2", 1200000000, 16, true},
	{"snbep", "jaketown", "ff:10.4", "socket0.imc0.ch2", 800000000, 0, true},
};

struct expected { /* of one model */
	size_t model, n;
	struct {
		char name[40];
		uint32_t code, umask;
	} events[512];
};

static bool expects(const struct expected *e, const char *name)
{
	for (size_t i = 0; i < e->n; i++)
		if (!strcmp(e->events[i].name, name))
			return true;
	return false;
}

static void expect(struct expected *e, const char *name, uint32_t code, uint32_t umask)
{
	CU_ASSERT_FATAL(e->n < sizeof(e->events) / sizeof(e->events[0]));
	snprintf(e->events[e->n].name, sizeof(e->events[0].name), "%s", name);
	e->events[e->n].code = code;
	e->events[e->n++].umask = umask;
}

/* RD_CAS_RANKn is B0 + n, WR_CAS_RANKn B8 + n; a bit for each of 8 banks, or the number of one of 16. */
static void expect_banks(struct expected *e)
{
	unsigned banks = lists[e->model].banks, rank, bank;
	char name[40];

	for (rank = 0; rank < 16; rank++) {
		for (bank = 0; bank < banks; bank++) {
			snprintf(name, sizeof(name), "%s_cas_rank%u.bank%u", rank < 8 ? "rd" : "wr", rank % 8, bank);
			expect(e, name, 0xb0 + rank, banks == 8 ? 1u << bank : bank);
		}
	}
}

/* The events that the model has by itself; what else the list has are sums of them.  Without a list there are the banks' alone, and
 * the result is false. */
static bool expect_events(size_t model, struct expected *e)
{
	static struct perfmon_event list[600];
	size_t i, k, n = perfmon_list(lists[model].list, list, N(list));
	const char *name;

	memset(e, 0, sizeof(*e));
	e->model = model;
	expect_banks(e);
	fx_open(lists[model].name);
	for (i = 0; (name = unc_sim_event_name(fx.host, i)) != NULL; i++)
		for (k = 0; k < n; k++)
			if (!strcmp(list[k].name, name) && list[k].code && !expects(e, name))
				expect(e, name, list[k].code, list[k].umask);
	return n > 0;
}

/* No two alike. */
static uint64_t rate_of(size_t event)
{
	return 1000003 + 10007 * event + 13 * event * event;
}

static void open_all_different(const struct expected *e)
{
	static char text[32768];
	char options[64];
	size_t len;

	len = (size_t)snprintf(text, sizeof(text), "format: uncorectl-load/1\nchannels:\n  %s:\n    events:\n",
			       lists[e->model].channel);
	for (size_t i = 0; i < e->n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "      %s: %llu\n", e->events[i].name,
					(unsigned long long)rate_of(i));
	CU_ASSERT_FATAL(len < sizeof(text));
	snprintf(options, sizeof(options), "%s,sockets=1,clock=step,dword_ns=0", lists[e->model].name);
	fx_open_load(options, text);
}

/* What counter 1 of that channel takes in a second. */
static uint64_t counted(const char *ch, uint32_t code, uint32_t umask)
{
	fx_w32(ch, 0xdc, 0);
	fx_w48(ch, 0xa8, 0);
	fx_w32(ch, 0xdc, 0x400000 | umask << 8 | code);
	fx_step(1000000000);
	return fx_r48(ch, 0xa8);
}

TEST(every_event_of_every_model_is_counted_by_its_own_code)
{
	static struct expected e;

	for (size_t model = 0; model < N(lists); model++) {
		const char *ch = lists[model].ch;
		uint64_t before, count;

		if (!expect_events(model, &e))
			continue;
		open_all_different(&e);
		for (size_t i = 0; i < e.n; i++) {
			before = fx_truth(ch, e.events[i].name);
			count = counted(ch, e.events[i].code, e.events[i].umask);
			if (count != rate_of(i))
				fprintf(stderr, "\n%s: %s: %llu, not %llu\n", lists[model].name, e.events[i].name,
					(unsigned long long)count, (unsigned long long)rate_of(i));
			CU_ASSERT_EQUAL(count, rate_of(i));
			CU_ASSERT_EQUAL(fx_truth(ch, e.events[i].name) - before, rate_of(i));
		}
	}
}

TEST(there_are_no_other_events)
{
	static struct expected e;
	size_t i, k, known;
	const char *name;

	for (size_t model = 0; model < N(lists); model++) {
		const char *last = NULL;

		if (!expect_events(model, &e))
			continue;
		open_all_different(&e);
		for (i = 0; (name = unc_sim_event_name(fx.host, i)) != NULL; i++) {
			for (k = 0, known = !strcmp(name, "clockticks"); k < e.n; k++)
				known += !strcmp(name, e.events[k].name);
			if (known != 1)
				fprintf(stderr, "\n%s: %s\n", lists[model].name, name);
			CU_ASSERT_EQUAL(known, 1);
			CU_ASSERT(!last || strcmp(name, last) != 0);
			last = name;
		}
		CU_ASSERT_EQUAL(i, e.n + 1);
	}
}

TEST(every_other_code_counts_nothing)
{
	static struct expected e;

	for (size_t model = 0; model < N(lists); model++) {
		if (!expect_events(model, &e))
			continue;
		open_all_different(&e);
		for (uint32_t code = 1; code < 256; code++) {
			bool known = false;

			for (size_t i = 0; i < e.n; i++)
				known |= e.events[i].code == code;
			if (known)
				continue;
			CU_ASSERT_EQUAL(counted(lists[model].ch, code, 0), 0);
			CU_ASSERT_EQUAL(counted(lists[model].ch, code, 0xff), 0);
		}
	}
}

static uint64_t rates(const struct expected *e, const char *first, unsigned n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < e->n && strcmp(e->events[i].name, first) != 0; i++)
		;
	CU_ASSERT_FATAL(i + n <= e->n);
	while (n-- > 0)
		sum += rate_of(i + n);
	return sum;
}

/* The umask is a number on Haswell-EP and later: 10 is all banks, 11 to 14 are groups of four, beyond is nothing. */
TEST(bank_umasks_are_numbers)
{
	static struct expected e;

	for (size_t model = 0; model < N(lists); model++) {
		const char *ch = lists[model].ch;

		if (lists[model].banks != 16)
			continue;
		expect_events(model, &e);
		open_all_different(&e);
		CU_ASSERT_EQUAL(counted(ch, 0xb2, 0x10), rates(&e, "rd_cas_rank2.bank0", 16));
		TRUTH(ch, {"rd_cas_rank2.allbanks", rates(&e, "rd_cas_rank2.bank0", 16)});
		CU_ASSERT_EQUAL(counted(ch, 0xbf, 0x11), rates(&e, "wr_cas_rank7.bank0", 4));
		CU_ASSERT_EQUAL(counted(ch, 0xbf, 0x12), rates(&e, "wr_cas_rank7.bank4", 4));
		CU_ASSERT_EQUAL(counted(ch, 0xbf, 0x13), rates(&e, "wr_cas_rank7.bank8", 4));
		CU_ASSERT_EQUAL(counted(ch, 0xbf, 0x14), rates(&e, "wr_cas_rank7.bank12", 4));
		TRUTH(ch, {"wr_cas_rank7.bankg3", 5 * rates(&e, "wr_cas_rank7.bank12", 4)});
		CU_ASSERT_EQUAL(counted(ch, 0xb0, 0x15), 0);
		CU_ASSERT_EQUAL(counted(ch, 0xb0, 0xff), 0);
		/* Not bits: 3 is bank 3, not banks 0 and 1. */
		CU_ASSERT_EQUAL(counted(ch, 0xb0, 0x03), rates(&e, "rd_cas_rank0.bank3", 1));
	}
}

TEST(bank_umasks_of_ivy_bridge_are_bits)
{
	static struct expected e;
	const char *ch = lists[0].ch;

	expect_events(0, &e);
	open_all_different(&e);
	CU_ASSERT_EQUAL(counted(ch, 0xb1, 0x03), rates(&e, "rd_cas_rank1.bank0", 2));
	CU_ASSERT_EQUAL(counted(ch, 0xb9, 0xff), rates(&e, "wr_cas_rank1.bank0", 8));
	TRUTH(ch, {"wr_cas_rank1.allbanks", 2 * rates(&e, "wr_cas_rank1.bank0", 8)});
	CU_ASSERT_EQUAL(counted(ch, 0xb1, 0x00), 0);
}

TEST(the_clock_is_the_models)
{
	for (size_t model = 0; model < N(lists); model++) {
		const char *ch = lists[model].ch;

		fx_open(fx_text("%s,sockets=1,clock=step,dword_ns=0", lists[model].name));
		fx_w32(ch, 0xf0, 0x400000);
		CU_ASSERT_EQUAL(counted(ch, 0x00, 0x00), lists[model].dclk);
		IS48(ch, {0xd0, lists[model].dclk});
		TRUTH(ch, {"clockticks", lists[model].dclk});
		if (!lists[model].newest)
			TRUTH(ch, {"dclockticks", lists[model].dclk});
		fx_step(7); /* 5.6 and 8.4 cycles */
		IS48(ch, {0xd0, lists[model].dclk + lists[model].dclk * 7 / 1000000000});
	}
}

TEST(reads_by_mode_are_the_same_reads)
{
	fx_open("bdx,clock=step,dword_ns=0");
	for (int i = 0; i < 1000; i++) {
		uint64_t rd, wmm;

		fx_step(17);
		rd = fx_truth("ff:17.0", "cas_count.rd");
		wmm = fx_truth("ff:17.0", "cas_count.rd_wmm");
		CU_ASSERT_EQUAL(fx_truth("ff:17.0", "cas_count.rd_reg") + fx_truth("ff:17.0", "cas_count.rd_underfill"),
				rd);
		CU_ASSERT_EQUAL(wmm, rd / 4);
		CU_ASSERT_EQUAL(wmm + fx_truth("ff:17.0", "cas_count.rd_rmm"), rd);
	}
	CU_ASSERT(fx_truth("ff:17.0", "cas_count.rd_wmm") > 100);
}

TEST(a_load_is_checked_against_the_models_clock)
{
	static const char text[] = "format: uncorectl-load/1\n"
				   "channels:\n"
				   "  \"*\":\n"
				   "    read: 12.8e9\n" /* 200e6 CAS and twice that if the modes' were added */
				   "    write: 0\n"
				   "    events: {wpq_cycles_ne: 1200000000}\n";
	const char *path = fx_file(text);

	fx_open(fx_text("skx,load=%s", path));
	FX_REFUSED(fx_text("hsx,load=%s", path), "wpq_cycles_ne would come 1200000000 times", "800000000 a second");
	path = fx_file("format: uncorectl-load/1\nchannels:\n  \"*\":\n    events:\n      dclockticks: 5\n");
	FX_REFUSED(fx_text("bdx,load=%s", path), ":5: dclockticks", "always 1200000000 a second");
	path = fx_file("format: uncorectl-load/1\nchannels:\n  \"*\":\n    events:\n"
		       "      cas_count.rd_wmm: 1.5e8\n      cas_count.rd_rmm: 1e8\n");
	FX_REFUSED(fx_text("ivt,load=%s", path), "cas_count, all", "250000000", "200000000");
}
