# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph file and an input without NumPy, and the first column of an output.

    arrays.py write GRAPH.npz X.npy ROWS COLUMNS
    arrays.py print Y.npy COLUMNS"""

import struct
import sys
import zipfile


def npy(code, descr, shape, values):
    header = repr({"descr": descr, "fortran_order": False, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
            header.encode() + struct.pack(f"<{len(values)}{code}", *values))


def write(graph, x, rows, columns):
    with zipfile.ZipFile(graph, "w") as file:
        for name, code, descr, values in [
                ("edge_src", "i", "<i4", [0, 1, 2, 2]),
                ("edge_dst", "i", "<i4", [1, 2, 0, 1]),
                ("edge_type", "h", "<i2", [0, 1, 1, 0]),
                ("node_type", "h", "<i2", [0, 0, 0])]:
            file.writestr(f"{name}.npy", npy(code, descr, (len(values),), values))
    with open(x, "wb") as file:
        file.write(npy("f", "<f4", (rows, columns), range(rows * columns)))


def show(path, columns):
    with open(path, "rb") as file:
        data = file.read()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    values = struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])
    print(list(values[::columns]))


if sys.argv[1] == "write":
    write(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
else:
    show(sys.argv[2], int(sys.argv[3]))
