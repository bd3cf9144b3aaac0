// RUN: gnn-translate %s --gnn-to-ptx | FileCheck %s

// A row times its features may pass 2^31: ids are of 32 bits, and every product
// with them is of 64.

gnn.graph @g square {node_types = 1, edge_types = 3}
!node = tensor<?x1000xf32, #gnn.rows<@g, node>>
!edge = tensor<?x1000xf32, #gnn.rows<@g, edge>>
!weight = tensor<3x1000x1000xf32, #gnn.rows<@g, edge_type>>

// CHECK-LABEL: .entry gather_0_gather(
// CHECK-NOT:   mul.lo.s32
// CHECK-NOT:   mad.lo.s32
// CHECK:       ld.global.nc.b32 %[[ID:r[0-9]+]],
// CHECK-NOT:   mul.lo.s32
// CHECK:       mul.wide.s32 %[[ROW:rd[0-9]+]], %[[ID]], 4000
// CHECK:       add.s64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, %[[ROW]]
// CHECK-NOT:   mul.lo.s32
// CHECK-NOT:   mad.lo.s32
// CHECK:       ret;
func.func @gather(%x: !node) -> !edge {
  %y = gnn.gather %x via src : !node -> !edge
  return %y : !edge
}

// CHECK-LABEL: .entry sum_0_spmm(
// CHECK-NOT:   {{mul|mad}}.lo.{{[su]}}32
// CHECK-COUNT-4: mul.wide.s32 %rd{{[0-9]+}}, %r{{[0-9]+}}, 4000
// CHECK-NOT:   {{mul|mad}}.lo.{{[su]}}32
// CHECK:       ret;
func.func @sum(%x: !node) -> !node {
  %y = gnn.spmm copy %x via src reduce sum via dst : (!node) -> !node
  return %y : !node
}

// The product's rows: its tile list and gather list are of 32 bits too.
//
// CHECK-LABEL: .entry product_0_typed_linear(
// CHECK-NOT:   {{mul|mad}}.lo.{{[su]}}32
// CHECK:       mul.wide.s32 %rd{{[0-9]+}}, %r{{[0-9]+}}, 4000
// CHECK-NOT:   {{mul|mad}}.lo.{{[su]}}32
// CHECK:       ret;
func.func @product(%x: !node, %w: !weight) -> !edge {
  %e = gnn.gather %x via src : !node -> !edge
  %y = gnn.typed_linear %e, %w : (!edge, !weight) -> !edge
  return %y : !edge
}
