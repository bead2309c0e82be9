# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Ours alone; loaded.sh has the same once the kernel's driver is there.
. /guest/lib.sh

controls >before
case $(channels | head -n 1) in *:*) act=act_count ;; *) act=act_count.all ;; esac
said list uncorectl list -v
between 100 said mem uncorectl mem -i 0.5 -n 2 --format csv
between 101 said stat uncorectl stat -e '{cas_count.rd,cas_count.wr},'"$act" -i 0.5 -n 2 --format csv
controls >after
