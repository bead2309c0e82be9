# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What pcm-memory is known to do, predicted and found, on a machine whose time stands still.
. tests/peers/lib.sh

address=$(truth | awk '$1 == "channel" { print $3; exit }')
case $model in
snbep | ivt) cpu='' ;; # no monitoring of caches
*) cpu=3 ;;
esac

# Its time base is whole milliseconds.
truth >"$T/before"
ms=$(($(rdmsr -p 0 -u 0x10) / ($(rdmsr -p 0 -u -f 15:8 0xce) * 100000)))
as pcm-memory -csv -- sh -c "echo 1700000 >$mnt/clock" >"$T/out" 2>"$T/err"
truth >"$T/after"
ms=$(($(rdmsr -p 0 -u 0x10) / ($(rdmsr -p 0 -u -f 15:8 0xce) * 100000) - ms))
row pcm-memory "all read MB/s of 1.7 ms, taken for $ms ms" "$(awk -F, 'NR == 3 { print $(NF - 2) }' "$T/out" | tr -d ' ')" "$(
	awk -v ms=$ms '$1 == "channel" { sum += (NR == FNR ? -1 : 1) * $4 } END { printf "%.4f", sum / 1e3 / ms }' "$T/before" "$T/after"
)" 0.02

# It leaves 0 where it found something, and takes every CPU its RMID.
setpci -s "$address" e4.l=00400c04 f0.l=00400000
if [ -n "$cpu" ]; then wrmsr -p $cpu 0xc8f 0x5; fi
as pcm-memory -csv -- true >"$T/out" 2>"$T/err"
row pcm-memory "$address CTL3 after it, was 00400c04" "$(setpci -s "$address" e4.l)" 00000000 =
row pcm-memory "$address FIXED_CTL after it, was 00400000" "$(setpci -s "$address" f0.l)" 00000000 =
if [ -n "$cpu" ]; then row pcm-memory "CPU $cpu RMID after it, was 5" "$(rdmsr -p $cpu 0xc8f)" 0 =; fi
