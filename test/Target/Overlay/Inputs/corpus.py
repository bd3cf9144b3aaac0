# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Disassembles and assembles the programs in the fuzzer's corpus, and compares.

    corpus.py FOLDER PREFIX GNN-TRANSLATE"""

import pathlib
import subprocess
import sys


def main():
    folder, prefix, translate = sys.argv[1:]
    same, differ, files = 0, [], sorted(pathlib.Path(folder).iterdir())
    for path in files:
        data = path.read_bytes()
        data = data[data.index(b"GNNA"):]
        pathlib.Path(f"{prefix}.ga").write_bytes(data)
        made = subprocess.run([translate, "--overlay-to-mlir", f"{prefix}.ga", "-o",
                               f"{prefix}.mlir"], capture_output=True, text=True, check=False)
        if made.returncode:
            assert made.returncode == 1 and "error: " in made.stderr, (path.name, made)
            continue
        again = f"{prefix}.again.ga"
        subprocess.run([translate, "--gnn-to-overlay", f"{prefix}.mlir", "-o", again], check=True)
        # The fuzzer's bytes go on behind the program.
        if data.startswith(pathlib.Path(again).read_bytes()):
            same += 1
        else:
            differ.append(path.name)
    print(f"{len(files)} files, {same} the same again")
    print(f"{len(differ)} differ", *differ)


if __name__ == "__main__":
    main()
