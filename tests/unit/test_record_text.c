// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "access/record_text.h"

#include <stdio.h>

#include "access/replay.h"
#include "onsim.h"
#include "tree.h"

static struct {
	struct unc_ctx *ctx;
	struct tree tree;
} bench;
static struct tree_path path; /* of a record */
static struct unc_host *host;

static int begin(void)
{
	bench.tree = tree_new();
	path = tree_path(&bench.tree, "r");
	return unc_new(&bench.ctx);
}

static int end(void)
{
	tree_remove(&bench.tree);
	unc_free(bench.ctx);
	return 0;
}

SUITE(begin, end)

static void put(const char *text)
{
	tree_text(&bench.tree, "r", text);
}

TEST(the_head_tells_the_run)
{
	struct unc_replay_head head;

	put("uncorectl-record/2\nprogram 1.2\nutc -3600\noption mem\noption \noption a%0Ab\nmachine x\nsimulated\n"
	    "maps\nbegin\n");
	OK(&bench, unc_replay_head_read(bench.ctx, path.text, &head));
	CU_ASSERT_STRING_EQUAL(head.program, "1.2");
	CU_ASSERT_EQUAL(head.utc_s, -3600);
	CU_ASSERT_EQUAL_FATAL(head.n_options, 3);
	CU_ASSERT_STRING_EQUAL(head.options[1], "");
	CU_ASSERT_STRING_EQUAL(head.options[2], "a\nb");
	CU_ASSERT_TRUE(head.simulated && head.maps && !head.stands_still);
	unc_replay_head_clear(&head);
}

TEST(an_older_format_is_refused_in_a_sentence)
{
	put("uncorectl-record/1\nmachine live\nbegin\n");
	FAILS(&bench, UNC_EARG, unc_replay_open(bench.ctx, path.text, -1, &host),
	      "/r:1: this record has the format uncorectl-record/1, which "
	      "this version does not read");
}

/* Each is one line that no record has. */
TEST(what_makes_no_sense_is_refused_with_its_line)
{
	/* The rest of a line, behind its kind. */
	static const struct {
		const char *kind, *rests[17];
	} lines[] = {
		{"",
		 {"nonsense", "", "r64 0000:ff:10.0 0x0 0x1", "wblk 0000:ff:10.0 0x0 *16 !io EIO x",
		  "w16 0000:ff:10.0 0x0 0x1"}},
		{"t", {"", " r+", " x+1", " r+18446744073709551616"}},
		{"sleep", {" m*1", ""}},
		{"cpuid", {" 0 0x0 0x0 1 2 3", " 0 0x0 0x0 1 2 3 4 5", " 0 0x100000000 0x0 1 2 3 4"}},
		{"topology", {" 1", " 1 0 0", " 1 0 0:1", " 1 0 0:1:x", " 1 0 0:1:0:0"}},
		{"bus", {" usb ro", " pci rx", " pci ro !well EIO no", " pci ro !io"}},
		{"list", {" pci 1", " pci 1\n+ 0000:ff:10.0 0000:ff:10.1", " pci 99999999"}},
		{"open", {" 0000:ff:10.9 1", " 0:ff:10.0 1", " 0000:ff:10.0"}},
		{"r32", {" 0000:ff:10.0 0x0 0x100000000"}},
		{"rblk",
		 {" 0000:ff:10.0 0x0 123", " 0000:ff:10.0 0x0 ", " 0000:ff:10.0 0x0 12345678", " 0000:ff:10.0 0x0 *16",
		  " 0000:ff:10.0 0x0 *99999 !io EIO x"}},
		{"note", {" %zz", " a%00b"}},
		{"signal", {" 0 1", " 300 1"}},
		{"ended", {" 256 1", " 1"}},
		{"maps", {" 1", " 1\n+ a/b"}},
		{"file", {" a.yaml", " a.yaml 3\n|a\n|bc", " a.yaml 3\nabc", " a.yaml 99999999"}},
		{"cpus",
		 {"", " 1", " 1\n+ 0", " 1\n+ 0:0:0", " 1\n+ 0:0:0:0:0", " 1\n+ 0:0:x:0", " 1\n+ 0:0:0:99999999999",
		  " 1\n+ 0:0:0:0 1:0:0:0", " 2\n+ 0:off", " 99999999"}},
		{"text", {" /a", " /a 3\n|a\n|bc", " /a 99999999", " /a%zz 0"}},
		{"link", {" /a", " /a b", " /a%zz ="}},
		{"claim", {"", " hold cpu0 0x0 0", " take cpu0 0x0", " take cpux 0x0 0", " take cpu0 0x0 0 0"}},
		{"names", {" /a", " /a 1", " /a 2\n+ b", " /a 99999999"}},
		{"perf",
		 {"", " open", " open 1 0x0 0x0 0x0 0", " open 1 0x0 0x0 0x0 0 1", " open 1 0x0 0x0 0x0 =1",
		  " open 4294967296 0x0 0x0 0x0 0 =1", " open 1 0x0 0x0 0x0 0 =1 2", " open 1 0x0 0x0 0x0 0 !well - no",
		  " on", " on 1 2", " reset 1", " read 1", " read 1 2 3", " read 1 2 3 4 5",
		  " read 1 18446744073709551616 0 0", " close x"}},
	};
	char text[512];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		for (const char *const *rest = lines[i].rests; *rest; rest++) {
			int rc;

			snprintf(text, sizeof(text), "uncorectl-record/2\nmachine live\nbegin\n%s%s\n", lines[i].kind,
				 *rest);
			put(text);
			rc = unc_replay_open(bench.ctx, path.text, -1, &host);
			if (rc != UNC_EARG)
				printf("accepted: %s", text);
			CU_ASSERT_EQUAL(rc, UNC_EARG);
			HAS(unc_errmsg(bench.ctx), "makes no sense");
		}
	}
}
