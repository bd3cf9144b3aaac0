# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of benchmarks/sparse that are made up."""


def row_of(op="sum", graph="reddit", features=64, ours=2.0, limit=1.5, suite="sums", **peers):
    times = lambda ms, **more: {"ms": ms, "captured": True, "spread": 0.01, "mib": 3.0,
                                "error": 1e-7, **more}
    return {"suite": suite, "op": op, "graph": graph, "nodes": 9, "edges": 99, "longest": 5,
            "features": features, "heads": None, "training": False, "small": False,
            "ours": {**times(ours), "kernels": 1, "compile_s": 0.1, "bind_s": 0.2},
            "beside": {"limit": times(limit, tile=32, unroll=4), "streams": times(1.2 * limit)},
            "peers": {name: times(one) if isinstance(one, float) else one
                      for name, one in peers.items()}, "ways": {}, "cell_s": 1.0, "run": 0}


def result_of(*rows, **more):
    about = {"commit": "1234", "device": "a card", "torch": "2", "CUDA": "13", "gather": "abc",
             "runs": [{"date": "2026-01-01", "driver": "580", "copy": 3e12}]}
    return {**about, **more, "rows": list(rows)}
