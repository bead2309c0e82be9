# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# stat on every part that has a map and a simulated machine: 1 to 8 sockets, PCI domains, hidden functions, what a part lacks.
. tests/lib.sh

# Accesses take no time here, so that every count is exact.
cat >"$T/load.yaml" <<'END'
format: uncorectl-load/1
channels:
  "socket*.imc*.ch*": {read: 1.6e9, write: 6.4e8}
END
exact=clock=step,dword_ns=0,load=$T/load.yaml
# Not on gnr, where each sub-channel has events of its own; on icx and spr no function is of one channel, so that none is hidden.
for model in snbep ivt hsx bdx bdxde skx clx cpx icx spr; do
	hidden=ff:17.1
	case $model in
	snbep) hidden=ff:10.5 ;;
	ivt) hidden=ff:1e.5 ;;
	bdxde) hidden=ff:14.1 ;;
	skx | clx | cpx) hidden=ae:0c.6 ;;
	icx | spr) hidden= ;;
	esac
	for options in sockets=1 sockets=2 sockets=4 sockets=8 sockets=4,domains=2 sockets=8,domains=4; do
		M=sim:$model,$options,$exact
		run "$U" --machine "$M" mem -n 1 --format csv
		sed 1d "$T/out" | cut -d, -f3-6 >"$T/named"
		run "$U" --machine "$M" stat -e '{cas_count.rd,imc/cas_count.wr/}' -n 1 --format csv
		is "$model, $options: stat succeeds" "$rc" 0
		is "$model, $options: the channels are those of mem" "$(grep ',cas_count.rd,' "$T/out" | cut -d, -f3-6)" "$(cat "$T/named")"
		is "$model, $options: each counts what there is" "$(sed 1d "$T/out" | cut -d, -f2,7-13 | sort -u)" \
			"1000000000,cas_count.rd,25000000,1000000000,1000000000,1600000000,bytes,simulated
1000000000,cas_count.wr,10000000,1000000000,1000000000,640000000,bytes,simulated"
		run "$U" --machine "$M" stat -m total_bandwidth -n 1 --per machine --format csv
		is "$model, $options: the machine moves what all of them do" "$(column value)" "$(($(wc -l <"$T/named") * 2240000000))"
	done

	if [ "$hidden" ]; then
		M=sim:$model,sockets=2,$exact,hide=$hidden
		run "$U" --machine "$M" stat -e cas_count.rd -n 1 --format csv
		is "$model, $hidden hidden: its row is missing" "$(grep ",0000:$hidden," "$T/out" | cut -d, -f7-15)" "cas_count.rd,,,,,bytes,missing;simulated,,"
		is "$model, $hidden hidden: the others count" "$(sed 1d "$T/out" | grep -v ",0000:$hidden," | cut -d, -f8,13 | sort -u)" "25000000,simulated"
		run "$U" --machine "$M" stat -e cas_count.rd -n 1 --per socket --format csv
		is "$model, $hidden hidden: its socket is partial" "$(column flags | tr '\n' ' ')" "simulated partial;simulated "
	fi

	# Everything that the part can count, in turns.
	run "$U" --machine "sim:$model,sockets=1,clock=step" events --format csv
	events=$(column event | paste -sd,)
	run "$U" --machine "sim:$model,sockets=1,clock=step" stat -e "$events" -n 1 -i 3 --box '*.imc0.ch0' --format csv
	is "$model: all its events can be counted, in turns" "$rc $(column flags | grep -c not_counted)" "0 0"
	is "$model: each under its name" "$(column event | paste -sd,)" "$events"
	run "$U" --machine "sim:$model,sockets=1,clock=step" stat -m '*' -n 1 -i 3 --box '*.imc0.ch0' --format csv
	is "$model: all its metrics, too" "$rc $(column flags | grep -c not_counted)" "0 0"
	"$U" --machine "sim:$model,sockets=1,clock=step" events --metrics --format csv >"$T/metrics" 2>/dev/null
	present='' lacks=''
	while IFS=, read -r metric _; do
		case $(grep "^$metric," "$T/metrics") in *' has no event '*) lacks="$lacks $metric" ;; *) present="$present $metric" ;; esac
	done <<-END
		$(sed 1d "$T/metrics")
	END
	is "$model: those that it has, and no other" "$(column event | paste -sd ' ')" "${present# }"
	for metric in $lacks; do
		case $present in *" $metric."*) continue ;; esac # it stands for those, as `throttled` does
		refused "$model: $metric is refused, and why" 3 "$metric: " \
			"$U" --machine "sim:$model,sockets=1,clock=step" stat -m "$metric" -n 1
	done
done
