# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many layers in which a value is read twice by the next: KIND LAYERS [--gradients]."""

import sys

NODE = "tensor<?x8xf32, #gnn.rows<@g, node>>"
EDGE = "tensor<?x8xf32, #gnn.rows<@g, edge>>"
LINEAR = f"({NODE}, tensor<8x8xf32>) -> {NODE}"


def residual(layers):
    """x += relu(x W)."""
    for i in range(layers):
        print(f"  %a{i} = gnn.linear %v{i}, %w : {LINEAR}")
        print(f"  %r{i} = gnn.activation relu %a{i} : {NODE}")
        print(f"  %v{i + 1} = arith.addf %v{i}, %r{i} : {NODE}")
    print(f"  return %v{layers} : {NODE}")


def hops(layers):
    """x = x W, then x += A x, then x W."""
    print(f"  %h0 = gnn.linear %v0, %w : {LINEAR}")
    for i in range(layers):
        print(f"  %e{i} = gnn.gather %h{i} via src : {NODE} -> {EDGE}")
        print(f"  %a{i} = gnn.aggregate sum %e{i} via dst : {EDGE} -> {NODE}")
        print(f"  %h{i + 1} = arith.addf %h{i}, %a{i} : {NODE}")
    print(f"  %y = gnn.linear %h{layers}, %w : {LINEAR}")
    print(f"  return %y : {NODE}")


def terms(layers):
    """x W + relu(x) W + relu(relu(x)) W + ..., then W."""
    print(f"  %s0 = gnn.linear %v0, %w : {LINEAR}")
    for i in range(layers):
        print(f"  %v{i + 1} = gnn.activation relu %v{i} : {NODE}")
        print(f"  %p{i} = gnn.linear %v{i + 1}, %w : {LINEAR}")
        print(f"  %s{i + 1} = arith.addf %s{i}, %p{i} : {NODE}")
    print(f"  %y = gnn.linear %s{layers}, %w : {LINEAR}")
    print(f"  return %y : {NODE}")


def products(layers):
    """x = x W."""
    for i in range(layers):
        print(f"  %v{i + 1} = gnn.linear %v{i}, %w : {LINEAR}")
    print(f"  return %v{layers} : {NODE}")


def scales(layers):
    """x = relu(sum of s x W), where all layers read one s."""
    print(f"  %s = math.exp %v0 : {NODE}")
    for i in range(layers):
        print(f"  %h{i} = gnn.linear %v{i}, %w : {LINEAR}")
        print(f"  %m{i} = arith.mulf %h{i}, %s : {NODE}")
        print(f"  %a{i} = gnn.spmm copy %m{i} via src reduce sum via dst : ({NODE}) -> {NODE}")
        print(f"  %v{i + 1} = gnn.activation relu %a{i} : {NODE}")
    print(f"  return %v{layers} : {NODE}")


def attentions(layers):
    """x = attention(x) + b, of 64 features."""
    node, wide = "tensor<?xf32, #gnn.rows<@g, node>>", NODE.replace("x8x", "x64x")
    eight = ", ".join([NODE] * 8)
    print(f"  %x0 = gnn.concat {', '.join(['%v0'] * 8)} : ({eight}) -> {wide}")
    for i in range(layers):
        print(f"  %l{i} = gnn.reduce_features sum %x{i} : {wide} -> {node}")
        print(f"  %a{i} = gnn.attention(%s = %l{i} via src) value %x{i} via src over dst "
              f": ({node}, {wide}) -> {wide} {{\n    gnn.yield %s : tensor<f32>\n  }}")
        print(f"  %x{i + 1} = arith.addf %a{i}, %x0 : {wide}")
    print(f"  %y = gnn.slice %x{layers} at 0 : {wide} -> {NODE}")
    print(f"  return %y : {NODE}")


def indices(sums):
    """Lanes read and write a row of which two chains of sums say the number."""
    print("""  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<4x64xf32>
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {""")
    for chain in "rs":
        print(f"      %{chain}0 = arith.addi %b, %b : index")
        for i in range(sums):
            print(f"      %{chain}{i + 1} = arith.addi %{chain}{i}, %{chain}{i} : index")
    print(f"""      %x = vector.transfer_read %m[%r{sums}, %c0], %p {{in_bounds = [true]}} : memref<4x64xf32>, vector<64xf32>
      vector.transfer_write %x, %m[%s{sums}, %c0] {{in_bounds = [true]}} : vector<64xf32>, memref<4x64xf32>
    }}
  }}
  return %v0 : {NODE}""")


KINDS = {"indices": indices, "residual": residual, "hops": hops, "terms": terms, "products": products,
         "scales": scales, "attentions": attentions}
gradients = " attributes {gnn.gradients}" if "--gradients" in sys.argv else ""
print("gnn.graph @g square {node_types = 1, edge_types = 2}")
print(f"func.func @f(%v0: {NODE}, %w: tensor<8x8xf32>) -> {NODE}{gradients} {{")
KINDS[sys.argv[1]](int(sys.argv[2]))
print("}")
