# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the ranker of LO-SpMM (3.5), LambdaMART by LightGBM, on stores of schedules.

    python benchmarks/tuning/train_ranker.py benchmarks/tuning/stores/h200/training \\
        --out benchmarks/tuning/models/h200-ranker.trees \\
        --test benchmarks/tuning/stores/h200/named

A cell is a query, a schedule a document; its label says how near its time is to the best of the
cell. The number of trees is that which ranks best the graphs that five trainings have left out.
Prints for each cell that is trained on, again by trainings that leave its graph out, and for each of
--test, which are never trained on, how far the best of the first K is from the best; and the same of
the schedules without the rule's, which every search measures first.
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
    "objective": "lambdarank", "metric": "ndcg", "eval_at": [10],
    "lambdarank_truncation_level": 20, "num_leaves": 15, "min_data_in_leaf": 5,
    "learning_rate": 0.05, "feature_fraction": 0.7, "bagging_fraction": 0.8, "bagging_freq": 1,
    "seed": 1, "deterministic": True, "force_row_wise": True, "num_threads": 1, "verbose": -1}
MOST_TREES, LEAST_TREES, FOLDS = 300, 20, 5
NEAR = 0.03


def label(table):
    speed = table.ratio.min() / table.ratio
    return np.digitize(speed, GRADES)


def dataset(tables, names, reference=None):
    rows = np.concatenate([align(table, names) for table in tables])
    return lightgbm.Dataset(rows, label=np.concatenate([label(t) for t in tables]),
                            group=[len(t.rows) for t in tables], feature_name=names,
                            reference=reference, free_raw_data=False)


def align(table, names):
    """The rows of a table with the columns of these names; NaN where it has none."""
    rows = np.full((len(table.rows), len(names)), np.nan)
    for i, name in enumerate(names):
        if name in table.names:
            rows[:, i] = table.column(name)
    return rows


def train(tables):
    """The model, and those of the folds with the tables that they have left out."""
    names = list(dict.fromkeys(name for table in tables for name in table.names
                               if not name.startswith("g_sparse.")))
    folds, count = stores.fold(tables, FOLDS), MOST_TREES
    left_out = []
    if len(folds) == FOLDS:
        for held in folds:
            used = [t for part in folds if part is not held for t in part]
            left_out.append((*leave_out(used, held, names), held))
        curves = [curve for _, curve, _ in left_out]
        count = max(int(np.argmax(np.mean(curves, axis=0))) + 1, LEAST_TREES)
    return lightgbm.train(PARAMETERS, dataset(tables, names), count), left_out


def leave_out(used, held, names):
    """A model of `used`, and how well each number of trees ranks `held`."""
    data = dataset(used, names)
    found = {}
    booster = lightgbm.train(PARAMETERS, data, MOST_TREES,
                             valid_sets=[dataset(held, names, data)],
                             callbacks=[lightgbm.record_evaluation(found)])
    return booster, found["valid_0"]["ndcg@10"]


def loss(table, order, count):
    """How much longer the best of the first `count` takes than the best of all."""
    return table.ratio[order[:count]].min() / table.ratio.min() - 1


def rank(booster, table, trees=None):
    rows = align(table, booster.feature_name())
    weights = booster.predict(rows, raw_score=True, num_iteration=trees)
    return np.argsort(-weights, kind="stable")


def report(ranked, count):
    """`ranked`: tables, each with the booster that ranks it and how many of its trees."""
    near, near_others = 0, 0
    print(f"{'cell':44} {'schedules':>9}  top {count:2}  random {count:2}  top 1  others {count:2}")
    for table, booster, trees in ranked:
        order = rank(booster, table, trees)
        rng = np.random.default_rng(1)
        chance = np.median([loss(table, rng.permutation(len(order)), count) for _ in range(99)])
        lost = loss(table, order, count)
        others = table.without_rule()
        without = loss(others, rank(booster, others, trees), count)
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
    booster, left_out = train(tables)
    pathlib.Path(args.out).parent.mkdir(parents=True, exist_ok=True)
    booster.save_model(args.out)
    print(f"{len(tables)} cells, {sum(len(t.rows) for t in tables)} schedules, "
          f"{booster.num_trees()} trees")
    booster = lightgbm.Booster(model_file=args.out)
    print("\ntraining")
    report([(table, booster, None) for table in tables], args.top)
    if left_out:
        print("\ntraining, by models that know other graphs alone")
        report([(table, other, booster.num_trees()) for other, _, held in left_out
                for table in held], args.top)
    if args.test:
        print("\nheld out")
        report([(table, booster, None) for table in stores.load(args.test, tool)], args.top)


if __name__ == "__main__":
    main()
