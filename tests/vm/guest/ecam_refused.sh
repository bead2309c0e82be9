# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Debian's kernel lets no program map configuration space.
. /guest/lib.sh

said mem uncorectl --machine live,ecam mem -n 1
said doctor uncorectl doctor
