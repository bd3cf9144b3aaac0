# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward passes that are written by hand: attributes say what belongs
together, not names, and what does not is one error."""

import numpy as np
import pytest

import gnn_mlir

NODE = "tensor<?x4xf32, #gnn.rows<@g, node>>"
BY_HAND = f"""gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: {NODE} {{gnn.name = "x"}}) -> ({NODE} {{gnn.name = "y"}}) {{
  return %x : {NODE}
}}
func.func @first(%x: {NODE} {{gnn.name = "x"}}) -> ({NODE} {{gnn.name = "y"}})
    attributes {{gnn.gradient_of = @f, gnn.pass = "forward"}} {{
  return %x : {NODE}
}}
func.func @second(%d: {NODE} {{gnn.name = "up", gnn.of = "y", gnn.role = "gradient"}})
    -> ({NODE} {{gnn.name = "down", gnn.of = "x", gnn.role = "gradient"}})
    attributes {{gnn.gradient_of = @f, gnn.pass = "backward"}} {{
  return %d : {NODE}
}}"""
ROWS = np.arange(8, dtype=np.float32).reshape(2, 4)


@pytest.mark.parametrize("old, new, message", [
    ('"backward"', '"forward"', "f: expected its forward and its backward pass beside it, "
                                "got no backward pass"),
    ('"forward"', '"backward"', "f: expected .*, got no forward pass"),
    ('gnn.of = "x"', 'gnn.of = "q"', "second: expected gradients of inputs of x, got 'q'"),
    ('gnn.of = "y"', 'gnn.of = "z"', "second: expected gradients of outputs of y, got 'z'"),
    ('"up", gnn.of = "y", gnn.role = "gradient"', '"z"',
     "second: expected what there is of x, y, got 'z'")])
def test_passes_by_hand(compiler, old, new, message):
    found = gnn_mlir.compile(BY_HAND, "f", target="emulator").gradients(
        gnn_mlir.Graph([0], [1], 2), {"x": ROWS}, {"y": 2 * ROWS})
    np.testing.assert_array_equal(found["x"], 2 * ROWS)
    with pytest.raises(ValueError, match=message):
        gnn_mlir.compile(BY_HAND.replace(old, new), "f", target="emulator")
