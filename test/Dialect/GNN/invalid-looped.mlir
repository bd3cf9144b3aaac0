// RUN: gnn-opt %s --verify-diagnostics --split-input-file

gnn.graph @g bipartite {node_types = 1, edge_types = 1}
// expected-error @+1 {{'gnn.graph' op loops: expected a square graph, got a bipartite one}}
gnn.graph @graph_c14 bipartite of @g loops remove {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{'gnn.graph' op expected the edge type of new loops}}
gnn.graph @graph_c14_none square of @g loops add {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{'gnn.graph' op expected no edge type of loops: there are no new ones}}
gnn.graph @graph_c14_remove square of @g loops remove type 0 {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{'gnn.graph' op expected a type of new loops from 0 to 1, got 2}}
gnn.graph @graph_c14_type square of @g loops add type 2 {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
// expected-error @+1 {{'gnn.graph' op expected 3 edge types, those of @g and that of new loops, got 2}}
gnn.graph @graph_c14_count square of @g loops add type 2 {node_types = 1, edge_types = 2}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{expected remove, add, replace or remaining, got most}}
gnn.graph @kind square of @g loops most {node_types = 1, edge_types = 1}

// -----

// With loops each node has a pair of their type, which it may have had before.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 4, dst_nodes = 4, edges = 6, type_edges = [6], src_pairs = [3], dst_pairs = [4]>}
// expected-error @+1 {{count them: #gnn.stats<src_nodes = 4, dst_nodes = 4, edges = 10, type_edges = [10], src_pairs = [4], dst_pairs = [4]>, got}}
gnn.graph @graph_c12_loops square of @g loops add type 0 {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 5, dst_nodes = 5, edges = 10, type_edges = [10], src_pairs = [4], dst_pairs = [4]>}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{expected 'types', 'loops' or 'shards' of the parent}}
gnn.graph @derivation square of @g {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @s square of @g loops add type 0 {node_types = 1, edge_types = 1}

func.func @restrict_rows_c4(%x: tensor<?xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.restrict_rows' op expected rows of a graph without new self loops, got rows of @s: gnn.extend_edges gives those of its edges}}
  %0 = gnn.restrict_rows %x : tensor<?xf32, #gnn.rows<@g, edge>> -> tensor<?xf32, #gnn.rows<@s, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @s square of @g loops add type 0 {node_types = 1, edge_types = 1}

func.func @expand_rows_c5(%x: tensor<?xf32, #gnn.rows<@s, src_pair>>) {
  // expected-error @+1 {{'gnn.expand_rows' op expected edge rows of @s, which has new self loops, got src_pair rows}}
  %0 = gnn.expand_rows %x : tensor<?xf32, #gnn.rows<@s, src_pair>> -> tensor<?xf32, #gnn.rows<@g, src_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @s square of @g loops add type 0 {node_types = 1, edge_types = 1}

func.func @extend_edges_c1(%e: tensor<?xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.extend_edges' op expected node rows of nodes, got edge rows}}
  %0 = gnn.extend_edges %e, %e : tensor<?xf32, #gnn.rows<@g, edge>>, tensor<?xf32, #gnn.rows<@g, edge>> -> tensor<?xf32, #gnn.rows<@s, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @s square of @g loops add type 0 {node_types = 1, edge_types = 1}

func.func @extend_edges_c2(%e: tensor<?x2xf32, #gnn.rows<@g, edge>>, %n: tensor<?x3xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.extend_edges' op expected features [2] of nodes, got [3]}}
  %0 = gnn.extend_edges %e, %n : tensor<?x2xf32, #gnn.rows<@g, edge>>, tensor<?x3xf32, #gnn.rows<@g, node>> -> tensor<?x2xf32, #gnn.rows<@s, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @s square of @g loops remove {node_types = 1, edge_types = 1}

func.func @extend_edges_c3(%e: tensor<?xf32, #gnn.rows<@g, edge>>, %n: tensor<?xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.extend_edges' op expected edge rows of a graph with new self loops, got rows of @s}}
  %0 = gnn.extend_edges %e, %n : tensor<?xf32, #gnn.rows<@g, edge>>, tensor<?xf32, #gnn.rows<@g, node>> -> tensor<?xf32, #gnn.rows<@s, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @s square of @g loops add type 0 {node_types = 1, edge_types = 1}

func.func @loop_rows_c1(%e: tensor<?xf32, #gnn.rows<@s, node>>) {
  // expected-error @+1 {{'gnn.loop_rows' op expected edge rows of input, got node rows}}
  %0 = gnn.loop_rows %e : tensor<?xf32, #gnn.rows<@s, node>> -> tensor<?xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @s square of @g loops add type 0 {node_types = 1, edge_types = 1}

func.func @loop_rows_c2(%e: tensor<?x2xf32, #gnn.rows<@s, edge>>) {
  // expected-error @+1 {{'gnn.loop_rows' op expected features [2] of result, got [3]}}
  %0 = gnn.loop_rows %e : tensor<?x2xf32, #gnn.rows<@s, edge>> -> tensor<?x3xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @s square of @g loops add type 0 {node_types = 1, edge_types = 1}

func.func @loop_rows_c3(%e: tensor<?xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.loop_rows' op expected rows of a graph derived from @s, got rows of @g}}
  %0 = gnn.loop_rows %e : tensor<?xf32, #gnn.rows<@g, edge>> -> tensor<?xf32, #gnn.rows<@s, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{'gnn.graph' op expected 2 shards or more, got 1}}
gnn.graph @graph_c15_one square of @g shards 1 of src {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{'gnn.graph' op expected an edge type for each of 4 shards, got 1}}
gnn.graph @graph_c15_types square of @g types [0] shards 4 of dst {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{'gnn.graph' op expected no schema: its edge types are shards}}
gnn.graph @graph_c15_schema square of @g shards 2 of src {node_types = 1, edge_types = 2, schema = [[0, 0], [0, 0]]}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{'gnn.graph' op expected the number of shards and the end whose nodes they are, or neither}}
"gnn.graph"() <{sym_name = "graph_c15_end", kind = #gnn<graph_kind square>, parent_graph = @g, shards = 2 : i64, node_types = 1 : i64, edge_types = 2 : i64}> : () -> ()

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{expected src or dst, got edge}}
gnn.graph @end square of @g shards 2 of edge {node_types = 1, edge_types = 2}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @s square of @g shards 2 of src {node_types = 1, edge_types = 2}

func.func @types_of_parent() -> index {
  // expected-error @+1 {{expected rows of a graph whose edge types are not shards, as those of @s are, got 'parent_edge_type'}}
  %0 = gnn_tile.count @s count parent_edge_type : index
  return %0 : index
}
