// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Encodings, graphs and paths. Each case is named after the constraint it breaks.

gnn.graph @g square {node_types = 2, edge_types = 3}

// expected-error @+1 {{a tensor of edge rows has a leading dimension that counts them, got no dimension}}
func.func private @rows_c1(tensor<f32, #gnn.rows<@g, edge>>)

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// expected-error @+1 {{the number of edge rows is known only with a bound graph: expected ?, got 4}}
func.func private @rows_c2(tensor<4x8xf32, #gnn.rows<@g, edge>>)

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// expected-error @+1 {{the number of edge_type rows is known at compile time: expected a number, got ?}}
func.func private @rows_c3(tensor<?x8xf32, #gnn.rows<@g, edge_type>>)

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// expected-error @+1 {{a graph is one row: expected 1, got 2}}
func.func private @rows_c4(tensor<2x8xf32, #gnn.rows<@g, graph>>)

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// expected-error @+1 {{features are known at compile time: expected a number, got ?}}
func.func private @rows_c5_dynamic(tensor<?x?xf32, #gnn.rows<@g, edge>>)

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// expected-error @+1 {{expected at least 1 feature in each dimension, got 0}}
func.func private @rows_c5_zero(tensor<?x0xf32, #gnn.rows<@g, edge>>)

// -----

gnn.graph @stats_c1 square {node_types = 1, edge_types = 2,
    // expected-error @+1 {{expected counts of at least 0, got -1}}
    stats = #gnn.stats<src_nodes = -1, dst_nodes = 3, edges = 3, type_edges = [2, 1], src_pairs = [1, 1], dst_pairs = [1, 1]>}

// -----

gnn.graph @stats_c2 square {node_types = 1, edge_types = 2,
    // expected-error @+1 {{expected one entry for each of 2 edge types, got 1 in src_pairs and 2 in dst_pairs}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 3, type_edges = [2, 1], src_pairs = [1], dst_pairs = [1, 1]>}

// -----

gnn.graph @stats_c2_longest square {node_types = 1, edge_types = 2,
    // expected-error @+1 {{expected one entry for each of 2 edge types, got 1 in src_pair_max or dst_pair_max}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 3, type_edges = [2, 1], src_pairs = [1, 1], dst_pairs = [1, 1], dst_pair_max = [2]>}

// -----

gnn.graph @stats_c3 square {node_types = 1, edge_types = 2,
    // expected-error @+1 {{type_edges adds up to edges: expected 4, got 3}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 4, type_edges = [2, 1], src_pairs = [1, 1], dst_pairs = [1, 1]>}

// -----

gnn.graph @stats_c4 square {node_types = 1, edge_types = 2,
    // expected-error @+1 {{edge type 1 has 1 edges: expected no more pairs, got 2}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 3, type_edges = [2, 1], src_pairs = [1, 1], dst_pairs = [1, 2]>}

// -----

gnn.graph @stats_c5_order square {node_types = 1, edge_types = 1,
    // expected-error @+1 {{near_edges: expected 3 counts that ascend from 0 to 3, got [2, 1, 3]}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 3, type_edges = [3], src_pairs = [1], dst_pairs = [1], near_edges = [2, 1, 3]>}

// -----

gnn.graph @stats_c5_count square {node_types = 1, edge_types = 1,
    // expected-error @+1 {{near_edges: expected 3 counts that ascend from 0 to 3, got [3]}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 3, type_edges = [3], src_pairs = [1], dst_pairs = [1], near_edges = [3]>}

// -----

gnn.graph @stats_c5_most square {node_types = 1, edge_types = 1,
    // expected-error @+1 {{near_edges: expected 3 counts that ascend from 0 to 3, got [1, 2, 4]}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 3, type_edges = [3], src_pairs = [1], dst_pairs = [1], near_edges = [1, 2, 4]>}

// -----

gnn.graph @stats_c6_longest square {node_types = 1, edge_types = 1,
    // expected-error @+1 {{src_pair_max of edge type 0: expected at most its 5 edges, got 6}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 5, type_edges = [5], src_pairs = [2], dst_pairs = [3], src_pair_max = [6]>}

// -----

gnn.graph @stats_c6_longest_dst square {node_types = 1, edge_types = 1,
    // expected-error @+1 {{dst_pair_max of edge type 0: expected at most its 5 edges, got 6}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 5, type_edges = [5], src_pairs = [2], dst_pairs = [3], dst_pair_max = [6]>}

// -----

gnn.graph @stats_c7_more square {node_types = 1, edge_types = 1,
    // expected-error @+1 {{in_degree_max: expected from 2 to 5, the mean and all edges, got 6}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 5, type_edges = [5], src_pairs = [2], dst_pairs = [3], in_degree_max = 6>}

// -----

gnn.graph @stats_c7_less square {node_types = 1, edge_types = 1,
    // expected-error @+1 {{out_degree_max: expected from 2 to 5, the mean and all edges, got 1}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 5, type_edges = [5], src_pairs = [2], dst_pairs = [3], out_degree_max = 1>}

// -----

gnn.graph @stats_c7_squares square {node_types = 1, edge_types = 1,
    // expected-error @+1 {{in_degree_squares: expected from 9 to 15 by the edges and the largest degree, got 8}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 5, type_edges = [5], src_pairs = [2], dst_pairs = [3], in_degree_squares = 8, in_degree_max = 3>}

// -----

gnn.graph @stats_c7_no_max square {node_types = 1, edge_types = 1,
    // expected-error @+1 {{out_degree_squares: expected from 5 to 25 by the edges and the largest degree, got 26}}
    stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 5, type_edges = [5], src_pairs = [2], dst_pairs = [3], out_degree_squares = 26>}

// -----

// expected-error @+1 {{'gnn.graph' op expected 0 to 65535 node types, got 65536}}
gnn.graph @graph_c1 square {node_types = 65536, edge_types = 1}

// -----

// expected-error @+1 {{'gnn.graph' op schema has a pair of node types for each edge type: expected 2, got 1}}
gnn.graph @graph_c2 square {node_types = 1, edge_types = 2, schema = [[0, 0]]}

// -----

// expected-error @+1 {{'gnn.graph' op schema has pairs of node types: expected an even number of entries, got 3}}
"gnn.graph"() <{edge_types = 1 : i64, kind = #gnn<graph_kind square>, node_types = 1 : i64, schema = array<i64: 0, 0, 0>, sym_name = "graph_c2"}> : () -> ()

// -----

// expected-error @+1 {{'gnn.graph' op schema of edge type 1: expected a node type below 2 or -1, got 2}}
gnn.graph @graph_c3 square {node_types = 2, edge_types = 2, schema = [[0, 0], [1, 2]]}

// -----

// expected-error @+1 {{'gnn.graph' op stats count the edges of each edge type: expected 1, got 2}}
gnn.graph @graph_c4 square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges = 3, type_edges = [2, 1], src_pairs = [1, 1], dst_pairs = [1, 1]>}

// -----

// expected-error @+1 {{'gnn.graph' op stats of a square graph: expected as many dst_nodes as src_nodes, 3, got 4}}
gnn.graph @graph_c5 square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 3, dst_nodes = 4, edges = 2, type_edges = [2], src_pairs = [1], dst_pairs = [1]>}

// -----

// @graph_c6: a parent without its list has no spelling but the generic one.
//
// expected-error @+1 {{'gnn.graph' op expected a parent and a list of its edge types, loops or shards, or neither}}
"gnn.graph"() <{sym_name = "graph_c6", kind = #gnn<graph_kind square>, parent_graph = @g, node_types = 1 : i64, edge_types = 1 : i64}> : () -> ()

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
// expected-error @+1 {{'gnn.graph' op expected one of the parent's edge types for each of 1 edge types, got 2}}
gnn.graph @graph_c7 square of @g types [0, 2] {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
// expected-error @+1 {{'gnn.graph' op expected edge types that ascend, got 2 before 2}}
gnn.graph @graph_c7_twice square of @g types [2, 2] {node_types = 1, edge_types = 2}

// -----

// expected-error @+1 {{'gnn.graph' op is derived from @g, which no gnn.graph of the module declares}}
gnn.graph @graph_c8 square of @g types [0] {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @s square of @g types [0, 1] {node_types = 1, edge_types = 2}
// expected-error @+1 {{'gnn.graph' op is derived from @s: expected a graph that is not derived, such as @g}}
gnn.graph @graph_c8_chain square of @s types [0] {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
// expected-error @+1 {{'gnn.graph' op expected edge types of @g from 0 to under 3, got 3}}
gnn.graph @graph_c9 square of @g types [3] {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
// expected-error @+1 {{'gnn.graph' op expected a square graph as @g is, got a bipartite one}}
gnn.graph @graph_c10 bipartite of @g types [0] {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
// expected-error @+1 {{'gnn.graph' op expected the 2 node types of @g, got 1}}
gnn.graph @graph_c10_types square of @g types [0] {node_types = 1, edge_types = 1}

// -----

gnn.graph @g square {node_types = 2, edge_types = 2, schema = [[0, 0], [0, 1]]}
// expected-error @+1 {{'gnn.graph' op schema of edge type 0: expected the dst node type 1 of @g's edge type 1, got 0}}
gnn.graph @graph_c11 square of @g types [1] {node_types = 2, edge_types = 1, schema = [[0, 0]]}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2, stats = #gnn.stats<src_nodes = 9, dst_nodes = 9, edges = 8, type_edges = [5, 3], src_pairs = [4, 3], dst_pairs = [2, 2]>}
// expected-error-re @+1 {{'gnn.graph' op expected the nodes, and the edges and pairs of each type, as the stats of @g count them: {{.*}}type_edges = [3]{{.*}}, got {{.*}}type_edges = [4]}}
gnn.graph @graph_c12 square of @g types [1] {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 9, dst_nodes = 9, edges = 4, type_edges = [4], src_pairs = [3], dst_pairs = [2]>}

// -----

// expected-error @+1 {{'gnn.graph' op self_loops: expected a square graph, got a bipartite one}}
gnn.graph @graph_c13 bipartite {node_types = 1, edge_types = 1, self_loops}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2, self_loops}
// expected-error @+1 {{'gnn.graph' op self_loops: expected a square graph, got a derived one}}
gnn.graph @graph_c13_part square of @g types [0] {node_types = 1, edge_types = 1, self_loops}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2, dst_sorted}
// expected-error @+1 {{'gnn.graph' op dst_sorted: expected a graph that is not derived}}
gnn.graph @graph_c16 square of @g types [0] {node_types = 1, edge_types = 1, dst_sorted}

// -----

// expected-error @+1 {{expected 'edge_types' of the graph}}
gnn.graph @graph_without_edge_types square {node_types = 1}

// -----

// expected-error @+1 {{expected node_types, edge_types, schema, self_loops, dst_sorted or stats, got edges}}
gnn.graph @graph_with_unknown_key square {node_types = 1, edges = 1}

// -----

// expected-error @+1 {{'node_types' is given twice}}
gnn.graph @graph_with_key_twice square {node_types = 1, node_types = 1}

// -----

func.func @dialect_g2(%x: tensor<?x8xf32, #gnn.rows<@unknown, node>>) {
  // expected-error @+1 {{'gnn.gather' op names the graph @unknown, which no gnn.graph of the module declares}}
  gnn.gather %x via src : tensor<?x8xf32, #gnn.rows<@unknown, node>> -> tensor<?x8xf32, #gnn.rows<@unknown, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @dialect_g3_square(%x: tensor<?x8xf32, #gnn.rows<@g, src>>) {
  // expected-error @+1 {{'gnn.gather' op has src rows of a square graph: expected node rows}}
  gnn.gather %x : tensor<?x8xf32, #gnn.rows<@g, src>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}

func.func @dialect_g3_bipartite(%x: tensor<?x8xf32, #gnn.rows<@b, node>>) {
  // expected-error @+1 {{'gnn.gather' op has node rows of a bipartite graph: expected src or dst rows}}
  gnn.gather %x via src : tensor<?x8xf32, #gnn.rows<@b, node>> -> tensor<?x8xf32, #gnn.rows<@b, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @dialect_g4_edge_types(%x: tensor<2x8xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.gather' op has one row for each edge type of @g: expected 3, got 2}}
  gnn.gather %x : tensor<2x8xf32, #gnn.rows<@g, edge_type>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @dialect_g4_node_types(%x: tensor<3x8xf32, #gnn.rows<@g, node_type>>) {
  // expected-error @+1 {{'gnn.gather' op has one row for each node type of @g: expected 2, got 3}}
  gnn.gather %x via src : tensor<3x8xf32, #gnn.rows<@g, node_type>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @dialect_g5(%x: tensor<2x8xf32, #gnn.rows<@g, node_type>>) {
  // expected-error @+1 {{'gnn.gather' op follows edge types to src node types: expected a schema of @g that gives one for every edge type}}
  gnn.gather %x via src : tensor<2x8xf32, #gnn.rows<@g, node_type>> -> tensor<3x8xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @t square {node_types = 2, edge_types = 2, schema = [[0, 1], [-1, 0]]}

func.func @dialect_g5_several(%x: tensor<2x8xf32, #gnn.rows<@t, node_type>>) {
  // expected-error @+1 {{'gnn.gather' op follows edge types to src node types: expected a schema of @t that gives one for every edge type}}
  gnn.gather %x via src : tensor<2x8xf32, #gnn.rows<@t, node_type>> -> tensor<2x8xf32, #gnn.rows<@t, edge_type>>
  return
}

// -----

// expected-error @+1 {{'func.func' op expected a string that is not empty for gnn.name, got 1 : i32}}
func.func private @dialect_g6(tensor<4xf32> {gnn.name = 1 : i32})

// -----

// expected-error @+1 {{'func.func' op expected a string that is not empty for gnn.name, got ""}}
func.func private @dialect_g6_result() -> (tensor<4xf32> {gnn.name = ""})

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}
gnn.graph @c bipartite {node_types = 1, edge_types = 1}

func.func @rebind_rows_c1(%x: tensor<?x8xf32, #gnn.rows<@b, edge>>) {
  // expected-error @+1 {{'gnn.rebind_rows' op expected src, dst or node rows, got edge rows}}
  gnn.rebind_rows %x : tensor<?x8xf32, #gnn.rows<@b, edge>> -> tensor<?x8xf32, #gnn.rows<@c, src>>
  return
}

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}

func.func @rebind_rows_c2(%x: tensor<?x8xf32, #gnn.rows<@b, dst>>) {
  // expected-error @+1 {{'gnn.rebind_rows' op expected rows of two graphs, got rows of @b only}}
  gnn.rebind_rows %x : tensor<?x8xf32, #gnn.rows<@b, dst>> -> tensor<?x8xf32, #gnn.rows<@b, src>>
  return
}

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}
gnn.graph @c bipartite {node_types = 1, edge_types = 1}

func.func @rebind_rows_c3(%x: tensor<?x8xf32, #gnn.rows<@b, dst>>) {
  // expected-error @+1 {{'gnn.rebind_rows' op expected features [8] of result, got [4]}}
  gnn.rebind_rows %x : tensor<?x8xf32, #gnn.rows<@b, dst>> -> tensor<?x4xf32, #gnn.rows<@c, src>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @s square of @g types [1] {node_types = 1, edge_types = 1}

func.func @restrict_rows_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.restrict_rows' op expected edge, edge_type, src_pair or dst_pair rows, got node rows}}
  gnn.restrict_rows %x : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@s, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @s square of @g types [1] {node_types = 1, edge_types = 1}

func.func @restrict_rows_c1_other(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.restrict_rows' op expected edge rows of result, got dst_pair rows}}
  gnn.restrict_rows %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@s, dst_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @s square of @g types [1] {node_types = 1, edge_types = 1}

func.func @restrict_rows_c2(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.restrict_rows' op expected features [8] of result, got [4]}}
  gnn.restrict_rows %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x4xf32, #gnn.rows<@s, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @h square {node_types = 1, edge_types = 2}
gnn.graph @s square of @h types [1] {node_types = 1, edge_types = 1}

func.func @restrict_rows_c3(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.restrict_rows' op expected rows of a graph derived from @g, got rows of @s}}
  gnn.restrict_rows %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@s, edge>>
  return
}

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}

func.func @prefix_rows_c1(%x: tensor<?x8xf32, #gnn.rows<@b, dst>>) {
  // expected-error @+1 {{'gnn.prefix_rows' op expected src rows to dst rows, got dst rows to src rows}}
  gnn.prefix_rows %x : tensor<?x8xf32, #gnn.rows<@b, dst>> -> tensor<?x8xf32, #gnn.rows<@b, src>>
  return
}

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}

func.func @prefix_rows_c2(%x: tensor<?x8xf32, #gnn.rows<@b, src>>) {
  // expected-error @+1 {{'gnn.prefix_rows' op expected features [8] of result, got [4]}}
  gnn.prefix_rows %x : tensor<?x8xf32, #gnn.rows<@b, src>> -> tensor<?x4xf32, #gnn.rows<@b, dst>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @gather_c1(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.gather' op no path to input: a node row does not lead to one edge row}}
  gnn.gather %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}

func.func @gather_c1_other_end(%x: tensor<?x8xf32, #gnn.rows<@b, dst>>) {
  // expected-error @+1 {{'gnn.gather' op no path to input: a src_pair row does not lead to one dst row}}
  gnn.gather %x : tensor<?x8xf32, #gnn.rows<@b, dst>> -> tensor<?x8xf32, #gnn.rows<@b, src_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @gather_c2_missing(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.gather' op two paths to input from edge rows to node rows: expected 'via src' or 'via dst', got none}}
  gnn.gather %x : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @gather_c2_superfluous(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.gather' op one path to input from src_pair rows to node rows: expected no via, got 'via src'}}
  gnn.gather %x via src : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, src_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @gather_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.gather' op expected features [8] of result, got [4]}}
  gnn.gather %x via src : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @gather_needs_rows(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'gnn.gather' op operand #0 must be rows of a graph with f32, bf16, f16 or i32 features, but got 'tensor<4x8xf32>'}}
  gnn.gather %x : tensor<4x8xf32> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @gather_of_f64(%x: tensor<?x8xf64, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.gather' op operand #0 must be rows of a graph with f32, bf16, f16 or i32 features, but got 'tensor<?x8xf64, #gnn.rows<@g, node>>'}}
  gnn.gather %x via src : tensor<?x8xf64, #gnn.rows<@g, node>> -> tensor<?x8xf64, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @aggregate_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.aggregate' op no path to result: a node row does not lead to one edge row}}
  gnn.aggregate sum %x : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @aggregate_c2(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.aggregate' op two paths to result from edge rows to node rows: expected 'via src' or 'via dst', got none}}
  gnn.aggregate sum %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @aggregate_c3(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.aggregate' op expected features [8] of result, got [4]}}
  gnn.aggregate sum %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x4xf32, #gnn.rows<@g, dst_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @aggregate_c3_type(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.aggregate' op expected 'f32' features of result, got 'bf16'}}
  gnn.aggregate sum %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xbf16, #gnn.rows<@g, dst_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @aggregate_c4(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.aggregate' op expected max or min for an argument, got sum}}
  gnn.aggregate sum %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, tensor<?x8xi32, #gnn.rows<@g, dst_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @aggregate_c5(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.aggregate' op expected dst_pair rows of argument, got src_pair rows}}
  gnn.aggregate max %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, tensor<?x8xi32, #gnn.rows<@g, src_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @aggregate_c5_features(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.aggregate' op expected features [8] of argument, got [4]}}
  gnn.aggregate max %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, tensor<?x4xi32, #gnn.rows<@g, dst_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @degree_c1() {
  // expected-error @+1 {{'gnn.degree' op no path to result: a node row does not lead to one edge row}}
  gnn.degree node : tensor<?xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @degree_c2() {
  // expected-error @+1 {{'gnn.degree' op two paths to result from edge rows to node rows: expected 'via src' or 'via dst', got none}}
  gnn.degree edge : tensor<?xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @degree_c3() {
  // expected-error @+1 {{'gnn.degree' op expected one number a row, got features [8]}}
  gnn.degree edge via dst : tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}
