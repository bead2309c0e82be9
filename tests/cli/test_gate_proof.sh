# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Which command writes registers, and which never does; that the source has no way round the gate; and that no map that a user gives
# opens one.  tests/unit/test_gate_proof.c does the same with the library's functions.
. tests/lib.sh

S=sim:bdx,sockets=1,cores=2,threads=1,clock=step,perf=on,state=$T/state
mkdir "$T/maps"
# What is tried: COMMAND, whether it writes, its arguments.  top has no terminal here, and refuses; see test_top.sh.
tries() {
	cat <<-EOT
		list looks -v
		mem writes -n 1
		stat writes -e cas_count.rd,cas_count.wr,act_count.all,act_count.rd,act_count.wr -n 2 -i 0.05
		stat writes -e {cas_count.rd,cas_count.wr} -n 1
		llc writes --cpus 0 -n 1
		events looks
		events looks --metrics
		reg looks dump
		reg looks get *.CTL[*]
		reg looks watch *.CTL[3] -n 2
		reg looks explain CTL=0x400304
		reg looks raw pci ff:14.0 0xd8
		reg looks raw msr 0 0xc8f
		reg looks set *.CTL[3].umask=12
		reg looks raw msr 0 0x1a4 7
		reg writes set *.CTL[3].umask=12 --write --for 1
		reg writes raw msr 0 0x1a4 7 --write --unmapped --for 1
		maps looks check $T/maps
		check looks --list
		check writes --quick
		check looks --quick --observe
		xcheck writes -n 1
		xcheck looks -n 1 --observe
		record looks $T/record -- list
		recover looks
		doctor looks
		load looks --nt-write 1GB --time 1
		diff looks $T/maps $T/maps
		plot looks $T/maps
		top looks
		serve looks --listen nowhere
		help looks mem
		record writes $T/record -- mem -n 1
	EOT
}
# traced WORD...: runs that, and counts its writes.
traced() {
	rm -f "$T/trace" "$T/record"
	run "$U" --machine "$S" --trace "$T/trace" "$@"
	writes=0
	[ -e "$T/trace" ] && writes=$(grep -cE ' w(32|64|blk) ' "$T/trace")
}

set -f # patterns of registers are not files
tries >"$T/tries"
while read -r command kind args; do
	# shellcheck disable=SC2086 # words
	traced "$command" $args
	if [ "$kind" = writes ]; then
		check "$command $args: done" [ "$rc" = 0 ]
		check "$command $args: writes registers" [ "$writes" -gt 0 ]
	else
		is "$command $args: writes none" "$writes" 0
	fi
	# shellcheck disable=SC2086
	traced --dry-run "$command" $args
	is "--dry-run $command $args: writes none" "$writes" 0
	# shellcheck disable=SC2086
	traced --observe "$command" $args
	is "--observe $command $args: writes none" "$writes" 0
done <"$T/tries"
set +f
# What a killed process has left is written by recover alone.
run "$U" --machine "$S,kill=40:after" mem -n 1
traced list -v
is "beside what was left, list writes none" "$writes" 0
traced --dry-run recover
is "--dry-run recover writes none" "$writes" 0
traced --observe recover
is "--observe recover writes none" "$writes" 0
traced recover
check "recover writes what it puts back" [ "$rc $((writes > 0))" = "0 1" ]
"$U" --help | sed -n '/^Before the command/q; s/^  \([a-z][a-z]*\) .*/\1/p' | sort >"$T/commands"
is "each command of --help is tried here" "$(cut -d' ' -f1 "$T/tries" | sort -u)" "$(cat "$T/commands")"

# The source: nothing but the gate calls what writes.
mkdir -p "$T/tree/tools"
cp tools/check-layers "$T/tree/tools"
cp -R src "$T/tree/src"
evil() { # FILE LINE: one that must be found there
	printf '%s\n' "$2" >>"$T/tree/$1"
	printf '%s:%s\n' "$1" "$(wc -l <"$T/tree/$1")" >>"$T/evil"
}
evil src/rdt/read.c 'int unc_write64(struct unc_space *space, uint64_t off, uint64_t value);'
evil src/cli/reg.c 'x = space->bus->ops->write(space, 0, bytes, 4);'
evil src/pmon/session_read.c 'x = (*ops.write)(space, 0, bytes, 4);'
evil src/machine/registers.c 'f = space->bus->ops->write;'
evil src/cli/mem.c 'n = pwrite(fd, &value, 8, 0x10);'
evil src/cli/llc.c 'fd = open("/dev/cpu/0/msr", O_RDWR);'
evil src/os/linux/msr.c 'pci_write_long(dev, 0x10, value);'
printf '#include "access/write.h"\n' >>"$T/tree/src/pmon/read.c"
run "$T/tree/tools/check-layers"
is "tools/check-layers finds each way round the gate" "$(grep -o '^src/[a-z_/]*\.c:[0-9][0-9]*' "$T/out" | sort)" "$(sort "$T/evil")"
has "and an include of what writes" "$out" 'src/pmon/read.c: #include "access/write.h": only machine/gate.c'

# Maps: what steers writes as root and comes from a folder.
M=$T/maps/given.yaml
CPU='cpus: [{vendor: GenuineIntel, family: 6, model: 0x4f}]'
given() { # of a channel: a register more, or another
	printf 'format: uncorectl-regs/1\n%s\nsources: {test: a manual}\nbase: intel-bdx-imc\nregisters:\n%s\n' "$CPU" "$1" >"$M"
}
msrs() { # MSRs of a socket: one register of them
	printf 'format: uncorectl-regs/1\n%s\nsources: {test: a manual}\nbase: intel-hsx-global\nregisters:\n%s\n' "$CPU" "$1" >"$M"
}
ALL='src: test p.1, fields: {all: {bits: [31, 0], access: rw}}'
WIDE='src: test p.1, fields: {all: {bits: [63, 0], access: rw}}'
# no_map SENTENCE STATUS PART: refused whatever it is used for, and nothing is written.
no_map() {
	: >"$T/trace"
	refused "$1" "$2" "$3" "$U" --machine "$S" --trace "$T/trace" --regs "$T/maps" \
		reg set "*.X=1" --write --for 1
	is "and nothing is written" "$(grep -cE ' w(32|64) ' "$T/trace")" 0
}
given "  X: {at: 0x100, $ALL}"
run "$U" --machine "$S" --regs "$T/maps" list
is "a map with a register that is nowhere in particular is taken" "$rc" 0
for at in 0x00 0x04 0x0c 0x10 0x14 0x18 0x24 0x3c; do
	given "  X: {at: $at, $ALL}"
	no_map "a map that makes $at of the header writable" 2 "offsets 0x00 to 0x3f"
done
given "  X: {at: {first: 0x38, step: 4, count: 4}, $ALL}"
no_map "an array that begins in the header" 2 "offsets 0x00 to 0x3f"
given "  X: {at: 0x3c, bits: 64, $WIDE}"
no_map "a register of 64 bits that begins in the header" 2 "offsets 0x00 to 0x3f"
given "  X: {at: {first: 0x44, step: 0xfffffffc, count: 3}, $ALL}"
no_map "an array that goes down by wrapping" 2 "beyond the 0x1000"
given "  X: {at: {first: 0x44, step: -4, count: 3}, $ALL}"
no_map "an array that goes down" 2 "step"
given "  X: {at: {first: 0xff8, step: 4, count: 3}, $ALL}"
no_map "an array that ends behind its space" 2 "beyond the 0x1000"
given "  X: {at: {first: 0x100, step: 0, count: 3}, $ALL}"
no_map "an array whose elements are one register" 2 "overlaps itself"
given "  X: {at: 0x100000010, $ALL}"
no_map "an offset that would be another if it were cut to 32 bits" 2 "at"
given "  X: {at: 0x102, $ALL}"
no_map "an offset between two registers" 2 "not aligned"
given "  BOX_STATUS: {at: 0x10}"
no_map "a register of the base that is moved into the header" 2 "offsets 0x00 to 0x3f"
given "  X: &x {at: 0x100, $ALL}
  Y: *x"
no_map "an alias" 2 "yaml"
given "  X: {at: 0x100, $ALL}"
sed 's/intel-bdx-imc/given-below/' "$M" >"$T/maps/top.yaml"
given "  Y: {at: 0x10, $ALL}"
mv "$M" "$T/maps/given-below.yaml"
sed -i 's/model: 0x4f/model: 0xfe/' "$T/maps/given-below.yaml" # alone it is for no CPU that there is
no_map "a base from the same folder with a register in the header" 2 "offsets 0x00 to 0x3f"
rm "$T/maps"/*.yaml
for msr in 0x10 0x1b 0x79 0x8b 0x1a0 0x3a 0x610 0xc80 0xc90 0xc0000080; do
	msrs "  X: {at: $msr, bits: 64, $WIDE}"
	no_map "a map that makes MSR $msr writable" 2 "is not among those that a map from a folder may write"
done
msrs "  X: {at: {first: 0x2ff0, step: 1, count: 2}, bits: 64, $WIDE}"
no_map "an array of MSRs of which the last is foreign" 2 "0x2ff1 is not among those"
msrs "  GLOBAL_CONFIG: {at: 0x10, fields: {all: {bits: [63, 0], access: rw}}}"
no_map "an MSR of the base that is moved" 2 "0x10 is not among those"
given "  X: {at: 0x100, $ALL}"
if [ "$(id -u)" = 0 ]; then
	chmod g+w "$M"
	no_map "a map that a group may write" 4 "$M: not trusted"
	chmod go=r "$M"
	chown 1 "$M"
	no_map "a map of another user" 4 "$M: not trusted"
	chown 0 "$M"
	chmod 777 "$T/maps"
	no_map "a folder that everybody may write" 4 "$T/maps: not trusted"
	chmod 755 "$T/maps"
	chown 1 "$T/maps"
	no_map "a folder of another user" 4 "$T/maps: not trusted"
	chown 0 "$T/maps"
else
	skip "a map or folder that others may write" "only who is root must be careful"
fi
mv "$M" "$T/real"
ln -s "$T/real" "$M"
no_map "a map that is a symbolic link" 4 "$M: "
rm "$M"
mkfifo "$M"
no_map "a map that is a pipe" 4 "$M: not trusted"
rm "$M"
mv "$T/real" "$M"
mv "$T/maps" "$T/folder"
ln -s folder "$T/maps"
no_map "a folder that is a symbolic link" 4 "$T/maps: not trusted"
rm "$T/maps"
mv "$T/folder" "$T/maps"

# A bridge: a map may say that it is a channel, but nothing there is written, nor what stands at its offsets.
root=$T/root
D=$root/sys/bus/pci/devices
mkdir -p "$D/0000:7f:14.0" "$D/0000:00:01.0"
printf 'basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\nbasic_cpuid[1]=000406f1 00200800 1fbee3ff bfebfbff\n' >"$root/cpuid.raw"
head -c 4096 /dev/zero >"$D/0000:7f:14.0/config"
printf '\206\200\260\157' | dd of="$D/0000:7f:14.0/config" conv=notrunc status=none
printf '\001' | dd of="$D/0000:7f:14.0/config" bs=1 seek=14 conv=notrunc status=none
cp "$D/0000:7f:14.0/config" "$D/0000:00:01.0/config"
find "$D" -name config -exec md5sum {} + | sort >"$T/before"
cat >"$M" <<EOF2
format: uncorectl-regs/1
$CPU
sources: {test: a manual}
base: intel-bdx-imc
instances:
  - {pci: "8086:6fb0", at: "14.0", imc: 0, channel: 0}
registers:
  X: {at: 0x100, $ALL}
EOF2
for words in "set *.X=1 --write --for 1" "set *.CTL[0].umask=3 --write --for 1" \
	"raw pci 7f:14.0 0x10 1 --write --unmapped --for 1" "raw pci 7f:14.0 0x84 1 --write --unmapped --for 1" \
	"raw pci 00:01.0 0x18 1 --write --unmapped --for 1" "raw pci 00:01.0 0x84 1 --write --unmapped --for 1"; do
	set -f
	# shellcheck disable=SC2086 # words
	run "$U" --machine "root:$root" --regs "$T/maps" --trace "$T/trace" reg $words
	set +f
	check "a bridge: $words is refused" [ "$rc" = 2 -o "$rc" = 4 ]
	check "and says why" grep -qE 'bridge|configuration header' "$T/err"
	is "and nothing is written" "$(grep -cE ' w(32|64) ' "$T/trace")" 0
done
for words in "mem -n 1 -i 0.01" "stat -e cas_count.rd -n 1 -i 0.01"; do
	# shellcheck disable=SC2086
	run "$U" --machine "root:$root" --regs "$T/maps" --trace "$T/trace" $words
	check "a bridge: $words is refused" [ "$rc" != 0 ]
	is "and nothing is written" "$(grep -cE ' w(32|64) ' "$T/trace")" 0
done
find "$D" -name config -exec md5sum {} + | sort >"$T/after"
check "every byte of the bridges is as it was" cmp "$T/before" "$T/after"
