// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "onsim.h"

#include "machine/discovery.h"
#include "sim/computer.h"
#include "tree.h"

void onsim_fail(struct onsim *o, const struct unc_fault *fault)
{
	o->fault = *fault;
	o->fault.opens = true;
}

void onsim_work(struct onsim *o)
{
	o->fault = (struct unc_fault){0};
}

void onsim_wake(struct onsim *o)
{
	CU_ASSERT_FATAL(pipe(o->wake) == 0);
	CU_ASSERT_FATAL(write(o->wake[1], "x", 1) == 1);
	o->m->host->wake_fd = o->wake[0];
}

/* ---- opening and closing ---- */

static void on_trace(void *arg, const char *line)
{
	struct onsim *o = arg;
	const char *text = strchr(line, ' ') + 1; /* behind the time */
	size_t len = strlen(text) + 1;

	if (o->trace_len + len + 1 > o->trace_room) {
		o->trace_room = 2 * (o->trace_room + len + 1);
		o->trace = realloc(o->trace, o->trace_room);
		if (!o->trace)
			abort();
	}
	snprintf(o->trace + o->trace_len, len + 1, "%s\n", text);
	o->trace_len += len;
	if (o->slow && strstr(text, o->slow) && --o->slow_nth == 0)
		onsim_step(o, o->slow_ns);
}

static void on_note(void *arg, const char *sentence)
{
	struct onsim *o = arg;
	size_t len = strlen(o->notes);

	snprintf(o->notes + len, sizeof(o->notes) - len, "%s\n", sentence);
}

static char file_path[64]; /* of onsim_file(); "": it is gone */

const char *onsim_file(const char *text)
{
	FILE *file;

	CU_ASSERT_FATAL(!file_path[0]);
	test_file(file_path, sizeof(file_path), "unc-onsim-load");
	file = fopen(file_path, "w");
	CU_ASSERT_FATAL(file && fputs(text, file) >= 0 && fclose(file) == 0);
	return file_path;
}

static void remove_file(void)
{
	unlink(file_path);
	file_path[0] = '\0';
}

static void open_hand(struct onsim *o, const char *model, const char *common)
{
	const char *args = test_text("%s,clock=step,dword_ns=0,state=%s%s%s", model, o->state, common ? "," : "",
				     common ? common : "");

	CU_ASSERT_FATAL(unc_new(&o->hand_ctx) == 0);
	onsim_ok(&o->hand_ctx, unc_sim_open(o->hand_ctx, args, -1, &o->hand), args, __FILE__, __LINE__);
	onsim_ok(&o->hand_ctx, o->hand->ops->bus_open(o->hand, UNC_PCI, true, &o->hand_bus), "bus", __FILE__, __LINE__);
}

int onsim_find_boxes_again(struct onsim *o, const struct unc_fault *fault)
{
	struct unc_machine *m = o->m;

	for (size_t i = 0; i < m->n_boxes; i++)
		unc_space_close(m->boxes[i].space);
	free(m->boxes);
	m->boxes = NULL;
	unc_tables_free(m->tables);
	m->tables = NULL;
	m->n_boxes = 0;
	memset(m->sockets, 0, sizeof(m->sockets));
	m->n_sockets = 0;
	m->socket_rule[0] = '\0';
	onsim_trace_clear(o);
	o->notes[0] = '\0';
	onsim_fail(o, fault);
	return unc_machine_find_boxes(o->m);
}

static void open_machine(struct onsim *o, const char *model, const char *common, const char *own, bool writable)
{
	struct unc_machine_cfg cfg = {.writable = writable, .trace = on_trace, .trace_arg = o, .wake_fd = -1};
	struct unc_bus *bus = NULL;

	memset(o, 0, sizeof(*o));
	test_file(o->state, sizeof(o->state), "unc-onsim");
	common = common && *common ? common : NULL;
	own = own && *own ? own : NULL;
	cfg.machine = test_text("sim:%s,clock=step,state=%s%s%s%s%s", model, o->state, common ? "," : "",
				common ? common : "", own ? "," : "", own ? own : "");
	snprintf(o->journals, sizeof(o->journals), "%s.journals", o->state);
	cfg.state_dir = o->journals;
	CU_ASSERT_FATAL(unc_new(&o->ctx) == 0);
	unc_set_log(o->ctx, on_note, o);
	OK(o, unc_machine_open(o->ctx, &cfg, &o->m));
	open_hand(o, model, common);
	if (o->m->bus[UNC_PCI]) { /* else it is a part of which nothing there is known */
		/* The boxes once more, now with the buses around it that can fail. */
		for (enum unc_kind kind = UNC_PCI; kind <= UNC_MMIO; kind++)
			if (kind != UNC_MSR && o->m->bus[kind]) {
				OK(o, unc_fault_wrap(o->m->bus[kind], &o->fault, &bus));
				o->m->bus[kind] = bus;
			}
		OK(o, onsim_find_boxes_again(o, &(struct unc_fault){0}));
	}
	onsim_trace_clear(o);
	remove_file();
}

void onsim_open(struct onsim *o, const char *common, const char *own)
{
	onsim_open_model(o, "snbep", common, own);
}

void onsim_open_model(struct onsim *o, const char *model, const char *common, const char *own)
{
	open_machine(o, model, common, own, true);
}

void onsim_open_read_only(struct onsim *o, const char *common, const char *own)
{
	open_machine(o, "snbep", common, own, false);
}

int onsim_close_any(struct onsim *o)
{
	struct unc_sim_violation violation;
	struct tree journals;
	int rc;

	if (!o->hand) /* closed already */
		return 0;
	rc = unc_machine_close(o->m);
	o->m = NULL;
	if (unc_sim_violation(o->hand, 0, &violation) == 0)
		fprintf(stderr, "\nviolation: %s\n", violation.sentence);
	CU_ASSERT_EQUAL(unc_sim_violations(o->hand), 0);
	unc_bus_close(o->hand_bus);
	unc_host_close(o->hand);
	o->hand = NULL;
	unc_free(o->hand_ctx);
	unlink(o->state);
	snprintf(journals.root, sizeof(journals.root), "%s", o->journals);
	tree_remove(&journals);
	free(o->trace);
	o->trace = NULL;
	unc_free(o->ctx);
	o->m = NULL;
	if (o->wake[1]) {
		close(o->wake[0]);
		close(o->wake[1]);
	}
	return rc;
}

void onsim_close(struct onsim *o)
{
	CU_ASSERT_EQUAL(onsim_close_any(o), 0);
}

void onsim_reopen(struct onsim *o, const char *model, const char *common, const char *own)
{
	if (o->m)
		onsim_close(o);
	onsim_open_model(o, model, common, own);
}

void onplain_open_cfg(struct onplain *p, const struct unc_machine_cfg *cfg)
{
	*p = (struct onplain){.ctx = NULL};
	CU_ASSERT_FATAL(unc_new(&p->ctx) == 0);
	onsim_ok(&p->ctx, unc_machine_open(p->ctx, cfg, &p->m), cfg->machine, __FILE__, __LINE__);
	remove_file();
}

void onplain_open(struct onplain *p, const char *machine)
{
	onplain_open_cfg(p, &(struct unc_machine_cfg){.machine = machine, .writable = true, .wake_fd = -1});
}

void onplain_close(struct onplain *p)
{
	OK(p, unc_machine_close(p->m));
	unc_free(p->ctx);
}

/* ---- looking and touching ---- */

struct unc_box *onsim_box(struct onsim *o, const char *name)
{
	for (size_t i = 0; i < o->m->n_boxes; i++)
		if (strcmp(o->m->boxes[i].name, name) == 0)
			return &o->m->boxes[i];
	CU_FAIL_FATAL("no such box");
	return NULL;
}

struct unc_box *onsim_box_of_event(struct onsim *o, const char *text, const char **ret_event)
{
	const char *unit = strncmp(text, "ch", 2) == 0 ? "socket0.imc0." : "";
	size_t len = strcspn(text, " ");

	*ret_event = text + len + 1;
	return onsim_box(o, test_text("%s%.*s", unit, (int)len, text));
}

const struct unc_reg *onsim_reg(struct unc_box *box, const char *name)
{
	const struct unc_reg *reg = unc_unit_reg(box->unit, name);

	CU_ASSERT_PTR_NOT_NULL_FATAL(reg);
	return reg;
}

size_t onsim_reg_number(const struct unc_box *box, const char *name, unsigned index)
{
	struct unc_reg_info reg;

	for (size_t i = 0; unc_box_reg_info(box, i, &reg) == 0; i++)
		if (strcmp(reg.name, name) == 0 && reg.index == index)
			return i;
	CU_FAIL_FATAL("no such register");
	return 0;
}

void onsim_step(struct onsim *o, uint64_t ns)
{
	CU_ASSERT_FATAL(unc_sim_step(o->hand, ns, false) == 0);
}

static struct unc_space *reach(struct onsim *o, const struct unc_box *box)
{
	struct unc_space *space = NULL;

	CU_ASSERT_FATAL(unc_space_open(o->hand_bus, &box->addr, &space) == 0);
	return space;
}

static const struct unc_sim_place *place_of(struct onsim *o, const struct unc_box *box)
{
	const struct unc_sim_place *place = unc_sim_place_find(unc_sim_of(o->hand), &box->addr);

	CU_ASSERT_PTR_NOT_NULL_FATAL(place);
	return place;
}

uint32_t onsim_peek(struct onsim *o, const struct unc_box *box, uint32_t off)
{
	struct unc_space *space;
	uint32_t value = 0;
	char bytes[4];

	/* The simulator has the registers that are in memory at the offsets of those in configuration space. */
	if (box->addr.kind == UNC_MMIO) {
		unc_sim_config_access(unc_sim_of(o->hand), place_of(o, box), off, bytes, NULL, sizeof(bytes));
		return unc_le32(bytes);
	}
	space = reach(o, box);
	CU_ASSERT_FATAL(unc_read32(space, off, &value) == 0);
	unc_space_close(space);
	return value;
}

void onsim_poke(struct onsim *o, const struct unc_box *box, uint32_t off, uint32_t value)
{
	struct unc_space *space;
	char bytes[4];

	unc_put_le32(bytes, value);
	if (box->addr.kind == UNC_MMIO) {
		unc_sim_config_access(unc_sim_of(o->hand), place_of(o, box), off, NULL, bytes, sizeof(bytes));
		return;
	}
	space = reach(o, box);
	CU_ASSERT_FATAL(space->bus->ops->write(space, off, bytes, sizeof(bytes)) == 0);
	unc_space_close(space);
}

uint64_t onsim_peek48(struct onsim *o, const struct unc_box *box, uint32_t off)
{
	uint64_t low = onsim_peek(o, box, off);

	return low | (uint64_t)onsim_peek(o, box, off + 4) << 32;
}

void onsim_poke48(struct onsim *o, const struct unc_box *box, uint32_t off, uint64_t value)
{
	onsim_poke(o, box, off, (uint32_t)value);
	onsim_poke(o, box, off + 4, (uint32_t)(value >> 32) & 0xffff);
}

uint32_t onsim_box_ctl(struct onsim *o, const struct unc_box *box)
{
	return unc_sim_of(o->hand)->store.state->imc[place_of(o, box)->channel].box_ctl;
}

uint64_t onsim_truth(struct onsim *o, const struct unc_box *box, const char *event, uint64_t raw_ns)
{
	uint64_t count = 0;

	if (strcmp(event, "dclk") == 0)
		event = "clockticks";
	CU_ASSERT_FATAL(unc_sim_truth_events_at(o->hand, &box->addr, event, raw_ns, &count) == 0);
	return count;
}

/* All controls of the box that counts: a node has up to 16, each of 64 bits. */
static void peek_msrs(struct onsim *o, const struct unc_box *box, uint32_t values[ONSIM_CONTROLS])
{
	const struct unc_box *counts = box->counted_by ? box->counted_by : box;
	const struct unc_reg *ctl = unc_unit_reg(counts->unit, "CTL");
	struct unc_space *space = NULL;
	struct unc_bus *bus = NULL;
	char bytes[8];

	CU_ASSERT_FATAL(ctl && o->hand->ops->bus_open(o->hand, UNC_MSR, false, &bus) == 0);
	CU_ASSERT_FATAL(unc_space_open(bus, &counts->addr, &space) == 0);
	for (unsigned k = 0; k < ctl->count; k++) {
		CU_ASSERT_FATAL(unc_read_block(space, unc_reg_off(ctl, k), bytes, sizeof(bytes)) == 0);
		/* Rotated, so that no two controls can make up for each other. */
		values[k % ONSIM_CONTROLS] ^= unc_le32(bytes) << k | unc_le32(bytes) >> (32 - k) % 32;
		values[k % ONSIM_CONTROLS] ^= unc_le32(bytes + 4);
	}
	unc_space_close(space);
	unc_bus_close(bus);
}

struct onsim_controls onsim_controls(struct onsim *o)
{
	struct onsim_controls controls = {0};

	for (size_t i = 0; i < unc_box_count(o->m, "imc") && controls.n < ONSIM_BOXES_MAX; i++) {
		const struct unc_box *box = unc_box_at(o->m, "imc", i);
		uint32_t *values = controls.values[controls.n];

		if (box->presence == UNC_ABSENT)
			continue;
		controls.n++;
		if (box->unit->kind == UNC_MSR) {
			peek_msrs(o, box, values);
			continue;
		}
		for (unsigned k = 0; k < 4; k++)
			values[k] = onsim_peek(o, box, R_CTL(k));
		values[4] = onsim_peek(o, box, R_FIXED_CTL);
		values[5] = onsim_box_ctl(o, box);
	}
	return controls;
}

void onsim_controls_are(struct onsim *o, const struct onsim_controls *before, uint32_t box_ctl_mask)
{
	struct onsim_controls now = onsim_controls(o);
	unsigned n = 0;

	for (size_t i = 0; i < before->n; i++) {
		for (unsigned k = 0; k < ONSIM_CONTROLS; k++) {
			uint32_t was = before->values[i][k], is = now.values[i][k];

			if (((was ^ is) & (k == 5 ? box_ctl_mask : UINT32_MAX)) && n++ == 0)
				fprintf(stderr, "\nbox %zu, control %u: 0x%08x became 0x%08x\n", i, k, was, is);
		}
	}
	EQ(n, 0);
}

void onsim_has_ctls(struct onsim *o, const struct unc_box *box, uint32_t ctl0, uint32_t ctl1, uint32_t ctl2,
		    uint32_t ctl3)
{
	const uint32_t expected[] = {ctl0, ctl1, ctl2, ctl3};

	for (unsigned i = 0; i < 4; i++)
		EQ(onsim_peek(o, box, R_CTL(i)), expected[i]);
}

void onsim_trace_clear(struct onsim *o)
{
	o->trace_len = 0;
	if (!o->trace)
		o->trace = calloc(1, o->trace_room = 1);
	if (!o->trace)
		abort();
	o->trace[0] = '\0';
}

unsigned onsim_count(const char *text, const char *piece)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, piece)); at++)
		n++;
	return n;
}

unsigned onsim_trace_count(struct onsim *o, const char *piece)
{
	return onsim_count(o->trace, piece);
}

bool onsim_word(const char **rest, char word[64])
{
	int n = 0;

	*word = '\0';
	if (sscanf(*rest, "%63s%n", word, &n) == 1)
		*rest += n;
	return *word;
}

/* ---- counting ---- */

void onrun_open(struct onrun *r, struct onsim *o, const struct unc_session_cfg *cfg)
{
	static const struct unc_session_cfg plain;

	memset(r, 0, sizeof(*r));
	r->o = o;
	OK(o, unc_session_open(o->m, cfg ? cfg : &plain, &r->s));
}

void onrun_add(struct onrun *r, const char *box, const char *event)
{
	size_t index = SIZE_MAX;

	r->box[r->n] = onsim_box(r->o, box);
	r->event[r->n] = event;
	OK(r->o, unc_session_add(r->s, r->box[r->n], event, &index));
	EQ(index, r->n);
	r->n++;
}

void onrun_open_with(struct onrun *r, struct onsim *o, const struct unc_session_cfg *cfg, const char *const *events)
{
	const char *event;

	onrun_open(r, o, cfg);
	for (; *events; events++) {
		const struct unc_box *box = onsim_box_of_event(o, *events, &event);

		onrun_add(r, box->name, event);
	}
}

void onrun_start(struct onrun *r)
{
	OK(r->o, unc_session_start(r->s));
}

void onrun_begin(struct onrun *r, struct onsim *o, const struct unc_session_cfg *cfg, const char *box,
		 const char *const *events)
{
	onrun_open(r, o, cfg);
	for (; *events; events++)
		onrun_add(r, box, *events);
	onrun_start(r);
}

int onrun_try_read(struct onrun *r)
{
	return unc_session_read(r->s, r->c, r->n);
}

void onrun_read(struct onrun *r)
{
	OK(r->o, onrun_try_read(r));
}

void onrun_read_after(struct onrun *r, uint64_t ns)
{
	onsim_step(r->o, ns);
	onrun_read(r);
}

int onrun_try_close(struct onrun *r)
{
	int rc = unc_session_close(r->s);

	r->s = NULL;
	return rc;
}

void onrun_close(struct onrun *r)
{
	if (r->s)
		OK(r->o, onrun_try_close(r));
}

void onrun_reopen(struct onrun *r, struct onsim *o, const char *common, const char *own)
{
	onrun_close(r);
	onsim_close(o);
	onsim_open(o, common, own);
}

uint64_t onrun_truth(const struct onrun *r, size_t i)
{
	uint64_t offset_ns = unc_machine_real_ns(r->o->m) - unc_machine_raw_ns(r->o->m);
	uint64_t end_ns = r->c[i].time_ns - offset_ns, start_ns = end_ns - r->c[i].interval_ns;

	return onsim_truth(r->o, r->box[i], r->event[i], end_ns) - onsim_truth(r->o, r->box[i], r->event[i], start_ns);
}

void onrun_is(const struct onrun *r, size_t i, unsigned flags, uint64_t tolerance, const char *file, int line)
{
	const struct unc_count *count = &r->c[i];
	uint64_t truth = flags ? 0 : onrun_truth(r, i),
		 error = count->delta > truth ? count->delta - truth : truth - count->delta;

	if (count->flags != flags || error > tolerance)
		fprintf(stderr, "\n%s:%d: %s %s: flags %u, not %u; %" PRIu64 ", not %" PRIu64 ", in %" PRIu64 " ns\n",
			file, line, r->box[i]->name, r->event[i], count->flags, flags, count->delta, truth,
			count->interval_ns);
	CU_ASSERT_EQUAL(count->flags, flags);
	CU_ASSERT_TRUE(error <= tolerance);
}

void onrun_after(struct onrun *r, uint64_t ns, size_t i, unsigned flags, uint64_t tolerance, const char *file, int line)
{
	onrun_read_after(r, ns);
	onrun_is(r, i, flags, tolerance, file, line);
}

/* ---- asserting ---- */

void onsim_ok(struct unc_ctx *const *ctx, int rc, const char *call, const char *file, int line)
{
	if (rc != 0)
		fprintf(stderr, "\n%s:%d: %s: %d: %s\n", file, line, call, rc, unc_errmsg(*ctx));
	CU_ASSERT_EQUAL_FATAL(rc, 0);
}

void onsim_fails(struct unc_ctx *const *ctx, int err, int rc, const char *const *pieces, const char *call,
		 const char *file, int line)
{
	if (rc != err)
		fprintf(stderr, "\n%s:%d: %s: %d, not %d: %s\n", file, line, call, rc, err,
			rc < 0 ? unc_errmsg(*ctx) : "");
	CU_ASSERT_EQUAL(rc, err);
	for (; *pieces && rc == err; pieces++)
		onsim_has(unc_errmsg(*ctx), *pieces, file, line);
}

void onsim_same(const char *is, const char *expected, const char *file, int line)
{
	if (strcmp(is, expected) != 0)
		fprintf(stderr, "\n%s:%d: is\n%s\nnot\n%s\n", file, line, is, expected);
	CU_ASSERT_STRING_EQUAL(is, expected);
}

void onsim_has(const char *text, const char *piece, const char *file, int line)
{
	if (!strstr(text, piece))
		fprintf(stderr, "\n%s:%d: no \"%s\" in: %s\n", file, line, piece, text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, piece));
}

void onsim_eq(uint64_t a, uint64_t b, const char *a_text, const char *b_text, const char *file, int line)
{
	if (a != b)
		fprintf(stderr, "\n%s:%d: %s is 0x%" PRIx64 " (%" PRIu64 "), %s is 0x%" PRIx64 " (%" PRIu64 ")\n", file,
			line, a_text, a, a, b_text, b, b);
	CU_ASSERT_EQUAL(a, b);
}
