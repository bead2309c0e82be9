// SPDX-License-Identifier: GPL-2.0-or-later
/* Drops the rights that a process does not need any more. */
#define _GNU_SOURCE
#include "cli/confine.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <unistd.h>

/*
 * Capabilities that opening needs.  The kernel requires SYS_RAWIO when an msr file is opened (arch/x86/kernel/msr.c, msr_open()),
 * and gives config space beyond 64 bytes to a file whose opener had SYS_ADMIN (drivers/pci/pci-sysfs.c, file_ns_capable()); neither
 * is checked again for an open file.  DAC_OVERRIDE is for users other than root, the owner of these files.  SYS_PTRACE shows which
 * files the processes of other users hold, and so which of them count with perf: if it is missing, a message says so.
 */
static const unsigned for_opening[] = {CAP_SYS_RAWIO, CAP_SYS_ADMIN, CAP_DAC_OVERRIDE, CAP_SYS_PTRACE};

/* Drops all capabilities, or all except those for opening. */
static bool drop(bool everything)
{
	const capng_type_t all = CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_INHERITABLE;

	if (everything)
		capng_clear(CAPNG_SELECT_CAPS);
	else if (capng_get_caps_process() != 0)
		return false;
	for (unsigned capability = 0; capability <= CAP_LAST_CAP && !everything; capability++) {
		bool needed = false;

		for (size_t i = 0; i < sizeof(for_opening) / sizeof(for_opening[0]); i++)
			needed |= for_opening[i] == capability;
		if (!needed && capng_update(CAPNG_DROP, all, capability) != 0)
			break; /* this kernel has neither this capability nor a later one */
	}
	return capng_apply(CAPNG_SELECT_CAPS) == 0;
}

void confine_environment(void)
{
	if (getauxval(AT_SECURE) != 0)
		clearenv();
}

/* File capabilities are lost at the next execve() anyway. */
bool confine_to_caller(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (getauxval(AT_SECURE) == 0)
		return true;
	return setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0;
}

/* A capability that is off stays permitted, so that registers can be opened with it later. */
static void override_files(bool on)
{
	int before = errno;

	if (capng_get_caps_process() == 0 && capng_have_capability(CAPNG_PERMITTED, CAP_DAC_OVERRIDE) &&
	    capng_update(on ? CAPNG_ADD : CAPNG_DROP, CAPNG_EFFECTIVE, CAP_DAC_OVERRIDE) == 0)
		capng_apply(CAPNG_SELECT_CAPS);
	errno = before;
}

int confine_open(const char *path, int flags, unsigned mode)
{
	bool other = getuid() != 0;
	int fd;

	if (other) { /* with a set-user-ID bit the file system user is root, too */
		setfsgid(getgid());
		setfsuid(getuid());
		override_files(false);
	}
	fd = open(path, flags, (mode_t)mode);
	if (other) {
		int before = errno;

		setfsuid(geteuid());
		setfsgid(getegid());
		errno = before;
		override_files(true);
	}
	return fd;
}

void confine(const struct globals *globals, enum confine_to to, int command_pid)
{
	/* With CONFINE_FILES root keeps its capabilities, since it may have requested a file in another user's folder. */
	bool needs_none = confine_is_held(to) || to == CONFINE_TRAFFIC || (to == CONFINE_FILES && getuid() != 0);
	bool confines = confine_has_filter && !globals->no_sandbox;
	int error = 0;

	confine_environment();
	if (to == CONFINE_FILES && !confine_to_caller())
		say("note: the rights of this file's owner could not be given up: %s", strerror(errno));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0)
		say("note: this kernel knows no no_new_privs: %s", strerror(errno));
	/* All capabilities are still present here: without them the path to the journals may be closed. */
	if (confines)
		error = confine_paths(to, globals->state_dir, globals->made_folder);
	if (error)
		say("note: the paths that this process may change are not confined (Landlock): %s", strerror(error));
	if (!drop(needs_none))
		say("note: capabilities could not be dropped: %s", strerror(errno));
	if (!confines)
		return;
	error = confine_calls(to, command_pid);
	if (error)
		say("note: the system calls of this process are not filtered, since the kernel does not take the "
		    "filter: %s",
		    strerror(error));
}
