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

/*
 * Structures of SMBIOS (DSP0134, section 6.1): only those of memory devices (17) and the end (127), without their strings, which
 * hold serial numbers.
 */
static size_t cut_smbios(char *text, size_t len)
{
	size_t to = 0, from = 0;

	while (from + 4 <= len) {
		unsigned type = (unsigned char)text[from];
		size_t area = (unsigned char)text[from + 1], next;

		for (next = from + area; next + 1 < len && (text[next] || text[next + 1]); next++)
			;
		if (area < 4 || next + 1 >= len)
			break;
		if (type == 17 || type == 127) {
			memmove(text + to, text + from, area);
			memset(text + to + area, 0, 2);
			to += area + 2;
		}
		from = next + 2;
	}
	text[to] = '\0';
	return to;
}

size_t unc_record_cut_private(const char *path, char *text, size_t len)
{
	if (strncmp(path, "/sys/firmware/dmi/", 18) == 0)
		return cut_smbios(text, len);
	if (strncmp(path, "/proc/", 6) == 0 && ends_in(path, "/mounts"))
		return keep_lines(text, len, is_mount_of_ours);
	if (strstr(path, "/task/") && ends_in(path, "/status"))
		return keep_lines(text, len, is_cpus);
	if (strcmp(path, "own:/proc/self/status") == 0)
		return keep_lines(text, len, is_right);
	if (strcmp(path, "own:/proc/1/cgroup") == 0)
		return cut_container(text);
	if (strcmp(path, "own:/run/.containerenv") == 0)
		return text[0] = '\0';
	if (strncmp(path, "own:/proc/", 10) == 0 && ends_in(path, "/stat"))
		return cut_name(text, len);
	if (strncmp(path, "/proc/", 6) == 0 && strstr(path, "/fd/"))
		return cut_open_file(text, len);
	return len;
}
