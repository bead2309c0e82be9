# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl events: what can be counted.
. tests/lib.sh

S=sim:snbep,sockets=1
run "$U" --machine "$S" events --format csv
is "events succeeds" "$rc" 0
is "its header" "$(head -1 "$T/out")" "event,encoding,counters,max_inc,unit,also,meaning,source,verify"
# Sandy Bridge-EP: 25 events, of which 5 have sub-events (2 + 7 + 2 + 4 + 2 of them, and 8 ranks twice), and the fixed counter.
is "all of them" "$(sed 1d "$T/out" | wc -l)" 52
has "an event with sub-event" "$out" 'cas_count.rd,"ev_sel=0x4,umask=0x3",0-3,1,bytes,'
has "the fixed counter" "$out" "dclk,fixed,fixed,1,"
has "what is not known is empty" "$out" 'power_self_refresh,"ev_sel=0x43,umask=0x0",0-3,,,'
run "$U" --machine "$S" events 'cas_count.*'
is "a pattern selects" "$(grep -c '^cas_count\.' "$T/out")" 7
is "and nothing else" "$(wc -l <"$T/out")" 8
refused "a pattern that matches none says so" 1 'no event matches "foo*"' "$U" --machine "$S" events 'foo*'
refused "one pattern only" 2 "no second argument" "$U" --machine "$S" events a b
run "$U" --machine "$S" events CAS_Count
is "a name selects its sub-events, in any case" "$(grep -c '^cas_count\.' "$T/out")" 7
run "$U" --machine "$S" events cas_count.rd
is "a whole name only itself" "$(sed 1d "$T/out" | cut -d' ' -f1)" cas_count.rd
run "$U" --machine "$S" events inserts
is "where there is no such name, it is a part of one" "$(sed 1d "$T/out" | cut -d' ' -f1 | paste -sd ' ')" "rpq_inserts wpq_inserts"
run "$U" --machine "$S" events UNC_M_RPQ_INSERTS
is "Intel's name for it will do" "$(sed 1d "$T/out" | cut -d' ' -f1)" rpq_inserts
run "$U" --machine "$S" events -v cas_count.wr
is "all that is known, in a paragraph" "$out" "cas_count.wr
  encoding ev_sel=0x4,umask=0xc
  counters 0-3
  max_inc  1
  unit     bytes
  meaning  all write bursts, a cache line each
  source   krn; pcm; perfmon; pfm; uc; lk

sources
  krn     Linux 6.12, arch/x86/events/intel/uncore_snbep.c
  pcm     intel/pcm 0fae0de, src/types.h and src/cpucounters.cpp
  perfmon intel/perfmon 6dadedf, lists of uncore events
  pfm     libpfm4 91970fe, lib/events/intel_*_unc_imc_events.h
  uc      pmu-tools 2568760, ucevent/*_uc.py
  lk      RRZE-HPC/likwid d9c523b, src/includes/registers.h and
          perfmon_*_counters.h"
run "$U" --machine "$S" events -v 'cas_count.*'
is "each source is told once" "$(grep -c '^  krn ' "$T/out") $(grep -c '^sources$' "$T/out")" "1 1"
run "$U" --machine sim:hsx,sockets=1 events --format csv dclockticks
has "another name of an event is one too" "$out" ",dclockticks,"

# In a window of 80 columns what matters stays, and the meaning is cut; in a narrow one the encoding goes.
window() { # COLUMNS
	script -qc "stty cols $1 rows 24; $U --machine $S events power_critical" /dev/null </dev/null 2>/dev/null | tr -d '\r' | grep '^event'
}
is "at 80 columns there is the encoding" "$(window 80 | tr -s " ")" "event encoding meaning"
is "at 40 the name and the meaning" "$(window 40 | tr -s " ")" "event meaning"
