# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# make install and uninstall, and a program built against what was installed.
. tests/lib.sh

# As from a fresh shell: nothing of the make around us, but its compiler flags.
mk() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s B="$B" "$@"; }
P=$T/prefix
multi=$T/prefix/lib/some-triplet

run mk PREFIX="$P" LIBDIR="$multi" install
check "make install succeeds" [ "$rc" = 0 ]
check "it makes no noise on stderr" [ ! -s "$T/err" ]
is "it installs these files" "$(cd "$P" && find . ! -type d | sort)" "./bin/uncorectl
$(for header in include/uncore.h include/uncore/*.h; do echo "./$header"; done)
./lib/python3/dist-packages/uncore.py
./lib/some-triplet/libuncore.a
./lib/some-triplet/libuncore.so
./lib/some-triplet/libuncore.so.0
./lib/some-triplet/libuncore.so.$("$U" --version | cut -d' ' -f2)
./lib/some-triplet/pkgconfig/libuncore.pc
./lib/systemd/system/uncorectl-serve.service
./lib/systemd/system/uncorectl-serve.socket
./share/bash-completion/completions/uncorectl
./share/doc/libuncore/examples/bandwidth.c
./share/doc/libuncore/examples/regions.c
./share/doc/uncorectl/examples/Containerfile
./share/doc/uncorectl/examples/alerts.yml
./share/doc/uncorectl/examples/dashboard.json
./share/man/man3/libuncore.3
./share/man/man5/uncorectl-output.5
./share/man/man5/uncorectl-regs.5
./share/man/man5/uncorectl-sim.5
./share/man/man8/uncorectl-efi.8
./share/man/man8/uncorectl.8
$(for map in regs/*.yaml; do echo "./share/uncorectl/$map"; done)
./share/uncorectl/schema.json"
run "$P/bin/uncorectl" --machine sim:snbep,sockets=1 mem -n 1 -i 0.01 --format csv
is "the installed command runs" "$rc" 0
run "$P/bin/uncorectl" --machine sim:snbep --regs "$P/share/uncorectl/regs" list
is "the installed maps can be loaded" "$rc" 0
run "$P/bin/uncorectl" maps check "$P/share/uncorectl/regs"
is "and are without fault" "$rc" 0
check "the page names the place of the maps" grep -q "$P/share/uncorectl/regs" "$P/share/man/man8/uncorectl.8"

is "the library's soname is libuncore.so.0" \
	"$(objdump -p "$multi/libuncore.so" | awk '$1 == "SONAME" { print $2 }')" libuncore.so.0
# What stands behind UNC_API, up to the parenthesis.
sed -n 's/^UNC_API .*\<\(unc_[a-z0-9_]*\)(.*/\1/p' include/uncore.h include/uncore/*.h | sort >"$T/api"
check "the headers have functions" [ "$(wc -l <"$T/api")" -ge 20 ]
is "each UNC_API of the headers is a function" "$(cat include/uncore.h include/uncore/*.h | grep -c '^UNC_API')" "$(wc -l <"$T/api")"
nm -D --defined-only "$multi/libuncore.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$T/exported"
is "the library exports what the headers mark UNC_API, and nothing else" "$(diff "$T/api" "$T/exported")" ""
is "each export has a version" "$(nm -D --defined-only "$multi/libuncore.so" | grep -c '@@LIBUNCORE_0$')" "$(wc -l <"$T/api")"

export PKG_CONFIG_PATH="$multi/pkgconfig" LD_LIBRARY_PATH="$multi"
is "pkg-config tells the version" "$(pkg-config --modversion libuncore)" "$("$U" --version | cut -d' ' -f2)"
is "and the flags" "$(pkg-config --cflags --libs libuncore | sed 's/ *$//')" "-I$P/include -L$multi -luncore"
# shellcheck disable=SC2046,SC2086 # flags are meant to be split
run ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror $CFLAGS -o "$T/bandwidth" tests/install/bandwidth.c \
	$(pkg-config --cflags --libs libuncore)
check "the example builds with pkg-config" [ "$rc" = 0 ]
run "$T/bandwidth" sim:snbep,clock=step,state="$T/state" socket1.imc0.ch2
check "the example runs on the installed library" [ "$rc" = 0 ]
# sim/load.h: channel c of socket s reads 4000 + 700 c + 130 s and writes 1500 + 350 c + 90 s million bytes per second.
is "its numbers are the truth" "$out" "socket1.imc0.ch2 read: 5.530 GB/s
socket1.imc0.ch2 write: 2.290 GB/s"
is "it broke no rule of the manual" "$("$B/tests/simpoke" "sim:snbep,clock=step,state=$T/state" violations | head -1)" 0
run "$T/bandwidth" sim:snbep socket9.imc0.ch0
is "a channel that is not there fails" "$rc" 1
has "with a sentence" "$err" "socket9.imc0.ch0"
# shellcheck disable=SC2046,SC2086
run ${CC:-cc} -std=c11 -Wall -Wextra -Werror $CFLAGS -I"$P/include" -o "$T/bandwidth" tests/install/bandwidth.c -l:libuncore.a \
	$(pkg-config --static --libs libuncore | sed 's/-luncore//')
check "it builds with the archive" [ "$rc" = 0 ]
lacks "and needs no library then" "$(objdump -p "$T/bandwidth")" libuncore.so
run "$T/bandwidth" sim:snbep,clock=step socket1.imc0.ch2
has "and counts the same" "$out" "read: 5.530 GB/s"
is "the archive has the names of the headers, and no other" \
	"$(nm -g --defined-only "$multi/libuncore.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort | diff "$T/api" -)" ""
# shellcheck disable=SC2046,SC2086
run ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror $CFLAGS -o "$T/regions" tests/install/regions.c \
	$(pkg-config --cflags --libs libuncore)
check "the example of regions builds" [ "$rc" = 0 ]
run "$T/regions" sim:snbep,clock=step
is "and gives the truth" "$out" "step, 3 times: 6.00 GB read
  solve, 3 times: 4.80 GB read"
sed '/^#define UNC_REGIONS/d; /^int main/,$d; /^static/,/^}/d' tests/install/regions.c >"$T/without.c"
cat >>"$T/without.c" <<'END'
int work(void *none, int a);
int work(void *none, int a)
{
	struct unc_regions *regions;

	if (unc_regions_open(none, &regions) < 0 || unc_region_begin(regions, "solve") < 0)
		return 1;
	a *= 2;
	unc_region_end(regions, "solve");
	unc_regions_close(regions);
	return a;
}
END
cat >"$T/none.c" <<'END'
int work(void *none, int a);
int work(void *none, int a)
{
	(void)none;
	a *= 2;
	return a;
}
END
for file in without none; do ${CC:-cc} -std=c11 -O2 -I"$P/include" -c -o "$T/$file.o" "$T/$file.c"; done
is "without its switch a region is no instruction" "$(objdump -d --no-show-raw-insn "$T/without.o" | sed 1,3d)" \
	"$(objdump -d --no-show-raw-insn "$T/none.o" | sed 1,3d)"
is "it is as short as it is said to be" "$(awk 'END { print NR <= 45 }' tests/install/bandwidth.c)" 1
if [ -n "$(command -v c++)" ]; then
	{
		(cd include && printf '#include <%s>\n' uncore.h uncore/*.h)
		echo 'int main() { unc_ctx *ctx; if (unc_new(&ctx) == 0) unc_free(ctx); }'
	} >"$T/x.cc"
	# shellcheck disable=SC2046,SC2086
	run c++ -Wall -Wextra -Werror $CFLAGS -o "$T/x" "$T/x.cc" $(pkg-config --cflags --libs libuncore)
	check "the headers are C++ too" [ "$rc" = 0 ]
else
	skip "the headers are C++ too" "no C++ compiler"
fi

mkdir -p "$P/share/uncorectl/regs" && : >"$P/share/uncorectl/regs/mine.yaml"
run mk PREFIX="$P" LIBDIR="$multi" uninstall
is "make uninstall takes all away, but no file of another package" "$(cd "$P" && find . ! -type d)" "./share/uncorectl/regs/mine.yaml"
rm "$P/share/uncorectl/regs/mine.yaml"
run mk PREFIX="$P" LIBDIR="$multi" uninstall
is "and succeeds where nothing is" "$rc" 0
check "its own folders go too" [ ! -e "$P/share/uncorectl" ]

run mk PREFIX=/usr DESTDIR="$T/dest" install
is "DESTDIR comes before every path" "$(cd "$T/dest" && echo ./*)" ./usr
is "and stands in no file" "$(grep -rlF "$T/dest" "$T/dest/usr/lib/pkgconfig" "$T/dest/usr/share")" ""
run mk PREFIX=/usr DESTDIR="$T/dest" uninstall
is "make uninstall with DESTDIR takes all away" "$(find "$T/dest" ! -type d)" ""
