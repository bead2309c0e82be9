# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the sources may include.
. tests/lib.sh

run tools/check-layers
check "includes point one way" [ "$rc" = 0 ]
run tools/check-freestanding
check "what must run before an operating system needs no more than it offers" [ "$rc" = 0 ]
