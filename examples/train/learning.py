# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common parts of the examples that learn: a compiled model as a module of torch, the
loop over epochs with its progress bar, the comparison with PyG, and a plot of the
losses."""

import argparse
import dataclasses
import importlib.util
import math
import pathlib
import statistics
import sys
import time

import numpy as np
import torch

import gnn_mlir

COMPARED = 20  # The steps in which the losses of both must agree.


class Compiled(torch.nn.Module):
    """A compiled function on one graph, with its weights as parameters. `wrt` are the
    other inputs that gradients are wanted of."""

    def __init__(self, module, graph, weights, wrt=()):
        super().__init__()
        self.layer = gnn_mlir.compile(module, graph=graph, gradients=[*weights, *wrt])
        self.graph, self.is_first = graph, True
        self.weights = torch.nn.ParameterDict({
            name: torch.nn.Parameter(torch.tensor(array))
            for name, array in weights.items()})

    def forward(self, x):
        if self.is_first:
            print("gnn-mlir compiles the backward pass and binds the graph in the first "
                  "epoch", file=sys.stderr, flush=True)
        self.is_first = False
        return self.layer(self.graph, {"x": x, **self.weights})


def initial_weights(module, graph, seed):
    """The weights that a model starts with, by name: Glorot's for matrices, zeros for
    biases, ones for HGT's prior and skip."""
    function, = module.functions.values()
    rng, found = np.random.default_rng(seed), {}
    for name, value in function.inputs.items():
        shape, last = value.type.shape(graph), name.split("_")[-1]
        if last in ("bias", "prior", "skip"):
            found[name] = np.full(shape, last != "bias", np.float32)
        elif name != "x":
            bound = math.sqrt(6 / sum(shape[-2:]))
            found[name] = rng.uniform(-bound, bound, shape).astype(np.float32)
    return found


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {number}")
    return number


def not_negative(text):
    number = float(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number of at least 0, got {text}")
    return number


def picture(text):
    if not text.endswith(".svg"):
        raise argparse.ArgumentTypeError(f"expected a name that ends in .svg, got {text}")
    if not pathlib.Path(text).parent.is_dir():
        raise argparse.ArgumentTypeError(f"expected a file of a folder that is there, got "
                                         f"{text}")
    if importlib.util.find_spec("matplotlib") is None:
        raise argparse.ArgumentTypeError("expected matplotlib, which draws it: "
                                         "pip install matplotlib")
    return text


def add_options(parser, epochs, rate):
    """The options that all examples have."""
    parser.add_argument("--epochs", type=positive, default=epochs, help="(%(default)s)")
    parser.add_argument("--rate", type=not_negative, default=rate,
                        help="of learning, Adam's (%(default)s)")
    parser.add_argument("--decay", type=not_negative, default=0.0,
                        help="of weights, a step (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="(%(default)s)")
    parser.add_argument("--device", default="auto",
                        help="auto, cuda, cuda:N or cpu (%(default)s)")
    parser.add_argument("--compare-pyg", action="store_true",
                        help="train PyG's layers from the same weights as well")
    parser.add_argument("--plot", metavar="FILE.svg", type=picture,
                        help="draw the losses")


def find_device(name):
    """Where tensors are, and what computes."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name.partition(":")[0] not in ("cuda", "cpu"):
        raise ValueError(f"--device: expected auto, cuda, cuda:N or cpu, got {name}")
    if name != "cpu" and not torch.cuda.is_available():
        raise ValueError(f"--device: expected cpu, since torch finds no GPU, got {name}")
    return torch.device(name)


def read_graph(path, made, *needed):
    """The graph of a file, or a made one where there is none."""
    if path is None:
        print("no --graph: a small one, made of a seed", flush=True)
        return made()
    if not pathlib.Path(path).exists():
        raise ValueError(f"--graph: expected a file, got {path}, which is not there; "
                         "from_pyg.py beside this script writes some")
    graph = gnn_mlir.Graph.load(path)
    lacking = [name for name in needed if name not in graph.arrays]
    if lacking:
        raise ValueError(f"{path}: expected {' and '.join(needed)} in the file, got no "
                         f"{' and no '.join(lacking)}")
    return graph


def import_pyg(asked="--compare-pyg"):
    """PyG's layers; `asked` is what needs them."""
    try:
        import torch_geometric.nn
    except ImportError:
        raise ValueError(f"{asked}: expected PyTorch Geometric to be installed, got no "
                         "module torch_geometric") from None
    return torch_geometric.nn


@dataclasses.dataclass
class Run:
    """How a training went."""

    name: str
    losses: list
    seconds: list
    score: float = math.nan

    @property
    def epoch(self):
        """The median time of an epoch after the first, which also binds the graph."""
        return statistics.median(self.seconds[1:] or self.seconds)


def fit(name, network, step, options):
    """Trains a network: `step` gives the loss of an epoch."""
    network.train()
    optimizer = torch.optim.Adam(network.parameters(), lr=options.rate,
                                 weight_decay=options.decay)
    run = Run(name, [], [])
    for epoch in range(1, options.epochs + 1):
        began = time.perf_counter()
        optimizer.zero_grad()
        loss = step(epoch)
        loss.backward()
        optimizer.step()
        run.losses.append(loss.item())  # Waits for the GPU.
        run.seconds.append(time.perf_counter() - began)
        show_progress(name, epoch, options.epochs, run)
    return run


def show_progress(name, epoch, epochs, run, width=30):
    """A bar on a terminal, ten lines elsewhere."""
    done = width * epoch // epochs
    text = (f"{name:<9}[{'#' * done}{'.' * (width - done)}] epoch {epoch}/{epochs}, "
            f"loss {run.losses[-1]:.4f}, {sum(run.seconds):.1f} s")
    if sys.stderr.isatty():
        print(f"\r{text}", end="\n" if epoch == epochs else "", file=sys.stderr, flush=True)
    elif epoch == epochs or epoch % max(1, epochs // 10) == 0:
        print(text, file=sys.stderr, flush=True)


def difference(runs, steps=COMPARED):
    """The largest relative difference of the first losses."""
    pairs = list(zip(*(run.losses for run in runs)))[:steps]
    return max(abs(ours - other) / abs(other) for ours, other in pairs)


def report(runs, score, plot=None):
    """Prints what came of it; `score` says what is measured at the end."""
    print(f"{'':<10}{'first loss':>12}{'last loss':>12}{score:>12}{'ms an epoch':>14}")
    for run in runs:
        print(f"{run.name:<10}{run.losses[0]:>12.5f}{run.losses[-1]:>12.5f}"
              f"{run.score:>12.4f}{1e3 * run.epoch:>14.2f}")
    if len(runs) > 1:
        steps = min(COMPARED, len(runs[0].losses))
        print(f"the losses of the first {steps} epochs differ by at most "
              f"{difference(runs):.1e} of their size")
    if plot:
        draw(runs, plot)
        print(f"losses drawn: {plot}")


COLOURS = ("#0072b2", "#d55e00")


def draw(runs, plot):
    """The losses over epochs: ours a line, the other one dashes over it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3), layout="constrained")
    axis = figure.add_subplot(xlabel="epoch", ylabel="loss")
    for run, colour, style in zip(runs, COLOURS, ("-", "--")):
        axis.plot(range(1, len(run.losses) + 1), run.losses, style, color=colour, label=run.name)
    axis.set_ylim(0)
    axis.legend()
    figure.savefig(plot, metadata={"Date": None})


def run_example(main):
    """Bad input is one line."""
    try:
        main()
    except (gnn_mlir.GNNError, OSError, ValueError) as error:
        sys.exit(f"error: {error}")
