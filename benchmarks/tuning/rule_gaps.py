# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far the rule's schedules are from the fastest of stores, and in which fields they differ.

    python benchmarks/tuning/rule_gaps.py benchmarks/tuning/stores/h200/*

Writes Markdown: each template of each cell with the ratio of the fastest to the rule's schedule,
which a store has first, and the fields in which they differ where the gain is over 5 %. Times are those of the store,
each the median of its rounds: the least of many is too good by their spread.
"""

import argparse
import json

import numpy as np

import stores

GAIN = 0.05


def read(store):
    """(template, the rule's schedule, the others) of each template that a store has measured."""
    templates = {}
    for line in map(json.loads, store.path.read_text().splitlines()):
        key = json.dumps([line[k] for k in ("template", "domain", "accesses", "types", "body")])
        templates.setdefault(key, []).append(line)
    for lines in templates.values():
        # A schedule that was measured once more counts as it was then.
        last = {json.dumps(line["schedule"]): line for line in lines if "ratio" in line}
        rule = last.pop(json.dumps(lines[0]["schedule"]))
        yield f"{lines[0]['template']} {lines[0]['domain']}", rule, list(last.values())


def differing(rule, best):
    """Fields as 'name rule -> best'."""
    names = list(dict.fromkeys((*rule, *best)))
    return ", ".join(f"{n} {rule.get(n, 'none')} -> {best.get(n, 'none')}" for n in names
                     if rule.get(n) != best.get(n))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("stores", nargs="+", help="folders of stores")
    args = parser.parse_args()
    print("| cell | template | schedules | ms of the rule | fastest of the others / rule | rank of the rule | "
          "fields |\n| --- | --- | --- | --- | --- | --- | --- |")
    ratios = []
    for store in stores.find_stores(args.stores):
        for template, rule, others in read(store):
            if not others:
                continue  # it has one schedule, or its time was up
            best = min(others, key=lambda line: line["ratio"])
            rank = 1 + sum(line["ratio"] < rule["ratio"] for line in others)
            ratio = best["ratio"] / rule["ratio"]
            fields = differing(rule["schedule"], best["schedule"]) if ratio < 1 - GAIN else ""
            ratios.append(ratio)
            print(f"| {store.cell} | {template} | {len(others) + 1} | {rule['milliseconds']:.4f} | "
                  f"{ratio:.3f} | {rank} | {fields} |")
    ratios = np.array(ratios)
    print(f"\nThe rule is the fastest in {np.sum(ratios >= 1)} of {len(ratios)} templates, within 3% "
          f"of it in {np.sum(ratios >= 0.97)}, and a gain of over {GAIN:.0%} is left in "
          f"{np.sum(ratios < 1 - GAIN)}.")


if __name__ == "__main__":
    main()
