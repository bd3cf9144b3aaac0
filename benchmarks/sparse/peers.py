# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of others that computes the same. A peer is a function of a `Task` that gives a function of
the inputs by name, or None where it has nothing of the kind; `Skip` says why it is not there.

`--library NAME=FILE` adds a shared library with one or both of

    int peer_spmm(int nodes, int features, int edges, const int *begin, const int *source,
                  const float *value, const int *order, const float *x, float *out,
                  void *stream);
    int peer_sddmm(int nodes, int features, int edges, const int *begin, const int *source,
                   const int *order, const float *x, const float *target, float *out,
                   void *stream);

which return 0, or an error: out[v] is the sum of value[e] x[u], out[e] = x[u] . target[v], for
edges e = (u, v) in the order of a sparse matrix with a row for each v; `order` has its rows, the
longest first."""

import ctypes
import dataclasses
import functools
import importlib
import importlib.util

import torch

import by_edges
from cases import REDUCTIONS, SLOPE
from experiment_layers import DotAttention, turbo_gnn
from torch_layers import Incidence

SUMS = ("sum", "weighted-sum", "mean")


class Skip(Exception):
    """Why a peer is not there."""


@dataclasses.dataclass
class Task:
    """A program of benchmarks/cases.py on edges; `given` are its inputs by name, `edges`
    those of the whole graph by rows, `view` the same in the user's order."""
    program: str
    edges: object
    view: object
    given: dict
    training: bool = False
    _out: object = None

    kind = property(lambda self: {"weighted-sum": "sum", "argmax": "max"}.get(
        self.program, self.program))
    is_reduction = property(lambda self: self.program in REDUCTIONS)
    on_gpu = property(lambda self: self.given[next(iter(self.given))].is_cuda)
    heads = property(lambda self: next(iter(self.given.values())).shape[1])

    def out(self):
        """A tensor as x, or with a number for each edge, that peers write to in turns."""
        if self._out is None:
            self._out = torch.empty_like(self.given["x"]) if self.is_reduction else (
                torch.empty(self.edges.count, device=self.edges.device))
        return self._out

    def spoil(self):
        """Leaves nothing there that the peer before wrote. No NaN: 0 times it is one."""
        if self._out is not None:
            self._out.fill_(7)

    def values(self):
        """The factors of rows of edges in sums."""
        return {"sum": lambda: self.edges.ones, "mean": lambda: self.edges.inverse_degrees,
                "weighted-sum": lambda: self.given["w"]}[self.program]()

    def in_order(self, values):
        """Numbers of edges by rows, in the user's order."""
        return values if self.view.is_sorted else values.index_select(0, self.view.place)


def kept(edges, key, make):
    """The result of `make` for edges, made once."""
    if key not in edges.kept:
        edges.kept[key] = make()
    return edges.kept[key]


def module(name):
    if importlib.util.find_spec(name) is None:
        raise Skip(f"{name} is not installed")
    return importlib.import_module(name)


def needs_gpu(task):
    if not task.on_gpu:
        raise Skip("needs a GPU")


def cusparse(algorithm, task):
    if task.program not in SUMS:
        return None
    needs_gpu(task)
    from sparse import cusparse as found
    out = task.out()
    product = found.spmm(task.edges, task.values(), task.given["x"], out, algorithm)

    def run(**given):
        product()
        return out
    return run


def cusparse_dot(task):
    if task.program != "dot":
        return None
    needs_gpu(task)
    from sparse import cusparse as found
    out = task.out()
    product = found.sddmm(task.edges, task.given["x"], task.given["z"], out)

    def run(**given):
        product()
        return task.in_order(out)
    return run


def cusparse_attention(task):
    """Its SDDMM and SpMM by torch, with a softmax by rows of torch."""
    if task.program != "dot-attention" or task.heads > 1:
        return None
    edges = kept(task.edges, "incidence", lambda: Incidence(
        task.edges.dst64, task.edges.src64, task.edges.nodes, task.edges.nodes))

    def run(query, key, value):
        rows = (t.squeeze(1) for t in (query, key, value))
        return DotAttention.apply(*rows, edges, query.shape[2] ** -0.5).unsqueeze(1)
    return run


def _csr(task, long=False):
    begin, source = (task.edges.begin64, task.edges.src64) if long else (
        task.edges.begin, task.edges.src)
    return torch.sparse_csr_tensor(begin, source, task.values(), (task.edges.nodes,) * 2,
                                   check_invariants=False)


def torch_sparse(task):
    """Tensors in CSR form, as users of torch have them."""
    if task.program in SUMS:
        matrix = _csr(task, long=not task.on_gpu)
        return lambda x, w=None: matrix @ x
    return None


def torch_geometric(task):
    """The path of PyG's layers for adjacencies in CSR form."""
    if not task.is_reduction or task.program == "argmax":
        return None
    module("torch_geometric")
    from torch_geometric.utils import spmm
    weighted = task.program == "weighted-sum"
    matrix = torch.sparse_csr_tensor(
        task.edges.begin64, task.edges.src64, task.given["w"] if weighted else task.edges.ones,
        (task.edges.nodes,) * 2, check_invariants=False)
    return lambda x, w=None: spmm(matrix, x, task.kind)


def torch_scatter(task):
    if not task.is_reduction:
        return None
    found = module("torch_scatter")
    source, begin = task.edges.src64, task.edges.begin64
    if task.program == "argmax":
        return lambda x: found.segment_max_csr(x[source], begin)[0]

    def run(x, w=None):
        rows = x[source] if w is None else x[source] * w.unsqueeze(1)
        return found.segment_csr(rows, begin, reduce=task.kind)
    return run


def torch_by_edges(task):
    """torch's index_select, index_add and index_reduce, with a row for each edge."""
    return functools.partial(by_edges.FUNCTIONS[task.program], task.view.src64, task.view.dst64)


def torch_segments(task):
    """torch's segment_reduce of a row for each edge."""
    if not task.is_reduction or task.program == "argmax":
        return None
    source, begin = task.edges.src64, task.edges.begin64
    is_empty = (task.edges.degrees == 0).unsqueeze(1)

    def run(x, w=None):
        rows = x[source] if w is None else x[source] * w.unsqueeze(1)
        out = torch.segment_reduce(rows, task.kind, offsets=begin, axis=0, unsafe=True)
        return out.masked_fill_(is_empty, 0)
    return run


def dgl(task):
    """Its kernels by dgl.ops, composed as its layers do."""
    module("dgl")
    import dgl
    from dgl.nn.functional import edge_softmax
    graph = kept(task.view, "dgl", lambda: dgl.graph(
        (task.view.src, task.view.dst), num_nodes=task.view.nodes))

    def attend(score, values):
        return dgl.ops.u_mul_e_sum(graph, values, edge_softmax(graph, score.unsqueeze(2)))

    def gatv2(source, target, att):
        both = by_edges.leaky_relu(dgl.ops.u_add_v(graph, source, target), SLOPE)
        return attend((both * att).sum(2), source)

    def additive(source, source_score, target_score):
        score = dgl.ops.u_add_v(graph, source_score, target_score)
        return attend(by_edges.leaky_relu(score, SLOPE), source)

    def dot_attention(query, key, value):
        score = dgl.ops.u_dot_v(graph, key, query).squeeze(2)
        return attend(score * query.shape[2] ** -0.5, value)

    found = {kind: functools.partial(lambda reduce, x: reduce(graph, x),
                                     getattr(dgl.ops, f"copy_u_{kind}"))
             for kind in ("sum", "mean", "max", "min")}
    return {**found, "weighted-sum": lambda x, w: dgl.ops.u_mul_e_sum(graph, x, w.unsqueeze(1)),
            "dot": lambda x, z: dgl.ops.u_dot_v(graph, x, z).squeeze(1), "gatv2": gatv2,
            "additive": additive, "dot-attention": dot_attention}.get(task.program)


def turbo(task):
    if task.program not in ("sum", "mean", "max", "min", "gatv2", "dot-attention"):
        return None
    module("turbo_gnn")
    needs_gpu(task)
    found, graph = kept(task.edges, "turbo", lambda: turbo_gnn(
        task.edges.graph, task.edges.src64, task.edges.dst64))
    if task.program == "gatv2":
        return lambda source, target, att: found.gatv2_aggr(graph, target, source, att,
                                                            negative_slope=SLOPE)
    if task.program == "dot-attention":
        return lambda query, key, value: found.graph_transformer_aggr(
            graph, query.view(len(query), -1), query, key, value, scale=query.shape[2] ** -0.5)
    return lambda x: found.reduction_aggr(graph, x, reduce=task.kind)


@functools.cache
def _inductor(program):
    function = by_edges.FUNCTIONS[program]
    return torch.compile(lambda *ends, **given: function(*ends, **given), dynamic=True)


def inductor(task):
    """torch.compile of the same by torch, with dynamic sizes, captured as all others, which
    "reduce-overhead" would do. Reductions without a kernel of its own keep a row for each edge: max
    and min are left out."""
    if task.kind in ("max", "min"):
        return None
    if task.on_gpu:
        module("triton")
    torch._dynamo.config.recompile_limit = 64  # One for each program and kind of size.
    return functools.partial(_inductor(task.program), task.view.src64, task.view.dst64)


def triton(task):
    if not task.is_reduction or task.program == "argmax":
        return None
    module("triton")
    needs_gpu(task)
    from sparse import triton_rows
    out = task.out()
    return lambda x, w=None: triton_rows.reduce(task.kind, task.edges, x, out, w)


def of_library(path, task):
    """One that --library names."""
    name = "peer_spmm" if task.program in SUMS else "peer_sddmm"
    if task.program not in (*SUMS, "dot"):
        return None
    try:
        function = getattr(ctypes.CDLL(str(path)), name)
    except OSError as error:
        raise Skip(str(error)) from None
    except AttributeError:
        return None
    edges, out, x = task.edges, task.out(), task.given["x"]
    is_dot = task.program == "dot"
    before, after = ([], [task.given["z"]]) if is_dot else ([task.values()], [])
    tensors = [edges.begin, edges.src, *before, edges.longest_first, x, *after, out]

    def run(**given):
        stream = torch.cuda.current_stream().cuda_stream if task.on_gpu else 0
        status = function(edges.nodes, x.shape[1], edges.count,
                          *(ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors),
                          ctypes.c_void_p(stream))
        if status:
            raise RuntimeError(f"{name}: status {status}")
        return task.in_order(out) if is_dot else out
    return run


ALL = {**{f"cuSPARSE {name}": functools.partial(cusparse, name)
          for name in ("ALG1", "ALG2", "ALG3")},
       "cuSPARSE SDDMM": cusparse_dot, "cuSPARSE, torch": cusparse_attention,
       "torch.sparse": torch_sparse, "PyG": torch_geometric, "torch-scatter": torch_scatter,
       "torch by edges": torch_by_edges, "torch segments": torch_segments, "DGL": dgl,
       "turbo-gnn": turbo, "Triton": triton, "inductor": inductor}
# They have no gradients.
FORWARD_ONLY = ("cuSPARSE ALG", "cuSPARSE SDDMM", "Triton")
# Its kernels end the process that captures them.
NOT_CAPTURED = ("turbo-gnn",)


def named(libraries):
    """All peers by name; `libraries` are "NAME=FILE"."""
    own = dict(text.partition("=")[::2] for text in libraries)
    return {**ALL, **{name: functools.partial(of_library, path) for name, path in own.items()}}
