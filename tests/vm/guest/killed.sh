# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Ours is killed while perf counts, and what it left put back.
. /guest/lib.sh

modprobe intel_uncore
controls >before
perf_begin
controls >counting
mem_begin
kill -KILL "$mem"
wait "$mem" || :
controls >left
said recover uncorectl recover
controls >after
said again uncorectl recover
perf_end
