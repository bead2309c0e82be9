# SPDX-License-Identifier: GPL-2.0-or-later
# catalogue.py WHAT...: a catalogue of POWER as a device tree's source, made up here in the shape of published ones, with their faults.
# WHAT: p9, p10, or large (as many units and events as the largest); then changes, each "OLD=>NEW" of a text in the source.
# catalogue.py tree DTB FOLDER: the tree as the files that Linux shows.  catalogue.py xz DTB OUT; catalogue.py partition OUT ID:DTB...:
# as firmware packs it.  catalogue.py flash OUT PARTITION: a flash of a POWER machine that has such a partition, and nothing else.
import lzma
import os
import struct
import sys

UNIT = """
	%(node)s {
		compatible = "ibm,imc-counters";
		type = <%(type)s>;
		size = <%(size)s>;
		reg = <%(base)s 0x8>;
		events = <&%(group)s>;
		events-prefix = "%(prefix)s";
		%(more)s
	};"""


def unit(node, base, group, prefix, scale="256", kind="0x10", size="0x40000", more=""):
    if scale:
        more += 'scale = "%s";' % scale
    if kind == "0x10":
        more += " offset = <0x180000>;"  # firmware stops where it is missing
    return UNIT % dict(node="%s@%x" % (node, base), type=kind, size=size, base=hex(base), group=group, prefix=prefix, more=more)


def group(label, events):
    text = "\n\t%s: nest-%s-events {\n\t\t#address-cells = <1>;\n\t\t#size-cells = <1>;" % (label, label)
    for event in events:
        off, name, desc = (event + ("",))[:3]
        text += '\n\t\tevent@%x { event-name = "%s"; reg = <0x%x 0x8>;%s };' % (off, name, off, desc and ' desc = "%s";' % desc)
    return text + "\n\t};"


def p9():
    text = unit("mcs01", 0xC8, "mcs01", "PM_MCS01_") + unit("mcs23", 0x48, "mcs23", "PM_MCS23_")
    for n in ("01", "23"):
        text += group("mcs" + n, [(0, "64B_RD_DISP_PORT01"), (8, "128B_RD_DISP_PORT01", "reads of ports 0, 1"), (0x10, "128B_WR_DISP_PORT01"), (0x28, "128B_RD_DISP_PORT23"), (0x30, "128B_WR_DISP_PORT23")])
    for i in range(8):
        base = (0x448 if i < 4 else 0x558 - 4 * 0x18) + i * 0x18
        text += unit("mba%d" % i, base, "mba", "PM_MBA%d_" % i, "1")
    text += group("mba", [(0, "READ_BYTES"), (8, "WRITE_BYTES"), (0x10, "CLK_CYC")])
    text += unit("powerbus0", 0x8, "pb", "PM_PB_") + group("pb", [(0x78, "CYC"), (0xF8, "CYC2")])
    for i in range(3):
        text += unit("xlink%d" % i, 0x118 + i * 0x40, "xlink", "PM_XLINK%d_" % i, "4096")
    text += group("xlink", [(0, "EVEN_CYC"), (0xC0, "EVEN_AVLBL_CYC"), (0xC8, "ODD_AVLBL_CYC")])
    text += unit("nx", 0x3F8, "nx", "PM_NX_") + group("nx", [(0, "A"), (8, "B")])
    for i in range(2):
        text += unit("nvlink%d" % i, 0x228 + i * 0x20, "ntl%d" % i, "")
        text += group("ntl%d" % i, [(0x228 + i * 0x20, "PM_NTL%d_CLK_CYC" % i)])
    text += unit("centaur0", 0x778, "centaur", "PM_CENTAUR0_", "1") + group("centaur", [(0, "PORT0_READ_BYTES")])
    text += unit("capp0", 0x6C8, "capp", "PM_CAPP1_") + group("capp", [(0, "ONE"), (8, "TWO")])
    text += unit("capp0", 0x6D0, "capp2", "PM_CAPP2_") + group("capp2", [(0, "OTHER"), (0x10, "LAST"), (0x3F930, "AT_THE_END")])
    text += unit("core", 0x18, "core", "CPM_", "512", "0x4", "0x2000") + group("core", [(0, "CYC")])
    text += unit("trace", 0, "trace", "trace_", "", "0x2") + group("trace", [(0x10200000, "cycles")])
    return "0x20", text


def p10():
    text = unit("mcs01", 0x8, "mcs", "PM_MCS01_", "4096") + unit("pb", 0xB8, "pb", "PM_PB_", "1024")
    text += unit("ocmb0", 0x998, "ocmb", "PM_OCMB0_", "65536") + unit("pb", 0xC0, "pb", "PM_PB1_", "1024")
    text += group("mcs", [(8, "128B_RD_DATA_BLOCKS_MC0_CHAN01"), (0x10, "64B_WR_DATA_BLOCKS_MC0_CHAN01")])
    text += group("pb", [(0, "CYC")]) + group("ocmb", [(8, "CAS_RD"), (0x10, "CAS_WR"), (0x100, "WORD")])
    return "0x3", text


def large():
    text = ""
    for i in range(44):
        text += unit("unit%d" % i, 0x8 + i * 0x20, "g%d" % (i // 2), "PM_UNIT%d_" % i, "65536")
        if i % 2:
            text += group("g%d" % (i // 2), [(n * 8, "EVENT_OF_THIS_LENGTH_%d" % n, "what it counts, in as many words as there usually are") for n in range(14)])
    return "0x3", text


def tree(dtb, folder):
    """The structure block alone: tags 1 begin, 2 end, 3 property, 9 the end."""
    data = open(dtb, "rb").read()
    at, strings = struct.unpack(">2I", data[8:16])
    path = []
    while True:
        (tag,) = struct.unpack(">I", data[at : at + 4])
        at += 4
        if tag == 1:
            name = data[at : data.index(b"\0", at)].decode()
            at += len(name) // 4 * 4 + 4
            path.append(name)
            os.makedirs(os.path.join(folder, *path))
            open(os.path.join(folder, *path, "name"), "wb").write(name.split("@")[0].encode() + b"\0")
        elif tag == 2:
            path.pop()
        elif tag == 3:
            size, name = struct.unpack(">2I", data[at : at + 8])
            key = data[strings + name : data.index(b"\0", strings + name)].decode()
            open(os.path.join(folder, *path, key), "wb").write(data[at + 8 : at + 8 + size])
            at += 8 + (size + 3) // 4 * 4
        elif tag == 9:
            return


def packed(dtb):
    data = lzma.compress(open(dtb, "rb").read(), check=lzma.CHECK_CRC32, preset=9)
    return data + bytes(-len(data) % 0x8000)


def summed(*words):
    """Words, and one that makes their XOR 0."""
    total = 0
    for word in words:
        total ^= word
    return struct.pack(">%dI" % (len(words) + 1), *words, total)


def flash(out, partition):
    """A header, and an entry of 128 bytes for each partition; places and sizes are in blocks of 4096 bytes (skiboot, libflash/ffs.h)."""
    blocks, data = 0x8000, open(partition, "rb").read()
    table = summed(0x50415254, 1, 1, 128, 2, 0x1000, blocks, 0, 0, 0, 0)  # "PART", version 1, a table of one block, two entries
    for number, (name, kind, base, size) in enumerate([("part", 3, 0, 0x1000), ("IMA_CATALOG", 1, 1, len(data))], 1):
        name = struct.unpack(">4I", name.encode().ljust(16, b"\0"))
        table += summed(*name, base, -(-size // 0x1000), 0xFFFFFFFF, number, kind, 0, size, *[0] * 20)
    with open(out, "wb") as file:
        file.write(table.ljust(0x1000, b"\xff") + data)
        file.truncate(blocks * 0x1000)


if sys.argv[1] == "tree":
    tree(*sys.argv[2:])
    sys.exit()
if sys.argv[1] == "flash":
    flash(*sys.argv[2:])
    sys.exit()
if sys.argv[1] == "xz":
    open(sys.argv[3], "wb").write(packed(sys.argv[2]))
    sys.exit()
if sys.argv[1] == "partition":
    head, body = b"IMCC" + struct.pack(">I", 1), b""
    for part in sys.argv[3:]:
        number, name = part.split(":")
        one = packed(name)
        head += struct.pack(">3I", int(number, 0), 0x1000 + len(body), len(one))
        body += one
    open(sys.argv[2], "wb").write(head.ljust(0x1000, b"\0") + body)
    sys.exit()
version, nodes = {"p9": p9, "p10": p10, "large": large}[sys.argv[1]]()
source = """/dts-v1/;
/ {
	compatible = "ibm,opal-in-memory-counters";
	#address-cells = <1>;
	#size-cells = <1>;
	version-id = <%s>;
%s
};
""" % (version, nodes)
for change in sys.argv[2:]:
    old, new = change.split("=>")
    if old not in source:
        sys.exit("catalogue.py: there is no %s" % old)
    source = source.replace(old, new, 1)
print(source)
