# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The msr driver takes no writes.
. /guest/lib.sh

echo off >/sys/module/msr/parameters/allow_writes
said wrmsr wrmsr -p 0 0xc8f 0
said raw uncorectl reg raw msr 0 0xc8f 0 --write --unmapped
said mem uncorectl mem -i 0.2 -n 1 --format csv
said doctor uncorectl doctor
echo on >/sys/module/msr/parameters/allow_writes
