# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gnn-mlir in Python: typed graphs, programs, the compiler and its runtime."""

from . import models, reference
from .graph import Graph
from .graph_functions import (add_inverses, add_self_loops, degrees, merge_types,
                              refine_types, renumber)
from .program import Function, Module, Value
from .types import GraphDecl, PlacedType, TensorType, weight

__version__ = "0.1.0"
__all__ = ["Function", "Graph", "GraphDecl", "Module", "PlacedType",
           "TensorType", "Value", "add_inverses", "add_self_loops", "degrees",
           "merge_types", "models", "reference", "refine_types", "renumber", "weight"]
