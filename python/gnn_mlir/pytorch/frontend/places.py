# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of a captured graph as a user knows them: by the name that torch's manual has, and by the
line of the model."""

import dataclasses
import os
import re
import tempfile

import torch

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in .*(?:\n +(?P<code>.*))?')
_OWN, _TORCH = (os.path.dirname(os.path.abspath(path)) + os.sep
                for path in (os.path.join(os.path.dirname(__file__), ".."), torch.__file__))
# By the names of ops that users do not write: rows by type, edges to rows of weights, and norms.
_STANDS_FOR = {"join_types": "torch.cat", "split_types": "torch.split",
               "by_relation": "RGCNConv of ids of nodes",
               **{f"_native_batch_norm_legit_{kind}": "torch.nn.functional.batch_norm"
                  for kind in ("functional", "no_training")}}
_LIBRARIES = (f"{os.sep}torch_geometric{os.sep}", f"{os.sep}dgl{os.sep}")
_TEMPORARY = tempfile.gettempdir() + os.sep
_OF_GRAPHS = "<eval_with_key>"  # Code that torch writes for a torch.fx.GraphModule.
# Modules that PyG writes for each class of layers, into the folder of temporary files.
_GENERATED = re.compile(r"_(propagate|edge_updater)_\w+\.py$")


@dataclasses.dataclass(frozen=True)
class Place:
    """A line of the model, None where that is not known."""

    file: str
    line: int
    code: str

    def __str__(self):
        return f"{self.file}:{self.line}" if self else ""

    def __bool__(self):
        return self.file is not None

    @classmethod
    def of_frames(cls, frames):
        """The place of frames, the innermost last."""
        return cls.own(cls(frame.filename, frame.lineno, (frame.line or "").strip())
                       for frame in frames)

    @classmethod
    def own(cls, places):
        """The last that is of no library, else of PyG or DGL, else of torch."""
        found = [place for place in places if not place.file.startswith((_OWN, _OF_GRAPHS))]
        own = [place for place in found if not place.is_of_library]
        other = [place for place in found if not place.file.startswith(_TORCH)]
        return (own or other or found or [cls(None, None, "")])[-1]

    @property
    def is_of_library(self):
        return self.file.startswith(_TORCH) or any(name in self.file for name in _LIBRARIES) or (
            self.file.startswith(_TEMPORARY) and _GENERATED.search(self.file) is not None)


def name_of_input(placeholder):
    """The name of an argument or the path of a parameter that a placeholder of dynamo's graph
    is, in words of identifiers; None where torch does not say."""
    source = getattr(placeholder.meta.get("grapharg"), "source", None)
    if source is None:
        return None
    name = source.name() if callable(source.name) else source.name  # A method before 2.12.
    words = re.findall(r"\['?(\w+)'?\]", name)
    is_of_model = re.match(r"L\['\w+'\]\._(modules|parameters|buffers)\[", name)
    return identifier(words[1:] if is_of_model else words)


def identifier(words):
    """Words as one identifier; None of none."""
    name = re.sub(r"\W+", "_", "_".join(str(word) for word in words if word != ""), flags=re.ASCII).strip("_")
    return f"p{name}" if name[:1].isdigit() else name or None


def without_symbols(text):
    """A message of torch, in which sizes that a capture does not know are `?`."""
    return re.sub(r"\bs\d+\b", "?", text)


def place_in(text):
    """The line of the model among the frames of a trace."""
    return Place.own(Place(match["file"], int(match["line"]), (match["code"] or "").strip())
                     for match in _FRAME.finditer(text))


def place_of(node):
    """Where in the model a node is."""
    return place_in(node.meta.get("stack_trace") or "")


def written(node):
    """The name of a node's op as a user writes it."""
    target = node.target
    if not isinstance(target, torch._ops.OpOverload):
        return getattr(target, "__name__", str(target))
    if target.namespace == "gnn_mlir" or target._opname in _STANDS_FOR:
        return _STANDS_FOR.get(target._opname, target._opname)
    if target._opname == "sym_size":
        return "torch.Tensor.size"
    name = target._opname.strip("_")
    for prefix in ("linalg", "fft", "special"):
        if name.startswith(f"{prefix}_"):
            return f"torch.{prefix}.{name.removeprefix(f'{prefix}_')}"
    for of, where in ((torch, "torch"), (torch.nn.functional, "torch.nn.functional"),
                      (torch.Tensor, "torch.Tensor")):
        if hasattr(of, name):
            return f"{where}.{name}"
    return str(target)

