# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values without gradients within a model that is trained: `detach`, and what is computed
under `torch.no_grad()`.

A program has gradients with respect to inputs. So what is detached is computed of inputs
that are: each in a copy of its own where it is read with its gradient too, and once where it
is not. A dropout in a copy draws what the other does.
"""

import dataclasses

import torch

from ..analysis.values import is_random
from .writing import Graph

aten = torch.ops.aten


def of_inputs(lowered):
    """`lowered` with what is detached made of detached inputs; None where there is nothing
    of the sort."""
    old = lowered.module.graph
    wanting, found = set(), []  # Nodes with a gradient, and nodes without that of another.
    for node in old.nodes:
        if node.target == aten.detach.default:
            if node.args[0] in wanting and node.args[0].op != "placeholder" and _is_read(node):
                found.append(node)
        elif node.meta.get("requires_grad") or not wanting.isdisjoint(node.all_input_nodes):
            wanting.add(node)
    if not found:
        return None
    copied, left = set(), [node.args[0] for node in found]
    while left:
        node = left.pop()
        if node in wanting and node not in copied:
            copied.add(node)
            left += node.all_input_nodes
    if any(is_random(node) and node.target != aten.dropout.default for node in copied):
        return None  # Torch's, which would draw twice.
    new, env, constant = Graph.of(lowered.module), {}, {}
    for node in old.nodes:
        if node in found:
            env[node] = constant[node.args[0]]
            continue
        env[node] = new.copy(node, env)
        if node in copied and node.op == "placeholder":
            new.place = node
            constant[node] = new.call(aten.detach.default, env[node])
        elif node in copied:
            constant[node] = new.copy(node, {x: constant.get(x, env[x])
                                             for x in node.all_input_nodes})
            if is_random(node):
                env[node].meta["drawn_as"] = constant[node].meta["drawn_as"] = node
    new.graph.eliminate_dead_code()
    return dataclasses.replace(lowered, module=torch.fx.GraphModule(lowered.module, new.graph))


def _is_read(node):
    """Whether more is made of a value than an output."""
    return any(user.op != "output" for user in node.users)
