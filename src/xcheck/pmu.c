// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Encodes events as bits of perf_event_attr.  These are the kernel's own numbers, with the layout in its format/, and not a
 * register.
 */
#include "xcheck/pmu.h"

#include "base/text.h"
#include "machine/discovery.h"
#include "map/field.h"

/*
 * Linux arch/x86/events/intel/uncore.h, UNCORE_FIXED_EVENT: this value in config, and nothing else, means the fixed counter.
 */
enum { FIXED_EVENT = 0xff };

bool unc_pmu_field_parse(const char *text, struct unc_pmu_field *field)
{
	static const char *const configs[UNC_PMU_CONFIGS] = {"config:", "config1:", "config2:"};

	uint64_t bit, last;

	field->bits = 0;
	for (unsigned i = 0; i < UNC_PMU_CONFIGS; i++) {
		size_t len = strlen(configs[i]);

		if (strncmp(text, configs[i], len) != 0)
			continue;
		field->config = i;
		text += len;
		while (unc_text_range(&text, 63, &bit, &last))
			for (; bit <= last; bit++)
				field->bits |= UINT64_C(1) << bit;
		return !text;
	}
	return false;
}

static const struct unc_pmu_field *field_of(const struct unc_pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->n_fields; i++)
		if (strcmp(pmu->fields[i].name, name) == 0)
			return &pmu->fields[i];
	return NULL;
}

/* Puts a value into a field.  False: it does not fit. */
static bool put(const struct unc_pmu_field *field, uint64_t value, struct unc_pmu_code *code)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t mask = UINT64_C(1) << bit;

		if (!(field->bits & mask))
			continue;
		code->config[field->config] &= ~mask;
		if (value & 1)
			code->config[field->config] |= mask;
		value >>= 1;
	}
	return value == 0;
}

bool unc_pmu_code_parse(const struct unc_pmu *pmu, char *text, struct unc_pmu_code *ret_code)
{
	char *rest = text, *term;

	*ret_code = (struct unc_pmu_code){{0}};
	while ((term = unc_text_cut(&rest, ',')) != NULL) {
		char *number = strchr(term, '=');
		const struct unc_pmu_field *field;
		uint64_t value = 1;

		if (number)
			*number++ = '\0';
		field = field_of(pmu, term);
		if (!field || (number && !unc_text_u64(number, &value)) || !put(field, value, ret_code))
			return false;
	}
	return true;
}

int unc_pmu_encode(const struct unc_pmu *pmu, const struct unc_box *box, const struct unc_wanted *wanted,
		   struct unc_pmu_code *ret_code)
{
	const struct unc_reg *ctl = unc_unit_reg(box->unit, "CTL");
	static const struct unc_pmu_code fixed = {{FIXED_EVENT}};
	struct unc_machine *m = box->machine;
	struct unc_pmu_code code = {{0}};
	int rc = UNC_OK;

	for (unsigned i = 0; i < UNC_PARTS && rc == 0; i++) {
		const char *perf = unc_part_names[i].perf;
		const struct unc_pmu_field *of_perf;
		const struct unc_field *field = unc_reg_field(ctl, unc_part_names[i].field);
		uint64_t value = field && field->acc == UNC_RW ? unc_field_get(field, wanted->control) : 0;

		if (wanted->event.fixed)
			value = i == UNC_PART_EVENT ? FIXED_EVENT : 0;
		of_perf = field_of(pmu, perf);
		if (value && !of_perf)
			rc = unc_fail(m->ctx, UNC_EARG,
				      "%s: perf's driver has no field for %s=0x%" PRIx64 " (" UNC_PMU_DEVICES
				      "/%s/format)",
				      box->name, perf, value, pmu->name);
		else if (of_perf && !put(of_perf, value, &code))
			rc = unc_fail(m->ctx, UNC_EARG,
				      "%s: %s=0x%" PRIx64 " is wider than perf's field (" UNC_PMU_DEVICES
				      "/%s/format/%s)",
				      box->name, perf, value, pmu->name, perf);
	}
	if (rc == 0 && !wanted->event.fixed && memcmp(&code, &fixed, sizeof(code)) == 0)
		rc = unc_fail(m->ctx, UNC_EARG,
			      "%s: %s: perf's driver takes that for the fixed counter, and cannot count it in another",
			      box->name, wanted->text);
	if (rc == 0)
		*ret_code = code;
	return rc;
}

const char *unc_pmu_alias(const struct unc_pmu *pmu, const struct unc_pmu_code *code)
{
	for (size_t i = 0; i < pmu->n_aliases; i++)
		if (memcmp(&pmu->aliases[i].code, code, sizeof(*code)) == 0)
			return pmu->aliases[i].name;
	return NULL;
}

const char *unc_pmu_text(const struct unc_pmu *pmu, const struct unc_pmu_code *code, char *buf, size_t size)
{
	snprintf(buf, size, "type=%" PRIu32 " config=0x%" PRIx64, pmu->type, code->config[0]);
	for (unsigned i = 1; i < UNC_PMU_CONFIGS; i++)
		if (code->config[i])
			unc_text_join(buf, size, " ", "config%u=0x%" PRIx64, i, code->config[i]);
	return buf;
}

static uint64_t get(const struct unc_pmu_field *field, const struct unc_pmu_code *code)
{
	uint64_t value = 0;
	unsigned at = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (field->bits >> bit & 1)
			value |= (code->config[field->config] >> bit & 1) << at++;
	return value;
}

/* Fields that are 0 are left out, and so are those whose bits other fields have already set: fields of a PMU may overlap. */
const char *unc_pmu_words(const struct unc_pmu *pmu, const struct unc_pmu_code *code, char *buf, size_t size)
{
	struct unc_pmu_code said = {{0}};
	char words[96] = "";

	for (size_t i = 0; i < pmu->n_fields; i++) {
		uint64_t value = get(&pmu->fields[i], code);

		if (!value || get(&pmu->fields[i], &said) == value)
			continue;
		put(&pmu->fields[i], value, &said);
		unc_text_join(words, sizeof(words), ",", "%s=0x%" PRIx64, pmu->fields[i].name, value);
	}
	if (memcmp(&said, code, sizeof(said)) != 0)
		snprintf(words, sizeof(words), "config=0x%" PRIx64 ",config1=0x%" PRIx64 ",config2=0x%" PRIx64,
			 code->config[0], code->config[1], code->config[2]);
	snprintf(buf, size, "%s/%s/", pmu->name, words);
	return buf;
}

enum { PATH = 200, FILE_MAX = 4096 /* size of a file in sysfs: PAGE_SIZE */, DIGITS = 7 };

/* Reads a file without its last newline; the caller frees it. */
static int read_line(struct unc_machine *m, const char *path, char **ret_text)
{
	size_t len;
	int rc = unc_host_file(m->host, path, FILE_MAX, ret_text, &len);

	if (rc == UNC_ENODEV || rc == UNC_ERANGE)
		return unc_wrap(m->ctx, UNC_EIO, "what the kernel says of its counters makes no sense");
	if (rc == 0)
		(*ret_text)[strcspn(*ret_text, "\n")] = '\0';
	return rc;
}

static int no_sense(struct unc_machine *m, const char *path, const char *text)
{
	return unc_fail(m->ctx, UNC_EIO, "%s: \"%.100s\" makes no sense here", path, text);
}

/* ---- the files of a PMU ---- */

/* Reads the files of format/ or of events/; a missing folder has none. */
static int read_folder(struct unc_machine *m, struct unc_pmu *pmu, bool events)
{
	const char *const *names, *folder = events ? "events" : "format";
	struct unc_pmu_field field = {.config = 0};
	struct unc_pmu_alias alias;
	char path[PATH], *text;
	size_t n;
	int rc;

	snprintf(path, sizeof(path), UNC_PMU_DEVICES "/%s/%s", pmu->name, folder);
	rc = unc_host_names(m->host, path, &names, &n);
	if (rc < 0)
		return rc == UNC_ENODEV ? UNC_OK : rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (strlen(names[i]) >= UNC_PMU_NAME)
			continue;
		if (events && strchr(names[i], '.')) /* "cas_count_read.scale" and ".unit" are not events */
			continue;
		snprintf(path, sizeof(path), UNC_PMU_DEVICES "/%s/%s/%s", pmu->name, folder, names[i]);
		rc = read_line(m, path, &text);
		if (rc < 0)
			break;
		snprintf(field.name, sizeof(field.name), "%s", names[i]);
		memcpy(alias.name, field.name, sizeof(alias.name));
		/* Terms of an alias matter only if it is our event; one that cannot be parsed is not ours, and is skipped. */
		if (events && unc_pmu_code_parse(pmu, text, &alias.code))
			rc = unc_list_add(m->ctx, &pmu->aliases, &pmu->n_aliases, &alias, sizeof(alias));
		else if (!events && !unc_pmu_field_parse(text, &field))
			rc = no_sense(m, path, text);
		else if (!events)
			rc = unc_list_add(m->ctx, &pmu->fields, &pmu->n_fields, &field, sizeof(field));
		free(text);
	}
	free((void *)names);
	return rc;
}

static int read_pmu(struct unc_machine *m, struct unc_pmu *pmu)
{
	char path[PATH], *text;
	uint64_t type = 0;
	int rc;

	snprintf(path, sizeof(path), UNC_PMU_DEVICES "/%s/type", pmu->name);
	rc = read_line(m, path, &text);
	if (rc < 0)
		return rc;
	if (!unc_text_u64(text, &type) || type > UINT32_MAX)
		rc = no_sense(m, path, text);
	pmu->type = (uint32_t)type;
	free(text);
	if (rc < 0)
		return rc;
	snprintf(path, sizeof(path), UNC_PMU_DEVICES "/%s/cpumask", pmu->name);
	rc = read_line(m, path, &text);
	if (rc < 0)
		return rc;
	/* The file is empty if the kernel found no CPU for the PMU. */
	if (*text && !unc_cpuset_of_list(text, &pmu->cpus))
		rc = no_sense(m, path, text);
	snprintf(pmu->cpus_text, sizeof(pmu->cpus_text), "%s", text);
	free(text);
	if (rc == 0)
		rc = read_folder(m, pmu, false);
	return rc == 0 ? read_folder(m, pmu, true) : rc;
}

/* ---- the PMUs of a unit ---- */

#define GENERIC "type_%d" /* in a PMU's name: the type of its unit in discovery tables */

/*
 * Accepts "word_2", and "word" if a kernel has only one (uncore_get_pmu_name() of Linux arch/x86/events/intel/uncore.c).  A name such
 * as "imc_free_running_0" is of other counters.
 */
static bool is_numbered(const char *name, const char *word, unsigned *ret_number)
{
	size_t len = strlen(word);
	uint64_t number = 0;

	if (strncmp(name, word, len) != 0)
		return false;
	name += len;
	if (*name && (*name != '_' || strlen(name) > DIGITS || strspn(name + 1, "0123456789") != strlen(name + 1) ||
		      !unc_text_u64(name + 1, &number)))
		return false;
	*ret_number = (unsigned)number;
	return true;
}

/* Accepts "uncore_imc_2", or "uncore_type_6_2" of a kernel that does not know the CPU. */
static bool is_of_unit(const char *name, const struct unc_unit *unit, struct unc_pmu *pmu)
{
	static const char prefix[] = "uncore_";
	char types[2][24];

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	name += sizeof(prefix) - 1;
	if (is_numbered(name, unit->name, &pmu->number))
		return true;
	if (unit->box_type < 0)
		return false;
	snprintf(types[0], sizeof(types[0]), GENERIC, unit->box_type);
	snprintf(types[1], sizeof(types[1]), GENERIC, UNC_TYPE_HBM);
	if (is_numbered(name, types[0], &pmu->number))
		return true;
	pmu->hbm = is_numbered(name, "hbm", &pmu->number) || is_numbered(name, types[1], &pmu->number);
	return pmu->hbm;
}

/*
 * A kernel that knows the CPU gives the second name in a file "alias" of the PMU.  Its number is that of the unit in the table, so
 * it is believed before that of the PMU's own name.
 */
static int read_alias(struct unc_machine *m, const struct unc_unit *unit, struct unc_pmu *pmu)
{
	struct unc_pmu other = {.number = 0};
	char path[PATH], *text;
	size_t len;
	int rc;

	if (unit->box_type < 0)
		return UNC_OK;
	snprintf(path, sizeof(path), UNC_PMU_DEVICES "/%s/alias", pmu->name);
	rc = unc_host_file(m->host, path, FILE_MAX, &text, &len);
	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	text[strcspn(text, "\n")] = '\0';
	if (is_of_unit(text, unit, &other)) {
		pmu->number = other.number;
		pmu->hbm = other.hbm;
	}
	free(text);
	return UNC_OK;
}

static int by_number(const void *a, const void *b)
{
	const struct unc_pmu *pa = a, *pb = b;

	if (pa->hbm != pb->hbm)
		return pa->hbm ? 1 : -1;
	return pa->number < pb->number ? -1 : pa->number > pb->number;
}

/* Explains why there is no PMU: the driver is not loaded, or it made none. */
static int none(struct unc_machine *m, const struct unc_unit *unit)
{
	enum { MODULES_MAX = 1 << 20 };
	char *text = NULL, other[40] = "";
	bool loaded;
	int rc = unc_host_file(m->host, "/proc/modules", MODULES_MAX, &text, NULL);

	if (rc == UNC_ENOMEM)
		return rc;
	loaded = rc == 0 && (strncmp(text, "intel_uncore ", 13) == 0 || strstr(text, "\nintel_uncore "));
	free(rc == 0 ? text : NULL);
	if (unit->box_type >= 0)
		snprintf(other, sizeof(other), " and no uncore_" GENERIC "_N", unit->box_type);
	return unc_fail(m->ctx, UNC_ENOSUP, UNC_PMU_DEVICES ": no uncore_%.40s_N%s%s", unit->name, other,
			loaded ? ", though intel_uncore is loaded: this kernel does not know the memory controllers of "
				 "this CPU, or found none of their functions"
			       : ": the kernel's driver for these counters is not loaded (modprobe intel_uncore; it "
				 "does not load where CPUID tells of a hypervisor, and a kernel without "
				 "CONFIG_PERF_EVENTS_INTEL_UNCORE has none)");
}

int unc_pmus_find(struct unc_machine *m, const struct unc_unit *unit, struct unc_pmus *ret_pmus)
{
	struct unc_pmus pmus = {0};
	const char *const *names;
	size_t n;
	int rc = unc_host_names(m->host, UNC_PMU_DEVICES, &names, &n);

	if (rc == UNC_ENODEV)
		return unc_fail(m->ctx, UNC_ENOSUP, UNC_PMU_DEVICES ": not there: this machine shows no perf events%s",
				m->host->simulated ? " (a simulated one does with perf=on)" : "");
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct unc_pmu pmu = {.number = 0};

		if (strlen(names[i]) >= UNC_PMU_NAME || !is_of_unit(names[i], unit, &pmu))
			continue;
		snprintf(pmu.name, sizeof(pmu.name), "%s", names[i]);
		rc = read_alias(m, unit, &pmu);
		if (rc == 0)
			rc = unc_list_add(m->ctx, &pmus.pmus, &pmus.n, &pmu, sizeof(pmu));
		if (rc == 0)
			rc = read_pmu(m, &pmus.pmus[pmus.n - 1]);
	}
	free((void *)names);
	if (rc == 0 && pmus.n == 0)
		rc = none(m, unit);
	if (rc < 0) {
		unc_pmus_clear(&pmus);
		return rc;
	}
	if (pmus.n > 1)
		qsort(pmus.pmus, pmus.n, sizeof(*pmus.pmus), by_number);
	*ret_pmus = pmus;
	return UNC_OK;
}

void unc_pmus_clear(struct unc_pmus *pmus)
{
	for (size_t i = 0; i < pmus->n; i++) {
		free(pmus->pmus[i].fields);
		free(pmus->pmus[i].aliases);
	}
	free(pmus->pmus);
	*pmus = (struct unc_pmus){0};
}

/* ---- the CPU of a socket ---- */

int unc_pmu_cpu(struct unc_machine *m, const struct unc_pmu *pmu, unsigned socket, unsigned *ret_cpu)
{
	const struct unc_host_cpu *cpus = NULL;
	size_t n = UNC_CPUSET_MAX;
	int rc = unc_machine_cpus(m, &cpus, &n);

	if (rc < 0 && (rc != UNC_ENODATA || m->n_sockets > 1))
		return rc;
	for (size_t i = 0; i < n; i++) { /* without a list, every CPU is of the only socket */
		unsigned cpu = rc == 0 ? cpus[i].cpu : (unsigned)i;
		bool is_there = rc < 0 || (cpus[i].package >= 0 && (unsigned)cpus[i].package == socket);

		if (!is_there || cpu >= UNC_CPUSET_MAX || !pmu->cpus.has[cpu])
			continue;
		*ret_cpu = cpu;
		return UNC_OK;
	}
	return unc_fail(m->ctx, UNC_ENODATA,
			UNC_PMU_DEVICES "/%s/cpumask has no CPU of socket %u (\"%s\"): the kernel counts nothing there",
			pmu->name, socket, pmu->cpus_text);
}
