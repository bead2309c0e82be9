// SPDX-License-Identifier: GPL-2.0-or-later
/* What the operating system tells of a computer, by which two of the same processor can be told apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

enum { FILE_MAX = 4096, PARTS_MAX = 3 };
#define CPU "/sys/devices/system/cpu/cpu%u"
#define DMI "/sys/class/dmi/id/" /* serial numbers are there too, for root alone, and are nobody's business */

static const struct fact {
	const char *name;
	const char *files[PARTS_MAX]; /* one behind the other; %u is a CPU that is online */
} facts[] = {
	{"system", {DMI "sys_vendor", DMI "product_name"}},
	{"board", {DMI "board_vendor", DMI "board_name", DMI "board_version"}},
	{"firmware", {DMI "bios_vendor", DMI "bios_version", DMI "bios_date"}},
	{"microcode", {CPU "/microcode/version"}},
	/* Of a distribution's kernel the release often stays the same; its version has which build it is: "#1 SMP Debian 6.1.192-2". */
	{"kernel", {"/proc/sys/kernel/osrelease", "/proc/sys/kernel/version"}},
};

/* The first line of a file, behind what is there already; nothing where there is none. */
static int add_part(struct unc_machine *m, const char *path, char *buf, size_t size)
{
	size_t had = strlen(buf), len;
	char *text;
	int rc = m->host->ops->file ? m->host->ops->file(m->host, path, FILE_MAX, &text, NULL) : UNC_ENODEV;

	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	len = strcspn(text, "\n");
	while (len && text[len - 1] == ' ')
		len--;
	if (len)
		snprintf(buf + had, size - had, "%s%.*s", had ? " " : "", (int)len, text);
	free(text);
	return UNC_OK;
}

int unc_machine_fact(struct unc_machine *m, size_t index, struct unc_machine_fact *ret_fact)
{
	struct unc_machine_fact fact = {0};
	char path[80];
	int rc = UNC_OK;

	if (index >= sizeof(facts) / sizeof(facts[0]))
		return UNC_ENODEV;
	fact.name = facts[index].name;
	for (unsigned i = 0; i < PARTS_MAX && facts[index].files[i] && rc == 0; i++) {
		const char *number = strstr(facts[index].files[i], "%u");

		if (number)
			snprintf(path, sizeof(path), "%.*s%u%s", (int)(number - facts[index].files[i]),
				 facts[index].files[i], unc_machine_first_cpu(m), number + strlen("%u"));
		else
			snprintf(path, sizeof(path), "%s", facts[index].files[i]);
		rc = add_part(m, path, fact.text, sizeof(fact.text));
	}
	if (rc == 0)
		*ret_fact = fact;
	return rc;
}
