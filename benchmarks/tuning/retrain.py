# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains both models of a machine anew, on stores/NAME.

    python benchmarks/tuning/retrain.py h200

Writes models/NAME-ranker.trees and models/NAME-cost.json, and says how they do on the stores that
are held out.
"""

import argparse
import pathlib
import subprocess
import sys

TRAINED_ON, HELD_OUT = ("training", "lanes", "dots"), ("named", "widths", "test")
HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("name", help="a folder of stores, with training in it")
    parser.add_argument("--tool", help="gnn-tune")
    args = parser.parse_args()
    tool = ["--tool", args.tool] if args.tool else []
    of = HERE / "stores" / args.name
    for script, model in (("train_ranker", "ranker.trees"), ("train_cost_model", "cost.json")):
        stores, held = ([str(of / name) for name in names if (of / name).exists()]
                        for names in (TRAINED_ON, HELD_OUT))
        subprocess.run([sys.executable, str(HERE / f"{script}.py"), *stores, "--test", *held,
                        "--out", str(HERE / "models" / f"{args.name}-{model}"), *tool], check=True)


if __name__ == "__main__":
    main()
