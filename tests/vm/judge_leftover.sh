# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

is "perf leaves its controls, without the enable" "$(awk '{ print $2, $3, $4, $5 }' "$R/before" | sort -u)" "0000$reads 0000$writes 00000000 00000000"
is "such channels are idle" "$(grep -c ' idle$' "$R/list.out")" "$channels"
is "mem works" "$(left mem.rc)" 0
follow all
undisturbed ours "$(our_counts mem.out)" $((2 * channels))
same "controls are as before" before after
