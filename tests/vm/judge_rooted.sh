# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

is "there is nothing in /sys there" "$(left nothing)" ""
is "the live machine is none" "$(left live.rc)" 3
is "but root:/host works" "$(left mem.rc)" 0
has "and is named" "$(left mem.err)" "uncorectl: machine: root:/host"
follow all
undisturbed ours "$(our_counts mem.out)" $((2 * channels))
is "mem tells the true rates" "$(true_rates mem.out)" ""
