# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the file of a graph without NumPy.

    graph.py FILE.npz NODES SRC-DST[xCOUNT] ..."""

import struct
import sys
import zipfile


def npy(code, descr, values):
    header = repr({"descr": descr, "fortran_order": False, "shape": (len(values),)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(values)}{code}", *values))


def main():
    path, nodes, *edges = sys.argv[1:]
    src, dst = [], []
    for edge in edges:
        ends, _, count = edge.partition("x")
        one, other = map(int, ends.split("-"))
        src += [one] * int(count or 1)
        dst += [other] * int(count or 1)
    with zipfile.ZipFile(path, "w") as file:
        for name, values in [("edge_src", src), ("edge_dst", dst),
                             ("node_type", [0] * int(nodes))]:
            file.writestr(f"{name}.npy", npy("i", "<i4", values))


if __name__ == "__main__":
    main()
