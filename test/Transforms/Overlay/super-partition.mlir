// Programs whose regions do not fit become parts of layers, with windows of the regions.
//
// RUN: %python %S/Inputs/graph.py %t.npz 40 0-0x5 1-20x9 20-1 39-39x4 20-20 39-20
// RUN: %python %S/Inputs/graph.py %t.many.npz 40 0-0x900 1-20x9 20-1 39-39x900 20-20x900 39-20
// RUN: sh %S/Inputs/super-partition.sh %s %t.npz 10000 | FileCheck %s --check-prefix=FIBERS
// RUN: sh %S/Inputs/super-partition.sh %s %t.npz 5500 | FileCheck %s --check-prefix=BOTH
// RUN: sh %S/Inputs/super-partition.sh %s %t.many.npz 20000 | FileCheck %s --check-prefix=EDGES
// RUN: sh %S/Inputs/super-partition.sh %s %t.many.npz 17000 | FileCheck %s --check-prefix=STAY
// RUN: sh %S/Inputs/super-partition.sh %s %t.npz 0 | FileCheck %s --check-prefix=FITS

!node = tensor<?x32xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// FITS: remark: [Missed] Refused | Category:gnn-overlay-super-partition | Remark="regions of 12736 bytes fit in 68719476736"
// FITS: partition <vertices = 40, edges = 21, n1 = 16, n2 = 16> {
// FITS-NOT: gnn_overlay.program

// A part a fiber: features are more than edges, and all shards fit beside one. Edges stay where
// they are; the second fiber's features come while the first part runs.
//
// FIBERS: Remark="2 parts in 12736 bytes of memory"
// FIBERS: gnn_overlay.program @sum {{.*}} shard_edges = [6, 11, 4]
// FIBERS-NEXT: gnn_overlay.region @y features [40, 32] output at 6592
// FIBERS-NEXT: gnn_overlay.region @x features [40, 32] input at 0 of "x"
// FIBERS-NEXT: gnn_overlay.region @edges edges [9, 21] input at 6144
// FIBERS-NEXT: gnn_overlay.program @part0
// FIBERS-NEXT:   gnn_overlay.region @y features [40, 16] output at 3520 from [0, 0]
// FIBERS-NEXT:   gnn_overlay.region @x features [40, 16] input at 448 from [0, 0]
// FIBERS-NEXT:   gnn_overlay.region @edges edges [9, 21] input at 0 from [0, 0]
// FIBERS-NEXT:   gnn_overlay.layer_block aggregate layer 1 in 32 out 32
// FIBERS:        gnn_overlay.program @part1
// FIBERS-NEXT:   gnn_overlay.region @y features [40, 16] output at 9664 from [0, 16]
// FIBERS-NEXT:   gnn_overlay.region @x features [40, 16] input at 6592 from [0, 16]
// FIBERS-NEXT:   gnn_overlay.region @edges edges [9, 21] input at 0 from [0, 0]
// FIBERS-NEXT:   gnn_overlay.layer_block
// FIBERS:          gnn_overlay.load edge @edges at 48 by_descriptor
// FIBERS-NEXT:     gnn_overlay.load feature @x at 0 stride 1024
// FIBERS:          gnn_overlay.store feature @y at 1024

// Less memory: each fiber in two ranges of blocks, for which its features stay.
//
// BOTH: gnn_overlay.program @part0
// BOTH-NEXT: gnn_overlay.region @y features [16, 16] output at {{[0-9]+}} from [0, 0]
// BOTH-NEXT: gnn_overlay.region @x features [40, 16] input at [[ONE:[0-9]+]] from [0, 0]
// BOTH-NEXT: gnn_overlay.region @edges edges [3, 6] input at {{[0-9]+}} from [0, 0]
// BOTH: gnn_overlay.program @part1
// BOTH-NEXT: gnn_overlay.region @y features [24, 16] output at {{[0-9]+}} from [16, 0]
// BOTH-NEXT: gnn_overlay.region @x features [40, 16] input at [[ONE]] from [0, 0]
// BOTH-NEXT: gnn_overlay.region @edges edges [6, 15] input at {{[0-9]+}} from [3, 0]
// BOTH:          gnn_overlay.load edge @edges at 0 by_descriptor
// BOTH:          gnn_overlay.store feature @y at 0
// BOTH:          gnn_overlay.load edge @edges at 48 by_descriptor
// BOTH:          gnn_overlay.store feature @y at 1024
// BOTH: gnn_overlay.program @part2
// BOTH-NEXT: gnn_overlay.region @y features [16, 16] output at {{[0-9]+}} from [0, 16]
// BOTH: gnn_overlay.program @part3
// BOTH-NEXT: gnn_overlay.region @y features [24, 16] output at {{[0-9]+}} from [16, 16]
// BOTH-NOT: gnn_overlay.program

// Many edges: ranges of destinations, for which all features stay.
//
// EDGES: shard_edges = [901, 910, 900]
// EDGES: gnn_overlay.program @part0
// EDGES-NEXT: gnn_overlay.region @y features [16, 32] output at {{[0-9]+}} from [0, 0]
// EDGES-NEXT: gnn_overlay.region @x features [40, 32] input at [[ALL:[0-9]+]] from [0, 0]
// EDGES-NEXT: gnn_overlay.region @edges edges [3, 901] input at {{[0-9]+}} from [0, 0]
// EDGES: gnn_overlay.program @part1
// EDGES: gnn_overlay.region @x features [40, 32] input at [[ALL]] from [0, 0]
// EDGES-NEXT: gnn_overlay.region @edges edges [3, 910] input at {{[0-9]+}} from [3, 0]
// EDGES: gnn_overlay.program @part2
// EDGES-NEXT: gnn_overlay.region @y features [8, 32] output at {{[0-9]+}} from [32, 0]
// EDGES-NEXT: gnn_overlay.region @x features [40, 32] input at [[ALL]] from [0, 0]

// Where both are cut, the edges of a range stay for all fibers.
//
// STAY: gnn_overlay.program @part0
// STAY: gnn_overlay.region @x features [40, 16] input at {{[0-9]+}} from [0, 0]
// STAY-NEXT: gnn_overlay.region @edges edges [3, 901] input at [[RANGE:[0-9]+]] from [0, 0]
// STAY: gnn_overlay.program @part1
// STAY: gnn_overlay.region @x features [40, 16] input at {{[0-9]+}} from [0, 16]
// STAY-NEXT: gnn_overlay.region @edges edges [3, 901] input at [[RANGE]] from [0, 0]
// STAY: gnn_overlay.program @part5
// STAY-NOT: gnn_overlay.program
func.func @sum(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "y"}) {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}
