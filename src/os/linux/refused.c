// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/refused.h"

#include "os/linux/fail.h"
#include "os/linux/files.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* from Linux 5.8 on */
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

/* The kernel's list of lockdown modes, "none [integrity] confidentiality": any but the first forbids raw writes. */
static bool locked_down(struct unc_linux_root *root)
{
	char path[UNC_LINUX_PATH_MAX], text[128];

	snprintf(path, sizeof(path), "%s/sys/kernel/security/lockdown", root->path);
	return unc_linux_short_file(root, path, text, sizeof(text)) == 0 &&
	       (strstr(text, "[integrity]") || strstr(text, "[confidentiality]"));
}

enum unc_linux_msr_writes unc_linux_msr_writes(struct unc_linux_root *root)
{
	char path[UNC_LINUX_PATH_MAX], text[32];

	if (locked_down(root))
		return UNC_LINUX_WRITES_REFUSED;
	snprintf(path, sizeof(path), "%s/sys/module/msr/parameters/allow_writes", root->path);
	if (unc_linux_short_file(root, path, text, sizeof(text)) != 0)
		return UNC_LINUX_WRITES_UNSEEN;
	if (strncmp(text, "off", 3) == 0)
		return UNC_LINUX_WRITES_REFUSED;
	return strncmp(text, "on", 2) == 0 ? UNC_LINUX_WRITES_TAINT : UNC_LINUX_WRITES_LOGGED;
}

static const char *lockdown_why(const struct unc_linux_refusal *refusal, char *buf, size_t size)
{
	snprintf(buf, size,
		 "the kernel is locked down (%s/sys/kernel/security/lockdown), as Secure Boot does: turn Secure Boot "
		 "off "
		 "in the firmware, or boot without lockdown=",
		 refusal->root->path);
	return buf;
}

static const char *filter_why(const struct unc_linux_refusal *refusal, char *buf, size_t size)
{
	snprintf(buf, size,
		 "the msr driver filters writes: `echo on > %s/sys/module/msr/parameters/allow_writes`, or boot with "
		 "msr.allow_writes=on",
		 refusal->root->path);
	return buf;
}

/* Only a driver that asks for a capability answers EPERM to root; and EACCES is about the file's owner and mode. */
static bool capability_missing(const struct unc_linux_refusal *refusal, const struct unc_linux_rights *rights)
{
	return refusal->errnum == EPERM && refusal->msr && !rights->raw_io;
}

const char *unc_linux_refused_why(const struct unc_linux_refusal *refusal, const struct unc_linux_rights *rights,
				  char *buf, size_t size)
{
	bool writes = refusal->deed == UNC_LINUX_WRITE || refusal->deed == UNC_LINUX_OPEN_WRITE;

	if (refusal->errnum == EROFS)
		snprintf(buf, size,
			 "it is mounted read-only, as in a container: mount it read-write (`mount -o remount,rw`), or "
			 "run outside of the container");
	else if (rights->uid != 0 && (refusal->errnum == EACCES || !rights->raw_io))
		snprintf(buf, size, "this needs root, and you are user %u: run it as root, e.g. with sudo",
			 rights->uid);
	else if (capability_missing(refusal, rights))
		snprintf(buf, size,
			 "this root has no CAP_SYS_RAWIO, as in a container: give it that capability, or run outside "
			 "of the container");
	else if ((writes || refusal->msr) && locked_down(refusal->root))
		return lockdown_why(refusal, buf, size);
	else if (writes && refusal->msr && unc_linux_msr_writes(refusal->root) == UNC_LINUX_WRITES_REFUSED)
		return filter_why(refusal, buf, size);
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
	} deeds[] = {
		[UNC_LINUX_OPEN_READ] = {"open ", " for reading"},
		[UNC_LINUX_OPEN_WRITE] = {"open ", " for writing"},
		[UNC_LINUX_READ] = {"read from ", ""},
		[UNC_LINUX_WRITE] = {"write to ", ""},
	};
	struct unc_linux_rights rights = unc_linux_rights();
	char what[128], why[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	unc_linux_refused_why(refusal, &rights, why, sizeof(why));
	return unc_fail_named(ctx, UNC_EPERM, unc_linux_err_name(refusal->errnum), "%s: %s%s%s: %s: %s", what,
			      deeds[refusal->deed].before, refusal->path, deeds[refusal->deed].after,
			      unc_linux_err_text(refusal->errnum), why);
}
