/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's uncore PMUs, as it describes them in /sys/bus/event_source/devices (Linux
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events): the CPUs on which each is opened, and the bits of
 * perf_event_attr for each part of an event.
 */
#ifndef UNC_XCHECK_PMU_H
#define UNC_XCHECK_PMU_H

#include "machine/tasks.h"
#include "pmon/event.h"

#define UNC_PMU_DEVICES "/sys/bus/event_source/devices"

enum { UNC_PMU_CONFIGS = 3 }; /* config, config1, config2 of perf_event_attr */
struct unc_pmu_code {
	uint64_t config[UNC_PMU_CONFIGS];
};

enum { UNC_PMU_NAME = 64 };
struct unc_pmu_field { /* a file of format/ */
	char name[UNC_PMU_NAME];
	unsigned config;
	uint64_t bits; /* the lowest bit of a value is in the lowest of these bits, and so on */
};
struct unc_pmu_alias { /* a file of events/ */
	char name[UNC_PMU_NAME];
	struct unc_pmu_code code;
};
struct unc_pmu {
	char name[UNC_PMU_NAME]; /* "uncore_imc_2", "uncore_type_6_2" */
	unsigned number;         /* 2; 0 for "uncore_imc", which is the only one */
	bool hbm;                /* of channels in HBM, which have numbers of their own */
	uint32_t type;
	struct unc_cpuset cpus;       /* one CPU for each die */
	char cpus_text[80];           /* the same as the kernel's text, truncated if too long */
	struct unc_pmu_field *fields; /* owned */
	size_t n_fields;
	struct unc_pmu_alias *aliases; /* owned */
	size_t n_aliases;
};
struct unc_pmus {
	struct unc_pmu *pmus; /* sorted by number, those of HBM last; owned */
	size_t n;
};

/*
 * Finds the PMUs of a unit.  UNC_ENOSUP: there are none, and the message says what to load; UNC_EIO: the kernel's
 * description of them is not valid; UNC_EPERM, UNC_ENOMEM.
 */
int unc_pmus_find(struct unc_machine *m, const struct unc_unit *unit, struct unc_pmus *ret_pmus);
void unc_pmus_clear(struct unc_pmus *pmus);

/*
 * Finds the CPU on which a socket's events are opened.  UNC_ENODATA: the PMU has no CPU of that socket, or the sockets of CPUs
 * are not known.
 */
int unc_pmu_cpu(struct unc_machine *m, const struct unc_pmu *pmu, unsigned socket, unsigned *ret_cpu);

/* xcheck/pmu.c */
/* Parses "config:0-7,21".  False: it is not valid. */
bool unc_pmu_field_parse(const char *text, struct unc_pmu_field *field);
/* Parses "event=0x04,umask=0x03", and modifies text.  False: it contains a term that this PMU does not describe. */
bool unc_pmu_code_parse(const struct unc_pmu *pmu, char *text, struct unc_pmu_code *ret_code);
/*
 * Encodes an event for this PMU.  UNC_EARG: a part has no field, or none that is wide enough, or the code has another meaning for
 * perf's driver.
 */
int unc_pmu_encode(const struct unc_pmu *pmu, const struct unc_box *box, const struct unc_wanted *wanted,
		   struct unc_pmu_code *ret_code);
/* Returns the kernel's own name for that event; NULL: it has none. */
const char *unc_pmu_alias(const struct unc_pmu *pmu, const struct unc_pmu_code *code);
/* Writes "type=12 config=0x304", and every other config that is not 0; returns buf. */
const char *unc_pmu_text(const struct unc_pmu *pmu, const struct unc_pmu_code *code, char *buf, size_t size);
/* Writes the same for perf's -e, "uncore_imc_2/event=0x4,umask=0x3/"; bits without a field as config=; returns buf. */
const char *unc_pmu_words(const struct unc_pmu *pmu, const struct unc_pmu_code *code, char *buf, size_t size);

#endif
