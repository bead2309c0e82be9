/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the simulated machine have in common. */
#ifndef TEST_SIM_H
#define TEST_SIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "sim/sim.h"

struct fx { /* a machine and its bus */
	struct unc_ctx *ctx;
	struct unc_host *host;
	struct unc_bus *bus;
};

static inline void fx_open(struct fx *fx, const char *args)
{
	memset(fx, 0, sizeof(*fx));
	CU_ASSERT_FATAL(unc_new(&fx->ctx) == 0);
	if (unc_sim_open(fx->ctx, args, -1, &fx->host) < 0) {
		fprintf(stderr, "sim:%s: %s\n", args, unc_errmsg(fx->ctx));
		CU_FAIL_FATAL("the machine must open");
	}
	CU_ASSERT_FATAL(fx->host->ops->bus_open(fx->host, UNC_PCI, true, &fx->bus) == 0);
}

static inline void fx_close(struct fx *fx)
{
	unc_bus_close(fx->bus);
	unc_host_close(fx->host);
	unc_free(fx->ctx);
}

static inline struct unc_addr fx_addr(const char *text)
{
	struct unc_addr addr;

	CU_ASSERT_FATAL(unc_addr_parse_pci(text, &addr));
	return addr;
}

static inline struct unc_space *fx_space(struct fx *fx, const char *at)
{
	struct unc_addr addr = fx_addr(at);
	struct unc_space *space = NULL;

	CU_ASSERT_FATAL(unc_space_open(fx->bus, &addr, &space) == 0);
	return space;
}

static inline uint32_t fx_r32(struct fx *fx, const char *at, uint32_t off)
{
	struct unc_space *space = fx_space(fx, at);
	uint32_t value = 0;

	CU_ASSERT_FATAL(unc_read32(space, off, &value) == 0);
	unc_space_close(space);
	return value;
}

static inline void fx_w32(struct fx *fx, const char *at, uint32_t off, uint32_t value)
{
	struct unc_space *space = fx_space(fx, at);
	unsigned char bytes[4];

	unc_put_le32(bytes, value);
	CU_ASSERT_FATAL(space->bus->ops->write(space, off, bytes, 4) == 0);
	unc_space_close(space);
}

/* Both halves, low first; with dword_ns=0 they are of one moment. */
static inline uint64_t fx_r48(struct fx *fx, const char *at, uint32_t off)
{
	uint64_t low = fx_r32(fx, at, off);

	return low | (uint64_t)fx_r32(fx, at, off + 4) << 32;
}

static inline void fx_w48(struct fx *fx, const char *at, uint32_t off, uint64_t value)
{
	fx_w32(fx, at, off, (uint32_t)value);
	fx_w32(fx, at, off + 4, (uint32_t)(value >> 32));
}

static inline void fx_step(struct fx *fx, uint64_t ns)
{
	CU_ASSERT_FATAL(unc_sim_step(fx->host, ns) == 0);
}

static inline uint64_t fx_truth(struct fx *fx, const char *at, const char *event)
{
	struct unc_addr addr = fx_addr(at);
	uint64_t count = 0;

	CU_ASSERT_FATAL(unc_sim_truth_events_at(fx->host, &addr, event, UNC_SIM_NOW, &count) == 0);
	return count;
}

/* Opening must fail like this, with a sentence that has each of these pieces in it (NULL ends them). */
static inline void fx_refused(const char *args, int err, const char *const *pieces)
{
	struct unc_host *host = NULL;
	struct unc_ctx *ctx;
	int rc;

	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	rc = unc_sim_open(ctx, args, -1, &host);
	if (rc != err)
		fprintf(stderr, "\nsim:%s: got %d: %s\n", args, rc, unc_errmsg(ctx));
	CU_ASSERT_EQUAL(rc, err);
	CU_ASSERT_PTR_NULL(host);
	for (; *pieces; pieces++) {
		if (!strstr(unc_errmsg(ctx), *pieces))
			fprintf(stderr, "\nsim:%s: no \"%s\" in: %s\n", args, *pieces, unc_errmsg(ctx));
		CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(ctx), *pieces));
	}
	CU_ASSERT_PTR_NULL(strchr(unc_errmsg(ctx), '\n'));
	unc_host_close(host);
	unc_free(ctx);
}

#define FX_REFUSED(args, err, ...) fx_refused(args, err, (const char *const[]){__VA_ARGS__, NULL})

/* A file of its own with that text (NULL: no file, only a name); fx_unlink() it. */
static inline char *fx_file(const char *text)
{
	char path[] = "/tmp/test_sim.XXXXXX", *copy;
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(fd >= 0);
	if (text)
		CU_ASSERT_FATAL(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	if (!text)
		unlink(path);
	copy = strdup(path);
	CU_ASSERT_FATAL(copy != NULL);
	return copy;
}

static inline void fx_unlink(char *path)
{
	unlink(path);
	free(path);
}

/* A machine with this load, and these options in front of it. */
static inline void fx_open_load(struct fx *fx, const char *options, const char *load)
{
	char *path = fx_file(load), args[512];

	snprintf(args, sizeof(args), "%s,load=%s", options, path);
	fx_open(fx, args);
	fx_unlink(path);
}

static inline uint64_t fx_rmsr(struct fx *fx, unsigned cpu, uint32_t number)
{
	uint64_t value = 0;
	int rc = unc_sim_msr_read(fx->host, cpu, number, &value);

	if (rc < 0)
		fprintf(stderr, "\n%s\n", unc_errmsg(fx->ctx));
	CU_ASSERT_EQUAL(rc, 0);
	return value;
}

static inline void fx_wmsr(struct fx *fx, unsigned cpu, uint32_t number, uint64_t value)
{
	int rc = unc_sim_msr_write(fx->host, cpu, number, value);

	if (rc < 0)
		fprintf(stderr, "\n0x%llx: %s\n", (unsigned long long)value, unc_errmsg(fx->ctx));
	CU_ASSERT_EQUAL(rc, 0);
}

static inline struct unc_cpuid_regs fx_cpuid(struct fx *fx, unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
	struct unc_cpuid_regs regs = {0};

	CU_ASSERT_FATAL(fx->host->ops->cpuid(fx->host, cpu, leaf, subleaf, &regs) == 0);
	return regs;
}

static inline struct unc_sim_cpu fx_cpu(struct fx *fx, size_t i)
{
	struct unc_sim_cpu cpu;

	CU_ASSERT_FATAL(unc_sim_cpu(fx->host, i, &cpu) == 0);
	return cpu;
}

static inline struct unc_sim_cache fx_cache(struct fx *fx, size_t i)
{
	struct unc_sim_cache cache;

	CU_ASSERT_FATAL(unc_sim_cache(fx->host, i, &cache) == 0);
	return cache;
}

#endif
