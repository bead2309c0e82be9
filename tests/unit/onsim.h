/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of machine/ and pmon/ have in common: a simulated machine with a second hand on its registers, a bus
 * that fails where it is told to, and the trace of what reached the hardware.
 */
#ifndef UNC_TESTS_ONSIM_H
#define UNC_TESTS_ONSIM_H

#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/fault.h"
#include "base/err.h"
#include "machine/gate.h"
#include "machine/machine.h"
#include "../simtruth.h"
#include "test.h"
#include "uncore/reg.h"

/* Sandy Bridge-EP, Intel 327043-001, chapter "iMC": offsets in configuration space, written here by hand. */
enum { R_CTR0 = 0xa0, R_FIXED_CTR = 0xd0, R_CTL0 = 0xd8, R_CTL3 = 0xe4, R_FIXED_CTL = 0xf0, R_BOX_CTL = 0xf4 };
#define R_CTR(i) (uint32_t)(R_CTR0 + 8 * (i))
#define R_CTL(i) (uint32_t)(R_CTL0 + 4 * (i))
enum { R_EN = 1 << 22, R_FRZ = 1 << 8, R_FRZ_EN = 1 << 16 };

#define S_NS  UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)

enum { ONSIM_BOXES_MAX = 96, ONSIM_CONTROLS = 6 };

struct onsim {
	struct unc_ctx *ctx;
	struct unc_machine *m;
	struct unc_fault fault;
	char *trace; /* "pci 0000:ff:10.0 w32 0xf4 0x00010100\n"... */
	size_t trace_len, trace_room;
	const char *slow; /* an access whose line has this in it, the slow_nth from now on, takes slow_ns longer */
	unsigned slow_nth;
	uint64_t slow_ns;
	char notes[8192]; /* a line each */
	int wake[2];
	char state[64];
	char journals[80];        /* the folder of journals, if there is one; goes with the machine */
	struct unc_ctx *hand_ctx; /* the other hand, whose accesses take no time and leave no trace */
	struct unc_host *hand;
	struct unc_bus *hand_bus;
};

/*
 * A machine of clock=step, opened for writing.  common: options that every opener must name ("sockets=1,frz_en=rw"), own:
 * those of the machine's own view ("hide=ff:10.0,dword_ns=0"); NULL or "" are fine.  Its time is that of the other hand.
 */
void onsim_open(struct onsim *o, const char *common, const char *own);
void onsim_open_read_only(struct onsim *o, const char *common, const char *own);
/* The same of another model than snbep. */
void onsim_open_model(struct onsim *o, const char *model, const char *common, const char *own);
/* Closes it, which must succeed, and asserts that no write broke a rule of the manual.  Nothing where it is closed already. */
void onsim_close(struct onsim *o);
/* The same where closing may fail: its result. */
int onsim_close_any(struct onsim *o);
/* Closes one that is open, which must succeed, and opens another. */
void onsim_reopen(struct onsim *o, const char *model, const char *common, const char *own);
/* Each test of the file finds that machine open as o, a variable that this defines, and leaves it so. */
#define EACH_ON_SIM(o, model, common, own)                                                                             \
	static struct onsim o;                                                                                         \
	static void open_sim(void)                                                                                     \
	{                                                                                                              \
		onsim_open_model(&o, model, common, own);                                                              \
	}                                                                                                              \
	static void close_sim(void)                                                                                    \
	{                                                                                                              \
		if (o.m) /* else the test has closed it */                                                             \
			onsim_close(&o);                                                                               \
	}                                                                                                              \
	EACH(open_sim, close_sim)
/* Looks for all sockets and boxes once more, through a bus with a fault in it. */
int onsim_find_boxes_again(struct onsim *o, const struct unc_fault *fault);

/* From now on no wait of it lasts. */
void onsim_wake(struct onsim *o);
/* From now on this fault; opening a function counts as an access. */
void onsim_fail(struct onsim *o, const struct unc_fault *fault);
#define ONSIM_FAIL(o, ...) onsim_fail(o, &(struct unc_fault){__VA_ARGS__})
void onsim_work(struct onsim *o); /* no fault any more */

struct unc_box *onsim_box(struct onsim *o, const char *name);
/* Of "socket1.imc0.ch2 EVENT", or "ch2 EVENT" for one of socket0.imc0. */
struct unc_box *onsim_box_of_event(struct onsim *o, const char *text, const char **ret_event);
const struct unc_reg *onsim_reg(struct unc_box *box, const char *name);
/* The number of a register for unc_box_reg_info() and its like. */
size_t onsim_reg_number(const struct unc_box *box, const char *name, unsigned index);
void onsim_step(struct onsim *o, uint64_t ns);

/* The other hand. */
uint32_t onsim_peek(struct onsim *o, const struct unc_box *box, uint32_t off);
void onsim_poke(struct onsim *o, const struct unc_box *box, uint32_t off, uint32_t value);
uint64_t onsim_peek48(struct onsim *o, const struct unc_box *box, uint32_t off);
void onsim_poke48(struct onsim *o, const struct unc_box *box, uint32_t off, uint64_t value);
/* What is in BOX_CTL, with the bits that cannot be read back. */
uint32_t onsim_box_ctl(struct onsim *o, const struct unc_box *box);
/* What really happened there until a raw time, or between two. */
uint64_t onsim_truth(struct onsim *o, const struct unc_box *box, const char *event, uint64_t raw_ns);
/* Every control of every channel that is somewhere: CTL[0..3], FIXED_CTL, BOX_CTL. */
struct onsim_controls {
	size_t n;
	uint32_t values[ONSIM_BOXES_MAX][ONSIM_CONTROLS];
};
struct onsim_controls onsim_controls(struct onsim *o);
/* They are as they were then, BOX_CTL only in the bits of box_ctl_mask; the first that is not is told on stderr. */
void onsim_controls_are(struct onsim *o, const struct onsim_controls *before, uint32_t box_ctl_mask);
/* What CTL[0] to CTL[3] hold. */
void onsim_has_ctls(struct onsim *o, const struct unc_box *box, uint32_t ctl0, uint32_t ctl1, uint32_t ctl2,
		    uint32_t ctl3);

void onsim_trace_clear(struct onsim *o);
/* How many lines of the trace have this in them. */
unsigned onsim_trace_count(struct onsim *o, const char *piece);
unsigned onsim_count(const char *text, const char *piece);

/* A session and its counts. */
enum { ONRUN_MAX = 64 };
struct onrun {
	struct onsim *o;
	struct unc_session *s;
	struct unc_count c[ONRUN_MAX];
	struct unc_box *box[ONRUN_MAX];
	const char *event[ONRUN_MAX];
	size_t n;
};
void onrun_open(struct onrun *r, struct onsim *o, const struct unc_session_cfg *cfg); /* NULL: nothing special */
void onrun_add(struct onrun *r, const char *box, const char *event);
/* A session of these events of a box, which has started. */
#define ONRUN(r, o, cfg, box, ...) onrun_begin(r, o, cfg, box, (const char *const[]){__VA_ARGS__, NULL})
void onrun_begin(struct onrun *r, struct onsim *o, const struct unc_session_cfg *cfg, const char *box,
		 const char *const *events);
/* A session with these events, "socket1.imc0.ch2 cas_count.rd", or "ch2 cas_count.rd" for socket0.imc0; ONRUN_START() starts it. */
#define ONRUN_OPEN(r, o, cfg, ...)  onrun_open_with(r, o, cfg, (const char *const[]){__VA_ARGS__, NULL})
#define ONRUN_START(r, o, cfg, ...) (ONRUN_OPEN(r, o, cfg, __VA_ARGS__), onrun_start(r))
void onrun_open_with(struct onrun *r, struct onsim *o, const struct unc_session_cfg *cfg, const char *const *events);
void onrun_start(struct onrun *r); /* these four must succeed */
void onrun_read(struct onrun *r);
void onrun_read_after(struct onrun *r, uint64_t ns); /* so much later, not slept in the session */
void onrun_close(struct onrun *r);
int onrun_try_read(struct onrun *r); /* these two may fail */
int onrun_try_close(struct onrun *r);
/* What really happened in the interval of count i, as far as its own times tell. */
uint64_t onrun_truth(const struct onrun *r, size_t i);
/* Count i has these flags, and without flags it is the truth, give or take the tolerance in counts. */
#define IS_GOOD(r, i, tolerance) onrun_is(r, i, 0, tolerance, __FILE__, __LINE__)
#define IS_FLAGGED(r, i, flags)  onrun_is(r, i, flags, 0, __FILE__, __LINE__)
void onrun_is(const struct onrun *r, size_t i, unsigned flags, uint64_t tolerance, const char *file, int line);

/* The same of what is read so much later. */
#define GOOD_AFTER(r, ns, i, tolerance) onrun_after(r, ns, i, 0, tolerance, __FILE__, __LINE__)
#define FLAGGED_AFTER(r, ns, i, flags)  onrun_after(r, ns, i, flags, 0, __FILE__, __LINE__)
void onrun_after(struct onrun *r, uint64_t ns, size_t i, unsigned flags, uint64_t tolerance, const char *file,
		 int line);

/* Closes the session and the machine, and opens another. */
void onrun_reopen(struct onrun *r, struct onsim *o, const char *common, const char *own);
/* Each test of the file finds that machine open as o, and may open a session r; both are closed behind it. */
#define EACH_WITH_RUN(o, r, common, own)                                                                               \
	static struct onsim o;                                                                                         \
	static struct onrun r;                                                                                         \
	static void open_sim(void)                                                                                     \
	{                                                                                                              \
		onrun_reopen(&r, &o, common, own);                                                                     \
	}                                                                                                              \
	static void close_sim(void)                                                                                    \
	{                                                                                                              \
		onrun_close(&r);                                                                                       \
		onsim_close(&o);                                                                                       \
	}                                                                                                              \
	EACH(open_sim, close_sim)

/* A machine as a program opens it: nothing is around it, no other hand is on it. */
struct onplain {
	struct unc_ctx *ctx;
	struct unc_machine *m;
};
void onplain_open_cfg(struct onplain *p, const struct unc_machine_cfg *cfg);
void onplain_open(struct onplain *p, const char *machine); /* for writing */
void onplain_close(struct onplain *p);                     /* these three must succeed */

/* The next word of a text, which must be shorter than 64; false: there is none. */
bool onsim_word(const char **rest, char word[64]);

/* The path of a file with that text, which is there until the next machine has been opened. */
const char *onsim_file(const char *text);

/* rc must be 0, else the sentence is shown and the test ends.  The call may be what opens ctx, so ctx is read after it. */
#define OK(o, call) onsim_ok(&(o)->ctx, call, #call, __FILE__, __LINE__)
void onsim_ok(struct unc_ctx *const *ctx, int rc, const char *call, const char *file, int line);
/* rc must be err, and the sentence must have all the pieces in it. */
#define FAILS(o, err, call, ...)                                                                                       \
	onsim_fails(&(o)->ctx, err, call, (const char *const[]){__VA_ARGS__, NULL}, #call, __FILE__, __LINE__)
void onsim_fails(struct unc_ctx *const *ctx, int err, int rc, const char *const *pieces, const char *call,
		 const char *file, int line);
#define SAME(a, b) onsim_same(a, b, __FILE__, __LINE__)
void onsim_same(const char *is, const char *expected, const char *file, int line);
#define HAS(text, piece) onsim_has(text, piece, __FILE__, __LINE__)
void onsim_has(const char *text, const char *piece, const char *file, int line);
#define EQ(a, b) onsim_eq((uint64_t)(a), (uint64_t)(b), #a, #b, __FILE__, __LINE__)
void onsim_eq(uint64_t a, uint64_t b, const char *a_text, const char *b_text, const char *file, int line);

#endif
