# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What columns by the L2 give: the sum over neighbours of wide rows, on a graph of
the counts and the degrees of Reddit (synthetic.py's), whose sources are drawn uniformly.

    python benchmarks/columns.py --features 64 128 256 512

Each line compares, interleaved in one process on torch's current GPU: blocks that
take whole rows (compiled without statistics), blocks that take the columns that
`gnn-tile-schedule-columns` chooses, and torch's sparse product (cuSPARSE). All three
must agree; ours add the edges of a row in the order that their lanes take them.
"""

import argparse
import statistics

import numpy as np
import torch

import gnn_mlir
import synthetic


def neighbour_sum(features):
    module = gnn_mlir.Module()
    g = module.graph("g")
    f = module.function("neighbour_sum")
    x = f.input("x", g.rows("node", features))
    f.output("out", f.aggregate("sum", f.gather(x, "edge", via="src"), "node",
                                via="dst"))
    return module


def time(run):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    run()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def schedule(layer):
    return layer.report()["steps"][-1].get("schedule", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=int, nargs="+",
                        default=[64, 128, 256, 512])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    made = synthetic.homogeneous("reddit", options.scale)
    order = np.argsort(made.edge_dst, kind="stable")
    pointer = np.searchsorted(made.edge_dst[order], np.arange(made.num_nodes + 1))
    sparse = torch.sparse_csr_tensor(
        torch.tensor(pointer.astype(np.int32)),
        torch.tensor(made.edge_src[order].astype(np.int32)),
        torch.ones(made.num_edges), (made.num_nodes, made.num_nodes)).cuda()
    print(f"{torch.cuda.get_device_name()}, {made.num_nodes} nodes, "
          f"{made.num_edges} edges; ms, median of {options.runs} (spread)")
    for features in options.features:
        module = neighbour_sum(features)
        x = torch.randn(made.num_nodes, features, device="cuda")
        layers = {"whole": gnn_mlir.compile(module, target="cuda").bind(made, "cuda"),
                  "tiles": gnn_mlir.compile(module, target="cuda",
                                            graph=made).bind(made, "cuda")}
        runs = {name: (lambda layer=layer: layer({"x": x}))
                for name, layer in layers.items()}
        runs["cusparse"] = lambda: sparse @ x
        outs = {name: run() for name, run in runs.items()}
        error = max(((outs[name] - outs["cusparse"]).norm()
                     / outs["cusparse"].norm()).item() for name in layers)
        assert error < 1e-5, error
        del outs
        times = {name: [] for name in runs}
        for _ in range(options.runs):
            for name, run in runs.items():
                times[name].append(time(run))
        text = ", ".join(f"{name} {statistics.median(t):.2f} "
                         f"({min(t):.2f}-{max(t):.2f})"
                         for name, t in times.items())
        gain = (statistics.median(times["whole"])
                / statistics.median(times["tiles"]))
        print(f"F {features}: {text}; whole/tiles {gain:.2f}; error {error:.1e}")
        for name, layer in layers.items():
            print(f"  {name}: {schedule(layer)}")


if __name__ == "__main__":
    main()
