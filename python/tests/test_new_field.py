# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One line of ScheduleFields.def adds a field of a schedule: text, errors, listings, files,
Python and the page know it."""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

import pytest

import schedule_fields
from conftest import BUILD
from source_copy import Copy, run

LINE = """GNN_PRODUCT_FIELD(int64_t, tries, "tries", powers(1, 4), "", sameBits, "tries of a test",
    "all of them", "attempts of a paper")
"""

# Objects made of the struct of a product, which have to be compiled anew.
USES = re.compile(r"ProductSchedule|GemmScheduleAttr|getScheduleAttr\(\)\.get")

PROGRAM = """
import gnn_mlir
from gnn_mlir import models

model = models.gcn((8, 4))
lines = gnn_mlir.list_schedules(model, vary="tries", target="emulator")
tries = [line["schedule"].get("tries") for line in lines if line["template"] == "gemm"]
assert set(tries) == {1, 2, 4} and len(lines) > len(tries), tries
chosen = [line for line in lines if line["schedule"].get("tries") == 4]
compiled = gnn_mlir.compile(model, target="emulator", schedules=chosen)
steps = compiled.package.plan()["functions"][0]["steps"]
assert sum("copies = async, tries = 4" in step["schedule"] for step in steps) == len(chosen)
try:
    gnn_mlir.list_schedules(model, vary="depth")
except gnn_mlir.GNNError as error:
    assert "n, kind, copies, tries), got 'depth'" in str(error), error
print("good")
"""


@pytest.mark.slow  # Half a minute: test_docs.py holds the table to the page in every run.
@pytest.mark.skipif(not BUILD, reason="needs a build")
def test_one_line_adds_a_field(tmp_path):
    copy = Copy(tmp_path, "lib")
    table = copy.root / schedule_fields.TABLE
    text = table.read_text()
    first = text.index("#undef")
    table.write_text(text[:first] + LINE + text[first:])

    dialect = copy.root / "lib/Dialect/Tile/IR"  # Whole: the build may have inlined any of it.
    together = dialect / "Together.cpp"
    together.write_text("".join(f'#include "{path}"\n' for path in dialect.glob("*.cpp")))
    like = {str(together.relative_to(copy.root)): "lib/Dialect/Tile/IR/TileSchedules.cpp"}
    like.update((str(path.relative_to(copy.root)), None) for path in copy.root.glob("lib/**/*.cpp")
                if path.parent != dialect and USES.search(path.read_text()))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(copy.compile, like.keys(), like.values()))
    compiler = (copy.build / "lib/libGNNCompiler.so").resolve()
    named = compiler.with_suffix("")  # by the minor version, until 1.0
    copy.link(f"lib/{compiler.name}", copy.lib / named.name, objects)
    shutil.copy(copy.build / "bin/gnn-opt", copy.bin)
    shutil.copy(copy.build / "lib/libGNN.so", copy.lib)

    module = tmp_path / "fields.mlir"
    module.write_text("module attributes {test.a = #gnn_tile.gemm_schedule<tries = 2, n = 16>} {}")
    assert "#gnn_tile.gemm_schedule<n = 16, tries = 2>" in run([copy.bin / "gnn-opt", module])
    module.write_text("module attributes {test.a = #gnn_tile.gemm_schedule<tries = 3>} {}")
    refused = subprocess.run([copy.bin / "gnn-opt", module], capture_output=True, text=True,
                             check=False)
    assert "expected 'tries' in {1, 2, 4}, got 3" in refused.stderr
    assert run([sys.executable, "-c", PROGRAM], env={
        **os.environ, "GNN_MLIR_LIBRARY": str(copy.lib / "libGNN.so")}) == "good\n"

    page = schedule_fields.page(schedule_fields.read(copy.root))
    assert "| `tries` | 1, 2, 4 | tries of a test |  | attempts of a paper |" in page
    assert "| `tries` | all of them |" in page
