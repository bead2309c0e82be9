# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Another user than root: the kernel gives it 64 bytes of configuration space.
. /guest/lib.sh

cp /guest/lib.sh /tmp/
su user -c "cat $ubox/config" | wc -c >bytes
said mem su user -c 'uncorectl mem -n 1'
said list su user -c 'uncorectl list'
said doctor su user -c 'uncorectl doctor'
