# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training of captured models beside eager PyG: random numbers, statistics, modes and
gradients."""

import contextlib
import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import torch.nn.functional as F  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch import launches  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from processes import WORLD, in_processes  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402
from torch_geometric import nn as pyg  # noqa: E402

SIZE = 8
INPUTS = zoo.Inputs(20, 80)
X, EDGES = INPUTS.x[:, :SIZE].contiguous(), INPUTS.edge_index
OPS, TYPES = torch.ops.gnn_mlir, torch.tensor([0, 1, 1, 2, 0, 2])


fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


class Two(nn.Module):
    """Two layers, and what a test does between them."""

    def __init__(self, between=lambda self, h: h, **parts):
        super().__init__()
        torch.manual_seed(0)
        self.one, self.two = pyg.SAGEConv(SIZE, SIZE), pyg.SAGEConv(SIZE, SIZE)
        self.between = between
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x, edge_index):
        return self.two(self.between(self, self.one(x, edge_index)), edge_index)


def compiled(model, **options):
    return capture.compile_module(model, fullgraph=True, **options)


def step(function, model, x=X, edges=EDGES):
    """The output, and gradients of a loss by name."""
    model.zero_grad()
    x = x.detach().clone().requires_grad_()
    out = function(x, edges)
    out.float().pow(2).sum().backward()
    return out.detach(), {name: p.grad for name, p in model.named_parameters()} | {"x": x.grad}


def is_close(found, expected, error=1e-5):
    if not isinstance(expected, dict):
        found, expected = {"": found}, {"": expected}
    scale = max((float(b.detach().double().norm()) for b in expected.values() if b is not None),
                default=0)
    for key, b in expected.items():
        a = found[key]
        assert (a is None) == (b is None), key
        if b is not None:
            assert (a.double() - b.double()).norm() <= error * max(
                1e-2 * scale, b.double().norm()), key


def is_eager(model, error=1e-5, **options):
    eager = copy.deepcopy(model)
    out, grads = step(compiled(model, **options), model)
    expected, wanted = step(eager, eager)
    is_close(out, expected, error)
    is_close(grads, wanted, error)
    assert out.dtype == expected.dtype


# -- Dropout -------------------------------------------------------------------------------

class Drop(nn.Module):
    """A sum over one edge to each node of what dropout leaves."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x, edge_index):
        first, second = (F.dropout(x * 1.0, self.p, self.training) for _ in range(2))
        both = torch.cat([first, second], 1)
        return zoo.scatter(both[edge_index[0]], edge_index[1], dim_size=x.shape[0])


LINE = torch.arange(4000).expand(2, -1)


def test_dropout_draws_from_the_generator_of_torch():
    model = Drop(0.25).train()
    run, x = compiled(model), torch.ones(4000, 2)
    torch.manual_seed(3)
    first, second = run(x, LINE), run(x, LINE)
    torch.manual_seed(3)
    assert torch.equal(first, run(x, LINE)) and not torch.equal(first, second)
    one, two = first[:, :2], first[:, 2:]
    assert set(first.unique().tolist()) == {0.0, float(torch.tensor(1 / 0.75))}
    assert abs(float(first.mean()) - 1) < 0.03
    both = float(((one > 0) & (two > 0)).float().mean())
    assert abs(both - 0.75 ** 2) < 0.03  # Independent.


def test_gradients_use_the_mask_of_the_forward_pass():
    model = Drop(0.5).train()
    x = torch.ones(4000, 2, requires_grad=True)
    out = compiled(model)(x, LINE)
    out.sum().backward()
    assert torch.equal(x.grad, out.detach()[:, :2] + out.detach()[:, 2:])


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_dropout_of_nothing_and_of_everything(p):
    is_eager(Two(lambda self, h: F.dropout(h, p, self.training)).train())


def test_dropout_of_inputs_is_drawn_once():
    class Model(nn.Module):
        def forward(self, x, edge_index):
            x = F.dropout(x, 0.5, True)
            return x, zoo.scatter(x[edge_index[0]], edge_index[1], dim_size=x.shape[0])
    dropped, summed = capture.compile_module(Model())(torch.ones(4000, 2), LINE)
    assert torch.equal(dropped, summed)


def test_attention_dropout_in_training_and_not_in_eval():
    model = pyg.GATConv(SIZE, 4, heads=2, dropout=0.5).train()
    eager, run = copy.deepcopy(model).eval(), compiled(model)
    torch.manual_seed(1)
    many = torch.stack([run(X, EDGES).detach() for _ in range(400)])
    assert many.std(0).max() > 0
    assert (many.mean(0) - eager(X, EDGES)).abs().max() < 0.15 * many.abs().max()
    model.eval()
    is_close(run(X, EDGES), eager(X, EDGES))


# -- Norms ---------------------------------------------------------------------------------

def test_batch_norm_moves_its_statistics_once_a_step():
    model = Two(lambda self, h: self.norm(h).relu(), norm=nn.BatchNorm1d(SIZE)).train()
    eager, run = copy.deepcopy(model), compiled(model)
    for seed in range(3):
        x = torch.randn(20, SIZE, generator=torch.Generator().manual_seed(seed))
        for a, b in zip(step(run, model, x), step(eager, eager, x)):
            is_close(a, b, 1e-4)
        is_close(dict(model.named_buffers()), dict(eager.named_buffers()))
    assert int(model.norm.num_batches_tracked) == 3
    structures = capture._made[-1].structures
    assert len(capture._made) == 1 and len(structures._kept) == 1


def test_a_batch_norm_that_is_used_twice():
    is_eager(Two(lambda self, h: self.norm(self.norm(h).relu()),
                 norm=nn.BatchNorm1d(SIZE)).train(), 1e-4)


def test_edges_that_are_dropped_at_random():
    class Model(nn.Module):
        def forward(self, x, edge_index):
            kept = edge_index[:, torch.rand(edge_index.shape[1]) >= 0.5]
            return zoo.scatter(x[kept[0]], kept[1], dim_size=x.shape[0])
    model = Model()
    run = capture.compile_module(model)
    found, expected = [], []
    for seed in range(3):
        for function, outs in ((run, found), (model, expected)):
            torch.manual_seed(seed)
            outs.append(function(X, EDGES))
        is_close(found[-1], expected[-1])


NORMS = [
    lambda: nn.LayerNorm(SIZE), lambda: nn.BatchNorm1d(SIZE, affine=False), pyg.PairNorm,
    lambda: nn.BatchNorm1d(SIZE, track_running_stats=False), lambda: pyg.LayerNorm(SIZE),
    lambda: pyg.LayerNorm(SIZE, mode="node"), lambda: pyg.GraphNorm(SIZE),
    lambda: pyg.BatchNorm(SIZE)]


@pytest.mark.parametrize("norm", zoo.with_slow(NORMS, NORMS[-3:]))
def test_norms_in_training(norm):
    model = Two(lambda self, h: self.norm(h), norm=norm()).train()
    eager = copy.deepcopy(model)
    out, grads = step(capture.compile_module(model), model)
    expected, wanted = step(eager, eager)
    is_close(out, expected)
    scale = max(float(g.norm()) for g in wanted.values())
    for name, grad in wanted.items():
        assert (grads[name] - grad).norm() <= 1e-4 * scale, name
    is_close(dict(model.named_buffers()), dict(eager.named_buffers()))


# -- Modes -----------------------------------------------------------------------------------

def test_modes_compile_few_times():
    model = Two(lambda self, h: F.dropout(h, 0.5, self.training))
    eager, run = copy.deepcopy(model).eval(), compiled(model)
    for _ in range(2):
        for train in (True, False):
            model.train(train)
            for mode in (contextlib.nullcontext, torch.no_grad, torch.inference_mode):
                with mode():
                    out = run(X, EDGES)
                assert out.requires_grad == (mode is contextlib.nullcontext)
                if not train:
                    is_close(out, eager(X, EDGES))
    assert len(capture._made) <= 6


def test_inference_tensors():
    model = Two().eval()
    run = compiled(model)
    with torch.inference_mode():
        x, edges = X.clone(), EDGES.clone()
        before = run(x, edges)
        edges.copy_(edges.flip(0))
        is_close(before, model(X, EDGES))
        is_close(run(x, edges), model(X, EDGES.flip(0)))


class Constant(Two):
    def forward(self, x, edge_index):
        with torch.no_grad():
            h = self.one(x, edge_index)
        return self.two(h, edge_index) + h


def _half_of_a_norm(self, h):
    h = self.norm(h)
    return torch.cat([h[:, :4].detach(), h[:, 4:]], 1) + h


@pytest.mark.parametrize("model", [
    lambda: Two(lambda self, h: h.detach() * h), Constant,
    lambda: Two(lambda self, h: h + self.two(h.detach(), EDGES).relu().detach()),
    lambda: Two(lambda self, h: h - h.detach().mean(1, keepdim=True)),
    lambda: Two(_half_of_a_norm, norm=nn.BatchNorm1d(SIZE))],
    ids=["detach", "no_grad", "twice", "mean", "BatchNorm"])
def test_what_is_constant_is_of_the_program(model):
    """Without its gradient, although it is made of what has one: what is read in both ways is
    computed in each. Statistics are written once."""
    model = model()
    eager = copy.deepcopy(model)
    for a, b in zip(step(compiled(model), model), step(eager, eager)):
        is_close(a, b)
    is_close(dict(model.named_buffers()), dict(eager.named_buffers()))


def test_a_dropout_that_is_detached_is_drawn_once():
    class Model(Drop):
        def forward(self, x, edge_index):
            made = F.dropout(x * 1.0, self.p, self.training)
            return zoo.scatter((made - made.detach() + 1)[edge_index[0]], edge_index[1],
                               dim_size=x.shape[0])
    out, grads = step(compiled(Model(0.5)), Model(0.5), torch.ones(4000, 4), LINE)
    assert (out == 1).all() and grads["x"].unique().tolist() == [0, 4]


# -- Checkpoints -----------------------------------------------------------------------------

class Checkpointed(Two):
    def forward(self, x, edge_index):
        h = checkpoint(self.one, x, edge_index, use_reentrant=False)
        return self.two(F.dropout(h, 0.5, self.training), edge_index)


def test_checkpoint_within_a_model():
    is_eager(Checkpointed().eval())


def test_checkpoint_around_a_call():
    model = Checkpointed().train()
    run = compiled(model)
    torch.manual_seed(5)
    expected = step(run, model)
    torch.manual_seed(5)
    found = step(lambda x, e: checkpoint(run, x, e, use_reentrant=False), model)
    for a, b in zip(found, expected):
        is_close(a, b)


# -- Gradients -------------------------------------------------------------------------------

def test_frozen_parameters_between_calls():
    model = Two()
    run = compiled(model)
    for frozen in ([], ["one.lin_l.weight"], ["one.lin_l.weight", "two.lin_r.weight"]):
        for name, p in model.named_parameters():
            p.requires_grad_(name not in frozen)
        found, expected = step(run, model), step(model, model)
        for a, b in zip(found, expected):
            is_close(a, b)


def test_two_backward_passes():
    model = Two()
    loss = compiled(model)(X, EDGES).pow(2).sum()
    wanted = step(model, model)[1]
    model.zero_grad()
    loss.backward(retain_graph=True)
    loss.backward()
    for name, p in model.named_parameters():
        is_close(p.grad, 2 * wanted[name])
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss.backward()


def test_second_derivatives_are_refused():
    x = X.clone().requires_grad_()
    grad, = torch.autograd.grad(compiled(Two())(x, EDGES).pow(2).sum(), x,
                                create_graph=True)
    with pytest.raises(RuntimeError, match="Two: expected to be differentiated once, got a second "
                       "derivative, as of torch.autograd.grad with create_graph=True"):
        grad.sum().backward()


@pytest.mark.parametrize("function", [
    lambda x, w: OPS.aggregate(x * x, TYPES, 4, "sum"),
    lambda x, w: OPS.typed_linear(x, w, TYPES, None), lambda x, w: OPS.edge_softmax(x, TYPES, 4)])
def test_second_derivatives_in_torch(function):
    """Where a model is left to torch, its ops are differentiated as often as others."""
    torch.manual_seed(0)
    x, w = (torch.randn(*shape, dtype=torch.double, requires_grad=True)
            for shape in ((6, 3), (3, 3, 2)))
    assert torch.autograd.gradgradcheck(function, (x, w))


def test_what_is_saved_and_changed_is_an_error():
    model, x = Two(), X.clone()
    loss = compiled(model)(x, EDGES).sum()
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_programs_see_new_parameters(tmp_path):
    model = Two()
    eager, run = copy.deepcopy(model), compiled(model)
    steps = [torch.optim.Adam(m.parameters(), 0.05) for m in (model, eager)]
    for _ in range(3):
        found, expected = step(run, model), step(eager, eager)
        for a, b in zip(found, expected):
            is_close(a, b, 1e-3)
        for one in steps:
            one.step()
    torch.save(run.state_dict(), tmp_path / "state.pt")
    for p in model.parameters():
        p.data = torch.zeros_like(p)
    assert not run(X, EDGES).any()
    run.load_state_dict(torch.load(tmp_path / "state.pt"))
    is_close(run(X, EDGES), eager(X, EDGES), 1e-3)
    other = copy.deepcopy(run)
    is_close(other(X, EDGES), eager(X, EDGES), 1e-3)
    with torch.no_grad():
        next(model.parameters()).zero_()
    is_close(other(X, EDGES), eager(X, EDGES), 1e-3)


class OfAuthors(nn.Module):
    """A model on dicts, of which rows of one type are returned."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *given):
        return {"author": self.model(*given)["author"]}


class HGTs(nn.Module):
    """Two layers, without anything behind them."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(pyg.HGTConv(zoo.D, zoo.D, zoo.META, zoo.H)
                                   for _ in range(2))

    def forward(self, x_dict, edge_index_dict):
        for conv in self.convs:
            x_dict = conv(x_dict, edge_index_dict)
        return x_dict


@pytest.mark.parametrize("name", ["HGT", "HeteroConv-SAGE"])
def test_gradients_of_types_that_nothing_reads(name, monkeypatch):
    """None as in eager PyG, although all node types of a layer are one program: of a model
    that returns rows of one type, and of a loss that reads some of all types. Weights of
    all types reach programs in one piece, copied once for both passes."""
    torch.manual_seed(0)
    dense, are_dense = launches.device_tensor, []
    monkeypatch.setattr(launches, "device_tensor", lambda info, x: are_dense.append(
        x.is_contiguous()) or dense(info, x))
    model = HGTs() if name == "HGT" else zoo.CASES[name].make()
    x, edges = zoo.Inputs().hetero()
    model(x, edges)
    own = {kind: rows.clone().requires_grad_() for kind, rows in x.items()}

    def grads(run, reads):
        model.zero_grad()
        loss = 0
        for one in reads:
            made = run(own, edges)
            loss = loss + sum(made[kind].sin().sum() for kind in one)
        found = torch.autograd.grad(loss, [*model.parameters(), *own.values()],
                                    allow_unused=True)
        return dict(zip([*(name for name, _ in model.named_parameters()), *own], found))
    whole = capture.compile_module(model)
    one = capture.compile_module(OfAuthors(model)) if name == "HGT" else whole
    missing = []
    for compiled, *reads in ((whole, ["paper"]), (whole, ["venue", "author"]),
                             (whole, ["paper"], ["author"]), (one, ["author"]),
                             (whole, zoo.TYPES)):
        eager, found = grads(model, reads), grads(compiled, reads)
        assert compiled is one is not whole or all(are_dense)
        are_dense.clear()
        none = {name for name, grad in eager.items() if grad is None}
        assert none == {name for name, grad in found.items() if grad is None}
        for name in eager.keys() - none:
            assert (found[name] - eager[name]).norm() <= 1e-3 * max(1, eager[name].norm()), name
        missing.append(len(none))
    assert missing[0] and missing[1] and missing[2] < missing[0] and missing[3]
    assert not missing[-1]


def test_gradients_of_one_output_after_another():
    """Of one call, each by its own backward pass."""
    lins = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(2))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.lins = lins

        def forward(self, x, edges):
            return [torch.zeros_like(x).index_add(0, edges[1], lin(x)[edges[0]])
                    for lin in self.lins]
    model = Model()
    grads = []
    for run in (model, capture.compile_module(model, fullgraph=True)):
        outs = run(X, EDGES)
        for i in (0, 1, 0):
            model.zero_grad()
            outs[i].sin().sum().backward(retain_graph=True)
            grads.append([p.grad for p in model.parameters()])
    for eager, found in zip(grads[:3], grads[3:]):
        assert [x is None for x in eager] == [x is None for x in found]
        is_close(*[dict(enumerate(x for x in one if x is not None))
                   for one in (found, eager)], 1e-4)


# -- Writes ---------------------------------------------------------------------------------

def _write_features(self, h, mask, edges):
    made = h.clone()
    made[:, :3] = self.lin(h)[:, 2:5].relu()
    made[:, -2] = 0.5
    made[:, 4] = h[:, 5] * 2
    made[:, 1:3] += h[:, :2]
    both = torch.zeros_like(h)
    both[:, :5], both[..., 5:] = made[:, 3:], self.lin.bias[:3]
    return both * made


def _write_rows(self, h, mask, edges):
    made = h.clone()
    made[mask] = 0.1
    made[~mask] = self.lin.bias
    made = torch.where(mask[:, None], h, made.sin())
    made[h < -0.5] = 0.3
    made[h[:, 0] > 0.5] = self.lin.bias * 2
    return made.masked_fill_(~mask.view(-1, 1), -1) + h * mask[:, None]


def _write_sums(self, h, mask, edges):
    made = self.lin(h)
    made.index_add_(0, edges[1], h[edges[0]], alpha=0.5)
    made.index_put_((edges[1],), h[edges[0]].cos(), accumulate=True)
    return made.scatter_add_(0, edges[1][:, None].expand(-1, SIZE), made[edges[0]].tanh())


class Writes(nn.Module):
    def __init__(self, write):
        super().__init__()
        torch.manual_seed(0)
        self.one, self.two = pyg.LEConv(SIZE, SIZE), pyg.SAGEConv(SIZE, SIZE)
        self.lin, self.write = nn.Linear(SIZE, SIZE), write

    def forward(self, x, edge_index, mask):
        return self.two(self.write(self, self.one(x, edge_index), mask, edge_index),
                        edge_index)


@pytest.mark.parametrize("write", [_write_features, _write_rows, _write_sums])
def test_writes_are_of_the_program(write):
    """To features, to rows of a mask and onto rows, with eager's gradients."""
    model = Writes(write)
    mask = torch.arange(len(X)) % 3 > 0
    results = [step(lambda x, edges: run(x, edges, mask), model)
               for run in (model, compiled(model))]
    is_close(results[1][0], results[0][0])
    is_close(results[1][1], results[0][1], 1e-3)
    assert [len(made.calls) for made in capture._made] == [1]


def test_a_whole_step_is_compiled():
    """The optimizer's part, which writes to weights, is torch's."""
    losses = []
    for compiled_step in False, True:
        model = Two()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=True)

        def one_step():
            optimizer.zero_grad()
            loss = model(X, EDGES).square().mean()
            loss.backward()
            optimizer.step()
            return loss.detach()
        call = capture.compile_module(one_step) if compiled_step else one_step
        losses.append([call().item() for _ in range(3)])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5) and losses[0][0] > losses[0][2]


# -- Processes --------------------------------------------------------------------------------

def _train(rank):
    model = Two(lambda self, h: self.norm(h).relu(), norm=nn.BatchNorm1d(SIZE))
    run = capture.compile_module(nn.parallel.DistributedDataParallel(model))
    run(X + rank, EDGES).pow(2).sum().backward()
    return ({name: p.grad.numpy() for name, p in model.named_parameters()},
            [len(made.calls) for made in capture._made])


def test_gradients_are_averaged_over_processes(tmp_path):
    (grads, calls), _ = in_processes(_train, tmp_path)
    model = Two(lambda self, h: self.norm(h).relu(), norm=nn.BatchNorm1d(SIZE))
    parts = [step(one, one, X + rank)[1] for rank in range(WORLD)
             for one in [copy.deepcopy(model)]]
    wanted = {name: sum(part[name] for part in parts) / WORLD for name in grads}
    is_close({name: torch.from_numpy(g) for name, g in grads.items()}, wanted, 1e-3)
    assert calls == [1]


# -- Other sizes ----------------------------------------------------------------------------

def test_another_width_is_another_program():
    layer = pyg.LGConv()
    run = compiled(layer)
    for size in (5, 8):
        is_close(run(X[:, :size], EDGES), layer(X[:, :size], EDGES))
