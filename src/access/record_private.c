// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/record_private.h"

#include <stdbool.h>
#include <string.h>

static bool ends_in(const char *path, const char *end)
{
	size_t len = strlen(path), n = strlen(end);

	return len >= n && strcmp(path + len - n, end) == 0;
}

/* Of "DEVICE DIRECTORY TYPE ..." (fstab(5)), on a line of so many bytes. */
static bool is_resctrl(const char *line, size_t len)
{
	static const char type[] = " resctrl ";

	for (unsigned field = 0; field < 2; field++) {
		const char *space = memchr(line, ' ', len);

		if (!space)
			return false;
		len -= (size_t)(space - line) + (field == 0);
		line = space + (field == 0);
	}
	return len >= sizeof(type) - 1 && memcmp(line, type, sizeof(type) - 1) == 0;
}

/* What is mounted at /sys itself, which is nobody's folder. */
static bool is_sysfs(const char *line, size_t len)
{
	static const char dir[] = " /sys ";
	const char *space = memchr(line, ' ', len);

	return space && len - (size_t)(space - line) > sizeof(dir) - 1 && memcmp(space, dir, sizeof(dir) - 1) == 0;
}

static bool is_mount_of_ours(const char *line, size_t len)
{
	return is_resctrl(line, len) || is_sysfs(line, len);
}

static bool begins_with(const char *line, size_t len, const char *word)
{
	return len >= strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

/* capabilities(7), proc_pid_status(5) */
static bool is_right(const char *line, size_t len)
{
	return begins_with(line, len, "Uid:") || begins_with(line, len, "CapEff:");
}

const char *unc_record_container(const char *cgroup)
{
	static const char *const makers[] = {"docker", "kubepods", "containerd", "libpod", "lxc"};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strstr(cgroup, makers[i]))
			return makers[i];
	return NULL;
}

/* Whose container it is, and not which. */
static size_t cut_container(char *text)
{
	const char *maker = unc_record_container(text);
	size_t len = maker ? strlen(maker) : 0;

	memmove(text, maker ? maker : "", len + 1);
	return len;
}

static bool is_cpus(const char *line, size_t len)
{
	static const char name[] = "Cpus_allowed"; /* as a mask, and as a list behind it */

	return len >= sizeof(name) - 1 && memcmp(line, name, sizeof(name) - 1) == 0;
}

static size_t keep_lines(char *text, size_t len, bool (*kept)(const char *line, size_t len))
{
	size_t to = 0;

	for (size_t from = 0, next; from < len; from = next) {
		const char *end = memchr(text + from, '\n', len - from);

		next = end ? (size_t)(end - text) + 1 : len;
		if (!kept(text + from, next - from))
			continue;
		memmove(text + to, text + from, next - from);
		to += next - from;
	}
	text[to] = '\0';
	return to;
}

/* "1234 (name) S ...": the name may have parentheses too (proc_pid_stat(5)). */
static size_t cut_name(char *text, size_t len)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')');

	if (!open || !close || close < open)
		return len;
	memmove(open + 1, close, len - (size_t)(close - text) + 1);
	return len - (size_t)(close - open - 1);
}

/* "/proc/812/fd/4" leads to whatever that process has open: only that it is a perf event is anybody's business. */
static size_t cut_open_file(char *text, size_t len)
{
	if (strcmp(text, "anon_inode:[perf_event]") == 0)
		return len;
	text[0] = '\0';
	return 0;
}

/* DSP0134 (SMBIOS), 6.1: a structure's length is in its second byte; its strings are behind it, and two zeros end them. */
static size_t structure_len(const unsigned char *at, size_t left)
{
	size_t len = left >= 4 ? at[1] : 0;

	if (len < 4)
		return 0;
	while (len + 1 < left && (at[len] || at[len + 1]))
		len++;
	return len + 2 <= left ? len + 2 : 0;
}

/* The nth string of a structure, from 1 on, none being 0, becomes as many dashes. */
static void cut_string(unsigned char *at, size_t len, unsigned nth)
{
	size_t i = at[1];

	while (nth > 1 && i < len)
		nth -= !at[i++];
	for (; nth && i < len && at[i]; i++)
		at[i] = '-';
}

enum { SMBIOS_DEVICE = 17, SMBIOS_SERIAL = 0x18, SMBIOS_ASSET = 0x19, SMBIOS_END = 127 };

/* Of SMBIOS tables memory devices are kept (7.18), without their numbers, and the end. */
static size_t cut_tables(char *text, size_t len)
{
	size_t from = 0, to = 0, n;

	for (; (n = structure_len((unsigned char *)text + from, len - from)) != 0; from += n) {
		unsigned char *at = (unsigned char *)text + to;

		if (text[from] != SMBIOS_DEVICE && text[from] != SMBIOS_END)
			continue;
		memmove(at, text + from, n);
		for (unsigned field = SMBIOS_SERIAL; at[0] == SMBIOS_DEVICE && field <= SMBIOS_ASSET; field++)
			if (field < at[1])
				cut_string(at, n, at[field]);
		to += n;
	}
	text[to] = '\0';
	return to;
}

size_t unc_record_cut_private(const char *path, char *text, size_t len)
{
	if (strncmp(path, "/proc/", 6) == 0 && ends_in(path, "/mounts"))
		return keep_lines(text, len, is_mount_of_ours);
	if (strstr(path, "/task/") && ends_in(path, "/status"))
		return keep_lines(text, len, is_cpus);
	if (ends_in(path, "/sys/firmware/dmi/tables/DMI"))
		return cut_tables(text, len);
	if (strcmp(path, "own:/proc/self/status") == 0)
		return keep_lines(text, len, is_right);
	if (strcmp(path, "own:/proc/1/cgroup") == 0)
		return cut_container(text);
	if (strcmp(path, "own:/run/.containerenv") == 0)
		return text[0] = '\0';
	if ((strncmp(path, "own:/proc/", 10) == 0 || strstr(path, "/task/")) && ends_in(path, "/stat"))
		return cut_name(text, len);
	if (strncmp(path, "/proc/", 6) == 0 && strstr(path, "/fd/"))
		return cut_open_file(text, len);
	return len;
}
