# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of gradients: it passes what is right, written by hand, and finds each
fault that is planted there."""

import re

import numpy as np
import pytest

from gnn_mlir import types
from gnn_mlir.graph import Graph
from gnn_mlir.program import Module
from support import gradient_faults, gradients, interpreter, tools

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
        for part, which in ((forward, "forward"), (backward, "backward")):
            part = re.sub(r'gnn.name = "(\w+)"', self._with_role, part)
            parts.append(part.replace(
                ") {\n", ") attributes {gnn.gradient_of = @f, "
                f'gnn.pass = "{which}"}} {{\n', 1))
        forward, backward = parts[2:]
        border, body = forward.split("-> (", 1)
        parts[2] = "-> (".join([border, body.replace(
            'name = "y", gnn.role = "input"', 'name = "y", gnn.role = "output"')])
        return "".join(parts)

    def _with_role(self, match):
        name = match.group(1)
        role = ("gradient" if name.startswith("d_") else "saved" if name.startswith(
            "saved") else "input" if name in self.f.inputs else "output")
        of = f', gnn.of = "{name[2:]}"' if role == "gradient" else ""
        return f'{match.group()}{of}, gnn.role = "{role}"'


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


def test_kernels_give_the_gradients(by_hand, compiler):
    made, function = differentiated(by_hand[1]), by_hand[0].f
    inputs = gradients.smooth_inputs(function, GRAPH)
    assert 0 < gradients.check_kernels(by_hand[0].text(), function, GRAPH, inputs,
                                       made) <= 1


@pytest.mark.parametrize("fault", gradient_faults.FAULTS)
def test_kernels_show_each_fault(fault, by_hand, compiler):
    """The kernels are right: it is what they are held to that has the fault."""
    function = by_hand[0].f
    inputs = gradients.smooth_inputs(function, GRAPH)
    for made in gradient_faults.FAULTS[fault](differentiated(by_hand[1])):
        with pytest.raises(gradients.Failure, match="f: d_[xw] by kernels: error"):
            gradients.check_kernels(by_hand[0].text(), function, GRAPH, inputs, made)


@pytest.mark.parametrize("right, wrong, message", [
    ('"f_backward"', '"f_back"', "expected a function f_backward, got f, f_forward"),
    ('{gnn.gradient_of = @f, gnn.pass = "forward"}', "{}",
     "gnn.gradient_of at f_forward f, got None"),
    ('gnn.pass = "forward"', 'gnn.pass = "backward"',
     "gnn.pass at f_forward forward, got backward"),
    ('gnn.of = "y"', 'gnn.of = "x"', "gnn.of of d_y y, got x"),
    ('gnn.name = "x", gnn.role = "input"', 'gnn.name = "x"',
     "arguments of the forward function"),
    ('gnn.name = "saved_0"', 'gnn.name = "saved_1"', "results of the forward"),
    ('gnn.name = "d_y", gnn.of = "y", gnn.role = "gradient"',
     'gnn.name = "d_y", gnn.role = "input"',
     "argument d_y of the backward function .*'gradient'.*, got .*'input'"),
    ('gnn.name = "d_x", gnn.of = "x"', 'gnn.name = "d_v", gnn.of = "v"',
     "results of the backward function .*d_x"),
])
def test_functions_keep_to_their_contract(right, wrong, message, by_hand):
    text = by_hand[1]
    assert right in text
    with pytest.raises(gradients.Failure, match=message):
        differentiated(text.replace(right, wrong, 1))


def test_saved_values_are_taken(by_hand):
    module = interpreter.read(by_hand[1])
    backward = module.functions["f_backward"]
    backward.arguments = [a for a in backward.arguments if a[0] != "saved_0"]
    with pytest.raises(gradients.Failure, match=r"saved values to be taken \[\], got "
                       r"\['saved_0'\]"):
        gradients.Differentiated(module, "f", ("x", "w"))


def test_arguments_are_in_the_order_of_their_roles(by_hand):
    module = interpreter.read(by_hand[1])
    module.functions["f_backward"].arguments.reverse()
    with pytest.raises(gradients.Failure, match="in the order of their roles"):
        gradients.Differentiated(module, "f", ("x", "w"))


class Answers:
    """Functions that give a fixed forward and backward answer."""

    wrt = ("x", "w")
    name = "f"

    def __init__(self, function, forward=0.0, backward=0.0):
        self.function, self.changes = function, (forward, backward)

    def run_forward(self, graphs, inputs):
        out = self.function.evaluate(graphs, inputs)
        return {name: x + self.changes[0] for name, x in out.items()}

    def gradients(self, graphs, inputs, cotangents):
        return {name: np.full(x.shape, self.changes[1]) for name, x in inputs.items()}


@pytest.mark.parametrize("forward, backward, message", [
    (0.0, np.nan, "d_x: error inf.*d_w: error inf"),
    (0.0, np.inf, "d_x: error inf"), (0.0, 0.0, "d_x: error 1,"),
    (1.0, 0.0, "gives another y"), (np.nan, 0.0, "gives another y")])
def test_wrong_numbers_never_pass(forward, backward, message, by_hand):
    function = by_hand[0].f
    with pytest.raises(gradients.Failure, match=message):
        check(by_hand, Answers(function, forward, backward))


def test_a_difference_that_is_not_finite_holds_nothing():
    module = Module()
    f = module.function("f")
    x = f.input("x", module.graph("g").rows("node", 1))
    f.input("w", x.type)
    f.output("y", f.elementwise("math.log", x))
    inputs = {"x": np.full((1, 1), 1e-12), "w": np.ones((1, 1))}
    answers = Answers(f)
    worst = gradients.check(f, Graph([], [], 1), inputs, answers)
    assert worst == {"x": None, "w": 0.0}
    inputs["x"] -= 1  # No result is finite, and no gradient is asked for.
    assert gradients.check(f, Graph([], [], 1), inputs, answers) == {"x": 0, "w": 0}


def test_inputs_of_running_statistics_are_not_trained():
    module = Module()
    f, g = module.function("f"), module.graph("g")
    x = f.input("x", g.rows("node", 4))
    mean, root, gamma, beta = (f.input(n, types.weight(4)) for n in (
        "mean", "root", "gamma", "beta"))
    f.output("y", f.batch_norm(x, mean, root * root, gamma, beta))
    assert gradients.trainable(f) == ["x", "gamma", "beta"]


def test_kernels_are_held(by_hand, compiler, monkeypatch):
    """Where one storage of float32 makes no error, none may be."""
    made, function = differentiated(by_hand[1]), by_hand[0].f
    inputs = gradients.smooth_inputs(function, GRAPH)
    right = made.run_backward

    def wrong(*arguments):
        found = right(*arguments)
        return {**found, "w": found["w"] * 1.001}
    monkeypatch.setattr(made, "run_backward", wrong)
    with pytest.raises(gradients.Failure, match="f: d_w by kernels: error .* times"):
        gradients.check_kernels(by_hand[0].text(), function, GRAPH, inputs, made)
