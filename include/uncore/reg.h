/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers by name, as the map describes them, and registers that no map names. */
#ifndef UNCORE_REG_H
#define UNCORE_REG_H

#include <uncore.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One register of a box, or one field of it, as the map describes it.  All texts live as long as the machine; desc, src and
 * verify may be NULL.
 */
struct unc_reg_info {
	const char *name; /* "CTL" */
	unsigned index;   /* index in an array of registers */
	unsigned count;   /* elements of the array; 1: a single register */
	uint32_t offset;
	unsigned bits; /* 32 or 64 */
	const char *desc, *src, *verify;
	bool never;    /* documented, but must never be written */
	bool optional; /* some CPUs of this map do not have it: reading it may return UNC_EIO */
	bool indirect; /* it is reached only by writing another register: reading it returns UNC_EIO */
	size_t n_fields;
};
struct unc_field_info {
	const char *name;
	unsigned hi, lo;    /* bits, inclusive */
	const char *access; /* "rw", "ro", "wo", "rw1c", "reserved" */
	bool reset_known;
	uint64_t reset;
	const char *desc, *src, *verify;
};
/* Registers of a box in the order of the map; each element of an array is listed. */
UNC_API size_t unc_box_reg_count(const struct unc_box *box);
/* UNC_ENOREG: index is too high. */
UNC_API int unc_box_reg_info(const struct unc_box *box, size_t reg, struct unc_reg_info *ret_info);
UNC_API int unc_box_field_info(const struct unc_box *box, size_t reg, size_t field, struct unc_field_info *ret_info);
/*
 * Reads a register with one access.  A 64-bit register of configuration space takes two, low dword then high, which may belong to
 * different values while it counts.  UNC_ENOREG; UNC_ENODEV: the box is not there; UNC_EPERM, UNC_EIO.
 */
UNC_API int unc_box_reg_read(struct unc_box *box, size_t reg, uint64_t *ret_value);
/* Extracts the value of a field from a value of its register.  UNC_ENOREG. */
UNC_API int unc_box_field_value(const struct unc_box *box, size_t reg, size_t field, uint64_t value,
				uint64_t *ret_field);

/*
 * Writing a register by its name.  The map says what may be written; the former value is read first, and is put back by
 * unc_machine_put_back() or when the machine is closed, if the register still holds what was written.  Bits that cannot be read
 * are then left 0, and bits that writing 1 has cleared stay cleared.
 *
 * Returns the value to start from when one field of a register is to change; was is the value that was read: bits that can be
 * read and written stay as they were, reserved ones are as the map wants them, all others 0.  UNC_ENOREG.
 */
UNC_API int unc_box_reg_base(const struct unc_box *box, size_t reg, uint64_t was, uint64_t *ret_value);
/* Puts a number into a field of *value.  UNC_ENOREG; UNC_ERANGE: it is too wide; UNC_EDENIED: the field must not be written. */
UNC_API int unc_box_field_put(const struct unc_box *box, size_t reg, size_t field, uint64_t number, uint64_t *value);
/*
 * Checks whether that value may be written.  Touches nothing.  UNC_ENOREG; UNC_EDENIED: a bit is not as the map wants it, nothing
 * in the register can be written, or it is in the configuration header or a bridge, or a host bridge reaches others through it;
 * UNC_ENODEV, UNC_EPERM: the box is not there, or denied.
 */
UNC_API int unc_box_reg_allows(const struct unc_box *box, size_t reg, uint64_t value);
/*
 * Announces a write.  All writes planned before the first unc_box_reg_write() are then put on disk together, for `uncorectl
 * recover`; a write that was not planned is put there by itself before it is done.  Claims the box.  UNC_EBUSY: another program
 * writes there, or a killed one left it changed; else as unc_box_reg_write(), and nothing is written.
 */
UNC_API int unc_box_reg_plan(struct unc_box *box, size_t reg, uint64_t value);
/*
 * Writes a register whole, reads it back, and returns the value read.  Fails as unc_box_reg_allows(); UNC_EDENIED also if the
 * machine was opened read-only; UNC_EBUSY as unc_box_reg_plan(); UNC_EIO, UNC_ENOMEM.  The register may have been written
 * although this fails.
 */
UNC_API int unc_box_reg_write(struct unc_box *box, size_t reg, uint64_t value, uint64_t *ret_now);
/* Keeps what was written there: it is not put back.  UNC_ENOREG. */
UNC_API int unc_box_reg_keep(struct unc_box *box, size_t reg);
/*
 * Puts back what unc_box_reg_write() wrote, last first.  UNC_EIO: a register could not be put back; the message names it, and
 * notes name any others.
 */
UNC_API int unc_machine_put_back(struct unc_machine *machine);

/*
 * Makes a box with a single register without fields, for a register that no map need name; the machine owns it, and it is not
 * listed. The same address returns the same box.  pci: 32 bits at an offset in the configuration space of "DDDD:BB:DD.F" or
 * "BB:DD.F"; msr: 64 bits of a CPU.  Bits are written as given, but never to a register that a map names, the configuration
 * header, a bridge, or what a host bridge reaches others through. UNC_EARG: no such address, or an offset that is not a multiple of 4; UNC_ERANGE: beyond the end;
 * UNC_ENODEV: there is no such function or CPU; UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_raw_pci(struct unc_machine *machine, const char *address, uint32_t offset, struct unc_box **ret_box);
UNC_API int unc_raw_msr(struct unc_machine *machine, unsigned cpu, uint32_t number, struct unc_box **ret_box);
/*
 * As these, of a unit in memory that a discovery table of the firmware describes, named by the table's PCI function, type and id
 * ("06:00.1/7.2"): a counter of 64 bits, or a control of 32.  It is never written.  UNC_EARG: no such name, or the table contradicts
 * itself about it; UNC_ENODEV: no table has it; UNC_ERANGE: the table says of no register there; UNC_EPERM: the operating
 * system forbids it, or has something else there; UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_raw_mmio(struct unc_machine *machine, const char *unit, uint32_t offset, struct unc_box **ret_box);

#ifdef __cplusplus
}
#endif

#endif
