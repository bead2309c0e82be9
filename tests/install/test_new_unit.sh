# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tools/new-unit: what it makes passes before anybody has touched it, and finds a slip of the finger.
. tests/lib.sh

# A tree of its own, with what is built already, so that only the new is compiled.
W=$T/tree
mkdir "$W"
cp -a Makefile include src regs tests tools README.md "$W/"
mkdir "$W/build"
cp -a "$B/src" "$B"/*.a "$B"/maps_built_in.* "$B/uncorectl" "$B/tests" "$W/build/"
mk() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s -C "$W" "$@"; }

run "$W/tools/new-unit"
is "it wants a name" "$rc" 2
for name in Intel-hsx-imc intel_hsx intelhsx ../x-y -x-imc; do
	run "$W/tools/new-unit" "$name"
	is "it refuses the name $name" "$rc" 2
done
run "$W/tools/new-unit" intel-snbep-imc
is "it overwrites nothing" "$rc" 1

run "$W/tools/new-unit" intel-new-imc
is "it says what it made" "$out" "regs/intel-new-imc.yaml
tests/unit/test_regs_intel_new_imc.c"
run "$W/tools/new-unit" intel-new-xyz
is "it can be called again" "$rc" 0
run "$U" maps check "$W/regs"
is "the maps are without fault" "$rc" 0
run mk all build/tests/unit/run
check "they and their tests are built" [ "$rc" = 0 ]
for suites in map_ regs_; do
	run sh -c "cd '$W' && build/tests/unit/run $suites"
	check "the unit tests of $suites pass with them" [ "$rc" = 0 ]
done
for unit in imc xyz; do
	run sh -c "cd '$W' && build/tests/unit/run regs_intel_new_$unit"
	has "the four of $unit among them" "$out" "unit: 4 passed, 0 failed"
done
run sh -c "cd '$W' && build/uncorectl maps check && build/uncorectl --machine sim:snbep list"
is "other machines are served as before" "$rc" 0

sed -i 's/at: 0xf4/at: 0xf8/' "$W/regs/intel-new-imc.yaml"
run mk all build/tests/unit/run
run sh -c "cd '$W' && build/tests/unit/run regs_intel_new"
has "a slip of the finger in the map fails its test" "$out" "unit: 7 passed, 1 failed"
