// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "access/record_text.h"
#include "os/linux/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 4096, PER_CPU = 12, NUMBERS = 4 };

/* The numbers in each of the files. */
static const char *const clocks[NUMBERS] = {
	[UNC_CLOCK_RAW] = "raw",
	[UNC_CLOCK_MONO] = "mono",
	[UNC_CLOCK_BOOT] = "boot",
	[UNC_CLOCK_REAL] = "real",
};
static const char *const moved[NUMBERS] = {"loaded", "stored", "nt_stored", "raw"};

static bool file_read(int fd, char text[TEXT_MAX])
{
	ssize_t n = pread(fd, text, TEXT_MAX - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* *ret_fd is -1 if there is no such file, or without these numbers. */
static int file_open(struct unc_ctx *ctx, struct unc_linux_root *root, const char *name, const char *deed,
		     const char *const numbers[NUMBERS], int *ret_fd)
{
	struct unc_linux_path path;
	int fd = unc_linux_open(root, unc_linux_path(root, &path, "%s", name), O_RDWR), rc = UNC_OK;
	char text[TEXT_MAX];
	struct stat st;
	uint64_t number;
	bool good;

	*ret_fd = -1;
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return unc_linux_fail(ctx, errno, "%s: %s by writing there: run as the user who mounted it", path.text,
				      deed);
	if (fd < 0)
		return UNC_OK;
	good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && file_read(fd, text);
	for (size_t i = 0; i < NUMBERS; i++)
		good = good && unc_linux_number_after(text, numbers[i], &number);
	if (good)
		rc = unc_linux_may_write(ctx, root, path.text, fd, 0);
	if (good && rc == UNC_OK)
		*ret_fd = fd;
	else
		close(fd);
	return rc;
}

/* ---- time ---- */

int unc_linux_clock_open(struct unc_ctx *ctx, struct unc_linux_root *root, int *ret_fd)
{
	return file_open(ctx, root, "/clock", "the machine's time passes", clocks, ret_fd);
}

uint64_t unc_linux_clock_now(int fd, enum unc_clock which)
{
	char text[TEXT_MAX];
	uint64_t ns;

	return file_read(fd, text) && unc_linux_number_after(text, clocks[which], &ns) ? ns : 0;
}

int unc_linux_clock_sleep(int fd, uint64_t mono_ns, int wake_fd)
{
	char text[24];
	uint64_t ns;
	int n;

	/* A deadline in the past: only finds out whether the sleep is to end early. */
	if (wake_fd >= 0 && unc_os_sleep_until(0, wake_fd) < 0)
		return UNC_EAGAIN;
	ns = mono_ns == UINT64_MAX ? 0 : unc_linux_clock_now(fd, UNC_CLOCK_MONO);
	if (!ns)
		return UNC_EAGAIN;
	if (mono_ns <= ns)
		return UNC_OK;
	n = snprintf(text, sizeof(text), "%" PRIu64, mono_ns - ns);
	return pwrite(fd, text, (size_t)n, 0) == n ? UNC_OK : UNC_EAGAIN;
}

/* ---- traffic through a file ---- */

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
	uint64_t *const numbers[NUMBERS] = {&done.loaded_bytes, &done.stored_bytes, &done.nt_stored_bytes,
					    &done.raw_ns};
	char text[TEXT_MAX];
	bool good = file_read(fd, text);

	for (size_t i = 0; i < NUMBERS; i++)
		good = good && unc_linux_number_after(text, moved[i], numbers[i]);
	if (!good)
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

static int start(struct unc_linux_host *host, const struct unc_traffic *traffic)
{
	struct unc_ctx *ctx = host->host.ctx;
	int fd = -1, rc = UNC_OK;

	if (host->root.fd >= 0)
		rc = file_open(ctx, &host->root, "/traffic", "traffic is made", moved, &fd);
	if (rc == UNC_OK)
		rc = fd < 0 ? maker_start(&host->host, &host->root, traffic) : file_start(ctx, fd, traffic);
	host->makes_traffic = rc == UNC_OK;
	host->traffic_fd = fd;
	if (rc < 0 && fd >= 0)
		close(fd);
	return rc;
}

static int stop(struct unc_linux_host *host, struct unc_traffic_done *ret_done)
{
	int rc, fd = host->traffic_fd;

	host->makes_traffic = false;
	if (fd < 0)
		return maker_ask(&host->host, true, ret_done);
	rc = file_write(host->host.ctx, fd, "stop\n", "stop");
	if (rc == UNC_OK)
		rc = file_look(host->host.ctx, fd, ret_done);
	close(fd);
	return rc;
}

int unc_linux_traffic(struct unc_host *unc_host, enum unc_traffic_op op, const struct unc_traffic *traffic,
		      struct unc_traffic_done *ret_done)
{
	struct unc_linux_host *host = (struct unc_linux_host *)unc_host;

	if ((op == UNC_TRAFFIC_START) == host->makes_traffic)
		return unc_fail(unc_host->ctx, UNC_EARG, "traffic: %s",
				host->makes_traffic ? "it is being made already" : "none is being made");
	if (op == UNC_TRAFFIC_START)
		return start(host, traffic);
	if (op == UNC_TRAFFIC_STOP)
		return stop(host, ret_done);
	return host->traffic_fd < 0 ? maker_ask(unc_host, false, ret_done)
				    : file_look(unc_host->ctx, host->traffic_fd, ret_done);
}
