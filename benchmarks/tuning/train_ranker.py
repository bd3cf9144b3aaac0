# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the ranker of LO-SpMM (3.5), LambdaMART by LightGBM, on stores of schedules.

    python benchmarks/tuning/train_ranker.py benchmarks/tuning/stores/h200/training \\
        --out benchmarks/tuning/models/h200-ranker.trees \\
        --test benchmarks/tuning/stores/h200/named

A cell is a query and a schedule a document, whose label states how close its time is to the best
of the cell. The settings were chosen by cross-validation over graphs. The script prints how far
the best of the first K schedules is from the best of each cell: for cells of the training set by
models that were trained without their graph, and for cells of --test, which no model is trained
on. It prints the same without the rule's schedule, which each search measures first.
"""

import argparse
import pathlib

import lightgbm
import numpy as np

import stores

# A schedule has as many points as there are shares of the best speed that it reaches.
GRADES = (0.02, 0.04, 0.08, 0.12, 0.18, 0.25, 0.33, 0.42, 0.5, 0.6, 0.7, 0.8, 0.87, 0.93, 0.97,
          0.99)
PARAMETERS = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 20, "num_leaves": 15, "min_data_in_leaf": 5,
    "learning_rate": 0.05, "feature_fraction": 0.7, "bagging_fraction": 0.8, "bagging_freq": 1,
    "seed": 1, "deterministic": True, "force_row_wise": True, "num_threads": 1, "verbose": -1}
TREES, FOLDS = 300, 5
NEAR = 0.03


def label(table):
    speed = table.ratio.min() / table.ratio
    return np.digitize(speed, GRADES)


def dataset(tables, names):
    rows = np.concatenate([align(table, names) for table in tables])
    return lightgbm.Dataset(rows, label=np.concatenate([label(t) for t in tables]),
                            group=[len(t.rows) for t in tables], feature_name=names)


def align(table, names):
    """The rows of a table with the columns of these names; NaN where it has none."""
    rows = np.full((len(table.rows), len(names)), np.nan)
    for i, name in enumerate(names):
        if name in table.names:
            rows[:, i] = table.column(name)
    return rows


def train(tables):
    names = list(dict.fromkeys(name for table in tables for name in table.names
                               if not name.startswith("g_sparse.")))
    return lightgbm.train(PARAMETERS, dataset(tables, names), TREES)


def cross_validate(tables):
    """The tables, each with a model that does not know its graph."""
    folds = stores.fold(tables, FOLDS)
    if len(folds) < FOLDS:
        return []
    models = [train([t for part in folds if part is not held for t in part]) for held in folds]
    return [(table, model) for held, model in zip(folds, models) for table in held]


def loss(table, order, count):
    """How much longer the best of the first `count` takes than the best of all."""
    return table.ratio[order[:count]].min() / table.ratio.min() - 1


def rank(booster, table):
    weights = booster.predict(align(table, booster.feature_name()), raw_score=True)
    return np.argsort(-weights, kind="stable")


def report(ranked, count):
    """`ranked`: tables, each with the booster that ranks it."""
    near, near_others = 0, 0
    print(f"{'cell':44} {'schedules':>9}  top {count:2}  random {count:2}  top 1  others {count:2}")
    for table, booster in ranked:
        order = rank(booster, table)
        rng = np.random.default_rng(1)
        chance = np.median([loss(table, rng.permutation(len(order)), count) for _ in range(99)])
        lost = loss(table, order, count)
        others = table.without_rule()
        without = loss(others, rank(booster, others), count)
        near, near_others = near + (lost <= NEAR), near_others + (without <= NEAR)
        print(f"{table.cell + ' ' + str(table.number):44} {len(order):9} {lost:7.1%} "
              f"{chance:10.1%} {loss(table, order, 1):6.1%} {without:10.1%}")
    print(f"within {NEAR:.0%} of the best: {near} of {len(ranked)}; of those without the rule's "
          f"{near_others}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("stores", nargs="+", help="folders of stores to train on")
    parser.add_argument("--out", required=True, help="the model, LightGBM's text")
    parser.add_argument("--test", nargs="*", default=[], help="folders of stores to test on")
    parser.add_argument("--top", type=int, default=10, help="schedules that are measured")
    parser.add_argument("--tool", help="gnn-tune")
    args = parser.parse_args()
    tool = stores.find_tool(args.tool)
    tables = stores.load(args.stores, tool)
    booster = train(tables)
    pathlib.Path(args.out).parent.mkdir(parents=True, exist_ok=True)
    booster.save_model(args.out)
    print(f"{len(tables)} cells, {sum(len(t.rows) for t in tables)} schedules, "
          f"{booster.num_trees()} trees")
    booster = lightgbm.Booster(model_file=args.out)
    print("\ntraining")
    report([(table, booster) for table in tables], args.top)
    left_out = cross_validate(tables)
    if left_out:
        print("\ntraining, by models that know other graphs alone")
        report(left_out, args.top)
    if args.test:
        print("\nheld out")
        report([(table, booster) for table in stores.load(args.test, tool)], args.top)


if __name__ == "__main__":
    main()
