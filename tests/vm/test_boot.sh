# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# How tests/vm/boot fails, and tests/vm/fetch, and that nothing of a guest that failed stays.
. tests/lib.sh

# In place of QEMU: says what a kernel that stops would, on the console, which is the first `-serial file:`.
cat >"$T/stuck" <<'END'
#!/bin/sh
echo $$ >"${0%/*}/pid"
while [ "$1" != -serial ]; do shift; done
echo 'Kernel panic - not syncing: No working init found.' >"${2#file:}"
exec sleep 600
END
chmod +x "$T/stuck"

run env VM_QEMU="$T/none" tests/vm/boot guest sim:snbep,sockets=1 alone
has "without QEMU a guest fails" "$out" "not ok guest: QEMU starts"
has "and the package is named" "$out" "package qemu-system-x86"
run env VM_QEMU="$T/stuck" VM_UP=1 tests/vm/boot guest sim:snbep,sockets=1 alone
is "a guest that does not come up in time fails, with its console" "$out" "not ok guest: the guest comes up in 1 s
# console: Kernel panic - not syncing: No working init found."
check "it has ended then" [ ! -d "/proc/$(cat "$T/pid")" ]

# This user has no list of packages, and may not get one.
mkdir "$T/bin"
printf '#!/bin/sh\nexit 100\n' >"$T/bin/apt-get"
printf '#!/bin/sh\necho 1000\n' >"$T/bin/id"
cp "$T/bin/apt-get" "$T/bin/apt-cache"
chmod +x "$T"/bin/*
run env PATH="$T/bin:$PATH" tests/vm/fetch "$T/kernel"
is "where the kernel cannot be fetched, that is said with the package and what to do" "$rc $err" \
	"1 tests/vm/fetch: APT knows no package linux-image-amd64; as root run: apt-get update"
check "and nothing is left" [ -z "$(ls "$T/kernel")" ]
run env PATH="$T/bin:$PATH" tests/vm/fetch_power "$T/kernel"
is "where that for POWER cannot be fetched, that is said with its packages, and nothing is left" "$rc $(head -n 1 "$T/err") $(ls "$T/kernel")" \
	"1 tests/vm/fetch_power: cannot fetch Debian's packages linux-image-powerpc64le and busybox-static for ppc64el "
printf '#!/bin/sh\necho "Depends: linux-image-6.1.0-1-amd64 (= 6.1.1-1)"\n' >"$T/bin/apt-cache"
run env PATH="$T/bin:$PATH" tests/vm/fetch "$T/kernel"
is "the package is named that cannot be fetched" "$rc $(head -n 1 "$T/err")" \
	"1 tests/vm/fetch: cannot fetch the package linux-image-6.1.0-1-amd64; as root run: apt-get update"
