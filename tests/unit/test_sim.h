/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine of a test of the simulator.  fx_open() opens it and closes the former one; it is closed when the test ends, and the files
 * of the test are removed then.
 */
#ifndef TEST_SIM_H
#define TEST_SIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <inttypes.h>
#include <stdarg.h>

#include "base/err.h"
#include "../simtruth.h"
#include "simmsr.h"
#include "test.h"
#include "tree.h"

/* Sandy Bridge-EP, Intel 327043-001 p.60 to 68: a channel's registers, not taken from the simulator. */
enum { CTR = 0xa0, FIXED = 0xd0, CTL = 0xd8, FIXED_CTL = 0xf0, BOX_CTL = 0xf4, STATUS = 0xf8 };
enum { EN = 0x400000, READS = EN | 0x304 };

#define US     UINT64_C(1000)
#define MS     UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define N(a)   (sizeof(a) / sizeof((a)[0]))

/* The last arguments of a function that goes through a table: how many rows, they, and where the test says so. */
#define ROWS(type, ...) N(((const struct type[]){__VA_ARGS__})), (const struct type[]){__VA_ARGS__}, __FILE__, __LINE__

#define BIT(n) (UINT64_C(1) << (n))

__attribute__((unused)) static const char *const models[] = {"snbep", "ivt",   "hsx", "bdx",
							     "skx",   "bdxde", "clx", "cpx"};

struct fx { /* a machine and its buses */
	struct unc_ctx *ctx;
	struct unc_host *host;
	struct unc_bus *bus, *memory; /* PCI; MMIO, where a test opens it */
	bool asked;                   /* for violations: else there must be none when it is closed */
};

static struct fx fx, fx_kept[3]; /* the machine in use; those of fx_use() */
static unsigned fx_in_use;
static struct tree fx_tree; /* the files of a test; root "": none yet */

/* ---- opening and closing ---- */

static inline void fx_close(void)
{
	if (fx.host && !fx.asked)
		CU_ASSERT_EQUAL(unc_sim_violations(fx.host), 0);
	unc_bus_close(fx.memory);
	unc_bus_close(fx.bus);
	unc_host_close(fx.host);
	unc_free(fx.ctx);
	memset(&fx, 0, sizeof(fx));
}

static inline void fx_open(const char *args)
{
	fx_close();
	CU_ASSERT_FATAL(unc_new(&fx.ctx) == 0);
	if (unc_sim_open(fx.ctx, args, -1, &fx.host) < 0) {
		fprintf(stderr, "sim:%s: %s\n", args, unc_errmsg(fx.ctx));
		CU_FAIL_FATAL("the machine must open");
	}
	CU_ASSERT_FATAL(fx.host->ops->bus_open(fx.host, UNC_PCI, true, &fx.bus) == 0);
}

/* From now on the nth machine, for tests of several that are open at once; they begin with 0. */
static inline void fx_use(unsigned nth)
{
	fx_kept[fx_in_use] = fx;
	fx = fx_kept[nth];
	fx_in_use = nth;
}

static inline void fx_end(void)
{
	for (unsigned nth = N(fx_kept); nth-- > 0;) {
		fx_use(nth);
		fx_close();
	}
	if (fx_tree.root[0])
		tree_remove(&fx_tree);
	fx_tree.root[0] = '\0';
}

EACH(NULL, fx_end)

#define fx_text test_text

/* The folder of the test's files. */
static inline const struct tree *fx_folder(void)
{
	if (!fx_tree.root[0])
		fx_tree = tree_new();
	return &fx_tree;
}

/* The path of a file with that text, until 16 more have been made; NULL: no file, only a name. */
static inline const char *fx_file(const char *text)
{
	static struct tree_path paths[16];
	static unsigned n;
	char name[32];

	snprintf(name, sizeof(name), "file%u", n++);
	if (text)
		tree_text(fx_folder(), name, text);
	paths[n % 16] = tree_path(fx_folder(), name);
	return paths[n % 16].text;
}

/* A machine with this load, and these options in front of it. */
static inline void fx_open_load(const char *options, const char *load)
{
	fx_open(fx_text("%s,load=%s", options, fx_file(load)));
}

/* A machine on which time passes in steps only. */
static inline void open_model(const char *model, const char *options)
{
	fx_open(fx_text("%s,clock=step,dword_ns=0%s", model, options));
}

/* "cpuid=FILE", a machine whose memory channels are not modelled: one CPU of an Intel processor. */
static inline const char *fx_dump(void)
{
	return fx_text("cpuid=%s", fx_file("------[ Logical CPU #0 ]------\n"
					   "CPUID 00000000: 0000000B-756E6547-6C65746E-49656E69 [GenuineIntel]\n"
					   "CPUID 00000001: 00050654-00010800-7FFEFBFF-BFEBFBFF\n"
					   "CPUID 00000004: 0C004163-0280003F-00000FFF-00000004 [SL 00]\n"
					   "CPUID 0000000B: 00000000-00000001-00000100-00000000 [SL 00]\n"
					   "CPUID 0000000B: 00000003-00000001-00000201-00000000 [SL 01]\n"));
}

/* ---- what must be so ---- */

/* A failure at that place of a test. */
__attribute__((format(printf, 3, 4))) static inline void fx_wrong(const char *file, int line, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "\n%s:%d: %s\n", file, line, text);
	CU_assertImplementation(CU_FALSE, (unsigned)line, text, file, "", CU_FALSE);
}

static inline void fx_differs(uint64_t is, uint64_t expected, const char *what, const char *file, int line)
{
	fx_wrong(file, line, "%s: 0x%" PRIx64 " (%" PRIu64 "), not 0x%" PRIx64 " (%" PRIu64 ")", what, is, is, expected,
		 expected);
}

/* Opening must fail like this, with a sentence that has each of these pieces in it (NULL ends them). */
static inline void fx_refused(const char *args, int err, const char *const *pieces, const char *file, int line)
{
	struct unc_host *host = NULL;
	struct unc_ctx *ctx;
	int rc;

	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	rc = unc_sim_open(ctx, args, -1, &host);
	if (rc != err || host)
		fx_wrong(file, line, "sim:%s: got %d: %s", args, rc, unc_errmsg(ctx));
	for (; *pieces; pieces++)
		if (!strstr(unc_errmsg(ctx), *pieces))
			fx_wrong(file, line, "sim:%s: no \"%s\" in: %s", args, *pieces, unc_errmsg(ctx));
	CU_ASSERT_PTR_NULL(strchr(unc_errmsg(ctx), '\n'));
	unc_host_close(host);
	unc_free(ctx);
}

/* As a mistake of the caller. */
#define FX_REFUSED(args, ...) fx_refused(args, UNC_EARG, (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)

/* The end of the options, and up to three pieces of the sentence. */
typedef const char *fx_key[5];

/* From that one on they are in the sentence: 0: the options' end, too. */
static inline void fx_bad_keys(const char *options, unsigned from, size_t n, const fx_key *keys, const char *file,
			       int line)
{
	for (size_t i = 0; i < n; i++)
		fx_refused(fx_text("%s%s", options, keys[i][0]), UNC_EARG, keys[i] + from, file, line);
}

/* {a last key that is refused, what the sentence says beside it, ...}, ... */
#define FX_KEYS(...)           N(((const fx_key[]){__VA_ARGS__})), (const fx_key[]){__VA_ARGS__}, __FILE__, __LINE__
#define BAD_KEYS(machine, ...) fx_bad_keys(machine ",", 0, FX_KEYS(__VA_ARGS__))

/* A call must fail like this, with this piece in its sentence. */
static inline void fx_fails(int rc, int err, const char *name, const char *piece, const char *file, int line)
{
	if (rc != err || !strstr(unc_errmsg(fx.ctx), piece) || (name && strcmp(unc_err_name(fx.ctx, rc), name) != 0))
		fx_wrong(file, line, "got %d: %s", rc, unc_errmsg(fx.ctx));
}

#define FAILS(call, err, piece)          fx_fails(call, err, NULL, piece, __FILE__, __LINE__)
#define FAILS_AS(call, err, name, piece) fx_fails(call, err, name, piece, __FILE__, __LINE__) /* "EIO" */

/* ---- time and truth ---- */

static inline void fx_step(uint64_t ns)
{
	CU_ASSERT_FATAL(unc_sim_step(fx.host, ns, false) == 0);
}

static inline uint64_t fx_raw_ns(void)
{
	return fx.host->ops->now_ns(fx.host, UNC_CLOCK_RAW);
}

static inline struct unc_addr fx_addr(const char *text)
{
	struct unc_addr addr;

	CU_ASSERT_FATAL(unc_addr_parse_pci(text, &addr));
	return addr;
}

static inline uint64_t fx_truth_at(const char *at, const char *event, uint64_t raw_ns)
{
	struct unc_addr addr = fx_addr(at);
	uint64_t count = 0;

	CU_ASSERT_FATAL(unc_sim_truth_events_at(fx.host, &addr, event, raw_ns, &count) == 0);
	return count;
}

static inline uint64_t fx_truth(const char *at, const char *event)
{
	return fx_truth_at(at, event, UNC_SIM_NOW);
}

struct fx_moved {
	uint64_t read, written; /* bytes */
};

static inline struct fx_moved fx_moved(const struct unc_addr *addr)
{
	struct fx_moved moved = {0};

	CU_ASSERT_FATAL(unc_sim_truth_bytes_at(fx.host, addr, UNC_SIM_NOW, &moved.read, &moved.written) == 0);
	return moved;
}

struct fx_event {
	const char *name;
	uint64_t count;
};

static inline void fx_truths(const char *at, size_t n, const struct fx_event *events, const char *file, int line)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t is = fx_truth(at, events[i].name);

		if (is != events[i].count)
			fx_differs(is, events[i].count, fx_text("%s %s", at, events[i].name), file, line);
	}
}

/* {event, how often it happened}, ... */
#define TRUTH(at, ...) fx_truths(at, ROWS(fx_event, __VA_ARGS__))

static inline struct unc_sim_channel fx_channel(size_t i)
{
	struct unc_sim_channel channel;

	CU_ASSERT_FATAL(unc_sim_channel(fx.host, i, &channel) == 0);
	return channel;
}

static inline uint64_t fx_violations(void)
{
	fx.asked = true;
	return unc_sim_violations(fx.host);
}

static inline struct unc_sim_violation fx_violation(size_t i)
{
	struct unc_sim_violation violation;

	fx.asked = true;
	CU_ASSERT_FATAL(unc_sim_violation(fx.host, i, &violation) == 0);
	return violation;
}

static inline void fx_violates(size_t i, uint32_t off, uint32_t value, uint32_t wrong, const char *file, int line)
{
	struct unc_sim_violation is = fx_violation(i);

	if (is.off != off || is.value != value || is.wrong != wrong)
		fx_wrong(file, line, "violation %zu: %s", i, is.sentence);
}

/* The ith violation is a write of this value there; these bits of it are wrong. */
#define VIOLATES(i, off, value, wrong) fx_violates(i, off, value, wrong, __FILE__, __LINE__)

/* ---- registers, as tables: {offset, value}, ...; {CPU, number, value}, ... ---- */

struct fx_reg {
	uint32_t off;
	uint64_t value;
};

static inline struct unc_space *fx_space(const char *at)
{
	struct unc_addr addr = fx_addr(at);
	struct unc_space *space = NULL;

	CU_ASSERT_FATAL(unc_space_open(fx.bus, &addr, &space) == 0);
	return space;
}

static inline uint64_t fx_r32(const char *at, uint32_t off)
{
	struct unc_space *space = fx_space(at);
	uint32_t value = 0;

	CU_ASSERT_FATAL(unc_read32(space, off, &value) == 0);
	unc_space_close(space);
	return value;
}

static inline void fx_w32(const char *at, uint32_t off, uint64_t value)
{
	struct unc_space *space = fx_space(at);
	unsigned char bytes[4];

	unc_put_le32(bytes, (uint32_t)value);
	CU_ASSERT_FATAL(space->bus->ops->write(space, off, bytes, 4) == 0);
	unc_space_close(space);
}

/* Both halves, low first; with dword_ns=0 they are of one moment. */
static inline uint64_t fx_r48(const char *at, uint32_t off)
{
	uint64_t low = fx_r32(at, off);

	return low | (uint64_t)fx_r32(at, off + 4) << 32;
}

static inline void fx_w48(const char *at, uint32_t off, uint64_t value)
{
	fx_w32(at, off, value);
	fx_w32(at, off + 4, value >> 32);
}

static inline void fx_write(void (*write)(const char *at, uint32_t off, uint64_t value), const char *at, size_t n,
			    const struct fx_reg *regs, const char *file, int line)
{
	(void)file, (void)line;
	for (size_t i = 0; i < n; i++)
		write(at, regs[i].off, regs[i].value);
}

static inline void fx_are(uint64_t (*read)(const char *at, uint32_t off), const char *at, size_t n,
			  const struct fx_reg *regs, const char *file, int line)
{
	for (const struct fx_reg *reg = regs; reg < regs + n; reg++) {
		uint64_t is = read(at, reg->off);

		if (is != reg->value)
			fx_differs(is, reg->value, fx_text("%s 0x%x", at, reg->off), file, line);
	}
}

#define W32(at, ...)  fx_write(fx_w32, at, ROWS(fx_reg, __VA_ARGS__))
#define W48(at, ...)  fx_write(fx_w48, at, ROWS(fx_reg, __VA_ARGS__))
#define IS32(at, ...) fx_are(fx_r32, at, ROWS(fx_reg, __VA_ARGS__))
#define IS48(at, ...) fx_are(fx_r48, at, ROWS(fx_reg, __VA_ARGS__))

static inline uint64_t fx_rmsr(unsigned cpu, uint32_t number)
{
	uint64_t value = 0;
	int rc = sim_msr_read(fx.host, cpu, number, &value);

	if (rc < 0)
		fprintf(stderr, "\n%s\n", unc_errmsg(fx.ctx));
	CU_ASSERT_EQUAL(rc, 0);
	return value;
}

static inline void fx_wmsr(unsigned cpu, uint32_t number, uint64_t value)
{
	int rc = sim_msr_write(fx.host, cpu, number, value);

	if (rc < 0)
		fprintf(stderr, "\n0x%" PRIx64 ": %s\n", value, unc_errmsg(fx.ctx));
	CU_ASSERT_EQUAL(rc, 0);
}

static inline int try_read(unsigned cpu, uint32_t number)
{
	uint64_t value = 0x5eed;
	int rc = sim_msr_read(fx.host, cpu, number, &value);

	CU_ASSERT(rc == 0 || value == 0x5eed);
	return rc;
}

static inline int try_write(unsigned cpu, uint32_t number, uint64_t value)
{
	return sim_msr_write(fx.host, cpu, number, value);
}

struct fx_msr {
	unsigned cpu;
	uint32_t number;
	uint64_t value;
};

static inline void fx_wmsrs(size_t n, const struct fx_msr *msrs, const char *file, int line)
{
	(void)file, (void)line;
	for (size_t i = 0; i < n; i++)
		fx_wmsr(msrs[i].cpu, msrs[i].number, msrs[i].value);
}

static inline void fx_msrs_are(size_t n, const struct fx_msr *msrs, const char *file, int line)
{
	for (const struct fx_msr *msr = msrs; msr < msrs + n; msr++) {
		uint64_t is = fx_rmsr(msr->cpu, msr->number);

		if (is != msr->value)
			fx_differs(is, msr->value, fx_text("cpu %u: MSR 0x%x", msr->cpu, msr->number), file, line);
	}
}

static inline void fx_faults(size_t n, const struct fx_msr *msrs, const char *file, int line)
{
	for (const struct fx_msr *msr = msrs; msr < msrs + n; msr++)
		if (try_write(msr->cpu, msr->number, msr->value) != UNC_EIO)
			fx_wrong(file, line, "cpu %u: MSR 0x%x takes 0x%" PRIx64, msr->cpu, msr->number, msr->value);
}

/* Up to number 0. */
static inline void fx_absent(unsigned cpu, const uint32_t *numbers, const char *file, int line)
{
	for (; *numbers; numbers++)
		if (try_read(cpu, *numbers) != UNC_EIO)
			fx_wrong(file, line, "cpu %u: MSR 0x%x can be read", cpu, *numbers);
}

#define WMSR(...)  fx_wmsrs(ROWS(fx_msr, __VA_ARGS__))
#define ISMSR(...) fx_msrs_are(ROWS(fx_msr, __VA_ARGS__))
/* A write of that value faults; a read of each of these numbers. */
#define FAULTS(...)      fx_faults(ROWS(fx_msr, __VA_ARGS__))
#define ABSENT(cpu, ...) fx_absent(cpu, (const uint32_t[]){__VA_ARGS__, 0}, __FILE__, __LINE__)

/* ---- CPUs ---- */

static inline struct unc_cpuid_regs fx_cpuid(unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
	struct unc_cpuid_regs regs = {0};

	CU_ASSERT_FATAL(fx.host->ops->cpuid(fx.host, cpu, leaf, subleaf, &regs) == 0);
	return regs;
}

static inline struct unc_sim_cpu fx_cpu(size_t i)
{
	struct unc_sim_cpu cpu;

	CU_ASSERT_FATAL(unc_sim_cpu(fx.host, i, &cpu) == 0);
	return cpu;
}

static inline struct unc_sim_cache fx_cache(size_t i)
{
	CU_ASSERT_FATAL(i < unc_sim_info(fx.host).n_caches);
	return unc_sim_info(fx.host).caches[i];
}

#endif
