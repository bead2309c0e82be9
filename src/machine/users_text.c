// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of other users of a box: in a message that it is in use, and about who froze it. */

#include "machine/gate.h"
#include "machine/users.h"
#include "map/field.h"

/*
 * Which program froze counters.  Few parts have freeze bits that read back, and none shows which program set them.  So
 * only what was seen is reported: a bit that reads 1, registers that a killed uncorectl left, another uncorectl that
 * runs, and marks of other tools.
 */

struct unc_box *unc_users_global(const struct unc_box *box)
{
	struct unc_box *global;

	for (size_t i = 0; (global = unc_box_at(box->machine, "global", i)); i++)
		if (global->socket == box->socket)
			return global;
	return NULL;
}

const char *unc_users_release(const struct unc_box *global)
{
	const struct unc_reg *ctl = unc_unit_reg(global->unit, "GLOBAL_CTL");

	return ctl && unc_reg_field(ctl, "unfrz_all") ? "unfrz_all=1" : "frz_all=0";
}

/* A register that cannot be read is not evidence; the caller keeps the message that the context had. */
static bool reads_1(struct unc_box *box, const char *reg_name, const char *field_name)
{
	const struct unc_reg *reg = box ? unc_unit_reg(box->unit, reg_name) : NULL;
	const struct unc_field *field = reg ? unc_reg_field(reg, field_name) : NULL;
	uint64_t value = 0;

	return field && unc_box_reach(box) == 0 && unc_reg_get(box, reg, 0, &value) == 0 && value != unc_reg_all(reg) &&
	       unc_field_get(field, value);
}

bool unc_users_is_frozen(struct unc_box *box)
{
	struct unc_saved_msg said;
	bool is;

	unc_msg_save(box->machine->ctx, &said);
	is = reads_1(unc_users_global(box), "GLOBAL_CTL", "frz_all");
	unc_msg_restore(box->machine->ctx, &said);
	return is;
}

static void add_left(struct unc_box *box, const char *reg_name, char *buf, size_t size)
{
	const struct unc_reg *reg = box ? unc_unit_reg(box->unit, reg_name) : NULL;
	const char *who = reg ? unc_gate_left(box, reg, 0) : NULL;

	if (who)
		unc_text_join(buf, size, "; ", "%s was left changed by %s; `uncorectl recover` puts it back", reg_name,
			      who);
}

int unc_users_of_freeze(struct unc_box *box, char *buf, size_t size)
{
	struct unc_box *global = unc_users_global(box);
	struct unc_finding *findings = NULL;
	struct unc_saved_msg said;
	char who[400];
	size_t n = 0;
	int rc;

	buf[0] = '\0';
	if (unc_users_is_frozen(box))
		unc_text_join(buf, size, "; ", "GLOBAL_CTL of socket%u reads frz_all=1", box->socket);
	unc_msg_save(box->machine->ctx, &said);
	if (reads_1(box, "BOX_CTL", "frz"))
		unc_text_join(buf, size, "; ", "BOX_CTL reads frz=1");
	add_left(global, "GLOBAL_CTL", buf, size);
	add_left(box, "BOX_CTL", buf, size);
	if (box->space && unc_space_claim(box->space, 0, 0, UNC_CLAIM_ASK) == UNC_EBUSY) {
		if (box->machine->host->name || !unc_journal_disk_owner(box->machine, &box->addr, who, sizeof(who)))
			snprintf(who, sizeof(who), "it is not known which");
		unc_text_join(buf, size, "; ", "another uncorectl writes to this channel (%.120s)", who);
	}
	rc = unc_users_find(box->machine, UNC_USERS_OF_BOX, box, &findings, &n);
	for (size_t i = 0; i < n; i++)
		if (findings[i].kind != UNC_FOUND_DRIVER) /* which does not count by itself */
			unc_text_join(buf, size, "; ", "%s [%s]", findings[i].sentence, findings[i].evidence);
	free(findings);
	if (rc == 0)
		unc_msg_restore(box->machine->ctx, &said);
	return rc;
}

/* Writes "(found: SENTENCE [EVIDENCE]; SENTENCE [EVIDENCE])"; findings that do not fit are counted. */
static void write_findings(const struct unc_finding *findings, size_t n, char *buf, size_t size)
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

int unc_users_text(const struct unc_box *box, int rc)
{
	struct unc_ctx *ctx = box->machine->ctx;
	struct unc_finding *findings = NULL;
	struct unc_saved_msg said;
	size_t n = 0, len;
	int failure;

	unc_msg_save(ctx, &said);
	failure = unc_users_find(box->machine, UNC_USERS_OF_BOX, box, &findings, &n);
	if (failure < 0)
		return failure;
	unc_msg_restore(ctx, &said);
	len = strlen(ctx->msg);
	if (n && sizeof(ctx->msg) - len > UNC_MSG_MAX / 8)
		write_findings(findings, n, ctx->msg + len, sizeof(ctx->msg) - len);
	free(findings);
	return rc;
}
