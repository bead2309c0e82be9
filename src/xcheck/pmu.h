/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's uncore PMUs, as it describes them in /sys/bus/event_source/devices (Linux
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events): on which CPUs each is asked, and which
 * bits of perf_event_attr an event's parts are.
 */
#ifndef UNC_XCHECK_PMU_H
#define UNC_XCHECK_PMU_H

#include "machine/machine.h"
#include "machine/proc_text.h"
#include "pmon/event_text.h"

#define UNC_PMU_DEVICES "/sys/bus/event_source/devices"

enum { UNC_PMU_CONFIGS = 3 }; /* config, config1, config2 of perf_event_attr */
struct unc_pmu_code {
	uint64_t config[UNC_PMU_CONFIGS];
};

enum { UNC_PMU_NAME = 64 };
struct unc_pmu_field { /* of format/ */
	char name[UNC_PMU_NAME];
	unsigned config;
	uint64_t bits; /* a value's lowest bit is in the lowest of these, and so on */
};
struct unc_pmu_alias { /* of events/ */
	char name[UNC_PMU_NAME];
	struct unc_pmu_code code;
};
struct unc_pmu {
	char name[UNC_PMU_NAME]; /* "uncore_imc_2" */
	unsigned number;         /* 2; of "uncore_imc", which is alone, 0 */
	uint32_t type;
	struct unc_cpuset cpus;       /* that stand for a die each */
	char cpus_text[80];           /* the same as the kernel writes it, cut if need be */
	struct unc_pmu_field *fields; /* owned */
	size_t n_fields;
	struct unc_pmu_alias *aliases; /* owned */
	size_t n_aliases;
};
struct unc_pmus {
	struct unc_pmu *pmus; /* by number; owned */
	size_t n;
};

/*
 * Those of a unit: "imc".  UNC_ENOSUP: there are none, and the sentence says what to load; UNC_EIO: what the kernel
 * says of them makes no sense; UNC_EPERM, UNC_ENOMEM.
 */
int unc_pmus_find(struct unc_machine *m, const char *unit, struct unc_pmus *ret_pmus);
void unc_pmus_clear(struct unc_pmus *pmus);

/* The CPU on which a socket's events are opened.  UNC_ENODATA: none of that socket, or nobody tells which is. */
int unc_pmu_cpu(struct unc_machine *m, const struct unc_pmu *pmu, unsigned socket, unsigned *ret_cpu);

/* xcheck/pmu_code.c */
/* "config:0-7,21".  False: it makes no sense. */
bool unc_pmu_field_parse(const char *text, struct unc_pmu_field *field);
/* "event=0x04,umask=0x03"; text is cut up.  False: there is something in it that this PMU does not explain. */
bool unc_pmu_code_parse(const struct unc_pmu *pmu, char *text, struct unc_pmu_code *ret_code);
/*
 * An event as this PMU wants it.  UNC_EARG: it has no field for a part of it, or not one that is wide enough, or
 * means something else by it.
 */
int unc_pmu_encode(const struct unc_pmu *pmu, const struct unc_box *box, const struct unc_wanted *wanted,
		   struct unc_pmu_code *ret_code);
/* What the kernel itself calls that; NULL: it has no name for it. */
const char *unc_pmu_alias(const struct unc_pmu *pmu, const struct unc_pmu_code *code);
/* "type=12 config=0x304", and what else is not 0; returns buf. */
const char *unc_pmu_text(const struct unc_pmu *pmu, const struct unc_pmu_code *code, char *buf, size_t size);
/* The same as perf's -e takes it, "uncore_imc_2/event=0x4,umask=0x3/"; what no field has, as config=; returns buf. */
const char *unc_pmu_words(const struct unc_pmu *pmu, const struct unc_pmu_code *code, char *buf, size_t size);

#endif
