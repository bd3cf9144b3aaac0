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


def batches_of(path, names, arguments):
    """The names of the arguments that each batch has."""
    batches = {}
    for name in names:
        number, _, argument = name.partition("/")
        if not number.isdigit() or argument not in arguments:
            number = None
        batches.setdefault(number, []).append(argument)
    if None in batches or sorted(map(int, batches)) != list(range(len(batches))):
        first = next(iter(arguments))
        raise SystemExit(f"{path}: expected arrays of batches by the names of arguments, "
                         f"0/{first}, ..., 1/{first}, ..., got {', '.join(names)}")
    return [batches[str(batch)] for batch in range(len(batches))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model")
    parser.add_argument("batches")
    parser.add_argument("--device")
    parser.add_argument("--output")
    options = parser.parse_args()
    model, given, found = gnn_mlir.load(options.model, device=options.device), {}, {}
    arguments = {one["name"]: one["role"] for one in model.manifest["arguments"]}
    bound = None
    with np.load(options.batches) as arrays:
        for batch, names in enumerate(batches_of(options.batches, arrays.files, arguments)):
            given |= {name: arrays[f"{batch}/{name}"] for name in names}
            if bound is None or any(arguments[name] == "ids" for name in names):
                bound = model.bind(**given)
            out = bound(**{info.name: given[info.name] for info in bound.inputs})
            print(f"batch {batch}: {bound.outputs[0].name} {list(out.shape)}, sum {out.sum():.6g}")
            found[str(batch)] = out
    if options.output:
        np.savez(options.output, **found)


if __name__ == "__main__":
    main()
