# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward pass of one relational layer, beside PyTorch Geometric's and
beside layers written by hand in torch (benchmarks/torch_layers.py).

    python benchmarks/training.py [--graphs aifb,mutag,bgs,fb15k,biokg,am,mag,wikikg2]
        [--models rgcn,rgat,hgt] [--features 64] [--rounds 20] [--slower 5]
        [--peers torch,gather,pyg] [--output FILE]
    python benchmarks/training.py --profile [--graphs aifb,am] [--models rgcn,hgt]
    python benchmarks/training.py --check

Graphs are those of benchmarks/synthetic.py ("am:0.01" is a hundredth of am). Layers
have one head; fp32, TF32 off. A step is the forward pass and the backward pass from one
gradient of the output to all weights and to the input's features; "without x": to the
weights alone. No optimizer runs. Ours and all peers of a layer are in one process and
take turns: times are medians over rounds of replays of a CUDA graph, or of calls where
a peer cannot be captured (*). The spread is the middle 80% of the rounds beside the
median. A peer that takes --slower times as long as the best is timed once. Memory is
what a step allocates at once by torch's counter, gradients included; what is predicted
is known when the layer is bound: outputs, saved tensors, gradients and workspace.
The difference is that of ours and torch's output and gradients, at the worst. One edge
of RGAT whose score is 0 up to rounding, where the slope of the leaky ReLU jumps, may
take the other side: am, biokg and wikikg2 have such edges. --check holds ours and every peer against PyG's layer in float64 on small graphs, outputs
and all gradients; on the emulator there are no times. With --output there are FILE.json,
with all numbers, and FILE.md, tables; rows of an earlier call on the same kind of
device stay, so that graphs may be measured in several calls. --profile times each
kernel of ours instead, one after another (benchmarks/kernels.py).
"""

import argparse
import copy
import datetime
import functools
import gc
import json
import math
import pathlib
import random
import statistics
import sys
import time

import numpy as np
import torch
import torch_geometric

import gnn_mlir
import kernels
import pyg_layers
import synthetic
import torch_layers
from gnn_mlir import models, pyg
from gnn_mlir.compiler import CompiledFunction
from race import MIB, Contender, OnEmulator, OnGPU, device, out_of_memory
from tables import markdown, number, write

GRAPHS = ("aifb", "mutag", "bgs", "fb15k", "biokg", "am", "mag", "wikikg2")
# Small ones, with types without incoming edges and with many types.
CHECKED = ("mag:0.0001", "aifb:0.02", "fb15k:0.002")
TOLERANCE = 2e-5


def _typed(model):
    return lambda g, f: model(g.num_edge_types, (f, f), node_types=g.num_node_types)


MODELS = {"rgcn": _typed(models.rgcn), "rgat": _typed(models.rgat),
          "hgt": lambda g, f: models.hgt(g.num_node_types, g.num_edge_types, (f, f),
                                         schema=g.schema)}
PEERS = ("torch", "torch, gathered", "PyG", "PyG, fast")
FAMILIES = {"torch": "torch", "torch, gathered": "gather", "PyG": "pyg",
            "PyG, fast": "pyg"}


@functools.lru_cache(maxsize=1)
def random_rows(count, features):
    """Features and a gradient of the output."""
    rng = np.random.default_rng(1)
    return [rng.standard_normal((count, features), dtype=np.float32) for _ in range(2)]


class Case:
    """One model on one graph: weights, features and the gradient of the output."""

    def __init__(self, model, graph, features):
        self.model, self.graph, self.features = model, graph, features
        self.module = MODELS[model](graph, features)
        self.convs = pyg_layers.LAYERS[model]
        torch.manual_seed(1)
        self.conv = self.convs["PyG"](graph, features)
        with torch.no_grad():
            for parameter in self.conv.parameters():
                parameter.normal_(std=features ** -0.5)
        self.weights = pyg.weights(self.module, self.conv)
        self.x, self.up = random_rows(graph.num_nodes, features)
        # PyG's HGT has no output for node types that no edge type leads to.
        into = sorted({d for _, d in graph.schema}) if model == "hgt" else range(
            graph.num_node_types)
        self.given = np.isin(graph.src_node_type, into)
        if not self.given.all():
            self.up = np.where(self.given[:, None], self.up, np.float32(0))

    def peer(self, name, device, dtype=torch.float32):
        """PyG's layer of that name, with the same weights."""
        conv = self.conv if name == "PyG" else self.convs[name](self.graph,
                                                                self.features)
        conv.load_state_dict(self.conv.state_dict())
        return copy.deepcopy(conv).to(device, dtype).eval()

    def ours(self, machine, with_x=True):
        """Our passes."""
        wrt = (["x"] if with_x else []) + list(self.weights)
        return Ours(self.module, self.graph, wrt, machine)

    def tensors(self, device, dtype=torch.float32):
        """Features, and weights by name, all of which gradients are asked for."""
        as_tensor = lambda a: torch.tensor(a, device=device, dtype=dtype).requires_grad_()
        return as_tensor(self.x), {k: as_tensor(v) for k, v in self.weights.items()}


def compile_gradients(module, graph, wrt, target):
    """A package with the forward and the backward pass of a layer, to the inputs in
    `wrt`."""
    names = ", ".join(f'"{name}"' for name in wrt)
    signature, body = module.text().split(") {\n", 1)
    text = (f"{signature}) attributes {{gnn.gradients = [{names}]}} {{\n{body}")
    function, = module.functions
    return gnn_mlir.compile(text, function, target=target, graph=graph).package


class Ours:
    """The passes of a layer to the inputs in `wrt`, bound to a graph."""

    def __init__(self, module, graph, wrt, machine):
        began, (name,) = time.monotonic(), module.functions
        package = compile_gradients(module, graph, wrt, machine.target)
        self.compile_s, began = time.monotonic() - began, time.monotonic()
        self.forward, self.backward = (
            CompiledFunction(package, name + suffix).bind(graph, machine.place)
            for suffix in ("_forward", "_backward"))
        self.bind_s = time.monotonic() - began

    @staticmethod
    def _run(passed, known):
        found = passed({info.name: known[info.name] for info in passed.inputs})
        if len(passed.outputs) == 1:
            return {passed.outputs[0].name: found}
        return found

    def step(self, inputs, up):
        """Output and gradients, by name."""
        made = self._run(self.forward, inputs)
        return {"out": made["out"],
                **self._run(self.backward, {**inputs, **made, "d_out": up})}

    def memory(self):
        """Bytes by what they are for, and the most at once."""
        made, gradients = (sum(o.bytes for o in passed.outputs)
                           for passed in (self.forward, self.backward))
        spaces = [p.workspace_bytes for p in (self.forward, self.backward)]
        output = sum(o.bytes for o in self.forward.outputs if o.name == "out")
        return {"saved_mib": (made - output) / MIB,
                "workspace_mib": [space / MIB for space in spaces],
                "predicted_mib": (made + max(spaces[0], gradients + spaces[1])) / MIB}

    def profile(self, inputs, up):
        """What each pass launches, as `kernels.measure` has it."""
        made = self._run(self.forward, inputs)
        known = {**inputs, **made, "d_out": up}
        return {name: kernels.measure(p, {i.name: known[i.name] for i in p.inputs})
                for name, p in (("forward", self.forward), ("backward", self.backward))}

    def kernels(self):
        return [len(p.report()["steps"]) for p in (self.forward, self.backward)]


def our_inputs(inputs, up, machine):
    """What our passes take: tensors on a GPU, arrays on the emulator."""
    inputs = {k: np.asarray(v, np.float32) for k, v in inputs.items()}
    if machine.target != "cuda":
        return inputs, up
    there = lambda a: torch.tensor(a, device="cuda")
    return {k: there(v) for k, v in inputs.items()}, there(up)


def gradients_by_hand(case, prepared, device, dtype=torch.float32):
    """Output and gradients of the hand-written layer, by name."""
    x, weights = case.tensors(device, dtype)
    out = torch_layers.LAYERS[case.model](prepared, x, weights)
    out.backward(torch.tensor(case.up, device=device, dtype=dtype))
    return {"out": out.detach(), "d_x": x.grad,
            **{f"d_{k}": v.grad for k, v in weights.items()}}


def gradients_of_pyg(case, edges, name, device, dtype):
    """The same of PyG's layer: gradients take the places of its parameters, where
    `pyg.weights` reads them by our names."""
    conv = case.peer(name, device, dtype)
    x = torch.tensor(case.x, device=device, dtype=dtype).requires_grad_()
    out = edges.call(conv, x)
    out.backward(torch.tensor(case.up[case.given], device=device, dtype=dtype))
    for parameter in conv.parameters():
        parameter.data = (torch.zeros_like(parameter) if parameter.grad is None
                          else parameter.grad)
    return {"out": out.detach(), "d_x": x.grad,
            **{f"d_{k}": v for k, v in pyg.weights(case.module, conv).items()}}


def worst_error(found, expected, given=None):
    """The largest ||found - expected|| / ||expected|| of outputs and gradients. What
    is nearly 0 for its place, as the gradient of a key's bias is, is measured by the
    largest gradient."""
    def array(value):
        return np.asarray(value.cpu() if hasattr(value, "cpu") else value, np.float64)

    if set(found) != set(expected):
        raise ValueError(f"expected {sorted(expected)}, got {sorted(found)}")
    expected = {name: array(value) for name, value in expected.items()}
    least = 1e-3 * max(np.linalg.norm(value) for value in expected.values())
    worst = 0.0
    for name, value in expected.items():
        other = array(found[name])
        other = other[given] if other.shape != value.shape else other
        error = np.linalg.norm(other - value) / max(np.linalg.norm(value), least)
        worst = max(worst, float(error) if np.isfinite(error) else math.inf)
    return worst


def expect_small(errors):
    worst = max(errors)
    if not worst <= TOLERANCE:
        raise SystemExit(f"expected errors of at most {TOLERANCE:.0e}, got {worst:.1e}")


def check(graphs, features, machine, chosen=tuple(MODELS)):
    """Worst errors against PyG's layer in float64: {graph: {model: {who: error}}}."""
    found = {}
    for text in graphs:
        graph = load(text)
        edges = pyg_layers.Edges(graph, machine.device)
        for model in chosen:
            case = Case(model, graph, features)
            expected = gradients_of_pyg(case, edges, "PyG", machine.device,
                                        torch.float64)
            errors = {}
            inputs, up = our_inputs({"x": case.x, **case.weights}, case.up, machine)
            errors["ours"] = worst_error(case.ours(machine).step(inputs, up), expected,
                                         case.given)
            without_x = {k: v for k, v in expected.items() if k != "d_x"}
            errors["without x"] = worst_error(
                case.ours(machine, False).step(inputs, up), without_x, case.given)
            for sums, name in (("cusparse", "torch"), ("gather", "torch, gathered")):
                prepared = torch_layers.Prepared(graph, machine.device, sums=sums)
                errors[name] = worst_error(gradients_by_hand(
                    case, prepared, machine.device), expected, case.given)
            for name in case.convs:
                errors[name] = worst_error(gradients_of_pyg(
                    case, edges, name, machine.device, torch.float32), expected)
            found.setdefault(text, {})[model] = errors
            print(f"{text:<12}{model:<6}" + ", ".join(
                f"{who} {error:.1e}" for who, error in errors.items()), flush=True)
    return found


def load(text):
    name, _, scale = text.partition(":")
    return synthetic.graph(name, float(scale or 1))


def _step(call, wanted, up):
    """Forward and backward pass by autograd."""
    return lambda: torch.autograd.grad(call(), wanted, up, allow_unused=True)


def enter_peers(case, machine, chosen, prepared, edges, pool):
    """Contenders, or what kept them out, by name. `prepared` and `edges` make the
    graph as peers take it."""
    found, best = {}, None
    for name in PEERS:
        if FAMILIES[name] not in chosen or (name.startswith("PyG") and
                                            name not in case.convs):
            continue
        try:
            if name.startswith("PyG"):
                structure, conv = edges(), case.peer(name, machine.device)
                x = torch.tensor(case.x, device=machine.device).requires_grad_()
                wanted = [x, *conv.parameters()]
                up = torch.tensor(case.up[case.given], device=machine.device)
                call = lambda s=structure, c=conv, x=x: s.call(c, x)
            else:
                structure = prepared(name)
                x, weights = case.tensors(machine.device)
                wanted = [x, *weights.values()]
                up = torch.tensor(case.up, device=machine.device)
                call = lambda s=structure, x=x, w=weights: torch_layers.LAYERS[
                    case.model](s, x, w)
            # A capture that fails leaves its memory in an odd state.
            found[name] = machine.enter(name, _step(call, wanted, up), best,
                                        None if name.startswith("PyG") else pool)
        except torch.OutOfMemoryError as error:
            found[name] = {"skipped": out_of_memory(error)}
        except RuntimeError as error:
            found[name] = {"skipped": f"failed: {error}".splitlines()[0]}
        if getattr(found[name], "once", None) is not None:
            best = min(best or math.inf, found[name].once)
        print(f"  {name}: " + (found[name].get("skipped", "") if isinstance(
            found[name], dict) else _once(found[name])), flush=True)
        call = structure = wanted = None
        gc.collect()
    return found


def _once(contender):
    return "" if contender.once is None else f"{contender.once:.4g} ms once"


def bench(case, machine, chosen, prepared, edges):
    """All numbers of one layer on one graph."""
    inputs, up = our_inputs({"x": case.x, **case.weights}, case.up, machine)
    pool = machine.new_pool()
    plain = gnn_mlir.compile(case.module, target=machine.target, graph=case.graph).bind(
        case.graph, machine.place)
    passes = {"training": case.ours(machine), "without x": case.ours(machine, False)}
    ours = {name: machine.enter(name, lambda p=p: p.step(inputs, up), None, pool)
            for name, p in passes.items()}
    ours["inference"] = machine.enter("inference", lambda: plain(inputs), None, pool)
    for name, entered in ours.items():
        if isinstance(entered, dict):
            raise RuntimeError(f"{case.model}: {name}: {entered['skipped']}")
        print(f"  {name}: {_once(entered)}", flush=True)
    row = {"kernels": passes["training"].kernels(),
           "kernels_without_x": passes["without x"].kernels(),
           "compile_s": passes["training"].compile_s,
           "bind_s": passes["training"].bind_s, **passes["training"].memory()}
    if "torch" in chosen:
        row["difference"] = worst_error(
            passes["training"].step(inputs, up),
            gradients_by_hand(case, prepared("torch"), machine.device))
    peers = enter_peers(case, machine, chosen, prepared, edges, pool)
    machine.race([c for c in (*ours.values(), *peers.values())
                  if isinstance(c, Contender)])
    row["ours"] = {name: c.found for name, c in ours.items()}
    row["peers"] = {name: c.found if isinstance(c, Contender) else c
                    for name, c in peers.items()}
    return compare(row)


def compare(row):
    """Adds ratios: training to inference, and the best peer to ours."""
    ms = row["ours"]["training"].get("ms")
    timed = {name: found["ms"] for name, found in row["peers"].items()
             if "ms" in found}
    row["best"] = min(timed, key=timed.get) if timed else None
    row["ratio"] = timed[row["best"]] / ms if ms and timed else None
    row["to_inference"] = ms / row["ours"]["inference"]["ms"] if ms else None
    return row


def time_cell(found):
    """Milliseconds; * of calls, brackets where it was timed once."""
    if found is None:
        return "-"
    if "once_ms" in found:
        return f"({found['once_ms']:.3g})"
    if "skipped" in found:
        return found["skipped"].partition(":")[0]
    if "ms" not in found:
        return "-"
    return number(found["ms"]) + ("" if found["captured"] else "*")


def geometric_mean(values):
    values = [v for v in values if v is not None]
    return statistics.geometric_mean(values) if values else None


def means(rows):
    """Geometric means a model: {model: (best peer / ours, training / inference)}."""
    return {model: tuple(geometric_mean(row[key] for row in rows
                                        if row["model"] == model)
                         for key in ("ratio", "to_inference"))
            for model in dict.fromkeys(row["model"] for row in rows)}


def table(result):
    """The results as Markdown."""
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    rows, f = result["rows"], result["features"]
    text = (f"# One relational layer, {f} to {f} features, one head, forward and "
            f"backward, fp32\n\n{result['date']}, {about}. Milliseconds, medians over "
            f"{result['rounds']} rounds in which all take turns, of replays of a CUDA "
            "graph; *: of calls, since it cannot be captured; in brackets: timed once, "
            f"over {result['slower']:g} times the best. \"training\" gives gradients of "
            "all weights and of the input's features, \"without x\" of the weights. "
            "spread: the middle 80% of rounds beside the median, the largest of ours "
            "and the best peer.\n\n")
    lines = []
    for row in rows:
        ours, peers = row["ours"], row["peers"]
        spreads = [found["spread"] for found in (
            *ours.values(), peers.get(row["best"], {})) if "spread" in found]
        lines.append([row["graph"], row["model"], f"{row['edges']:,}",
                      *(time_cell(ours[k]) for k in ("training", "without x",
                                                     "inference")),
                      number(row["to_inference"], 2),
                      *(time_cell(peers.get(name)) for name in PEERS),
                      number(row["ratio"], 2),
                      f"{100 * max(spreads):.1f}%" if spreads else "-"])
    text += markdown(["graph", "layer", "edges", "training", "without x", "inference",
                      "training / inference", *PEERS, "best peer / ours", "spread"],
                     lines)
    text += "".join(f"\n{error.splitlines()[0]}\n" for error in result["failed"])
    text += "\n## Geometric means\n\n" + markdown(
        ["layer", "best peer / ours", "training / inference"],
        [[model, *(number(v, 2) for v in both)]
         for model, both in means(rows).items()])
    lines = []
    for row in rows:
        mib = lambda found: number((found or {}).get("mib"), 1)
        lines.append([row["graph"], row["model"], number(row["saved_mib"], 1),
                      *(number(space, 1) for space in row["workspace_mib"]),
                      number(row["predicted_mib"], 1), mib(row["ours"]["training"]),
                      *(mib(row["peers"].get(name)) for name in PEERS),
                      "{} + {}".format(*row["kernels"]),
                      "-" if row.get("difference") is None
                      else f"{row['difference']:.1e}"])
    text += ("\n## Memory of a step in MiB, kernels, and how far ours and torch's are "
             "apart\n\n" + markdown(
                 ["graph", "layer", "saved", "workspace, forward", "backward",
                  "predicted", "measured", *PEERS, "kernels", "difference"], lines))
    return text


def earlier(path, result):
    """Rows of an earlier call with the same options on the same device, which this one
    adds to."""
    if path is None or not path.with_suffix(".json").exists():
        return []
    found = json.loads(path.with_suffix(".json").read_text())
    same = ("about", "features", "rounds", "slower")
    if any(found.get(key) != result[key] for key in same):
        raise SystemExit(f"{path}: expected results of {result['about']}, "
                         f"{result['features']} features and so many rounds, got others")
    return found["rows"]


def run(options, machine):
    """All layers on all graphs."""
    result = {"date": datetime.date.today().isoformat(),
              "about": {**machine.about(), "gnn-mlir": gnn_mlir.__version__,
                        "torch-geometric": torch_geometric.__version__},
              "python": sys.version.split()[0], "features": options.features,
              "rounds": options.rounds, "slower": options.slower, "failed": []}
    result["rows"] = earlier(options.output, result)
    chosen = options.peers.split(",") if options.peers else []
    unknown = set(chosen) - set(FAMILIES.values())
    if unknown:
        raise SystemExit("--peers: expected some of torch, gather, pyg, got "
                         f"{', '.join(sorted(unknown))}")
    for text in options.graphs.split(","):
        began = time.monotonic()
        graph, made = load(text), {}

        def prepared(name):
            if name not in made:
                made[name] = torch_layers.Prepared(
                    graph, machine.device,
                    sums="gather" if "gather" in name else "cusparse")
            return made[name]

        def edges():
            if "PyG" not in made:
                made["PyG"] = pyg_layers.Edges(graph, machine.device)
            return made["PyG"]

        print(f"{text}: {graph.num_nodes} nodes, {graph.num_edges} edges, made in "
              f"{time.monotonic() - began:.1f} s", flush=True)
        for model in options.models.split(","):
            print(f"{text} {model}", flush=True)
            try:
                row = bench(Case(model, graph, options.features), machine, chosen,
                            prepared, edges)
            except (gnn_mlir.GNNError, RuntimeError) as error:  # The others go on.
                result["failed"].append(f"{text} {model}: {error}")
                print(f"  failed: {error}", flush=True)
                write(options.output, result, table)
                continue
            result["rows"] = [r for r in result["rows"] if (
                r["graph"], r["model"]) != (text, model)] + [{
                    "graph": text, "model": model, "nodes": graph.num_nodes,
                    "edges": graph.num_edges, "edge_types": graph.num_edge_types,
                    **row}]
            print(f"  compiled in {row['compile_s']:.1f} s, bound in "
                  f"{row['bind_s']:.1f} s; best peer / ours {number(row['ratio'], 2)}, "
                  f"training / inference {number(row['to_inference'], 2)}", flush=True)
            write(options.output, result, table)
            gc.collect()
            if machine.target == "cuda":
                torch.cuda.empty_cache()
        print(f"{text}: {time.monotonic() - began:.0f} s in all", flush=True)
        made.clear()
    return result


def profile(options, machine):
    """Time of each kernel of ours."""
    rows = []
    for text in options.graphs.split(","):
        graph = load(text)
        for model in options.models.split(","):
            case = Case(model, graph, options.features)
            passes = case.ours(machine).profile(*our_inputs(
                {"x": case.x, **case.weights}, case.up, machine))
            rows.append({"graph": text, "model": model, **passes})
            print(f"{text} {model}", flush=True)
    result = {"date": datetime.date.today().isoformat(), "about": machine.about(),
              "features": options.features, "rows": rows}
    write(options.output, result, profile_table)
    return result


def profile_table(result):
    """The kernels of each pass as Markdown."""
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    text = (f"# Kernels of one relational layer, {result['features']} to "
            f"{result['features']} features, forward and backward\n\n{result['date']}, "
            f"{about}. Medians of ten launches, one kernel after another.\n")
    for row in result["rows"]:
        for name in ("forward", "backward"):
            ms = number(kernels.total(row[name]))
            text += (f"\n## {row['graph']}, {row['model']}, {name}: {ms} ms\n\n"
                     + kernels.table(row[name]))
    return text


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--graphs")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.5,
                        help="what the turns of one program may take, of at least 5")
    parser.add_argument("--slower", type=float, default=5.0,
                        help="a peer this many times slower than the best gets no turns")
    parser.add_argument("--peers", default="torch,gather,pyg")
    parser.add_argument("--profile", action="store_true",
                        help="the time of each of our kernels")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--device", type=device, default="cuda")
    parser.add_argument("--output", type=pathlib.Path)
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    torch.backends.cuda.matmul.allow_tf32 = False
    random.seed(0)
    machine = OnEmulator() if options.device == "emulator" else OnGPU(
        options.rounds, options.seconds, options.slower)
    if options.check:
        graphs = options.graphs.split(",") if options.graphs else CHECKED
        found = check(graphs, options.features, machine, options.models.split(","))
        expect_small(error for of_graph in found.values()
                     for errors in of_graph.values() for error in errors.values())
        return
    options.graphs = options.graphs or ",".join(GRAPHS)
    if options.profile:
        print(profile_table(profile(options, machine)))
        return
    print(table(run(options, machine)))


if __name__ == "__main__":
    main()
