// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/house.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "machine/house_finders.h"

enum { STAT_MAX = 4096 };

struct unc_finding *unc_house_add(struct unc_house *house, enum unc_finding_kind kind, bool certain)
{
	struct unc_finding *more = unc_array_more(house->findings, house->n, sizeof(*more));

	if (!more) {
		unc_fail(house->m->ctx, UNC_ENOMEM, "out of memory");
		return NULL;
	}
	house->findings = more;
	more[house->n].kind = kind;
	more[house->n].certain = certain;
	return &more[house->n++];
}

int unc_house_file(struct unc_house *house, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	struct unc_host *host = house->m->host;
	int rc = host->ops->file(host, path, max, ret_text, ret_len);

	if (rc < 0)
		*ret_text = NULL;
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

int unc_house_names(struct unc_house *house, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct unc_host *host = house->m->host;
	int rc = host->ops->names(host, path, ret_names, ret_n);

	if (rc < 0) {
		*ret_names = NULL;
		*ret_n = 0;
	}
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

int unc_house_link(struct unc_house *house, const char *path, char **ret_text)
{
	struct unc_host *host = house->m->host;
	int rc = host->ops->link(host, path, ret_text);

	if (rc < 0)
		*ret_text = NULL;
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

int unc_house_process(struct unc_house *house, uint64_t pid, bool *ret_there, struct unc_proc_stat *ret_stat)
{
	char path[48], *text;
	int rc;

	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	rc = unc_house_file(house, path, STAT_MAX, &text, NULL);
	if (rc < 0)
		return rc;
	*ret_there = text && unc_proc_stat_parse(text, ret_stat) && !unc_proc_ended(ret_stat);
	free(text);
	return UNC_OK;
}

static int look(struct unc_house *house, unc_house_finder *const *finders, struct unc_finding **ret_findings,
		size_t *ret_n)
{
	for (; *finders; finders++) {
		int rc = (*finders)(house);

		if (rc < 0) {
			free(house->findings);
			return rc;
		}
	}
	*ret_findings = house->findings;
	*ret_n = house->n;
	return UNC_OK;
}

int unc_house_of_caches(struct unc_machine *m, struct unc_finding **ret_findings, size_t *ret_n)
{
	static unc_house_finder *const finders[] = {unc_house_find_resctrl, unc_house_find_pqos, unc_house_find_pcm,
						    NULL};
	struct unc_house house = {.m = m};

	return look(&house, finders, ret_findings, ret_n);
}

int unc_house_of_box(struct unc_machine *m, const struct unc_box *box, struct unc_finding **ret_findings, size_t *ret_n)
{
	static unc_house_finder *const finders[] = {unc_house_find_driver, unc_house_find_perf, unc_house_find_likwid,
						    unc_house_find_pcm, NULL};
	struct unc_house house = {.m = m, .box = box};

	return look(&house, finders, ret_findings, ret_n);
}

int unc_house_of_machine(struct unc_machine *m, struct unc_finding **ret_findings, size_t *ret_n)
{
	static unc_house_finder *const finders[] = {unc_house_find_driver,
						    unc_house_find_perf,
						    unc_house_find_likwid,
						    unc_house_find_resctrl,
						    unc_house_find_pqos,
						    unc_house_find_pcm,
						    NULL};
	struct unc_house house = {.m = m};

	return look(&house, finders, ret_findings, ret_n);
}

/* "(found: SENTENCE [EVIDENCE]; SENTENCE [EVIDENCE])", what does not fit being counted. */
static void tell(const struct unc_finding *findings, size_t n, char *buf, size_t size)
{
	enum { REST = 40 }; /* room for the words about those that are left out */
	size_t len = (size_t)snprintf(buf, size, " (found here: ");

	for (size_t i = 0; i < n; i++) {
		char one[sizeof(findings->sentence) + sizeof(findings->evidence) + 8];
		size_t more = (size_t)snprintf(one, sizeof(one), "%s%s [%s]", i ? "; " : "", findings[i].sentence,
					       findings[i].evidence);

		if (len + more + REST > size) {
			len += (size_t)snprintf(buf + len, size - len, "%sand %zu more", i ? "; " : "", n - i);
			break;
		}
		len += (size_t)snprintf(buf + len, size - len, "%s", one);
	}
	snprintf(buf + len, size - len, ")");
}

int unc_house_tell(const struct unc_box *box, int rc)
{
	struct unc_ctx *ctx = box->machine->ctx;
	struct unc_finding *findings = NULL;
	struct unc_saved_msg said;
	char text[UNC_MSG_MAX];
	size_t n = 0, len;
	int failure;

	unc_msg_save(ctx, &said);
	failure = unc_house_of_box(box->machine, box, &findings, &n);
	if (failure < 0)
		return failure;
	unc_msg_restore(ctx, &said);
	len = strlen(ctx->msg);
	if (n && sizeof(ctx->msg) - len > UNC_MSG_MAX / 8) {
		tell(findings, n, text, sizeof(ctx->msg) - len);
		memcpy(ctx->msg + len, text, strlen(text) + 1);
	}
	free(findings);
	return rc;
}
