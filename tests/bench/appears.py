#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/bench/appears.py FILE WORDS MORE: the milliseconds between WORDS and MORE in a file that grows, which is looked at each millisecond."""
import re
import sys
import time

path, *wanted = sys.argv[1:]
seen = []
end = time.monotonic() + 100
text = b""
while len(seen) < len(wanted):
    if time.monotonic() > end:
        sys.exit("appears.py: %r did not appear in %s" % (wanted[len(seen)], path))
    try:
        with open(path, "rb") as file:
            text = file.read()
    except FileNotFoundError:
        pass
    if re.search(wanted[len(seen)].encode(), text):
        seen.append(time.monotonic())
    else:
        time.sleep(0.001)
print("%.0f" % ((seen[1] - seen[0]) * 1000))
