# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# check accuses no simulated machine without a defect: every model that there is, in machine time and in real time.
. tests/lib.sh

models=$("$U" --list-machines | sed 's/ .*//')
check "there are models" [ "$(echo "$models" | wc -l)" -ge 8 ]
for machine in $models; do
	case $machine in
	sim:p9 | sim:p10)
		refused "$machine has nothing to check" 3 "those of POWER chips are only read, and no check of them is known" \
			"$U" --machine "$machine" check --quick
		continue
		;;
	esac
	for clock in "" ,clock=step; do
		run "$U" --machine "$machine$clock" check --quick --format jsonl
		is "$machine$clock: nothing fails" "$rc $(grep '"state":"fail"' "$T/out" | head -c 1000)" "0 "
		check "$machine$clock: something passes" grep -q '"state":"pass"' "$T/out"
	done
done
