// SPDX-License-Identifier: GPL-2.0-or-later
/* clock, traffic, truth.json and violations.json: what only a simulated machine has. */

/* clock: the machine's time, which passes when a number of ns is written to it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_text.h"
#include "base/err.h"
#include "base/text.h"
#include "fs.h"

static int clock_print(struct fs *fs, const struct node *node, struct out *out)
{
	static const struct {
		const char *name;
		enum unc_clock clock;
	} clocks[] = {
		{"raw", UNC_CLOCK_RAW}, {"mono", UNC_CLOCK_MONO}, {"boot", UNC_CLOCK_BOOT}, {"real", UNC_CLOCK_REAL}};

	(void)node;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		out_printf(out, "%s %" PRIu64 "\n", clocks[i].name,
			   fs->sim.host->ops->now_ns(fs->sim.host, clocks[i].clock));
	return 0;
}

static int clock_read(struct fs *fs, const struct handle *handle, uint64_t off, char *buf, size_t len)
{
	struct out out = {0};
	int rc;

	clock_print(fs, handle->node, &out);
	rc = out.failed ? -ENOMEM : 0;
	if (rc == 0 && off < out.len) {
		rc = (int)(len < out.len - off ? len : out.len - off);
		memcpy(buf, out.text + off, (size_t)rc);
	}
	free(out.text);
	return rc;
}

static int clock_write(struct fs *fs, const struct handle *handle, uint64_t off, const char *buf, size_t len)
{
	size_t digits = len;
	char text[24];
	uint64_t ns;

	(void)handle;
	(void)off;
	if (digits && buf[digits - 1] == '\n')
		digits--;
	if (digits >= sizeof(text))
		return -EINVAL;
	memcpy(text, buf, digits);
	text[digits] = '\0';
	if (strspn(text, "0123456789") != digits || !unc_text_u64(text, &ns))
		return -EINVAL;
	return unc_sim_step(fs->sim.host, ns, true) < 0 ? -EINVAL : (int)len;
}

void clock_add(struct fs *fs)
{
	static const struct file_type clock_file = {
		.mode = 0644, .shown_size = 4096, .read = clock_read, .write = clock_write};

	if (unc_sim_info(fs->sim.host).steps)
		tree_file(&fs->tree, TREE_ROOT, "clock", &clock_file, 0);
}

/* traffic: between CPUs and memory, started and stopped by a line of text.  os/linux/host.h says how it reads. */

enum { CPU_MAX = 99999 /* beyond any machine, so that it can be named */ };

static int ask(struct fs *fs, enum unc_traffic_op op, const struct unc_traffic *traffic)
{
	return fs->sim.host->ops->traffic(fs->sim.host, op, traffic, &fs->moved);
}

static void print(struct fs *fs, struct out *out)
{
	out_printf(out,
		   "running %d\nloaded %" PRIu64 "\nstored %" PRIu64 "\nnt_stored %" PRIu64 "\nraw %" PRIu64 "\n%s",
		   fs->traffic_from ? 1 : 0, fs->moved.loaded_bytes, fs->moved.stored_bytes, fs->moved.nt_stored_bytes,
		   fs->moved.raw_ns, fs->refused);
}

static int traffic_read(struct fs *fs, const struct handle *handle, uint64_t off, char *buf, size_t len)
{
	struct out out = {0};
	int rc = 0;

	(void)handle;
	if (fs->traffic_from && off == 0)
		rc = ask(fs, UNC_TRAFFIC_LOOK, NULL);
	print(fs, &out);
	rc = rc < 0 ? failure_errno(fs, rc) : out.failed ? -ENOMEM : 0;
	if (rc == 0 && off < out.len) {
		rc = (int)(len < out.len - off ? len : out.len - off);
		memcpy(buf, out.text + off, (size_t)rc);
	}
	free(out.text);
	return rc;
}

struct cpus {
	unsigned *cpus; /* owned */
	size_t n;
	bool failed;
};

static bool parse_kind(const char *word, enum unc_traffic_kind *ret_kind)
{
	static const char *const kinds[] = {
		[UNC_TRAFFIC_READ] = "read", [UNC_TRAFFIC_WRITE] = "write", [UNC_TRAFFIC_NT_WRITE] = "nt_write"};

	for (unsigned i = 0; word && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(word, kinds[i]) == 0) {
			*ret_kind = (enum unc_traffic_kind)i;
			return true;
		}
	}
	return false;
}

/* KIND NODE BYTES_PER_S SIZE_BYTES CPUS */
static bool parse(char *line, struct unc_traffic *traffic, struct cpus *cpus)
{
	uint64_t first, last, node = 0, *const numbers[] = {&node, &traffic->bytes_per_s, &traffic->size_bytes};
	const char *list;

	if (!parse_kind(unc_text_cut(&line, ' '), &traffic->kind))
		return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const char *word = unc_text_cut(&line, ' ');

		if (!word || !unc_text_u64(word, numbers[i]))
			return false;
	}
	traffic->node = (unsigned)node;
	list = line;
	while (unc_text_range(&list, CPU_MAX, &first, &last)) {
		for (unsigned cpu = (unsigned)first; cpu <= last; cpu++)
			cpus->failed |= !unc_array_add(&cpus->cpus, &cpus->n, &cpu, sizeof(cpu));
	}
	return node <= CPU_MAX && line && !list;
}

/* Also in the file, with more of it than an errno has. */
static int refuse(struct fs *fs, int rc)
{
	snprintf(fs->refused, sizeof(fs->refused), "refused %s %s\n", unc_record_class(rc), unc_errmsg(fs->sim.ctx));
	return rc == UNC_ENOSUP  ? -EOPNOTSUPP
	       : rc == UNC_EBUSY ? -EBUSY
	       : rc == UNC_EARG  ? -EINVAL
				 : failure_errno(fs, rc);
}

static int start(struct fs *fs, const struct handle *handle, char *line)
{
	struct unc_traffic traffic = {0};
	struct cpus cpus = {0};
	int rc;

	if (fs->traffic_from)
		rc = unc_fail(fs->sim.ctx, UNC_EBUSY,
			      "traffic: another process makes traffic already; stop that first");
	else if (!parse(line, &traffic, &cpus))
		rc = unc_fail(fs->sim.ctx, UNC_EARG,
			      "traffic: a line must be \"stop\", or read, write or nt_write, and NODE BYTES_PER_S "
			      "SIZE_BYTES CPUS");
	else if (cpus.failed)
		rc = unc_fail(fs->sim.ctx, UNC_ENOMEM, "traffic: out of memory");
	else
		rc = UNC_OK;
	traffic.cpus = cpus.cpus;
	traffic.n_cpus = cpus.n;
	if (rc == UNC_OK)
		rc = ask(fs, UNC_TRAFFIC_START, &traffic);
	free(cpus.cpus);
	if (rc < 0)
		return refuse(fs, rc);
	fs->traffic_from = handle;
	fs->refused[0] = '\0';
	return 0;
}

static int stop(struct fs *fs, const struct handle *handle)
{
	int rc;

	if (fs->traffic_from != handle)
		return refuse(fs, unc_fail(fs->sim.ctx, UNC_EARG,
					   "traffic: none was started through this opening of the file"));
	fs->traffic_from = NULL;
	rc = ask(fs, UNC_TRAFFIC_STOP, NULL);
	return rc < 0 ? refuse(fs, rc) : 0;
}

static int traffic_write(struct fs *fs, const struct handle *handle, uint64_t off, const char *buf, size_t len)
{
	char *line = calloc(1, len + 1);
	int rc;

	(void)off;
	if (!line)
		return -ENOMEM;
	memcpy(line, buf, len);
	line[strcspn(line, "\n")] = '\0';
	rc = strcmp(line, "stop") == 0 ? stop(fs, handle) : start(fs, handle, line);
	free(line);
	return rc < 0 ? rc : (int)len;
}

/* The process that started the traffic has closed the file. */
static void traffic_close(struct fs *fs, const struct handle *handle)
{
	if (fs->traffic_from == handle)
		stop(fs, handle);
}

void traffic_add(struct fs *fs)
{
	static const struct file_type traffic_file = {
		.mode = 0644, .shown_size = 4096, .read = traffic_read, .write = traffic_write, .close = traffic_close};

	tree_file(&fs->tree, TREE_ROOT, "traffic", &traffic_file, 0);
}

/* truth.json and violations.json: what the hardware really did, and what was done to it against the rules. */

static int truth_file_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)node;
	return failure_errno(fs, truth_print(&fs->sim, out));
}

static int violations_file_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)node;
	return failure_errno(fs, violations_print(&fs->sim, out));
}

void truth_add(struct fs *fs)
{
	static const struct file_type truth_file = {.mode = 0444, .print = truth_file_print};
	static const struct file_type violations_file = {.mode = 0444, .print = violations_file_print};

	tree_file(&fs->tree, TREE_ROOT, "truth.json", &truth_file, 0);
	tree_file(&fs->tree, TREE_ROOT, "violations.json", &violations_file, 0);
}
