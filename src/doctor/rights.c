// SPDX-License-Identifier: GPL-2.0-or-later
/* The rights of this process: its user, its capabilities (capabilities(7)), and whether they are valid on the machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "doctor/doctor.h"

#define STATUS   "own:/proc/self/status"
#define UID_MAP  "own:/proc/self/uid_map"
#define LSMS     "own:/sys/kernel/security/lsm"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/*
 *
 * Bits of CapEff: Linux include/uapi/linux/capability.h.  Their uses are in drivers/pci/pci-sysfs.c and arch/x86/kernel/msr.c.
 */
enum { DAC_OVERRIDE = 1, SYS_RAWIO = 17, SYS_ADMIN = 21, PERFMON = 38 };

struct rights {
	bool told;
	unsigned uid; /* effective */
	uint64_t effective;
	char cap_eff[24]; /* as text from the file */
};

/* Copies the nth word after "Name:" in a text of lines; "" if there is none. */
static void word_of(const char *text, const char *name, unsigned nth, char *word, size_t size)
{
	const char *line = text;
	size_t len = strlen(name);

	word[0] = '\0';
	while (line && (strncmp(line, name, len) != 0 || line[len] != ':')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	for (line = line ? line + len + 1 : NULL; line && nth; nth--) {
		line += strspn(line, " \t");
		if (nth == 1)
			snprintf(word, size, "%.*s", (int)strcspn(line, " \t\n"), line);
		line += strcspn(line, " \t\n");
	}
}

static struct rights rights_of(struct unc_doctor *d)
{
	struct rights rights = {0};
	uint64_t uid = 0;
	char word[24];
	int rc;
	char *text = unc_doctor_text(d, STATUS, NULL, &rc);

	if (!text)
		return rights;
	word_of(text, "CapEff", 1, rights.cap_eff, sizeof(rights.cap_eff));
	word_of(text, "Uid", 2, word, sizeof(word)); /* Uid: real, effective, saved, file system */
	rights.told = unc_text_hex(rights.cap_eff, &rights.effective) && unc_text_u64(word, &uid);
	rights.uid = (unsigned)uid;
	free(text);
	return rights;
}

static bool holds(const struct rights *rights, unsigned capability)
{
	return rights->effective >> capability & 1;
}

/* On this computer a missing right prevents everything; files below a folder may belong to any user. */
static void lacking(struct unc_doctor *d, const char *check, const char *finding)
{
	if (d->kind == UNC_DOCTOR_LIVE)
		unc_doctor_fail(d, check, UNC_EPERM, "%s", finding);
	else
		unc_doctor_say(d, check, UNC_DOCTOR_WARN, "%s, unless the files of root: are copies of our own",
			       finding);
}

static void say_user(struct unc_doctor *d, const struct rights *rights)
{
	char finding[200];

	if (rights->uid == 0 || holds(rights, DAC_OVERRIDE)) {
		unc_doctor_say(d, "user", UNC_DOCTOR_OK, "%s: the machine's files can be opened for writing",
			       rights->uid == 0 ? "root" : "a user with CAP_DAC_OVERRIDE");
	} else {
		snprintf(finding, sizeof(finding),
			 "user %u may not open registers for writing, so nothing can be programmed", rights->uid);
		lacking(d, "user", finding);
		unc_doctor_todo(d, "run it as root, e.g. with sudo, or with CAP_SYS_RAWIO, CAP_SYS_ADMIN and "
				   "CAP_DAC_OVERRIDE");
	}
	unc_doctor_seen(d, "/proc/self/status: effective user %u, CapEff %s", rights->uid, rights->cap_eff);
}

static void say_capabilities(struct unc_doctor *d, const struct rights *rights)
{
	static const struct {
		unsigned bit;
		const char *name, *what_for;
	} needed[] = {
		{SYS_ADMIN, "CAP_SYS_ADMIN", "configuration space beyond 64 bytes"},
		{SYS_RAWIO, "CAP_SYS_RAWIO", "MSRs"},
	};
	char missing[200] = "", finding[300];

	for (size_t i = 0; i < 2; i++)
		if (!holds(rights, needed[i].bit))
			unc_doctor_list(missing, sizeof(missing), "%s (for %s)", needed[i].name, needed[i].what_for);
	if (missing[0]) {
		snprintf(finding, sizeof(finding), "this process lacks %s", missing);
		lacking(d, "capabilities", finding);
		unc_doctor_todo(d, "run it as root; in a container add them, e.g. `docker run --cap-add SYS_ADMIN "
				   "--cap-add SYS_RAWIO`");
	} else {
		unc_doctor_say(d, "capabilities", UNC_DOCTOR_OK, "CAP_SYS_ADMIN and CAP_SYS_RAWIO are there");
	}
	unc_doctor_seen(d, "/proc/self/status: CapEff %s", rights->cap_eff);
}

/* user_namespaces(7): a line of uid_map is the first number inside, the first outside, and the number of IDs. */
struct uid_range {
	uint64_t inside, outside, n;
};

static bool parse_uid_range(char *line, struct uid_range *ret_range)
{
	char *rest = line;
	uint64_t numbers[3];

	for (unsigned i = 0; i < 3; i++) {
		if (!rest)
			return false;
		rest += strspn(rest, " ");
		if (!unc_text_u64(unc_text_cut(&rest, ' '), &numbers[i]))
			return false;
	}
	*ret_range = (struct uid_range){numbers[0], numbers[1], numbers[2]};
	return true;
}

/* The initial namespace maps every number to itself, and only its capabilities are valid for devices. */
static void say_namespace(struct unc_doctor *d)
{
	struct unc_doctor_file map;
	struct uid_range range;

	unc_doctor_look(d, UID_MAP, &map);
	if (!map.there || !parse_uid_range(map.value, &range))
		return;
	if (range.inside == 0 && range.outside == 0 && range.n == UINT32_MAX) {
		unc_doctor_say(d, "namespace", UNC_DOCTOR_OK, "user and capabilities are those of the machine");
	} else {
		lacking(d, "namespace",
			"this process is in a user namespace: its root and its capabilities count for no device");
		unc_doctor_todo(d, "run it outside, or in a container that is not rootless or remapped");
	}
	unc_doctor_seen(d, "/proc/self/uid_map: %" PRIu64 " %" PRIu64 " %" PRIu64, range.inside, range.outside,
			range.n);
}

/*
 *
 * Linux Documentation/userspace-api/landlock.rst, "Kernel support": the list contains Landlock if it is built in and enabled.
 */
static void say_landlock(struct unc_doctor *d)
{
	struct unc_doctor_file file;

	unc_doctor_look(d, LSMS, &file);
	if (file.there && !unc_text_listed(file.value, "landlock", strlen("landlock"))) {
		unc_doctor_say(d, "landlock", UNC_DOCTOR_NOTE,
			       "this kernel has no Landlock: a filter of system calls alone confines which files a "
			       "command may change");
		unc_doctor_todo(d, "nothing, or boot with landlock in lsm=");
	} else {
		unc_doctor_say(d, "landlock", UNC_DOCTOR_OK, "%s",
			       file.there ? "commands confine which files they may change"
					  : "whether this kernel has Landlock is not told");
	}
	unc_doctor_seen(d, "%s", file.seen);
}

/* Linux kernel/events/core.c, perf_allow_cpu(): up to 0 every process may; above that it needs one of the two capabilities. */
static void say_perf(struct unc_doctor *d, const struct rights *rights)
{
	struct unc_doctor_file file;
	bool able = holds(rights, PERFMON) || holds(rights, SYS_ADMIN);

	unc_doctor_look(d, PARANOID, &file);
	if (!file.there) {
		unc_doctor_say(d, "perf rights", UNC_DOCTOR_NOTE,
			       "whether the kernel has perf is not told: xcheck alone needs it");
		unc_doctor_todo(d, "nothing, but for xcheck: a kernel with CONFIG_PERF_EVENTS");
	} else if (able || strcmp(file.value, "0") == 0 || file.value[0] == '-') {
		unc_doctor_say(d, "perf rights", UNC_DOCTOR_OK,
			       "the kernel counts for this process, if xcheck asks it to");
	} else {
		unc_doctor_say(d, "perf rights", UNC_DOCTOR_NOTE,
			       "the kernel counts for root alone, which xcheck needs");
		unc_doctor_todo(d, "run xcheck as root, or `sysctl kernel.perf_event_paranoid=0`");
	}
	unc_doctor_seen(d, "%s", file.seen);
}

void unc_doctor_rights(struct unc_doctor *d)
{
	struct rights rights;

	if (d->kind == UNC_DOCTOR_SIM) {
		unc_doctor_say(d, "user", UNC_DOCTOR_OK, "simulated registers need no rights");
		unc_doctor_seen(d, "they are memory of this process");
		return;
	}
	rights = rights_of(d);
	if (!rights.told) {
		unc_doctor_say(d, "user", UNC_DOCTOR_UNKNOWN, "what this process may do cannot be told");
		unc_doctor_seen(d, "/proc/self/status: cannot be read");
		unc_doctor_todo(d, "mount /proc");
		return;
	}
	say_user(d, &rights);
	say_capabilities(d, &rights);
	say_namespace(d);
	say_landlock(d);
	if (d->kind == UNC_DOCTOR_LIVE)
		say_perf(d, &rights);
}
