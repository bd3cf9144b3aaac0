# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many layers in which a value is read twice by the next: KIND LAYERS."""

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


print("gnn.graph @g square {node_types = 1, edge_types = 2}")
print(f"func.func @f(%v0: {NODE}, %w: tensor<8x8xf32>) -> {NODE} {{")
{"residual": residual, "hops": hops, "terms": terms}[sys.argv[1]](int(sys.argv[2]))
print("}")
