# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end's view of ops and dimensions, against what they do: each index of each
dimension of an operand is changed, and the indices of results that change with it are found."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from gnn_mlir.pytorch.frontend.analysis import dimensions  # noqa: E402
from gnn_mlir.pytorch.frontend.analysis.values import GETITEM  # noqa: E402
from gnn_mlir.pytorch.frontend.raising import raiser  # noqa: E402,F401
from gnn_mlir.pytorch.frontend.raising.tags import HANDLERS  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing.vocabulary import OPS  # noqa: E402

aten = torch.ops.aten
F, K = 4, 3  # Features, and others.


def rows(*sizes):
    return torch.randn(*sizes, dtype=torch.float64)


def ids(count, most):
    return torch.randint(most, (count,))


def named(text):
    name, _, overload = text.partition(".")
    return getattr(getattr(aten, name), overload or "default")


OF_ONE = """relu sigmoid tanh exp expm1 log log1p sqrt rsqrt abs neg erf sin cos floor ceil atan round
trunc silu leaky_relu elu reciprocal square sign sgn hardtanh relu6 hardsigmoid hardswish
softshrink hardshrink selu celu rrelu softplus log_sigmoid mish gelu nan_to_num isinf _to_copy
detach acos isnan clone lgamma""".split()
OF_TWO = """add.Tensor sub.Tensor mul.Tensor div.Tensor maximum minimum eq.Tensor ne.Tensor lt.Tensor
le.Tensor gt.Tensor ge.Tensor logaddexp atan2 copy pow.Tensor_Tensor""".split()
WITH_NUMBER = """add.Scalar sub.Scalar mul.Scalar div.Scalar rsub.Scalar clamp clamp_min clamp_max
pow.Tensor_Scalar eq.Scalar ne.Scalar lt.Scalar le.Scalar gt.Scalar ge.Scalar""".split()
REDUCED = """sum.dim_IntList mean.dim amax amin logsumexp var.dim std.dim var.correction
std.correction""".split()
# By op: functions of a number of rows that give arguments.
CASES = {
    **{name: [lambda n: (rows(n, F).abs() if name != "erf" else rows(n, F),)] for name in OF_ONE},
    **{name: [lambda n: (rows(n, F), rows(n, F)), lambda n: (rows(n, F), rows(F)),
              lambda n: (rows(n, F), rows(1, F)), lambda n: (rows(n, K, F), rows(n, 1, F)),
              lambda n: (rows(n, F), rows(n, 1))] for name in OF_TWO},
    **{name: [lambda n: (rows(n, F), 0.3)] for name in WITH_NUMBER},
    **{name: [lambda n: (rows(n, K, F), [1]), lambda n: (rows(n, K, F), [0]),
              lambda n: (rows(n, K, F), [-1, 0])] for name in REDUCED},
    "sum.dim_IntList keepdim": [lambda n: (rows(n, K, F), [1], True),
                                lambda n: (rows(n, K, F), None, True),
                                lambda n: (rows(n, F), [], False)],
    **{name: [lambda n: (rows(n, F),)] for name in (
        "sum", "mean", "max", "min", "std", "prod", "squeeze", "t")},
    "max.dim": [lambda n: (rows(n, K, F), 1), lambda n: (rows(n, F), 0, True)],
    "min.dim": [lambda n: (rows(n, K, F), -1, True)],
    "linalg_cross": [lambda n: (rows(n, 3), rows(n, 3)), lambda n: (rows(n, 3), rows(1, 3))],
    "cross": [lambda n: (rows(n, 3, K), rows(n, 3, K), 1), lambda n: (rows(n, 3), rows(n, 3))],
    "argmax": [lambda n: (rows(n, F), 1), lambda n: (rows(n, F), 0)],
    "linalg_vector_norm": [lambda n: (rows(n, K, F), 2, [1]), lambda n: (rows(n, F), 2),
                           lambda n: (rows(n, F), 2, [0], True)],
    **{name: [lambda n: (rows(n, K, F), 1), lambda n: (rows(n, F), 0)] for name in (
        "softmax.int", "log_softmax.int", "cumsum", "cumprod", "logcumsumexp", "cummax", "cummin",
        "sort", "argsort")},
    "_softmax": [lambda n: (rows(n, F), 1, False)],
    "_log_softmax": [lambda n: (rows(n, F), 0, False)],
    "flip": [lambda n: (rows(n, F), [0]), lambda n: (rows(n, F), [1])],
    "roll": [lambda n: (rows(n, F), [1], [1]), lambda n: (rows(n, F), [1, 2], [0, 1])],
    "topk": [lambda n: (rows(n, F), 2), lambda n: (rows(n, F), 2, 0)],
    "glu": [lambda n: (rows(n, F),), lambda n: (rows(2 * n, F), 0)],
    "narrow": [lambda n: (rows(n, F), 1, 1, 2), lambda n: (rows(n, F), 0, 1, 2)],
    "split.Tensor": [lambda n: (rows(n, F), 2, 1), lambda n: (rows(n, F), 2)],
    "split_with_sizes": [lambda n: (rows(n, F), [1, 3], 1)],
    "chunk": [lambda n: (rows(n, F), 2, -1)],
    "tensor_split.sections": [lambda n: (rows(n, F), 2, 1)],
    "select.int": [lambda n: (rows(n, K, F), 1, 2), lambda n: (rows(n, K, F), 0, 1)],
    "unbind.int": [lambda n: (rows(n, K, F), 1), lambda n: (rows(n, K), 0)],
    "slice.Tensor": [lambda n: (rows(n, F), 1, 1, 3), lambda n: (rows(n, F), 0, 1),
                     lambda n: (rows(n, F), 0, 0, 2), lambda n: (rows(n, F),)],
    "squeeze.dim": [lambda n: (rows(n, 1, F), 1), lambda n: (rows(n, F), 1)],
    "squeeze.dims": [lambda n: (rows(n, 1, F, 1), [1, -1])],
    "unsqueeze": [lambda n: (rows(n, F), 0), lambda n: (rows(n, F), -1)],
    **{name: [lambda n: (rows(n, K, F), [n, K * F]), lambda n: (rows(n, K, F), [-1, F]),
              lambda n: (rows(n, K, F), [K, n, F]), lambda n: (rows(n, 6), [n, 2, 1, 3]),
              lambda n: (rows(n, 1, F), [n, F]), lambda n: (rows(n, 6), [-1, 2, 3]),
              lambda n: (rows(2, 3, n), [3, 2, n]), lambda n: (rows(2, 3, n), [6, n])]
       for name in ("view", "reshape", "_unsafe_view")},
    "flatten.using_ints": [lambda n: (rows(n, K, F), 1), lambda n: (rows(n, K, F), 0, 1)],
    "unflatten.int": [lambda n: (rows(n, 6), 1, [2, 3])],
    "transpose.int": [lambda n: (rows(n, K, F), 0, -1), lambda n: (rows(n, K, F), 1, 2)],
    "movedim.int": [lambda n: (rows(n, K, F), 0, 2), lambda n: (rows(n, K, F), -1, 0)],
    "permute": [lambda n: (rows(n, K, F), [1, 0, -1]), lambda n: (rows(n, K, F), [2, 0, 1])],
    "expand": [lambda n: (rows(n, 1), [n, F]), lambda n: (rows(n, F), [K, -1, -1])],
    "expand_as": [lambda n: (rows(n, 1), rows(n, F))],
    "repeat": [lambda n: (rows(n, F), [1, 2]), lambda n: (rows(n, F), [2, 1, 1])],
    "cat": [lambda n: ([rows(n, F), rows(n, 2)], 1), lambda n: ([rows(n, F), rows(3, F)],)],
    "stack": [lambda n: ([rows(n, F), rows(n, F)], 1), lambda n: ([rows(n, F)] * 2,)],
    "index_select": [lambda n: (rows(n, F), 0, ids(7, n)), lambda n: (rows(n, F), 1, ids(7, F))],
    "index.Tensor": [lambda n: (rows(n, F), [ids(7, n)]), lambda n: (rows(n, F), [None, ids(7, F)]),
                     lambda n: (rows(n, F), [ids(7, n), ids(7, F)]),
                     lambda n: (rows(n, F), [ids(6, n).view(2, 3)]),
                     lambda n: (rows(n, F), [torch.arange(n) % 2 == 0])],
    "embedding": [lambda n: (rows(n, F), ids(7, n)), lambda n: (rows(n, F), ids(6, n).view(2, 3))],
    "gather": [lambda n: (rows(n, F), 1, torch.randint(F, (n, 3))),
               lambda n: (rows(n, F), 0, torch.randint(n, (7, F)))],
    **{name: [lambda n, rest=rest: (rows(n, F), 0, torch.randint(n, (7, F)), rows(7, F), *rest)]
       for name, rest in (("scatter_add", ()), ("scatter.src", ()),
                          ("scatter_reduce.two", ("amax",)))},
    "scatter.value": [lambda n: (rows(n, F), 1, torch.randint(F, (n, 2)), 1.0)],
    "pow.Scalar": [lambda n: (0.3, rows(n, F))],
    **{name: [lambda n: (rows(n, K, F), [1, 2]), lambda n: (rows(n, K, F), [0, 0, 0, 1]),
              lambda n: (rows(n, F), [0, 0, 1, 0])] for name in ("pad", "constant_pad_nd")},
    "index_reduce": [lambda n: (rows(n, F), 0, ids(7, n), rows(7, F), "amax")],
    "index_add": [lambda n: (rows(n, F), 0, ids(7, n), rows(7, F)),
                  lambda n: (rows(n, F), 1, ids(7, F), rows(n, 7))],
    "index_copy": [lambda n: (rows(n, F), 0, torch.arange(2), rows(2, F))],
    "index_put": [lambda n: (rows(n, F), [torch.arange(n).flip(0)], rows(n, F)),
                  lambda n: (rows(n, F), [None, torch.arange(F).flip(0)], rows(n, F)),
                  lambda n: (rows(n, F), [torch.arange(n) % 2 == 0], rows(F))],
    "slice_scatter": [lambda n: (rows(n, F), rows(n, 2), 1, 0, 2)],
    "select_scatter": [lambda n: (rows(n, K, F), rows(n, F), 1, 0)],
    "linear": [lambda n: (rows(n, F), rows(K, F), rows(K)), lambda n: (rows(n, 2, F), rows(K, F)),
               lambda n: (rows(n, F), rows(F))],
    "matmul": [lambda n: (rows(n, F), rows(F, K)), lambda n: (rows(n, F), rows(F)),
               lambda n: (rows(n, F), rows(2, F, K)), lambda n: (rows(2, n, F), rows(F, K)),
               lambda n: (rows(n, F), rows(n, F, K)), lambda n: (rows(F), rows(n, F, K)),
               lambda n: (rows(n, 1, F), rows(n, F, K)), lambda n: (rows(2, n, F), rows(F))],
    "mm": [lambda n: (rows(n, F), rows(F, K))],
    "bmm": [lambda n: (rows(n, 2, F), rows(n, F, K))],
    "addmm": [lambda n: (rows(K), rows(n, F), rows(F, K)), lambda n: (
        rows(n, K), rows(n, F), rows(F, K))],
    "einsum": [lambda n: ("nhd,hde->nhe", [rows(n, 2, F), rows(2, F, K)]),
               lambda n: ("ni,mi->nm", [rows(n, F), rows(7, F)])],
    "layer_norm": [lambda n: (rows(n, K, F), [F], rows(F), rows(F)),
                   lambda n: (rows(n, K, F), [K, F])],
    "prelu": [lambda n: (rows(n, F, 2), rows(F)), lambda n: (rows(n, F), rows(1))],
    "_native_batch_norm_legit_no_training": [lambda n: (
        rows(n, F), rows(F), rows(F), rows(F), rows(F).exp(), 0.1, 1e-5)],
    "_native_batch_norm_legit_functional": [lambda n: (
        rows(n, F), rows(F), rows(F), rows(F), rows(F).exp(), True, 0.1, 1e-5)],
    "gru_cell": [lambda n: (rows(n, K), rows(n, F), rows(3 * F, K), rows(3 * F, F), rows(3 * F),
                            rows(3 * F))],
    "dropout": [lambda n: (rows(n, F), 0.5, True)],
    "threshold": [lambda n: (rows(n, F), 0.1, 0.2)],
    "addcmul": [lambda n: (rows(n, F), rows(F), rows(n, 1))],
    "lerp.Scalar": [lambda n: (rows(n, F), rows(n, F), 0.3)],
    "where.self": [lambda n: (rows(n, 1) > 0, rows(n, F), rows(F))],
    "where.ScalarOther": [lambda n: (rows(n, 1) > 0, rows(n, F), 0.1)],
    "where.ScalarSelf": [lambda n: (rows(n, 1) > 0, 0.1, rows(n, F))],
    "where.Scalar": [lambda n: (rows(n, F) > 0, 0.1, 0.2)],
    "masked_fill.Scalar": [lambda n: (rows(n, F), rows(n, 1) > 0, 0.1)],
    "masked_fill.Tensor": [lambda n: (rows(n, F), rows(n, 1) > 0, torch.tensor(0.5).double())],
    "logical_and": [lambda n: (rows(n, F) > 0, rows(n, 1) > 0)],
    "logical_or": [lambda n: (rows(n, F) > 0, rows(n, 1) > 0)],
}
OF_US = {
    "aggregate": [lambda n: (rows(7, F), ids(7, n), n, "sum")],
    "aggregate_by_type": [lambda n: (rows(7, F), ids(7, n), ids(7, 2), n, 2, "max")],
    "edge_softmax": [lambda n: (rows(7, F), ids(7, n), n)],
    "edge_softmax_by_type": [lambda n: (rows(7, F), ids(7, n), ids(7, 2), n, 2)],
    "typed_linear": [lambda n: (rows(n, F), rows(2, F, K), ids(n, 2), rows(2, K)),
                     lambda n: (rows(n, 2, F), rows(3, 2, F, K), ids(n, 3), None)],
    "first_rows": [lambda n: (rows(n, F), 2)],
    "split_types": [lambda n: (rows(n, F), [2, n - 2])],
    "join_types": [lambda n: ([rows(2, F), rows(n, F)], torch.zeros(n + 2, dtype=torch.long))],
    "kept_edges": [lambda n: (rows(3, F), torch.tensor([[0, 1, 2], [1, 1, 0]]),
                              torch.tensor([[0, 2], [1, 0]]))],
    "extend_edges": [lambda n: (rows(2, F), rows(3, F), torch.zeros(2, 5, dtype=torch.long))],
    "extend_remaining": [lambda n: (rows(3, F), 0.5, torch.tensor([[0, 1, 2], [1, 1, 0]]),
                                    torch.zeros(2, 5, dtype=torch.long))]}
# Constants, ids, and what is along a dimension that is not said: nothing is known of these.
UNKNOWN = {named(name) for name in (
    "new_zeros", "zeros", "zeros_like", "new_empty", "empty.memory_format", "empty_like",
    "new_ones", "ones", "ones_like", "new_full", "full", "full_like", "scalar_tensor", "nonzero")}
EVERY = [(named(name.split()[0]), make) for name, made in CASES.items() for make in made] + [
    (getattr(OPS, name).default, make) for name, made in OF_US.items() for make in made]


def noded(target, args):
    """A node, and its operands by their tensors' nodes."""
    graph, given = torch.fx.Graph(), {}

    def placeholder(x):
        if not isinstance(x, torch.Tensor):
            return x
        if id(x) not in given:
            node = graph.placeholder(f"x{len(given)}")
            node.meta["val"] = x
            given[id(x)] = node, x
        return given[id(x)][0]
    args = [[placeholder(one) for one in x] if isinstance(x, list) else placeholder(x)
            for x in args]
    node = graph.call_function(target, tuple(args))
    node.meta["val"] = run(node, {})
    return node, dict(given.values())


def run(node, values):
    torch.default_generator.manual_seed(1)  # Not of GPUs: that records where it is called.
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), lambda x: values.get(
        x, x.meta["val"]))
    made = node.target(*args, **kwargs)
    return list(made) if isinstance(made, (list, tuple)) else made


def changed(x, dim, index):
    """Other tensors with other numbers at an index of a dimension."""
    rng = torch.Generator().manual_seed(0)
    for scale in (1e-3, 1.0, 10.0, -10.0):
        other = x.clone()
        part = other.select(dim, index)
        if x.dtype == torch.bool:
            part.logical_not_()
        elif x.dtype == torch.long:
            part.copy_(torch.randint(0, int(x.max()) + 1, part.shape, generator=rng))
        else:
            part.add_(scale * torch.rand(part.shape, generator=rng, dtype=x.dtype))
        yield other


def found(node, x, value):
    """{(dimension of x, dimension of a result, number of the result)} that are kept."""
    before = node.meta["val"] if isinstance(node.meta["val"], list) else [node.meta["val"]]
    kept = {(its, dim, number) for number, one in enumerate(before) for dim in range(one.dim())
            for its in range(value.dim()) if one.shape[dim] == value.shape[its]}
    touched = set()
    for its in range(value.dim()):
        for index in range(value.shape[its]):
            for other in changed(value, its, index):
                try:
                    after = run(node, {x: other})
                except RuntimeError:  # The ids are none.
                    kept = {one for one in kept if one[0] != its}
                    continue
                after = after if isinstance(after, list) else [after]
                for number, (a, b) in enumerate(zip(before, after)):
                    if not a.numel():
                        continue
                    if a.shape != b.shape:
                        kept = {one for one in kept if one[0] != its or one[2] != number}
                        continue
                    differ = ~((a == b) | (a != a) & (b != b))
                    for dim in range(a.dim()):
                        places = differ.movedim(dim, 0).reshape(a.shape[dim], -1).any(1).nonzero()
                        places = places.view(-1)
                        if len(places) and places.tolist() != [index]:
                            kept.discard((its, dim, number))
                        elif len(places):
                            touched.add((its, dim, number))
    return kept, kept & touched


@pytest.mark.parametrize("target, make", EVERY, ids=lambda x: str(x) if not callable(
    x) or hasattr(x, "_schema") else "")
def test_what_changes(target, make):
    """Claims are true, and true facts are claimed: for two numbers of rows."""
    claims = []
    for count in (5, 6):
        torch.manual_seed(0)
        node, given = noded(target, make(count))
        flows = dimensions.flows(node)
        claimed = {}
        for number, flow in enumerate(flows):
            for x, kept, alike in flow:
                value = given[x]
                made = node.meta["val"]
                made = made[number] if isinstance(made, list) else made
                for its, dim in (*kept.items(), *alike.items()):
                    assert value.shape[its] == made.shape[dim]
                one = claimed.setdefault(x, [])
                one += [(its, dim, number) for its, dim in kept.items()]
        for x, value in given.items() if count == 5 else ():
            kept, touched = found(node, x, value)
            own = set(claimed.get(x, []))
            assert own <= kept, x
            if value.shape != (1,) and value.dtype not in (torch.long, torch.bool):
                assert touched <= own, x
        claims.append([[(x.name, kept, alike) for x, kept, alike in flow] for flow in flows])
    assert len(claims[0]) != len(claims[1]) or claims[0] == claims[1]


def test_ops_are_all_here():
    known = {target for target, _ in EVERY} | UNKNOWN
    assert {*HANDLERS, *dimensions._RULES} - {GETITEM} - known == set()


def test_operands_that_are_there_twice():
    x = rows(F, F)
    node, (operand,) = noded(aten.mm.default, (x, x))
    assert dimensions.kept(node, operand) == {}
    node, (operand,) = noded(aten.add.Tensor, (x, x))
    assert dimensions.kept(node, operand) == {0: 0, 1: 1}
