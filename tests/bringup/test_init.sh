# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The static file as /init of Debian's kernel: by itself, at its prompt over the serial line, and from a stick through UEFI firmware.
. tests/lib.sh

modules=$B/vm/kernel/lib/modules/$(cat "$B/vm/kernel/version")/kernel
msr=$modules/arch/x86/kernel/msr.ko
told='console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off tsc=reliable clocksource=hpet'
guest='' reader=''
finish_guest() {
	trap '' INT TERM
	for process in $guest $reader; do kill "$process" 2>/dev/null && wait "$process"; done
}
trap finish_guest EXIT
trap 'exit 1' INT TERM

# boot NAME MACHINE QEMU-ARGUMENT...: a guest in the background, with its files in $T/NAME.
boot() {
	R=$T/$1 machine=$2
	shift 2
	mkdir -p "$R"
	# QEMU drops an access to a function that it still forwards another one of.
	threads=multi
	case $machine in sim:icx* | sim:spr*) threads=single ;; esac
	sockets=${machine#*sockets=}
	"$B/uncore-simqemu" --log "$R/log" --truth "$T/truth" --violations "$T/violations" "$machine" -- \
		-accel "tcg,thread=$threads" -smp "2,sockets=${sockets%%,*}" -m 256 -nodefaults -display none -nic none -no-reboot \
		"$@" >"$R/server" 2>&1 &
	guest=$!
}
# It powers off by itself: waits for that, 120 s at most.
off() { # SENTENCE
	left=600
	while kill -0 "$guest" 2>/dev/null && [ $((left -= 1)) -gt 0 ]; do sleep 0.2; done
	kill "$guest" 2>/dev/null
	status=0
	wait "$guest" || status=$?
	guest=''
	if [ $left -gt 0 ] && [ $status = 0 ]; then
		ok "$1"
	else
		not_ok "$1" "status $status, $left of 600 tries left" "$(grep -v ': note: ' "$R/server")" "$(tail -n 30 "$R/console" | tr -d '\r')"
	fi
}
# said WORDS: what the command of that line printed on the console.
said() {
	tr -d '\r' <"$R/console" | awk -v line="uncorectl> $1" '/^uncorectl> / { on = 0 } on { print } $0 == line { on = 1 }'
}
boxes() { awk '$1 ~ /^socket[0-9]+[.]/ { print $1, $2, $3 }'; } # lines of list
columns() { awk -F, 'NF > 9 { print $3, $4, $5, $6, $15, $16 }' | sort -u; } # of mem, that are no numbers of a sample

mem='mem -i 0.5 -n 2 --format csv'
printf 'list\n%s\nlist -v\n' "$mem" >"$T/uncorectl.args"
tools/initramfs "$T/initramfs" "$B/static/uncorectl" "$T/uncorectl.args" "$msr"
# A kernel whose own initramfs lacks /dev/console starts /init without a descriptor.
mkdir -p "$T/more/dev"
ln -s nowhere "$T/more/dev/console"
(cd "$T/more" && find dev | cpio -o -H newc --quiet) >"$T/no_console"
cat "$T/initramfs" "$T/no_console" >"$T/initramfs_no_console"

check "it is below 5 MB" [ "$(stat -c %s "$T/initramfs")" -lt 5000000 ]
run tools/initramfs "$T/again" "$B/static/uncorectl" "$T/uncorectl.args" "$msr"
check "the same files make the same bytes" cmp -s "$T/again" "$T/initramfs"
run tools/initramfs "$T/none" "$B/uncorectl"
is "a program that wants a loader is refused" "$rc ${err%, it wants*}" "1 tools/initramfs: $B/uncorectl is not static"
run tools/initramfs "$T/none" "$B/static/uncorectl" Makefile
is "and a file that /init would not take" "$rc ${err%%: /init*}" "1 tools/initramfs: Makefile"
run tools/stick "$T/none" "$B/static/uncorectl" "$T/initramfs"
is "a stick with nothing to start is refused" "$rc ${err%%:*} $(echo "$err" | grep -c 'name one, as KERNEL=')" "1 tools/stick 1"
run env KERNEL=Makefile tools/stick "$T/none" "$B/static/uncorectl" "$T/initramfs"
has "and a kernel that firmware does not start" "$rc $err" "1 tools/stick: note: there is no uncorectl.efi, so the stick starts the kernel
tools/stick: Makefile: firmware does not start it"
check "nothing is left of these" [ ! -e "$T/none" ]

# by_itself NAME MACHINE INITRAMFS: runs uncorectl.args, and its rows are those of the same command elsewhere, and true.
by_itself() {
	boot "$1" "$2" -kernel "$B/vm/kernel/vmlinux" -initrd "$T/$3" -append "$told" -serial "file:$T/$1/console"
	off "$1: it runs uncorectl.args and powers off"
	said "$mem" >"$R/mem.out"
	said list >"$R/list.out"
	where='{ if ($2 ~ /^0x/) $2 = "window"; print }' # firmware places windows in memory
	is "$1: list prints the boxes that it prints elsewhere" "$(boxes <"$R/list.out" | awk "$where")" \
		"$("$B/uncorectl" --machine "$2" list | boxes | awk "$where")"
	where='{ if ($4 ~ /^0x/) $4 = "window"; print }'
	# shellcheck disable=SC2086 # words
	is "$1: mem has the same rows" "$(columns <"$R/mem.out" | awk "$where")" \
		"$("$B/uncorectl" --machine "$2,clock=step" $mem 2>/dev/null | columns | awk "$where")"
	(
		. tests/vm/lib.sh
		follow all
		undisturbed ours "$(our_counts mem.out)" $((2 * channels))
		is "mem tells the true rates" "$(true_rates mem.out)" ""
		legal
	) | sed "s/^\(ok\|not ok\) /&$1: /"
	is "$1: its controls are put back" "$(said 'list -v' | awk '$1 ~ /^socket[0-9]+[.]/ && $3 != "missing" { print $3 }' | sort -u)" idle
	lacks "$1: nothing went wrong" "$(cat "$R/console")" "uncorectl: "
}
by_itself hidden sim:snbep,sockets=2,hide=7f:10.4 initramfs_no_console

# Its prompt.
mkdir "$T/prompt"
mkfifo "$T/prompt/line.in" "$T/prompt/line.out"
tools/initramfs "$T/asks" "$B/static/uncorectl" "$msr"
: >"$T/prompt/console"
cat "$T/prompt/line.out" >>"$T/prompt/console" &
reader=$!
boot prompt sim:snbep,sockets=1 -kernel "$B/vm/kernel/vmlinux" -initrd "$T/asks" -append "$told" \
	-chardev "pipe,id=line,path=$T/prompt/line" -serial chardev:line
prompts=0
asks() { [ "$(grep -c '^uncorectl> ' "$R/console")" -gt "$prompts" ]; }
# answered SENTENCE: there is one more prompt.
answered() {
	if [ -n "$guest" ] && until_ asks; then
		ok "$1"
	else
		not_ok "$1" "$(tail -n 30 "$R/console" | tr -d '\r')"
		[ -n "$guest" ] && kill "$guest" && wait "$guest"
		guest=''
		exit
	fi
	prompts=$(grep -c '^uncorectl> ' "$R/console")
}
type_() { printf %b "$1" >"$R/line.in"; }
printed() { grep -q "$1" "$R/console"; }
answered "the prompt comes"
type_ 'list\r'
answered "and again after a command"
is "list prints the boxes that it prints elsewhere" "$(said list | boxes)" "$("$B/uncorectl" --machine "$machine" list | boxes)"
type_ 'mem -i 0.5 --format csv\r'
check "mem measures" until_ printed ',0,0,3,0000:'
type_ '\0003'
answered "Ctrl-C ends it, and not the prompt"
has "and it tells what it measured" "$(said 'mem -i 0.5 --format csv')" "in all, of "
type_ 'reboo\0003'
answered "Ctrl-C ends a line"
type_ '\0004'
answered "Ctrl-D ends nothing"
type_ 'list -v\r'
answered "list comes once more"
is "all boxes are put back" "$(said 'list -v' | awk '$1 ~ /^socket0/ { print $3 }' | sort -u)" idle
type_ 'reg raw msr 0 0x10\r'
answered "a command reads an MSR"
has "for which msr.ko is loaded" "$(said 'reg raw msr 0 0x10')" 0x
lacks "and it can" "$(said 'reg raw msr 0 0x10')" "uncorectl: "
type_ 'poweroff\r'
off "poweroff ends the computer"
wait "$reader"
reader=''

# From a stick, through UEFI firmware.
tools/initramfs "$T/initramfs" "$B/static/uncorectl" "$T/uncorectl.args"
KERNEL=$B/vm/kernel/vmlinuz CMDLINE=$told run tools/stick "$T/stick.img" "$B/static/uncorectl" "$T/initramfs"
is "a stick says what it lacks" "$(cat "$T/err")" "tools/stick: note: there is no uncorectl.efi, so the stick starts the kernel"
cp /usr/share/OVMF/OVMF_VARS_4M.fd "$T/vars"
boot stick sim:snbep,sockets=1 -drive if=pflash,format=raw,unit=0,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd \
	-drive "if=pflash,format=raw,unit=1,file=$T/vars" -drive "if=none,id=stick,format=raw,file=$T/stick.img" \
	-device qemu-xhci,id=usb,bus=pcie.0 -device usb-storage,bus=usb.0,drive=stick -serial "file:$T/stick/console"
off "firmware starts the kernel of a stick, and that /init, which powers off"
is "that stick has its program, too" "$(mcopy -i "$T/stick.img@@1M" ::/uncorectl - | cmp - "$B/static/uncorectl" 2>&1)" ""
is "list prints there the boxes that it prints elsewhere" "$(said list | boxes)" "$("$B/uncorectl" --machine "$machine" list | boxes)"
