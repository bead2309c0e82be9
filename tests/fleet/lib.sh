# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# For the tests of this folder, after tests/lib.sh.

# sound NAME FILE: promtool finds nothing in an exposition, or for OpenMetrics a strict parser.
sound() {
	case "$(tail -1 "$2")" in
	'# EOF') /usr/bin/python3 tests/fleet/strict.py "$2" >"$T/finds" 2>&1 ;;
	*) promtool check metrics <"$2" >"$T/finds" 2>&1 ;;
	esac
	rc=$?
	is "nothing is found in $1" "$rc $(cat "$T/finds")" "0 "
}
# last_of FILE: the last exposition in it.
last_of() { awk '/^# HELP uncore_build_info/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }' "$1"; }
