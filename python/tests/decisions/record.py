#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decisions of the passes on whole graphs, for every model on stored
statistics, and which long rows become pieces where none is walked by edges.

    python3 python/tests/decisions/record.py --write       writes decisions.txt
                       and long_rows.txt
    python3 python/tests/decisions/record.py --numbers     prints every remark in full
    python3 python/tests/decisions/record.py --statistics FOLDER
                       writes statistics.json from the graphs of that folder

decisions.txt has a paragraph for each way that models are compiled in, with the graphs
where they are: what each pass did or refused, in order. Numbers are left out, and what
repeats has a count. long_rows.txt has a line for each layer on each graph: the
elements above which the rows of its traversals become pieces, "whole" where that pays
too little or none is long, and why others cannot.
"""

import argparse
import bisect
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
sys.path.insert(0, str(ROOT / "python"))

from gnn_mlir import graph_functions, models  # noqa: E402
from gnn_mlir.graph import Graph  # noqa: E402

GOLDEN, STATISTICS = FOLDER / "decisions.txt", FOLDER / "statistics.json"
LONG_ROWS = FOLDER / "long_rows.txt"
GRAPHS = ("aifb", "mutag", "fb15k237", "wordnet30", "debian-bookworm", "soc-epinions")
# More whose layers were measured with long rows whole and in pieces; those of UNDIRECTED
# have both directions of every edge.
MEASURED = ("cora", "pubmed", "wn18rr", "debian-files")
UNDIRECTED = ("cora", "pubmed")

# By the form of the graph: with its types and inverse edges, with a node type at each
# end of an edge type, or with one type and self loops. `g` has the counts of types.
# The form "doubled" has one type, inverse edges and self loops: layers were measured on
# it (test_ranking.py).
TYPED = {
    "rgcn": lambda g: models.rgcn(g["edge_types"], (64, 64)),
    "rgcn-bases": lambda g: models.rgcn(g["edge_types"], (64, 64), bases=2),
    "rgcn-diagonal": lambda g: models.rgcn(g["edge_types"], (64, 64),
                                             diagonal_blocks=4),
    "rgcn-two-layers": lambda g: models.rgcn(g["edge_types"], (64, 64, 8)),
    "rgat": lambda g: models.rgat(g["edge_types"], (64, 64)),
    "rgat-heads": lambda g: models.rgat(g["edge_types"], (64, 16), heads=4),
    "hector-rgat": lambda g: models.hector_rgat(g["edge_types"], (64, 64)),
    "compgcn-sub": lambda g: models.compgcn(g["edge_types"], (64, 64), "sub"),
    "compgcn-mul": lambda g: models.compgcn(g["edge_types"], (64, 64), "mul"),
}
REFINED = {
    "hgt": lambda g: models.hgt(g["node_types"], g["edge_types"], (64, 64), heads=4,
                                schema=g["schema"]),
    "hgt-widths": lambda g: models.hgt(g["node_types"], g["edge_types"], (64, 64),
                                       heads=4, schema=g["schema"],
                                       in_features={
                                           t: (64, 12)[t % 2]
                                           for t in range(g["node_types"])}),
}
LOOPED = {
    "gcn": lambda g: models.gcn((64, 64)),
    "gcn-two-layers": lambda g: models.gcn((64, 32, 7)),
    "sgc": lambda g: models.sgc(64, 64, hops=2),
    "sage-mean": lambda g: models.sage((64, 64), "mean"),
    "sage-max": lambda g: models.sage((64, 64), "max"),
    "gin": lambda g: models.gin((64, 64)),
    "gat": lambda g: models.gat((64, 8), heads=8),
    "gatv2": lambda g: models.gatv2((64, 16), heads=4),
    "transformer": lambda g: models.transformer((64, 16), heads=4),
    "transformer-gate": lambda g: models.transformer((64, 16), heads=4, beta=True),
    "graphgym": lambda g: models.graphgym(64, 8, hidden=64),
}
MODELS = {**{name: ("typed", build) for name, build in TYPED.items()},
          **{name: ("refined", build) for name, build in REFINED.items()},
          **{name: ("looped", build) for name, build in LOOPED.items()}}
# As benchmarks/cases.py has them.
LAYERS = {
    "rgcn": ("typed", lambda g: models.rgcn(g["edge_types"], (64, 64),
                                            node_types=g["node_types"])),
    "rgat": ("typed", lambda g: models.rgat(g["edge_types"], (64, 64),
                                            node_types=g["node_types"])),
    "hgt": ("refined", REFINED["hgt"]),
    "gat": ("doubled", lambda g: models.gat((64, 64))),
    "gcn": ("doubled", lambda g: models.gcn((64, 64))),
}
# Other settings of the graph pipeline, and other GPUs, on fewer graphs.
SETTINGS = {"cost=rows": ("aifb", "fb15k237"), "chip=a100": ("wordnet30",)}

REMARK = re.compile(r"^<stdin>:(\d+):\d+: remark: \[(\w+)\] (\w+) \| Category:gnn-([\w-]+)"
                    r'(?: \| Function=\S+)?(?: \| Remark="(.*)")', re.M)


def forms(graph, undirected=False):
    """The graph in each form."""
    typed = graph if undirected else graph_functions.add_inverses(graph)
    merged = graph_functions.merge_types(graph)
    return {"typed": typed, "refined": graph_functions.refine_types(typed),
            "looped": graph_functions.add_self_loops(merged, "replace", 0),
            "doubled": graph_functions.add_self_loops(
                graph_functions.merge_types(typed), "replace", 0)}


def read_statistics(folder, names=GRAPHS + MEASURED):
    """Counts of types and statistics of graphs in each form."""
    def described(graph):
        return {"node_types": graph.num_node_types,
                "edge_types": graph.num_edge_types, "stats": graph.stats(),
                "schema": None if graph.schema is None else
                          [list(map(int, ends)) for ends in graph.schema]}
    return {name: {form: described(graph) for form, graph in forms(
        Graph.load(pathlib.Path(folder) / f"{name}.npz"), name in UNDIRECTED).items()}
        for name in names}


def with_statistics(text, graph):
    """A program with one graph, which gets the statistics."""
    found, count = re.subn(r"(?m)^(gnn\.graph @\w+ \w+ \{.*)\}$",
                           lambda m: f"{m[1]}, stats = {graph['stats']}}}", text)
    assert count == 1, text
    return found


def cases():
    """{(model, setting, graph): text} of all that is compiled; a setting is that of
    the graph pipeline, or the GPU."""
    stored = json.loads(STATISTICS.read_text())
    found = {(path.stem, "", "no statistics"): path.read_text()
             for path in sorted((ROOT / "examples").glob("*.mlir"))}
    for model, (form, build) in MODELS.items():
        for name in GRAPHS:
            graph = stored[name][form]
            text = with_statistics(build(graph).text(), graph)
            found[model, "", name] = text
            for setting, names in SETTINGS.items():
                if name in names:
                    found[model, setting, name] = text
    return found


def with_gradients(program, text):
    """The text of a program with one function, with its gradients by all inputs."""
    function, = program.functions.values()
    signature, body = text.split(") {\n", 1)
    wrt = ", ".join(f'"{name}"' for name in function.inputs)
    return f"{signature}) attributes {{gnn.gradients = [{wrt}]}} {{\n{body}"


def remarks(gnn_opt, setting, texts, passes="gnn-.*", more=()):
    """[(pass, done, name, message)] of each text: the remarks of `passes`, in order, by one run
    of gnn-opt."""
    separator = "\n// -----\n"
    target = [f"--gnn-attach-target={setting}"] if setting.startswith("chip=") else []
    run = subprocess.run(
        [gnn_opt, "-", "--split-input-file", *target,
         f"--gnn-graph-pipeline={'' if target else setting}", *more,
         f"--remarks-filter={passes}", "--remark-format=emitRemark", "-o", os.devnull,
         "--mlir-disable-threading"],
        input=separator.join(texts), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    matches = REMARK.findall(run.stderr)
    assert len(matches) == run.stderr.count(": remark: "), run.stderr
    # The number of the first line behind each text.
    ends = list(itertools.accumulate((text + separator).count("\n") for text in texts))
    found = [[] for _ in texts]
    for line, kind, name, category, message in matches:
        if category != "attach-target":
            found[bisect.bisect_left(ends, int(line))].append(
                (category, kind == "Passed", name, message))
    return found


def in_short(message):
    """The beginning of a message, without numbers: what follows compares them."""
    words = re.sub(r"[-+]?\d[\d,.]*(e[-+]?\d+)?", "#", message)
    return re.split(r"; | \(|[:,] (?=#)", words)[0]


def summary(found):
    """The lines of a case."""
    lines = collections.Counter(
        f"  {category}: {name}: {in_short(message)}"
        for category, done, name, message in found)
    return "\n".join(line + (f" ({count} times)" if count > 1 else "")
                     for line, count in lines.items()) or "  nothing"


def everything(gnn_opt):
    """{case: remarks} of all cases."""
    texts, found = cases(), {}
    for setting in dict.fromkeys(setting for _, setting, _ in texts):
        of_setting = [case for case in texts if case[1] == setting]
        found.update(zip(of_setting, remarks(gnn_opt, setting, [texts[case] for case in of_setting])))
    return {case: found[case] for case in texts}


def decisions(gnn_opt):
    """The text of decisions.txt."""
    paragraphs = {}
    for (model, setting, name), found in everything(gnn_opt).items():
        where = paragraphs.setdefault(summary(found), {})
        where.setdefault(model, []).append(f"{name} {setting}".strip())
    texts = ("".join(f"{model}, {'; '.join(graphs)}\n"
                     for model, graphs in sorted(where.items())) + text + "\n\n"
             for text, where in paragraphs.items())
    return "".join(sorted(texts))


def choice(done, message):
    """The part of a remark on long rows that is recorded."""
    if done:
        return re.search(r"more than (\d+)", message)[1]
    few = re.match("pieces of long rows would |the longest row has ", message)
    return "whole" if few else message


def long_rows(gnn_opt):
    """{(layer, "inference" or "training", graph): choices} of all traversals, in their
    order. Training is the forward and the backward pass."""
    stored = json.loads(STATISTICS.read_text())
    texts = {}
    for layer, (form, build) in LAYERS.items():
        for name in GRAPHS + MEASURED:
            program = build(stored[name][form])
            text = with_statistics(program.text(), stored[name][form])
            texts[layer, "inference", name] = text
            if name in GRAPHS:
                texts[layer, "training", name] = with_gradients(program, text)
    found = remarks(gnn_opt, "", list(texts.values()), "gnn-tile-split-long-rows",
                    ["--gnn-tile-pipeline=edge-walks=0"])
    return {case: [choice(done, message) for _, done, _, message in of_case]
            for case, of_case in zip(texts, found)}


def long_rows_text(found):
    """The text of long_rows.txt."""
    return "".join(f"{', '.join(case)}: {', '.join(choices)}\n"
                   for case, choices in found.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gnn-opt", default=str(ROOT / "build/ci/bin/gnn-opt"))
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true")
    what.add_argument("--numbers", action="store_true")
    what.add_argument("--statistics", metavar="FOLDER")
    options = parser.parse_args()
    if options.statistics:
        lines = (f"{json.dumps(name)}: {json.dumps(forms)}" for name, forms in
                 read_statistics(options.statistics).items())
        STATISTICS.write_text("{" + ",\n".join(lines) + "}\n")
    elif options.write:
        GOLDEN.write_text(decisions(options.gnn_opt))
        LONG_ROWS.write_text(long_rows_text(long_rows(options.gnn_opt)))
    else:
        for case, found in everything(options.gnn_opt).items():
            print(*case)
            for remark in found:
                print(" ", *remark)


if __name__ == "__main__":
    main()
