/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a machine can or cannot be measured. */
#ifndef UNCORE_DOCTOR_H
#define UNCORE_DOCTOR_H

#include <uncore.h>

#ifdef __cplusplus
extern "C" {
#endif

enum unc_doctor_state {
	UNC_DOCTOR_OK,
	UNC_DOCTOR_NOTE,    /* useful to know, without any bad effect */
	UNC_DOCTOR_WARN,    /* it can be measured, but not all of it, or not as well */
	UNC_DOCTOR_FAIL,    /* memory channels, or caches, that this part has and a map knows cannot be measured */
	UNC_DOCTOR_UNKNOWN, /* it could not be looked at */
};

struct unc_doctor_line {
	const char *theme; /* "cpu", "rights", "kernel", "pci", ...: lines of one theme follow one another */
	const char *check; /* "lockdown": what was looked at, always by the same name */
	enum unc_doctor_state state;
	int err;              /* with UNC_DOCTOR_FAIL: UNC_ENODEV, UNC_EPERM, UNC_EBUSY or UNC_EIO; else 0 */
	const char *finding;  /* one sentence */
	const char *evidence; /* where that was seen, and what was there: "/proc/sys/kernel/nmi_watchdog: 1" */
	const char *todo;     /* what to do about it; NULL: nothing */
};

struct unc_doctor;

/*
 * Looks at everything that measuring needs, also on a machine that cannot be opened.  The machine is opened read-only, whatever
 * cfg says, and closed again.  The lines report what is wrong with the machine. UNC_EARG, UNC_EMAP: the machine or the maps in
 * cfg are not valid; UNC_EPERM: its maps cannot be trusted; UNC_ENOMEM.
 */
UNC_API int unc_doctor_run(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_doctor **ret_doctor);
UNC_API size_t unc_doctor_count(const struct unc_doctor *doctor);
/* All texts live as long as the doctor.  UNC_ENODEV: index is too high. */
UNC_API int unc_doctor_line(const struct unc_doctor *doctor, size_t index, struct unc_doctor_line *ret_line);
/* Returns 0 if nothing failed, else the worst err of a line: UNC_ENODEV before UNC_EPERM before UNC_EBUSY before UNC_EIO. */
UNC_API int unc_doctor_verdict(const struct unc_doctor *doctor);
/* NULL is fine. */
UNC_API void unc_doctor_free(struct unc_doctor *doctor);

#ifdef __cplusplus
}
#endif

#endif
