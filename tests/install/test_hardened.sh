# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The command and the library have the hardening that the compiler and the linker were asked for.
. tests/lib.sh

O=$B/libuncore.so
hardening() { make -s --no-print-directory hardening B="$B" "$@"; }
used=$(hardening)
# uses FLAG SENTENCE: whether the builds have that one; where not, the test of that sentence is skipped.
uses() {
	case " $used " in *" $1 "*) return 0 ;; esac
	skip "$2" "$1 is not in use"
	return 1
}
# every SENTENCE COMMAND...: it succeeds for both files, each of which is appended.
every() {
	what=$1
	shift
	for file in "$U" "$O"; do check "$what: ${file##*/}" "$@" "$file"; done
}
segment() { readelf -lW "$2" | grep -q "$1"; }
dynamic() { readelf -dW "$2" | grep -q "$1"; }
# shellcheck disable=SC2016 # the assembler's dollar
by_pages() { objdump -d --no-show-raw-insn "$1" | grep -q 'sub *$0x1000,%rsp'; }
# Of the command its own objects are asked, since the archives of others in it may have these by themselves.
of_both() { for file in "$O" "$B"/src/cli/main.o; do check "$1: ${file##*/}" calls "$2" "$file"; done; }
calls() { readelf -sW "$2" | grep -q "UND __$1"; }

s="the command is position independent"
uses -pie "$s" && check "$s" dynamic 'FLAGS_1.* PIE' "$U"
s="relocated data is read-only"
uses -Wl,-z,relro "$s" && every "$s" segment GNU_RELRO
s="all of it, since every symbol is bound at the start"
uses -Wl,-z,now "$s" && every "$s" dynamic 'FLAGS_1.* NOW'
s="the stack is not executable"
uses -Wl,-z,noexecstack "$s" && every "$s" segment 'GNU_STACK.* RW '
s="a function notices that its return address was overwritten"
uses -fstack-protector-strong "$s" && of_both "$s" stack_chk_fail
s="calls that write to memory know its size"
uses -D_FORTIFY_SOURCE=2 "$s" && of_both "$s" '[a-rt-z][a-z]*_chk'
s="a large frame is touched page by page"
uses -fstack-clash-protection "$s" && if [ "$(uname -m)" = x86_64 ]; then every "$s" by_pages; else skip "$s" "not looked for here"; fi
# The whole file has the property only where the archives and start files of others have it too; Debian 12's do not.
s="every object is ready for indirect branch tracking and shadow stacks"
uses -fcf-protection "$s" && is "$s" "$(readelf -nW "$B/libuncore.a" | grep -c 'x86 feature: IBT, SHSTK')" "$(ar t "$B/libuncore.a" | wc -l)"

is "HARDEN= leaves all of it out" "$(hardening HARDEN=)" ""
# What the caller of make gave stays as it is.
lacks "a level of FORTIFY_SOURCE that was given is kept" "$(hardening CFLAGS='-O2 -D_FORTIFY_SOURCE=1')" "-D_FORTIFY_SOURCE"
lacks "sanitizers go without FORTIFY_SOURCE" "$(hardening CFLAGS='-O1 -fsanitize=undefined')" "-D_FORTIFY_SOURCE"
is "a flag that the compiler does not know is left out" \
	"$(tools/takes cc '-fno-such-flag -fstack-protector-strong -mno-such-thing' '-O2' | xargs)" -fstack-protector-strong
