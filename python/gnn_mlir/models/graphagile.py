# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The eight models that GraphAGILE (Zhang et al., 2023, table V) is measured on."""

from .gat import gat
from .gcn import gcn, sgc
from .gin import gin
from .graphgym import graphgym
from .sage import sage

_MODELS = {
    "b1": lambda f, c: gcn((f, 16, c)),
    "b2": lambda f, c: gcn((f, 128, c)),
    "b3": lambda f, c: sage((f, 128, c), "mean"),
    "b4": lambda f, c: sage((f, 256, c), "mean"),
    "b5": lambda f, c: gin((f, 128, 128, 128, 128, c), hidden=128),
    "b6": lambda f, c: gat((f, 64, c)),
    "b7": lambda f, c: sgc(f, c, hops=2),
    "b8": lambda f, c: graphgym(f, c, hidden=256),
}


def graphagile(name, features, classes):
    """The model "b1" to "b8" for so many input features and classes.

    b1 and b2 are two GCN layers, b3 and b4 two of GraphSAGE, b5 is five of GIN, b6
    two of GAT with one head, b7 is SGC of two hops, b8 is GraphGym's."""
    if name not in _MODELS:
        raise ValueError(f"name: expected one of {', '.join(_MODELS)}, got "
                         f"{name!r}")
    return _MODELS[name](features, classes)
