# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of a model: its programs with their kernels, and what torch computes.

`gnn_mlir.explain(compiled)` prints it. Graphs that torch has dropped are not in it."""

import collections
import dataclasses
import functools
import gc
import logging
import threading
import weakref

import torch
from torch._dynamo.eval_frame import OptimizedModule
from torch._dynamo.symbolic_convert import InstructionTranslator
from torch.utils.weak import WeakIdKeyDictionary

from ...types import counted
from . import wholeness
from .places import Place, place_of, written

_of_backends = WeakIdKeyDictionary()  # `Captures` by what torch.compile makes of a backend.
log = logging.getLogger("gnn_mlir")


@dataclasses.dataclass
class Left:
    """An op on rows of the graph that torch computes: as ATen has it, as torch's manual has
    it, why, and the place in the model as "file:line", or ""."""

    op: str
    name: str
    why: str
    where: str

    def __str__(self):
        return f"{self.name}{f' at {self.where}' if self.where else ''}: {self.why}"


@dataclasses.dataclass
class Program:
    """A program: its text, and how many types each of its graphs has. By function, {} before the
    first call: the names of its launches, as tables of times have them, the kernels that these run,
    as PTX has them, and where the schedule of each is from, "" by the rules. By graph: the inputs
    that are tables of embeddings, whose rows are node types."""

    text: str
    graphs: dict
    launches: dict
    kernels: dict
    sources: dict
    embeddings: dict = dataclasses.field(default_factory=dict)

    def __str__(self):
        return self.as_text()

    def as_text(self, kernels=False):
        """As text: how many kernels each function has; with `kernels` also their names."""
        graphs = ", ".join(f"{name} of {counted(nodes, 'node type')}"
                           f"{_embeddings_text(self.embeddings.get(name, ()))} and "
                           f"{counted(edges, 'edge type')}"
                           for name, (nodes, edges) in self.graphs.items())
        lines = [f"  program on {graphs}"]
        for function, names in self.kernels.items():
            different = len(set(names))
            lines.append(f"    {function}: {counted(len(names), 'kernel')}"
                         f"{f', {different} different' * (different < len(names))}"
                         f"{_sources_text(self.sources[function])}")
            if kernels:
                lines += [f"      {launch}{f', which runs {name}' * (launch != name)}"
                          f"{f', schedule from {source}' * bool(source)}"
                          for launch, name, source in zip(self.launches[function], names,
                                                          self.sources[function])]
        return "\n".join(lines if self.kernels else [*lines, "    not called yet"])


@dataclasses.dataclass
class Captured:
    """A part of the model that torch captured as one graph: its programs in their order, and
    what torch computes of it. One without programs is torch's, for the reason `why`; one that
    ends at a graph break has its reason in `broken`. `training` is the mode that the model was
    captured in, None of what has none."""

    programs: list
    left: list
    why: str = ""
    broken: str = ""
    training: bool = None

    def __str__(self):
        return self.as_text()

    def as_text(self, kernels=False):
        """As text, with `kernels` by their names."""
        broken = f"\n  a graph break behind it: {self.broken}" if self.broken else ""
        if not self.programs:
            return f"left to torch: {self.why}{broken}"
        whole = "all of it is compiled" if len(self.programs) == 1 and not self.left else (
            f"{counted(len(self.left), 'op')} left to torch")
        return "\n".join([f"{counted(len(self.programs), 'program')}, {whole}",
                          *(program.as_text(kernels) for program in self.programs),
                          *_left_lines(self.left)]) + broken


def _left_lines(ops):
    """A line for each op that torch computes; one for all whose lines are the same."""
    counts = collections.Counter(map(str, ops))
    return [f"  left to torch{f', {count} times' * (count > 1)}: {one}"
            for one, count in counts.items()]


class Captures:
    """The captures of a model, the last one last. It keeps none of them alive."""

    def __init__(self, name, model=None, ends=False):
        """With `ends` each call that captures ends with `end_call`."""
        self.name, self._found, self._ends = name, [], ends
        self._missed = {}  # How many calls captured nothing, by why.
        self.untold = {}  # Messages on calls that have not ended, by thread.
        self._model = weakref.ref(model) if isinstance(model, torch.nn.Module) else None

    def why_none(self):
        """Why there is no capture; None where there is one."""
        if self._found:
            return None
        return "; ".join(self._missed) or "none: the model has not been called"

    def count(self):
        """How many captures there were, with those that torch has dropped."""
        return len(self._found)

    def add(self, graph, outer=None, why=""):
        """Notes a graph of torch: an `Outer`, or why it has no program; and says in the log
        what is left to torch: as a warning where it is all, or splits the model."""
        self._found.append((weakref.ref(outer or graph), why, _break_behind(graph), self._mode()))
        if outer is None:
            self.tell(log.warning, "%s: a graph is left to torch: %s%s", self.name, why,
                      "" if self._ends else
                      "; gnn_mlir.compile(model) breaks fewer graphs than "
                      "torch.compile(model, backend='gnn_mlir')")
            return
        outer.structures.mode = self._mode
        for place, call in enumerate(outer.calls, 1):
            call.title, call.owner = f"graph{len(self._found)}-program{place}", self.name
        others = left(outer)
        if others or len(outer.calls) > 1:
            self.tell(log.log, logging.WARNING if len(outer.calls) > 1 else logging.INFO,
                      "%s: %s, left to torch: %s", self.name, counted(len(outer.calls), "program"),
                      "; ".join(map(str, others)) or "nothing")

    def _mode(self):
        """Whether the model is in training mode, None of what has no modes."""
        return getattr(self._model and self._model(), "training", None)

    def miss(self, why, level=logging.WARNING):
        """Notes a call that captured nothing, and says so in the log once for each cause."""
        self._missed[why] = self._missed.get(why, 0) + 1
        if self._missed[why] == 1:
            self.tell(log.log, level, "%s: a call captured nothing and ran in torch: %s",
                      self.name, why)

    def tell(self, function, *args, **kwargs):
        """Calls what tells the user something of a capture: after the call of the model that
        captures, if that does not fail for its arguments; at once where nothing ends it."""
        if self._ends:
            self.untold.setdefault(threading.get_ident(), []).append(
                functools.partial(function, *args, **kwargs))
        else:
            function(*args, **kwargs)

    def end_call(self, is_told):
        """Ends a call of this thread: tells what there is to tell of it, or drops it."""
        for tell in self.untold.pop(threading.get_ident(), ()):
            if is_told:
                tell()

    def outers(self, first=0):
        """What was made of the captures from one on, as far as torch keeps it."""
        found = (ref() for ref, why, *_ in self._found[first:] if not why)
        return [outer for outer in found if outer is not None]

    def why_not_whole(self, used=()):
        """Why a part of the model has no program of its own in evaluation mode, or "". Calls in that
        mode ran the outers `used`, and so parts that were captured in the same modes as these."""
        found = [(why or broken, mode, ref() in used) for ref, why, broken, mode in self._found]
        modes = {False, None, *(mode for _, mode, is_used in found if is_used)}
        broken = [why for why, mode, _ in found if why and mode in modes]
        return broken[-1] if broken else ""

    def report(self):
        """A list of `Captured`."""
        return list(self._numbered().values())

    def _numbered(self):
        """`Captured` by their numbers: of those that torch dropped there is none."""
        gc.collect()  # Captures that torch dropped, as where it captured anew, are in cycles.
        found = ((number, ref(), *rest) for number, (ref, *rest) in enumerate(self._found, 1))
        return {number: Captured([], [], *rest) if rest[0] else Captured(
            [_program(call) for call in one.calls], left(one), *rest)
            for number, one, *rest in found if one is not None}

    def __str__(self):
        return self.text()

    def text(self, kernels=False):
        """The text of `gnn_mlir.explain`, with `kernels` by their names."""
        found = self._numbered()
        missed = [f"{counted(number, 'call')} captured nothing and ran in torch: {why}"
                  for why, number in self._missed.items()]
        if not found and not missed:
            return f"{self.name}: nothing is captured " + (
                "now: torch has dropped all that was" if self._found else
                "yet: calls of the model, such as model(...), are compiled, other methods are "
                "not, and it has not been called")
        of_both = len({one.training for one in found.values()} - {None}) == 2
        modes = {True: " (training)", False: " (evaluation)"} if of_both else {}
        return "\n".join([f"{self.name}: {counted(len(found), 'captured graph')}", *(
            f"{i}{modes.get(one.training, '')}: {one.as_text(kernels)}"
            for i, one in found.items()), *missed])


def of_compiled(compiled):
    """The `Captures` of what gnn_mlir.compile or torch.compile gave, or None."""
    found = vars(compiled).get("captures")
    if not isinstance(found, Captures) and isinstance(compiled, OptimizedModule):
        backend = innermost(compiled.dynamo_ctx.callback)
        if getattr(backend, "compiler_name", None) == "gnn_mlir":
            return _of_backends.setdefault(backend, Captures(type(compiled._orig_mod).__name__))
    return found if isinstance(found, Captures) else None


def is_compiled(model):
    """Whether torch.compile or gnn_mlir.compile gave it."""
    return isinstance(model, OptimizedModule) or of_compiled(model) is not None


def of_backend():
    """The `Captures` of the torch.compile whose backend is called."""
    translator = _translator()
    if translator is None:
        return Captures("torch.compile")
    return _of_backends.setdefault(innermost(translator.output.compiler_fn), Captures(
        "torch.compile"))


def is_one_graph():
    """Whether what captures now, torch.compile by itself too, has fullgraph=True."""
    return bool(getattr(_translator(), "one_graph", False))


def _translator():
    try:
        return InstructionTranslator.current_tx()
    except AttributeError:
        return None


def innermost(backend):
    """The backend of torch.compile without dynamo's wrappers around it."""
    while hasattr(backend, "_torchdynamo_orig_backend"):
        backend = backend._torchdynamo_orig_backend
    return backend


def _break_behind(graph):
    """Why a graph of dynamo ends before the code of the model does, and where, or ""."""
    reason = getattr(graph, "compile_subgraph_reason", None)
    if reason is None or not reason.graph_break:
        return ""
    place = Place.of_frames(reason.user_stack)
    return str(reason.reason).strip().splitlines()[0] + f" at {place}" * bool(place)


def _plans(function):
    """The plans of what a program was compiled into so far."""
    packages = dict.fromkeys([function.called.package, function.package])
    return [plan for package in packages if package is not None
            for plan in package.plan()["functions"]]


def _program(call):
    graphs = {graph.name: (graph.node_types, graph.edge_types)
              for graph in call.segment.declared.values() if graph.parent is None}
    launches, kernels, sources = {}, {}, {}
    for plan in _plans(call.function) if call.function else ():
        function = f"{plan['pass']} of training" if "gradient_of" in plan else (
            "without gradients")
        steps = [step for step in plan["steps"] if "kernel" in step]
        launches[function] = [step.get("name", step["kernel"]) for step in steps]
        kernels[function] = [step["kernel"] for step in steps]
        sources[function] = [step.get("schedule_from", "") for step in steps]
    return Program(call.program.module.text(), graphs, launches, kernels, sources,
                   _embeddings(call.segment))


def _embeddings(segment):
    """The names of inputs that are tables of embeddings, by graph: each node type of it is a row."""
    found = {}
    for given, value in segment.inputs.values():
        if isinstance(given, torch.fx.Node) and getattr(value, "space", None) == "node_type" and any(
                user.target is torch.ops.aten.embedding.default for user in given.users):
            graph = value.graph
            while graph.parent is not None:
                graph = graph.parent
            found.setdefault(graph.name, []).append(value.name)
    return found


def _embeddings_text(names):
    """Which embeddings have a row for each node type; nothing of none."""
    return f" (rows of the embedding {' and '.join(names)})" if names else ""


def _sources_text(sources):
    """How many kernels have schedules from where; nothing where the rules chose all."""
    counts = collections.Counter(filter(None, sources))
    return "".join(f", {count} with schedules of {source}" for source, count in counts.items())


def left(outer):
    """A `Left` for what torch computes with rows, but for what it may in a whole model."""
    return [Left(wholeness.name_of(node), written(node), why, str(place_of(node)))
            for node, why in wholeness.left(outer)]
