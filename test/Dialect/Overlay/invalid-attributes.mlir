// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{expected a function, got none}}
func.func private @act_c1() attributes {f = #gnn_overlay.act<none>}

// -----

// expected-error @+1 {{expected a parameter of prelu}}
func.func private @act_c2() attributes {f = #gnn_overlay.act<prelu>}

// -----

// expected-error @+1 {{expected no parameter of relu}}
func.func private @act_c2_too_many() attributes {f = #gnn_overlay.act<relu, 1.0>}

// -----

// expected-error @+1 {{expected a finite f32 number as the parameter of prelu, got 0x7F800000 : f32}}
func.func private @act_c2_infinite() attributes {f = #gnn_overlay.act<prelu, 0x7F800000>}

// -----

// expected-error @+1 {{expected a whole number from 0 to 65535 as the column of a divisor, got 1.500000e+00 : f32}}
func.func private @act_c3() attributes {f = #gnn_overlay.act<divide, 1.5>}

// -----

// expected-error @+1 {{expected a whole number from 0 to 65535 as the column of a divisor, got -1.000000e+00 : f32}}
func.func private @act_c3_negative() attributes {f = #gnn_overlay.act<divide, -1.0>}

// -----

// expected-error @+1 {{expected one of none, relu, prelu, swish, exp, sigmoid, divide, affine, got 'tanh'}}
func.func private @unknown_function() attributes {f = #gnn_overlay.act<tanh>}

// -----

// expected-error @+1 {{expected one of four buffers or more, got the bits 0}}
func.func private @buffers_c1() attributes {b = #gnn_overlay.buffers []}

// -----

// expected-error @+1 {{expected each buffer once}}
func.func private @buffers_c1_twice() attributes {b = #gnn_overlay.buffers [edge, edge]}

// -----

// expected-error @+1 {{expected one of weight, edge, feature, output, got 'bias'}}
func.func private @unknown_buffer() attributes {b = #gnn_overlay.buffers [bias]}

// -----

// expected-error @+1 {{expected psys to be 2, 4, 8 or 16, got 12}}
func.func private @target_c1() attributes {t = #gnn_overlay.target<psys = 12>}

// -----

// expected-error @+1 {{expected psys to be 2, 4, 8 or 16, got 32}}
func.func private @target_c1_too_many() attributes {t = #gnn_overlay.target<psys = 32>}

// -----

// expected-error @+1 {{expected feature_columns to be 16, got 8}}
func.func private @target_c2() attributes {t = #gnn_overlay.target<psys = 8, feature_columns = 8>}

// -----

// expected-error @+1 {{expected feature_rows to be a multiple of psys up to 16384, got 40}}
func.func private @target_c3() attributes {t = #gnn_overlay.target<feature_rows = 40>}

// -----

// expected-error @+1 {{expected feature_rows to be a multiple of psys up to 16384, got 32768}}
func.func private @target_c3_too_many() attributes {t = #gnn_overlay.target<feature_rows = 32768>}

// -----

// expected-error @+1 {{expected edges to be at most 65536, got 65537}}
func.func private @target_c3_edges() attributes {t = #gnn_overlay.target<edges = 65537>}

// -----

// expected-error @+1 {{expected weights of edges to fit a feature buffer of 512 words, got 65536}}
func.func private @target_c3_weights() attributes {t = #gnn_overlay.target<feature_rows = 32>}

// -----

// expected-error @+1 {{expected at most 4096 pes, 131072 weight_rows and 2^44 memory_bytes, got 4097, 8192 and 68719476736}}
func.func private @target_c4_many() attributes {t = #gnn_overlay.target<pes = 4097>}

// -----

// expected-error @+1 {{expected pes to be positive}}
func.func private @target_c4() attributes {t = #gnn_overlay.target<pes = 0>}

// -----

// expected-error @+1 {{expected one of pes, psys, weight_rows, edges, feature_rows, feature_columns, memory_bytes, got 'cores'}}
func.func private @unknown_parameter() attributes {t = #gnn_overlay.target<cores = 8>}

// -----

// expected-error @+1 {{expected 'pes' once}}
func.func private @parameter_twice() attributes {t = #gnn_overlay.target<pes = 8, pes = 8>}

// -----

// expected-error @+1 {{expected positive n1 and n2, and no negative number}}
func.func private @partition_c1() attributes {p = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 0, n2 = 16>}

// -----

// expected-error @+1 {{expected positive n1 and n2, and no negative number}}
func.func private @partition_c1_negative() attributes {p = #gnn_overlay.partition<vertices = -1, edges = 7, n1 = 16, n2 = 16>}

// -----

// expected-error @+1 {{expected fewer than 2147483648 vertices and edges, got 2147483648 and 7}}
func.func private @partition_c1_many() attributes {p = #gnn_overlay.partition<vertices = 2147483648, edges = 7, n1 = 16, n2 = 16>}

// -----

// expected-error @+1 {{expected both entries and sources or neither}}
func.func private @partition_c2() attributes {p = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 16, n2 = 16, entries = [1, 1]>}

// -----

// expected-error @+1 {{expected the entries of 2 shards, got 1}}
func.func private @partition_c2_shards() attributes {p = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 16, n2 = 16, entries = [1], sources = [0]>}

// -----

// expected-error @+1 {{expected as many sources as entries}}
func.func private @partition_c2_too_few() attributes {p = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 16, n2 = 16, entries = [1, 1], sources = [0]>}

// -----

// expected-error @+1 {{expected as many sources as entries}}
func.func private @partition_c2_too_many() attributes {p = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 16, n2 = 16, entries = [1, 1], sources = [0, 0, 1]>}

// -----

// expected-error @+1 {{expected as many sources as entries}}
func.func private @partition_c2_negative() attributes {p = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 16, n2 = 16, entries = [-1, 2], sources = [0]>}

// -----

// expected-error @+1 {{expected sources of a shard that ascend from 0 to 1}}
func.func private @partition_c3() attributes {p = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 16, n2 = 16, entries = [2, 0], sources = [1, 0]>}

// -----

// expected-error @+1 {{expected sources of a shard that ascend from 0 to 1}}
func.func private @partition_c3_no_block() attributes {p = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 16, n2 = 16, entries = [1, 1], sources = [0, 2]>}

// -----

// expected-error @+1 {{expected the edges of 2 shards, got 1}}
func.func private @partition_c4() attributes {p = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 16, n2 = 16, shard_edges = [7]>}

// -----

// expected-error @+1 {{expected numbers of edges of shards of at most 7 together, got array<i64: 4, 5>}}
func.func private @partition_c4_too_many() attributes {p = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 16, n2 = 16, shard_edges = [4, 5]>}

// -----

// expected-error @+1 {{expected a whole number from 0 to 65535 as the column of a divisor, got 1.000000e+30 : f32}}
func.func private @act_c3_far() attributes {f = #gnn_overlay.act<divide, 1.0e30>}

// -----

// expected-error @+1 {{expected a whole number from 0 to 65535 as the column of a divisor, got -0.000000e+00 : f32}}
func.func private @act_c3_sign() attributes {f = #gnn_overlay.act<divide, -0.0>}
