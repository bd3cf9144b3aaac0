# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results: a dict of what was measured (the commit, the kind of device), of the runs, each with
what its process said of the machine, and of the rows of cells, each with the number of its
run."""

import datetime
import json

from gnn_mlir import files

# Those of an `about` that runs which are put together share.
SHARED = ("device", "torch", "CUDA", "gather")
_KEY = ("suite", "op", "graph", "features", "heads", "training")


def new(commit, about):
    run = {"date": datetime.date.today().isoformat(), **about}
    return {"commit": commit, **{name: about.get(name) for name in SHARED}, "runs": [run],
            "rows": []}


def key(row):
    """The key of its cell."""
    return tuple(row[name] for name in _KEY)


def add(result, row):
    result["rows"].append({**row, "run": len(result["runs"]) - 1})


def is_timed(found):
    """Whether there is a time that counts."""
    return bool(found) and "ms" in found and "wrong" not in found


def _counts(row):
    return bool(row["ours"]) and not {"skipped", "wrong"} & set(row["ours"])


def has(result, cell):
    """Whether the cell of that key was measured."""
    return result is not None and any(key(row) == cell and _counts(row)
                                      for row in result["rows"])


def together(results):
    """One result of several. Where two have the same cell, the last one counts that has a result
    of ours. Raises ValueError."""
    first, runs, rows = results[0], [], {}
    for result in results:
        for name in ("commit", *SHARED):
            if result[name] != first[name]:
                raise ValueError(f"{name}: expected {first[name]}, as in the first results, got "
                                 f"{result[name]}")
        for row in result["rows"]:
            run = result["runs"][row["run"]]
            if run not in runs:
                runs.append(run)
            if key(row) not in rows or _counts(row):
                rows[key(row)] = {**row, "run": runs.index(run)}
    return {**first, "runs": runs or first["runs"], "rows": list(rows.values())}


def wrong(result):
    """The results of ours that were wrong."""
    return [f"{row['op']}, {row['graph']}, {row['features']} features, {name}: {found['wrong']}"
            for row in result["rows"]
            for name, found in {"ours": row["ours"], **row["ways"]}.items() if "wrong" in found]


def read(path):
    """Results of a file. Raises ValueError where it has none."""
    result = json.loads(path.read_text())
    if not isinstance(result, dict) or not {"commit", "runs", "rows"} <= set(result):
        raise ValueError(f"{path}: expected results of benchmarks/sparse, got something else")
    return result


def write(path, result):
    files.write(path, json.dumps(result, indent=1) + "\n")
