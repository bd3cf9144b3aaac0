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
        self.commands = json.loads((self.build / "compile_commands.json").read_text())
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

    def entry(self, source):
        """How the build compiles `source`: alone, or among others in a file of a unity build."""
        for entry in self.commands:
            file = pathlib.Path(entry["file"])
            if file == ROOT / source or (file.parent.name == "Unity" and
                                         f'"{ROOT / source}"' in file.read_text()):
                return entry
        raise LookupError(f"the build does not compile {source}")

    def compile(self, source, like=None):
        """Compiles `source` as the build compiles it, or as it does `like`, but with the
        precompiled header where there is one, and without optimization: no long code runs."""
        entry = self.entry(like or source)
        command = shlex.split(entry["command"])
        out = self.bin / (pathlib.Path(source).stem + ".o")
        command[command.index("-o") + 1] = str(out)
        command[-1] = str(self.root / source)
        more = [f"-I{self.include}", f"-I{self.root}/include"]
        if any("clang" in word for word in command[:2]):  # The first may be ccache.
            more += ["-mllvm", "-opt-bisect-limit=0", "-mllvm", "-opt-bisect-verbose=false"]
            headers = (re.search(r"-include-pch \S+", e["command"]) for e in self.commands)
            header = next(filter(None, headers), None)
            if header and "-include-pch" not in command:
                command = [word for word in command if word != "-fPIE"]  # As the header.
                more += header[0].split()
        first = command.index(f"-I{ROOT}/include")
        command[first:first] = more
        run(command, cwd=entry["directory"])
        return out

    def link(self, target, out, objects):
        """Links `target` to `out`, with new objects before its own. Those stay, since one of
        a unity build has other sources too: the first definition of a symbol counts."""
        commands = run(["ninja", "-C", self.build, "-t", "commands", target])
        command = commands.splitlines()[-1]
        assert f" -o {target} " in command
        run(command.replace(f" -o {target} ", " ".join(
            ["", "-Wl,-z,muldefs", "-o", str(out), *map(str, objects), ""])),
            shell=True, cwd=self.build)

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
