// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "spy.h"
#include "simmsr.h"

#include <sys/wait.h>
#include <unistd.h>

#include "sim/computer.h"
#include "tree.h"
#include "uncore/check.h"
#include "uncore/doctor.h"
#include "uncore/recover.h"
#include "uncore/reg.h"
#include "uncore/task.h"
#include "uncore/xcheck.h"

#define SPY_MODEL "bdx,sockets=1,cores=64,threads=2,clock=step,dword_ns=0,perf=on"

/* Its first channel, and CTL[0] there: regs/intel-bdx-imc.yaml has the documents. */
#define SPY_CHANNEL "ff:14.0"
enum { SPY_CTL = 0xd8 };

static void wrong(struct spy *s, const struct unc_addr *addr, uint64_t off, const char *why)
{
	char name[UNC_ADDR_TEXT];

	if (s->n_wrong++ == 0)
		snprintf(s->wrong, sizeof(s->wrong), "%s 0x%" PRIx64 ": %s", unc_addr_text(addr, name), off, why);
}

/* What the hardware holds there, without a trace of that. */
static uint64_t look(struct spy *s, const struct unc_addr *addr, uint64_t off)
{
	unsigned char bytes[4] = {0};
	uint64_t value = 0;
	size_t done;

	if (addr->kind == UNC_MSR) {
		CU_ASSERT(sim_msr_read(s->hand, addr->msr.cpu, (uint32_t)off, &value) == 0);
		return value;
	}
	CU_ASSERT(unc_sim_access(s->hand, addr, false, (uint32_t)off, bytes, sizeof(bytes), &done) == 0);
	return unc_le32(bytes);
}

static const struct spy_place *remember(struct spy *s, const struct unc_addr *addr, uint64_t off)
{
	for (size_t i = 0; i < s->n_places; i++)
		if (unc_addr_compare(&s->places[i].addr, addr) == 0 && s->places[i].off == off)
			return &s->places[i];
	CU_ASSERT_FATAL(s->n_places < SPY_PLACES);
	s->places[s->n_places] = (struct spy_place){*addr, off, look(s, addr, off)};
	return &s->places[s->n_places++];
}

/* The entry of the journal in which a dword or an MSR lies, and how many bits of it are below. */
static const struct unc_journal_entry *journalled(const struct spy *s, const struct unc_addr *addr, uint64_t off,
						  unsigned *ret_shift)
{
	for (size_t i = 0; i < s->m->journal.n; i++) {
		const struct unc_journal_entry *entry = &s->m->journal.entries[i];
		uint64_t first = unc_reg_off(entry->reg, entry->index);
		uint64_t len = addr->kind == UNC_MSR ? 1 : entry->reg->bits / 8;

		if (unc_addr_compare(&entry->box->addr, addr) != 0 || off < first || off - first >= len)
			continue;
		*ret_shift = 8 * (unsigned)(off - first);
		return entry;
	}
	return NULL;
}

/* Behind every wrapper: the machine cannot write but through here. */
static void on_access(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	const struct unc_journal_entry *entry;
	const struct spy_place *place;
	struct spy *s = arg;
	unsigned shift = 0;
	uint64_t mask;

	if (!write)
		return;
	s->writes++;
	if (addr->kind == UNC_PCI && off < 0x40)
		wrong(s, addr, off, "the configuration header");
	place = remember(s, addr, off);
	entry = journalled(s, addr, off, &shift);
	if (!entry) {
		wrong(s, addr, off, "its former value is not in the journal");
		return;
	}
	mask = addr->kind == UNC_MSR ? UINT64_MAX : UINT32_MAX;
	if (((entry->line.before >> shift ^ place->former) & mask) != 0)
		wrong(s, addr, off, "the journal has another former value than the register");
}

/* Of register i of a box, the bits that were written against the map. */
static uint64_t against_map(const struct unc_box *box, size_t i, const struct unc_reg_info *reg, unsigned shift,
			    uint64_t value)
{
	uint64_t blank = 0, allowed = 0;

	CU_ASSERT(unc_box_reg_base(box, i, 0, &blank) == 0);
	for (size_t k = 0; k < reg->n_fields; k++) {
		struct unc_field_info field;

		CU_ASSERT(unc_box_field_info(box, i, k, &field) == 0);
		if (strcmp(field.access, "rw") != 0 && strcmp(field.access, "wo") != 0 &&
		    strcmp(field.access, "rw1c") != 0)
			continue;
		allowed |= (UINT64_MAX >> (63 - (field.hi - field.lo))) << field.lo;
	}
	return (value ^ blank >> shift) & ~(allowed >> shift) & (reg->bits - shift < 64 ? UINT32_MAX : UINT64_MAX);
}

/* Does a box have this?  Then it is as its map says, or that is noted. */
static bool is_of(struct spy *s, const struct unc_box *box, uint64_t off, uint64_t value)
{
	const struct unc_addr *addr = &box->addr;

	for (size_t i = 0; i < unc_box_reg_count(box); i++) {
		struct unc_reg_info reg;
		uint64_t len;

		CU_ASSERT(unc_box_reg_info(box, i, &reg) == 0);
		len = addr->kind == UNC_MSR ? 1 : reg.bits / 8;
		if (off < reg.offset || off - reg.offset >= len)
			continue;
		if (reg.never)
			wrong(s, addr, off, "the map says that it is never to be written");
		if (against_map(box, i, &reg, 8 * (unsigned)(off - reg.offset), value))
			wrong(s, addr, off, "bits that the map does not let anybody write");
		return true;
	}
	return false;
}

/* "2000 pci 0000:ff:10.0 w32 0xf4 0x00010100": a write that is done, with its value. */
void spy_trace(void *arg, const char *line)
{
	char addr[UNC_ADDR_TEXT] = "", op[8] = "", name[32];
	unsigned long long off = 0, value = 0;
	struct spy *s = arg;
	struct unc_box *box;

	if (sscanf(line, "%*u %*s %47s %7s %llx %llx", addr, op, &off, &value) != 4 || op[0] != 'w')
		return;
	s->traced++;
	for (size_t i = 0; i < unc_box_count(s->m, NULL); i++) {
		box = unc_box_at(s->m, NULL, i);
		if (strcmp(box->pci, addr) == 0 && is_of(s, box, off, value))
			return;
	}
	snprintf(name, sizeof(name), "%.20s.rdt", addr);
	if (strncmp(addr, "cpu", 3) == 0 && unc_box_find(s->m, name, &box) == 0 && is_of(s, box, off, value))
		return;
	if (!s->by_offset && s->n_wrong++ == 0)
		snprintf(s->wrong, sizeof(s->wrong), "no map names it: %s", line);
}

static void on_dry(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

/* A process that is killed behind its second write: a channel's control is not as it was. */
static void leave_changed(struct spy *s)
{
	struct unc_machine_cfg cfg = {.machine = s->name, .writable = true, .state_dir = s->journals};
	struct unc_machine *m = NULL;
	uint64_t now;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (unc_new(&s->ctx) < 0 || unc_machine_open(s->ctx, &cfg, &m) < 0)
			_exit(1);
		s->box = unc_box_at(m, "imc", 0);
		unc_box_reg_write(s->box, onsim_reg_number(s->box, "CTL", 0), 0x304, &now);
		unc_os_kill_self();
	}
	CU_ASSERT_FATAL(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

/* kill= at an access that never comes has every bus of the simulated machine counted by its fault, from the first one on. */
static void open_machine(struct spy *s, enum spy_mode mode, bool recovers)
{
	char name[340];
	struct unc_machine_cfg cfg = {.machine = name,
				      .writable = mode != SPY_READ_ONLY,
				      .state_dir = s->journals,
				      .recovers = recovers,
				      .trace = spy_trace,
				      .trace_arg = s,
				      .dry_run = mode == SPY_DRY ? on_dry : NULL,
				      .command_pid = (int)getpid()};

	snprintf(name, sizeof(name), "%s,kill=%d:after", s->name, INT32_MAX);
	CU_ASSERT_FATAL(unc_new(&s->ctx) == 0);
	OK(s, unc_machine_open(s->ctx, &cfg, &s->m));
	s->fault = &unc_sim_of(s->m->host)->fault;
	EQ(s->fault->writes, 0); /* nothing is written while it is opened */
	CU_ASSERT(s->fault->seen > 0);
	s->fault->before = on_access;
	s->fault->arg = s;
	s->box = unc_box_at(s->m, "imc", 0);
}

static void make(struct spy *s)
{
	memset(s, 0, sizeof(*s));
	s->under = UINT64_MAX;
	test_file(s->state, sizeof(s->state), "unc-spy");
	snprintf(s->journals, sizeof(s->journals), "%s.journals", s->state);
	snprintf(s->name, sizeof(s->name), "sim:" SPY_MODEL ",state=%s", s->state);
	CU_ASSERT_FATAL(unc_new(&s->hand_ctx) == 0);
	CU_ASSERT_FATAL(unc_sim_open(s->hand_ctx, s->name + strlen("sim:"), -1, &s->hand) == 0);
}

void spy_open(struct spy *s, enum spy_mode mode)
{
	make(s);
	open_machine(s, mode, false);
}

void spy_open_left(struct spy *s, enum spy_mode mode)
{
	struct unc_addr addr;

	make(s);
	CU_ASSERT_FATAL(unc_addr_parse_pci(SPY_CHANNEL, &addr));
	remember(s, &addr, SPY_CTL); /* what it is to be put back to is of before that process */
	leave_changed(s);
	s->kept = true;
	open_machine(s, mode, true);
}

void spy_other_counts(struct spy *s)
{
	unsigned char bytes[4];
	size_t done;

	unc_put_le32(bytes, R_EN | 0x304); /* CTL[0].en, and an event */
	CU_ASSERT(unc_sim_access(s->hand, &s->box->addr, true, SPY_CTL, bytes, sizeof(bytes), &done) == 0);
}

void spy_close(struct spy *s)
{
	struct tree journals;

	unc_doctor_free(s->doctor);
	unc_check_close(s->check);
	CU_ASSERT(unc_xcheck_close(s->xcheck) == 0);
	unc_recover_close(s->recover);
	unc_task_close(s->task);
	CU_ASSERT(unc_session_close(s->session) == 0);
	CU_ASSERT(unc_llc_close(s->llc) == 0);
	CU_ASSERT(unc_machine_close(s->m) == 0);
	EQ(s->traced, s->writes); /* none of them went round what shows writes to the user */
	for (size_t i = 0; i < s->n_places && !s->kept; i++)
		EQ(look(s, &s->places[i].addr, s->places[i].off), s->places[i].former);
	unc_host_close(s->hand);
	unc_free(s->hand_ctx);
	unc_free(s->ctx);
	unlink(s->state);
	snprintf(journals.root, sizeof(journals.root), "%s", s->journals);
	tree_remove(&journals);
}

void spy_begin(struct spy *s)
{
	s->under = s->writes;
}

void spy_end(struct spy *s)
{
	s->under = s->writes - s->under;
}
