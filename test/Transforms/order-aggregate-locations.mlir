// RUN: gnn-opt %s --gnn-order-aggregate --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Each new op stands where the op stood that it comes from: errors, remarks and lines of PTX name
// it.

gnn.graph @g square {node_types = 1, edge_types = 1}
!wide = tensor<?x64xf32, #gnn.rows<@g, node>>
!narrow = tensor<?x16xf32, #gnn.rows<@g, node>>
!message = tensor<?x64xf32, #gnn.rows<@g, edge>>
!weight = tensor<64x16xf32>
!bias = tensor<16xf32>
!factor = tensor<?xf32, #gnn.rows<@g, edge>>

// CHECK-LABEL: func.func @product_first
// CHECK: gnn.linear {{.*}} loc("product")
// CHECK: gnn.gather {{.*}} loc("gather")
// CHECK: gnn.apply mul {{.*}} loc("scale")
// CHECK: gnn.aggregate sum {{.*}} loc("sum")
// CHECK: gnn.broadcast {{.*}} loc("product")
// CHECK: arith.addf {{.*}} loc("product")
func.func @product_first(%x: !wide, %w: !weight, %b: !bias, %a: !factor) -> !narrow {
  %m = gnn.gather %x via src : !wide -> !message loc("gather")
  %n = gnn.apply mul %m, %a : (!message, !factor) -> !message loc("scale")
  %s = gnn.aggregate sum %n via dst : !message -> !wide loc("sum")
  %y = gnn.linear %s, %w bias %b : (!wide, !weight, !bias) -> !narrow loc("product")
  return %y : !narrow
}

// An op of both is of both.
//
// CHECK-LABEL: func.func @own
// CHECK: arith.addf {{.*}} loc(fused["sum", "product"])
func.func @own(%x: !wide, %w: !weight) -> !narrow {
  %m = gnn.gather %x via src : !wide -> !message loc("gather")
  %s = gnn.aggregate sum %m via dst : !message -> !wide loc("sum")
  %t = arith.addf %s, %x : !wide loc("add")
  %y = gnn.linear %t, %w : (!wide, !weight) -> !narrow loc("product")
  return %y : !narrow
}
