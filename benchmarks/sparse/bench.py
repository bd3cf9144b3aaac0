# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a cell: the compiler's kernels, the limit and peers, which take turns on one machine,
each checked in float64 on some edges first."""

import json
import math
import re
import time

import torch

import by_edges
import gnn_mlir
from race import Contender, OnEmulator, OnGPU, out_of_memory
from sparse import cells, peers
from sparse.limit import FROZEN, Limit

# ||found - expected|| / ||expected|| of ours, and of peers that compute the same: not by TF32.
TOLERANCE, OF_PEERS = 2e-5, 1e-4
OURS = "ours"
_LOCATIONS = re.compile(rb"\.(?:loc|file)\b.*")


class OnHost(OnEmulator):
    """The emulator or the cores, which check results and time nothing."""

    def __init__(self, target):
        self.target = self.place = target

    def about(self):
        return {"device": self.target, "torch": torch.__version__}


def open_machine(options):
    if options.target != "cuda":
        return OnHost(options.target)
    return OnGPU(options.rounds, options.seconds, options.slower, least=10, shortest=2.0)


def about(options, machine):
    """The facts of a run."""
    found = machine.about()
    if options.target == "cuda":
        found |= {"gather": ", ".join(FROZEN.values()), "rounds": options.rounds,
                  "seconds": options.seconds, "slower": options.slower}
    return found


def _synchronize(machine):
    if machine.device == "cuda":
        torch.cuda.synchronize()


def _why(error):
    """One line of an error."""
    lines = str(error).strip().splitlines() or [""]
    return f"failed: {type(error).__name__}: {lines[0]}"[:160]


def _listed(out):
    return list(out.values()) if isinstance(out, dict) else [out]


def identity(compiled):
    """A key that two compilations with the same kernels share."""
    kernels = [compiled.package.kernels(kind) for kind in ("ptx", "mlir")]
    return json.dumps(compiled.package.plan(), sort_keys=True), [
        kernels and _LOCATIONS.sub(b"", kernels) for kernels in kernels]


def launches(compiled, training):
    """The steps that launch a kernel, of the function or of both its passes."""
    return [step for function in compiled.package.plan()["functions"]
            if (function.get("gradient_of") if training else function["name"]) == compiled.name
            for step in function["steps"] if "kernel" in step]


class Work:
    """The inputs of a cell, what its results are held against, and how they are called."""

    def __init__(self, cell, edges, device):
        self.cell, self.edges = cell, edges
        self.view = edges.shuffled if cell.op == "dot-shuffled" else edges
        self.module = cell.module(self.view.is_sorted)
        function, = self.module.functions.values()
        self.types = {name: value.type for name, value in function.inputs.items()}
        random = torch.Generator(device).manual_seed(1)
        self.given = {}
        for name, kind in self.types.items():
            made = torch.randn(kind.shape(edges.graph), generator=random, device=device)
            if kind.space is None:
                made /= math.sqrt(kind.features[-1])
            self.given[name] = made.requires_grad_(cell.training)
        shape = () if cell.program == "dot" else (edges.nodes, *self.features())
        self.up = torch.randn(shape, generator=random, device=device) if cell.training else None
        self.sample = self.view.sample
        self.expected = self._expected()

    def features(self):
        """The shape of the rows that are summed."""
        return (self.cell.heads, self.cell.features) if self.cell.heads else (
            self.cell.features,)

    def is_small(self, l2_bytes):
        """Whether what it reads stays in the L2."""
        rows = sum(value.numel() for value in self.given.values())
        return 4 * (2 * rows + self.edges.count) <= l2_bytes

    def _part(self, name):
        value, space = self.given[name].detach(), self.types[name].space
        at = {"node": self.sample.nodes, "edge": self.sample.edges, None: slice(None)}[space]
        return value[at].double().requires_grad_(self.cell.training)

    def _up_of_sample(self):
        """The gradient of the output, 0 but at nodes whose edges are all in the sample."""
        up, rows = torch.zeros_like(self.up), self.sample.nodes[self.sample.rows]
        up[rows] = self.up[rows]
        return up

    def _expected(self):
        parts = {name: self._part(name) for name in self.given}
        out = by_edges.FUNCTIONS[self.cell.program](self.sample.src, self.sample.dst, **parts)
        if not self.cell.training:
            return [out[self.sample.rows] if self.cell.program != "dot" else out]
        up = self._up_of_sample()[self.sample.nodes].double()
        return [out.detach()[self.sample.rows],
                *torch.autograd.grad(out, list(parts.values()), up)]

    def step(self, call, up=None):
        """The outputs of a call, and in training gradients of all inputs."""
        if not self.cell.training:
            return _listed(call(**self.given))
        out = call(**self.given)
        found = torch.autograd.grad(out, list(self.given.values()),
                                    self.up if up is None else up)
        return [out.detach(), *found]

    def error(self, call, is_ours=False):
        """The error of the results on the sample."""
        found = self.step(call, self._up_of_sample() if self.cell.training else None)
        rows = self.sample.nodes[self.sample.rows]
        if self.cell.program == "dot":
            return by_edges.worst_error([found[0][self.sample.edges]], self.expected)
        parts = [found[0][rows]]
        if is_ours and self.cell.program == "argmax" and not self._is_argument(rows, *found):
            return math.inf
        for (name, kind), gradient in zip(self.types.items(), found[1:] * self.cell.training):
            if kind.space != "node":
                parts.append(gradient)
                continue
            parts.append(gradient[self.sample.nodes])
            rest = gradient.clone().index_fill_(0, self.sample.nodes, 0)
            if rest.any():  # No edge leads there.
                return math.inf
        return by_edges.worst_error(parts, self.expected)

    def _is_argument(self, rows, out, at):
        """Whether `at` are edges into their nodes that have the maximum, -1 without one."""
        at, out = at[rows].long(), out[rows]
        edge = at.clamp(0, self.edges.count - 1)
        values = self.given["x"][self.view.src64[edge], torch.arange(
            out.shape[1], device=out.device)]
        right = (edge == at) & (self.view.dst64[edge] == rows.unsqueeze(1)) & (values == out)
        is_empty = (self.edges.degrees[rows] == 0).unsqueeze(1)
        return bool(torch.where(is_empty, at == -1, right).all())


class Bench:
    """Cells of one graph."""

    def __init__(self, options, edges, machine):
        self.options, self.edges, self.machine = options, edges, machine
        self.limit = self.cold = None
        self.l2_bytes = 0
        if machine.target == "cuda":
            self.limit = Limit(edges)
            self.l2_bytes = self.limit.gpu.l2_bytes
            self.cold = OnGPU(options.rounds, options.seconds, options.slower, least=10,
                              flush=True)
        self.peers = {name: make for name, make in peers.named(options.library).items()
                      if name.startswith(tuple(options.peers))}

    def measure(self, cell):
        """The row of a cell. A failure of ours is a wrong result."""
        edges = self.edges
        row = {"suite": cell.suite, "op": cell.op, "graph": cell.graph, "nodes": edges.nodes,
               "edges": edges.count, "longest": int(edges.degrees.max()),
               "features": cell.features, "heads": cell.heads, "training": cell.training,
               "small": False, "dst_sorted": False, OURS: {}, "beside": {}, "peers": {}, "ways": {}}
        began = time.monotonic()
        try:
            work = Work(cell, edges, self.machine.device)
            row["small"] = work.is_small(self.l2_bytes)
            row["dst_sorted"] = work.view.is_sorted
            self._run(work, row)
        except torch.OutOfMemoryError as error:
            row[OURS] = {"skipped": out_of_memory(error)}
        except RuntimeError as error:
            row[OURS] = {"wrong": _why(error)}
        work = None
        if self.machine.device == "cuda":
            torch.cuda.empty_cache()
        row["cell_s"] = time.monotonic() - began
        return row

    def _run(self, work, row):
        """Fills in what was found."""
        programs, ours = self._ours(work, row)
        if "wrong" in row[OURS]:
            return
        found = {**ours, **self._beside(work, row, programs)}
        entered, best, pool = {}, None, self.machine.new_pool()
        for name, run in programs.items():
            is_peer = name in row["peers"]
            try:
                one = self.machine.enter(name, run, best if is_peer else None,
                                         None if is_peer else pool,
                                         capture=name not in peers.NOT_CAPTURED)
            except RuntimeError as error:
                if not is_peer:
                    raise
                one = {"skipped": _why(error)}
            if isinstance(one, Contender):
                entered[name] = one
                if one.once and (name == OURS or is_peer and "wrong" not in found[name]):
                    best = min(best or one.once, one.once)
            else:
                found[name] |= one
        self.machine.race(list(entered.values()))
        for name, one in entered.items():
            found[name] |= one.found
        if self.cold and row["small"]:
            self._flushed({name: programs[name] for name in entered}, found)

    def _ways(self, cell):
        """Options of passes by the name of a way, ours first."""
        if cell.suite == "ablation":
            return {OURS: {}, **{f"{name}={str(off).lower()}": {name: off}
                                 for name, off in cells.switches().items()}}
        tuned = {}
        for text in self.options.tuned:
            tuned[f"tuned: {text}"] = dict(part.split("=") for part in text.split(","))
        return {OURS: {}, **tuned}

    def _ours(self, work, row):
        """Steps of the compiler's kernels by the name of a way, and what is known of them, which
        is in the row too."""
        programs, found, made = {}, {}, {}
        for name, passes in self._ways(work.cell).items():
            began = time.monotonic()
            compiled = gnn_mlir.compile(work.module, target=self.machine.target,
                                        graph=self.edges.graph, passes=passes,
                                        gradients=work.cell.training or None)
            seconds, made[name] = time.monotonic() - began, identity(compiled)
            if name != OURS and made[name] == made[OURS]:
                row["ways"][name] = {"same": True}
                continue
            try:
                programs[name], facts = self._step(work, compiled)
            except torch.OutOfMemoryError as error:
                if name == OURS:
                    raise
                facts = {"skipped": out_of_memory(error)}
                torch.cuda.empty_cache()
            found[name] = {"compile_s": seconds, **facts}
            if facts.keys() & {"wrong", "skipped"}:
                programs.pop(name, None)
            if name == OURS:
                row[OURS] = found[name]
            else:
                row["ways"][name] = found[name]
        return programs, found

    def _step(self, work, compiled):
        """A step of what was compiled, and what is known of it."""
        steps, began = launches(compiled, work.cell.training), time.monotonic()
        facts = {"kernels": len(steps),
                 "schedules": [step.get("schedule", "") for step in steps]}
        bound = compiled.bind(work.view.on_target(self.machine.target), self.machine.place)

        def call(**given):
            return bound(given)

        first = work.step(call)
        _synchronize(self.machine)
        facts["bind_s"] = time.monotonic() - began
        is_same = all(map(torch.equal, first, work.step(call)))
        del first
        facts["error"] = work.error(call, is_ours=True)
        if not is_same:
            facts["wrong"] = "other bits in a second run"
        elif not facts["error"] <= TOLERANCE:
            facts["wrong"] = f"error {facts['error']:.1e}"
        return lambda: work.step(call), facts

    def _beside(self, work, row, programs):
        """Adds the limit and peers that a cell has to programs, and what is known of them to the
        row; gives that by name."""
        cell, found = work.cell, row["beside"]
        if self.limit and not cell.training:
            tables = 2 if cell.program == "dot-attention" else 1
            columns = tables * (cell.heads or 1) * cell.features
            least, table = cell.features if cell.heads else 1, work.given.get("x")
            run, found["limit"] = self.limit.best(columns, least, table)
            programs |= {"limit": run} if run else {}
            if cell.suite in cells.GENERAL:
                run, found["streams"] = self.limit.beside(
                    columns, least, *cells.streams(cell, self.edges), table)
                programs |= {"streams": run} if run else {}
        if self.limit and cell.suite == "growth":
            out = torch.empty_like(work.given["x"])
            programs["output"], found["output"] = lambda: out.fill_(0), {}
        if self.limit and cell.suite == "small":
            programs["empty"], found["empty"] = self.limit.empty(), {}
        if cell.suite in ("growth", "ablation", "small"):
            return found
        task = peers.Task(cell.program, self.edges, work.view, work.given, cell.training)
        for name, make in self.peers.items():
            if not (cell.training and name.startswith(peers.FORWARD_ONLY)):
                self._peer(name, make, task, work, row["peers"], programs)
        return {**found, **row["peers"]}

    def _peer(self, name, make, task, work, found, programs):
        """Adds a peer, or why it is not there, unless it has nothing of the kind."""
        began = time.monotonic()
        try:
            if (call := make(task)) is None:
                return
            task.spoil()
            error = work.error(call)
            _synchronize(self.machine)
            found[name] = {"error": error, "prepare_s": time.monotonic() - began}
            if not error <= OF_PEERS:
                found[name]["wrong"] = f"error {error:.1e}"
            programs[name] = lambda: work.step(call)
        except peers.Skip as why:
            found[name] = {"skipped": str(why)}
        except torch.OutOfMemoryError as error:
            found[name] = {"skipped": out_of_memory(error)}
            torch.cuda.empty_cache()
        except Exception as error:  # An error of other projects' code: it has no time then.
            found[name] = {"skipped": _why(error)}

    def _flushed(self, programs, found):
        """Times of the same with nothing of it in the L2."""
        entered = {name: self.cold.enter(name, run, capture=found[name]["captured"])
                   for name, run in programs.items()}
        there = [one for one in entered.values() if isinstance(one, Contender)]
        self.cold.race(there)
        for one in there:
            found[one.name]["flushed_ms"] = one.found["ms"]
