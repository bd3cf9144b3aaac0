# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A copy of the sources, for tests of the scripts that write into them. Only what
is new is compiled; all else is linked from the build."""

import json
import pathlib
import re
import shlex
import shutil
import subprocess

from conftest import BUILD, ROOT

LLVM = "/usr/lib/llvm-22"


def run(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, **options)
    assert result.returncode == 0, result.stdout
    return result.stdout


class Copy:
    """Folders of the sources, built with the objects of the build."""

    def __init__(self, folder, *names):
        self.root = folder / "source"
        self.include = folder / "include"
        self.bin = folder / "bin"
        self.lib = folder / "lib"
        self.build = pathlib.Path(BUILD)
        for name in ("include", *names):
            shutil.copytree(ROOT / name, self.root / name)
        (self.root / "test").mkdir(exist_ok=True)
        shutil.copy(ROOT / "test/lit.cfg.py", self.root / "test")
        self.bin.mkdir()
        self.lib.mkdir()

    def tablegen(self, source, ending, *options):
        """Makes a generated header or source anew."""
        out = self.include / source
        out = out.with_name(out.stem + ending)
        out.parent.mkdir(parents=True, exist_ok=True)
        run([f"{LLVM}/bin/mlir-tblgen", *options, "-I", self.root / "include",
             "-I", f"{LLVM}/include", self.root / "include" / source, "-o", out])

    def compile(self, source, like=None):
        """Compiles `source` as the build compiles it, or as it does `like`, but with the
        precompiled header where there is one, and without optimization: no long code runs."""
        entries = json.loads((self.build / "compile_commands.json").read_text())
        entry = next(e for e in entries
                     if e["file"] == str(ROOT / (like or source)))
        command = shlex.split(entry["command"])
        out = self.bin / (pathlib.Path(source).stem + ".o")
        command[command.index("-o") + 1] = str(out)
        command[-1] = str(self.root / source)
        more = [f"-I{self.include}", f"-I{self.root}/include"]
        if any("clang" in word for word in command[:2]):  # The first may be ccache.
            more += ["-mllvm", "-opt-bisect-limit=0", "-mllvm", "-opt-bisect-verbose=false"]
            headers = re.findall(r" (-include-pch \S+)", "\n".join(e["command"] for e in entries))
            if headers and "-include-pch" not in command:
                command = [word for word in command if word != "-fPIE"]  # As the header.
                more += headers[0].split()
        first = command.index(f"-I{ROOT}/include")
        command[first:first] = more
        run(command, cwd=entry["directory"])
        return out

    def link(self, target, out, objects):
        """Links `target` to `out`, with new objects in the place of its own."""
        commands = run(["ninja", "-C", self.build, "-t", "commands", target])
        command = commands.splitlines()[-1]
        assert f" -o {target} " in command
        command = command.replace(f" -o {target} ", f" -o {out} ")
        for new in objects:
            name = re.escape(new.with_suffix(".cpp.o").name)
            command, count = re.subn(rf"\S*/{name}", str(new), command, count=1)
            if count == 0:
                command = command.replace(f" -o {out} ", f" -o {out} {new} ")
        run(command, shell=True, cwd=self.build)

    def lit(self, folder, tests):
        """Runs tests, a pattern, with the tools in `bin`."""
        site = (self.build / "test/lit.site.cfg.py").read_text()
        site = site.replace(str(ROOT), str(self.root))
        site = re.sub(r'(config.gnn_tools_dir = ).*', rf'\1"{self.bin}"', site)
        site = re.sub(r'(config.gnn_obj_root = ).*', rf'\1"{self.bin}"', site)
        out = self.bin / "test"
        out.mkdir()
        (out / "lit.site.cfg.py").write_text(site)
        return run([f"{LLVM}/bin/lit", "-v", out / folder, "--filter", tests])
