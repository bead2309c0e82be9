// SPDX-License-Identifier: GPL-2.0-or-later
/* The key defect=NAME[:ARGS], and the arguments of each name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"
#include "sim/keys.h"
#include "sim/load.h"

enum { BITS_MAX = 47 };

#define N_MAX UINT64_C(1000000000000)

/*
 * args has one letter for each argument: w a channel, r a channel, a UBOX or a CPU, x a CPU, o an offset, O another
 * offset, b a bit, c any counter, e one of the four general counters, W the width of one, n a number, s seconds, u
 * later seconds, p per cent, k a socket. Arguments after a ? may be left out.
 */
static const struct kind {
	const char *name, *args, *written;
} kinds[] = {
	[UNC_SIM_STUCK0] = {"stuck0", "rob", "WHERE:OFFSET:BIT"},
	[UNC_SIM_STUCK1] = {"stuck1", "rob", "WHERE:OFFSET:BIT"},
	[UNC_SIM_WIDTH] = {"width", "wcW", "WHERE:CTR:BITS"},
	[UNC_SIM_FREEZE_IGNORED] = {"freeze-ignored", "wc", "WHERE:CTR"},
	[UNC_SIM_FREEZE_LOSES] = {"freeze-loses", "wn", "WHERE:COUNTS"},
	[UNC_SIM_RESET_LEAVES] = {"reset-leaves", "wc", "WHERE:CTR"},
	[UNC_SIM_ENABLE_CROSSED] = {"enable-crossed", "wcc", "WHERE:CTR:CTR"},
	[UNC_SIM_UMASK_SHIFTED] = {"umask-shifted", "w?e", "WHERE[:CTR]"},
	[UNC_SIM_CHANNELS_SWAPPED] = {"channels-swapped", "ww", "WHERE:WHERE"},
	[UNC_SIM_SOCKETS_SWAPPED] = {"sockets-swapped", "kk", "SOCKET:SOCKET"},
	[UNC_SIM_DCLK_OFF] = {"dclk-off", "wp", "WHERE:PERCENT"},
	[UNC_SIM_CARRY_MISSING] = {"carry-missing", "wc", "WHERE:CTR"},
	[UNC_SIM_STOPS] = {"stops", "ws?u", "WHERE:SECONDS[:SECONDS]"},
	[UNC_SIM_HIDDEN] = {"hidden", "w", "WHERE"},
	[UNC_SIM_ONES] = {"ones", "wn", "WHERE:N"},
	[UNC_SIM_DROPS] = {"drops", "wn", "WHERE:N"},
	[UNC_SIM_RMID_OFF] = {"rmid-off", "", ""},
	[UNC_SIM_NO_ERROR] = {"no-error", "", ""},
	[UNC_SIM_UPSCALE_OFF] = {"upscale-off", "p", "PERCENT"},
	[UNC_SIM_NEVER_FALLS] = {"never-falls", "", ""},
	[UNC_SIM_WRITES_ALIAS] = {"writes-alias", "ww?o", "WHERE:WHERE[:OFFSET]"},
	[UNC_SIM_SAME_BOX] = {"same-box", "ww", "WHERE:WHERE"},
	[UNC_SIM_WRITE_CLEARS] = {"write-clears", "woO", "WHERE:OFFSET:OFFSET"},
	[UNC_SIM_IGNORED] = {"ignored", "wb?c", "WHERE:BIT[:CTR]"},
	[UNC_SIM_STATUS_CROSSED] = {"status-crossed", "wcc", "WHERE:CTR:CTR"},
	[UNC_SIM_STATUS_STICKS] = {"status-sticks", "w", "WHERE"},
	[UNC_SIM_MBM_EXCHANGED] = {"mbm-exchanged", "", ""},
	[UNC_SIM_ASSOC_DEAD] = {"assoc-dead", "x", "CPU"},
	[UNC_SIM_ASSOC_SHARED] = {"assoc-shared", "", ""},
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* Reads the number of "socket0" in "socket0.imc0.ch1", and moves *text past it. */
static bool take_number(const char **text, const char *name, unsigned *ret_number)
{
	size_t len = strlen(name), digits;
	unsigned n = 0;

	if (strncmp(*text, name, len) != 0)
		return false;
	*text += len;
	for (digits = 0; (*text)[digits] >= '0' && (*text)[digits] <= '9'; digits++)
		n = n * 10 + (unsigned)((*text)[digits] - '0');
	*text += digits;
	*ret_number = n;
	return digits > 0 && digits < 6;
}

static bool parse_where(const char *text, bool others_too, struct unc_sim_where *where)
{
	where->is_cpu = others_too && !strncmp(text, "cpu", 3);
	if (where->is_cpu)
		return take_number(&text, "cpu", &where->cpu) && !*text;
	if (!take_number(&text, "socket", &where->socket))
		return false;
	where->is_ubox = others_too && !strcmp(text, ".ubox");
	return where->is_ubox ||
	       (take_number(&text, ".imc", &where->imc) && take_number(&text, ".ch", &where->channel) && !*text);
}

static bool parse_counter(const char *text, bool fixed_too, unsigned *ret_counter)
{
	uint64_t n;

	if (fixed_too && !strcmp(text, "fixed"))
		n = UNC_SIM_FIXED;
	else if (!unc_text_u64(text, &n) || n >= UNC_SIM_FIXED)
		return false;
	*ret_counter = (unsigned)n;
	return true;
}

static bool parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *ret_number)
{
	return unc_text_u64(text, ret_number) && *ret_number >= least && *ret_number <= most;
}

static bool parse_small(const char *text, uint64_t most, unsigned *ret_number)
{
	uint64_t n;

	if (!parse_number(text, 0, most, &n))
		return false;
	*ret_number = (unsigned)n;
	return true;
}

static bool parse_arg(char letter, const char *text, struct unc_sim_defect *defect)
{
	switch (letter) {
	case 'w':
	case 'r':
		return parse_where(text, letter == 'r', &defect->where[defect->n_where++]);
	case 'x':
		return parse_where(text, true, &defect->where[0]) && defect->where[0].is_cpu;
	case 'c':
	case 'e':
		return parse_counter(text, letter == 'c', &defect->ctr[defect->n_ctr++]);
	case 'k':
		return parse_small(text, UNC_SIM_SOCKETS_MAX - 1, &defect->socket[defect->n_socket++]);
	case 'o':
		defect->has_off = true;
		return parse_small(text, UINT32_MAX, &defect->off);
	case 'O':
		return parse_small(text, UINT32_MAX, &defect->others_off);
	case 'b':
		return parse_small(text, 63, &defect->bit);
	case 'W':
		return parse_number(text, 1, BITS_MAX, &defect->n);
	case 'p':
		return unc_sim_parse_percent(text, &defect->ppm);
	case 's':
		return unc_sim_parse_seconds(text, &defect->ns);
	case 'u':
		return unc_sim_parse_seconds(text, &defect->until_ns) && defect->until_ns > defect->ns;
	case 'n':
	default:
		return parse_number(text, 1, N_MAX, &defect->n);
	}
}

/* Describes what parse_arg() accepts. */
static const char *const possible[] = {
	['w'] = "a channel such as socket0.imc0.ch1",
	['r'] = "a channel such as socket0.imc0.ch1, a UBOX such as socket0.ubox or a CPU such as cpu3",
	['x'] = "a CPU such as cpu3",
	['c'] = "a counter, 0 to 3 or fixed",
	['e'] = "a counter, 0 to 3",
	['k'] = "a socket, 0 to 7",
	['o'] = "the offset of a register, or of a CPU the number of an MSR",
	['O'] = "the offset of a register, or of a CPU the number of an MSR",
	['b'] = "a bit, 0 to 63",
	['W'] = "a number of bits, 1 to 47",
	['p'] = "a percentage from -90 to 90 except 0",
	['s'] = "a time of the machine in seconds, up to 200000000",
	['u'] = "a later time of the machine in seconds, up to 200000000",
	['n'] = "a number from 1 to 1000000000000",
};

static bool refuse(struct unc_sim_parse *parse, const char *why, const struct kind *kind)
{
	parse->failed = unc_fail(parse->ctx, UNC_EARG, "sim:%s: defect=%.200s: %s; it is written %s%s%s",
				 parse->options->model->name, parse->value, why, kind->name, *kind->written ? ":" : "",
				 kind->written);
	return false;
}

/* rest: the text after the name, or NULL */
static bool parse_args(struct unc_sim_parse *parse, char *rest, struct unc_sim_defect *defect)
{
	const struct kind *kind = &kinds[defect->what];
	bool optional = false;
	const char *letter, *text;
	char why[400];

	for (letter = kind->args; *letter; letter++) {
		optional |= *letter == '?';
		if (*letter == '?')
			continue;
		text = unc_text_cut(&rest, ':');
		if (!text && optional)
			return true;
		if (text && parse_arg(*letter, text, defect))
			continue;
		snprintf(why, sizeof(why), "%s%.100s%s must be %s", text ? "\"" : "", text ? text : "what is missing",
			 text ? "\"" : "", possible[(unsigned char)*letter]);
		return refuse(parse, why, kind);
	}
	return !rest || refuse(parse, "there is too much after it", kind);
}

/* Returns true if a defect of two channels, counters or sockets names the same one twice. */
static bool with_itself(const struct unc_sim_defect *defect)
{
	const struct unc_sim_where *a = &defect->where[0], *b = &defect->where[1];

	return (defect->n_where == 2 && a->socket == b->socket && a->imc == b->imc && a->channel == b->channel) ||
	       (defect->n_ctr == 2 && defect->ctr[0] == defect->ctr[1]) ||
	       (defect->n_socket == 2 && defect->socket[0] == defect->socket[1]);
}

bool unc_sim_parse_defect(struct unc_sim_parse *parse, char *text)
{
	struct unc_sim_defects *given = &parse->options->defects;
	const char *name = unc_text_cut(&text, ':');
	struct unc_sim_defect defect = {0};
	char list[512] = "";
	unsigned what = 0;

	while (what < N_KINDS && strcmp(kinds[what].name, name) != 0)
		what++;
	if (what == N_KINDS) {
		for (size_t i = 0; i < N_KINDS; i++)
			unc_text_join(list, sizeof(list), ", ", "%s", kinds[i].name);
		parse->failed = unc_fail(parse->ctx, UNC_EARG,
					 "sim:%s: defect=%.200s: there is no defect of that name; there are: %s",
					 parse->options->model->name, parse->value, list);
		return false;
	}
	defect.what = (enum unc_sim_defect_what)what;
	if (!parse_args(parse, text, &defect))
		return false;
	if (with_itself(&defect))
		return refuse(parse, "the two must be different ones", &kinds[what]);
	defect.text = unc_text_dup(parse->value);
	if (!defect.text || !unc_array_add(&given->defects, &given->n, &defect, sizeof(defect))) {
		free(defect.text);
		return unc_sim_no_memory(parse);
	}
	given->fingerprint += unc_sim_fingerprint(parse->value, strlen(parse->value));
	return true;
}

void unc_sim_defects_clear(struct unc_sim_defects *given)
{
	for (size_t i = 0; i < given->n; i++)
		free(given->defects[i].text);
	free(given->defects);
	*given = (struct unc_sim_defects){0};
}
