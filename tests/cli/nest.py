# SPDX-License-Identifier: GPL-2.0-or-later
# nest.py FILE [KEY=VALUE]...: makes or changes the area of memory in which a POWER chip's microcode counts, as firmware exports it.
#   status, command, speed, available, mode, in_force, version: the words of that name; little=1: all of them little-endian
#   torn=1: the words before the groups are one ahead of those after them; length=N: the file ends there
#   run=MS: for so long it counts, an update each ms: each counter of a group gains 1 more than the one before it.  While the status is
#     2 it rests; a command is taken as the microcode takes it, unless deaf=1.
import os
import struct
import sys
import time

GROUP, TAIL, N_GROUPS, CONTROL = 0x110, 0x108, 13, 0x3FC00
AT = dict(status=CONTROL, command=CONTROL + 8, speed=CONTROL + 16, available=CONTROL + 24, mode=CONTROL + 32, in_force=CONTROL + 40, version=0x2FC00)

name = sys.argv[1]
asked = dict(one.split("=") for one in sys.argv[2:])
number = {key: int(value, 0) for key, value in asked.items()}
if not os.path.exists(name):
    area = bytearray(0x40000)
    for key, value in dict(status=1, available=0xFFFF8073F007E000, version=0x2000310520180000).items():
        area[AT[key] : AT[key] + 8] = struct.pack(">Q", value)
    open(name, "wb").write(area)
fd = os.open(name, os.O_RDWR)


def word(at):
    return struct.unpack(">Q", os.pread(fd, 8, at))[0]


def put(at, value):
    os.pwrite(fd, struct.pack(">Q", value & (1 << 64) - 1), at)


for key, value in number.items():
    if key in AT:
        put(AT[key], value)
for group in range(N_GROUPS):
    if "torn" in number:
        put(group * GROUP, word(group * GROUP + TAIL) + number["torn"])
if "little" in number:
    area = os.pread(fd, 0x40000, 0)
    os.pwrite(fd, struct.pack("<%dQ" % (len(area) // 8), *struct.unpack(">%dQ" % (len(area) // 8), area)), 0)
if "length" in number:
    os.ftruncate(fd, number["length"])
end = time.monotonic() + number.get("run", 0) / 1000
while time.monotonic() < end:
    command = 0 if "deaf" in number else word(AT["command"])
    if command:
        put(AT["status"], {1: 1, 2: 2, 3: 1}[command])
        put(AT["command"], 0)
    if word(AT["status"]) == 1:
        # One write each, as torn as the microcode's; the group's words around it say so.
        for at in range(0, N_GROUPS * GROUP, GROUP):
            old = struct.unpack(">34Q", os.pread(fd, GROUP, at))
            put(at, old[0] + 1)
            os.pwrite(fd, struct.pack(">32Q", *(value + i + 1 for i, value in enumerate(old[1:33]))), at + 8)
            put(at + TAIL, old[33] + 1)
    time.sleep(0.001)
