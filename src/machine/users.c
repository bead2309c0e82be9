// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own way to uncore counters (Linux arch/x86/events/intel/uncore.c): a PCI driver, such as snbep_uncore,
 * bound to the functions, and a PMU for each box (uncore_imc_0 and so on) through which perf counts.  Neither shows
 * whether a program counts.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/text.h"
#include "base/err.h"
#include "machine/gate.h"
#include "machine/users.h"
#include "machine/journals.h"
#include "map/field.h"

#define PMUS    "/sys/bus/event_source/devices"
#define DRIVERS "/sys/bus/pci/drivers"

enum { PATH = 96 };

int unc_users_uncore_pmus(struct unc_users *users, struct unc_uncore_pmus *ret_pmus)
{
	const char *const *names;
	size_t n;
	int rc = unc_users_names(users, PMUS, &names, &n);

	*ret_pmus = (struct unc_uncore_pmus){0};
	for (size_t i = 0; i < n; i++) {
		if (strncmp(names[i], "uncore_imc", strlen("uncore_imc")) != 0)
			continue;
		if (ret_pmus->n++ == 0)
			snprintf(ret_pmus->first, sizeof(ret_pmus->first), "%s", names[i]);
	}
	free((void *)names);
	return rc;
}

struct bound { /* functions that a driver is bound to */
	unsigned n;
	char path[PATH]; /* the link of the first of them */
	char pci[UNC_ADDR_TEXT];
	char driver[40];
};

static int look_at(struct unc_users *users, const struct unc_box *box, struct bound *bound)
{
	char path[PATH], *target;
	const char *slash;
	int rc;

	if (box->addr.kind != UNC_PCI || !box->addr_known)
		return UNC_OK;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", box->pci);
	rc = unc_users_link(users, path, &target);
	if (rc < 0 || !target)
		return rc;
	slash = strrchr(target, '/');
	if (bound->n++ == 0) {
		memcpy(bound->path, path, sizeof(path));
		memcpy(bound->pci, box->pci, sizeof(bound->pci));
		snprintf(bound->driver, sizeof(bound->driver), "%s", slash ? slash + 1 : target);
	}
	free(target);
	return UNC_OK;
}

/* snbep_uncore, ivbep_uncore, hswep_uncore, bdx_uncore, skx_uncore. */
static bool is_uncore(const char *driver)
{
	static const char end[] = "uncore";
	size_t len = strlen(driver);

	return len >= sizeof(end) - 1 && strcmp(driver + len - (sizeof(end) - 1), end) == 0;
}

static int add_bound(struct unc_users *users, const struct bound *bound)
{
	struct unc_finding *found = unc_users_add(users, UNC_FOUND_DRIVER, false);
	char whose[60] = "this function";

	if (!found)
		return UNC_ENOMEM;
	if (!users->box)
		snprintf(whose, sizeof(whose), "%u of the functions of memory controllers", bound->n);
	snprintf(found->evidence, sizeof(found->evidence), "%s: leads to %s", bound->path, bound->driver);
	snprintf(found->way_out, sizeof(found->way_out),
		 "%s, or take the driver away (echo %s > " DRIVERS "/%s/unbind)",
		 is_uncore(bound->driver) ? "stop perf" : "stop the program that uses them", bound->pci, bound->driver);
	if (is_uncore(bound->driver))
		snprintf(found->sentence, sizeof(found->sentence),
			 "possible: perf counts, as the kernel's driver %s is bound to %s", bound->driver, whose);
	else
		snprintf(found->sentence, sizeof(found->sentence), "possible: the driver %s, which is bound to %s",
			 bound->driver, whose);
	return UNC_OK;
}

static int add_pmus(struct unc_users *users, const struct unc_uncore_pmus *pmus)
{
	struct unc_finding *found = unc_users_add(users, UNC_FOUND_DRIVER, false);

	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), PMUS ": %u of %s", pmus->n, pmus->first);
	snprintf(found->way_out, sizeof(found->way_out), "stop perf");
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: perf counts, as the kernel has a driver for counters of memory controllers");
	return UNC_OK;
}

int unc_users_find_driver(struct unc_users *users)
{
	const struct unc_machine *m = users->m;
	struct unc_uncore_pmus pmus;
	struct bound bound = {0};
	int rc = UNC_OK;

	if (users->box)
		rc = look_at(users, users->box, &bound);
	for (size_t i = 0; !users->box && i < m->n_boxes && rc == 0; i++)
		rc = look_at(users, &m->boxes[i], &bound);
	if (rc < 0)
		return rc;
	if (bound.n)
		return add_bound(users, &bound);
	rc = unc_users_uncore_pmus(users, &pmus);
	return rc == 0 && pmus.n ? add_pmus(users, &pmus) : rc;
}

/*
 * resctrl, the kernel's own user of cache monitoring and allocation (Linux Documentation/filesystems/resctrl.rst): a
 * file system in which control groups are directories, and monitoring groups are directories in a directory
 * "mon_groups" of each.
 */

enum { MOUNTS_MAX = 4 << 20, PATH_MAX_LEN = 1024 };

/* In /proc/mounts blanks and backslashes are \ooo (fs/proc_namespace.c, mangle()). */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		bool octal = text[0] == '\\' && strspn(text + 1, "01234567") >= 3;

		if (octal) {
			*to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* Returns the first directory where it is mounted; changes text.  NULL: nowhere. */
static const char *mount_point(char *text)
{
	char *rest = text, *line;

	while ((line = unc_text_cut(&rest, '\n')) != NULL) {
		char *fields = line, *dir, *type;

		unc_text_cut(&fields, ' ');
		dir = unc_text_cut(&fields, ' ');
		type = unc_text_cut(&fields, ' ');
		if (!type || strcmp(type, "resctrl") != 0)
			continue;
		unescape(dir);
		return dir;
	}
	return NULL;
}

/* Mounted for us, or at least for process 1 if we are in a mount namespace of our own: there is only one resctrl. */
int unc_users_resctrl_mount(struct unc_machine *m, struct unc_resctrl_mount *ret_mount)
{
	static const struct {
		const char *list, *root, *unmount;
	} views[] = {{"/proc/mounts", "", "umount"},
		     {"/proc/1/mounts", "/proc/1/root", "nsenter --target 1 --mount umount"}};
	struct unc_users users = {.m = m};

	*ret_mount = (struct unc_resctrl_mount){0};
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]) && !ret_mount->mounted; i++) {
		const char *dir;
		char *text;
		int rc = unc_users_file(&users, views[i].list, MOUNTS_MAX, &text, NULL);

		if (rc < 0)
			return rc;
		dir = text ? mount_point(text) : NULL;
		if (dir) {
			ret_mount->mounted = true;
			ret_mount->list = views[i].list;
			ret_mount->unmount = views[i].unmount;
			snprintf(ret_mount->dir, sizeof(ret_mount->dir), "%s%s", views[i].root, dir);
			ret_mount->root_len = strlen(views[i].root);
		}
		free(text);
	}
	return UNC_OK;
}

/* Counts the names in a directory; *ret_there: it is a directory. */
static int count(struct unc_users *users, const char *dir, const char *name, bool *ret_there, size_t *ret_n)
{
	char path[PATH_MAX_LEN];
	const char *const *names;
	int rc;

	*ret_there = false;
	*ret_n = 0;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return UNC_OK;
	rc = unc_users_names(users, path, &names, ret_n);
	*ret_there = names != NULL;
	free((void *)names);
	return rc;
}

struct groups {
	size_t n_control, n_monitoring;
};

/* Skips files, which need not be read. */
bool unc_users_is_of_resctrl(const char *name)
{
	return unc_text_listed("info, mon_data, mon_groups, cpus, cpus_list, ctrl_hw_id, mode, mon_hw_id, schemata, "
			       "size, tasks",
			       name, strlen(name));
}

static int count_groups(struct unc_users *users, const char *root, struct groups *ret_groups)
{
	const char *const *names = NULL;
	size_t n;
	bool there;
	int rc;

	*ret_groups = (struct groups){0};
	rc = count(users, root, "mon_groups", &there, &ret_groups->n_monitoring);
	if (rc == 0)
		rc = unc_users_names(users, root, &names, &n);
	if (rc < 0 || !names)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		char path[PATH_MAX_LEN];
		size_t n_own;

		if (unc_users_is_of_resctrl(names[i]))
			continue;
		rc = count(users, root, names[i], &there, &n_own);
		if (rc < 0 || !there)
			continue;
		ret_groups->n_control++;
		if (snprintf(path, sizeof(path), "%s/%s", root, names[i]) >= (int)sizeof(path))
			continue;
		rc = count(users, path, "mon_groups", &there, &n_own);
		ret_groups->n_monitoring += n_own;
	}
	free((void *)names);
	return rc;
}

int unc_users_find_resctrl(struct unc_users *users)
{
	struct unc_resctrl_mount mount;
	struct unc_finding *found;
	struct groups groups;
	int rc = unc_users_resctrl_mount(users->m, &mount);

	if (rc == 0 && mount.mounted)
		rc = count_groups(users, mount.dir, &groups);
	if (rc < 0 || !mount.mounted)
		return rc;
	found = unc_users_add(users, UNC_FOUND_RESCTRL, true);
	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%s: resctrl at %.120s", mount.list, mount.dir);
	snprintf(found->way_out, sizeof(found->way_out), "unmount it if no program needs its groups (%s %.120s)",
		 mount.unmount, mount.dir + mount.root_len);
	/*
	 * Linux arch/x86/include/asm/resctrl.h, __resctrl_sched_in(): writes the register when the next task has
	 * another CLOS or RMID than the last one; monitor.c, mbm_handle_overflow(): reads it every second.
	 */
	snprintf(found->sentence, sizeof(found->sentence),
		 "resctrl is mounted at %.80s, with %zu control and %zu monitoring groups: %s, RMIDs of groups that "
		 "sleep are seen in no register, and writing IA32_QM_EVTSEL may spoil what it reads",
		 mount.dir, groups.n_control, groups.n_monitoring,
		 groups.n_control + groups.n_monitoring
			 ? "its kernel rewrites IA32_PQR_ASSOC at every context switch"
			 : "its kernel rewrites IA32_PQR_ASSOC at every context switch once there is a group");
	return UNC_OK;
}

/*
 * Which program froze counters.  Few parts have freeze bits that read back, and none shows which program set them.  So
 * only what was seen is reported: a bit that reads 1, registers that a killed uncorectl left, another uncorectl that
 * runs, and marks of other tools.
 */

static void add(char *buf, size_t size, const char *fmt, ...) UNC_PRINTF(3, 4);
static void add(char *buf, size_t size, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list args;

	if (len && len < size)
		len += (size_t)snprintf(buf + len, size - len, "; ");
	va_start(args, fmt);
	if (len < size)
		vsnprintf(buf + len, size - len, fmt, args);
	va_end(args);
}

struct unc_box *unc_users_global(const struct unc_box *box)
{
	struct unc_box *global;

	for (size_t i = 0; (global = unc_box_at(box->machine, "global", i)); i++)
		if (global->socket == box->socket)
			return global;
	return NULL;
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
		add(buf, size, "%s was left changed by %s; `uncorectl recover` puts it back", reg_name, who);
}

static void add_writer(struct unc_box *box, char *buf, size_t size)
{
	char who[400];

	if (!box->space || unc_space_claim(box->space, 0, 0, UNC_CLAIM_ASK) != UNC_EBUSY)
		return;
	if (box->machine->host->name || !unc_journal_disk_owner(box->machine, &box->addr, who, sizeof(who)))
		snprintf(who, sizeof(who), "it is not known which");
	add(buf, size, "another uncorectl writes to this channel (%.120s)", who);
}

/* A driver that is bound does not count by itself. */
static int add_programs(struct unc_box *box, char *buf, size_t size)
{
	struct unc_finding *findings = NULL;
	size_t n = 0;
	int rc = unc_users_of_box(box->machine, box, &findings, &n);

	for (size_t i = 0; i < n && rc == 0; i++)
		if (findings[i].kind != UNC_FOUND_DRIVER)
			add(buf, size, "%s [%s]", findings[i].sentence, findings[i].evidence);
	free(findings);
	return rc;
}

int unc_users_of_freeze(struct unc_box *box, char *buf, size_t size)
{
	struct unc_box *global = unc_users_global(box);
	struct unc_saved_msg said;
	int rc;

	buf[0] = '\0';
	if (unc_users_is_frozen(box))
		add(buf, size, "GLOBAL_CTL of socket%u reads frz_all=1", box->socket);
	unc_msg_save(box->machine->ctx, &said);
	if (reads_1(box, "BOX_CTL", "frz"))
		add(buf, size, "BOX_CTL reads frz=1");
	add_left(global, "GLOBAL_CTL", buf, size);
	add_left(box, "BOX_CTL", buf, size);
	add_writer(box, buf, size);
	rc = add_programs(box, buf, size);
	if (rc == 0)
		unc_msg_restore(box->machine->ctx, &said);
	return rc;
}

enum { STAT_MAX = 4096 };

struct unc_finding *unc_users_add(struct unc_users *users, enum unc_finding_kind kind, bool certain)
{
	struct unc_finding *more = unc_array_more(users->findings, users->n, sizeof(*more));

	if (!more) {
		unc_fail(users->m->ctx, UNC_ENOMEM, "out of memory");
		return NULL;
	}
	users->findings = more;
	more[users->n].kind = kind;
	more[users->n].certain = certain;
	return &more[users->n++];
}

int unc_users_file(struct unc_users *users, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	struct unc_host *host = users->m->host;
	int rc = host->ops->file(host, path, max, ret_text, ret_len);

	if (rc < 0)
		*ret_text = NULL;
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

int unc_users_names(struct unc_users *users, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct unc_host *host = users->m->host;
	int rc = host->ops->names(host, path, ret_names, ret_n);

	if (rc < 0) {
		*ret_names = NULL;
		*ret_n = 0;
	}
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

int unc_users_link(struct unc_users *users, const char *path, char **ret_text)
{
	struct unc_host *host = users->m->host;
	int rc = host->ops->link(host, path, ret_text);

	if (rc < 0)
		*ret_text = NULL;
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

int unc_users_process(struct unc_users *users, uint64_t pid, bool *ret_there, struct unc_proc_stat *ret_stat)
{
	char path[48], *text;
	int rc;

	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	rc = unc_users_file(users, path, STAT_MAX, &text, NULL);
	if (rc < 0)
		return rc;
	*ret_there = text && unc_proc_stat_parse(text, ret_stat) && !unc_proc_ended(ret_stat);
	free(text);
	return UNC_OK;
}

static int look(struct unc_users *users, unc_users_finder *const *finders, struct unc_finding **ret_findings,
		size_t *ret_n)
{
	for (; *finders; finders++) {
		int rc = (*finders)(users);

		if (rc < 0) {
			free(users->findings);
			return rc;
		}
	}
	*ret_findings = users->findings;
	*ret_n = users->n;
	return UNC_OK;
}

int unc_users_of_caches(struct unc_machine *m, struct unc_finding **ret_findings, size_t *ret_n)
{
	static unc_users_finder *const finders[] = {unc_users_find_resctrl, unc_users_find_pqos, unc_users_find_pcm,
						    NULL};
	struct unc_users users = {.m = m};

	return look(&users, finders, ret_findings, ret_n);
}

int unc_users_of_box(struct unc_machine *m, const struct unc_box *box, struct unc_finding **ret_findings, size_t *ret_n)
{
	static unc_users_finder *const finders[] = {unc_users_find_driver, unc_users_find_perf, unc_users_find_likwid,
						    unc_users_find_pcm, NULL};
	struct unc_users users = {.m = m, .box = box};

	return look(&users, finders, ret_findings, ret_n);
}

int unc_users_of_machine(struct unc_machine *m, struct unc_finding **ret_findings, size_t *ret_n)
{
	static unc_users_finder *const finders[] = {unc_users_find_driver,
						    unc_users_find_perf,
						    unc_users_find_likwid,
						    unc_users_find_resctrl,
						    unc_users_find_pqos,
						    unc_users_find_pcm,
						    NULL};
	struct unc_users users = {.m = m};

	return look(&users, finders, ret_findings, ret_n);
}

/* Writes "(found: SENTENCE [EVIDENCE]; SENTENCE [EVIDENCE])"; findings that do not fit are counted. */
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

int unc_users_text(const struct unc_box *box, int rc)
{
	struct unc_ctx *ctx = box->machine->ctx;
	struct unc_finding *findings = NULL;
	struct unc_saved_msg said;
	char text[UNC_MSG_MAX];
	size_t n = 0, len;
	int failure;

	unc_msg_save(ctx, &said);
	failure = unc_users_of_box(box->machine, box, &findings, &n);
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
