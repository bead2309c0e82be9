// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of the operating system.  A host that has none is asked, too, so that a replay refuses them with the same words. */
#include <inttypes.h>

#include "access/record_lines.h"

int unc_record_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	struct record *record = (struct record *)host;
	unsigned event;
	int rc;

	unc_record_ask(record);
	rc = unc_host_perf_open(record->inner, attr, &event);
	unc_record_answered(record);
	unc_record_put(record, "perf " UNC_RECORD_PERF_OPEN " %" PRIu32 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %u",
		       attr->type, attr->config, attr->config1, attr->config2, attr->cpu);
	if (rc == UNC_OK) {
		unc_record_put(record, " =%u", event);
		*ret_event = event;
	}
	return unc_record_finish(record, rc);
}

int unc_record_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count)
{
	struct record *record = (struct record *)host;
	struct unc_perf_count count;
	int rc;

	unc_record_ask(record);
	rc = unc_host_perf(record->inner, op, event, op == UNC_PERF_READ ? &count : NULL);
	unc_record_answered(record);
	unc_record_put(record, "perf %s %u", unc_record_perf_ops[op], event);
	if (rc == UNC_OK && op == UNC_PERF_READ) {
		unc_record_put(record, " %" PRIu64 " %" PRIu64 " %" PRIu64, count.value, count.enabled_ns,
			       count.running_ns);
		*ret_count = count;
	}
	return unc_record_finish(record, rc);
}
