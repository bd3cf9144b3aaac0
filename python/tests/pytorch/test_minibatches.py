# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training over sampled batches: blocks of them, two-layer models beside PyG's, and
batches that are prepared on another thread. On the emulator."""

import functools
import gc
import os
import threading
import weakref

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import compiler_capi, models, sampling
from gnn_mlir.pytorch import pyg
from support import errors, graphs

torch = pytest.importorskip("torch")
nn = pytest.importorskip("torch_geometric.nn")
import zoo  # noqa: E402

SIZES, KINDS = (5, 6, 4), 3
# 1 of 7 nodes has no incoming edge.
GRAPH = graphs.random_graph(120, 700, 2, KINDS, seed=4)
LONELY = np.flatnonzero(np.bincount(GRAPH.edge_dst, minlength=120) == 0)
X = np.random.default_rng(5).standard_normal((120, SIZES[0])).astype(np.float32)
MODELS = {
    "sage": (lambda: models.sage_blocks(SIZES), lambda *f: nn.SAGEConv(*f)),
    "rgcn": (lambda: models.rgcn_blocks(KINDS, SIZES, node_types=2),
             lambda *f: nn.RGCNConv(*f, KINDS)),
    "rgat": (lambda: models.rgat_blocks(KINDS, SIZES, node_types=2),
             lambda *f: nn.RGATConv(*f, KINDS)),
}
# Seeds of one batch after the other: many, one, some without neighbours, those alone
# (no block has an edge), and none.
BATCHES = (np.arange(40, 60), [7], [*LONELY[:2], 3, 90], LONELY[:3], [], [80, 2, 81])


def of_types(graph, model):
    return gnn_mlir.merge_types(graph) if model == "sage" else graph


def sample(model, fanouts=(3, 4), batches=BATCHES):
    """(blocks, features of the nodes) of each batch."""
    sampler = sampling.Sampler(of_types(GRAPH, model), fanouts, seed=1)
    for seeds in batches:
        batch, nodes = sampler.sample(seeds)
        yield gnn_mlir.blocks(batch, len(fanouts), len(seeds)), torch.from_numpy(X[nodes])


# Once: the emulator takes longer to prepare a package than for all that it does.
package_of = functools.lru_cache(None)(lambda model, wrt: gnn_mlir.compile(
    MODELS[model][0](), target="emulator", gradients=wrt).package)


class Training:
    """Our layers and PyG's with the same weights."""

    def __init__(self, model, **options):
        torch.manual_seed(0)
        make, conv = MODELS[model]
        self.typed, self.program = model != "sage", make()
        self.convs = torch.nn.ModuleList(conv(*pair) for pair in zip(SIZES, SIZES[1:]))
        with torch.no_grad():
            for parameter in self.convs.parameters():
                parameter.normal_(std=0.5)
        weights = pyg.weights(self.program, *self.convs)
        self.names = list(weights)
        self.layer = gnn_mlir.compile(self.program, target="emulator", **{
            "gradients": self.names, **options}) if options else (
                gnn_mlir.compiler.CompiledFunction(package_of(model, tuple(self.names)),
                                                   model, self.program.functions[model]))
        self.weights = {name: torch.nn.Parameter(torch.from_numpy(array))
                        for name, array in weights.items()}

    def ours(self, blocks, x):
        return self.layer(blocks, {"x": x, **self.weights})

    def theirs(self, blocks, x):
        for i, (conv, block) in enumerate(zip(self.convs, blocks)):
            edges = torch.from_numpy(np.stack([block.edge_src, block.edge_dst])).long()
            kinds = [torch.from_numpy(block.edge_type.copy()).long()] * self.typed
            x = conv(x.relu() if i else x, edges, *kinds)[:block.num_dst_nodes]
        return x

    def gradients_of_theirs(self):
        """By our names: gradients take the places of the weights."""
        with torch.no_grad():
            kept = [p.clone() for p in self.convs.parameters()]
            for p in self.convs.parameters():
                p.copy_(torch.zeros_like(p) if p.grad is None else p.grad)
            found = pyg.weights(self.program, *self.convs)
            for p, value in zip(self.convs.parameters(), kept):
                p.copy_(value)
        return found


def loss_of(out):
    """Differs by row and by column; 0 of no rows."""
    goal = torch.linspace(-1, 1, out.numel()).reshape(out.shape)
    return (out - goal).square().sum() / max(1, len(out))


@pytest.fixture
def compilations(monkeypatch):
    """The compilations from here on: a text of gradients each."""
    made, real = [], compiler_capi.compile_text
    monkeypatch.setattr(compiler_capi, "compile_text", lambda *arguments, **options: (
        made.append(options.get("gradients")), real(*arguments, **options))[1])
    return made


# -- Blocks --------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", BATCHES)
def test_blocks_follow_each_other(seeds):
    batch, nodes = sampling.Sampler(GRAPH, (3, 2, 4)).sample(seeds)
    blocks = gnn_mlir.blocks(batch, 3, len(seeds))
    assert blocks[0].num_src_nodes == len(nodes)
    assert blocks[-1].num_dst_nodes == len(seeds)
    for one, next_one in zip(blocks, blocks[1:]):
        assert one.num_dst_nodes == next_one.num_src_nodes <= one.num_src_nodes
    assert blocks[0].num_edges == batch.num_edges
    for block, fanouts in zip(blocks, ((3, 2, 4), (3, 2), (3,))):
        assert (np.bincount(block.edge_dst, minlength=1) <= max(fanouts)).all()
        inside = batch.edge_dst < block.num_dst_nodes
        for name in ("edge_src", "edge_dst", "edge_type"):
            assert np.array_equal(getattr(block, name), getattr(batch, name)[inside])
        assert np.array_equal(block.src_node_type, batch.node_type[:block.num_src_nodes])


def test_fewer_layers_than_hops_and_more():
    """The first block has all nodes of the batch as sources."""
    batch, nodes = sampling.Sampler(GRAPH, (3, 2)).sample([4, 5])
    block, = gnn_mlir.blocks(batch, 1, 2)
    assert (block.num_src_nodes, block.num_dst_nodes) == (len(nodes), 2)
    first, *_, last = gnn_mlir.blocks(batch, 4, 2)
    assert first.num_edges == batch.num_edges and last.num_edges == block.num_edges


def test_edges_in_any_order():
    batch, _ = sampling.Sampler(GRAPH, (3, 2)).sample([40, 41, 42])
    order = np.random.default_rng(0).permutation(batch.num_edges)
    mixed = gnn_mlir.Graph(batch.edge_src[order], batch.edge_dst[order], batch.num_nodes,
                           edge_type=batch.edge_type[order])
    for block, wanted in zip(gnn_mlir.blocks(mixed, 2, 3), gnn_mlir.blocks(batch, 2, 3)):
        assert (block.num_src_nodes, block.num_dst_nodes) == (
            wanted.num_src_nodes, wanted.num_dst_nodes)
        assert sorted(zip(block.edge_src, block.edge_dst, block.edge_type)) == sorted(
            zip(wanted.edge_src, wanted.edge_dst, wanted.edge_type))


def test_blocks_of_all_neighbours_give_what_the_graph_gives():
    """Rows of the seeds, in float64: nothing is lost and nothing added."""
    whole, parts = (make.functions["rgcn"] for make in (
        models.rgcn(KINDS, SIZES, node_types=2),
        models.rgcn_blocks(KINDS, SIZES, node_types=2)))
    inputs = whole.random_inputs(GRAPH)
    seeds = [3, *LONELY[:1], 50]
    batch, nodes = sampling.Sampler(GRAPH, (-1, -1)).sample(seeds)
    blocks = dict(zip(("block1", "block2"), gnn_mlir.blocks(batch, 2, 3)))
    found = parts.evaluate(blocks, {**inputs, "x": inputs["x"][nodes]})["out"]
    np.testing.assert_allclose(found, whole.evaluate(GRAPH, inputs)["out"][seeds],
                               rtol=1e-12)


def test_blocks_are_a_list_or_a_dict(compiler):
    program = MODELS["sage"][0]().functions["sage"]
    batch, _ = sampling.Sampler(of_types(GRAPH, "sage"), (3, 4)).sample([3, 50])
    blocks = gnn_mlir.blocks(batch, 2, 2)
    named = dict(zip(("block1", "block2"), blocks))
    inputs = program.random_inputs(blocks)
    np.testing.assert_array_equal(program.evaluate(blocks, inputs)["out"],
                                  program.evaluate(named, inputs)["out"])
    layers = [gnn_mlir.compile(program, target="emulator", graph=g) for g in (blocks, named)]
    assert layers[0].package.plan() == layers[1].package.plan()
    for call in (lambda: program.evaluate(blocks[:1], inputs),
                 lambda: gnn_mlir.compile(program, graph=blocks[:1])):
        with pytest.raises(ValueError, match="sage: expected graphs block1, block2, got 1 of"):
            call()
    with pytest.raises(ValueError, match="graph: expected a dict of graphs by name"):
        gnn_mlir.compile(program.module.text(), graph=blocks)
    with pytest.raises(ValueError, match="graph: expected a Graph, .*, got 3$"):
        gnn_mlir.compile(program, graph=3)


# -- Batches of PyG ------------------------------------------------------------------


def as_data(batch, seeds, **more):
    from torch_geometric.data import Data
    edges = torch.from_numpy(np.stack([batch.edge_src, batch.edge_dst])).long()
    return Data(edge_index=edges, num_nodes=batch.num_nodes, batch_size=len(seeds),
                edge_type=torch.from_numpy(batch.edge_type.copy()), **more)


def same(ours, wanted):
    assert ours.square == wanted.square and ours.num_edge_types == wanted.num_edge_types
    for name in ("num_src_nodes", "num_dst_nodes"):
        assert getattr(ours, name) == getattr(wanted, name)
    for name in ("edge_src", "edge_dst", "edge_type", "src_node_type", "dst_node_type"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(wanted, name))


def test_blocks_of_data():
    seeds = [40, 41, 42]
    batch, _ = sampling.Sampler(GRAPH, (3, 2)).sample(seeds)
    node_type = torch.from_numpy(batch.node_type.copy())
    data = as_data(batch, seeds, node_type=node_type)
    for block, wanted in zip(gnn_mlir.blocks(data, 2, num_edge_types=KINDS),
                             gnn_mlir.blocks(batch, 2, 3)):
        same(block, wanted)
    # Without the number a batch that lacks the last type has one less.
    data.edge_type[:] = 0
    assert gnn_mlir.blocks(data, 2)[0].num_edge_types == 1
    assert gnn_mlir.Graph.from_pyg(data, KINDS, 4).num_node_types == 4
    data.edge_type[1] = 2
    with pytest.raises(ValueError, match="edge_type: expected ids from 0 to 1, got 2 at 1"):
        gnn_mlir.blocks(data, 2, num_edge_types=2)
    assert gnn_mlir.blocks(as_data(batch, seeds), 2, 1)[-1].num_dst_nodes == 1
    data = as_data(batch, seeds)
    del data.batch_size
    with pytest.raises(ValueError, match="seeds: expected a number of nodes, got None"):
        gnn_mlir.blocks(data, 2)
    data.edge_index[0, 2] = 120
    with pytest.raises(ValueError, match=rf"edge_src: expected ids from 0 to "
                       rf"{batch.num_nodes - 1}, got 120 at 2"):
        gnn_mlir.blocks(data, 2, 3)


def hetero_batch():
    """A batch as NeighborLoader gives it of a graph of two node types: three papers,
    who is found through them, and what through those."""
    from torch_geometric.data import HeteroData
    data = HeteroData()
    data["author"].x, data["paper"].x = torch.randn(4, 5), torch.randn(6, 5)
    data["paper"].batch_size = 3
    data["paper", "cites", "paper"].edge_index = torch.tensor(
        [[3, 0, 4, 5], [0, 2, 1, 3]])
    data["author", "writes", "paper"].edge_index = torch.tensor(
        [[0, 1, 0, 2], [0, 0, 2, 4]])
    data["paper", "by", "author"].edge_index = torch.tensor([[1, 5], [1, 0]])
    return data


def test_blocks_of_hetero_data():
    """Nodes by hops, and then by type: papers 0 to 2; authors 0, 1 and papers 3, 4; the
    rest. Names, types and the schema stay."""
    data = hetero_batch()
    first, last = gnn_mlir.blocks(data, 2)
    assert (first.num_src_nodes, first.num_dst_nodes) == (10, 7)
    assert (last.num_src_nodes, last.num_dst_nodes) == (7, 3)
    assert first.src_node_type.tolist() == [1, 1, 1, 0, 0, 1, 1, 0, 0, 1]
    assert list(zip(last.edge_src, last.edge_dst, last.edge_type)) == [
        (5, 0, 0), (0, 2, 0), (6, 1, 0), (3, 0, 1), (4, 0, 1), (3, 2, 1)]
    assert list(zip(first.edge_src, first.edge_dst, first.edge_type))[3:] == [
        (9, 5, 0), (3, 0, 1), (4, 0, 1), (3, 2, 1), (7, 6, 1), (1, 4, 2), (9, 3, 2)]
    assert first.schema == ((1, 1), (0, 1), (1, 0))
    assert first.node_type_names == ("author", "paper")
    assert first.edge_type_names[1] == "author writes paper"
    x = first.join_types(data.x_dict, 5, "src")
    assert torch.equal(x[:3], data["paper"].x[:3])
    assert torch.equal(x[7:9], data["author"].x[2:])


def test_seeds_of_hetero_data():
    data = hetero_batch()
    del data["paper"].batch_size
    with pytest.raises(ValueError, match="seeds: expected a dict of numbers by node type, "
                       r"or a batch with a batch_size, got \{\}"):
        gnn_mlir.blocks(data, 1)
    with pytest.raises(ValueError, match="num_edge_types: expected none for a HeteroData"):
        gnn_mlir.blocks(data, 1, {"paper": 1}, num_edge_types=3)
    with pytest.raises(ValueError, match="seeds: expected .*, got {'field': 1}"):
        gnn_mlir.blocks(data, 1, {"field": 1})
    with pytest.raises(ValueError, match="seeds of paper: expected an integer from 0 to 6, "
                                         "got 7"):
        gnn_mlir.blocks(data, 1, {"paper": 7})
    block, = gnn_mlir.blocks(data, 1, {"paper": 1, "author": 1})
    assert block.dst_node_type.tolist() == [0, 1] and block.num_edges == 4


def test_hetero_batches_give_what_their_graph_gives():
    data = hetero_batch()
    graph = gnn_mlir.Graph.from_pyg(data)
    whole, parts = (make.functions["rgcn"] for make in (
        models.rgcn(3, SIZES, node_types=2), models.rgcn_blocks(3, SIZES, node_types=2)))
    inputs = whole.random_inputs(graph)
    blocks = gnn_mlir.blocks(data, 2)
    by_type = graph.split_types(inputs["x"])
    x = blocks[0].join_types(by_type, 5, "src")
    found = parts.evaluate(dict(zip(("block1", "block2"), blocks)), {**inputs, "x": x})
    wanted = graph.split_types(whole.evaluate(graph, inputs)["out"])["paper"][:3]
    np.testing.assert_allclose(found["out"], wanted, rtol=1e-12)


def neighbor_loader(data, *arguments, **options):
    from torch_geometric import typing
    from torch_geometric.loader import NeighborLoader
    if not (typing.WITH_PYG_LIB or typing.WITH_TORCH_SPARSE):
        pytest.skip("NeighborLoader samples by pyg-lib or torch-sparse, and neither is "
                    "installed")
    return NeighborLoader(data, *arguments, **options)


@pytest.mark.parametrize("subgraph", ["directional", "induced"])
def test_batches_of_neighbor_loader(compiler, subgraph):
    training = Training("rgcn")
    data = as_data(GRAPH, [], x=torch.from_numpy(X))
    del data.batch_size
    data.node_type = torch.from_numpy(GRAPH.node_type.copy())
    loader = neighbor_loader(data, [3, 4], batch_size=16, subgraph_type=subgraph)
    for batch in loader:
        blocks = gnn_mlir.blocks(batch, 2, num_edge_types=KINDS, num_node_types=2)
        out = batch.x
        for i, conv in enumerate(training.convs):
            out = conv(out.relu() if i else out, batch.edge_index, batch.edge_type.long())
        errors.check("out", training.ours(blocks, batch.x).detach().numpy(),
                     out[:batch.batch_size].detach().numpy())
    assert len(loader) == 8


def test_hetero_batches_of_neighbor_loader(compiler):
    torch.manual_seed(1)
    data, rng = hetero_batch(), np.random.default_rng(3)
    del data["paper"].batch_size
    counts = {"author": 30, "paper": 50}
    for name, count in counts.items():
        data[name].x = torch.randn(count, 5)
    for s, name, d in data.edge_types:
        data[s, name, d].edge_index = torch.from_numpy(np.stack(
            [rng.integers(0, counts[s], 90), rng.integers(0, counts[d], 90)]))
    training = Training("rgcn")
    loader = neighbor_loader(data, [3, 2], batch_size=9, input_nodes=("paper", None))
    for batch in loader:
        blocks = gnn_mlir.blocks(batch, 2)
        found = training.ours(blocks, blocks[0].join_types(batch.x_dict, 5, "src"))
        whole = batch.to_homogeneous()
        out = whole.x
        kinds = [batch.edge_types.index(t) for t in whole._edge_type_names]
        edge_type = torch.tensor(kinds)[whole.edge_type]
        for i, conv in enumerate(training.convs):
            out = conv(out.relu() if i else out, whole.edge_index, edge_type)
        papers = out[whole.node_type == whole._node_type_names.index("paper")]
        errors.check("out", found.detach().numpy(),
                     papers[:batch["paper"].batch_size].detach().numpy())
    assert len(loader) == 6


# -- Training ------------------------------------------------------------------------


@pytest.mark.parametrize("model, statistics", zoo.with_slow(
    [(model, one) for model in MODELS for one in (0, 1)], {("sage", 1), ("rgat", 1)}))
def test_batches_train_as_in_pyg(compiler, compilations, model, statistics):
    """Losses and gradients, of batches that all have other counts, by what is compiled
    once. Statistics of the first batch, by which passes decide, are no sizes."""
    graph = dict(zip(("block1", "block2"), next(sample(model))[0])) if statistics else None
    training, compiled, counts = Training(model, graph=graph), None, set()
    ours, theirs = (torch.optim.SGD(p, 0.05) for p in (
        training.weights.values(), training.convs.parameters()))
    for blocks, x in sample(model):
        found, wanted = (loss_of(run(blocks, x)) for run in (training.ours,
                                                             training.theirs))
        assert float(found.detach()) == pytest.approx(float(wanted.detach()), rel=1e-5)
        for loss, optimizer in ((found, ours), (wanted, theirs)):
            optimizer.zero_grad()
            loss.backward()
        for name, gradient in training.gradients_of_theirs().items():
            errors.check(name, training.weights[name].grad.numpy(), gradient)
        ours.step()
        theirs.step()
        counts.add((*[b.num_edges for b in blocks], len(x), blocks[-1].num_dst_nodes))
        compiled = compiled or len(compilations)
    assert len(counts) == len(BATCHES) and len(compilations) == compiled == 1


def test_a_trained_loss_falls(unchecked, compiler):
    training = Training("rgat")
    optimizer = torch.optim.Adam(training.weights.values(), 0.02)
    losses = []
    for _ in range(20):
        for blocks, x in sample("rgat", batches=[np.arange(30), np.arange(60, 80)]):
            loss = loss_of(training.ours(blocks, x))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
    assert sum(losses[-2:]) < 0.5 * sum(losses[:2])


def steps_of(layer, wrt, first, monkeypatch):
    """The kernels of the backward pass of a call, and its results."""
    blocks, x = first
    bound, real = {}, gnn_mlir.capi.BoundFunction.run
    monkeypatch.setattr(gnn_mlir.capi.BoundFunction, "run", lambda self, *addresses: (
        bound.update({self.name: self}), real(self, *addresses))[1])
    weights = {name: torch.from_numpy(array).requires_grad_(name in wrt)
               for name, array in layer.source.random_inputs(
                   dict(zip(("block1", "block2"), blocks))).items()}
    weights["x"] = x.clone().requires_grad_("x" in wrt)
    layer(blocks, weights).square().sum().backward()
    backward = bound[layer.name + "_backward"]
    return len(backward.report()["steps"]), {o.name for o in backward.outputs}, weights


@pytest.mark.parametrize("model", zoo.with_slow(MODELS, {"rgat"}))
def test_raw_features_get_no_gradient(unchecked, compiler, model, monkeypatch):
    """Nothing of it is computed: the backward pass has fewer kernels, and it reads
    nothing of the first block's edges on the way back."""
    training, first = Training(model, gradients=True), next(sample(model))
    names = training.names
    fewer, made, inputs = steps_of(training.layer, names, first, monkeypatch)
    assert inputs["x"].grad is None and made == {f"d_{name}" for name in names}
    more, made, inputs = steps_of(training.layer, [*names, "x"], first, monkeypatch)
    assert inputs["x"].grad is not None and made == {f"d_{n}" for n in [*names, "x"]}
    assert fewer < more


def test_batches_leave_nothing(compiler):
    """Graphs and bindings of 120 batches: each goes when the next ones have come,
    without the garbage collector, and so does their memory."""
    training, rng = Training("sage"), np.random.default_rng(0)
    big = graphs.random_graph(3000, 60000, seed=2)
    sampler = sampling.Sampler(big, (5, 5), seed=1)
    x = torch.randn(3000, SIZES[0])
    most, sizes = 0, []
    gc.collect()
    gc.disable()
    try:
        for number in range(120):
            batch, nodes = sampler.sample(rng.permutation(3000)[:20])
            blocks = gnn_mlir.blocks(batch, 2, 20)
            loss_of(training.ours(blocks, x[nodes])).backward()
            most = max(most, len(training.layer._bound))
            if number >= 50:
                sizes.append(resident())
        assert most <= 4 and len(training.layer._bound) <= 2
    finally:
        gc.enable()
    assert max(sizes) - sizes[0] < 4 << 20


def resident():
    """Bytes that this process has in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def test_a_wrong_batch_is_one_error(compiler):
    """At the place of the mistake, and the next batch goes on."""
    training = Training("sage")
    (first, last), x = next(sample("sage"))

    def refused(blocks, features, message, kind=ValueError):
        with pytest.raises(kind, match=message) as info:
            training.ours(blocks, features)
        assert info.value.__cause__ is None and "\n" not in str(info.value)
    refused([first], x, "sage: expected graphs block1, block2, got 1 of them")
    refused([first, last], x[1:], rf"input 'x': expected shape \({len(x)}, 5\), got "
            rf"\({len(x) - 1}, 5\)")
    refused([first, first], x, "expected as many 'src' rows of @block2 as 'dst' rows of "
            f"@block1, got {len(x)} and {first.num_dst_nodes}", gnn_mlir.GNNError)
    typed = gnn_mlir.Graph([0], [0], num_src_nodes=first.num_dst_nodes, num_dst_nodes=1,
                           num_edge_types=2)
    refused([first, typed], x, "graph 'block2': expected 1 edge types, got 2",
            gnn_mlir.GNNError)
    assert training.ours([first, last], x).shape == (last.num_dst_nodes, 4)


# -- On another thread ---------------------------------------------------------------


@pytest.fixture
def binds(capi, monkeypatch):
    """The names of the threads that bind."""
    threads, real = [], capi.BoundFunction._hold
    monkeypatch.setattr(capi.BoundFunction, "_hold", lambda self, *a, **k: (
        threads.append(threading.current_thread().name), real(self, *a, **k))[1])
    return threads


def epoch(training, items):
    losses = []
    for blocks, x in items:
        loss = loss_of(training.ours(blocks, x))
        loss.backward()
        losses.append(float(loss.detach()))
    return losses, {n: w.grad.clone() for n, w in training.weights.items()}


def test_prefetched_batches_are_the_same(compiler, binds):
    """Bits are, and all but the first passes are bound on the other thread."""
    losses, gradients = epoch(Training("rgcn"), sample("rgcn", batches=BATCHES * 3))
    assert len(binds) == 2 * len(losses) and len(set(binds)) == 1
    binds.clear()
    training = Training("rgcn")
    again, found = epoch(training, training.layer.prefetch(
        sample("rgcn", batches=BATCHES * 3), ahead=3))
    assert again == losses
    assert all(torch.equal(found[name], gradients[name]) for name in found)
    here = [name for name in binds if name == threading.current_thread().name]
    assert len(here) <= 2 * 5 and len(binds) == 2 * len(losses)
    assert not prefetching()


def prefetching():
    return [t for t in threading.enumerate() if t.name.startswith("gnn-mlir-prefetch")]


def test_prefetched_graphs_alone(compiler):
    """Items are graphs, or tuples that begin with them; any forms of graphs."""
    training = Training("sage")
    batches = [blocks for blocks, _ in sample("sage")]
    named = [dict(zip(("block1", "block2"), blocks)) for blocks in batches]
    assert list(training.layer.prefetch(batches)) == batches
    assert list(training.layer.prefetch(named, ahead=20)) == named
    assert list(training.layer.prefetch([])) == []
    with pytest.raises(ValueError, match="sage: expected graphs block1, block2, got 3"):
        list(training.layer.prefetch([3]))
    with pytest.raises(ValueError, match=r"batches: expected graphs, .*, got \(\)"):
        list(training.layer.prefetch([()]))
    for ahead, wanted in ((0, " from 1 to 65535"), (1 << 20, " from 1 to 65535"), ("2", "")):
        with pytest.raises(ValueError, match=f"ahead: expected an integer{wanted}, "
                           f"got {ahead!r}"):
            training.layer.prefetch(batches, ahead)


def test_a_fork_does_not_wait_for_a_thread_that_stayed(compiler):
    training = Training("sage")
    items = training.layer.prefetch([blocks for blocks, _ in sample("sage")])
    next(items)
    child = os.fork()
    if child == 0:
        try:
            next(items)
        except RuntimeError as error:
            os._exit(0 if "got a fork of it" in str(error) else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0 and len(list(items)) > 0


def test_a_batch_that_the_loop_takes_apart(compiler):
    training, seen = Training("sage"), 0
    for blocks, x in training.layer.prefetch(sample("sage")):
        training.ours(blocks, x)
        blocks.clear()
        seen += 1
    assert seen == len(list(sample("sage")))


def test_errors_come_where_their_batch_would(compiler):
    training = Training("sage")
    good = [blocks for blocks, _ in sample("sage")][:3]

    def batches():
        yield from good
        raise KeyError("no such file")
    seen = []
    with pytest.raises(KeyError, match="no such file"):
        for blocks in training.layer.prefetch(batches()):
            seen.append(blocks)
    assert seen == good and not prefetching()


def test_graphs_that_do_not_bind_are_errors_of_the_call(compiler):
    """In the worker they would have no place."""
    training = Training("sage")
    items = list(sample("sage"))[:2]
    wrong = ([items[0][0][0]] * 2, items[0][1])
    found = []
    for blocks, x in training.layer.prefetch([*items, wrong, wrong, *items], ahead=1):
        try:
            found.append(len(training.ours(blocks, x)))
        except gnn_mlir.GNNError as error:
            found.append("as many 'src' rows" in str(error))
    assert found == [20, 1, True, True, 20, 1]


def test_a_loop_that_is_left_ends_the_thread(compiler):
    """When it has made the batch at which it is, and lets go of those that there are."""
    training, made, gate = Training("sage"), [], threading.Event()

    def batches():
        for number, (blocks, x) in enumerate(sample("sage", batches=BATCHES * 5)):
            made.append(weakref.ref(blocks[0]))
            if number >= 4:
                assert gate.wait(60)
            yield blocks, x
    for number, (blocks, x) in enumerate(training.layer.prefetch(batches(), ahead=4)):
        training.ours(blocks, x)
        if number == 3:
            threading.Timer(0.2, gate.set).start()
            break
    del blocks, x
    gc.collect()
    assert not prefetching() and 4 <= len(made) <= 5
    assert not any(ref() for ref in made) and not training.layer._bound
