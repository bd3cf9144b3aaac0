# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward passes that are written by hand: those that do not belong
together are one error."""

import numpy as np
import pytest

import gnn_mlir

NODE = "tensor<?x4xf32, #gnn.rows<@g, node>>"
BY_HAND = f"""gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: {NODE} {{gnn.name = "x"}}) -> ({NODE} {{gnn.name = "y"}}) {{
  return %x : {NODE}
}}
func.func @f_forward(%x: {NODE} {{gnn.name = "x"}}) -> ({NODE} {{gnn.name = "y"}})
    attributes {{gnn.gradient_of = @f}} {{
  return %x : {NODE}
}}
func.func @f_backward(%d: {NODE} {{gnn.name = "d_y", gnn.role = "gradient"}})
    -> ({NODE} {{gnn.name = "d_x", gnn.role = "gradient"}})
    attributes {{gnn.gradient_of = @f}} {{
  return %d : {NODE}
}}"""
ROWS = np.arange(8, dtype=np.float32).reshape(2, 4)


@pytest.mark.parametrize("old, new, message", [
    ("@f_backward", "@g_backward", "f: expected its passes f_forward and f_backward beside "
                                   "it, got no f_backward"),
    ("@f_forward", "@before", "f: expected .*, got no f_forward"),
    ('"d_x"', '"d_q"', "f_backward: expected gradients of inputs of x, got 'q'"),
    ('"d_y"', '"d_z"', "f_backward: expected gradients of outputs of y, got 'z'"),
    ('"d_y", gnn.role = "gradient"', '"z"', "f_backward: expected what there is of x, y, "
                                            "got 'z'")])
def test_passes_by_hand(compiler, old, new, message):
    found = gnn_mlir.compile(BY_HAND, "f", target="emulator").gradients(
        gnn_mlir.Graph([0], [1], 2), {"x": ROWS}, {"y": 2 * ROWS})
    np.testing.assert_array_equal(found["x"], 2 * ROWS)
    with pytest.raises(ValueError, match=message):
        gnn_mlir.compile(BY_HAND.replace(old, new), "f", target="emulator")
