// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files in which a kernel says what it has of the firmware (sim/smbios.c), and what it refuses: Linux
 * security/lockdown/lockdown.c and arch/x86/kernel/msr.c, get_allow_writes().
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/computer.h"

static const char *text_of(struct unc_sim *sim, const char *path)
{
	if (strcmp(path, "/sys/kernel/security/lockdown") == 0)
		return unc_sim_is_locked_down(&sim->host) ? "none [integrity] confidentiality\n"
							  : "[none] integrity confidentiality\n";
	if (strcmp(path, "/sys/module/msr/parameters/allow_writes") == 0 && !sim->options.msr_absent)
		return unc_sim_takes_msr_writes(&sim->host) ? "on\n" : "off\n";
	return NULL;
}

static int table_of(struct unc_sim *sim, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	size_t len;
	char *text;
	int rc = unc_sim_smbios(&sim->host, path, &text, &len);

	if (rc == UNC_OK && len > max) {
		free(text);
		return unc_fail(sim->host.ctx, UNC_ERANGE, "%s: longer than the %zu bytes that are allowed here", path,
				max);
	}
	if (rc < 0)
		return rc;
	*ret_text = text;
	if (ret_len)
		*ret_len = len;
	return UNC_OK;
}

int unc_sim_kernel_file(struct unc_sim *sim, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	const char *text = text_of(sim, path);
	int rc = table_of(sim, path, max, ret_text, ret_len);

	if (rc != UNC_ENODEV)
		return rc;
	if (!text || strlen(text) > max)
		return UNC_ENODEV;
	*ret_text = unc_text_dup(text);
	if (!*ret_text)
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	if (ret_len)
		*ret_len = strlen(text);
	return UNC_OK;
}
