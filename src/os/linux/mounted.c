// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "access/record_text.h"
#include "base/err.h"
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

enum { CLOCK_TEXT = 256 };

static const char *const names[] = {
	[UNC_CLOCK_RAW] = "raw",
	[UNC_CLOCK_MONO] = "mono",
	[UNC_CLOCK_BOOT] = "boot",
	[UNC_CLOCK_REAL] = "real",
};

static bool clock_read(const struct unc_linux_clock *clock, enum unc_clock which, uint64_t *ret_ns)
{
	char text[CLOCK_TEXT];
	ssize_t n = pread(clock->fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return unc_linux_number_after(text, names[which], ret_ns);
}

static bool is_clock(const struct unc_linux_clock *clock)
{
	struct stat st;
	bool good = fstat(clock->fd, &st) == 0 && S_ISREG(st.st_mode);
	uint64_t ns;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		good = good && clock_read(clock, (enum unc_clock)i, &ns);
	return good;
}

int unc_linux_clock_open(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_linux_clock *ret_clock)
{
	struct unc_linux_path path;
	int rc;

	ret_clock->fd = unc_linux_open(root, unc_linux_path(root, &path, "/clock"), O_RDWR);
	if (ret_clock->fd < 0)
		return errno == EACCES || errno == EPERM ? unc_linux_fail(ctx, errno,
									  "%s: the machine's time passes by writing "
									  "there: run as the user who mounted it",
									  path.text)
							 : UNC_OK;
	if (!is_clock(ret_clock)) {
		unc_linux_clock_close(ret_clock);
		return UNC_OK;
	}
	rc = unc_linux_may_write(ctx, root, path.text, ret_clock->fd, 0);
	if (rc < 0)
		unc_linux_clock_close(ret_clock);
	return rc;
}

void unc_linux_clock_close(struct unc_linux_clock *clock)
{
	if (clock->fd >= 0)
		close(clock->fd);
	clock->fd = -1;
}

uint64_t unc_linux_clock_now(const struct unc_linux_clock *clock, enum unc_clock which)
{
	uint64_t ns;

	return clock_read(clock, which, &ns) ? ns : 0;
}

int unc_linux_clock_sleep(const struct unc_linux_clock *clock, uint64_t mono_ns, int wake_fd)
{
	char text[24];
	uint64_t ns;
	int n;

	/* A deadline in the past: only finds out whether the sleep is to end early. */
	if (wake_fd >= 0 && unc_os_sleep_until(0, wake_fd) < 0)
		return UNC_EAGAIN;
	if (mono_ns == UINT64_MAX || !clock_read(clock, UNC_CLOCK_MONO, &ns))
		return UNC_EAGAIN;
	if (mono_ns <= ns)
		return UNC_OK;
	n = snprintf(text, sizeof(text), "%" PRIu64, mono_ns - ns);
	return pwrite(clock->fd, text, (size_t)n, 0) == n ? UNC_OK : UNC_EAGAIN;
}

enum { TEXT_MAX = 4096, PER_CPU = 12 };

/* ---- through a file ---- */

static bool file_read(int fd, char text[TEXT_MAX])
{
	ssize_t n = pread(fd, text, TEXT_MAX - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool done_of(const char *text, struct unc_traffic_done *ret_done)
{
	return unc_linux_number_after(text, "loaded", &ret_done->loaded_bytes) &&
	       unc_linux_number_after(text, "stored", &ret_done->stored_bytes) &&
	       unc_linux_number_after(text, "nt_stored", &ret_done->nt_stored_bytes) &&
	       unc_linux_number_after(text, "raw", &ret_done->raw_ns);
}

/* UNC_ENODEV, without a message: there is no such file, or it is something else. */
static int file_open(struct unc_ctx *ctx, struct unc_linux_root *root, int *ret_fd)
{
	struct unc_traffic_done done;
	struct unc_linux_path path;
	char text[TEXT_MAX];
	struct stat st;
	int rc = UNC_ENODEV, fd;

	fd = unc_linux_open(root, unc_linux_path(root, &path, "/traffic"), O_RDWR);
	if (fd < 0)
		return errno == EACCES || errno == EPERM ? unc_linux_fail(ctx, errno,
									  "%s: traffic is made by writing there: run "
									  "as the user who mounted it",
									  path.text)
							 : UNC_ENODEV;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && file_read(fd, text) && done_of(text, &done))
		rc = unc_linux_may_write(ctx, root, path.text, fd, 0);
	if (rc < 0)
		close(fd);
	else
		*ret_fd = fd;
	return rc;
}

/* Reads "refused nodev SENTENCE": its message is better than that of errno. */
static int refused(struct unc_ctx *ctx, int fd, int errnum, const char *deed)
{
	static const char word[] = "\nrefused ";
	char text[TEXT_MAX], *line, *sentence;
	int err;

	line = file_read(fd, text) ? strstr(text, word) : NULL;
	if (line) {
		line += strlen(word);
		line[strcspn(line, "\n")] = '\0';
	}
	sentence = line ? strchr(line, ' ') : NULL;
	if (!sentence)
		return unc_linux_fail(ctx, errnum, "traffic: %s", deed);
	*sentence++ = '\0';
	err = unc_record_err(line);
	return unc_fail(ctx, err ? err : UNC_EIO, "%s", sentence);
}

static int file_write(struct unc_ctx *ctx, int fd, const char *text, const char *deed)
{
	size_t len = strlen(text);

	return pwrite(fd, text, len, 0) == (ssize_t)len ? UNC_OK : refused(ctx, fd, errno, deed);
}

static int file_start(struct unc_ctx *ctx, int fd, const struct unc_traffic *traffic)
{
	size_t size = 128 + traffic->n_cpus * PER_CPU, len;
	char *text = malloc(size);
	int rc;

	if (!text)
		return unc_fail(ctx, UNC_ENOMEM, "traffic: out of memory");
	len = (size_t)snprintf(text, size, "%s %u %" PRIu64 " %" PRIu64 " ", unc_line_words('T')[traffic->kind],
			       traffic->node, traffic->bytes_per_s, traffic->size_bytes);
	for (size_t i = 0; i < traffic->n_cpus; i++)
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

/* ---- on this computer ---- */

/* Below root is this computer, as a container may see it: then it has the same boot_id. */
static bool is_this_computer(struct unc_host *host, struct unc_linux_root *root)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	char *there, *here;
	bool same = false;

	if (root->fd < 0)
		return true;
	if (unc_host_file(host, path, TEXT_MAX, &there, NULL) < 0)
		return false;
	if (unc_os_file_read(host->ctx, path, TEXT_MAX, UNC_TRUST_ANY, &here, NULL) == UNC_OK) {
		same = strcmp(there, here) == 0;
		free(here);
	}
	free(there);
	return same;
}

static int maker_start(struct unc_host *host, struct unc_linux_root *root, const struct unc_traffic *traffic)
{
	const struct unc_traffic_maker *maker = host->traffic_maker;
	char sentence[UNC_MSG_MAX] = "";
	int rc;

	if (!is_this_computer(host, root))
		return unc_fail(host->ctx, UNC_ENOSUP,
				"root:%s is not the computer that this program runs on, and has no file \"traffic\" "
				"of a mounted machine: no memory traffic can be made there",
				root->path);
	if (!maker)
		return unc_fail(host->ctx, UNC_ENOSUP, "memory traffic cannot be made on this computer");
	rc = maker->start(maker->arg, traffic, sentence, sizeof(sentence));
	return rc < 0 ? unc_fail(host->ctx, rc, "%s", sentence) : UNC_OK;
}

static int maker_ask(struct unc_host *host, bool stop, struct unc_traffic_done *ret_done)
{
	const struct unc_traffic_maker *maker = host->traffic_maker;
	char sentence[UNC_MSG_MAX] = "";
	int rc = (stop ? maker->stop : maker->look)(maker->arg, ret_done, sentence, sizeof(sentence));

	return rc < 0 ? unc_fail(host->ctx, rc, "%s", sentence) : UNC_OK;
}

/* ---- either ---- */

static int start(struct unc_host *host, struct unc_linux_root *root, struct unc_linux_traffic *made,
		 const struct unc_traffic *traffic)
{
	enum unc_linux_traffic_by by = UNC_LINUX_TRAFFIC_FILE;
	int rc = root->fd >= 0 ? file_open(host->ctx, root, &made->fd) : UNC_ENODEV;

	if (rc == UNC_ENODEV) {
		by = UNC_LINUX_TRAFFIC_MAKER;
		rc = maker_start(host, root, traffic);
	} else if (rc == UNC_OK) {
		rc = file_start(host->ctx, made->fd, traffic);
		if (rc < 0)
			close(made->fd);
	}
	if (rc == UNC_OK)
		made->by = by;
	return rc;
}

static int stop(struct unc_host *host, struct unc_linux_traffic *made, struct unc_traffic_done *ret_done)
{
	enum unc_linux_traffic_by by = made->by;
	int rc;

	made->by = UNC_LINUX_TRAFFIC_NONE;
	if (by == UNC_LINUX_TRAFFIC_MAKER)
		return maker_ask(host, true, ret_done);
	rc = file_write(host->ctx, made->fd, "stop\n", "stop");
	if (rc == UNC_OK)
		rc = file_look(host->ctx, made->fd, ret_done);
	close(made->fd);
	return rc;
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
