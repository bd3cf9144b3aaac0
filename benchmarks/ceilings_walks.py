# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of this compiler's kernels on made graphs, for ceilings.py, which fits the figures of
Kernels.def to it.

A case has what the cost model weighs (rows, edges, features, bytes) and the median of
its times in seconds, with their spread.
"""

import numpy as np

import gnn_mlir
from gnn_mlir import types
from cases import of_edges
from ceilings import summarize

FEATURES = 64
ROW_BYTES = 4 * FEATURES
WHOLE = {"long-rows": 0}  # Rows are not cut into pieces.


def product(inputs, outputs):
    """Rows of nodes times a weight."""
    module = gnn_mlir.Module()
    g = module.graph("g")
    f = module.function("product")
    x = f.input("x", g.rows("node", inputs))
    f.output("out", f.linear(x, f.input("w", types.weight(inputs, outputs))))
    return module


def chain(length):
    """Sums over neighbours of one feature, one after another."""
    module = gnn_mlir.Module()
    g = module.graph("g")
    f = module.function("chain")
    x = f.input("x", g.rows("node", 1))
    for _ in range(length):
        x = f.aggregate("sum", f.gather(x, "edge", via="src"), "node", via="dst")
    f.output("out", x)
    return module


def neighbour_sum(features):
    """The sum over the edges into each node of a square graph."""
    return of_edges(gnn_mlir, "sum", features)


def sum_of_sources(features):
    """The sum over neighbours from the sources of a bipartite graph."""
    module = gnn_mlir.Module()
    g = module.graph("g", square=False)
    f = module.function("sum_of_sources")
    x = f.input("x", g.rows("src", features))
    f.output("out", f.aggregate("sum", f.gather(x, "edge", via="src"), "dst", via="dst"))
    return module


def uniform(nodes, degree):
    """Both ends of edges are drawn."""
    ends = np.random.default_rng(1).integers(0, nodes, (2, int(nodes * degree)))
    return gnn_mlir.Graph(*ends, nodes)


def drawn(sources, targets):
    """A bipartite graph of edges with these targets, whose sources are drawn."""
    ends = np.random.default_rng(1).integers(0, sources, len(targets), dtype=np.int32)
    return gnn_mlir.Graph(ends, targets, num_src_nodes=sources,
                          num_dst_nodes=int(targets.max()) + 1)


def hub(sources, length):
    """All edges go into one of 64 nodes."""
    return drawn(sources, np.r_[np.zeros(length, np.int32), 63])


def falling(nodes, edges, longest, apart=8):
    """In-degrees fall from `longest` by a power of their rank. Nodes of high degree lie
    `apart` from each other, so that a block has some."""
    ranks = np.arange(1, nodes + 1, dtype=np.float64)
    low, high = 0.0, 4.0
    for _ in range(60):
        power = (low + high) / 2
        many = longest * (ranks ** -power).sum() > edges
        low, high = (power, high) if many else (low, power)
    degrees = np.round(longest * ranks ** -power).astype(np.int64)
    numbers = np.arange(nodes)
    degrees = degrees[np.lexsort((numbers, numbers % (nodes // apart)))]
    targets = np.repeat(np.arange(nodes), degrees)
    sources = np.random.default_rng(1).integers(0, nodes, len(targets))
    return gnn_mlir.Graph(sources, targets, nodes)


class Bench:
    """Times of functions on one machine (ceilings_gpu.GPU or ceilings_cpu.CPU); `hubs`
    are graphs with long rows by name, `scale` makes others smaller."""

    def __init__(self, machine, hubs=(), scale=1.0, say=lambda text: None):
        self.machine, self.graphs_with_hubs = machine, hubs
        self.scale, self.say = scale, say
        # A core walks a row faster, and all other rows more slowly.
        self.lengths = (2**14, 2**15) if machine.target == "cuda" else (2**18, 2**19)

    def rows_of(self, table_bytes):
        """As many rows of FEATURES as a table of that size has."""
        return max(16, int(self.scale * table_bytes / ROW_BYTES))

    def run(self, module, graph, passes=None, schedule=None, cold=False):
        """Times, and what the first launch is scheduled as."""
        compiled = gnn_mlir.compile(module, target=self.machine.target, graph=graph,
                                    passes=passes, schedules=[schedule] if schedule else None)
        bound = compiled.bind(graph, self.machine.place)
        function, = module.functions.values()
        inputs = self.machine.inputs(function.random_inputs(graph, 1))
        middle, spread = summarize(self.machine.seconds(lambda: bound(inputs), cold))
        steps = bound.report()["steps"]
        found = {"seconds": middle, "spread": spread, "kernels": len(steps),
                 "nodes": graph.num_src_nodes, "edges": graph.num_edges}
        text = steps[0].get("schedule") or ""
        fields = dict(part.split(" = ") for part in text.split(", ") if " = " in part)
        for name in ("lanes", "head_lanes", "element_lanes", "in_flight"):
            if name in fields:
                found[name] = int(fields[name])
        self.say(f"{function.name} {found}")
        return found

    def products(self):
        """Cases of widths at which memory or arithmetic takes the time."""
        cases = []
        for inputs, outputs, nodes in ((16, 16, 2**21), (64, 64, 2**20), (128, 128, 2**19),
                                       (256, 256, 2**18), (512, 512, 2**17)):
            graph = uniform(max(64, int(self.scale * nodes)), 0)
            cases.append({**self.run(product(inputs, outputs), graph),
                          "inputs": inputs, "outputs": outputs})
        return cases

    def graphs(self):
        """Tables that lie in the last cache, and some that do not, of rows with few and
        many edges."""
        l2 = self.machine.l2_bytes
        near, far = (self.rows_of(size) for size in (
            0.4 * l2, min(8 * l2, max(2**28, 3 * l2))))
        many = (1, 3, 7, 16) if far <= 2**21 else (1, 3, 7)
        for nodes, degrees in ((near, (3, 7, 16, 50)), (far, many)):
            for degree in degrees:
                yield uniform(nodes, degree)

    def sums(self):
        """Sums over neighbours as they are scheduled, and, of 64 features and of one, with
        other lanes for elements and edges in flight."""
        chosen, others = [], []
        for graph in self.graphs():
            module = neighbour_sum(FEATURES)
            chosen.append({**self.run(module, graph), "features": FEATURES})
            if self.machine.target == "cuda":
                others += self.scheduled(graph, FEATURES, ((1, 1), (1, 4), (2, 1), (2, 4)))
                others += self.scheduled(graph, 1, ((1, 1), (1, 4), (8, 1), (8, 4), (32, 1)))
        return {"sums": chosen, "schedules": others}

    def scheduled(self, graph, features, pairs):
        """With so many lanes for elements, and edges in flight of each, in blocks of 256;
        not those of which most would have none."""
        mean, module = graph.num_edges / graph.num_nodes, neighbour_sum(features)
        lines = gnn_mlir.list_schedules(module, target="cuda", graph=graph, vary=[
            "element_lanes", "in_flight", "rows_per_block"])
        cases = []
        for lanes, flight in pairs:
            found = [line for line in lines if line["layout"]["threads"] == 256 and
                     line["schedule"]["element_lanes"] == lanes and
                     line["schedule"]["in_flight"] == flight]
            if found and (flight == 1 or lanes * flight <= 2 * mean):
                cases.append({**self.run(module, graph, schedule=found[0]),
                              "features": features})
        return cases

    def hubs(self, far):
        """One long row of two lengths, walked by one team where it lies in the last cache
        or comes from memory."""
        l2, module, cases = self.machine.l2_bytes, sum_of_sources(FEATURES), []
        nodes = self.rows_of(3 * l2 if far else 0.08 * l2)
        for length in self.lengths:
            graph, schedule = hub(nodes, max(64, int(self.scale * length))), None
            if self.machine.target == "cuda":
                schedule = next(line for line in gnn_mlir.list_schedules(
                    module, target="cuda", graph=graph, passes=WHOLE,
                    vary=["row_walk", "split_rows", "element_lanes", "in_flight",
                          "rows_per_block"])
                    if line["layout"]["threads"] == 256 and
                    line["schedule"]["row_walk"] == "team" and
                    line["schedule"]["element_lanes"] == 2 and
                    line["schedule"]["in_flight"] == 4)
            cases.append(self.run(module, graph, WHOLE, schedule, cold=far))
        return cases

    def long_rows(self):
        """Whole rows of graphs with hubs, and one of two lengths by itself."""
        cases = []

        def measure(name, graph, module=neighbour_sum(FEATURES)):
            longest = int(np.bincount(graph.edge_dst).max())
            cases.append({**self.run(module, graph, WHOLE), "longest": longest,
                          "graph": name, "features": FEATURES})

        for name, graph in self.graphs_with_hubs:
            measure(name, gnn_mlir.merge_types(graph))
        for nodes, edges, longest in () if self.graphs_with_hubs else (
                (27_000, 148_000, 6_783), (146_430, 2_076_414, 26_007)):
            longest, edges = (max(64, int(self.scale * n)) for n in (longest, edges))
            measure("made", falling(max(16, int(self.scale * nodes)), edges, longest))
        for length in self.lengths:
            nodes = self.rows_of(0.08 * self.machine.l2_bytes)
            measure("alone", hub(nodes, max(64, int(self.scale * length))),
                    sum_of_sources(FEATURES))
        return cases

    def chains(self):
        """Short kernels that each wait for the last: blocks enough for each core."""
        graph = uniform(max(4096, 256 * self.machine.processors), 1)
        return [self.run(chain(length), graph) for length in (2, 10)]

    def all(self):
        return {"products": self.products(), **self.sums(), "near": self.hubs(False),
                "far": self.hubs(True), "long rows": self.long_rows(),
                "chains": self.chains()}
