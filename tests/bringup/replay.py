#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/bringup/replay.py WRITES IMAGE FOLDER: replays what QEMU's driver blklogwrites logged (the format of Linux' dm-log-writes)
# on IMAGE, which is what the volume was before, and leaves in FOLDER/N/ what its folder `uncorectl` has after each sector that changed, where
# that is not what it had before.  Prints how many sectors changed.
import os
import struct
import subprocess
import sys

MAGIC, DISCARD = 0x6A736677736872, 4
log_name, image, folder = sys.argv[1:]
log = open(log_name, "rb").read()
magic, version, entries, sector = struct.unpack_from("<QQQL", log)
assert (magic, version) == (MAGIC, 1), "no log of writes"
at, looks, states, last = sector, -1, 0, None


def look():
    global looks, states, last
    looks += 1
    into = os.path.join(folder, str(states))
    os.makedirs(into)
    subprocess.run(["mcopy", "-n", "-i", image, "::uncorectl/*", into], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    now = {name: open(os.path.join(into, name), "rb").read() for name in sorted(os.listdir(into))}
    if now != last:
        states += 1
    else:
        for name in now:
            os.remove(os.path.join(into, name))
        os.rmdir(into)
    last = now


with open(image, "r+b", buffering=0) as out:
    look()
    for _ in range(entries):
        first, n, flags, _ = struct.unpack_from("<QQQQ", log, at)
        at += sector
        if flags & DISCARD:
            continue
        for k in range(n):
            sector_now = log[at + k * sector : at + (k + 1) * sector]
            out.seek((first + k) * sector)
            if out.read(sector) != sector_now:
                out.seek((first + k) * sector)
                out.write(sector_now)
                look()
        at += n * sector
assert at == len(log), "the log has more than its number of entries: %d of %d bytes" % (at, len(log))
print(looks)
