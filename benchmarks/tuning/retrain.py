# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains both models of a machine anew, on its stores of training cells alone.

    python benchmarks/tuning/retrain.py h200

Writes models/NAME-ranker.trees and models/NAME-cost.json, and says how they do on stores/NAME/named.
"""

import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("name", help="a folder of stores, with training and named in it")
    parser.add_argument("--tool", help="gnn-tune")
    args = parser.parse_args()
    tool = ["--tool", args.tool] if args.tool else []
    of = HERE / "stores" / args.name
    for script, model in (("train_ranker", "ranker.trees"), ("train_cost_model", "cost.json")):
        subprocess.run([sys.executable, str(HERE / f"{script}.py"), str(of / "training"), "--test",
                        str(of / "named"), "--out", str(HERE / "models" / f"{args.name}-{model}"),
                        *tool], check=True)


if __name__ == "__main__":
    main()
