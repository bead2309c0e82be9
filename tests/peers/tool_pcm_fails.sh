# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: pcm-memory looks for its first channel on each socket, and fails altogether where one of two hides it.
. tests/peers/lib.sh

rc=0
as pcm-memory -csv -- true >"$T/out" 2>"$T/err" || rc=$?
row pcm-memory "gives numbers" "$(grep -c '^20' "$T/out")" 0 =
row pcm-memory "says that it has no access" "$(grep -c "Can not access server uncore PCI configuration space" "$T/err")" 1 =
row pcm-memory "exit status" $rc 1 =
