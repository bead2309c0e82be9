# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Configuration space in memory, which a kernel that was started with iomem=relaxed lets programs map.
. /guest/lib.sh

controls >before
between 100 said mem uncorectl --machine live,ecam --trace trace mem -i 0.5 -n 2 --format csv
said dump uncorectl reg dump
said ecam_dump uncorectl --machine live,ecam reg dump
said doctor uncorectl doctor
controls >after
