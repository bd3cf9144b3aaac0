# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that GraphAGILE (Zhang et al., 2023, table V) is evaluated on."""

from .gat import gat
from .gcn import gcn, sgc
from .gin import gin
from .graphgym import graphgym
from .sage import sage

# By name: of the features of a node, the classes, and a width of what is between them.
_MODELS = {
    "b1": (16, lambda f, c, h: gcn((f, h, c))),
    "b2": (128, lambda f, c, h: gcn((f, h, c))),
    "b3": (128, lambda f, c, h: sage((f, h, c), "mean")),
    "b4": (256, lambda f, c, h: sage((f, h, c), "mean")),
    "b5": (128, lambda f, c, h: gin((f, h, h, h, h, c), hidden=h)),
    "b6": (64, lambda f, c, h: gat((f, h, c))),
    "b7": (None, lambda f, c, h: sgc(f, c, hops=2)),
    "b8": (256, lambda f, c, h: graphgym(f, c, h)),
}


def graphagile(name, features, classes, hidden=None):
    """A model of table V with PyG's definitions: b1 GCN, b2 GCN, b3 and b4 GraphSAGE, b5
    GIN, b6 GAT, b7 SGC, b8 GraphGym. `features` are those of a node, `classes` those of
    the result, `hidden` the width between them (None: the table's). The graph of b1, b2,
    b6, b7 and b8 needs a self loop at each node."""
    if name not in _MODELS:
        raise ValueError(f"name: expected one of {', '.join(_MODELS)}, got {name!r}")
    width, make = _MODELS[name]
    return make(features, classes, hidden or width)
