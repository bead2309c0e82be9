# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Everything compiles for musl, too, with the headers of the libraries that are here.
. tests/lib.sh

if ! command -v musl-gcc >/dev/null || ! command -v dpkg-query >/dev/null; then
	skip "the sources compile for musl" "there is no musl-gcc (Debian: musl-tools), or this is no Debian"
	exit 0
fi
# musl brings no headers of the kernel, and those of glibc must not be found.
mkdir "$T/include"
for header in linux asm asm-generic libcpuid pci yaml.h fdt.h libfdt.h libfdt_env.h lzma.h lzma jansson.h jansson_config.h cap-ng.h numa.h numaif.h seccomp.h seccomp-syscalls.h; do
	for from in /usr/include "/usr/include/$(gcc -print-multiarch)"; do
		[ ! -e "$from/$header" ] || ln -s "$from/$header" "$T/include/"
	done
done
# top and serve, whose libraries have no headers apart, are left out, as in a build without them.
printf '%s\n' src/*/*.c src/os/linux/*.c | grep -vE '/(top|serve)(_[a-z]*)?[.]c|confine_none' >"$T/files"
printf '%s\n' src/cli/top_none.c src/cli/serve_none.c src/cli/top_layout.c src/cli/top_parts.c >>"$T/files"
compile() {
	xargs -P 2 -n 10 musl-gcc -std=c11 -O0 -fsyntax-only -Wall -Wextra -Wno-maybe-uninitialized -Wno-unused-parameter -Werror -Iinclude -Isrc \
		-isystem "$T/include" '-DUNC_VERSION="0"' <"$T/files"
}
run compile
is "the sources compile for musl, without a warning" "$rc $err" "0 "
check "and these are most of them" [ "$(wc -l <"$T/files")" -gt 200 ]
