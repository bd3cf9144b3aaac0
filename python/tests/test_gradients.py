# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of gradients: it passes what is right, written by hand, and finds each
fault that is planted there."""

import re

import pytest

from gnn_mlir.graph import Graph
from gnn_mlir.program import Module
from gnn_mlir.testing import gradient_faults, gradients, interpreter, tools

# Parallel edges, of one type and of two; types and ends of several degrees.
GRAPH = Graph([0, 0, 0, 1, 2, 3, 3, 4, 1, 2], [1, 1, 2, 2, 2, 4, 1, 0, 1, 2], 6,
              edge_type=[0, 0, 1, 1, 0, 2, 2, 0, 1, 0], num_edge_types=4)


class ByHand:
    """A layer on source pairs: y = mean of typed products, z = y * x, so that x and y
    have two readers each; and its gradients, as a pass would write them."""

    def __init__(self):
        self.module = Module()
        self.g = self.module.graph("g", edge_types=4)
        self.f = self.module.function("f")
        x, w = self.inputs(self.f)
        p, y = self.forward(self.f, x, w)
        self.f.output("y", y)
        self.f.output("z", y * x)
        self.made = self.module.function("f_forward")
        x, w = self.inputs(self.made)
        p, y = self.forward(self.made, x, w)
        self.made.output("y", y)
        self.made.output("z", y * x)
        self.made.output("saved_0", p)
        self.backward(self.module.function("f_backward"))

    def inputs(self, f):
        return (f.input("x", self.g.rows("node", 3)),
                f.input("w", self.g.rows("edge_type", 3, 3)))

    def forward(self, f, x, w):
        p = f.typed_linear(f.gather(x, "src_pair"), w)
        a = f.gather(f.activation("tanh", p), "edge")
        return p, f.aggregate("mean", a, "node", via="dst")

    def backward(self, f):
        x, w = self.inputs(f)
        y = f.input("y", x.type)
        p = f.input("saved_0", self.g.rows("src_pair", 3))
        dy, dz = (f.input(n, x.type) for n in ("d_y", "d_z"))
        dy = dy + dz * x
        degree = f.degree(self.g, "edge", "node", via="dst")
        degree = f.elementwise("arith.maximumf", degree, 1.0)
        dy = f.apply("div", "node", dy, degree)
        dp = f.aggregate("sum", f.gather(dy, "edge", via="dst"), "src_pair")
        t = f.activation("tanh", p)
        dp = dp * (1.0 - t * t)
        dx = f.aggregate("sum", f.typed_linear(dp, f.weight_transpose(w)), "node")
        f.output("d_x", dx + dz * y)
        f.output("d_w", f.typed_outer(f.gather(x, "src_pair"), dp, "edge_type"))

    def text(self):
        """With roles and what the functions are the gradient of."""
        f, forward, backward = re.split(r"(?=func.func)", self.module.text())[1:]
        head = self.module.text().split("func.func")[0]
        parts = [head, f]
        for part in (forward, backward):
            part = re.sub(r'gnn.name = "(\w+)"', self._with_role, part)
            parts.append(part.replace(") {\n", ") attributes {gnn.gradient_of = @f} {\n",
                                      1))
        forward, backward = parts[2:]
        border, body = forward.split("-> (", 1)
        parts[2] = "-> (".join([border, body.replace(
            'name = "y", gnn.role = "input"', 'name = "y", gnn.role = "output"')])
        return "".join(parts)

    def _with_role(self, match):
        name = match.group(1)
        role = ("gradient" if name.startswith("d_") else "saved" if name.startswith(
            "saved") else "input" if name in self.f.inputs else "output")
        return f'{match.group()}, gnn.role = "{role}"'


@pytest.fixture(scope="module")
def by_hand(gnn_opt):
    made = ByHand()
    return made, tools.print_generic(gnn_opt, [made.text()])


def differentiated(text, wrt=("x", "w")):
    return gradients.Differentiated(interpreter.read(text), "f", wrt)


def check(by_hand, made):
    function = by_hand[0].f
    inputs = gradients.smooth_inputs(function, GRAPH)
    return gradients.check(function, GRAPH, inputs, made)


def test_right_gradients_pass(by_hand):
    worst = check(by_hand, differentiated(by_hand[1]))
    assert set(worst) == {"x", "w"}
    assert max(worst.values()) < 1e-6


@pytest.mark.parametrize("fault", gradient_faults.FAULTS)
def test_each_fault_is_found(fault, by_hand):
    faulty = list(gradient_faults.FAULTS[fault](differentiated(by_hand[1])))
    assert faulty
    for made in faulty:
        with pytest.raises(gradients.Failure, match="f: d_[xw]: error .* expected"):
            check(by_hand, made)
