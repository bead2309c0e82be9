# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Builds for POWER, of either byte order, pass the unit tests and print what this build prints, under qemu-user.
. tests/lib.sh

case "${CFLAGS-}" in *-fsanitize* | *--coverage*)
	skip "builds for POWER" "this build is not one to ship"
	exit 0
	;;
esac
if [ "$(id -u)" != 0 ] || ! command -v dpkg-query >/dev/null; then
	skip "builds for POWER" "Debian's compilers and sources are fetched for them"
	exit 0
fi
# What reads and writes bytes, what knows the word order of an area, and all else that takes half a second or less there.  The others are
# too slow (each access that fails), or look at the processor, the processes and the kernel, which qemu-user does not show as they are.
SUITES="map event sim_host sim_models session_amd cpus catalogue free_running yaml accumulator addr amount array counter cpu_list dry err
	event_list family flags folder formula journal_text llc_account nearest pci rates raw_roots record_private record_text regs_ibs
	regs_rdt smbios task_time topo trace traffic_make traffic_pace xcheck_judge"

python3 tests/cli/catalogue.py p9 >"$T/p9.dts" && dtc -q -f -O dtb -o "$T/p9.dtb" "$T/p9.dts" || exit 1
python3 tests/cli/catalogue.py tree "$T/p9.dtb" "$T/root/proc/device-tree/imc-counters"
python3 tests/cli/catalogue.py xz "$T/p9.dtb" "$T/p9.xz"
machines="sim:skx,clock=step sim:p9,clock=step sim:p10,clock=step"

# What is the same on all: results and exit statuses of these.
commands() { # PROGRAM...
	for machine in $machines; do
		for words in "list -v" "mem -n 2 --format csv" "events --format csv" "reg dump"; do
			echo "== $machine $words"
			# shellcheck disable=SC2086 # words
			"$@" --machine "$machine" $words
			echo "== $?"
		done
	done
	for words in "events --format csv" list; do
		# shellcheck disable=SC2086 # words
		"$@" --machine "root:$T/root" $words
	done
	"$@" events --catalogue "$T/p9.xz" --format csv
	rm -f "$T/record"
	"$@" --machine sim:p9,clock=step record "$T/record" -- mem -n 2 --format csv
	grep -v '^uncorectl-record\|^version\|^argument' "$T/record"
	"$@" --machine "replay:$T/record" mem -n 2 --format csv
}
commands "$U" >"$T/wanted" 2>"$T/wanted.err"
check "this build prints something" [ "$(wc -l <"$T/wanted")" -gt 1000 ]
for arch in ppc64le ppc64; do
	run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j2 "B=$B" CFLAGS=-O1 "$arch"
	if [ "$rc" != 0 ] && expr "$err" : '.*cannot fetch Debian' >/dev/null; then
		skip "a build for $arch" "$(echo "$err" | head -1)"
		continue
	fi
	is "make $arch succeeds, and has nothing to say" "$rc $err" "0 "
	commands "qemu-$arch" "$B/$arch/uncorectl" >"$T/got" 2>"$T/got.err"
	is "its results are as here" "$(diff "$T/wanted" "$T/got" | head -20)" ""
	for suite in $SUITES; do
		run "qemu-$arch" "$B/$arch/tests/unit/run" "$suite"
		is "$arch: it passes the unit tests of $suite" "$rc $(echo "$out" | grep -aE '(FAILED|^    [0-9]+[.])' | head -20)" "0 "
		check "there are some" [ "$(echo "$out" | sed -n 's/^unit: \([0-9]*\) passed.*/\1/p')" -gt 0 ]
	done
done
