# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# With the kernel's driver loaded, which nobody uses, all is as without.
. tests/vm/judge_alone.sh

is "the driver writes BOX_CTL of each channel when it is loaded" "$(grep -c ':10\.[0145] w32 0xf4 0x00010003$' "$R/log")" "$channels"
