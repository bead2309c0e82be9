// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/fail.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

struct errno_row {
	int errnum;
	int err;
	const char *name;
	const char *text; /* NULL: the text of strerror() is enough */
};

#define ROW(errnum, err) errnum, err, #errnum

static const struct errno_row rows[] = {
	{ROW(EACCES, UNC_EPERM), NULL},
	{ROW(EAGAIN, UNC_EIO), NULL},
	{ROW(EBADF, UNC_EIO), NULL},
	{ROW(EBUSY, UNC_EBUSY), NULL},
	{ROW(EEXIST, UNC_EIO), NULL},
	{ROW(EFAULT, UNC_EIO), NULL},
	{ROW(EFBIG, UNC_EIO), NULL},
	{ROW(EINTR, UNC_EIO), NULL},
	{ROW(EINVAL, UNC_EIO), NULL},
	{ROW(EIO, UNC_EIO), NULL},
	{ROW(EISDIR, UNC_EIO), NULL},
	{ROW(ELOOP, UNC_EPERM), "it is a symbolic link, or there are too many on the way to it"},
	{ROW(EMFILE, UNC_EIO), "this process has too many files open; allow more with `ulimit -n`"},
	{ROW(ENAMETOOLONG, UNC_EARG), NULL},
	{ROW(ENFILE, UNC_EIO), "the system has too many files open"},
	{ROW(ENODEV, UNC_ENODEV), NULL},
	{ROW(ENOENT, UNC_ENODEV), NULL},
	{ROW(ENOMEM, UNC_ENOMEM), "out of memory"},
	{ROW(ENOSPC, UNC_EIO), NULL},
	{ROW(ENOSYS, UNC_EIO), NULL},
	{ROW(ENOTCONN, UNC_EIO), "the server of this file system has gone; mount it again"},
	{ROW(ENOTDIR, UNC_ENODEV), NULL},
	{ROW(ENXIO, UNC_ENODEV), NULL},
	{ROW(EOPNOTSUPP, UNC_EIO), NULL},
	{ROW(EPERM, UNC_EPERM), NULL},
	{ROW(EPIPE, UNC_EIO), NULL},
	{ROW(ERANGE, UNC_EIO), NULL},
	{ROW(EROFS, UNC_EPERM), NULL},
	{ROW(ESRCH, UNC_ENODEV), NULL}, /* a file of a process that has just ended */
	{ROW(ESTALE, UNC_EIO), NULL},
	{ROW(ETIMEDOUT, UNC_EIO), NULL},
};

static const struct errno_row *find(int errnum)
{
	static const struct errno_row unknown = {0, UNC_EIO, "errno", NULL};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].errnum == errnum)
			return &rows[i];
	return &unknown;
}

const char *unc_linux_err_name(int errnum)
{
	return find(errnum)->name;
}

int unc_linux_errno(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].errnum;
	return EIO;
}

int unc_linux_err(int errnum)
{
	return find(errnum)->err;
}

const char *unc_linux_err_text(int errnum)
{
	const char *text = find(errnum)->text;

	return text ? text : strerror(errnum);
}

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* since Linux 5.8 */
#endif

bool unc_linux_is_refusal(int errnum)
{
	return errnum == EACCES || errnum == EPERM || errnum == EROFS;
}

static bool has_capability(const struct __user_cap_data_struct *data, unsigned capability)
{
	return data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}

struct unc_linux_rights unc_linux_rights(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
	struct unc_linux_rights rights = {.uid = (unsigned)geteuid()};

	if (syscall(SYS_capget, &header, data) < 0) {
		rights.raw_io = rights.admin = rights.perfmon = rights.uid == 0; /* a kernel without capabilities */
		return rights;
	}
	rights.raw_io = has_capability(data, CAP_SYS_RAWIO);
	rights.admin = has_capability(data, CAP_SYS_ADMIN);
	rights.perfmon = rights.admin || has_capability(data, CAP_PERFMON);
	return rights;
}

/* The kernel's list of lockdown modes, "none [integrity] confidentiality": all except the first forbid raw writes. */
static bool locked_down(struct unc_linux_root *root)
{
	struct unc_linux_path path;
	char text[128];

	unc_linux_path(root, &path, "/sys/kernel/security/lockdown");
	return unc_linux_short_file(root, path.text, text, sizeof(text)) == 0 &&
	       (strstr(text, "[integrity]") || strstr(text, "[confidentiality]"));
}

enum unc_linux_msr_writes unc_linux_msr_writes(struct unc_linux_root *root)
{
	struct unc_linux_path path;
	char text[32];

	if (locked_down(root))
		return UNC_LINUX_WRITES_REFUSED;
	unc_linux_path(root, &path, "/sys/module/msr/parameters/allow_writes");
	if (unc_linux_short_file(root, path.text, text, sizeof(text)) != 0)
		return UNC_LINUX_WRITES_UNSEEN;
	if (strncmp(text, "off", 3) == 0)
		return UNC_LINUX_WRITES_REFUSED;
	return strncmp(text, "on", 2) == 0 ? UNC_LINUX_WRITES_TAINT : UNC_LINUX_WRITES_LOGGED;
}

const char *unc_linux_refused_why(const struct unc_linux_refusal *refusal, const struct unc_linux_rights *rights,
				  char *buf, size_t size)
{
	bool writes = refusal->deed == UNC_LINUX_WRITE || refusal->deed == UNC_LINUX_OPEN_WRITE;
	bool is_raw = refusal->msr || refusal->raw;

	if (refusal->errnum == EROFS)
		snprintf(buf, size,
			 "it is mounted read-only, as in a container: mount it read-write (`mount -o remount,rw`), or "
			 "run outside of the container");
	else if (rights->uid != 0 && (refusal->errnum == EACCES || !rights->raw_io))
		snprintf(buf, size, "this needs root, and you are user %u: run it as root, e.g. with sudo",
			 rights->uid);
	/* Only a driver that requires a capability answers EPERM to root; EACCES is about the file's owner and mode. */
	else if (refusal->errnum == EPERM && is_raw && !rights->raw_io)
		snprintf(buf, size,
			 "this root has no CAP_SYS_RAWIO, as in a container: give it that capability, or run outside "
			 "of the container");
	else if ((writes || is_raw) && locked_down(refusal->root))
		snprintf(
			buf, size,
			"the kernel is locked down (%s/sys/kernel/security/lockdown), as Secure Boot does: turn Secure "
			"Boot off in the firmware, or boot without lockdown=",
			refusal->root->path);
	else if (refusal->deed == UNC_LINUX_MAP)
		snprintf(buf, size,
			 "the kernel lets no program map this page: it is main memory (CONFIG_STRICT_DEVMEM), or a "
			 "driver "
			 "has it, as %s/proc/iomem shows (CONFIG_IO_STRICT_DEVMEM): unload that driver, or boot with "
			 "iomem=relaxed",
			 refusal->root->path);
	else if (writes && refusal->msr && unc_linux_msr_writes(refusal->root) == UNC_LINUX_WRITES_REFUSED)
		snprintf(
			buf, size,
			"the msr driver filters writes: `echo on > %s/sys/module/msr/parameters/allow_writes`, or boot "
			"with msr.allow_writes=on",
			refusal->root->path);
	else
		snprintf(buf, size,
			 "and yet you are root: a container, a security module or another user's file system may "
			 "forbid it; the kernel log (`dmesg`) may say more");
	return buf;
}

const char *unc_linux_short_why(const struct unc_linux_rights *rights, char *buf, size_t size)
{
	if (rights->uid != 0 && !rights->admin)
		snprintf(buf, size, "the rest needs root, and you are user %u: run it as root, e.g. with sudo",
			 rights->uid);
	else if (!rights->admin)
		snprintf(
			buf, size,
			"the rest needs root with CAP_SYS_ADMIN, which is missing here, as in a container: run outside "
			"of it");
	else
		snprintf(buf, size,
			 "there are no more in this file, which looks like a copy that was made without root: copy it "
			 "as root");
	return buf;
}

int unc_linux_refused(struct unc_ctx *ctx, const struct unc_linux_refusal *refusal, const char *fmt, ...)
{
	static const struct {
		const char *before, *after;
		bool is_access; /* its message has the path only if it was refused */
	} deeds[] = {
		[UNC_LINUX_OPEN_READ] = {"open ", " for reading", false},
		[UNC_LINUX_OPEN_WRITE] = {"open ", " for writing", false},
		[UNC_LINUX_READ] = {"read from ", "", true},
		[UNC_LINUX_WRITE] = {"write to ", "", true},
		[UNC_LINUX_MAP] = {"map ", "", false},
	};
	const char *before = deeds[refusal->deed].before, *after = deeds[refusal->deed].after;
	struct unc_linux_rights rights;
	char what[128], why[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (!unc_linux_is_refusal(refusal->errnum) && deeds[refusal->deed].is_access)
		return unc_linux_fail(ctx, refusal->errnum, "%s", what);
	if (!unc_linux_is_refusal(refusal->errnum))
		return unc_linux_fail(ctx, refusal->errnum, "%s: %s%s", what, before, refusal->path);
	rights = unc_linux_rights();
	unc_linux_refused_why(refusal, &rights, why, sizeof(why));
	return unc_fail_named(ctx, UNC_EPERM, unc_linux_err_name(refusal->errnum), "%s: %s%s%s: %s: %s", what, before,
			      refusal->path, after, unc_linux_err_text(refusal->errnum), why);
}
