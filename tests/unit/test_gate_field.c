// SPDX-License-Identifier: GPL-2.0-or-later
/* A field of ours in a register that another process has another field of: RMID and CLOS in PQR_ASSOC of each CPU. */
#include "map/field.h"
#include "onsim.h"
#include "simmsr.h"
#include "test.h"

EACH_ON_SIM(o, "skx", "sockets=1,cores=4", NULL)

enum { PQR_ASSOC = 0xc8f }; /* SDM vol. 3 ch. 17: RMID 9:0, CLOS 63:32 */
#define CLOS(n) ((uint64_t)(n) << 32)

static const char me[1];

/* The other hand. */
static uint64_t peek(unsigned cpu)
{
	uint64_t value = 0;

	CU_ASSERT_EQUAL(sim_msr_read(o.hand, cpu, PQR_ASSOC, &value), 0);
	return value;
}

static void poke(unsigned cpu, uint64_t value)
{
	CU_ASSERT_EQUAL(sim_msr_write(o.hand, cpu, PQR_ASSOC, value), 0);
}

struct pqr {
	struct unc_box *box;
	const struct unc_reg *reg;
	const struct unc_field *rmid;
};

static struct pqr pqr_of(unsigned cpu)
{
	struct pqr pqr = {0};

	OK(&o, unc_machine_cpu_box(o.m, "rdt", cpu, &pqr.box));
	pqr.reg = onsim_reg(pqr.box, "PQR_ASSOC");
	pqr.rmid = unc_reg_field(pqr.reg, "rmid");
	return pqr;
}

/* The register of a CPU held found, and then rmid in its field. */
static struct pqr assigned(unsigned cpu, uint64_t found, uint64_t rmid)
{
	struct pqr pqr = pqr_of(cpu);
	uint64_t was = 0;

	poke(cpu, found);
	onsim_trace_clear(&o);
	OK(&o, unc_reg_get(pqr.box, pqr.reg, 0, &was));
	OK(&o, unc_gate_set_field(pqr.box, pqr.reg, pqr.rmid, was, rmid, me));
	return pqr;
}

TEST(a_field_is_written_over_what_was_read_and_put_back)
{
	assigned(2, CLOS(3) | 7, 0x55);
	SAME(o.trace, "msr cpu2 r64 0xc8f 0x0000000300000007\n" /* the caller's; not read once more */
		      "msr cpu2 w64 0xc8f 0x0000000300000055\n");
	EQ(peek(2), CLOS(3) | 0x55);
	OK(&o, unc_gate_restore(o.m, me));
	EQ(peek(2), CLOS(3) | 7);
	SAME(o.notes, "");
}

TEST(what_another_program_wrote_meanwhile_stays)
{
	static const struct {
		uint64_t found, rmid, meanwhile, after;
		unsigned writes;
		const char *note;
	} cases[] = {
		/* another field, as resctrl does when another task gets the CPU */
		{CLOS(1) | 4, 9, CLOS(2) | 9, CLOS(2) | 4, 1, ""},
		/* ours */
		{0, 9, CLOS(2) | 11, CLOS(2) | 11, 0, "cpu1.rdt: PQR_ASSOC no longer holds what was written"},
		/* it has put ours back itself: whatever else it did, that is no news */
		{5, 9, CLOS(7) | 5, CLOS(7) | 5, 0, ""},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		o.notes[0] = '\0';
		assigned(1, cases[i].found, cases[i].rmid);
		poke(1, cases[i].meanwhile);
		onsim_trace_clear(&o);
		OK(&o, unc_gate_restore(o.m, me));
		EQ(onsim_trace_count(&o, " w64 "), cases[i].writes);
		EQ(peek(1), cases[i].after);
		HAS(o.notes, cases[i].note);
		HAS(o.notes, *cases[i].note ? "left alone" : "");
		EQ(onsim_count(o.notes, "\n"), *cases[i].note ? 1 : 0);
	}
}

/* Written whole after that, by name, the whole is ours: it comes back as it was first. */
TEST(a_register_written_whole_is_ours_as_a_whole)
{
	struct pqr pqr = assigned(1, CLOS(1) | 4, 9);

	OK(&o, unc_gate_write(pqr.box, pqr.reg, 0, CLOS(5) | 6, me));
	OK(&o, unc_gate_restore(o.m, me));
	EQ(peek(1), CLOS(1) | 4);
	SAME(o.notes, "");
}

TEST(what_is_too_wide_is_refused_before_anything)
{
	struct pqr pqr = pqr_of(1);

	FAILS(&o, UNC_ERANGE, unc_gate_set_field(pqr.box, pqr.reg, pqr.rmid, 0, 0x400, me), "cpu1.rdt: PQR_ASSOC: rmid",
	      "0x3ff");
	EQ(onsim_trace_count(&o, " w64 "), 0);
	EQ(o.m->journal.n, 0);
}

/* Every CPU of a large socket, each with another value: all come back, with one read, one write, one read back each. */
TEST(hundreds_come_back_exactly_with_three_accesses_each)
{
	enum { CPUS = 56 };

	onsim_reopen(&o, "skx", "sockets=1,cores=28,threads=2", NULL);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		assigned(cpu, CLOS(cpu % 16) | (cpu + 1), 100 + cpu);
	onsim_trace_clear(&o);
	OK(&o, unc_gate_restore(o.m, me));
	EQ(onsim_trace_count(&o, " w64 0xc8f "), CPUS);
	EQ(onsim_trace_count(&o, " r64 0xc8f "), 2 * CPUS);
	EQ(onsim_count(o.trace, "\n"), 3 * CPUS);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		EQ(peek(cpu), CLOS(cpu % 16) | (cpu + 1));
}

/* Two CPUs get an RMID, values are asked for, all is put back; any of it may fail. */
static int work(const struct pqr *pqrs)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < 2 && rc == 0; i++) {
		uint64_t was;

		rc = unc_reg_get(pqrs[i].box, pqrs[i].reg, 0, &was);
		if (rc == 0)
			rc = unc_gate_set_field(pqrs[i].box, pqrs[i].reg, pqrs[i].rmid, was, 20 + i, me);
	}
	for (unsigned i = 0; i < 3 && rc == 0; i++)
		rc = unc_gate_write(pqrs[0].box, onsim_reg(pqrs[0].box, "QM_EVTSEL"), 0, CLOS(20) | (1 + i), me);
	return unc_gate_restore(o.m, me) < 0 ? UNC_EIO : rc;
}

/* The NTH access fails in that way.  False: there are not so many. */
static bool fails_once(const struct unc_fault *fault)
{
	struct unc_bus *bus, *failing;
	struct pqr pqrs[2];
	bool done;
	int rc;

	onsim_reopen(&o, "skx", "sockets=1,cores=4", NULL);
	poke(1, CLOS(3) | 7);
	poke(2, CLOS(4) | 8);
	OK(&o, unc_machine_bus(o.m, UNC_MSR, &bus));
	OK(&o, unc_fault_wrap(bus, &o.fault, &failing));
	o.m->bus[UNC_MSR] = failing;
	pqrs[0] = pqr_of(1);
	pqrs[1] = pqr_of(2);
	onsim_fail(&o, fault);
	rc = work(pqrs);
	done = o.fault.done > 0;
	CU_ASSERT_TRUE(done || rc == 0);
	onsim_work(&o);
	EQ(peek(1), CLOS(3) | 7);
	EQ(peek(2), CLOS(4) | 8);
	EQ(o.m->journal.n, 0);
	return done;
}

/* But for all ones, which no MSR driver makes of a failure. */
TEST(no_single_failure_leaves_a_cpu_changed)
{
	for (unsigned how = 0; unc_fault_name(how); how++) {
		unsigned at = 1;

		if (how == UNC_FAULT_ONES)
			continue;
		while (fails_once(&(struct unc_fault){.at = at, .how = (enum unc_fault_how)how}))
			at++;
		CU_ASSERT_TRUE(at > 10);
	}
}
