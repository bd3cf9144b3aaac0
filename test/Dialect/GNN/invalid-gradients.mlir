// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Attributes of functions on gradients.

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @h square {node_types = 2, edge_types = 3}

func.func @dialect_g1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x8xf32, #gnn.rows<@h, node>>) {
  // expected-error @+1 {{'gnn.apply' op has rows of two graphs: expected @g, got @h}}
  gnn.apply add %x via src, %y via dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@h, node>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

// expected-error @+1 {{'func.func' op expected "input", "output", "saved" or "gradient" for gnn.role, got 3 : i64}}
func.func private @dialect_g10(tensor<4xf32> {gnn.role = 3})

// -----

// expected-error @+1 {{'func.func' op expected "input", "output", "saved" or "gradient" for gnn.role, got "banana"}}
func.func private @dialect_g10_result() -> (tensor<4xf32> {gnn.role = "banana"})

// -----

// expected-error @+1 {{'func.func' op expected another function of the module for gnn.gradient_of, got @nobody}}
func.func private @dialect_g11() attributes {gnn.gradient_of = @nobody}

// -----

// expected-error @+1 {{'func.func' op expected another function of the module for gnn.gradient_of, got @dialect_g11_itself}}
func.func private @dialect_g11_itself() attributes {gnn.gradient_of = @dialect_g11_itself}

// -----

// expected-error @+1 {{'func.func' op expected gnn.gradient_of at a function, got it at result 1}}
func.func private @dialect_g11_result() -> (tensor<4xf32>, tensor<4xf32> {gnn.gradient_of = @dialect_g11_result})

// -----

// expected-error @+1 {{'gnn.graph' op expected gnn.gradient_of at a function}}
gnn.graph @dialect_g11_graph square {node_types = 1, edge_types = 1} attributes {gnn.gradient_of = @f}

// -----

// expected-error @+1 {{'func.func' op expected a list of names that is not empty, or nothing for all inputs, for gnn.gradients, got 1 : i64}}
func.func @dialect_g12(%x: tensor<8xf32>) -> tensor<8xf32> attributes {gnn.gradients = 1} {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected a list of names that is not empty, or nothing for all inputs, for gnn.gradients, got []}}
func.func @dialect_g12_empty(%x: tensor<8xf32>) -> tensor<8xf32> attributes {gnn.gradients = []} {
  return %x : tensor<8xf32>
}

// -----

// Inlined, it would be gone with what is asked of it.

// expected-error @+1 {{'func.func' op expected gnn.gradients of a function that others may call, got a private one}}
func.func private @dialect_g12_private(%x: tensor<8xf32>) -> tensor<8xf32> attributes {gnn.gradients} {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected gnn.gradients at a function, got it at argument 0}}
func.func @dialect_g12_argument(%x: tensor<8xf32> {gnn.gradients}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{'builtin.module' op expected gnn.gradients at a function}}
module @dialect_g12_module attributes {gnn.gradients} {
}

// -----

// expected-error @+1 {{'func.func' op expected a list of names that is not empty for gnn.gradient_outputs, got [2]}}
func.func @dialect_g13(%x: tensor<8xf32>) -> tensor<8xf32> attributes {gnn.gradients, gnn.gradient_outputs = [2]} {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected gnn.gradients beside gnn.gradient_outputs, got none}}
func.func @dialect_g13_alone(%x: tensor<8xf32>) -> (tensor<8xf32> {gnn.name = "y"}) attributes {gnn.gradient_outputs = ["y"]} {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected a string that is not empty for gnn.key, got 5 : i64}}
func.func private @dialect_g14(tensor<4xf32> {gnn.key = 5})

// -----

// expected-error @+1 {{'func.func' op expected gnn.pass beside gnn.gradient_of, got none}}
func.func private @dialect_g15() attributes {gnn.gradient_of = @other}
func.func private @other()

// -----

// expected-error @+1 {{'func.func' op expected gnn.gradient_of beside gnn.pass, got none}}
func.func private @dialect_g15_alone() attributes {gnn.pass = "forward"}

// -----

// expected-error @+1 {{'func.func' op expected "forward" or "backward" for gnn.pass, got "sideways"}}
func.func private @dialect_g15_word() attributes {gnn.gradient_of = @other, gnn.pass = "sideways"}
func.func private @other()

// -----

// expected-error @+1 {{'func.func' op expected gnn.pass at a function, got it at argument 0}}
func.func private @dialect_g15_argument(tensor<4xf32> {gnn.pass = "forward"})

// -----

// expected-error @+1 {{'func.func' op expected a string that is not empty for gnn.of, got ""}}
func.func private @dialect_g16(tensor<4xf32> {gnn.of = ""})

// -----

// expected-error @+1 {{'func.func' op expected gnn.excerpt at a function, without a value, got "part"}}
func.func private @dialect_g18() attributes {gnn.excerpt = "part"}

// -----

// expected-error @+1 {{'builtin.module' op expected gnn.excerpt at a function, without a value, got unit}}
module @dialect_g18_module attributes {gnn.excerpt} {}
