#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every labelled constraint is verified and tested.

A line `* (C2) ...` in the description of an op or attribute promises a line of
its verifier marked `// C2` and a case `@<mnemonic>_c2...` in an invalid test;
a line `* (G1) ...` in the description of a dialect promises `// G1` in its
library and a case `@dialect_g1...`. A line `* (C1) ...` in the description of a pass that
verifies forms promises `// C1` in the files of its checks, and a case `@form_c1...` in a
test `verify-form*`. It holds the other way round too: no mark and no case without a promise.

usage: check-constraints.py [ROOT]      ROOT: the source tree
"""

import re
import sys
from pathlib import Path

LABEL = re.compile(r"^\s*\* \(([CG]\d+)\)", re.M)
MARK = re.compile(r"//\s*([CG]\d+)\b")
FUNCTION = re.compile(
    r"(\w+)::(?:verify|verifyEncoding|verifyRegions|verifySymbolUses|inferReturnTypes)\("
)
CASE = re.compile(r"@(\w+?)_([cg]\d+)(?:_\w+)?\b")


def promises(td_files):
    """Maps (C++ class, mnemonic) to its labels, and collects dialect labels."""
    defs, dialect = {}, set()
    for path in td_files:
        text = path.read_text()
        starts = [m.start() for m in re.finditer(r"^(?:def|class) ", text, re.M)]
        for begin, end in zip(starts, starts[1:] + [len(text)]):
            block = text[begin:end]
            labels = LABEL.findall(block)
            if not labels:
                continue
            head = re.match(r"def (\w+)\s*:\s*(\w+)", block)
            name, base = head.groups()
            if base == "Dialect":
                dialect.update(labels)
                continue
            mnemonic = re.search(r"let mnemonic = \"(\w+)\"", block)
            if not mnemonic:
                # Its argument, or the second one of an attribute's class.
                mnemonic = re.search(r"<\s*(?:\"\w+\",\s*)?\"(\w+)\"", block)
            # The C++ class of GNN_GatherOp is GatherOp.
            key = (name.split("_", 1)[1], mnemonic.group(1))
            if len(set(labels)) != len(labels):
                sys.exit(f"{path}: {name}: a label is given twice")
            defs[key] = set(labels)
    return defs, dialect


def marks(cpp_files):
    """Maps C++ class to the labels marked in its verifier functions."""
    found, everywhere = {}, set()
    for path in cpp_files:
        text = path.read_text()
        everywhere.update(m for m in MARK.findall(text) if m[0] == "G")
        # A definition starts in the first column; its body ends at "\n}".
        for block in re.split(r"(?<=\n})\n", text):
            function = FUNCTION.search(block)
            if function:
                labels = {m for m in MARK.findall(block) if m[0] == "C"}
                found.setdefault(function.group(1), set()).update(labels)
    return found, everywhere


def cases(tests):
    """Maps mnemonic to the labels of its cases."""
    found = {}
    for path in tests:
        for mnemonic, label in CASE.findall(path.read_text()):
            found.setdefault(mnemonic, set()).add(label.upper())
    return found


def check_dialect(root, folder):
    """Returns the complaints about one dialect's folder, such as GNN/IR."""
    dialect = folder.parent.name
    defs, shared = promises(sorted(folder.glob("*.td")))
    lib = root / "lib" / "Dialect" / dialect / "IR"
    verified, shared_verified = marks(sorted(lib.glob("*.cpp")))
    tested = cases(sorted((root / "test/Dialect" / dialect).glob("invalid*.mlir")))
    complaints = []

    def compare(what, promised, got, missing, extra):
        for label in sorted(promised - got):
            complaints.append(f"{dialect}: {what} ({label}) {missing}")
        for label in sorted(got - promised):
            complaints.append(f"{dialect}: {what} ({label}) {extra}")

    compare("dialect", shared, shared_verified,
            "has no line in a verifier", "is verified but not described")
    compare("dialect", shared, tested.pop("dialect", set()),
            "has no case in an invalid test", "is tested but not described")
    wanted = {}  # An op and an attribute may share a mnemonic, and then cases.
    for (cls, mnemonic), labels in sorted(defs.items()):
        compare(mnemonic, labels, verified.pop(cls, set()),
                "has no line in its verifier", "is verified but not described")
        wanted.setdefault(mnemonic, set()).update(labels)
    for mnemonic, labels in sorted(wanted.items()):
        compare(mnemonic, labels, tested.pop(mnemonic, set()),
                "has no case in an invalid test", "is tested but not described")
    for cls, labels in sorted(verified.items()):
        compare(cls, set(), labels, "", "is verified but not described")
    for mnemonic, labels in sorted(tested.items()):
        compare(mnemonic, set(), labels, "", "is tested but not described")
    return complaints, sum(map(len, defs.values())) + len(shared)


# Passes that verify forms: the flag, the folder of the pass, its definition, the files of
# its checks, and the folder of its tests.
FORMS = (
    ("gnn-verify-form", "Stages", "VerifyForm",
     ("BlockForms.cpp", "BlockRanges.cpp", "VerifyForm.cpp"), "test/Transforms"),
    ("gnn-overlay-verify-form", "Overlay", "OverlayVerifyForm", ("OverlayForms.cpp",),
     "test/Transforms/Overlay"),
)


def check_forms(root, flag, folder, definition, files, tests):
    """Returns the complaints about the contract of a pass that verifies forms."""
    path = root / "include/GNN/Transforms" / folder / "Passes.td"
    if not path.exists():
        return [], 0
    passes = path.read_text()
    block = passes[passes.index(f"def {definition} "):]
    promised = set(LABEL.findall(block[:block.index("\n}\n")]))
    verified = {label for name in files
                for path in (root / "lib/Transforms" / folder).glob(name)
                for label in MARK.findall(path.read_text())}
    tested = cases(sorted((root / tests).glob("verify-form*.mlir"))).get("form", set())
    complaints = []
    for what, got in ("verified", verified), ("tested", tested):
        complaints += [f"{flag}: ({label}) is not {what}"
                       for label in sorted(promised - got)]
        complaints += [f"{flag}: ({label}) is {what} but not described"
                       for label in sorted(got - promised)]
    return complaints, len(promised)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1])
    folders = sorted((root / "include/GNN/Dialect").glob("*/IR"))
    complaints, total = [], 0
    for folder in folders:
        found, labels = check_dialect(root, folder)
        complaints += found
        total += labels
    for form in FORMS:
        found, labels = check_forms(root, *form)
        complaints += found
        total += labels
    if not total:
        complaints.append(f"no constraint found below {root}")
    for complaint in complaints:
        print(f"error: {complaint}", file=sys.stderr)
    if complaints:
        return 1
    print(f"{total} constraints, each verified and tested")
    return 0


if __name__ == "__main__":
    sys.exit(main())
