// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#define FUSE_USE_VERSION 34
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- before ---- */

/* Without a FUSE device there is nothing to try. */
static int check_device(void)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC), error = errno;

	if (fd >= 0) {
		close(fd);
		return DONE;
	}
	if (error == EACCES || error == EPERM) {
		say("/dev/fuse: %s; mounting needs root, or a computer where everybody may open it", strerror(error));
		return NOT_PERMITTED;
	}
	say("/dev/fuse: %s; this kernel has no FUSE (try: modprobe fuse)", strerror(error));
	return UNSUPPORTED;
}

static int check_mountpoint(const char *mountpoint)
{
	struct statx st;

	/* A server that has gone shows only when it is asked: its root may still be known here. */
	if (statx(AT_FDCWD, mountpoint, AT_STATX_FORCE_SYNC, STATX_TYPE, &st) < 0) {
		say("%s: %s", mountpoint,
		    errno == ENOTCONN ? "a file system is mounted there whose server has gone; umount it first"
				      : strerror(errno));
		return USAGE;
	}
	if (!S_ISDIR(st.stx_mode)) {
		say("%s: not a directory", mountpoint);
		return USAGE;
	}
	if (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) {
		say("%s: something is mounted there already; umount it first", mountpoint);
		return USAGE;
	}
	return DONE;
}

int mount_check(const char *mountpoint, int *ret_fd)
{
	int status = check_device();

	*ret_fd = -1;
	if (status == DONE)
		status = check_mountpoint(mountpoint);
	if (status != DONE)
		return status;
	*ret_fd = open(mountpoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret_fd < 0) {
		say("%s: %s", mountpoint, strerror(errno));
		return errno == EACCES ? NOT_PERMITTED : USAGE;
	}
	if (flock(*ret_fd, LOCK_EX | LOCK_NB) < 0) {
		say("%s: another uncore-simfs is about to mount there", mountpoint);
		close(*ret_fd);
		*ret_fd = -1;
		return USAGE;
	}
	return DONE;
}

/* ---- mounting ---- */

/* What libfuse and fusermount3 print while f() runs, first line, without a newline. */
static int with_stderr_kept(int (*f)(struct fuse_session *, const char *), struct fuse_session *session,
			    const char *mountpoint, char *text, size_t room)
{
	int kept = dup(STDERR_FILENO), file = memfd_create("stderr", MFD_CLOEXEC), rc;
	ssize_t n = 0;

	if (file >= 0 && kept >= 0)
		dup2(file, STDERR_FILENO);
	rc = f(session, mountpoint);
	if (file >= 0 && kept >= 0) {
		dup2(kept, STDERR_FILENO);
		n = pread(file, text, room - 1, 0);
	}
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (file >= 0)
		close(file);
	if (kept >= 0)
		close(kept);
	return rc;
}

static int do_mount(struct fs *fs, struct fuse_session *session, const char *mountpoint)
{
	char text[256];

	if (with_stderr_kept(fuse_session_mount, session, mountpoint, text, sizeof(text)) == 0)
		return DONE;
	say("%s: cannot be mounted: %s", mountpoint, text[0] ? text : "the kernel refuses");
	fs->client.pid = getpid();
	fs->client.uid = fs->owner;
	return fs->owner == 0 && client_can(fs, CAP_SYS_ADMIN) ? FAILED : NOT_PERMITTED;
}

/* ---- serving ---- */

static int answer_one(struct fuse_session *session, struct fuse_buf *buf)
{
	int n = fuse_session_receive_buf(session, buf);

	if (n == -EINTR || n == -EAGAIN)
		return 0;
	if (n > 0)
		fuse_session_process_buf(session, buf);
	return n < 0 ? n : 0;
}

/*
 * Signals come through a descriptor, because one that arrived between looking whether there was one and waiting for a
 * request would otherwise be seen only at the next request.
 */
static int loop(struct fuse_session *session, int signals)
{
	struct pollfd fds[2] = {{.fd = fuse_session_fd(session), .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	struct fuse_buf buf = {0};
	int rc = 0;

	while (rc == 0 && !fuse_session_exited(session)) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			rc = -errno;
		else if (fds[1].revents)
			fuse_session_exit(session);
		else if (fds[0].revents)
			rc = answer_one(session, &buf);
	}
	free(buf.mem);
	return rc;
}

static int serve_mounted(struct fuse_session *session, int signals)
{
	int rc = loop(session, signals);

	if (rc == 0)
		return DONE;
	say("answering requests: %s", strerror(-rc));
	return FAILED;
}

int mount_serve(struct fs *fs, const char *mountpoint)
{
	/* Others than who mounted may come in where root mounted, as they may look at a real machine. */
	const char *options = fs->owner == 0
				      ? "-ofsname=uncore-simfs,subtype=uncore-simfs,default_permissions,allow_other"
				      : "-ofsname=uncore-simfs,subtype=uncore-simfs,default_permissions";
	char *argv[] = {(char *)"uncore-simfs", (char *)options, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(2, argv);
	int signals = signals_open(NULL, 0), status = FAILED;
	struct fuse_session *session = ops_session_new(fs, &args);

	if (signals < 0 || !session) {
		say("FUSE cannot be set up: %s", strerror(errno));
	} else {
		status = do_mount(fs, session, mountpoint);
		if (status == DONE) {
			status = serve_mounted(session, signals);
			fuse_session_unmount(session);
		}
	}
	if (session)
		fuse_session_destroy(session);
	fuse_opt_free_args(&args);
	if (signals >= 0)
		close(signals);
	return status;
}
