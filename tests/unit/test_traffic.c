// SPDX-License-Identifier: GPL-2.0-or-later
/* Traffic that is made on purpose: who makes it on which machine, and that a record has it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/host.h"
#include "base/err.h"
#include "onrecord.h"
#include "os/linux/host.h"
#include "tree.h"
#include "test.h"

static const unsigned cpus[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const struct unc_traffic traffic = {.kind = UNC_TRAFFIC_WRITE,
					   .node = 1,
					   .cpus = cpus,
					   .n_cpus = 10,
					   .bytes_per_s = 1000000000,
					   .size_bytes = 4096},
				nowhere = {.kind = UNC_TRAFFIC_WRITE,
					   .node = 9,
					   .cpus = cpus,
					   .n_cpus = 10,
					   .bytes_per_s = 1000000000,
					   .size_bytes = 4096};

/* ---- this computer ---- */

static struct { /* who makes traffic here */
	unsigned starts, looks, stops;
	int fail;
	unsigned cpu; /* of the last start */
} made;
static struct unc_ctx *ctx;
static struct unc_host *host;
static struct tree tree;
static struct text *text; /* a record */
static struct unc_traffic_done done;

static int outcome(char *buf, size_t size)
{
	snprintf(buf, size, "%s", made.fail < 0 ? "no thread can be had" : "");
	return made.fail;
}

static int maker_start(void *arg, const struct unc_traffic *asked, char *buf, size_t size)
{
	(void)arg;
	made.starts++;
	made.cpu = asked->cpus[asked->n_cpus - 1];
	return outcome(buf, size);
}

static int maker_look(void *arg, struct unc_traffic_done *ret_done, char *buf, size_t size)
{
	(void)arg;
	*ret_done = (struct unc_traffic_done){.stored_bytes = ++made.looks, .raw_ns = 5};
	return outcome(buf, size);
}

static int maker_stop(void *arg, struct unc_traffic_done *ret_done, char *buf, size_t size)
{
	(void)arg;
	*ret_done = (struct unc_traffic_done){.stored_bytes = 100 * ++made.stops, .raw_ns = 7};
	return outcome(buf, size);
}

static const struct unc_traffic_maker maker = {maker_start, maker_look, maker_stop, NULL};

static void begin(void)
{
	memset(&made, 0, sizeof(made));
	tree = tree_new();
	text = calloc(1, sizeof(*text));
	CU_ASSERT_FATAL(text && unc_new(&ctx) == 0);
}

static void end(void)
{
	unc_host_close(host);
	host = NULL;
	unc_free(ctx);
	free(text);
	tree_remove(&tree);
}
EACH(begin, end)

static void open_host(const char *root, const struct unc_traffic_maker *its)
{
	unc_host_close(host);
	CU_ASSERT_EQUAL_FATAL(unc_linux_host_open(ctx, root, false, -1, &host), 0);
	host->traffic_maker = its;
}

static int op(enum unc_traffic_op op)
{
	return host->ops->traffic(host, op, op == UNC_TRAFFIC_START ? &traffic : NULL, &done);
}

TEST(on_this_computer_the_programs_maker_is_asked)
{
	open_host(NULL, &maker);
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_LOOK), UNC_EARG);
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_START), 0);
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_START), UNC_EARG);
	CU_ASSERT_EQUAL(made.cpu, 9);
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_LOOK), 0);
	CU_ASSERT_EQUAL(done.stored_bytes, 1);
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_STOP), 0);
	CU_ASSERT_EQUAL(done.stored_bytes, 100);
	made.fail = UNC_EPERM;
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_START), UNC_EPERM);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "no thread can be had");
	made.fail = 0;
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_START), 0);
	open_host(NULL, NULL); /* closing the former one stops it */
	CU_ASSERT_EQUAL(made.starts, 3);
	CU_ASSERT_EQUAL(made.stops, 2);
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_START), UNC_ENOSUP);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(ctx), "memory traffic cannot be made"));
}

/* A container's /host has the boot_id of the computer; a copy of another one's files has not. */
TEST(a_directory_is_this_computer_if_it_was_booted_with_it)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	char *boot;

	CU_ASSERT_EQUAL_FATAL(unc_os_file_read(ctx, path, 100, UNC_TRUST_ANY, &boot, NULL), 0);
	open_host(tree.root, &maker);
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_START), UNC_ENOSUP);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(ctx), "is not the computer that this program runs on"));
	tree_text(&tree, path + 1, "00000000-0000-0000-0000-000000000000\n");
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_START), UNC_ENOSUP);
	tree_text(&tree, path + 1, boot);
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_START), 0);
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_STOP), 0);
	/* A file of that name which is something else belongs to no process. */
	tree_text(&tree, "traffic", "Monday: heavy\n");
	CU_ASSERT_EQUAL(op(UNC_TRAFFIC_START), 0);
	CU_ASSERT_EQUAL(made.starts, 2);
	open_host(NULL, NULL);
	CU_ASSERT_EQUAL(made.stops, 2);
	free(boot);
}

/* ---- through the library, with a record ---- */

static void unexpected(void *arg, const char *sentence)
{
	(void)arg;
	fprintf(stderr, "\n%s\n", sentence);
	CU_FAIL("a replay differs");
}

struct seen {
	int rc[5];
	struct unc_traffic_done looked, stopped;
	char sentence[UNC_MSG_MAX], table[4096];
	size_t table_len;
};

static void use(const struct unc_machine_cfg *cfg, struct seen *seen)
{
	struct unc_machine *m = NULL;

	memset(seen, 0, sizeof(*seen));
	if (unc_machine_open(ctx, cfg, &m) < 0)
		fprintf(stderr, "\n%s\n", unc_errmsg(ctx));
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	seen->rc[0] = unc_traffic_start(m, &nowhere);
	snprintf(seen->sentence, sizeof(seen->sentence), "%s", unc_errmsg(ctx));
	seen->rc[1] = unc_traffic_start(m, &traffic);
	CU_ASSERT_EQUAL(unc_traffic_start(m, &traffic), UNC_EARG);
	unc_machine_sleep_until(m, unc_machine_mono_ns(m) + 1000000000);
	seen->rc[2] = unc_traffic_look(m, &seen->looked);
	unc_machine_sleep_until(m, unc_machine_mono_ns(m) + 1000000000);
	seen->rc[3] = unc_traffic_stop(m, &seen->stopped);
	CU_ASSERT_EQUAL(unc_traffic_stop(m, &seen->stopped), UNC_EARG);
	seen->rc[4] = unc_traffic_start(m, &traffic); /* closing stops it */
	CU_ASSERT_EQUAL(unc_machine_close(m), 0);
}

TEST(a_replay_answers_as_the_machine_did)
{
	struct unc_machine_cfg cfg = {.machine = "sim:bdx,sockets=2,clock=step", .wake_fd = -1};
	struct seen live, again;
	char name[600];

	cfg.traffic_maker = &maker; /* who is not asked */
	cfg.record = add_line;
	cfg.record_arg = text;
	use(&cfg, &live);
	CU_ASSERT_EQUAL(live.rc[0], UNC_ENODEV);
	for (size_t i = 1; i < 5; i++)
		CU_ASSERT_EQUAL(live.rc[i], 0);
	CU_ASSERT_EQUAL(live.looked.stored_bytes, 1000000000);
	CU_ASSERT_EQUAL(live.stopped.stored_bytes, 2000000000);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text->bytes, "traffic start write 1 1000000000 4096 10\n+ 0 1 2 3 4 5 6 7\n+ 8 9\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text->bytes, "traffic start write 9 1000000000 4096 10 !nodev - "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text->bytes, "\ntraffic stop 0 2000000000 0 "));
	tree_text(&tree, "r", text->bytes);
	snprintf(name, sizeof(name), "replay:%s/r", tree.root);
	cfg = (struct unc_machine_cfg){.machine = name, .wake_fd = -1, .traffic_maker = &maker, .differs = unexpected};
	use(&cfg, &again);
	CU_ASSERT(memcmp(live.rc, again.rc, sizeof(live.rc)) == 0);
	CU_ASSERT(memcmp(&live.looked, &again.looked, sizeof(live.looked)) == 0);
	CU_ASSERT(memcmp(&live.stopped, &again.stopped, sizeof(live.stopped)) == 0);
	CU_ASSERT_STRING_EQUAL(live.sentence, again.sentence);
	CU_ASSERT_EQUAL(made.starts, 0);
}

static void count(void *arg, const char *sentence)
{
	CU_ASSERT_TRUE(
		strstr(sentence,
		       "this command goes on with the start of traffic (traffic start write 1 1000000000 4096 10)") ||
		strstr(sentence, "the record has traffic made by other CPUs than this command wants"));
	++*(unsigned *)arg;
}

/* Each of these lines made another one: the replay differs, or there is no record. */
TEST(a_replay_of_other_traffic_differs)
{
	static const struct {
		const char *was, *is;
		bool opens;
	} changes[] = {
		{"write 9", "write 8", true},
		{"traffic start write 9", "traffic start read 9", true},
		{"write 9 1000000000", "write 9 1000000001", true},
		{"+ 0 1 2", "+ 0 1 3", true},
		{"+ 8 9", "+ 8", false},
		{"+ 8 9", "+ 8 9 10", false},
		{"traffic stop", "traffic halt", false},
		{"traffic look 0 ", "traffic look ", false},
		{"start write", "start wipe", false},
	};
	struct unc_machine_cfg cfg = {.machine = "sim:bdx,sockets=2,clock=step", .wake_fd = -1};
	static struct text other;
	struct seen seen;
	char name[600];

	cfg.record = add_line;
	cfg.record_arg = text;
	use(&cfg, &seen);
	snprintf(name, sizeof(name), "replay:%s/r", tree.root);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *at = strstr(text->bytes, changes[i].was);
		struct unc_machine *m = NULL;
		unsigned differences = 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(at);
		snprintf(other.bytes, sizeof(other.bytes), "%.*s%s%s", (int)(at - text->bytes), text->bytes,
			 changes[i].is, at + strlen(changes[i].was));
		tree_text(&tree, "r", other.bytes);
		cfg = (struct unc_machine_cfg){
			.machine = name, .wake_fd = -1, .differs = count, .differs_arg = &differences};
		if (!changes[i].opens) {
			CU_ASSERT_EQUAL(unc_machine_open(ctx, &cfg, &m), UNC_EARG);
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(unc_machine_open(ctx, &cfg, &m), 0);
		if (changes[i].was[0] == '+')
			CU_ASSERT_EQUAL(unc_traffic_start(m, &nowhere), UNC_ENODEV);
		CU_ASSERT_EQUAL(unc_traffic_start(m, &traffic), UNC_EIO);
		CU_ASSERT_EQUAL(differences, 1);
		unc_machine_close(m);
	}
}
