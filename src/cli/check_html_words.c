// SPDX-License-Identifier: GPL-2.0-or-later
/* The terms of the manuals that findings use, for readers who do not know the manuals. */
#include "cli/check_html.h"

#include "cli/check_text.h"

static const struct {
	const char *word, *meaning;
} words[] = {
	{"channel, imc",
	 "a memory controller (iMC) of a processor drives several memory channels, each with its DIMMs and with "
	 "a block of counters of its own, which is a PCI function: socket0.imc0.ch2"},
	{"CTR[0] to CTR[3]", "the counters of a channel, 48 bits wide"},
	{"CTL[0] to CTL[3]",
	 "their controls: which event is counted (event, umask), whether it is (en), and how (thresh, invert, "
	 "edge_det)"},
	{"FIXED_CTR, FIXED_CTL", "a fifth counter, which counts DCLK alone, and its control"},
	{"BOX_CTL", "the control of the whole block: frz freezes all its counters at once, which frz_en allows; it "
		    "resets them, too"},
	{"BOX_STATUS", "a bit for each counter that has run over"},
	{"UBOX, CPUNODEID, GIDNIDMAP", "the unit of a processor that tells which socket it is, and its registers"},
	{"DCLK, MT/s", "the clock of the memory, and its data rate: two transfers a clock"},
	{"CAS", "the command that reads or writes 64 bytes of memory; cas_count.rd counts reads, cas_count.wr writes"},
	{"RMID",
	 "a number that a CPU carries, under which its share of the L3 cache (occupancy) and its memory bandwidth are "
	 "counted: PQR_ASSOC holds it, QM_EVTSEL chooses what QM_CTR tells"},
	{"all ones", "every bit reads 1, which is how a PCI function reads that is not there or does not answer"},
	{"verify:, tested:",
	 "keys of a register map (uncorectl-regs(5)); names such as krn are documents that it lists"},
};

void check_html_words(struct output *out)
{
	output_text(out, "<section id=\"words\"><h2>Words</h2>\n<details><summary>What the words of the findings "
			 "mean</summary>\n"
			 "<dl>\n");
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		output_text(out, "<dt>");
		check_xml(out, words[i].word);
		output_text(out, "</dt><dd>");
		check_xml(out, words[i].meaning);
		output_text(out, "</dd>\n");
	}
	output_text(out, "</dl></details></section>\n");
}
