# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models beside eager torch: results, gradients, buffers, inputs that are written
to, and what shares memory.

    python python/tests/pytorch/random_model_runs.py --seeds 0..300

prints each model that differs, reduced.
"""

import argparse
import copy
import functools
import itertools
import logging
import random
import time
import warnings

import random_models
import torch

from gnn_mlir import targets
from gnn_mlir.pytorch.frontend import capture

# Nodes, nodes of the other type, edges, edges across, graphs.
_GRAPHS = ((7, 5, 20, 9, 3), (9, 9, 9, 9, 4), (4, 3, 17, 6, 6), (33, 2, 70, 11, 2))
_SMALL = ((1, 1, 0, 0, 1), (1, 2, 1, 3, 1), (6, 4, 0, 3, 2), (5, 1, 1, 0, 5),
          (13, 8, 31, 20, 7))


class Difference(AssertionError):
    pass


def _inputs(model, sizes, seed):
    size = dict(zip(random_models.SIZES, sizes))
    made = torch.Generator().manual_seed(seed)
    values = {name: torch.randn([size.get(d, d) for d in dims], generator=made)
              for name, dims in random_models.INPUTS.items()}

    def ids(high, *shape):
        return torch.randint(0, high, shape, generator=made)

    n, m, e, c, g = sizes
    edges, looped = ids(n, 2, e), set()
    for edge in edges.t():  # One loop at a node: see add_remaining_self_loops in the docs.
        if edge[0] == edge[1] and edge[0].item() in looped:
            edge[1] = (edge[1] + 1) % n
        elif edge[0] == edge[1]:
            looped.add(edge[0].item())
    values.update(edge_index=edges, across=torch.stack([ids(n, c), ids(m, c)]),
                  batch=ids(g, n).sort()[0], ids=ids(5, n), kinds=ids(3, e),
                  mask=ids(2, n) == 0)
    return values


def _flat(made):
    if isinstance(made, dict):
        return list(made.values())
    return [x for part in made for x in (part if isinstance(part, list) else [part])]


def _run(model, function, module, inputs, dtype):
    """All that a call and its backward pass leave, by name; and which share memory."""
    given = {name: x.to(dtype, copy=True) if x.is_floating_point() else x
             for name, x in inputs.items()}
    if model.inputs_with_gradients:
        for name in ("x", "z", "w", "u", "weight"):
            given[name].requires_grad_()
    made = function(*given.values())
    outputs = _flat(made)
    found = {f"output {i}": x for i, x in enumerate(outputs)}
    facts = {"form": type(made), "keys": list(made) if isinstance(made, dict) else None,
             "dtypes": [x.is_floating_point() for x in outputs],
             "requires_grad": [x.requires_grad for x in outputs]}
    tensors = {**found, **{"input " + k: v for k, v in given.items()}}
    for (a, x), (b, y) in itertools.combinations(tensors.items(), 2):
        if a.startswith("output") and x.numel() and y.numel():
            facts[f"memory of {a} and {b}"] = (
                x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr())
    found = {name: x.detach().clone() for name, x in found.items()}
    loss = [(x, torch.arange(x.numel()).view(x.shape).remainder(7).sub(2.5).to(x.dtype))
            for x, read in zip(outputs, model.in_loss) if read and x.requires_grad]
    if loss:
        torch.autograd.backward(*zip(*loss))
    for name, x in given.items():
        found["input " + name] = x.detach()
        found["gradient of " + name] = x.grad
    found.update({"gradient of " + k: p.grad for k, p in module.named_parameters()})
    found.update({"buffer " + k: b.clone() for k, b in module.named_buffers()})
    return found, facts


def _compare(exact, rounded, found, edgeless):
    """`edgeless`: layers of PyG leave out parameters there, which have zeros here."""
    for name, want in exact.items():
        near, got = rounded[name], found[name]
        if (near is None) != (got is None):
            there = got if near is None else near
            if not there.numel() or edgeless and not there.any():
                continue
            raise Difference(f"{name}: expected {near}, got {got}")
        if near is None:
            continue
        if near.shape != got.shape or near.dtype != got.dtype:
            raise Difference(f"{name}: expected {near.dtype} {tuple(near.shape)}, got "
                             f"{got.dtype} {tuple(got.shape)}")
        want, near, got = want.double(), near.double(), got.double()
        held = (want.isfinite() == near.isfinite()) & (want.isnan() == near.isnan())
        finite = held & want.isfinite()
        odd = held & ~finite & ~torch.isclose(near, got, equal_nan=True)
        scale = want[finite].abs().max().item() if finite.any() else 0.0
        own = (want - near)[finite].abs().max().item() if finite.any() else 0.0
        wrong = finite & ~((want - got).abs() <= 2e-5 * max(scale, 1.0) + 30 * own)
        if odd.any() or wrong.any():
            at = tuple((odd | wrong).nonzero()[0].tolist())
            raise Difference(
                f"{name}: at {at} of {tuple(got.shape)} expected {want[at].item():.7g} "
                f"(eager {near[at].item():.7g}), got {got[at].item():.7g}")


def sizes_of(seed):
    rng = random.Random(seed)
    graphs = [*rng.sample(_GRAPHS, 2), *rng.sample(_SMALL, 2)]
    if rng.random() < 0.3:
        rng.shuffle(graphs)
    return graphs


def check(model, graphs=None):
    """Raises Difference; gives how many of the graphs eager torch could run."""
    torch._dynamo.reset()
    made = model.build()
    compiled_of = copy.deepcopy(made)
    compiled = capture.compile_module(compiled_of, target=targets.CPU)
    ran = 0
    for number, sizes in enumerate(graphs or sizes_of(model.seed)):
        inputs = _inputs(model, sizes, model.seed + number)
        eager, exact = copy.deepcopy(made), copy.deepcopy(made).double()
        try:
            wanted, _ = _run(model, exact, exact, inputs, torch.float64)
            near, facts = _run(model, eager, eager, inputs, torch.float32)
        except (RuntimeError, ValueError, IndexError):
            continue  # As a norm of one row is.
        ran += 1
        compiled_of.zero_grad()
        compiled_of.load_state_dict(made.state_dict())
        try:
            found, ours = _run(model, compiled, compiled_of, inputs, torch.float32)
        except Exception as error:
            raise Difference(f"graph {sizes}: {type(error).__name__}: "
                             f"{str(error)[:1500]}") from error
        try:
            _compare(wanted, near, found, 0 in sizes)
            for fact, value in facts.items():
                shared = fact.startswith("memory") and value
                if ours[fact] != value and not shared:  # A view may be a copy.
                    raise Difference(f"{fact}: expected {value}, got {ours[fact]}")
        except Difference as error:
            raise Difference(f"graph {sizes}: {error}") from None
    return ran


def _kind(error):
    """The facts that a reduced model has to share."""
    text = str(error).split(": ", 1)[1]
    return text.split(":")[0].split(" ")[0]


def reduced(model, error, seconds=30):
    """A smaller model that fails alike, and how."""
    end, changed = time.monotonic() + seconds, True
    while changed:
        changed = False
        numbers = range(len(model.statements))
        last = [i for i in numbers if model.results == (model.statements[i].name,)]
        candidates = [functools.partial(model.giving, i)
                      for i in numbers[:last[0] if last else None]]
        candidates += [functools.partial(model.with_results, [
            k for k in range(len(model.results)) if k != i])
            for i in range(len(model.results))]
        candidates += [functools.partial(step, i) for step in (
            model.without, model.passed_through) for i in reversed(numbers)]
        for candidate in candidates:
            if time.monotonic() > end:
                return model, error
            smaller = candidate()
            if smaller is None:
                continue
            try:
                check(smaller)
            except Difference as found:
                if _kind(found) == _kind(error):
                    model, error, changed = smaller, found, True
                    break
            except Exception:  # No model any more.
                continue
    return model, error


def report(model, error):
    model, error = reduced(model, error)
    return (f"seed {model.seed}, reduced: {error}\n(training: {model.training}, inputs "
            f"with gradients: {model.inputs_with_gradients}, in the loss: "
            f"{model.in_loss})\n{model.source()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", default="0..100", help="first..last")
    first, last = map(int, parser.parse_args().seeds.split(".."))
    warnings.simplefilter("ignore")
    logging.getLogger("gnn_mlir").setLevel(logging.ERROR)
    ran = failed = 0
    for seed in range(first, last):
        model = random_models.random_model(seed)
        try:
            ran += check(model)
        except Difference as error:
            failed += 1
            print(report(model, error), flush=True)
    print(f"seeds {first}..{last}: {failed} differ; {ran} calls compared", flush=True)
    return failed != 0


if __name__ == "__main__":
    raise SystemExit(main())
