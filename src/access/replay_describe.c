// SPDX-License-Identifier: GPL-2.0-or-later
/* What a record has, or what is asked, in words. */
#include <inttypes.h>
#include <stdio.h>

#include "access/record_words.h"
#include "access/replay_text.h"

static void describe_access(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	bool write = thing->kind == UNC_REPLAY_WRITE;

	if (write && thing->len == 4)
		snprintf(buf, size, "a write of 0x%08" PRIx32 " to 0x%" PRIx64 " of %s", unc_le32(thing->bytes),
			 thing->off, thing->space);
	else if (write && thing->len == 8)
		snprintf(buf, size, "a write of 0x%016" PRIx64 " to 0x%" PRIx64 " of %s", unc_le64(thing->bytes),
			 thing->off, thing->space);
	else
		snprintf(buf, size, "a %s of %" PRIu64 " bytes at 0x%" PRIx64 " of %s", write ? "write" : "read",
			 thing->len, thing->off, thing->space);
}

static void describe_claim(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	static const char *const deeds[UNC_RECORD_CLAIMS] = {
		[UNC_CLAIM_TAKE] = "claimed", [UNC_CLAIM_ASK] = "asked for a claim", [UNC_CLAIM_LEAVE] = "left"};

	if (thing->len == 0)
		snprintf(buf, size, "%s %s", thing->space, deeds[thing->claim]);
	else
		snprintf(buf, size, "%" PRIu64 " registers at 0x%" PRIx64 " of %s %s", thing->len, thing->off,
			 thing->space, deeds[thing->claim]);
}

static void describe_sleep(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	if (thing->forever)
		snprintf(buf, size, "a sleep without end");
	else
		snprintf(buf, size, "a sleep until %" PRIu64 " ns %s what clock m was", thing->ns,
			 thing->backwards ? "before" : "after");
}

static void describe_traffic(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	const struct unc_traffic *traffic = &thing->traffic;

	if (thing->op == UNC_TRAFFIC_START)
		snprintf(buf, size,
			 "traffic started: %s of node %u by %zu CPUs, %" PRIu64 " bytes/s, buffers of %" PRIu64
			 " bytes",
			 unc_record_traffic_kinds[traffic->kind], traffic->node, traffic->n_cpus, traffic->bytes_per_s,
			 traffic->size_bytes);
	else
		snprintf(buf, size, thing->op == UNC_TRAFFIC_LOOK ? "a look at traffic" : "traffic stopped");
}

static void describe_perf(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	static const char *const deeds[UNC_RECORD_PERF_OPS] = {[UNC_PERF_ON] = "switched on",
							       [UNC_PERF_OFF] = "switched off",
							       [UNC_PERF_READ] = "read",
							       [UNC_PERF_CLOSE] = "closed"};
	const struct unc_perf_attr *attr = &thing->attr;

	if (thing->kind == UNC_REPLAY_PERF)
		snprintf(buf, size, "perf event %u %s", thing->event, deeds[thing->perf]);
	else
		snprintf(buf, size,
			 "a perf event of type %" PRIu32 " and config 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64
			 " opened on CPU %u",
			 attr->type, attr->config, attr->config1, attr->config2, attr->cpu);
}

void unc_replay_describe(const struct unc_replay_thing *thing, char *buf, size_t size)
{
	switch (thing->kind) {
	case UNC_REPLAY_END:
		snprintf(buf, size, "nothing more");
		break;
	case UNC_REPLAY_TIME:
		snprintf(buf, size, "a look at clock %c", unc_record_clocks[thing->clock]);
		break;
	case UNC_REPLAY_SLEEP:
		describe_sleep(thing, buf, size);
		break;
	case UNC_REPLAY_CPUID:
		snprintf(buf, size, "CPUID leaf 0x%" PRIx32 " sub-leaf 0x%" PRIx32 " of CPU %u", thing->leaf,
			 thing->subleaf, thing->cpu);
		break;
	case UNC_REPLAY_TOPOLOGY:
		snprintf(buf, size, "the question which CPUs there are");
		break;
	case UNC_REPLAY_BUS:
		snprintf(buf, size, "%s opened for %s", unc_record_kinds[thing->bus],
			 thing->writable ? "writing" : "reading only");
		break;
	case UNC_REPLAY_LIST:
		snprintf(buf, size, "the question what there is on %s", unc_record_kinds[thing->bus]);
		break;
	case UNC_REPLAY_OPEN:
		snprintf(buf, size, "%s opened", thing->space);
		break;
	case UNC_REPLAY_READ:
	case UNC_REPLAY_WRITE:
		describe_access(thing, buf, size);
		break;
	case UNC_REPLAY_CLAIM:
		describe_claim(thing, buf, size);
		break;
	case UNC_REPLAY_MAPS:
		snprintf(buf, size, "the question which register maps there are");
		break;
	case UNC_REPLAY_FILE:
		snprintf(buf, size, "the file %.80s read", thing->err ? thing->file : thing->text);
		break;
	case UNC_REPLAY_CPUS:
		snprintf(buf, size, "the question which CPUs share what");
		break;
	case UNC_REPLAY_TEXT:
		snprintf(buf, size, "%.120s read", thing->err ? thing->file : thing->text);
		break;
	case UNC_REPLAY_NAMES:
		snprintf(buf, size, "the question what there is in %.120s", thing->err ? thing->file : thing->text);
		break;
	case UNC_REPLAY_LINK:
		snprintf(buf, size, "the question where %.120s leads", thing->err ? thing->file : thing->text);
		break;
	case UNC_REPLAY_TRAFFIC:
		describe_traffic(thing, buf, size);
		break;
	case UNC_REPLAY_PERF_OPEN:
	case UNC_REPLAY_PERF:
		describe_perf(thing, buf, size);
		break;
	case UNC_REPLAY_NOTE:
		snprintf(buf, size, "a note");
		break;
	case UNC_REPLAY_OUTSIDE:
		snprintf(buf, size,
			 thing->end == UNC_RECORD_SIGNAL ? "signal %d" : "a COMMAND that ends with status %d",
			 thing->number);
		break;
	}
}
