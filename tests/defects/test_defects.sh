# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What `make check-defects` tries, a line for each.
. tests/lib.sh
. tests/mounted.sh

for model in $("$U" --list-machines | sed 's/^sim://; s/ .*//'); do
	case $model in p9 | p10) continue ;; esac # no check of POWER is known
	check "$model is among the machines that no check may accuse" grep -q "\"$model,cores=[0-9]*,sockets=" tests/defects/cases.c
done
if ! mount_machine sim:bdxde,sockets=1,cores=2,clock=step; then
	skip "check finds each defect, and nothing on healthy machines" "no FUSE here: $(cat "$T/server")"
else
	unmount
	"$B/tests/defects/run" --tests "$B"
fi
exit 0
