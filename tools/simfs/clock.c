// SPDX-License-Identifier: GPL-2.0-or-later
/* clock: the machine's time, which passes when it is told to. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
	return unc_sim_sleep(fs->sim.host, ns) < 0 ? -EINVAL : (int)len;
}

void clock_add(struct fs *fs)
{
	static const struct file_type clock_file = {
		.mode = 0644, .shown_size = 4096, .read = clock_read, .write = clock_write};

	if (unc_sim_steps(fs->sim.host))
		tree_file(&fs->tree, TREE_ROOT, "clock", &clock_file, 0);
}
