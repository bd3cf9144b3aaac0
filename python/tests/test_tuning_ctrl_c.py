# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C ends tuning and keeps what was found, in Python and of the tool."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from conftest import find_tool
from gnn_mlir import models
from test_tuning import make_graph


def interrupt(process, store):
    """Sends a process Ctrl-C once it has measured a few schedules, and waits."""
    for _ in range(600):
        if store.exists() and store.read_text().count("\n") > 5:
            break
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.wait(60)


def test_ctrl_c_keeps_what_was_found(tmp_path):
    script = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import gnn_mlir
        from gnn_mlir import models
        from test_tuning import make_graph
        found = gnn_mlir.tune(models.gcn((16, 16)), make_graph(), target="cpu", budget=600, op=2,
                              search="random", store={str(tmp_path / "store.jsonl")!r})
        assert found.stopped
        found.save({str(tmp_path / "found.jsonl")!r})
        print(sum(one["timed"] for one in found.templates))
    """)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    interrupt(process, tmp_path / "store.jsonl")
    assert process.returncode == 0 and int(process.stdout.read()) > 3
    assert (tmp_path / "found.jsonl").exists()


def test_a_second_ctrl_c_does_not_wait(tmp_path):
    script = textwrap.dedent(f"""
        import sys, time
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import gnn_mlir
        from gnn_mlir import models
        from test_tuning import make_graph

        def hang(*_):
            print("hangs", flush=True)
            time.sleep(600)
        gnn_mlir.tune(models.gcn((16, 16)), make_graph(), target="cpu", progress=hang)
    """)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "hangs\n"
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.wait(10)
    assert process.stderr.read().endswith("KeyboardInterrupt\n")


def test_ctrl_c_of_the_tool(tmp_path):
    tool = find_tool("gnn-tune")
    if tool is None:
        pytest.skip("needs gnn-tune")
    make_graph().save(tmp_path / "graph.npz")
    (tmp_path / "gcn.mlir").write_text(models.gcn((16, 16)).text())
    process = subprocess.Popen(
        [tool, tmp_path / "gcn.mlir", "--function", "gcn", "--graph", tmp_path / "graph.npz",
         "--target=cpu", "--budget=10m", "--op=2", "--search=random",
         "--out", tmp_path / "found.jsonl", "--store", tmp_path / "store.jsonl"],
        stdout=subprocess.PIPE, text=True)
    interrupt(process, tmp_path / "store.jsonl")
    table, found = process.stdout.read(), tmp_path / "found.jsonl"
    assert process.returncode == 130 and "ms tuned" in table
    # Whether a schedule was faster depends on the moment and on other work.
    assert found.exists() != ("no faster schedule is found" in table)
    if found.exists():
        assert all(json.loads(line)["schedule"] for line in found.read_text().splitlines())
