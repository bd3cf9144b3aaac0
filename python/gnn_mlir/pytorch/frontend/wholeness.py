# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops that torch computes of a captured model, and whether the model is whole: the one
place that says it.

Torch may compute what depends on integers alone, and data: what inputs are made of, without
weights, before the program that reads it. It may take parts of inputs and of what a program
gives. A model is whole where that is all that torch computes with rows.

`fullgraph=True` is less strict: it refuses a model where torch brings rows together. These ops
do, whatever their rows are:

* aggregations by ids, and norms;
* ids in an order of values, by which each group of rows has a median.

These do where their rows are no data:

* gathers, scatters and repetitions by ids;
* ops along rows in their order or by their values: softmax, sums of all rows before, sorts;
* reductions of all rows of a graph that leave features.

So ops of each row alone and products of rows with rows may be torch's before and behind the
program, and losses, which are one number."""

import re

import torch

from .analysis.dimensions import GATHERS, kept
from .analysis.values import GETITEM, is_floats, value_of
from .raising.raiser import CaptureError
from .tracing.vocabulary import OPS

aten = torch.ops.aten

_PARTS = ("slice", "split_with_sizes", "split_types", "getitem", "select", "view", "movedim",
          "unbind", "detach")
_NORM = re.compile("(batch|layer|group|instance|rms)_norm")
_IN_ORDER = ("softmax", "log_softmax", "cumsum", "cumprod", "logcumsumexp", "cummax", "cummin",
             "sort", "argsort", "msort", "topk", "kthvalue", "median", "nanmedian", "mode",
             "quantile", "nanquantile")
# Rows that ids pick, and entries of sparse matrices with loops, which are sorted. Other
# rows that ids bring together are aggregated.
_PICKS = GATHERS | {aten.gather.default, aten.take_along_dim.default, aten.take.default,
                    aten.repeat_interleave.self_Tensor, aten.index_copy.default,
                    aten.scatter.src, OPS.kept_edges.default, OPS.extend_edges.default,
                    OPS.extend_remaining.default, OPS.placed.default, OPS.reduced.default}
# Ops whose ids are of their one dimension.
_ALONG_IDS = {aten.gather.default, aten.take_along_dim.default, aten.index_select.default,
              aten.scatter.src, aten.scatter_add.default, aten.scatter_reduce.two,
              aten.index_add.default, aten.index_copy.default, aten.index_reduce.default}
_OF_MASK = {aten.view.default, aten.squeeze.default, aten.squeeze.dim, aten.select.int,
            aten.unbind.int, GETITEM}
_OF_TYPES = (OPS.join_types.default, OPS.split_types.default)


def left(outer):
    """[(node, why)] for what torch computes with rows that a whole model has not; where there
    is none between two programs, of what torch computes there."""
    rows = _Rows(outer.raiser)
    found = [node for node in _of_torch(outer.raiser, outer.made)
             if rows.are_left(node) or rows.are_brought_together(node)]
    if not found and len(outer.calls) > 1:
        found = list(filter(None, [outer.raiser.between()]))
    return [(node, _why(outer, node)) for node in found]


def refuse(outer):
    """Raises CaptureError where torch brings rows together."""
    node = _together(outer.raiser, outer.made)
    if node is not None:
        raise CaptureError.at(node, _why(outer, node))


def is_together(raiser):
    """Whether torch brings rows together of a graph that is raised."""
    return _together(raiser, raiser.needed) is not None


def name_of(node):
    """The name of an op, without its namespace and overload."""
    return str(getattr(node.target, "_opname", getattr(node.target, "__name__", "")))


def _of_torch(raiser, made):
    """The nodes among some that torch computes; an op with several results is one node."""
    outputs = {node for segment in raiser.segments for node in segment.outputs}
    return [node for node in raiser.graph.nodes
            if node.op == "call_function" and node.target is not GETITEM and
            node in made and node not in outputs]


def _together(raiser, made):
    rows = _Rows(raiser)
    return next(filter(rows.are_brought_together, _of_torch(raiser, made)), None)


def _why(outer, node):
    """Why torch computes a node: what a program has an op for, because an op that reads it is
    torch's."""
    behind = [node]
    for one in behind:
        if one in outer.raiser.reasons:
            return outer.raiser.reasons[one]
        behind += [user for user in one.users if user in outer.made and user not in behind]
    return "it has no gather or sum over edges beside it"


class _Rows:
    """Which nodes of a raised graph are rows, and what they are made of."""

    def __init__(self, raiser):
        self._raiser, self._data, self._integers = raiser, set(), set()
        for node in raiser.graph.nodes:
            given = set(node.all_input_nodes)
            if node.op == "placeholder":
                is_data, is_integers = not node.meta["is_weight"], not is_floats(value_of(node))
            else:
                is_data, is_integers = given <= self._data, given <= self._integers
            if is_data and raiser.phase(node) == 0:
                self._data.add(node)
            if is_integers and raiser.phase(node) == 0:
                self._integers.add(node)

    def are_left(self, node):
        """Whether a node is rows that are neither data nor parts."""
        value = node.meta.get("val")
        values = value if isinstance(value, (list, tuple)) else [value]
        items = [user for user in node.users if user.target is GETITEM]
        has_rows = any(self._raiser.row_dim(one) is not None for one in (node, *items)) or any(
            is_floats(one) and any(isinstance(size, torch.SymInt) for size in one.shape)
            for one in values)
        return has_rows and node not in self._data and not (
            name_of(node) in _PARTS and self._is_part(node))

    def _is_part(self, node):
        """Whether a node is some rows of what a program gives, or of an input."""
        source = node.args[0]
        return self._raiser.is_value(source) or source.op == "placeholder" or (
            name_of(source) in _PARTS and self._is_part(source))

    def are_brought_together(self, node):
        """Whether a node's result is made of several rows, as the module's rule has it."""
        name, dims = name_of(node), {}
        if node in self._integers or node.target in _OF_TYPES:
            return False
        if self._are_ids_by_values(node):
            return True
        for x in node.all_input_nodes:
            if is_floats(value_of(x)) and self._dims(x):
                dims[x] = self._dims(x)
        if not dims:
            return False
        if _NORM.search(name):
            return True
        is_prepared = node in self._data and node in self._raiser.feeding
        if _is_by_ids(node, name, dims):
            return node.target not in _PICKS or not is_prepared
        return not is_prepared and any(
            _is_in_order(node, name, x, dim) or _is_reduced(node, x, dim)
            for x in dims for dim in dims[x] if self._is_of_graph(x, dim))

    def _are_ids_by_values(self, node):
        """Whether integers are picked in an order that floats have."""
        if node.target not in _PICKS or is_floats(node.meta.get("val")):
            return False
        picked, *others = node.all_input_nodes
        return picked in self._integers and any(
            x not in self._integers and _is_ids(x) for x in others)

    def _dims(self, node):
        """The dimensions of a tensor that are rows, of a graph or of as many as there are."""
        value = value_of(node)
        return {dim for dim, size in enumerate(getattr(value, "shape", ())) if isinstance(
            size, torch.SymInt) or self._is_of_graph(node, dim)}

    def _is_of_graph(self, node, dim):
        return bool(self._raiser.graphs.roles_of(self._raiser.axes.of(node, dim)))


# -- What ops do with rows ------------------------------------------------------------------------

def _is_by_ids(node, name, rows):
    """Whether ids say which rows of operands a result of floats is made of. A loss takes numbers
    of classes."""
    if "loss" in name or not is_floats(node.meta.get("val")) or not any(
            map(_is_ids, node.all_input_nodes)):
        return False
    dim = _dim(node)
    if dim is None or node.target not in _ALONG_IDS:
        return any(dims - kept(node, x).keys() for x, dims in rows.items())
    return any(dim % value_of(x).dim() in dims for x, dims in rows.items())


def _is_ids(node):
    """Whether a node is integers, but for the places of a mask: its rows are parts."""
    value = value_of(node)
    if not isinstance(value, torch.Tensor) or value.is_floating_point() or (
            value.dtype == torch.bool or value.dim() == 0):
        return False
    while node.target in _OF_MASK:
        node = node.args[0]
    return node.target != aten.nonzero.default


def _dim(node):
    """The one dimension that an op is told, None without one."""
    arguments = node.target._schema.arguments if hasattr(node.target, "_schema") else ()
    for place, one in enumerate(arguments):
        if one.name == "dim":
            found = node.args[place] if place < len(node.args) else node.kwargs.get(
                "dim", one.default_value)
            return found if isinstance(found, int) else None
    return None


def _is_in_order(node, name, x, dim):
    """Whether a result is made of rows in an order: that of their numbers or of their values."""
    along = _dim(node)
    return name.strip("_") in _IN_ORDER and along is not None and (
        along % value_of(x).dim() == dim)


def _is_reduced(node, x, dim):
    """Whether all rows become one, which has features."""
    value = node.meta.get("val")
    return torch.Tag.reduction in getattr(node.target, "tags", ()) and (
        dim not in kept(node, x) and isinstance(value, torch.Tensor) and value.numel() != 1)


def refuse_splits(raiser, segments):
    """Raises CaptureError where torch computes between two programs, or all."""
    if len(segments) == 1:
        return
    node = raiser.between() if segments else next(iter(raiser.reasons), None)
    size = raiser.awaited() if segments and node is None else None
    if size is not None:
        raise CaptureError.at(size, "a program is made with this size, which is not known "
                              "before another has run")
    if node is None and len(segments) > 1:  # A graph is made of a program's results.
        node = next((node for node in raiser.reasons if raiser.phase(node) > 0), None)
    if node is not None:
        raise CaptureError.at(node, raiser.reasons.get(
            node, "a part without a gather or a sum over edges between two with one"))
    if segments:
        raise CaptureError(f"expected one program, got {len(segments)}")
