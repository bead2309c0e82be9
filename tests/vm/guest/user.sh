# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Somebody who is not root: of configuration space the kernel gives him 64 bytes.
. /guest/lib.sh

cp /guest/lib.sh /tmp/
su somebody -c "cat $ubox/config" | wc -c >bytes
said mem su somebody -c 'uncorectl mem -n 1'
said list su somebody -c 'uncorectl list'
said doctor su somebody -c 'uncorectl doctor'
