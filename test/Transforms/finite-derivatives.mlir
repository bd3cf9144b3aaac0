// Where gradients are asked for, what has a derivative that may not be finite
// stays where it is: rows that nothing reads would have a gradient of NaN.
// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-compact),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-compact' --remark-policy=all --verify-diagnostics | FileCheck %s

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: @quotient
// CHECK: gnn.linear
// CHECK: arith.divf {{.*}}edge>
func.func @quotient(%x: tensor<?x8xf32, #node>, %w: tensor<8x8xf32>, %d: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #edge> attributes {gnn.gradients} {
  %0 = gnn.linear %x, %w : (tensor<?x8xf32, #node>, tensor<8x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.gather %0 via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %2 = gnn.gather %d via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{its derivative may not be finite there}}
  %3 = arith.divf %1, %2 : tensor<?x8xf32, #edge>
  return %3 : tensor<?x8xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1}

// Without gradients it moves.
// CHECK-LABEL: @no_gradients
// CHECK: arith.divf {{.*}}node>
func.func @no_gradients(%x: tensor<?x8xf32, #node>, %w: tensor<8x8xf32>, %d: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #edge> {
  %0 = gnn.linear %x, %w : (tensor<?x8xf32, #node>, tensor<8x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.gather %0 via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %2 = gnn.gather %d via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{in the kernel that makes its operand there}}
  %3 = arith.divf %1, %2 : tensor<?x8xf32, #edge>
  return %3 : tensor<?x8xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1}

// The divisor is above 0, whatever it is given.
// CHECK-LABEL: @positive
// CHECK: arith.divf {{.*}}node>
func.func @positive(%x: tensor<?x8xf32, #node>, %w: tensor<8x8xf32>, %d: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #edge> attributes {gnn.gradients} {
  %one = arith.constant dense<1.0> : tensor<f32>
  %ones = gnn.broadcast %one : tensor<f32> -> tensor<?x8xf32, #node>
  %square = arith.mulf %d, %d : tensor<?x8xf32, #node>
  %above = arith.addf %square, %ones : tensor<?x8xf32, #node>
  %root = math.sqrt %above : tensor<?x8xf32, #node>
  %0 = gnn.linear %x, %w : (tensor<?x8xf32, #node>, tensor<8x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.gather %0 via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %2 = gnn.gather %root via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{in the kernel that makes its operand there}}
  %3 = arith.divf %1, %2 : tensor<?x8xf32, #edge>
  return %3 : tensor<?x8xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1}

// A root is finite at 0; its derivative is not.
// CHECK-LABEL: @root
// CHECK: math.sqrt {{.*}}edge>
func.func @root(%x: tensor<?x8xf32, #node>, %w: tensor<8x8xf32>) -> tensor<?x8xf32, #edge> attributes {gnn.gradients} {
  %0 = gnn.linear %x, %w : (tensor<?x8xf32, #node>, tensor<8x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.activation relu %0 : tensor<?x8xf32, #node>
  %2 = gnn.gather %1 via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{its derivative may not be finite there}}
  %3 = math.sqrt %2 : tensor<?x8xf32, #edge>
  return %3 : tensor<?x8xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1}

// The derivative is finite, what is multiplied by it is not.
// CHECK-LABEL: @product
// CHECK: arith.mulf {{.*}}edge>
func.func @product(%x: tensor<?x8xf32, #node>, %w: tensor<8x8xf32>, %d: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #edge> attributes {gnn.gradients} {
  %log = math.log %d : tensor<?x8xf32, #node>
  %0 = gnn.linear %x, %w : (tensor<?x8xf32, #node>, tensor<8x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.gather %0 via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %2 = gnn.gather %log via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{its derivative may not be finite there}}
  %3 = arith.mulf %1, %2 : tensor<?x8xf32, #edge>
  return %3 : tensor<?x8xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1}

// Powers: with integers of 1 and more anywhere, with 1 and more from 0 on, others above 0.
// CHECK-LABEL: @powers
// CHECK: math.powf {{.*}}node>
// CHECK: math.powf {{.*}}edge>
// CHECK: math.powf {{.*}}node>
// CHECK: math.powf {{.*}}edge>
func.func @powers(%x: tensor<?x8xf32, #node>) -> (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) attributes {gnn.gradients} {
  %three = arith.constant dense<3.0> : tensor<f32>
  %cube = gnn.broadcast %three : tensor<f32> -> tensor<?x8xf32, #edge>
  %c = arith.constant dense<1.5> : tensor<f32>
  %more = gnn.broadcast %c : tensor<f32> -> tensor<?x8xf32, #edge>
  %d = arith.constant dense<0.5> : tensor<f32>
  %less = gnn.broadcast %d : tensor<f32> -> tensor<?x8xf32, #edge>
  %0 = gnn.activation relu %x : tensor<?x8xf32, #node>
  %1 = gnn.gather %x via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %2 = gnn.gather %0 via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{in the kernel that makes its operand there}}
  %3 = math.powf %1, %cube : tensor<?x8xf32, #edge>
  // expected-remark @+1 {{its derivative may not be finite there}}
  %4 = math.powf %1, %more : tensor<?x8xf32, #edge>
  // expected-remark @+1 {{in the kernel that makes its operand there}}
  %5 = math.powf %2, %more : tensor<?x8xf32, #edge>
  // expected-remark @+1 {{its derivative may not be finite there}}
  %6 = math.powf %2, %less : tensor<?x8xf32, #edge>
  return %3, %4, %5, %6 : tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1}

// A root is a number where its operand is not below 0.
// CHECK-LABEL: @roots
// CHECK: arith.mulf {{.*}}node>
// CHECK: arith.mulf {{.*}}edge>
func.func @roots(%x: tensor<?x8xf32, #node>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) attributes {gnn.gradients} {
  %square = arith.mulf %x, %x : tensor<?x8xf32, #node>
  %root = math.sqrt %square : tensor<?x8xf32, #node>
  %other = math.sqrt %x : tensor<?x8xf32, #node>
  %0 = gnn.linear %x, %w : (tensor<?x8xf32, #node>, tensor<8x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.gather %0 via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %2 = gnn.gather %root via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %3 = gnn.gather %other via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{in the kernel that makes its operand there}}
  %4 = arith.mulf %1, %2 : tensor<?x8xf32, #edge>
  // expected-remark @+1 {{its derivative may not be finite there}}
  %5 = arith.mulf %1, %3 : tensor<?x8xf32, #edge>
  return %4, %5 : tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>
}
