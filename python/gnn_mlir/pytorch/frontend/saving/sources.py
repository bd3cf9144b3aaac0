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
    tensors, by name; `tensors` the names of all tensors among arguments. `outputs` is the result
    with the names of its tensors in their places, `places` the output of the graph that each of
    these is."""

    inputs: list
    arguments: list
    constants: dict
    tensors: list
    outputs: object
    places: dict


def note(outers, model, args, kwargs, result):
    """Notes the sources of graphs that a call of the model has captured."""
    if not isinstance(model, torch.nn.Module):
        return
    arguments, leaves = _leaves(model, args, kwargs)
    own = {id(x): ("parameter", name) for name, x in (
        *model.named_parameters(remove_duplicate=False),
        *model.named_buffers(remove_duplicate=False))}
    own |= {id(x): ("argument", name) for name, x in leaves if isinstance(x, torch.Tensor)}
    constants = {name: x for name, x in leaves if not isinstance(x, torch.Tensor)}
    tensors = [name for name, x in leaves if isinstance(x, torch.Tensor)]
    for outer in outers:
        given = [one() for one in outer.examples]
        made = [one and one() for one in outer.structures.outputs or ()]
        places = {}
        outputs = _named(result, "", made, places)
        outer.sources = Sources([own.get(id(x)) if x is not None else None for x in given],
                                arguments, constants, tensors, outputs, places)


def _leaves(model, args, kwargs):
    """(names of arguments, (name, leaf) of all that there are)."""
    signature = inspect.signature(model.forward)
    given = signature.bind(*args, **kwargs).arguments
    kinds = {name: one.kind for name, one in signature.parameters.items()}
    others = next((name for name, kind in kinds.items()
                   if kind is inspect.Parameter.VAR_KEYWORD), None)
    given |= given.pop(others, {})
    names = [name for name in kinds if name != others]
    names += [name for name in given if name not in kinds]
    return names, [leaf for name, one in given.items() for leaf in flatten(name, one)]


def _named(result, name, made, places):
    """A result with the names of its tensors, whose places among `made` are noted."""
    if isinstance(result, torch.Tensor):
        name = name or "out"
        places[name] = next((i for i, x in enumerate(made) if x is result), None)
        return name
    if result is None:
        return None
    if isinstance(result, dict):
        keys = {key: "__".join(key) if isinstance(key, tuple) else str(key) for key in result}
        return {"dict": {keys[key]: _named(one, f"{name}.{keys[key]}" if name else keys[key], made,
                                           places) for key, one in result.items()}}
    if isinstance(result, (list, tuple)):
        return {"tuple": [_named(one, f"{name}.{i}" if name else f"out.{i}", made, places)
                          for i, one in enumerate(result)]}
    places[name or "out"] = None
    return name or "out"
