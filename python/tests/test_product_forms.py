# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of products as they stand give the same bits as the kernels made of them."""

import numpy as np
import pytest

import gnn_mlir
from support import graphs

#: The loops form, run as it stands: as it is made, and with loads ahead.
LOOPS = [{"stop_at": "loops"},
         {"stop_at": "loops",
          "stage_passes": {"loops-end": "func.func(gnn-tile-load-ahead)"}}]

#: A body with a bias of the type, a scale of the row, and heads; a depth of several
#: steps that ends inside of one, columns of several tiles that do so too.
GEMM = """
gnn.graph @g square {node_types = 1, edge_types = 3}
func.func @f(%x: tensor<?x2x70xf32> {gnn.rows = #gnn.rows<@g, src>}, %w: tensor<3x2x70x36xf32>,
    %b: tensor<3x2x36xf32>, %s: tensor<?xf32> {gnn.rows = #gnn.rows<@g, src_pair>})
    -> (tensor<?x2x36xf32> {gnn.rows = #gnn.rows<@g, src_pair>}) {
  %n = gnn_tile.count @g count src_pair : index
  %init = tensor.empty(%n) : tensor<?x2x36xf32>
  %y = gnn_tile.gemm @g rows src_pair types edge_type
      ins(%x, %w : tensor<?x2x70xf32>, tensor<3x2x70x36xf32>) at <group -> src : head, feature>
      extras(%b, %s : tensor<3x2x36xf32>, tensor<?xf32>)
      at [#gnn_tile.at<group -> edge_type : head, feature>, #gnn_tile.at<group>]
      outs(%init : tensor<?x2x36xf32>) at <group : head, feature> schedule <n = 32> {
  ^bb0(%p: f32, %bias: f32, %scale: f32):
    %a = arith.addf %p, %bias : f32
    %m = arith.mulf %a, %scale : f32
    gnn_tile.yield %m : f32
  } -> tensor<?x2x36xf32>
  return %y : tensor<?x2x36xf32>
}
"""

#: More rows a type than a step, two tiles of rows of the matrix, sums beside it.
OUTER = """
gnn.graph @g square {node_types = 1, edge_types = 3}
func.func @f(%x: tensor<?x70xf32> {gnn.rows = #gnn.rows<@g, src>},
    %d: tensor<?x18xf32> {gnn.rows = #gnn.rows<@g, src_pair>}) -> (tensor<3x70x18xf32>, tensor<3x18xf32>) {
  %init = tensor.empty() : tensor<3x70x18xf32>
  %first = tensor.empty() : tensor<3x18xf32>
  %w, %b = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %d : tensor<?x70xf32>, tensor<?x18xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<3x70x18xf32>) sums(%first : tensor<3x18xf32>)
      -> tensor<3x70x18xf32>, tensor<3x18xf32>
  return %w, %b : tensor<3x70x18xf32>, tensor<3x18xf32>
}
"""

#: The sums of the other side, which has two tiles of columns.
LEFT = OUTER.replace("tensor<3x18xf32>", "tensor<3x70xf32>").replace("sums(", "sums left(")

#: Heads that are summed, one after the other.
HEADS = """
gnn.graph @g square {node_types = 1, edge_types = 3}
func.func @f(%x: tensor<?x3x20xf32> {gnn.rows = #gnn.rows<@g, src>},
    %d: tensor<?x3x7xf32> {gnn.rows = #gnn.rows<@g, src>}) -> tensor<20x7xf32> {
  %init = tensor.empty() : tensor<20x7xf32>
  %w = gnn_tile.outer @g rows src ins(%x, %d : tensor<?x3x20xf32>, tensor<?x3x7xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%init : tensor<20x7xf32>) -> tensor<20x7xf32>
  return %w : tensor<20x7xf32>
}
"""


def values(binding):
    rng = np.random.default_rng(0)
    return {i.name: rng.standard_normal(i.shape).astype(np.float32)
            for i in binding.inputs}


@pytest.mark.parametrize("text", [GEMM, OUTER, LEFT, HEADS],
                         ids=["gemm", "outer", "left", "heads"])
def test_same_bits(compiler, text):
    graph = graphs.random_graph(90, 300, 1, 3, seed=5)
    results = []
    for options in {}, *LOOPS:
        # Fragments are summed in an order of their own.
        compiled = gnn_mlir.compile(text, target="emulator",
                                    passes={"tensor-cores": False}, **options)
        binding = compiled.bind({"g": graph})
        out = binding(values(binding))
        results.append(list(out.values()) if isinstance(out, dict) else [out])
    one, *others = results
    for other in others:
        assert len(one) == len(other) > 0
        for expected, got in zip(one, other):
            assert np.abs(expected).max() > 0
            np.testing.assert_array_equal(got, expected)
