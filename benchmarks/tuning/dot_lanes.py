# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What warps and loads take of dots by teams, fitted on stores of measured schedules.

    python benchmarks/tuning/dot_lanes.py benchmarks/tuning/stores/h200/{lanes,training}

By these numbers `gnn-tile-schedule-lanes` has its lanes of dots ("Lanes of dots by teams" in
docs/Cost.md). Of each vector and number of lanes the fastest block counts that has at most 512
threads and is not bound by how fast blocks begin, of graphs whose rows the L2 holds.
"""

import argparse
import re

import numpy as np

import rule_gaps
import stores

L2_BYTES = 6e7
BLOCK_SECONDS = 0.62e-9  # What a block takes to begin.
MOST_THREADS = 512


def fastest(store):
    """(edges, lanes, loads of a row, seconds) of the fastest block of each vector and lanes."""
    counts = {name: int(number) for name, number in re.findall(
        r"(src_nodes|edges) = (\d+)", store.module.read_text())}
    found = {}
    for _, rule, others in rule_gaps.read(store):
        schedule = rule["schedule"]
        features = schedule["columns_per_block"]
        if schedule["row_walk"] != "team" or 8 * counts["src_nodes"] * features > L2_BYTES:
            continue
        for line in (rule, *others):
            own, seconds = line["schedule"], line["ratio"] * rule["milliseconds"] / 1e3
            if (own["columns_per_block"] < features or "lookup" in own or
                    own["lanes"] * own["rows_per_block"] > MOST_THREADS or
                    counts["edges"] / own["rows_per_block"] * BLOCK_SECONDS > 0.75 * seconds or
                    own["vector"] < 2 or own["lanes"] < 2):
                continue
            loads = -(-features // (own["vector"] * own["lanes"]))
            key = own["vector"], own["lanes"]
            if key not in found or seconds < found[key][-1]:
                found[key] = counts["edges"], own["lanes"], loads, seconds
    return found


def fit(of_cells, least):
    """(launch, warp, load) in seconds by schedules of vectors of `least` and more, and how far
    off each of these is."""
    rows = np.array([row for of in of_cells for (vector, _), row in of.items()
                     if vector >= least])
    edges, lanes, loads, seconds = rows.T
    terms = np.stack([np.ones_like(edges), edges * lanes / 32, 2 * edges * loads], 1)
    terms /= seconds[:, None]
    found = np.linalg.lstsq(terms, np.ones_like(edges), rcond=None)[0]
    return found, np.abs(terms @ found - 1)


def read(folders):
    """What `fastest` finds of each dot."""
    return [of for store in stores.find_stores(folders)
            if "/dot/" in store.cell and (of := fastest(store))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("stores", nargs="+", help="folders of stores")
    of_cells = read(parser.parse_args().stores)
    for text, least in (("two and four", 2), ("four", 4)):
        (launch, warp, load), off = fit(of_cells, least)
        print(f"vectors of {text}: {len(off)} schedules of {len(of_cells)} dots, launch "
              f"{launch * 1e6:.1f} us, a warp {warp * 1e12:.0f} ps, a load {load * 1e12:.1f} ps, "
              f"8 of 10 within {np.quantile(off, 0.8):.0%}; twice as many lanes are as fast where "
              f"a lane has {warp / load / 32:.2f} times as many vectors")


if __name__ == "__main__":
    main()
