// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "access/record_text.h"
#include "base/text.h"
#include "os/linux/fail.h"
#include "os/linux/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 4096, PER_CPU = 12 };

static const char *const kinds[] = {
	[UNC_TRAFFIC_READ] = "read", [UNC_TRAFFIC_WRITE] = "write", [UNC_TRAFFIC_NT_WRITE] = "nt_write"};

/* ---- through a file ---- */

static bool file_read(int fd, char text[TEXT_MAX])
{
	ssize_t n = pread(fd, text, TEXT_MAX - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Returns the number after "NAME " in a line; does not change the text. */
static bool find(const char *text, const char *name, uint64_t *ret_number)
{
	size_t len = strlen(name);
	const char *line = text;
	char number[24];

	while (line && (strncmp(line, name, len) != 0 || line[len] != ' ')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)strcspn(line + len + 1, "\n"), line + len + 1);
	return unc_text_u64(number, ret_number);
}

static bool done_of(const char *text, struct unc_traffic_done *ret_done)
{
	return find(text, "loaded", &ret_done->loaded_bytes) && find(text, "stored", &ret_done->stored_bytes) &&
	       find(text, "nt_stored", &ret_done->nt_stored_bytes) && find(text, "raw", &ret_done->raw_ns);
}

static bool is_traffic(int fd)
{
	struct unc_traffic_done done;
	char text[TEXT_MAX];
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && file_read(fd, text) && done_of(text, &done);
}

/* UNC_ENODEV, without a message: there is no such file, or it is something else. */
static int file_open(struct unc_ctx *ctx, struct unc_linux_root *root, int *ret_fd)
{
	struct unc_linux_path path;
	int rc, fd;

	rc = unc_linux_path(ctx, &path, "%s/traffic", root->path);
	if (rc < 0)
		return rc;
	fd = unc_linux_open(root, path.text, O_RDWR);
	if (fd < 0)
		return errno == EACCES || errno == EPERM ? unc_linux_fail(ctx, errno,
									  "%s: traffic is made by writing there: run "
									  "as the user who mounted it",
									  path.text)
							 : UNC_ENODEV;
	if (!is_traffic(fd)) {
		close(fd);
		return UNC_ENODEV;
	}
	rc = unc_linux_may_write(ctx, root, path.text, fd, 0);
	if (rc < 0) {
		close(fd);
		return rc;
	}
	*ret_fd = fd;
	return UNC_OK;
}

/* Reads "refused nodev SENTENCE": its message is better than that of errno. */
static int refused(struct unc_ctx *ctx, int fd, int errnum, const char *deed)
{
	static const char word[] = "\nrefused ";
	char text[TEXT_MAX], *line, *sentence;
	int err;

	line = file_read(fd, text) ? strstr(text, word) : NULL;
	if (!line)
		return unc_linux_fail(ctx, errnum, "traffic: %s", deed);
	line += strlen(word);
	line[strcspn(line, "\n")] = '\0';
	sentence = strchr(line, ' ');
	if (!sentence)
		return unc_linux_fail(ctx, errnum, "traffic: %s", deed);
	*sentence++ = '\0';
	err = unc_record_err(line);
	return unc_fail(ctx, err ? err : UNC_EIO, "%s", sentence);
}

static int file_write(struct unc_ctx *ctx, int fd, const char *text, const char *deed)
{
	size_t len = strlen(text);

	if (pwrite(fd, text, len, 0) == (ssize_t)len)
		return UNC_OK;
	return refused(ctx, fd, errno, deed);
}

static int file_start(struct unc_ctx *ctx, int fd, const struct unc_traffic *traffic)
{
	size_t size = 128 + traffic->n_cpus * PER_CPU, len, i;
	char *text = malloc(size);
	int rc;

	if (!text)
		return unc_fail(ctx, UNC_ENOMEM, "traffic: out of memory");
	len = (size_t)snprintf(text, size, "%s %u %" PRIu64 " %" PRIu64 " ", kinds[traffic->kind], traffic->node,
			       traffic->bytes_per_s, traffic->size_bytes);
	for (i = 0; i < traffic->n_cpus; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%u", i ? "," : "", traffic->cpus[i]);
	snprintf(text + len, size - len, "\n");
	rc = file_write(ctx, fd, text, "start");
	free(text);
	return rc;
}

static int file_look(struct unc_ctx *ctx, int fd, struct unc_traffic_done *ret_done)
{
	struct unc_traffic_done done;
	char text[TEXT_MAX];

	if (!file_read(fd, text) || !done_of(text, &done))
		return unc_fail_named(ctx, UNC_EIO, "EIO", "traffic: its file does not tell what was moved");
	*ret_done = done;
	return UNC_OK;
}

static int file_stop(struct unc_ctx *ctx, int fd, struct unc_traffic_done *ret_done)
{
	int rc = file_write(ctx, fd, "stop\n", "stop");

	if (rc == UNC_OK)
		rc = file_look(ctx, fd, ret_done);
	close(fd);
	return rc;
}

/* ---- on this computer ---- */

/* Below root is this computer, as a container may see it: then it has the same boot_id. */
static bool is_this_computer(struct unc_host *host, struct unc_linux_root *root)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	char *there, *here;
	bool same = false;

	if (root->fd < 0)
		return true;
	if (host->ops->file(host, path, TEXT_MAX, &there, NULL) < 0)
		return false;
	if (unc_os_file_read(host->ctx, path, TEXT_MAX, UNC_TRUST_ANY, &here, NULL) == UNC_OK) {
		same = strcmp(there, here) == 0;
		free(here);
	}
	free(there);
	return same;
}

/* Makes the maker's message that of the context. */
static int said(struct unc_ctx *ctx, int rc, const char *sentence)
{
	return rc < 0 ? unc_fail(ctx, rc, "%s", sentence) : UNC_OK;
}

static int maker_start(struct unc_host *host, struct unc_linux_root *root, const struct unc_traffic *traffic)
{
	const struct unc_traffic_maker *maker = host->traffic_maker;
	char sentence[UNC_MSG_MAX] = "";

	if (!is_this_computer(host, root))
		return unc_fail(host->ctx, UNC_ENOSUP,
				"root:%s is not the computer that this program runs on, and has no file \"traffic\" "
				"of a mounted machine: no memory traffic can be made there",
				root->path);
	if (!maker)
		return unc_fail(host->ctx, UNC_ENOSUP, "memory traffic cannot be made on this computer");
	return said(host->ctx, maker->start(maker->arg, traffic, sentence, sizeof(sentence)), sentence);
}

static int maker_ask(struct unc_host *host, bool stop, struct unc_traffic_done *ret_done)
{
	const struct unc_traffic_maker *maker = host->traffic_maker;
	char sentence[UNC_MSG_MAX] = "";
	int rc = (stop ? maker->stop : maker->look)(maker->arg, ret_done, sentence, sizeof(sentence));

	return said(host->ctx, rc, sentence);
}

/* ---- either ---- */

static int start(struct unc_host *host, struct unc_linux_root *root, struct unc_linux_traffic *made,
		 const struct unc_traffic *traffic)
{
	int rc = root->fd >= 0 ? file_open(host->ctx, root, &made->fd) : UNC_ENODEV;

	if (rc == UNC_ENODEV) {
		rc = maker_start(host, root, traffic);
		made->by = rc == UNC_OK ? UNC_LINUX_TRAFFIC_MAKER : UNC_LINUX_TRAFFIC_NONE;
		return rc;
	}
	if (rc < 0)
		return rc;
	rc = file_start(host->ctx, made->fd, traffic);
	if (rc == UNC_OK)
		made->by = UNC_LINUX_TRAFFIC_FILE;
	else
		close(made->fd);
	return rc;
}

static int stop(struct unc_host *host, struct unc_linux_traffic *made, struct unc_traffic_done *ret_done)
{
	enum unc_linux_traffic_by by = made->by;

	made->by = UNC_LINUX_TRAFFIC_NONE;
	return by == UNC_LINUX_TRAFFIC_FILE ? file_stop(host->ctx, made->fd, ret_done)
					    : maker_ask(host, true, ret_done);
}

int unc_linux_traffic(struct unc_host *host, struct unc_linux_root *root, struct unc_linux_traffic *made,
		      enum unc_traffic_op op, const struct unc_traffic *traffic, struct unc_traffic_done *ret_done)
{
	if ((op == UNC_TRAFFIC_START) != (made->by == UNC_LINUX_TRAFFIC_NONE))
		return unc_fail(host->ctx, UNC_EARG, "traffic: %s",
				op == UNC_TRAFFIC_START ? "it is being made already" : "none is being made");
	if (op == UNC_TRAFFIC_START)
		return start(host, root, made, traffic);
	if (op == UNC_TRAFFIC_STOP)
		return stop(host, made, ret_done);
	return made->by == UNC_LINUX_TRAFFIC_FILE ? file_look(host->ctx, made->fd, ret_done)
						  : maker_ask(host, false, ret_done);
}

void unc_linux_traffic_close(struct unc_host *host, struct unc_linux_traffic *made)
{
	struct unc_traffic_done done;

	if (made->by != UNC_LINUX_TRAFFIC_NONE)
		stop(host, made, &done);
}
