// RUN: gnn-translate %s --gnn-to-ptx --passes=edge-walks=1 | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 1}

// A multiprocessor has room for four blocks of a walk that weighs edges; threads of a sum
// have as many registers as they need.
//
// CHECK:      .entry attention_0_{{.+}}(
// CHECK:      .maxntid 256
// CHECK-NEXT: .minnctapersm 4
// CHECK-NOT:  .minnctapersm
// CHECK:      .entry sum_0_{{.+}}(
// CHECK-NOT:  .minnctapersm
func.func @attention(%x: tensor<?x64xf32, #node>, %s: tensor<?xf32, #node>, %t: tensor<?xf32, #node>) -> tensor<?x64xf32, #node> {
  %0 = gnn.gather %s via src : tensor<?xf32, #node> -> tensor<?xf32, #edge>
  %1 = gnn.apply add %0, %t via dst : (tensor<?xf32, #edge>, tensor<?xf32, #node>) -> tensor<?xf32, #edge>
  %2 = gnn.edge_softmax %1 over dst : tensor<?xf32, #edge>
  %3 = gnn.apply mul %2, %x via src : (tensor<?xf32, #edge>, tensor<?x64xf32, #node>) -> tensor<?x64xf32, #edge>
  %4 = gnn.aggregate sum %3 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %4 : tensor<?x64xf32, #node>
}

func.func @sum(%x: tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}
