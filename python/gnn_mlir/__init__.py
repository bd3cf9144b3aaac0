# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gnn-mlir in Python: typed graphs, programs, the compiler and its runtime."""

from . import interop, models, reference
from ._version import VERSION
from .batches import blocks
from .capi import CompileError, GNNError, get_num_threads, set_num_threads
from .compiled import Binding, CompiledFunction
from .compiler import compile, explain, export, list_schedules, load, load_plugin
from .graph import Graph
from .graph_functions import (add_inverses, add_self_loops, degrees, merge_types,
                              refine_types, renumber, select_edges, sort_edges)
from .program import Function, Module, Value
from .saved import SavedModel
from .tuning import TuneError, Tuning, tune
from .types import GraphDecl, TensorType, weight

__version__ = VERSION
__all__ = ["Binding", "CompileError", "CompiledFunction", "Function",
           "GNNError", "Graph", "GraphDecl", "Module", "SavedModel",
           "TensorType", "TuneError", "Tuning", "Value", "add_inverses", "add_self_loops", "blocks", "compile",
           "degrees", "explain", "export", "get_num_threads", "list_schedules", "load", "load_plugin",
           "merge_types", "models", "reference", "refine_types", "renumber",
           "select_edges", "set_num_threads", "sort_edges", "tune", "weight"]


def __getattr__(name):
    """`TensorGraph`, which is torch's, where it is first asked for."""
    if name != "TensorGraph":
        raise AttributeError(f"module 'gnn_mlir' has no attribute {name!r}")
    found = globals()[name] = interop.tensor_graph()
    return found
