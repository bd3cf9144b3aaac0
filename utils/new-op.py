#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts an op on the features of each row, everywhere where an op is written.

    utils/new-op.py SoftClip

makes `gnn.soft_clip`: its definition and verifier, its cost, its gradient, its
lowering, its meaning and builder in Python, and a test of each. The result builds and
its tests pass: the op multiplies every feature by a number. Make it your own, from the
definition on; CONTRIBUTING.md says what makes it done.
"""

import argparse
import re
import sys
from pathlib import Path

DEFINITION = """\
def GNN_{name}Op : GNN_RowOp<"{mnemonic}", [
    GNN_RowWise, GNN_Cost, SameOperandsAndResultElementType,
    AllTypesMatch<["input", "result"]>], GNN_Gradient> {{
  let summary = "{summary}";
  let description = [{{
    `result[i, f] = scale * input[i, f]`.

    Gradient: of `input`, `scale` times the gradient of `result`.

    Constraints:
    * (C1) `scale` is finite.

    Example:

    ```mlir
    %y = gnn.{mnemonic} %x by 2.0 : tensor<?x8xf32, #gnn.rows<@g, node>>
    ```
  }}];
  let arguments = (ins GNN_Rows:$input, F32Attr:$scale);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = "$input `by` $scale attr-dict `:` type($result)";
  let hasVerifier = 1;
}}

"""

VERIFIER = """\
LogicalResult {name}Op::verify() {{
  if (!getScale().isFinite()) // C1
    return emitOpError("expected a finite scale, got ") << getScaleAttr();
  return success();
}}

"""

COST = """\
RowCount {name}Op::getFlops() {{ return RowCount::elements(getType()); }}

"""

GRADIENT = """\
LogicalResult {name}Op::buildGradient(OpBuilder &builder,
{gap}ArrayRef<Value> gradients,
{gap}const llvm::BitVector &,
{gap}MutableArrayRef<Value> ofOperands) {{
  GradientBuilder b(builder, getLoc());
  Value scale = b.splat(gradients[0].getType(), getScale().convertToDouble());
  ofOperands[0] = b.mul(gradients[0], scale);
  return success();
}}

"""

LOWERING = """\
static LogicalResult lower{name}({name}Op op, Lowering &lowering) {{
  LoweredRows result = lowering.describe(op.getType());
  result.features = walkedDims(result.features);
  LoweredRows input = lowering.reshape(
      op.getLoc(), lowering.view(op.getInput()), result.features);
  double scale = op.getScale().convertToDouble();
  lowering.setRowwise(
      op, result, result.features, {{lowering.leading(input, result)}},
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {{
        Value by = constant(b, loc, args[0].getType(), scale);
        return arith::MulFOp::create(b, loc, args[0], by);
      }});
  return success();
}}

"""

ROUNDTRIP = """\

// CHECK-LABEL: func.func @{mnemonic}
// CHECK: gnn.{mnemonic} %{{{{.+}}}} by 2.000000e+00 : tensor<?x8x16xf32, #gnn.rows<@g, node>>
func.func @{mnemonic}(%x: !heads) -> !heads {{
  %y = gnn.{mnemonic} %x by 2.0 : !heads
  return %y : !heads
}}
"""

INVALID = """\

// -----

gnn.graph @g square {{node_types = 2, edge_types = 3}}

func.func @{mnemonic}_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {{
  // expected-error @+1 {{{{'gnn.{mnemonic}' op expected a finite scale, got 0x7F800000 : f32}}}}
  gnn.{mnemonic} %x by 0x7F800000 : tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}}
"""

LOWERED = """\

// CHECK-LABEL: func.func @{mnemonic}
// CHECK:         gnn_tile.traverse @g <dst, features = 8>
// CHECK:           arith.mulf
func.func @{mnemonic}(%x: !node) -> !node {{
  %y = gnn.{mnemonic} %x by 2.0 : !node
  return %y : !node
}}
"""

REFERENCE = '''\
def {mnemonic}(x, scale):
    """result = scale * x for each feature."""
    return scale * _float(x)


'''

BUILDER = '''\
    def {mnemonic}(self, x, scale):
        """Every feature times a number."""
        _rows("{mnemonic}", x)
        return self._record(
            "gnn.{mnemonic}", "{{}} by " + _number("{mnemonic}", "scale", scale),
            _list(x), [x], [x.type],
            lambda g, a: reference.{mnemonic}(a, scale))

'''

CASE = '''\
def _{mnemonic}(t):
    for space in (t.src, "edge"):
        t.keep(t.f.{mnemonic}(t.rows(space, *t.shape), 0.5))


'''


class Tree:
    """The sources, each read once and written together."""

    def __init__(self, root):
        self.root = root
        self.texts = {}

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_text()
        return self.texts[path]

    def before(self, path, landmark, new):
        """Puts text before the one place where `landmark` is."""
        text = self.text(path)
        if text.count(landmark) != 1:
            sys.exit(f"error: {path}: expected one '{landmark.strip()}', got "
                     f"{text.count(landmark)}")
        self.texts[path] = text.replace(landmark, new + landmark)

    def end(self, path, new):
        self.texts[path] = self.text(path) + new

    def write(self):
        for path, text in self.texts.items():
            (self.root / path).write_text(text)
            print(path)


def add(tree, facts):
    """Writes the op into all files."""
    def fill(text):
        return text.format(**facts)

    ir, lib = "include/GNN/Dialect/GNN/IR/", "lib/Dialect/GNN/IR/"
    lowering = "lib/Conversion/GNNToTile/FeatureOps.cpp"
    name = facts["name"]
    tree.before(ir + "GNNFeatureOps.td",
                "#endif // GNN_DIALECT_GNN_IR_GNNFEATUREOPS_TD\n",
                fill(DEFINITION))
    tree.before(lib + "GNNFeatureOps.cpp", "#define GET_OP_CLASSES\n",
                fill(VERIFIER))
    tree.before(lib + "GNNCosts.cpp", "RowCount BroadcastOp::getFlops()",
                fill(COST))
    tree.before(lib + "Gradients/Features.cpp",
                "LogicalResult LayerNormOp::buildGradient(", fill(GRADIENT))
    tree.before(lowering, "static LogicalResult lowerReshape(", fill(LOWERING))
    tree.before(lowering, "  registry.addExtension(&attachElementwise<arith::",
                f"  registerLowerings<GNNDialect, lower{name}>(registry);\n")
    tree.end("test/Dialect/GNN/ops.mlir", fill(ROUNDTRIP))
    tree.end("test/Dialect/GNN/invalid-features.mlir", fill(INVALID))
    tree.end("test/Conversion/GNNToTile/features.mlir", fill(LOWERED))
    tree.before("python/gnn_mlir/reference.py", "def _philox(",
                fill(REFERENCE))
    tree.before("python/gnn_mlir/feature_ops.py", "    def dropout(",
                fill(BUILDER))
    cases = "python/tests/support/op_cases.py"
    tree.before(cases, "def _shapes(t):\n", fill(CASE))
    tree.before(cases, '    "op-elementwise": ',
                fill('    "op-{kebab}": _{mnemonic},\n'))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="name of the op in CamelCase, a phrase")
    parser.add_argument("--root", type=Path, help="the source tree",
                        default=Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", options.name)
    if "".join(parts) != options.name or options.name.endswith("Op"):
        sys.exit(f"error: expected a name such as SoftClip, got '{options.name}'")
    mnemonic = "_".join(parts).lower()
    for path in (options.root / "include/GNN/Dialect/GNN/IR").glob("*.td"):
        if f'<"{mnemonic}"' in path.read_text():
            sys.exit(f"error: there is an op gnn.{mnemonic} already")
    tree = Tree(options.root)
    add(tree, {"name": options.name, "mnemonic": mnemonic,
               "kebab": mnemonic.replace("_", "-"),
               "gap": " " * len(f"LogicalResult {options.name}Op::buildGradient("),
               "summary": " ".join(parts).capitalize()})
    tree.write()


if __name__ == "__main__":
    main()
