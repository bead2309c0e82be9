# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What list, mem, stat and reg dump print on each model, whole, is what is kept in tests/machines/expected.  Where it changes on
# purpose: KEEP=1 make test, then read the difference before it is committed.
. tests/lib.sh

kept=tests/machines/expected
export TZ=UTC
show() { # ARGUMENT...
	echo "\$ uncorectl $*"
	run "$U" "$@"
	cat "$T/out"
	grep -v '^uncorectl: machine: ' "$T/err"
	echo "exit status $rc"
	echo
}
models=$("$U" --list-machines | sed -n 's/^sim:\([a-z0-9]*\) .*/\1/p' | paste -sd ' ')
check "there are models" [ "$(echo "$models" | wc -w)" -ge 8 ]
for model in $models; do
	two=sim:$model,sockets=2,clock=step
	case $model in skl | tgl | adl | mtl) two=sim:$model,clock=step ;; esac # client processors are alone
	{
		show --machine "$two" list -v
		show --machine "$two" list --caches --format csv
		[ "$model" != icx ] || show --machine "$two,pmem=socket*.imc1.ch1,pmem=socket1.imc3.ch0" mem -i 0.5 -n 1
		# Of some models caches are all that there is.
		if "$U" --machine "$two" events >"$T/events" 2>&1; then
			show --machine "$two" mem -i 0.5 -n 2
			events='dclk,{cas_count.rd,cas_count.wr},pre_count.page_miss:thresh=1:edge'
			grep -q pre_count.page_miss "$T/events" || events='clockticks,{rpq_inserts.pch0,wpq_inserts.pch0},pre_count.rd:thresh=1:edge'
			! grep -q umc_cas_cmd "$T/events" || events='umc_mem_clk,{umc_cas_cmd.rd,umc_cas_cmd.wr},umc_act_cmd.all'
			! grep -q dram_data "$T/events" || events=dram_data
			! grep -q data_reads "$T/events" || events='data_reads,{ia_requests,gt_requests,io_requests}'
			! grep -q data_total "$T/events" || events='data_total,{data_read,data_write}'
			! grep -q 128B_RD_DISP "$T/events" || events='PM_MCS01_128B_RD_DISP_PORT01,{PM_MCS23_128B_WR_DISP_PORT01,PM_MCS23_128B_WR_DISP_PORT23}'
			! grep -q 128B_RD_DATA "$T/events" || events='PM_MCS_128B_RD_DATA_BLOCKS_MC0_CHAN01,{PM_MCS_64B_WR_DATA_BLOCKS_MC1_CHAN01}'
			show --machine "$two" stat -i 0.5 -n 2 -e "$events"
			show --machine "$two" stat -i 0.5 -n 1 --per socket -m '*_bandwidth,page_*,bus_utilisation' --explain
			show --machine "sim:$model,sockets=1,clock=step" reg dump
		fi
	} >"$T/$model"
	[ -z "${KEEP-}" ] || cp "$T/$model" "$kept/$model"
	is "$model: what it prints is as kept" "$(diff "$kept/$model" "$T/$model" 2>&1 | head -20)" ""
done
is "nothing else is kept" "$(cd $kept && echo ./*)" "$(echo "$models" | tr ' ' '\n' | sort | sed 's,^,./,' | paste -sd ' ')"
