# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the cost model of G-Sparse (III-D) on stores of schedules, by PyTorch.

    python benchmarks/tuning/train_cost_model.py benchmarks/tuning/stores/h200/training \\
        --out benchmarks/tuning/models/h200-cost.json \\
        --test benchmarks/tuning/stores/h200/named

Logarithms, batch normalization, three dense layers, and a normalization over the schedules of a
cell, as times are normalized: the loss is the mean square of the difference. One network for
g-SpMM, what reduces elements, and one for g-SDDMM, what reduces features of each. Training leaves out
inputs and hidden values by chance (dropout), and always takes as many steps. Prints Pearson's
coefficient within each cell: training, by networks that know other graphs alone (cross validation),
and held out. A network that predicts logarithms gives a time by their exponential; the scale, which
the normalization has taken out, is the mean deviation of logarithms within the cells that it is
trained on.

`--inputs metrics` takes algorithm 4's metrics and the shapes alone, `fields` the fields of
schedules beside them, which G-Sparse's search space has too, `all` (the default) every feature. By
default logarithms of times are predicted: some schedules take a hundred times as long as others.
"""

import argparse
import json
import pathlib
import sys

import numpy as np
import torch

import stores

SHAPES = ["graph.groups", "graph.edges", "graph.table_bytes", "template.features"]
METRICS = {
    "g-spmm": ["out_mem_access_eff", "access_eff", "par_degree", "data_reuse",
               "thread_block_size_penalty", "shared_mem_size", "out_mem_access_eff_thread_x_factor"],
    "g-sddmm": ["out_mem_access_eff", "mem_access_eff_factor_2", "total_num_threads",
                "warp_shuffle_factor", "feat_len_factor"]}
SCALES = {"plain": np.asarray, "log": np.log}
OFFSET, EPSILON, HIDDEN = 0.01, 1e-5, 64
EPOCHS, FOLDS, RATE, DROPPED, SEED = 400, 5, 3e-3, 0.3, 1


def kind_of(table):
    """Which network a template has, as NetworkModel.cpp has it; None where it has none."""
    if table.column("template.sums")[0] > 0:
        return "g-spmm"
    return "g-sddmm" if table.column("template.reduces_features")[0] > 0 else None


def choose_inputs(kind, tables, what):
    names = [f"g_sparse.{name}" for name in METRICS[kind]] + SHAPES
    if what != "metrics":
        names += [n for n in tables[0].names if n not in names and
                  (what == "all" or n.startswith("field."))]
    known = set.intersection(*(set(t.names) for t in tables))
    return [n for n in names if n in known]


def inputs_of(table, names):
    columns = [table.column(name) for name in names]
    return torch.tensor(np.nan_to_num(np.stack(columns, axis=1)).clip(min=0))


def normalize(values, cells, count):
    """Mean 0 and variance 1 in each cell."""
    ones = torch.zeros(count, dtype=torch.float64).index_add(
        0, cells, torch.ones_like(values))
    mean = torch.zeros_like(ones).index_add(0, cells, values) / ones
    away = values - mean[cells]
    variance = torch.zeros_like(ones).index_add(0, cells, away ** 2) / ones
    return away / torch.sqrt(variance + EPSILON)[cells]


class Network(torch.nn.Module):
    def __init__(self, inputs):
        super().__init__()
        # All rows are one batch: its statistics are those of the data.
        self.norm = torch.nn.BatchNorm1d(inputs, eps=EPSILON, momentum=1.0)
        self.layers = torch.nn.ModuleList([torch.nn.Linear(inputs, HIDDEN),
                                           torch.nn.Linear(HIDDEN, HIDDEN),
                                           torch.nn.Linear(HIDDEN, 1)])

    def forward(self, values):
        values = self.norm(torch.log(values + OFFSET))
        if self.training:  # a step does without some features
            values = values * (torch.rand(values.shape[1]) > DROPPED / 2)
        for layer in self.layers[:-1]:
            values = torch.nn.functional.dropout(torch.relu(layer(values)), DROPPED, self.training)
        return self.layers[-1](values).squeeze(1)

    def describe(self, kind, names):
        """As the compiler reads it."""
        def numbers(tensor):
            return tensor.detach().tolist()
        return {"kind": kind, "features": names, "offset": OFFSET, "epsilon": EPSILON,
                "mean": numbers(self.norm.running_mean), "variance": numbers(self.norm.running_var),
                "scale": numbers(self.norm.weight), "shift": numbers(self.norm.bias),
                "layers": [{"weights": numbers(l.weight), "biases": numbers(l.bias)}
                           for l in self.layers]}


class Data:
    """The rows of some tables, one behind another."""

    def __init__(self, tables, names, scale):
        self.inputs = torch.cat([inputs_of(t, names) for t in tables])
        self.cells = torch.repeat_interleave(torch.arange(len(tables)),
                                             torch.tensor([len(t.rows) for t in tables]))
        self.count = len(tables)
        times = torch.cat([torch.tensor(scale(t.ratio)) for t in tables])
        self.times = normalize(times, self.cells, self.count)

    def predict(self, network):
        return normalize(network(self.inputs), self.cells, self.count)

    def loss(self, network):
        return torch.mean((self.predict(network) - self.times) ** 2)


def train(tables, names, scale):
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    data = Data(tables, names, scale)
    network = Network(len(names)).double()
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    network.train()
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        data.loss(network).backward()
        optimizer.step()
        schedule.step()
    return network.eval()


def spread_of(tables):
    """The mean deviation of logarithms of times within a cell."""
    return float(np.mean([np.std(np.log(t.ratio)) for t in tables]))


def time_of(values, spread):
    """Times by normalized logarithms, but for a factor."""
    return np.exp(spread * (values - values.mean()) / values.std())


def report(predicted, title, spread):
    """`predicted`: tables, each with the network that predicts it and its inputs; `spread`, of
    networks that predict logarithms, else None."""
    if not predicted:
        return
    tables = [table for table, _, _ in predicted]
    with torch.no_grad():
        values = [network(inputs_of(table, names)).numpy() for table, network, names in predicted]
    kinds = [("times", np.asarray, values), ("logarithms", np.log, values)]
    if spread:
        kinds[0] = "times", np.asarray, [time_of(value, spread) for value in values]
    print(f"{title}, {len(tables)} cells: Pearson", end=" ")
    told = []
    for of, scale, given in kinds:
        found = [np.corrcoef(value, scale(table.ratio))[0, 1]
                 for value, table in zip(given, tables)]
        worst = int(np.argmin(found))
        told.append(f"with {of} {np.median(found):.3f} in the median, {found[worst]:.3f} at worst "
                    f"({tables[worst].cell})")
    print("; ".join(told), flush=True)


def cross_validate(tables, kind, args):
    """The tables with networks that have not seen their graphs."""
    folds = stores.fold(tables, FOLDS)
    predicted = []
    for held in folds if len(folds) == FOLDS else []:
        used = [t for part in folds if part is not held for t in part]
        names = choose_inputs(kind, used, args.inputs)
        network = train(used, names, SCALES[args.times])
        predicted += [(t, network, names) for t in held if set(names) <= set(t.names)]
    return predicted


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("stores", nargs="+", help="folders of stores to train on")
    parser.add_argument("--out", required=True, help="the model, JSON")
    parser.add_argument("--test", nargs="*", default=[], help="folders of stores to test on")
    parser.add_argument("--inputs", choices=("metrics", "fields", "all"), default="all")
    parser.add_argument("--times", choices=SCALES, default="log",
                        help="what is predicted; the paper's is plain")
    parser.add_argument("--tool", help="gnn-tune")
    args = parser.parse_args()
    tool = stores.find_tool(args.tool)
    tables = stores.load(args.stores, tool)
    tests = stores.load(args.test, tool) if args.test else []
    networks = []
    for kind in METRICS:
        used = [t for t in tables if kind_of(t) == kind]
        if not used:
            continue
        names = choose_inputs(kind, used, args.inputs)
        network = train(used, names, SCALES[args.times])
        networks.append(network.describe(kind, names))
        spread = spread_of(used) if args.times == "log" else None
        report([(t, network, names) for t in used], f"{kind}, training", spread)
        report(cross_validate(used, kind, args), f"{kind}, cross validation", spread)
        report([(t, network, names) for t in tests if kind_of(t) == kind], f"{kind}, held out",
               spread)
    if not networks:
        sys.exit("expected traversals that reduce elements or features in "
                 f"{', '.join(args.stores)}, got none")
    out = pathlib.Path(args.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"networks": networks}) + "\n")


if __name__ == "__main__":
    main()
