# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the ranker of LO-SpMM (3.5), LambdaMART by LightGBM, on stores of schedules.

    python benchmarks/tuning/train_ranker.py benchmarks/tuning/stores/h200/training \\
        --out benchmarks/tuning/models/h200-ranker.trees \\
        --test benchmarks/tuning/stores/h200/named

A cell is a query, a schedule a document; its label says how near its time is to the best of the
cell. The number of trees is that which ranks best the cells that five trainings have left out.
Prints for each cell of --test, which are never trained on, how far the best of the first K is from
the best.
"""

import argparse
import pathlib

import lightgbm
import numpy as np

import stores

# A schedule has as many points as there are shares of the best speed that it reaches.
GRADES = (0.33, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99)
PARAMETERS = {
    "objective": "lambdarank", "metric": "ndcg", "eval_at": [10],
    "lambdarank_truncation_level": 20, "num_leaves": 31, "min_data_in_leaf": 10,
    "learning_rate": 0.05, "feature_fraction": 0.7, "bagging_fraction": 0.8, "bagging_freq": 1,
    "seed": 1, "deterministic": True, "force_row_wise": True, "num_threads": 1, "verbose": -1}
MOST_TREES, LEAST_TREES, FOLDS = 300, 20, 5


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
    names = list(dict.fromkeys(name for table in tables for name in table.names
                               if not name.startswith("g_sparse.")))
    count = MOST_TREES
    if len(tables) >= FOLDS:
        curves = [curve(tables, fold, names) for fold in range(FOLDS)]
        count = max(int(np.argmax(np.mean(curves, axis=0))) + 1, LEAST_TREES)
    return lightgbm.train(PARAMETERS, dataset(tables, names), count)


def curve(tables, fold, names):
    """How well each number of trees ranks a fifth of the cells, trained on the others."""
    used = dataset([t for i, t in enumerate(tables) if i % FOLDS != fold], names)
    held = dataset(tables[fold::FOLDS], names, used)
    found = {}
    lightgbm.train(PARAMETERS, used, MOST_TREES, valid_sets=[held],
                   callbacks=[lightgbm.record_evaluation(found)])
    return found["valid_0"]["ndcg@10"]


def loss(table, order, count):
    """How much longer the best of the first `count` takes than the best of all."""
    return table.ratio[order[:count]].min() / table.ratio.min() - 1


def report(booster, tables, count):
    names = booster.feature_name()
    near = 0
    print(f"{'cell':44} {'schedules':>9}  top {count:2}  random {count:2}  top 1")
    for table in tables:
        order = np.argsort(-booster.predict(align(table, names), raw_score=True), kind="stable")
        rng = np.random.default_rng(1)
        chance = np.median([loss(table, rng.permutation(len(order)), count) for _ in range(99)])
        lost = loss(table, order, count)
        near += lost <= 0.03
        print(f"{table.cell + ' ' + str(table.number):44} {len(order):9} {lost:7.1%} "
              f"{chance:10.1%} {loss(table, order, 1):6.1%}")
    print(f"within 3% of the best: {near} of {len(tables)}")


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
    report(booster, tables, args.top)
    if args.test:
        print("\nheld out")
        report(booster, stores.load(args.test, tool), args.top)


if __name__ == "__main__":
    main()
