# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes PTX of one exchange between lanes for each chip of Chips.def. The version in it is
the oldest that LLVM has for the chip."""

import pathlib
import re
import subprocess
import sys

KERNEL = """
gpu.module @m {
  gpu.func @k(%x: memref<32xf32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<32xf32>
    %one = arith.constant 1 : i32
    %all = arith.constant 32 : i32
    %s, %valid = gpu.shuffle xor %v, %one, %all : f32
    memref.store %s, %x[%i] : memref<32xf32>
    gpu.return
  }
}
"""

listed = re.findall(r"^GNN_CHIP\((\w+), (\d+), \d+, \d+\)", pathlib.Path(sys.argv[1]).read_text(),
                    re.MULTILINE)
assert len(listed) > 20, listed
for chip, version in listed:
    made = subprocess.run([sys.argv[2], "--gnn-to-ptx", f"--chip={chip}"], input=KERNEL,
                          capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    found, = re.findall(r"^\.version (\d+)\.(\d)", made.stdout, re.MULTILINE)
    assert "".join(found) == version, (chip, found)
    assert f".target {chip}\n" in made.stdout, chip
