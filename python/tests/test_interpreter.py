# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of level 1, as gnn-opt prints them, mean in float64 what the builder says,
before the passes on whole graphs and after them: to 1e-12, with no kernel between."""

import functools
import re

import numpy as np
import naive
import pytest
from test_program import every_op
from test_random_programs import ops_of_dialect

from gnn_mlir import graph_functions
from gnn_mlir.graph import Graph
from support import (cases, errors, generic_ir, graphs, interpreter, op_cases,
                              random_programs, tools)

PROGRAMS, ALL_PROGRAMS = 100, 2000
PIPELINES = {"as built": (), "after the passes": ("--gnn-graph-pipeline",),
             "all passes by rows": ("--gnn-graph-pipeline=cost=rows",)}
GRAPHS = {
    "square": graphs.random_graph(13, 40, 2, 3, seed=3),
    "schema": graph_functions.refine_types(graphs.random_graph(13, 40, 2, 2, seed=4)),
    "bipartite": graphs.random_graph(14, 30, 2, 3, seed=5, dst_nodes=9)}


@functools.lru_cache(maxsize=None)
def families():
    """(name, program) of each family of ops, without heads and with two."""
    return [(f"{subject} on {name}, {heads} heads", cases.build(
        subject, graph, 4, heads)) for name, graph in GRAPHS.items()
        for subject in op_cases.OPS for heads in (1, 2)
        if heads == 1 or subject in op_cases.WITH_HEADS]


@functools.lru_cache(maxsize=None)
def model_programs():
    """Heads have 4 features, so that a score is divided by what float32 holds."""
    return [(model, cases.build(model, GRAPHS["square"], 8, 2 if (
        model in cases.WITH_HEADS) else 1)) for model in cases.MODELS]


@functools.lru_cache(maxsize=None)
def random_ones(first, last):
    found = []
    for seed in range(first, last):
        recorded = random_programs.random_program(seed)
        made = recorded.build()
        found.append((f"seed {seed}", cases.Program(
            made.function, {"g": recorded.graph}, made.inputs())))
    return found


MEANINGS = {}  # By program, each of which is kept: pipelines have the same ones.


def meaning(program):
    """The results of a program in float64, and stored as float32."""
    if id(program) not in MEANINGS:
        with np.errstate(all="ignore"):
            MEANINGS[id(program)] = program, [program.function.evaluate(
                program.graphs, program.inputs, storage)
                for storage in (None, np.float32)]
    return MEANINGS[id(program)][1]


def deviations(programs, modules, limit=1e-12):
    """The fault of each module, by the name of its program."""
    found = {}
    for (name, program), module in zip(programs, modules):
        function = program.function
        expected, rounded = meaning(program)
        given = {n: program.graphs[n] for n in function.graphs()}
        out = module.functions[function.name].evaluate(given, program.inputs)
        assert list(out) == list(expected)
        for output, value in expected.items():
            wrong = deviation(out[output], value, rounded[output], limit)
            if wrong is not None:
                found.setdefault(name, f"{output}: {wrong}")
    return found


def deviation(out, expected, rounded, limit):
    """None where an output is within the limit, or within what float64 makes of a
    result that float32 shows to be sensitive; integers are equal."""
    out, expected = np.asarray(out), np.asarray(expected)
    if np.issubdtype(expected.dtype, np.integer):
        return None if (out == expected).all() else "other integers"
    difference, finite = errors.differences(out, expected)
    error, size = np.linalg.norm(difference), np.linalg.norm(finite)
    if error <= limit * size:
        return None
    held = np.isfinite(expected) & np.isfinite(rounded)
    noise = np.linalg.norm((rounded - expected)[held]) * 2.0 ** (24 - 53)
    return None if error <= 30 * noise else f"error {error / size:.2g}"


def all_ops(ops):
    for op in ops:
        yield op
        for region in op.regions:
            yield from all_ops(region.ops)


def has_rounded_constants(module):
    """Whether a pass made one constant of two, and rounded it to f32: such numbers
    have more digits than the builder's, 0.2 and the like."""
    values = [op.attributes["value"] for f in module.functions.values()
              for op in all_ops(f.body.ops) if op.name == "arith.constant"]
    return any(float(f"{x:e}") != x for value in values
               for x in np.ravel(np.asarray(value, np.float64)) if np.isfinite(x))


def check(programs, gnn_opt, options):
    """Holds programs against their meaning; the modules that were evaluated."""
    modules = tools.optimize(gnn_opt, [p.function.module.text() for _, p in programs],
                             *options)
    rounded = [i for i, m in enumerate(modules) if has_rounded_constants(m)]
    assert len(rounded) <= len(modules) // 5
    exact = [i for i in range(len(modules)) if i not in rounded]
    for kept, limit in ((exact, 1e-12), (rounded, 1e-6)):
        assert not deviations([programs[i] for i in kept], [modules[i] for i in kept],
                              limit)
    return modules


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_families_of_ops(pipeline, gnn_opt):
    check(families(), gnn_opt, PIPELINES[pipeline])


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_models(pipeline, gnn_opt):
    check(model_programs(), gnn_opt, PIPELINES[pipeline])


def pytest_generate_tests(metafunc):
    if "first_seed" in metafunc.fixturenames:
        everything = metafunc.config.getoption("--all")
        metafunc.parametrize("first_seed", range(
            0, ALL_PROGRAMS if everything else PROGRAMS, PROGRAMS))


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_random_programs(first_seed, pipeline, gnn_opt):
    check(random_ones(first_seed, first_seed + PROGRAMS), gnn_opt, PIPELINES[pipeline])


# Ops that random loops seldom have.
BY_HAND = {"gnn.row_outer"}


def program_of_every_op():
    function = every_op().functions["every_op"]
    bound = {"g": naive.graphs()["schema"], "b": Graph(
        [3, 0], [1, 1], num_src_nodes=4, num_dst_nodes=2, num_node_types=3,
        num_edge_types=4)}
    return "every op", cases.Program(function, function.bind(bound),
                                     function.random_inputs(bound))


def test_all_ops_of_the_dialect_are_met(gnn_opt):
    programs = [program_of_every_op(), *random_ones(0, PROGRAMS)]
    modules = check(programs, gnn_opt, ())
    met = {op.name for m in modules for f in m.functions.values()
           for op in all_ops(f.body.ops)}
    assert ops_of_dialect() - BY_HAND <= met
    assert {"arith.cmpf", "arith.select", "arith.sitofp"} <= met


def test_storage_rounds_what_each_op_gives(gnn_opt):
    for (_, program), module in zip(model_programs(), tools.optimize(
            gnn_opt, [p.function.module.text() for _, p in model_programs()])):
        function = program.function
        expected = function.evaluate(program.graphs, program.inputs, np.float32)
        found = module.functions[function.name].evaluate(
            program.graphs, program.inputs, np.float32)
        for name, value in expected.items():
            assert found[name].dtype == np.float32
            np.testing.assert_array_equal(found[name], value)


# -- Faults are found --------------------------------------------------------------

# Faults put into the printed modules, each in one op.
FAULTS = {
    "wrong end": (r"(?<=gnn.gather\"\(%\d\) <{via = #gnn<end )src", "dst"),
    "sum for mean": ("#gnn<reduce mean>", "#gnn<reduce sum>"),
    "order of operands": (r'("arith.subf"\()(%\w+), (%\w+)', r"\1\3, \2"),
    "activation": ("#gnn<activation tanh>", "#gnn<activation sigmoid>"),
    "over": ("#gnn<row_space dst_pair>", "#gnn<row_space dst>"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_one_op_is_found(fault, gnn_opt):
    pattern, wrong = FAULTS[fault]
    programs = families() + model_programs()
    text = tools.print_generic(gnn_opt, [p.function.module.text() for _, p in programs])
    found = [(program, re.subn(pattern, wrong, part, count=1)) for program, part in zip(
        programs, text.split("// -----"))]
    changed = [(program, part) for program, (part, count) in found if count][:3]
    assert len(changed) == 3
    for program, part in changed:
        assert deviations([program], [interpreter.read(part)])


# -- By hand -----------------------------------------------------------------------

BORDER = """
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?x2xf32, #gnn.rows<@g, node>> {gnn.name = "x"}GNN_MORE)
    -> (GNN_RESULT {gnn.name = "out"}) {
"""


def by_hand(gnn_opt, body, result, arguments=""):
    text = BORDER.replace("GNN_MORE", arguments).replace("GNN_RESULT", result)
    return tools.optimize(gnn_opt, [text + body + "}"])[0].functions["f"]


CYCLE = Graph([0, 1, 2], [1, 2, 0], 3)
X = np.array([[1.0, np.nan], [-np.inf, 2.0], [0.5, 0.5]])
ROWS = "tensor<?x2xf32, #gnn.rows<@g, node>>"


@pytest.mark.parametrize("predicate", (
    "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true").split())
def test_comparisons(predicate, gnn_opt):
    y = np.array([[1.0, 1.0], [np.inf, np.nan], [0.25, 0.5]])
    plain = {"e": np.equal, "g": np.greater, "l": np.less, "n": np.not_equal}
    odd = np.isnan(X) | np.isnan(y)
    if predicate in ("true", "false"):
        expected = np.full(X.shape, predicate == "true")
    elif predicate in ("ord", "uno"):
        expected = odd == (predicate == "uno")
    else:
        expected = plain[predicate[1]](X, y)
        if predicate[2] == "e" and predicate[1] in "gl":
            expected |= X == y
        expected = np.where(odd, predicate[0] == "u", expected)
    condition = ROWS.replace("f32", "i1")
    f = by_hand(gnn_opt, f"""
      %c = arith.cmpf {predicate}, %x, %y : {ROWS}
      %n = arith.uitofp %c : {condition} to {ROWS}
      return %n : {ROWS}""", ROWS, f', %y: {ROWS} {{gnn.name = "y"}}')
    out = f.evaluate(CYCLE, {"x": X, "y": y})["out"]
    np.testing.assert_array_equal(out, expected)


def test_constants_of_all_spellings(gnn_opt):
    f = by_hand(gnn_opt, """
      %c = arith.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, -0.0, 1.0e-30,
                                 0.333333343]> : tensor<6xf32>
      return %c : tensor<6xf32>""", "tensor<6xf32>")
    np.testing.assert_array_equal(f.evaluate(CYCLE, {"x": X})["out"], [
        np.inf, -np.inf, np.nan, -0.0, 1e-30, 0.333333343])
    many = np.arange(300, dtype=np.float32) / 7
    bits = ", ".join(f"0x{int(b):08X}" for b in many.view(np.uint32))
    f = by_hand(gnn_opt, f"""
      %c = arith.constant dense<[{bits}]> : tensor<300xf32>
      return %c : tensor<300xf32>""", "tensor<300xf32>")  # Printed as bytes.
    np.testing.assert_array_equal(f.evaluate(CYCLE, {"x": X})["out"], many)


def test_shapes_in_loops(gnn_opt):
    result = ROWS.replace("2x", "2x2x")
    f = by_hand(gnn_opt, f"""
      %y = gnn.for_nodes %n in @g -> ({result}) {{
        %r = gnn.read %x[%n] : ({ROWS}, !gnn.row<@g, node>) -> tensor<2xf32>
        %s = math.exp %r : tensor<2xf32>
        %p = gnn.row_outer %r, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
        %q = tensor.collapse_shape %p [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
        %c = tensor.concat dim(0) %q, %r : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
        %e = tensor.extract_slice %c[1] [4] [1] : tensor<6xf32> to tensor<4xf32>
        %h = tensor.expand_shape %e [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
        gnn.yield %h : tensor<2x2xf32>
      }}
      return %y : {result}""", result)
    x = np.arange(6.0).reshape(3, 2)
    outer = (x[:, :, None] * np.exp(x)[:, None]).reshape(3, 4)
    np.testing.assert_array_equal(f.evaluate(CYCLE, {"x": x})["out"], np.concatenate(
        [outer, x], 1)[:, 1:5].reshape(3, 2, 2))


def test_calls(gnn_opt):
    f = by_hand(gnn_opt, f"""
      %y = call @twice(%x) : ({ROWS}) -> {ROWS}
      %z = call @twice(%y) : ({ROWS}) -> {ROWS}
      return %z : {ROWS}
      }}
      func.func private @twice(%x: {ROWS}) -> {ROWS} {{
      %y = arith.addf %x, %x : {ROWS}
      return %y : {ROWS}""", ROWS)
    np.testing.assert_array_equal(f.evaluate(CYCLE, {"x": X})["out"], 4 * X)


def test_roles_of_arguments_and_results(gnn_opt):
    f = by_hand(gnn_opt, f"return %x : {ROWS}", ROWS,
                f', %y: {ROWS} {{gnn.name = "y", gnn.role = "gradient"}}')
    assert [(name, str(kind), more.get("gnn.role")) for name, kind, more in
            f.arguments] == [("x", ROWS, None), ("y", ROWS, "gradient")]
    assert [(name, str(kind)) for name, kind, _ in f.results] == [("out", ROWS)]


# -- Errors ------------------------------------------------------------------------

GENERIC = """
"builtin.module"() ({
  "gnn.graph"() <{edge_types = 1 : i64, kind = #gnn<graph_kind square>, node_types = 1 : i64, sym_name = "g"}> : () -> ()
  "func.func"() <{arg_attrs = [{gnn.name = "x"}], function_type = (tensor<?x2xf32, #gnn.rows<@g, node>>) -> tensor<?x2xf32, #gnn.rows<@g, node>>, res_attrs = [{gnn.name = "out"}], sym_name = "f"}> ({
  ^bb0(%arg0: tensor<?x2xf32, #gnn.rows<@g, node>>):
    %0 = OP
    "func.return"(%0) : (tensor<?x2xf32, #gnn.rows<@g, node>>) -> ()
  }) : () -> ()
}) : () -> ()
"""
UNARY = f"({ROWS}) -> {ROWS}"


@pytest.mark.parametrize("op, message", [
    (f'"gnn.frobnicate"(%arg0) : {UNARY}', "a meaning in the reference, got gnn.frob"),
    (f'"gnn._float"(%arg0) : {UNARY}', "a meaning in the reference, got gnn._float"),
    (f'"gnn.np"(%arg0) : {UNARY}', "a meaning in the reference, got gnn.np"),
    (f'"math.cbrt"(%arg0) : {UNARY}', "a meaning in the reference, got math.cbrt"),
    (f'"gnn.linear"(%arg0) : {UNARY}', "gnn.linear: expected weight, got no such"),
    (f'"gnn.prefix_rows"(%arg0, %arg0) : ({ROWS}, {ROWS}) -> {ROWS}',
     "gnn.prefix_rows: expected operands graph, x, got 1 more"),
    (f'"math.exp"(%arg1) : {UNARY}', "expected a value before its use, got %arg1"),
    (f'"gnn.slice"(%arg0) <{{offset = 1 : i64}}> : {UNARY}',
     r"gnn.slice: expected tensor<.*>, \(3, 2\) on this graph, got \(3, 1\)"),
    (f'"arith.cmpi"(%arg0, %arg0) <{{predicate = 7 : i64}}> : ({ROWS}, {ROWS}) -> '
     f"{ROWS}", "comparison of signed integers, got number 7"),
])
def test_errors_name_the_op(op, message):
    f = interpreter.read(GENERIC.replace("OP", op)).functions["f"]
    with pytest.raises(ValueError, match=message):
        f.evaluate(CYCLE, {"x": X})


@pytest.mark.parametrize("op, message", [
    (f'gnn.gather %arg0 : {UNARY}', "line 6 .* expected an op, got 'gnn.gather"),
    (f'"math.exp"(%arg0) : {ROWS}', "expected '\\(', got 'tensor"),
    (f'"math.exp"() : {UNARY}', "expected 1 operands of math.exp before this"),
    ('"a.b"() ({ ^bb0: ^bb1: }) : () -> ()', "expected a region of one block"),
    ('"a.b"() <{a = dense<"0x00"> : tensor<1xf64>}> : () -> f32', "of f32 or i32"),
    ('"a.b"() <{a = #b.c<d>', "expected ','"), ('"a.b"() <{a = #b<', "expected '>'"),
])
def test_errors_of_the_text(op, message):
    with pytest.raises(ValueError, match=message):
        interpreter.read(GENERIC.replace("OP", op))


def test_errors_of_inputs():
    f = interpreter.read(GENERIC.replace("OP", f'"math.exp"(%arg0) : {UNARY}')).functions[
        "f"]
    for given, message in (({}, "expected inputs x, got none"),
                           ({"y": X}, "expected inputs x, got y"),
                           ({"x": X[:2]}, r"expected shape \(3, 2\), got \(2, 2\)")):
        with pytest.raises(ValueError, match=message):
            f.evaluate(CYCLE, given)
    with pytest.raises(ValueError, match="expected graphs g, got h"):
        f.evaluate({"h": CYCLE}, {"x": X})
    f = interpreter.read(GENERIC.replace("OP", f'"math.exp"(%arg0) : {UNARY}').replace(
        'res_attrs = [{gnn.name = "out"}], ', "")).functions["f"]
    with pytest.raises(ValueError, match="expected gnn.name at each argument"):
        f.evaluate(CYCLE, {"x": X})


def test_attributes_of_other_dialects_are_text():
    op, = generic_ir.parse('"builtin.module"() <{a = #b.c<d<(e) -> f>>, g = !h.i, '
                           'j, k = -1 : i32, l = [true, unit], "m n" = @o}> : () -> ()')
    assert op.attributes == {
        "a": "#b.c<d<(e) -> f>>", "g": generic_ir.Type("!h.i"), "j": True, "k": -1,
        "l": [True, None], "m n": "o"}
