#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program of the overlay, one aggregate of 8 features by the sum, and a graph for it.

The bytes are made from Instructions.def and the format in docs alone, apart from the library.

usage: overlay_program.py DEF FILE.ga FILE.npz FILE.npy [FEATURES]
"""

import re
import struct
import sys
import zipfile

VERTICES, N1 = 20, 16
SRC = [0, 1, 17, 3, 19, 0, 5]
DST = [1, 1, 2, 18, 18, 18, 19]


def fields(text):
    """The common fields, and of each mnemonic its code and fields."""
    def of(part, macro):
        return [(name, int(width))
                for name, width in re.findall(macro + r"\(\s*(\w+), (\d+),", part)]
    ops = {}
    for mnemonic, code, part in re.findall(
            r'GNN_OVERLAY_BEGIN\(\s*\w+,\s*"(\w+)",\s*(\d+)(.*?)GNN_OVERLAY_END\(', text, re.S):
        ops[mnemonic] = int(code), of(part, "GNN_OVERLAY_FIELD")
    return of(text, "GNN_OVERLAY_COMMON"), ops


def encode(common, ops, mnemonic, **values):
    code, own = ops[mnemonic]
    number, place = code, 6
    for name, width in common + own:
        value = values.pop(name, 0)
        assert value < 1 << width, name
        number |= value << place
        place += width
    assert not values, values
    return number.to_bytes(16, "little")


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def piece(argument):
    return text(argument) + struct.pack("<fI7Q", 0, 0, *[0] * 7)


def region(name, kind, role, address, size, rows, columns, pieces=()):
    return (text(name) + struct.pack("<II6QI", kind, role, address, size, rows, columns, 0, 0,
                                     len(pieces)) + b"".join(map(piece, pieces)))


def program(common, ops, features):
    blocks = 2
    rows = 64 * N1 * blocks
    y, a = rows, 2 * rows
    regions = [region("x", 0, 0, 0, rows, VERTICES, features, ["x"]),
               region("y", 0, 1, y, rows, VERTICES, features),
               region("a", 4, 0, a, 64 + 128, blocks * blocks, len(SRC))]

    def op(*arguments, **values):
        return encode(common, ops, *arguments, **values)

    code = [op("csi", type=0, aggregation=2, layer=1, tiles=blocks,
               **{"in": features, "out": features})]
    for j in range(blocks):
        code += [
            op("init", lock=1, count=N1, width=features, trips=blocks),
            op("load", loop=1, lock=1, space=1, address=a // 16 + j * blocks, byDescriptor=1),
            op("load", loop=1, lock=1, space=2, stride=N1, count=N1, width=features,
               byDescriptor=1),
            op("spdmm", loop=1, unlock=6, aggregation=2, width=features),
            op("store", unlock=8, end=1, space=2, address=y // 64 + j * N1, count=N1,
               width=features)]
    parameters = [8, 16, 8192, 65536, 16384, 16, 64 << 30]
    return (b"GNNA" + struct.pack("<II7Q", 2, 7, *parameters)
            + struct.pack("<4Q", VERTICES, len(SRC), N1, 16)
            + struct.pack("<I", len(regions)) + b"".join(regions)
            + struct.pack("<I", 1) + text("sum") + struct.pack("<Q", 0)
            + struct.pack("<Q", len(code)) + b"".join(code) + struct.pack("<I", 0))


def npy_bytes(code, descr, shape, values):
    header = repr({"descr": descr, "fortran_order": False, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(values)}{code}", *values))


def main():
    definitions, ga, npz, npy = sys.argv[1:5]
    features = int(sys.argv[5]) if len(sys.argv) > 5 else 8
    with open(definitions) as file:
        common, ops = fields(file.read())
    with open(ga, "wb") as file:
        file.write(program(common, ops, features))
    with zipfile.ZipFile(npz, "w") as file:
        for name, values in [("edge_src", SRC), ("edge_dst", DST), ("node_type", [0] * VERTICES)]:
            file.writestr(f"{name}.npy", npy_bytes("i", "<i4", (len(values),), values))
    with open(npy, "wb") as file:
        file.write(npy_bytes("f", "<f4", (VERTICES, features), range(VERTICES * features)))


if __name__ == "__main__":
    main()
