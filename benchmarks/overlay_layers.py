# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layers of GraphAGILE's models as the closed form M0 counts them, as text of the layer
dialect and as programs."""

import functools

import overlay_paper as paper
import synthetic
from gnn_mlir import models, overlay

# A layer: its type, features in and out, and functions behind it.
_RELU, _PRELU, _EXP = ("relu",), ("prelu, 0.2",), ("prelu, 0.2", "exp")


def _linear(a, b, acts=()):
    return ("linear", a, b, acts)


def _on(kind, a, acts=()):
    return (kind, a, a, acts)


def _pair(a, b, ordered, acts=()):
    """A sum over edges and a product, in theorem 2's order or the paper's."""
    if ordered and a > b:
        return [_linear(a, b), _on("aggregate", b, acts)]
    return [_on("aggregate", a), _linear(a, b, acts)]


def layers(model, name, ordered=True, acts=False):
    """The layers of a model on a graph: (type, in, out, functions) each. `ordered`: after
    the exchanges of algorithm 5. `acts`: with activations, which M0 does not count."""
    _, _, f, c = paper.GRAPHS[name]
    relu = _RELU if acts else ()
    hidden = {"b1": 16, "b2": 128, "b3": 128, "b4": 256}.get(model)
    if model in ("b1", "b2"):
        return [*_pair(f, hidden, ordered, relu), *_pair(hidden, c, ordered)]
    if model in ("b3", "b4"):
        return [*_pair(f, hidden, ordered), _on("vector_add", hidden, relu),
                *_pair(hidden, c, ordered), _on("vector_add", c)]
    if model == "b5":
        found = []
        for i in range(5):
            a, b = (f if i == 0 else 128), (c if i == 4 else 128)
            found += [_on("aggregate", a), _on("vector_add", a), _linear(a, 128, relu),
                      _linear(128, b, relu if i < 4 else ())]
        return found
    if model == "b6":
        exp = _EXP if acts else ()
        return [_linear(f, 64), _on("vector_inner", 64, exp), _on("aggregate", 64, relu),
                _linear(64, c), _on("vector_inner", c, exp), _on("aggregate", c)]
    if model == "b7":
        if ordered:
            return [_linear(f, c), _on("aggregate", c), _on("aggregate", c)]
        return [_on("aggregate", f), _on("aggregate", f), _linear(f, c)]
    found = [_linear(f, 256, relu)]
    for _ in range(3):
        found += [*_pair(256, 256, ordered, relu), _on("vector_add", 256)]
    return [*found, _linear(256, c)]


def closed_form(model, name, ordered=True, edges=None, **options):
    """Milliseconds of M0; with memory="shared" of the closed form of shared memory. `edges`
    of the graph; None: as `paper.edges` counts them."""
    cycles = overlay.roofline([layer[:3] for layer in layers(model, name, ordered)],
                              paper.GRAPHS[name][0], edges or paper.edges(name), **options)
    return cycles / 300e3


_FUNC = """#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @layers({arguments}) -> (tensor<?x{out}xf32, #node> {{gnn.name = "out"}}) {{
{body}
  return %{result} : tensor<?x{out}xf32, #node>
}}
"""


def _rows(features):
    return f"tensor<?x{features}xf32, #node>"


def text(given):
    """Layers one behind the other as a function. A sum of rows adds the last rows of its
    width, and a sum over edges has the weights of the vector_inner before it."""
    numbers = "tensor<?xf32, #edge>"
    arguments = [f'%x: {_rows(given[0][1])} {{gnn.name = "x"}}',
                 f'%a: {numbers} {{gnn.name = "a"}}']
    lines, latest, rows, weights = [], {given[0][1]: ["x"]}, "x", "a"
    for i, (kind, a, b, acts) in enumerate(given):
        made, on_edges = f"v{i}", kind == "vector_inner"
        if kind == "linear":
            arguments.append(f'%w{i}: tensor<{a}x{b}xf32> {{gnn.name = "w{i}"}}')
            lines.append(f"%{made} = gnn_overlay.linear %{rows}, %w{i} : {_rows(a)}, "
                         f"tensor<{a}x{b}xf32> -> {_rows(b)}")
        elif kind == "aggregate":
            lines.append(f"%{made} = gnn_overlay.aggregate sum %{rows} weights %{weights} : "
                         f"{_rows(a)}, {numbers} -> {_rows(b)}")
        elif on_edges:
            lines.append(f"%{made} = gnn_overlay.vector_inner %{rows}, %{rows} : {_rows(a)}, "
                         f"{_rows(a)} -> {numbers}")
        else:
            other = latest[a][-2] if len(latest[a]) > 1 else latest[a][-1]
            lines.append(f"%{made} = gnn_overlay.vector_add %{rows}, %{other} : {_rows(a)}")
        kind_of = numbers if on_edges else _rows(b)
        for j, act in enumerate(acts):
            lines.append(f"%{made}a{j} = gnn_overlay.activation %{made} activations "
                         f"[#gnn_overlay.act<{act}>] : {kind_of} -> {kind_of}")
            made = f"{made}a{j}"
        if on_edges:
            weights = made
            continue
        rows = made
        latest.setdefault(b, []).append(made)
    return _FUNC.format(arguments=", ".join(arguments), out=given[-1][2], result=rows,
                        body="\n".join("  " + line for line in lines))


@functools.lru_cache(maxsize=None)
def cut(name, kind="uniform", loops=False, edges=None):
    """The partition of the counts of a graph of table IV, by the default rule."""
    v = paper.GRAPHS[name][0]
    n1 = block_rows(v)
    counts = synthetic.subshards(kind, v, edges or paper.edges(name), n1, loops)
    return overlay.Partition.of_counts(v, n1, counts)


def block_rows(vertices, pes=8, blocks_per_pe=4):
    """N1 by the rule of gnn-overlay-partition."""
    n0 = max(blocks_per_pe * pes, -(-vertices // 16384))
    return 16 * -(-vertices // (16 * n0))


def program(model, name, kind="uniform", ordered=True, acts=False, fuse=True):
    """The program of a model's layers on a graph."""
    return overlay.compile(text(layers(model, name, ordered, acts)), graph=cut(name, kind),
                           fuse=fuse)


def own_program(model, name, partition=None, **options):
    """The program of the model as PyG defines it, with self loops where it has them, on a
    partition; None: of uniform counts of table IV's graph."""
    _, _, f, c = paper.GRAPHS[name]
    partition = partition or cut(name, loops=model in WITH_LOOPS)
    return overlay.compile(models.graphagile(model, f, c), graph=partition,
                           **options), partition


WITH_LOOPS = ("b1", "b2", "b6", "b7", "b8")
IDEAL = dict(memory="ideal", network="ideal", issue=0)
# The closed form alone is left in this mode.
BARE = dict(IDEAL, overheads=False, mode_change=0)
