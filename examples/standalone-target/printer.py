# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a layer for the printer: python printer.py PrinterTarget.so"""

import pathlib
import sys

import numpy as np

import gnn_mlir

gnn_mlir.load_plugin(sys.argv[1])
text = (pathlib.Path(__file__).parent / "mean.mlir").read_text(encoding="utf-8")
graph = gnn_mlir.Graph(np.arange(100) % 10, np.arange(100) // 10, num_nodes=10)
mean = gnn_mlir.compile(text, target="printer")
mean(graph, {"x": np.ones((10, 16), np.float32), "w": np.ones((16, 8), np.float32)})
schedules = gnn_mlir.list_schedules(text, target="printer", vary=["count"])
print("schedules of a printer:", [line["schedule"] for line in schedules
                                  if "count" in line["schedule"]])
