# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms of layers of a model on a dict of graphs: sums over relations."""

import dataclasses

import torch

from ..analysis.values import features


@dataclasses.dataclass(eq=False)
class Term:
    """The term of a relation in the rows of a node type: `chain` of linear ops behind an
    aggregation, `anchor`, over the edges of `graph`; or `end`, by any ops behind one."""

    anchor: torch.fx.Node
    chain: list
    graph: object
    factor: float
    end: torch.fx.Node = None

    @property
    def key(self):
        """Terms of other keys are no one op over all edges."""
        if self.end is not None:
            return "end", features(self.end)
        message, index, size, kind = self.anchor.args
        return kind, features(message), tuple(
            (node.target, features(node)) for node in self.chain)


@dataclasses.dataclass(eq=False)
class Sum:
    """The sum of a node type in a layer, or a maximum: `axis` is that of its rows."""

    root: torch.fx.Node
    axis: object
    terms: list
    rows: list  # (node, factor): rows of the nodes themselves
    biases: list  # (node, factor): tensors that all rows have
    is_linear: bool = True  # Whether it is all this.
    kind: str = "sum"  # The reduction of its terms.
