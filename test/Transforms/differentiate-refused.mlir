// RUN: gnn-opt %s --gnn-differentiate=function=f --split-input-file --verify-diagnostics
// RUN: not gnn-opt %s --gnn-differentiate='function=f wrt=z' --split-input-file 2>&1 | FileCheck %s --check-prefix=WRT
// RUN: not gnn-opt %s --gnn-differentiate='function=f wrt=x outputs=x' --split-input-file 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// RUN: not gnn-opt %s --gnn-differentiate='wrt=x' --split-input-file 2>&1 | FileCheck %s --check-prefix=ALONE

// Running statistics are not trained, and an activation before them is.

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

// ALONE: error: gnn-differentiate: expected function= beside wrt=, got none
// OUTPUTS: error: 'func.func' op expected gradients of results of floating point features, out0, got 'x'
// WRT: error: 'func.func' op expected gradients with respect to inputs of floating point features, x, m, v, c, got 'z'
func.func @f(%x: tensor<?x8xf32, #node> {gnn.name = "x"}, %m: tensor<8xf32> {gnn.name = "m"},
             %v: tensor<8xf32> {gnn.name = "v"}, %c: tensor<8xf32> {gnn.name = "c"}) -> tensor<?x8xf32, #node> {
  // expected-error @+1 {{'gnn.batch_norm' op has no gradient with respect to operand 1, which depends on input 'm': running statistics are not trained}}
  %y = gnn.batch_norm %x mean %m variance %v gamma %c beta %c eps = 1.0e-5 : tensor<?x8xf32, #node>, tensor<8xf32>
  return %y : tensor<?x8xf32, #node>
}

// -----

// An op without a rule, behind one that has one.

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @f(%x: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #node> {
  %0 = math.exp %x : tensor<?x8xf32, #node>
  // expected-error @+1 {{'math.cbrt' op has no gradient with respect to operand 0, which depends on argument 0: no rule of differentiation is known for this op}}
  %1 = math.cbrt %0 : tensor<?x8xf32, #node>
  return %1 : tensor<?x8xf32, #node>
}

// -----

// A loop that was not raised.

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @f(%x: tensor<?x8xf32, #node> {gnn.name = "x"}) -> tensor<?x8xf32, #edge> {
  // expected-error @+1 {{'gnn.for_edges' op has no gradient with respect to what its body reads, which depends on input 'x': loops have no gradient yet}}
  %m = gnn.for_edges %e in @g -> (tensor<?x8xf32, #edge>) {
    %a = gnn.read %x[%e] via src : (tensor<?x8xf32, #node>, !gnn.row<@g, edge>) -> tensor<8xf32>
    gnn.yield %a : tensor<8xf32>
  }
  return %m : tensor<?x8xf32, #edge>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-error @+1 {{'func.func' op has no gradient: expected floating point features among its inputs, got none}}
func.func @f(%x: tensor<?x8xi32, #node>) -> tensor<?xf32, #node> {
  %d = gnn.degree edge via dst : tensor<?xf32, #node>
  return %d : tensor<?xf32, #node>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-error @+1 {{'func.func' op cannot be differentiated: the module has a 'f_forward' already}}
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @f_forward(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{gnn-differentiate: expected a function of h, k, got function=f}}
module {
  func.func @h(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
  func.func @k(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----

// A tensor that is passed by name needs a name of its own.

// expected-error @+1 {{cannot be differentiated: expected a name of its own for each input, result and gradient, got 'x' for result 0 and for input 0}}
func.func @f(%x: tensor<8xf32> {gnn.name = "x"}) -> (tensor<8xf32> {gnn.name = "x"}) {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{got 'saved_0' for input 0 and for what is saved}}
func.func @f(%x: tensor<8xf32> {gnn.name = "saved_0"}) -> (tensor<8xf32> {gnn.name = "y"}) {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{got 'd_y' for the gradient of result 0 and for input 0}}
func.func @f(%x: tensor<8xf32> {gnn.name = "d_y"}) -> (tensor<8xf32> {gnn.name = "y"}) {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{got 'arg1' for input 1 and for input 0}}
func.func @f(%x: tensor<8xf32> {gnn.name = "arg1"}, %z: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
