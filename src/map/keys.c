// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/keys.h"

#include <string.h>

const char *const unc_words_access[] = {"ro", "rw", "wo", "rw1c", "reserved", NULL};
const char *const unc_words_space[] = {"pci", "msr", "mmio", NULL};
const char *const unc_words_bus[] = {"lower", "higher", NULL};
static const char *const words_format[] = {"uncorectl-regs/1", NULL};
static const char *const words_model[] = {"pmon1", "ubox1", "freeze1", "qm1", NULL};
static const char *const words_per[] = {"cpu", NULL};
static const char *const words_width[] = {"32", "64", NULL};
static const char *const words_write[] = {"whole", NULL};
static const char *const words_use[] = {"never", NULL};
static const char *const words_true[] = {"true", NULL};
static const char *const words_metrics_format[] = {"uncorectl-metrics/1", NULL};
static const char *const words_bool[] = {"true", "false", NULL};

static const struct unc_key when_keys[] = {
	{"cpuid", .shape = UNC_IS_TEXT, .required = true},
	{"is", .shape = UNC_IS_NUMBER, .required = true, .max = UINT32_MAX},
	{0},
};

static const struct unc_key cpu_keys[] = {
	{"vendor", .shape = UNC_IS_TEXT, .required = true},
	{"family", .shape = UNC_IS_NUMBER, .max = 0x10e}, /* 15 and 8 bits of extension */
	{"model", .shape = UNC_IS_NUMBER, .max = 0xff},
	{"stepping", .shape = UNC_IS_RANGE, .max = 0xf},
	{"when", .shape = UNC_IS_RECORDS, .sub = when_keys},
	{0},
};

static const struct unc_key remark_keys[] = {
	{"is", .shape = UNC_IS_TEXT, .required = true},
	{"src", .shape = UNC_IS_TEXT, .required = true},
	{"verify", .shape = UNC_IS_TEXT},
	{0},
};

static const struct unc_key instance_keys[] = {
	{"pci", .shape = UNC_IS_TEXT, .required = true}, {"at", .shape = UNC_IS_TEXT, .required = true},
	{"imc", .shape = UNC_IS_NUMBER, .max = 63},      {"channel", .shape = UNC_IS_NUMBER, .max = 63},
	{"perf", .shape = UNC_IS_NUMBER, .max = 999},    {"pcm", .shape = UNC_IS_NUMBER, .max = 999},
	{"likwid", .shape = UNC_IS_NUMBER, .max = 999},  {0},
};

static const struct unc_key field_keys[] = {
	{"bits", .shape = UNC_IS_BITS, .required = true, .max = 63},
	{"access", .shape = UNC_IS_WORD, .required = true, .words = unc_words_access, .words_check = "access_known"},
	{"said", .shape = UNC_IS_WORDS, .words = unc_words_access, .words_check = "access_known"},
	{"reset", .shape = UNC_IS_NUMBER, .max = UINT64_MAX},
	{"write", .shape = UNC_IS_NUMBER, .max = UINT64_MAX},
	{"is", .shape = UNC_IS_TEXT},
	{"src", .shape = UNC_IS_TEXT},
	{"verify", .shape = UNC_IS_TEXT},
	{"tested", .shape = UNC_IS_TEXT},
	{0},
};

static const struct unc_key offset_keys[] = {
	{"first", .shape = UNC_IS_NUMBER, .required = true, .max = UINT32_MAX},
	{"step", .shape = UNC_IS_NUMBER, .required = true, .max = UINT32_MAX},
	{"count", .shape = UNC_IS_NUMBER, .required = true, .max = 1024},
	{0},
};

static const struct unc_key register_keys[] = {
	{"at", .shape = UNC_IS_OFFSET, .required = true, .max = UINT32_MAX, .sub = offset_keys},
	{"bits", .shape = UNC_IS_WORD, .words = words_width, .words_check = "word_known"},
	{"write", .shape = UNC_IS_WORD, .words = words_write, .words_check = "word_known"},
	{"use", .shape = UNC_IS_WORD, .words = words_use, .words_check = "word_known"},
	{"optional", .shape = UNC_IS_WORD, .words = words_true, .words_check = "word_known"},
	{"is", .shape = UNC_IS_TEXT},
	{"src", .shape = UNC_IS_TEXT},
	{"verify", .shape = UNC_IS_TEXT},
	{"tested", .shape = UNC_IS_TEXT},
	{"fields", .shape = UNC_IS_TABLE, .required = true, .sub = field_keys},
	{0},
};

static const struct unc_key event_keys[] = {
	{"select", .shape = UNC_IS_VALUES, .max = UINT64_MAX},
	{"fixed", .shape = UNC_IS_WORD, .words = words_true, .words_check = "word_known"},
	{"max_inc", .shape = UNC_IS_NUMBER, .max = UINT32_MAX},
	{"one_per", .shape = UNC_IS_NUMBER, .max = 255},
	{"counters", .shape = UNC_IS_NUMBERS, .max = 31},
	{"scale", .shape = UNC_IS_REAL},
	{"in", .shape = UNC_IS_TEXT},
	{"also", .shape = UNC_IS_NAMES},
	{"is", .shape = UNC_IS_TEXT, .required = true},
	{"src", .shape = UNC_IS_TEXT},
	{"verify", .shape = UNC_IS_TEXT},
	{0},
};

static const struct unc_key every_event_keys[] = {
	{"max_inc", .shape = UNC_IS_NUMBER, .max = UINT32_MAX},
	{"counters", .shape = UNC_IS_NUMBERS, .max = 31},
	{"src", .shape = UNC_IS_TEXT},
	{"verify", .shape = UNC_IS_TEXT},
	{0},
};

static const struct unc_key file_keys[] = {
	{"format", .shape = UNC_IS_WORD, .required = true, .words = words_format, .words_check = "format_known"},
	{"cpus", .shape = UNC_IS_LIST, .required = true, .sub = cpu_keys},
	{"base", .shape = UNC_IS_TEXT},
	{"title", .shape = UNC_IS_TEXT, .required = true},
	{"sources", .shape = UNC_IS_TEXTS, .required = true},
	{"unit", .shape = UNC_IS_TEXT, .required = true},
	{"space", .shape = UNC_IS_WORD, .required = true, .words = unc_words_space, .words_check = "space_known"},
	{"model", .shape = UNC_IS_WORD, .required = true, .words = words_model, .words_check = "model_known"},
	{"per", .shape = UNC_IS_WORD, .words = words_per, .words_check = "word_known"},
	{"bus", .shape = UNC_IS_WORD, .words = unc_words_bus, .words_check = "word_known"},
	{"counter_bits", .shape = UNC_IS_NUMBER, .max = 64},
	{"max_clock_mhz", .shape = UNC_IS_NUMBER, .max = 1000000},
	{"notes", .shape = UNC_IS_LIST, .sub = remark_keys},
	{"instances", .shape = UNC_IS_LIST, .sub = instance_keys},
	{"registers", .shape = UNC_IS_TABLE, .required = true, .sub = register_keys},
	{"every_event", .shape = UNC_IS_RECORD, .sub = every_event_keys},
	{"events", .shape = UNC_IS_TABLE, .sub = event_keys},
	{0},
};

const struct unc_key unc_map_keys = {"file", .shape = UNC_IS_RECORD, .sub = file_keys};

static const struct unc_key metric_keys[] = {
	{"is", .shape = UNC_IS_TEXT, .required = true},
	{"formula", .shape = UNC_IS_TEXT, .required = true},
	{"in", .shape = UNC_IS_TEXT, .required = true},
	{"adds", .shape = UNC_IS_WORD, .required = true, .words = words_bool, .words_check = "word_known"},
	{"signed", .shape = UNC_IS_WORD, .words = words_true, .words_check = "word_known"},
	{"events", .shape = UNC_IS_CHOICES, .required = true},
	{"instead_of", .shape = UNC_IS_TEXT},
	{"src", .shape = UNC_IS_TEXT, .required = true},
	{"verify", .shape = UNC_IS_TEXT},
	{0},
};

static const struct unc_key metrics_file_keys[] = {
	{"format", .shape = UNC_IS_WORD, .required = true, .words = words_metrics_format,
	 .words_check = "format_known"},
	{"unit", .shape = UNC_IS_TEXT, .required = true},
	{"sources", .shape = UNC_IS_TEXTS, .required = true},
	{"metrics", .shape = UNC_IS_TABLE, .required = true, .sub = metric_keys},
	{0},
};

const struct unc_key unc_metrics_keys = {"file", .shape = UNC_IS_RECORD, .sub = metrics_file_keys};

const struct unc_key *unc_key_find(const struct unc_key *keys, const char *name)
{
	for (; keys->name; keys++) {
		if (strcmp(keys->name, name) == 0)
			return keys;
	}
	return NULL;
}

int unc_word_find(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	return -1;
}
