# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What is recorded here is replayed outside.
. /guest/lib.sh

said list uncorectl record list.rec -- list -v
said mem uncorectl record mem.rec -- mem -i 0.2 -n 3
said csv uncorectl record csv.rec -- mem -i 0.2 -n 3 --format csv
said stat uncorectl record stat.rec -- stat -e '{cas_count.rd,cas_count.wr},dclk' -i 0.2 -n 2 --format jsonl
said doctor uncorectl record doctor.rec -- doctor
