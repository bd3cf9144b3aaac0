# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a graph of 150 nodes, one of them a hub, as graph.py of the passes' tests does."""

import pathlib
import random
import subprocess
import sys

WRITER = pathlib.Path(__file__).parents[3] / "Transforms/Overlay/Inputs/graph.py"

draw = random.Random(1)
edges = [f"{draw.randrange(150)}-{draw.randrange(150) if i > 300 else 17}" for i in range(900)]
subprocess.run([sys.executable, WRITER, sys.argv[1], "150", *edges], check=True)
