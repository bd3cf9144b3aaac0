# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs and outputs of a captured graph by the names that the model has for them."""

import dataclasses
import inspect

import torch

from ....saved import flatten


@dataclasses.dataclass
class Sources:
    """`inputs` has for each placeholder ("parameter", name), ("argument", name), or None of what is
    neither; `arguments` the arguments of forward in their order; `constants` those that are no
    tensors, by name, and `defaults` what forward takes where such a one is left out; `tensors` the
    (dtype, rank) of all tensors among arguments, of which `same` are two of one tensor, or None.
    `outputs` is the result with the names of its tensors in their places, `places` the output of
    the graph that each of these is. `problem` says why the call cannot be made by names, or ""."""

    inputs: list
    arguments: list
    constants: dict
    defaults: dict
    tensors: dict
    same: tuple
    outputs: object = None
    places: dict = dataclasses.field(default_factory=dict)
    problem: str = ""


def note(outers, model, args, kwargs, result):
    """Notes the sources of graphs that a call of the model has captured."""
    if not isinstance(model, torch.nn.Module):
        return
    names, leaves, defaults, problem = _leaves(model, args, kwargs)
    own = {id(x): ("parameter", name) for name, x in (
        *model.named_parameters(remove_duplicate=False),
        *model.named_buffers(remove_duplicate=False))}
    tensors = [(name, x) for name, x in leaves if isinstance(x, torch.Tensor)]
    seen, same = {key: place for key, place in own.items()}, None
    for name, x in tensors:
        place = seen.setdefault(id(x), ("argument", name))
        if place != ("argument", name):
            same = same or (" ".join(place), f"argument {name}")
    if len({name for name, _ in leaves}) < len(leaves):
        problem = problem or "arguments of different names, got two of one name"
    own |= {id(x): ("argument", name) for name, x in tensors}
    constants = {name: x for name, x in leaves if not isinstance(x, torch.Tensor)}
    for outer in outers:
        given = [one() for one in outer.examples]
        made = [one and one() for one in outer.structures.outputs or ()]
        found = Sources([own.get(id(x)) if x is not None else None for x in given], names,
                        constants, {name: defaults[name] for name in constants if name in defaults},
                        {name: (str(x.dtype).removeprefix("torch."), x.dim())
                         for name, x in tensors}, same, problem=problem)
        found.outputs = _named(result, "", made, found)
        outer.sources = found


def _leaves(model, args, kwargs):
    """(names of arguments, (name, leaf) of all that there are, what forward has for those that are
    left out, why they have no names or "")."""
    signature = inspect.signature(model.forward)
    kinds = {name: one.kind for name, one in signature.parameters.items()}
    defaults = {name: one.default for name, one in signature.parameters.items()
                if one.default is not inspect.Parameter.empty}
    problem = ""
    if inspect.Parameter.VAR_POSITIONAL in kinds.values():
        problem = "arguments of forward that have names, got *arguments"
    given = dict(signature.bind(*args, **kwargs).arguments)
    others = next((name for name, kind in kinds.items()
                   if kind is inspect.Parameter.VAR_KEYWORD), None)
    given |= given.pop(others, {})
    names = [name for name in kinds if name != others]
    names += [name for name in given if name not in kinds]
    # Others are what the model makes of them where they are left out.
    defaults = {name: one for name, one in defaults.items()
                if one is None or isinstance(one, (bool, int, float, str))}
    given = {**defaults, **given}
    try:
        leaves = [leaf for name, one in given.items() for leaf in flatten(name, _as_dicts(one))]
    except ValueError as error:
        leaves, problem = [], str(error)
    # None has no leaf; where it is no default, it is given.
    leaves += [(name, None) for name, one in given.items()
               if one is None and defaults.get(name) is not None]
    for name, one in given.items():
        if one is not None and not _has_leaf(one):
            problem = problem or f"arguments with tensors or numbers, got an empty {name}"
    return names, leaves, defaults, problem


def _has_leaf(value):
    """Whether a value is a leaf, or has one."""
    return not isinstance(value, (dict, list, tuple)) or any(map(_has_leaf, (
        value.values() if isinstance(value, dict) else value)))


def is_data(x):
    """Whether an argument is a Data or HeteroData of PyG, by what it has."""
    return hasattr(x, "stores") and hasattr(x, "to_dict")


def _as_dicts(value):
    """Data and HeteroData of PyG as dicts of their attributes."""
    if is_data(value):
        stores = {getattr(store, "_key", None): dict(store.items()) for store in value.stores}
        return {**stores.pop(None, {}), **stores}
    return value


def _named(result, name, made, sources):
    """A result with the names of its tensors, whose places among `made` are noted."""
    if isinstance(result, torch.Tensor):
        name = name or "out"
        if name in sources.places:
            sources.problem = sources.problem or f"results of different names, got two of {name}"
        sources.places[name] = next((i for i, x in enumerate(made) if x is result), None)
        return name
    if result is None:
        return None

    def inner(key, one):
        return _named(one, f"{name}.{key}" if name else str(key), made, sources)
    if type(result) is dict and all(type(key) is str for key in result):
        return {"dict": {key: inner(key, one) for key, one in result.items()}}
    if type(result) in (tuple, list):
        return {type(result).__name__: [inner(i, one) for i, one in enumerate(result)]}
    sources.problem = sources.problem or (
        "results of tensors in tuples, lists and dicts with keys of text, got "
        f"{type(result).__name__}")
    return None
