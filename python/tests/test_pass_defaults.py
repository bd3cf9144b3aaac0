# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pass alone does what it does in the pipelines, so that a chain of passes by hand makes
the same kernels; and what a pass prints parses, whichever form it is given."""

import re
import subprocess

import pytest

LAYER = """#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 3}
func.func @f(%x: tensor<?x64xf32, #node>, %w: tensor<64x32xf32>) -> tensor<?x32xf32, #node>
    attributes {gnn.gradients} {
  %m = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %y = gnn.aggregate max %m via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  %t = math.tanh %y : tensor<?x64xf32, #node>
  %p = gnn.linear %t, %w : (tensor<?x64xf32, #node>, tensor<64x32xf32>) -> tensor<?x32xf32, #node>
  return %p : tensor<?x32xf32, #node>
}
"""
STAGES = [f"--gnn-{stage}-pipeline" for stage in (
    "graph", "tile", "schedule", "block", "loops", "lanes", "gpu", "math")]
# Options that say where a pass stands.
PLACES = {"form", "has-math", "of-gradients", "passes", "refusals"}
PASS = r"(?:^|,)((?:convert-)?gnn[a-z-]*)(?:\{([^{}]*)\})?"


def run(gnn_opt, text, *options, fails=False):
    out = subprocess.run([gnn_opt, "-", *options], input=text, text=True,
                         capture_output=True, check=False)
    assert out.returncode in ((0, 1) if fails else (0,)), out.stderr[-2000:]
    return out


def dumped(gnn_opt, *options):
    """The lines of a pipeline as gnn-opt dumps it."""
    text = run(gnn_opt, "module {}", "--dump-pass-pipeline", "-o", "/dev/null", *options).stderr
    return [line.strip().rstrip(",") for line in text.strip().splitlines()[2:-1]]


def passes_of(lines):
    """Each pass of this compiler with its options, in order."""
    text = "\n".join(lines)
    text = re.sub(r"gnn-on-gradients\{passes=(.*)\}", r"\1", text)  # passes of its own
    return re.findall(PASS, text, re.M)


def alone(lines):
    """The same pipeline as text, where each pass of this compiler has its defaults."""
    words = []
    for line in lines:
        is_own = line.startswith(("gnn", "convert-gnn"))
        stands = any(f"{place}=" in line for place in PLACES)
        words.append(line.split("{")[0] if is_own and not stands else line)
    text = ",".join(words).replace("(,", "(").replace(",)", ")")
    return f"builtin.module({text})"


def chosen(options):
    return {word for word in options.split() if word.split("=")[0] not in PLACES}


def test_a_pass_alone_has_the_options_of_the_pipelines(gnn_opt):
    lines = dumped(gnn_opt, *STAGES, "--gnn-ptx-pipeline")
    found, defaults = (passes_of(of) for of in (
        lines, dumped(gnn_opt, "--pass-pipeline=" + alone(lines))))
    assert [name for name, _ in found] == [name for name, _ in defaults]
    assert len({name for name, _ in found}) > 40
    for (name, options), (_, own) in zip(found, defaults):
        assert chosen(options) == chosen(own), name


def test_a_chain_by_hand_makes_the_same_kernels(gnn_opt):
    by_hand = run(gnn_opt, LAYER, "--pass-pipeline=" + alone(dumped(gnn_opt, *STAGES))).stdout
    assert "nvgpu" in by_hand
    assert by_hand == run(gnn_opt, LAYER, *STAGES).stdout


@pytest.fixture(scope="module")
def forms(gnn_opt):
    """The layer in each form, of few features, so that they are short."""
    found = [LAYER.replace("64", "4").replace("x32", "x2")]
    for stage in STAGES:
        if stage == STAGES[2]:  # Gradients have the same ops from here on.
            found.append(run(gnn_opt, found[0].replace("attributes {gnn.gradients}", ""),
                             *STAGES[:2]).stdout)
        found.append(run(gnn_opt, found[-1], stage).stdout)
    return found


def test_what_passes_print_parses(gnn_opt, forms):
    """Each pass on each form, which it may refuse."""
    names = re.findall(r" --((?:convert-)?gnn[a-z-]*)", run(gnn_opt, "", "--help").stdout)
    names = [name for name in dict.fromkeys(names) if not re.search(
        "pipeline|schedules$|records$|explain", name)]
    assert len(names) > 45
    # Each form says which pass it goes through, so that one run has all.
    lines = "\n".join(dumped(gnn_opt, *(f"--{name}" for name in names)))
    passes = re.findall(r"^(?:(func\.func|gpu\.module)\(\n)?((?:convert-)?gnn[a-z-]*)", lines, re.M)
    assert [name for _, name in passes] == names
    pipelines = [f"builtin.module({f'{op}({name})' if op else name})" for op, name in passes]
    printed = run(gnn_opt, "\n// -----\n".join(
        f"{form}\n{{-# external_resources: {{mlir_reproducer: {{pipeline: \"{pipeline}\", "
        "disable_threading: true, verify_each: true}} #-}"
        for pipeline in pipelines for form in forms),
        "--split-input-file", "--run-reproducer", fails=True).stdout
    assert printed.count("func.func") > 10 * len(names)
    read = run(gnn_opt, printed, "--split-input-file", "-o", "/dev/null", fails=True)
    assert read.returncode == 0, read.stderr[:2000]
