# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
modprobe intel_uncore
. /guest/alone.sh
