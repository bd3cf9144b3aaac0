# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/new-pass.py writes a pass that builds and whose test passes.

Only what the new pass adds is compiled: its source, and gnn-opt, which
registers it. All else is linked from the build.
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT

LIT = "/usr/lib/llvm-22/bin/lit"


def run(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, **options)
    assert result.returncode == 0, result.stdout
    return result.stdout


def new_pass(root, *arguments):
    return run([sys.executable, ROOT / "utils/new-pass.py", "--root", root,
                *arguments]).split()


class Copy:
    """A copy of the sources, built with the objects of the build."""

    def __init__(self, folder):
        self.root = folder / "source"
        self.include = folder / "include"
        self.bin = folder / "bin"
        self.build = pathlib.Path(BUILD)
        for name in ("include", "lib/Transforms", "test/Transforms",
                     "tools/gnn-opt"):
            shutil.copytree(ROOT / name, self.root / name)
        for name in ("lit.cfg.py",):
            shutil.copy(ROOT / "test" / name, self.root / "test")
        self.bin.mkdir()

    def tablegen(self):
        """Makes the passes' declarations anew."""
        out = self.include / "GNN/Transforms/Passes.h.inc"
        out.parent.mkdir(parents=True)
        run(["/usr/lib/llvm-22/bin/mlir-tblgen", "-gen-pass-decls",
             "-name=GNNTransforms", "-I", self.root / "include", "-I",
             "/usr/lib/llvm-22/include",
             self.root / "include/GNN/Transforms/Passes.td", "-o", out])

    def compile(self, like, source):
        """Compiles `source` as the build compiles `like`."""
        entries = json.loads((self.build / "compile_commands.json").read_text())
        entry = next(e for e in entries if e["file"] == str(ROOT / like))
        command = shlex.split(entry["command"])
        out = self.bin / (pathlib.Path(source).stem + ".o")
        command[command.index("-o") + 1] = str(out)
        command[-1] = str(self.root / source)
        first = command.index(f"-I{ROOT}/include")
        command[first:first] = [f"-I{self.include}", f"-I{self.root}/include"]
        run(command, cwd=entry["directory"])
        return out

    def link(self, objects):
        """Links gnn-opt with new objects in the place of its own."""
        commands = run(["ninja", "-C", self.build, "-t", "commands", "gnn-opt"])
        command = commands.splitlines()[-1]
        assert " -o bin/gnn-opt " in command
        command = command.replace(" -o bin/gnn-opt ", f" -o {self.bin}/gnn-opt ")
        command, count = re.subn(r"\S*/gnn-opt\.cpp\.o",
                                 " ".join(map(str, objects)), command, count=1)
        assert count == 1
        run(command, shell=True, cwd=self.build)

    def lit(self):
        """Runs the tests of the passes with the new gnn-opt."""
        site = (self.build / "test/lit.site.cfg.py").read_text()
        site = site.replace(str(ROOT), str(self.root))
        site = re.sub(r'(config.gnn_tools_dir = ).*', rf'\1"{self.bin}"', site)
        site = re.sub(r'(config.gnn_obj_root = ).*', rf'\1"{self.bin}"', site)
        tests = self.bin / "test"
        tests.mkdir()
        (tests / "lit.site.cfg.py").write_text(site)
        return run([LIT, "-v", tests / "Transforms", "--filter",
                    "unroll-rows|keep-types"])


@pytest.mark.skipif(not BUILD, reason="needs a build")
def test_new_passes_build_and_pass_their_tests(tmp_path):
    copy = Copy(tmp_path)
    written = new_pass(copy.root, "UnrollRows", "--level", "gnn_tile")
    assert written == ["include/GNN/Transforms/Passes.td",
                       "lib/Transforms/CMakeLists.txt",
                       "lib/Transforms/UnrollRows.cpp",
                       "test/Transforms/unroll-rows.mlir"]
    new_pass(copy.root, "KeepTypes")
    run(["clang-format-22", "--dry-run", "--Werror",
         *copy.root.glob("lib/Transforms/*.cpp")], cwd=ROOT)
    sources = re.findall(r"^  (\w\S*\.cpp)$", (
        copy.root / "lib/Transforms/CMakeLists.txt").read_text(), re.M)
    assert "UnrollRows.cpp" in sources and "KeepTypes.cpp" in sources
    assert sources == sorted(sources)
    copy.tablegen()
    like = "lib/Transforms/PlanMemory.cpp"
    copy.link([copy.compile(like, "lib/Transforms/UnrollRows.cpp"),
               copy.compile(like, "lib/Transforms/KeepTypes.cpp"),
               copy.compile("tools/gnn-opt/gnn-opt.cpp",
                            "tools/gnn-opt/gnn-opt.cpp")])
    assert re.search(r"Passed\s*: 2 ", copy.lit())


@pytest.mark.parametrize("name, message", [
    ("compact-rows", "expected a name such as CompactRows, got 'compact-rows'"),
    ("CompactRowsPass", "expected a name such as CompactRows"),
    ("PlanMemory", "there is a pass PlanMemory already"),
])
def test_bad_names(name, message):
    result = subprocess.run([sys.executable, ROOT / "utils/new-pass.py", name],
                            capture_output=True, text=True)
    assert result.returncode == 1
    assert message in result.stderr
