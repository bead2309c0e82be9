// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/record_words.h"

#include <string.h>

const char unc_record_clocks[] = {
	[UNC_CLOCK_RAW] = 'r',  [UNC_CLOCK_MONO] = 'm',     [UNC_CLOCK_BOOT] = 'b',
	[UNC_CLOCK_REAL] = 'w', [UNC_RECORD_CLOCKS] = '\0',
};

const char *const unc_record_kinds[UNC_KINDS] = {[UNC_PCI] = "pci", [UNC_MSR] = "msr", [UNC_MMIO] = "mmio"};

const char *const unc_record_ends[UNC_RECORD_ENDS] = {[UNC_RECORD_SIGNAL] = "signal", [UNC_RECORD_ENDED] = "ended"};

const char *const unc_record_claims[UNC_RECORD_CLAIMS] = {
	[UNC_CLAIM_TAKE] = "take", [UNC_CLAIM_ASK] = "ask", [UNC_CLAIM_LEAVE] = "leave"};

const char *const unc_record_traffic_ops[UNC_RECORD_TRAFFIC_OPS] = {
	[UNC_TRAFFIC_START] = "start", [UNC_TRAFFIC_LOOK] = "look", [UNC_TRAFFIC_STOP] = "stop"};

const char *const unc_record_traffic_kinds[UNC_RECORD_TRAFFIC_KINDS] = {
	[UNC_TRAFFIC_READ] = "read", [UNC_TRAFFIC_WRITE] = "write", [UNC_TRAFFIC_NT_WRITE] = "nt_write"};

const char *const unc_record_perf_ops[UNC_RECORD_PERF_OPS] = {
	[UNC_PERF_ON] = "on", [UNC_PERF_OFF] = "off", [UNC_PERF_READ] = "read", [UNC_PERF_CLOSE] = "close"};

static const struct {
	const char *name;
	int err;
} classes[] = {
	{"nomem", UNC_ENOMEM}, {"arg", UNC_EARG},     {"perm", UNC_EPERM},   {"nodev", UNC_ENODEV},
	{"io", UNC_EIO},       {"noreg", UNC_ENOREG}, {"range", UNC_ERANGE}, {"denied", UNC_EDENIED},
	{"map", UNC_EMAP},     {"busy", UNC_EBUSY},   {"again", UNC_EAGAIN}, {"nodata", UNC_ENODATA},
	{"nosup", UNC_ENOSUP},
};

const char *unc_record_class(int err)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].err == err)
			return classes[i].name;
	return NULL;
}

int unc_record_err(const char *name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strcmp(classes[i].name, name) == 0)
			return classes[i].err;
	return 0;
}

const char *unc_record_os_name(const char *name)
{
	static const char *const names[] = {
		"EACCES",     "EAGAIN", "EBADF",  "EBUSY",   "EEXIST", "EFAULT", "EFBIG",  "EINTR",
		"EINVAL",     "EIO",    "EISDIR", "ELOOP",   "EMFILE", "ENFILE", "ENODEV", "ENAMETOOLONG",
		"ENOENT",     "ENOMEM", "ENOSPC", "ENOSYS",  "ENXIO",  "EPERM",  "EPIPE",  "ENOTCONN",
		"EOPNOTSUPP", "ERANGE", "EROFS",  "ENOTDIR", "ESTALE", "errno",  "ESRCH",  "ETIMEDOUT",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return names[i];
	return NULL;
}

const char *unc_record_op(bool write, enum unc_kind kind, uint64_t off, size_t len)
{
	if (kind == UNC_MSR)
		return write ? "w64" : "r64";
	if (len == 4 && off % 4 == 0)
		return write ? "w32" : "r32";
	return write ? "wblk" : "rblk";
}
