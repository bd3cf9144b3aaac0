# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A saved model on the batches of a file, without torch.

    python examples/serve/serve.py MODEL.gnnpkg BATCHES.npz [--device cpu] [--output OUT.npz]

The file has arrays 0/x, 0/edge_index, 1/x, ..., each with the number of its batch and the name of
an argument. A batch without ids has the graph of the batch before. OUT.npz gets the first output
of each. examples/serve/serve.c is the same in C.
"""

import argparse

import numpy as np

import gnn_mlir


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model")
    parser.add_argument("batches")
    parser.add_argument("--device")
    parser.add_argument("--output")
    options = parser.parse_args()
    model, given, found = gnn_mlir.load(options.model, device=options.device), {}, {}
    with np.load(options.batches) as arrays:
        for batch in range(len(arrays.files)):
            new = {name.partition("/")[2]: arrays[name] for name in arrays.files
                   if name.startswith(f"{batch}/")}
            if not new:
                break
            given |= new
            bound = model.bind(**given) if any(
                one["role"] == "ids" and one["name"] in new
                for one in model.manifest["arguments"]) else bound
            out = bound(**{info.name: given[info.name] for info in bound.inputs})
            print(f"batch {batch}: {bound.outputs[0].name} {list(out.shape)}, sum {out.sum():.6g}")
            found[str(batch)] = out
    if options.output:
        np.savez(options.output, **found)


if __name__ == "__main__":
    main()
