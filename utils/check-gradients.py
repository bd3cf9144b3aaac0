#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every op says what its gradient is, and has the rule that it says.

The description of an op on rows has a paragraph `Gradient: ...`. It promises
`<Op>::buildGradient` or `<Op>::buildTranspose` in the library's `Gradients`, unless it
begins with `none`. Whether the rule is right, for each operand, is the matter
of python/tests/test_differentiate.py.

usage: check-gradients.py [ROOT]      ROOT: the source tree
"""

import re
import sys
from pathlib import Path

OP = re.compile(r'^def GNN_(\w+) : GNN_(?:Row)?Op<"(\w+)"', re.M)
SAYS = re.compile(r"^\s+Gradient:\s+(\S+)", re.M)
OPERANDS = re.compile(r"let arguments = \(ins(.*?)\);", re.S)
# A definition begins in the first column; a call does not.
RULE = re.compile(r"^(?:Value|LogicalResult)\s+(\w+)::(?:buildGradient|buildTranspose)\(",
                  re.M)
# Ops in the bodies of loops and attentions have the gradient of their loop; a graph
# is no value.
WITHOUT = re.compile(r"GNN_OnOneRow|Symbol,|GNN_RowLoop|Terminator")


def find_ops(root):
    """(name, mnemonic, first word of what its gradient is or None, operands) of each
    op on rows; of operands those that are no attributes."""
    for path in sorted(root.glob("include/GNN/Dialect/*/IR/*Ops.td")):
        text = path.read_text()
        heads = list(OP.finditer(text))
        for head, end in zip(heads, [*(h.start() for h in heads[1:]), len(text)]):
            block, (name, mnemonic) = text[head.start():end], head.groups()
            if WITHOUT.search(block.split("let summary")[0]):
                continue
            says, arguments = SAYS.search(block), OPERANDS.search(block)
            operands = [n for kind, n in re.findall(
                r"([\w<>:]+):\$(\w+)", arguments[1] if arguments else "")
                if not re.search(r"Attr\b", kind)]
            yield name, mnemonic, says and says[1].lower(), operands


def check(root):
    """The number of ops, and what is wrong."""
    rules = set()
    for path in root.glob("lib/Dialect/*/IR/Gradients/*.cpp"):
        rules.update(RULE.findall(path.read_text()))
    found, complaints = 0, []
    for name, mnemonic, says, _ in find_ops(root):
        found += 1
        if not says:
            complaints.append(f"{mnemonic} does not say what its gradient is")
        elif says == "none" and name in rules:
            complaints.append(f"{mnemonic} says that it needs no gradient and has "
                              "a rule")
        elif says != "none" and name not in rules:
            complaints.append(f"{mnemonic} says what its gradient is and has no rule")
    return found, complaints


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1])
    found, complaints = check(root)
    if not found:
        complaints.append("no op found")
    for complaint in complaints:
        print(f"error: {complaint}", file=sys.stderr)
    if not complaints:
        print(f"{found} ops, each with the gradient that it says")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
