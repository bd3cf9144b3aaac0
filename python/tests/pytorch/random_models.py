# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random PyTorch models with message passing, as Python text: `random_model(seed)` is a
`Model`; the same seed gives the same. `random_model_ops` has the single ops.

A statement gives a name to a value, whose dimensions are numbers or the letters of
`SIZES`; a write in place gives none. A model runs on graphs of any sizes.
"""

import dataclasses
import linecache
import random
import re

import random_model_ops

# Nodes, nodes of another type, edges, edges from the first to the other, graphs.
SIZES = ("n", "m", "e", "c", "g")
FEATURES = (3, 4, 6)
INPUTS = {"x": ("n", 4), "z": ("m", 4), "w": ("e", 3), "weight": ("e",), "u": ("g", 4),
          "alone": ("n", 6)}
_ARGUMENTS = (*INPUTS, "edge_index", "across", "batch", "ids", "kinds", "mask")

_TEXT = """import torch
import torch_geometric.nn as pyg
import torch_geometric.utils as utils
from torch import nn
from torch.nn import functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
{members}

    def forward(self, {arguments}):
        (row, col), (source, target) = edge_index, across
        n, m, e, c, g = (x.size(0), z.size(0), edge_index.size(1), across.size(1),
                         u.size(0))
{statements}
        return {returned}
"""


@dataclasses.dataclass(frozen=True)
class Statement:
    text: str  # With {m} for what __init__ makes.
    name: str | None
    dims: tuple
    member: str | None = None  # The line of __init__, with {} for its name.

    def uses(self):
        return set(re.findall(r"\bv\d+\b", self.text))


@dataclasses.dataclass(frozen=True)
class Model:
    seed: int
    statements: tuple
    results: tuple  # Expressions.
    form: str  # tuple, dict or nested
    in_loss: tuple  # Whether the loss reads each result.
    training: bool
    inputs_with_gradients: bool

    def source(self):
        members, lines = [], []
        for statement in self.statements:
            member = (statement.name or "").replace("v", "m")
            if statement.member:
                members.append("self." + statement.member.replace("{}", member))
            text = statement.text.replace("{m}", "self." + member)
            lines += (f"{statement.name} = {text}" if statement.name else text).split("\n")
        names = ", ".join(self.results)
        returned = {
            "tuple": f"({names},)",
            "dict": "{" + ", ".join(f"'r{i}': {r}" for i, r in enumerate(
                self.results)) + "}",
            "nested": f"({self.results[0]}, [{', '.join(self.results[1:])}])"}[self.form]
        return _TEXT.format(
            members="\n".join(" " * 8 + line for line in members or ["pass"]),
            statements="\n".join(" " * 8 + line for line in lines),
            arguments=", ".join(_ARGUMENTS), returned=returned)

    def build(self):
        """The module, with parameters of the seed."""
        import torch
        source, name = self.source(), f"<random model {self.seed}>"
        linecache.cache[name] = len(source), None, source.splitlines(True), name
        scope = {"__name__": "random_model"}
        exec(compile(source, name, "exec"), scope)
        torch.manual_seed(self.seed)
        module = scope["Model"]().train(self.training)
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(torch.randn(parameter.shape) * 0.5)
        return module

    def without(self, number):
        """Without a statement, and all that needs it; None where no result is left."""
        gone, kept = set(), []
        for i, statement in enumerate(self.statements):
            if i == number or statement.uses() & gone:
                gone.add(statement.name)
            else:
                kept.append(statement)
        keep = [i for i, r in enumerate(self.results)
                if not set(re.findall(r"\bv\d+\b", r)) & gone]
        return self.with_results(keep, tuple(kept))

    def with_results(self, keep, statements=None):
        if not keep:
            return None
        return dataclasses.replace(
            self, statements=self.statements if statements is None else statements,
            results=tuple(self.results[i] for i in keep),
            in_loss=tuple(self.in_loss[i] for i in keep))

    def giving(self, number):
        """With the value of a statement as its only result; None where it has none."""
        name = self.statements[number].name
        if name is None or self.results == (name,):
            return None
        return dataclasses.replace(self, results=(name,), in_loss=(True,), form="tuple")

    def passed_through(self, number):
        """With an input in place of a statement, or the first value that it uses, of the
        same dimensions; None where there is none."""
        statement = self.statements[number]
        dims = {s.name: s.dims for s in self.statements[:number] if s.name}
        same = [name for name, d in INPUTS.items() if d == statement.dims] or [
            use for use in sorted(statement.uses()) if dims[use] == statement.dims]
        if not statement.name or not same or statement.text == same[0]:
            return None
        changed = dataclasses.replace(statement, text=same[0], member=None)
        return dataclasses.replace(self, statements=(
            *self.statements[:number], changed, *self.statements[number + 1:]))


class Growing:
    """A model in the making: `random_model_ops` choose values of it and add more."""

    def __init__(self, seed):
        self.rng, self.statements = random.Random(seed), []
        self.values = dict(INPUTS)

    def coin(self, p=0.5):
        return self.rng.random() < p

    def pick(self, wanted=lambda dims: True):
        """The name of a value, the later the likelier; IndexError where none is."""
        found = [name for name, dims in self.values.items() if wanted(dims)]
        return found[-1 - int(len(found) * self.rng.random() ** 2)] if found else [][0]

    def dims(self, name):
        return self.values[name]

    def rows(self, letter):
        """A value [letter, features]."""
        return self.pick(lambda d: len(d) == 2 and d[0] == letter and
                         isinstance(d[1], int))

    def add(self, text, dims, member=None):
        name = f"v{len(self.statements)}"
        self.statements.append(Statement(text, name, tuple(dims), member))
        self.values[name] = tuple(dims)
        return name

    def write(self, text):
        self.statements.append(Statement(text, None, ()))


def random_model(seed, ops=None):
    t = Growing(seed)
    count = ops or t.rng.randint(4, 16)
    random_model_ops.message_passing(t)
    while len(t.statements) < count:
        try:
            t.rng.choice(random_model_ops.OPS)(t)
        except IndexError:  # No value is of the kind.
            continue
    if t.coin():
        random_model_ops.message_passing(t)
    made = [name for name in t.values if name not in INPUTS]
    results = [made[-1], *t.rng.sample(made, min(len(made), t.rng.randint(0, 3)))]
    if t.coin(0.2):
        results.append(t.rng.choice((results[0], "x", "x[:2]", f"{results[0]}[...]",
                                     f"{results[0]}.clone()", f"{results[0]}.detach()",
                                     "edge_index", f"{results[0]} + 0")))
    return Model(seed, tuple(t.statements), tuple(results),
                 t.rng.choice(("tuple", "dict", "nested")),
                 (True, *(t.coin(0.7) for _ in results[1:])), t.coin(), t.coin(0.8))
