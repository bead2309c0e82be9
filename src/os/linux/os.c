// SPDX-License-Identifier: GPL-2.0-or-later
#define _FILE_OFFSET_BITS 64 /* a lock begins at the number of an MSR, also if off_t has 32 bits */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/linux/fail.h"

/* A file that is open for reading only cannot be locked for writing, but the lock can be tested. */
int unc_linux_lock(int fd, uint64_t first, uint64_t n, enum unc_claim how)
{
	struct flock lock = {
		.l_type = how == UNC_CLAIM_LEAVE ? F_UNLCK : F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)first,
		.l_len = (off_t)n,
	};

	if (fcntl(fd, how == UNC_CLAIM_ASK ? F_OFD_GETLK : F_OFD_SETLK, &lock) < 0)
		return errno == EAGAIN || errno == EACCES ? EBUSY : errno;
	return how == UNC_CLAIM_ASK && lock.l_type != F_UNLCK ? EBUSY : 0;
}

int unc_linux_claim(struct unc_space *space, int fd, uint64_t first, uint64_t n, enum unc_claim how, const char *path)
{
	int errnum = unc_linux_lock(fd, first, n, how);
	struct unc_ctx *ctx = space->bus->ctx;
	char name[UNC_ADDR_TEXT], what[UNC_ADDR_TEXT + 8];

	if (!errnum)
		return UNC_OK;
	if (space->addr.kind == UNC_MSR)
		snprintf(what, sizeof(what), "cpu %u", space->addr.msr.cpu);
	else
		snprintf(what, sizeof(what), "%s %s", space->bus->ops->name, unc_addr_text(&space->addr, name));
	if (errnum == EBUSY)
		return unc_fail_named(ctx, UNC_EBUSY, "EBUSY",
				      "%s: another program holds a lock on %s, so it writes there; `fuser -v %s` tells "
				      "who has that file open",
				      what, path, path);
	if (errnum == EINVAL)
		return unc_fail_named(
			ctx, UNC_ENOSUP, "EINVAL",
			"%s: lock %s: this kernel has no locks of open files (Linux has them since 3.15), "
			"without which it cannot be told which program writes there",
			what, path);
	return unc_linux_fail(ctx, errnum, "%s: lock %s", what, path);
}

/* ---- this process, and whether another one exists ---- */

/*
 * proc(5), /proc/PID/stat: field 22 is starttime; field 2 is the name in parentheses, which may contain blanks and
 * parentheses.
 */
enum { STARTTIME_BEHIND_NAME = 20 };

static int start_of(const char *pid, uint64_t *ret_start)
{
	char path[64], stat[1024], *at;
	int errnum;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	errnum = unc_linux_short_file(NULL, path, stat, sizeof(stat));
	if (errnum)
		return errnum;
	at = strrchr(stat, ')');
	for (unsigned i = 0; at && i < STARTTIME_BEHIND_NAME; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return EINVAL;
	*ret_start = strtoull(at + 1, NULL, 10);
	return 0;
}

int unc_os_self(struct unc_ctx *ctx, struct unc_os_self *ret_self)
{
	struct unc_os_self self = {.pid = (unsigned)getpid(), .uid = (unsigned)geteuid()};
	int errnum = start_of("self", &self.start), fd;
	ssize_t n;

	if (errnum)
		return unc_linux_fail(ctx, errnum, "%s", "/proc/self/stat");
	fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return unc_linux_fail(ctx, errno, "%s", "/proc/self/cmdline");
	n = read(fd, self.command, sizeof(self.command) - 1); /* cut off if it does not fit */
	errnum = n < 0 ? errno : 0;
	close(fd);
	if (errnum)
		return unc_linux_fail(ctx, errnum, "%s", "/proc/self/cmdline");
	while (n > 0 && !self.command[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!self.command[i])
			self.command[i] = ' ';
	*ret_self = self;
	return UNC_OK;
}

bool unc_os_process_lives(unsigned pid, uint64_t start)
{
	char text[16];
	uint64_t its_start;

	snprintf(text, sizeof(text), "%u", pid);
	return start_of(text, &its_start) == 0 && its_start == start;
}

/* ---- time, sleep, files, directories, shared memory ---- */

#define NS_PER_S UINT64_C(1000000000)

uint64_t unc_os_now_ns(enum unc_clock clock)
{
	static const clockid_t ids[] = {
		[UNC_CLOCK_RAW] = CLOCK_MONOTONIC_RAW,
		[UNC_CLOCK_MONO] = CLOCK_MONOTONIC,
		[UNC_CLOCK_BOOT] = CLOCK_BOOTTIME,
		[UNC_CLOCK_REAL] = CLOCK_REALTIME,
	};
	struct timespec ts = {0};

	clock_gettime(ids[clock], &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

int unc_os_sleep_until(uint64_t mono_ns, int wake_fd)
{
	struct pollfd wake = {.fd = wake_fd, .events = POLLIN};
	uint64_t now_ns = mono_ns == UINT64_MAX ? 0 : unc_os_now_ns(UNC_CLOCK_MONO);
	uint64_t left_ns = mono_ns > now_ns ? mono_ns - now_ns : 0;
	struct timespec left = {.tv_sec = (time_t)(left_ns / NS_PER_S), .tv_nsec = (long)(left_ns % NS_PER_S)};

	/* A deadline in the past still checks for an early end: a caller that is always late must get it, too. */
	if (left_ns == 0 && wake_fd < 0)
		return UNC_OK;
	if (ppoll(&wake, wake_fd >= 0, mono_ns == UINT64_MAX ? NULL : &left, NULL) == 0)
		return UNC_OK;
	return UNC_EAGAIN;
}

void unc_os_kill_self(void)
{
	kill(getpid(), SIGKILL);
}

/* For uid 0: checks that root owns a file that controls it, and no other user can write there. */
static int check_roots(struct unc_ctx *ctx, const char *path, const struct stat *st)
{
	if (geteuid() == 0 && st->st_uid != 0)
		return unc_fail(
			ctx, UNC_EPERM,
			"%s: not trusted: it steers what is done as root and belongs to user %u; `chown root` it", path,
			(unsigned)st->st_uid);
	if (geteuid() == 0 && st->st_mode & (S_IWGRP | S_IWOTH))
		return unc_fail(
			ctx, UNC_EPERM,
			"%s: not trusted: it steers what is done as root and others may write it; `chmod go-w` it",
			path);
	return UNC_OK;
}

int unc_os_dir_trust(struct unc_ctx *ctx, const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return unc_linux_fail(ctx, errno, "%s", path);
	if (S_ISLNK(st.st_mode))
		return unc_fail(ctx, UNC_EPERM, "%s: not trusted: it is a symbolic link; name the folder itself", path);
	return check_roots(ctx, path, &st);
}

enum { LEAST_ROOM = 512 };

/*
 * The buffer has two bytes more than the text: one shows that the file ends there, the other is for the zero.  It never has more than
 * max + 2 bytes.
 */
int unc_linux_fill(struct unc_ctx *ctx, const char *path, int fd, size_t max, off_t size, char **ret_text,
		   size_t *ret_len)
{
	size_t room, len = 0;
	char *bytes = NULL, *more;
	int rc = UNC_OK;
	ssize_t n;

	if (max > SIZE_MAX / 4)
		max = SIZE_MAX / 4;
	room = size > 0 && (uintmax_t)size >= max ? max + 2 : (size_t)size + 2;
	if (room < LEAST_ROOM)
		room = LEAST_ROOM;
	do {
		if (!bytes || len + 1 >= room) {
			if (bytes)
				room = room < max / 2 ? 2 * room : max + 2;
			more = realloc(bytes, room);
			if (!more) {
				rc = unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", path);
				break;
			}
			bytes = more;
		}
		n = read(fd, bytes + len, room - len - 1);
		if (n < 0 && errno != EINTR)
			rc = unc_linux_fail(ctx, errno, "%s", path);
		len += n > 0 ? (size_t)n : 0;
		if (rc == UNC_OK && len > max)
			rc = unc_fail(ctx, UNC_ERANGE, "%s: longer than the %zu bytes that are allowed here", path,
				      max);
	} while (n != 0 && rc == UNC_OK);
	if (rc < 0) {
		free(bytes);
		return rc;
	}
	bytes[len] = '\0';
	*ret_text = bytes;
	if (ret_len)
		*ret_len = len;
	return UNC_OK;
}

/* A FIFO, a terminal or a socket is refused: reading it might never end. */
static int open_file(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path, enum unc_trust trust,
		     int *ret_fd, off_t *ret_size)
{
	bool owned = trust == UNC_TRUST_OWNED;
	int fd = unc_linux_open(root, path, O_RDONLY | (owned ? O_NOFOLLOW : 0)), rc = UNC_OK;
	struct stat st = {0};

	if (fd < 0)
		return unc_linux_fail(ctx, errno, "%s", path);
	if (fstat(fd, &st) < 0)
		rc = unc_linux_fail(ctx, errno, "%s", path);
	else if (owned && !S_ISREG(st.st_mode))
		rc = unc_fail(ctx, UNC_EPERM, "%s: not trusted: it is not a regular file", path);
	else if (owned)
		rc = check_roots(ctx, path, &st);
	else if (S_ISDIR(st.st_mode))
		rc = unc_linux_fail(ctx, EISDIR, "%s", path);
	else if (!S_ISREG(st.st_mode))
		rc = unc_fail(ctx, UNC_EIO, "%s: this is not a regular file", path);
	*ret_size = st.st_size;
	*ret_fd = fd;
	if (rc < 0)
		close(fd);
	return rc;
}

int unc_linux_file_read(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path, size_t max,
			enum unc_trust trust, char **ret_text, size_t *ret_len)
{
	off_t size;
	int fd, rc = open_file(ctx, root, path, trust, &fd, &size);

	if (rc < 0)
		return rc;
	rc = unc_linux_fill(ctx, path, fd, max, size, ret_text, ret_len);
	close(fd);
	return rc;
}

int unc_os_file_read(struct unc_ctx *ctx, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		     size_t *ret_len)
{
	return unc_linux_file_read(ctx, NULL, path, max, trust, ret_text, ret_len);
}

int unc_os_file_open(struct unc_ctx *ctx, const char *path, int *ret_file)
{
	off_t size;

	return open_file(ctx, NULL, path, UNC_TRUST_ANY, ret_file, &size);
}

int unc_os_file_piece(struct unc_ctx *ctx, int file, uint64_t off, void *bytes, size_t len, size_t *ret_n)
{
	ssize_t n;

	do {
		n = pread(file, bytes, len, (off_t)off);
	} while (n < 0 && errno == EINTR);
	*ret_n = n < 0 ? 0 : (size_t)n;
	return n < 0 ? unc_linux_fail(ctx, errno, "%s", "read") : UNC_OK;
}

void unc_os_file_close(int file)
{
	close(file);
}

int unc_linux_dir_list(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path,
		       const char *const **ret_names, size_t *ret_n)
{
	int fd = unc_linux_open(root, path, O_RDONLY | O_DIRECTORY), errnum;

	if (fd < 0)
		return unc_linux_fail(ctx, errno, "%s", path);
	errnum = unc_linux_names(fd, ret_names, ret_n);
	close(fd);
	return errnum ? unc_linux_fail(ctx, errnum, "%s", path) : UNC_OK;
}

int unc_os_dir_list(struct unc_ctx *ctx, const char *path, const char *const **ret_names, size_t *ret_n)
{
	return unc_linux_dir_list(ctx, NULL, path, ret_names, ret_n);
}

/* unc_os_shared needs only the descriptor: impl is the descriptor plus one, so that all-zero means none. */
static int shared_fd(const struct unc_os_shared *shared)
{
	return (int)(intptr_t)shared->impl - 1;
}

/* Gives an empty file its size and allocates the space: a full disk must be an error here, not SIGBUS later. */
static int shared_size(struct unc_ctx *ctx, const char *path, int fd, size_t len, size_t used)
{
	struct stat st;
	int errnum;

	if (fstat(fd, &st) < 0)
		return unc_linux_fail(ctx, errno, "%s", path);
	if (S_ISREG(st.st_mode) && st.st_uid != 0 && st.st_uid != geteuid())
		return unc_fail(ctx, UNC_EPERM, "%s: not trusted: it belongs to user %u; name a file of your own", path,
				(unsigned)st.st_uid);
	if (S_ISREG(st.st_mode) && st.st_mode & (S_IWGRP | S_IWOTH))
		return unc_fail(ctx, UNC_EPERM, "%s: not trusted: others may write it; `chmod go-w` it", path);
	if (!S_ISREG(st.st_mode) || (st.st_size != 0 && (uintmax_t)st.st_size != len))
		return unc_fail(
			ctx, UNC_EARG,
			"%s: not a file of %zu bytes, as is needed here: it is something else, or another version of "
			"this program made it; remove it or name another",
			path, len);
	if (st.st_size != 0)
		return UNC_OK;
	errnum = posix_fallocate(fd, 0, (off_t)used);
	if (!errnum && ftruncate(fd, (off_t)len) < 0)
		errnum = errno;
	return errnum ? unc_linux_fail(ctx, errnum, "%s: take %zu bytes", path, used) : UNC_OK;
}

enum { INTERRUPTIONS_MAX = 4 };

static void lock(int fd)
{
	/*
	 * The lock belongs to the open file, not to the process: it also excludes our own second opening, and ends with
	 * us.  A stopped process may hold it for ever: signals that come again and again, as in cli/child.c, end the
	 * waiting.
	 */
	for (unsigned i = 0; i < INTERRUPTIONS_MAX && flock(fd, LOCK_EX) < 0 && errno == EINTR; i++)
		;
}

int unc_os_shared_open(struct unc_ctx *ctx, const char *path, size_t len, size_t used, struct unc_os_shared *ret_shared)
{
	void *mem;
	int fd, rc;

	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0)
		return unc_linux_fail(ctx, errno, "%s", path);
	lock(fd); /* so that only one of two that come at once finds it empty */
	rc = shared_size(ctx, path, fd, len, used < len ? used : len);
	flock(fd, LOCK_UN);
	if (rc < 0)
		goto fail;
	mem = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED) {
		rc = unc_linux_fail(ctx, errno, "%s: map %zu bytes", path, len);
		goto fail;
	}
	madvise(mem, len, MADV_RANDOM); /* most of it is never used, and reading ahead would allocate pages for that */
	*ret_shared = (struct unc_os_shared){.mem = mem, .len = len, .impl = (void *)(intptr_t)(fd + 1)};
	return UNC_OK;
fail:
	close(fd);
	return rc;
}

void unc_os_shared_lock(struct unc_os_shared *shared)
{
	if (shared->impl)
		lock(shared_fd(shared));
}

void unc_os_shared_unlock(struct unc_os_shared *shared)
{
	if (shared->impl)
		flock(shared_fd(shared), LOCK_UN);
}

/* Linux keeps these apart from those of flock() (flock(2)). */
int unc_os_shared_claim(struct unc_os_shared *shared, uint64_t off, uint64_t n, enum unc_claim how)
{
	int errnum = shared->impl ? unc_linux_lock(shared_fd(shared), off, n, how) : 0;

	return errnum == EBUSY ? UNC_EBUSY : errnum ? UNC_EIO : UNC_OK;
}

void unc_os_shared_close(struct unc_os_shared *shared)
{
	if (!shared || !shared->impl)
		return;
	munmap(shared->mem, shared->len);
	close(shared_fd(shared));
	*shared = (struct unc_os_shared){0};
}
