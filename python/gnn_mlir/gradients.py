# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward passes of a compiled function, by what they are asked for.

The forward pass of `@f` gives its outputs and what has to be saved, the backward pass the
gradients of some inputs from gradients of some outputs. A pair for other inputs or
outputs is another program: it is compiled when it is first asked for, where the
program is at hand. A loaded package has no program; there the pair that it has
serves, with zeros for what is not given.
"""

import threading
from collections.abc import Iterable, KeysView, Set

import numpy as np

from . import types


def plan_of(package, name):
    """The plan of a function. One that was left out for its passes (`calls`) has what these
    say of it; None where there is neither."""
    found = None
    for plan in package.plan()["functions"]:
        if plan["name"] == name:
            return plan
        if plan.get("gradient_of") == name and plan["pass"] == "forward":
            found = {**plan, "name": name, "outputs": [
                o for o in plan["outputs"] if "role" not in o]}
    return found


class Called:
    """Gives the package that has a function itself. Where it was left out for its passes
    (`calls`) it is compiled when it is first asked for."""

    def __init__(self, package, name, compile_more):
        self.name, self._compile, self._lock = name, compile_more, threading.Lock()
        self.package = package if name in package.functions else None

    def __call__(self):
        if self.package is None:
            if self._compile is None:
                raise ValueError(f"{self.name}: expected a package with it, got one with its "
                                 "forward and backward pass alone (passes: calls)")
            with self._lock:
                self.package = self.package or self._compile("")
        return self.package


class Passes:
    """A forward and a backward pass of one package."""

    def __init__(self, package, name):
        self.package = package
        functions = package.plan()["functions"]
        plans = {p["pass"]: p for p in functions if p.get("gradient_of") == name}
        for which in ("forward", "backward"):
            if which not in plans:
                raise ValueError(f"{name}: expected its forward and its backward pass "
                                 f"beside it, got no {which} pass")
        self.forward, self.backward = plans["forward"]["name"], plans["backward"]["name"]
        results = plans["forward"]["outputs"]
        arguments = plans["backward"]["inputs"]
        self.outputs = [r["name"] for r in results if "role" not in r]
        self.saved = {r["name"]: r for r in results if r.get("role") == "saved"}
        # The values that the backward pass reads besides gradients, and the
        # gradients.
        self.kept = {a["name"]: a for a in arguments if a.get("role") != "gradient"}
        self.given = tuple(a["of"] for a in arguments if a.get("role") == "gradient")
        self.wrt = tuple(r["of"] for r in plans["backward"]["outputs"])
        inputs = [i["name"] for i in plans["forward"]["inputs"]]
        for what, found, known in (
                ("gradients of inputs of", self.wrt, inputs),
                ("gradients of outputs of", self.given, self.outputs),
                ("what there is of", self.kept, [*inputs, *self.outputs, *self.saved])):
            for one in found:
                if one not in known:
                    raise ValueError(f"{self.backward}: expected {what} "
                                     f"{', '.join(known)}, got {one!r}")

    def serves(self, forward):
        """Whether its backward pass reads no more than another pair's does. Nothing is
        known of a saved value without a key."""
        return all(forward.kept.get(name) == spec and
                   (spec.get("role") != "saved" or "key" in spec)
                   for name, spec in self.kept.items())


def parse(gradients, function, known):
    """The request of a user as the compiler reads it; "" for no gradients. `function`
    is the one that is compiled, None where it is the only one; `known` are functions by
    name, none where the program is text."""
    if gradients is None or gradients is False:
        return ""
    asked = gradients if isinstance(gradients, dict) else {function or "": gradients}
    texts = []
    for name, inputs in asked.items():
        everything = inputs is True
        if name not in known and any(name in of.inputs for of in known.values()):
            raise ValueError(f"gradients: expected functions ({', '.join(known)}) in a "
                             f"dict, and inputs in a list, got the input {name!r} in a dict")
        inputs = ([] if everything else list(inputs) if isinstance(
            inputs, (KeysView, Set)) else inputs)
        if isinstance(inputs, str) or not isinstance(inputs, (list, tuple)) or not all(
                isinstance(text, str) and text.isidentifier()
                for text in [*inputs, *([name] if name else [])]) or not (
                    inputs or everything):
            raise ValueError("gradients: expected True, a list of inputs that is not "
                             f"empty, or a dict of these by function, got "
                             f"{types.described(gradients)}")
        of = known.get(name) or (None if name or len(known) != 1 else
                                 next(iter(known.values())))
        for one in inputs if of else ():
            if one not in of.inputs:
                raise ValueError(f"gradients: expected inputs of {of.name} "
                                 f"({', '.join(of.inputs)}), got {one!r}")
        texts.append(f"{name}: {' '.join(inputs)}")
    return "; ".join(texts)


def listed(function, names, what, known):
    """The names of inputs or outputs of a function, which may not be none."""
    if not isinstance(names, str) and isinstance(names, Iterable):
        names = list(names)
    if not isinstance(names, list) or not names:
        raise ValueError(f"{function}: expected a list of {what} ({', '.join(known)}), "
                         f"got {types.described(names)}")
    return names


class Gradients:
    """The passes of one function, by the inputs whose gradients are asked for and
    the outputs whose gradients are given. Safe to use from several threads."""

    def __init__(self, package, name, compile_more=None):
        """`compile_more` makes a package of what to differentiate as text; None
        where there is no program."""
        plan = plan_of(package, name)
        self.name, self._compile = name, compile_more
        self._first = Passes(package, name)
        self.outputs = self._first.given if compile_more is None else tuple(
            o["name"] for o in plan["outputs"] if o["dtype"] == "f32")
        # In the order of the inputs: a mask is one tuple.
        self.inputs = self._first.wrt
        self._lock = threading.Lock()
        self._made = {(self._first.wrt, self._first.given): self._first}

    def find(self, wrt=None, given=None):
        """The passes for these inputs and outputs, by default all; compiles them
        where they are not there."""
        wrt = self.inputs if wrt is None else self._mask(wrt, self.inputs, "inputs")
        given = self.outputs if given is None else self._mask(given, self.outputs,
                                                              "outputs")
        found = self._made.get((wrt, given))
        if found is not None:
            return found
        with self._lock:
            if (wrt, given) not in self._made:
                self._made[wrt, given] = self._make(wrt, given)
            return self._made[wrt, given]

    def _mask(self, names, known, what):
        names = listed(self.name, names, what, known)
        for name in names:
            if name not in known:
                raise ValueError(f"{self.name}: expected {what} of {', '.join(known)}, "
                                 f"which gradients were compiled for, got {name!r}")
        return tuple(name for name in known if name in names)

    def _make(self, wrt, given):
        if self._compile is None:
            return self._first
        text = f"{self.name}: {' '.join(wrt)} -> {' '.join(given)}"
        return Passes(self._compile(text), self.name)

    def find_backward(self, forward, given):
        """The passes whose backward pass follows a forward pass where the gradients
        of these outputs are given."""
        found = self.find(forward.wrt, given)
        return found if found.serves(forward) else forward


class Call:
    """A call on some inputs, from the forward pass to the backward pass. `run` gets
    a bound function and inputs by name, and gives its outputs in order; `bind` gets
    a package, the name of a function of it, and inputs, which say where."""

    def __init__(self, gradients, wrt, bind, run):
        self.gradients, self._bind, self._run = gradients, bind, run
        self.forward_pass = gradients.find(wrt)
        self.wrt = self.forward_pass.wrt if wrt is None else tuple(wrt)

    def forward(self, inputs):
        """The outputs, and what the backward pass reads, both by name."""
        passes = self.forward_pass
        bound = self._bind(passes.package, passes.forward, inputs)
        made = dict(zip((o.name for o in bound.outputs), self._run(bound, inputs)))
        return ({name: made[name] for name in passes.outputs},
                {name: made[name] if "role" in spec else inputs[name]
                 for name, spec in passes.kept.items()})

    def bind_backward(self, kept, cotangents):
        """The passes whose backward pass takes these gradients, and that, bound."""
        given = [name for name in self.gradients.outputs
                 if cotangents.get(name) is not None]
        passes = self.gradients.find_backward(self.forward_pass, given)
        inputs = {name: kept[name] for name in passes.kept}
        return passes, self._bind(passes.package, passes.backward,
                                  {**inputs, given[0]: cotangents[given[0]]})

    def backward(self, kept, cotangents):
        """The gradients of `wrt` by name. A gradient of an output that is None, or
        not there, is that of an output that nothing was computed of."""
        passes, bound = self.bind_backward(kept, cotangents)
        some = next(value for value in cotangents.values() if value is not None)
        inputs = {name: kept[name] for name in passes.kept}
        for info in bound.inputs:
            if info.name not in inputs:
                found = cotangents.get(info.of)
                inputs[info.name] = (_zeros(info.shape, some)
                                     if found is None else found)
        made = dict(zip(passes.wrt, self._run(bound, inputs)))
        return {name: made[name] for name in self.wrt}


def _zeros(shape, like):
    """An array or tensor of zeros, as `like` is."""
    if hasattr(like, "new_zeros"):
        return like.new_zeros(shape)
    return np.zeros(shape, np.float32)


class Tape:
    """The values that a forward pass has kept: gives gradients, as often as it is
    asked to."""

    def __init__(self, call, kept, seen, place_gradients):
        """`seen` are the inputs and outputs that the caller has too. Arrays are copied,
        and so are torch's inference tensors, which have no version; other tensors that
        are changed in place are found by theirs."""
        self._call, self._place = call, place_gradients
        self._kept, self._versions = {}, {}
        for name, value in kept.items():
            if isinstance(value, np.ndarray) and name in seen:
                value = np.array(value)
            elif hasattr(value, "is_inference"):
                if not value.is_inference():
                    self._versions[name] = value._version
                elif name in seen:
                    value = value.clone()
            self._kept[name] = value

    @property
    def kept(self):
        """What the backward pass reads besides gradients, by name."""
        return dict(self._kept)

    def gradients(self, cotangents):
        """The gradients of inputs by name, from gradients of outputs by name. None
        stands for that of an output that nothing was computed of."""
        outputs = self._call.gradients.outputs
        known = ", ".join(outputs)
        if not isinstance(cotangents, dict) or all(
                value is None for value in cotangents.values()):
            raise ValueError(f"expected a dict of gradients of outputs ({known}), got "
                             f"{types.described(cotangents)}")
        for name in cotangents:
            if name not in outputs:
                raise ValueError(f"expected gradients of outputs {known}, got "
                                 f"{name!r}")
        for name, version in self._versions.items():
            if self._kept[name]._version != version:
                raise RuntimeError(f"expected {name!r} as it was in the forward pass, "
                                   "got a tensor that was changed in place")
        return self._place(self._call.backward(self._kept, cotangents))
