# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of `pyg_cases`: a line for each class with its options, and below it one for each
call, with the names of `pyg_cases.arguments`; without --all, tests run those with "+". The reason
why a case is not whole is behind "--" of its own line, or of its class's."""

CALLS = """
SimpleConv()
  x, ei
  (x, z), bi
SimpleConv("mean", combine_root="cat")
  x, ei, w
SimpleConv("max", combine_root="self_loop")
  x, ei
GCNConv(D, OUT)
  x, ei
  x, ei, w
GCNConv(D, OUT, normalize=False, flow="target_to_source")
  x, ei, w
GCNConv(D, OUT, improved=True, bias=False)
  x, ei, w
GCNConv(D, OUT, add_self_loops=False)
  many.transpose(0, 1), ei
ChebConv(D, OUT, 3)
  x, ei
  x, ei, w
  x, ei, w, lambda_max=two
  x, gi, gw, batch
+ x, gi, gw, batch, twos
ChebConv(D, OUT, 3, normalization="rw")
  x, ei, w
ChebConv(D, OUT, 3, normalization=None)
  x, ei, w, lambda_max=two
SAGEConv(D, OUT)
  x, ei
SAGEConv((D, OUT), OUT, project=True, aggr="max")
+ (x, y), bi
  (x, None), bi, size=(n, m)
SAGEConv((D, OUT), OUT, aggr="min", normalize=True, root_weight=False)
  (x, y), bi
SAGEConv(D, OUT, aggr=["mean", "max", "std"])
  x, ei
SAGEConv(D, OUT, aggr="softmax")
  x, ei
SAGEConv(D, OUT, aggr="powermean")
  x.abs(), ei
SAGEConv(D, OUT, aggr="median")  -- torch sorts the rows of each node
  x, ei
SAGEConv(D, OUT, aggr="lstm")  -- a dense batch of graphs: its size is asked of values
  x, ei[:, ei[1].argsort()]
SAGEConv(D, OUT, aggr=aggr.MultiAggregation(["add", "max", "var"], mode="sum"))
  x, ei
GraphConv(D, OUT)
  x, ei
  x, ei, w
GraphConv((D, OUT), OUT, aggr="max")
  (x, y), bi, w
  (x, None), bi, size=(n, m)
GatedGraphConv(D, 3)
  x, ei
  x, ei, w
ResGatedGraphConv((D, OUT), OUT, edge_dim=3)
  (x, y), bi, e
ResGatedGraphConv(D, OUT)
  x, ei
GATConv(D, OUT, heads=2)
  x, ei
  x, ei, return_attention_weights=True
GATConv((D, OUT), OUT, heads=2, add_self_loops=False)
  (x, y), bi
+ (x, None), bi, size=(n, m)
GATConv(D, OUT, heads=2, concat=False, edge_dim=3, fill_value="max")
  x, ei, e
GATConv(D, OUT, heads=2, residual=True, edge_dim=1)
  x, ei, w
GATv2Conv(D, OUT, heads=2)
  x, ei
  x, ei, return_attention_weights=True
GATv2Conv((D, OUT), OUT, heads=2, add_self_loops=False)
  (x, y), bi
GATv2Conv(D, OUT, heads=2, share_weights=True, edge_dim=3, residual=True)
  x, ei, e
TransformerConv(D, OUT, heads=2, edge_dim=3)
  x, ei, e
TransformerConv((D, OUT), OUT, heads=2, beta=True)
+ (x, y), bi
TransformerConv(D, OUT, heads=2, concat=False, root_weight=False)
  x, ei, return_attention_weights=True
AGNNConv(requires_grad=True)
  x, ei
AGNNConv(requires_grad=False, add_self_loops=False)
  x, ei
TAGConv(D, OUT)
  x, ei
  x, ei, w
GINConv(mlp(D, D, OUT), train_eps=True)
  x, ei
  (x, x0[:m]), bi
  (x, None), bi, size=(n, m)
GINEConv(mlp(D, D, OUT), edge_dim=3)
  x, ei, e
  (x, x0[:m]), bi, e
ARMAConv(D, OUT, num_stacks=3, num_layers=2)
  x, ei
ARMAConv(D, OUT, num_stacks=2, num_layers=2, shared_weights=True, dropout=0.25)
  x, ei, w
SGConv(D, OUT, K=3)
  x, ei
  x, ei, w
SSGConv(D, OUT, alpha=0.1, K=3)
  x, ei, w
APPNP(3, 0.1)
  x, ei
  x, ei, w
APPNP(3, 0.1, dropout=0.5, add_self_loops=False)
  x, ei
MFConv((D, OUT), OUT)
  (x, y), bi
  (x, None), bi, size=(n, m)
RGCNConv((D, OUT), OUT, FEW)
  (x, y), bi, t
RGCNConv((20, 10), OUT, FEW)
+ (names, torch.arange(m) % 10), bi, t
RGCNConv(D, OUT, FEW, num_blocks=4, aggr="max")  -- torch selects the edges of each relation, and multiplies by blocks of one
  x, ei, t
FastRGCNConv(D, OUT, FEW, aggr="sum")
  x, ei, t
FastRGCNConv((D, OUT), OUT, FEW, aggr="sum")
  (x, y), bi, t
FastRGCNConv((D, OUT), OUT, FEW, num_bases=2)
+ (x, y), bi, t
FastRGCNConv((D, OUT), OUT, FEW, num_blocks=2)
  (x, y), bi, t
FastRGCNConv((20, 10), OUT, FEW, aggr="sum")
  (None, torch.arange(10)), few % 10, t
FastRGCNConv(20, OUT, FEW, num_bases=2)  -- torch adds up the bases of each id before the program
  None, few, t
RGATConv(D, OUT, FEW, num_blocks=4, heads=2, edge_dim=3)
  x, ei, t, e
RGATConv(D, OUT, FEW, mod="additive", attention_mechanism="within-relation", concat=False)
  x, ei, t
RGATConv(D, OUT, FEW, mod="f-scaled", heads=2)
  x, ei, t
SignedConv(D, OUT, first_aggr=True)
  x, ei, ei2
  (x, x0[:m]), bi, bi.flip(1)
SignedConv(OUT, OUT, first_aggr=False)
  x, ei, ei2
DNAConv(D, heads=4, groups=8)
  many, ei
  many, ei, w
DNAConv(D, heads=1, groups=1, dropout=0.5)
  many, ei
PointNetConv(mlp(D + 3, D, OUT), mlp(OUT, OUT))
  x, pos, ei
PointNetConv(mlp(D + 3, D, OUT), add_self_loops=False)
  x, (pos, pos2), bi
  (x, None), (pos, pos2), bi
GMMConv(D, OUT, dim=2, kernel_size=5)
  x, ei, e2
GMMConv((D, OUT), OUT, dim=2, kernel_size=5, separate_gaussians=True)
  (x, y), bi, e2
NNConv((D, OUT), OUT, mlp(3, D, D * OUT))
  (x, y), bi, e
NNConv(D, OUT, mlp(3, D * OUT), aggr="max", root_weight=False)
  x, ei, e
CGConv(D, batch_norm=True)
  x, ei
CGConv((D, OUT), dim=3)
  (x, y), bi, e
EdgeConv(mlp(2 * D, D, OUT))
  x, ei
  (x, x0[:m]), bi
PPFConv(mlp(D + 4, OUT, OUT), mlp(OUT, OUT))
  x, pos, normal, ei
PPFConv(mlp(D + 4, OUT, OUT), add_self_loops=False)
  x, (pos, pos2), (normal, normal2), bi
  (x, None), (pos, pos2), (normal, normal2), bi
PPFConv(mlp(4, OUT, OUT))
  None, pos, normal, ei
FeaStConv(D, OUT, heads=2)
  x, ei
  (x, x0[:m]), bi
PointTransformerConv(D, OUT)
  x, pos, ei
PointTransformerConv((D, OUT), OUT, mlp(3, D, OUT), mlp(OUT, D, OUT), add_self_loops=False)
  (x, y), (pos, pos2), bi
HypergraphConv(D, OUT)
  x, h
  x, h, hw
  x, h, num_edges=m
  x, h, hw, num_edges=m
HypergraphConv(D, OUT, use_attention=True, heads=2)
  x, h, hw, hx
HypergraphConv(D, OUT, use_attention=True, attention_mode="edge", heads=2, concat=False)
  x, h, hyperedge_attr=hx
LEConv(D, OUT)
  x, ei
  x, ei, w
LEConv((D, D), OUT)
  (x, x0[:m]), bi, w
PNAConv(D, OUT, ["sum", "mean", "min", "max", "var", "std"], ["identity", "amplification", "attenuation", "linear", "inverse_linear"], deg=torch.arange(9), edge_dim=3, towers=4)
  x, ei, e
PNAConv(D, OUT, ["mean", "max"], ["identity", "amplification"], deg=torch.arange(9), towers=4, divide_input=True)
  x, ei
PNAConv(D, OUT, ["mean", "std"], ["identity", "linear"], deg=torch.arange(9), towers=2, pre_layers=2, post_layers=2, divide_input=True, train_norm=True, edge_dim=3)
  x, ei, e
ClusterGCNConv(D, OUT, diag_lambda=1.0)
  x, ei
GENConv(D, OUT, aggr="softmax", learn_t=True, edge_dim=3, msg_norm=True)
  x, ei, e
GENConv((D, OUT), OUT, aggr="powermean", norm="layer")
  (x, y), bi
GENConv(D, OUT, aggr=["softmax", "powermean"])
  x, ei
GCN2Conv(D, alpha=0.2)
  x, x0, ei
GCN2Conv(D, alpha=0.2, theta=0.5, layer=2, shared_weights=False)
  x, x0, ei, w
WLConv()  -- colors are hashes of what Python reads from values
  label, ei
WLConvContinuous()
  x, ei
  x, ei, w
  (x, None), bi, w, size=(n, m)
FiLMConv(D, OUT)
  x, ei
FiLMConv((D, OUT), OUT, num_relations=FEW, nn=mlp(OUT, 2 * OUT))
  (x, y), bi, t
SuperGATConv(D, OUT, heads=2, attention_type="SD", concat=False)
  x, ei
SuperGATConv(D, OUT, heads=2, attention_type="MX")
  x, ei, ei2
FAConv(D, eps=1.0, add_self_loops=False)
  x, x0, ei
  x, x0, ei, return_attention_weights=True
FAConv(D, normalize=False)
  x, x0, ei, w
EGConv(D, OUT)
  x, ei
EGConv(D, OUT, aggregators=["max", "min", "symnorm", "std"], num_heads=4, add_self_loops=False)
  x, ei
PDNConv(D, OUT, 3, 8)
  x, ei, e
PDNConv(D, OUT, 3, 8, normalize=False, add_self_loops=False)
  x, ei, e
GeneralConv(D, OUT, in_edge_channels=3, heads=2, attention=True, attention_type="dot_product")
  x, ei, e
GeneralConv((D, OUT), OUT, skip_linear=True, l2_normalize=True)
  (x, y), bi
HGTConv(D, OUT, META, heads=2)
  xd, ed
HGTConv({"paper": D, "author": D, "venue": D}, D, META, heads=1)
  xd, ed
HGTConv({"paper": D, "author": 6, "venue": OUT}, OUT, META, heads=2)
+ {"paper": xd["paper"], "author": xd["author"][:, :6], "venue": xd["venue"][:, :OUT]}, ed
HGTConv(D, D, (["paper", "author", "venue"], [("venue", "has", "paper"), ("author", "by", "paper")]), heads=2)
  xd, {("venue", "has", "paper"): ed["paper", "in", "venue"].flip(0), ("author", "by", "paper"): ed["author", "writes", "paper"]}
HEATConv(D, OUT, 3, FEW, 4, 3, 4, heads=2)
  x, ei, kind, t, e
HEATConv(D, OUT, 3, FEW, 4, 3, 4, heads=2, concat=False, root_weight=False)
  x, ei, kind, t, e
HeteroConv({r: pyg.SAGEConv((D, D), OUT) for r in RELS}, aggr="cat")
  xd, ed
HeteroConv({r: pyg.GCNConv(D, OUT) if r[0] == r[2] else pyg.GATConv((D, D), OUT, add_self_loops=False) for r in RELS}, aggr="max")
  xd, ed
HANConv(D, OUT, META, heads=2)
  xd, ed
  xd, ed, return_semantic_attention_weights=True
LGConv(normalize=False)
  x, ei, w
PointGNNConv(mlp(D, 3), mlp(D + 3, OUT), mlp(OUT, D))
  x, pos, ei
GPSConv(D, pyg.SAGEConv(D, D), heads=2, norm=None)
  x, ei  -- attention between all nodes
  x, ei, batch  -- a dense batch of graphs: its size is asked of values
AntiSymmetricConv(D, num_iters=2)
+ x, ei
  x, ei, w
DirGNNConv(pyg.GCNConv(D, OUT))
  x, ei
DirGNNConv(pyg.SAGEConv(D, OUT), alpha=0.2, root_weight=False)
  x, ei
MixHopConv(D, OUT, powers=[0, 1, 3])
  x, ei
  x, ei, w
MeshCNNConv(D, OUT)
+ x, mi
MeshCNNConv(D, OUT, nn.ModuleList(mlp(D, OUT) for _ in range(5)))
  x, mi
SumAggregation()
  x, sorted, dim_size=m
MeanAggregation()
  x, index, dim_size=m
MaxAggregation()
  x, index, dim_size=m
MinAggregation()
  x, index, dim_size=m
MulAggregation()  -- no op has a product of rows by node
  x, index, dim_size=m
VarAggregation()
  x, index, dim_size=m
StdAggregation()
  x, index, dim_size=m
SoftmaxAggregation(learn=True)
  x, index, dim_size=m
SoftmaxAggregation(learn=True, channels=D, semi_grad=False)
  x, index, dim_size=m
PowerMeanAggregation(learn=True)
  x.abs(), index, dim_size=m
MedianAggregation()  -- torch sorts the rows of each node
  x, index, dim_size=m
QuantileAggregation([0.25, 0.75])  -- torch sorts the rows of each node
  x, index, dim_size=m
LSTMAggregation(D, OUT)  -- a dense batch of graphs: its size is asked of values
  x, batch, dim_size=B
GRUAggregation(D, OUT)  -- a dense batch of graphs: its size is asked of values
  x, batch, dim_size=B
Set2Set(D, 2)  -- dynamo breaks the graph at an LSTM
  x, batch, dim_size=B
DegreeScalerAggregation(["mean", "sum", "max"], ["identity", "amplification", "attenuation", "linear", "inverse_linear"], deg=torch.arange(9), train_norm=True)
  x, index, dim_size=m
SortAggregation(3)  -- a dense batch of graphs: its size is asked of values
+ x, batch, dim_size=B
GraphMultisetTransformer(D, k=2, heads=2)  -- a dense batch of graphs: its size is asked of values
  x, batch, dim_size=B
AttentionalAggregation(mlp(D, 1), mlp(D, OUT))
  x, index, dim_size=m
AttentionalAggregation(mlp(D, OUT), mlp(D, OUT))
  x, batch, dim_size=B
MLPAggregation(D, OUT, max_num_elements=20, num_layers=1)  -- a dense batch of graphs: its size is asked of values
  x, batch, dim_size=B
DeepSetsAggregation(mlp(D, D), mlp(D, OUT))
  x, index, dim_size=m
SetTransformerAggregation(D, num_seed_points=2, heads=2)  -- a dense batch of graphs: its size is asked of values
  x, batch, dim_size=B
LCMAggregation(D, OUT)  -- a dense batch of graphs: its size is asked of values
  x, batch, dim_size=B
VariancePreservingAggregation()
  x, index, dim_size=m
PatchTransformerAggregation(D, OUT, patch_size=2, hidden_channels=8)  -- a dense batch of graphs: its size is asked of values
  x, batch, dim_size=B
MultiAggregation(["mean", "max", "std"], mode="proj", mode_kwargs=dict(in_channels=D, out_channels=OUT))
  x, index, dim_size=m
MultiAggregation(["mean", "max", "softmax"], mode="attn", mode_kwargs=dict(in_channels=D, out_channels=D, num_heads=2))  -- attention between aggregations
  x, index, dim_size=m
TopKPooling(D)  -- torch sorts scores, and makes another graph of them
  x, gi, batch=batch
SAGPooling(D)  -- torch sorts scores, and makes another graph of them
  x, gi, batch=batch
MemPooling(D, OUT, heads=2, num_clusters=2)  -- a dense batch of graphs: its size is asked of values
  x, batch, batch_size=B
BatchNorm(D)  -- no gather and no sum over edges: torch's own
  x
HeteroBatchNorm(D, 3)  -- no gather and no sum over edges: torch's own
  x, kind
InstanceNorm(D, affine=True, track_running_stats=True)
  x  -- no gather and no sum over edges: torch's own
  x, batch, B
LayerNorm(D)
  x  -- no gather and no sum over edges: torch's own
  x, batch, B
LayerNorm(D, mode="node")  -- no gather and no sum over edges: torch's own
  x
HeteroLayerNorm(D, 3)  -- no gather and no sum over edges: torch's own
  x, kind
GraphNorm(D)
  x
+ x, batch, B
GraphSizeNorm()
  x
  x, batch, B
PairNorm()
  x  -- no gather and no sum over edges: torch's own
  x, batch, B
PairNorm(scale_individually=True)
  x, batch, B
MeanSubtractionNorm()
  x  -- no gather and no sum over edges: torch's own
  x, batch, B
MessageNorm(learn_scale=True)  -- no gather and no sum over edges: torch's own
  x, x0
DiffGroupNorm(D, groups=4)  -- no gather and no sum over edges: torch's own
  x
MLP([D, OUT, OUT], norm="graph_norm", dropout=0.5)
  x, batch=batch, batch_size=B
GCN(D, OUT, 2, FEW, act="relu6", norm=pyg.GraphNorm(OUT), jk="cat")
  x, ei
  x, ei, w
GraphSAGE(D, OUT, 3, FEW, jk="lstm", act=None)  -- dynamo breaks the graph at an LSTM
  x, ei
GraphSAGE((D, D), OUT, 2, FEW, project=True, aggr="max")
  x, ei
GIN(D, OUT, 3, jk="max", norm="batch_norm", act_first=True)
  x, ei
GAT(D, OUT, 2, FEW, v2=True, heads=2, edge_dim=3, jk="last")
  x, ei, edge_attr=e
GAT(D, OUT, 3, norm="pair_norm", act="leaky_relu", act_kwargs=dict(negative_slope=0.3))
  x, ei
PNA(D, OUT, 2, FEW, aggregators=["mean", "min", "max", "std", "var", "sum"], scalers=["identity", "amplification", "attenuation", "linear"], deg=torch.arange(9))
  x, ei
PNA(D, OUT, 3, FEW, aggregators=["mean", "std"], scalers=["identity", "amplification"], deg=torch.arange(9), towers=2, divide_input=True, norm="layer_norm")
  x, ei
EdgeCNN(D, OUT, 3, FEW, norm="instance_norm", jk="cat")  -- no op has torch's instance_norm of all rows
  x, ei
JumpingKnowledge("lstm", D, 3)  -- no gather and no sum over edges: torch's own
  xs
MetaLayer(EdgeModel(), NodeModel(), GlobalModel())
+ x, ei, e, u, batch
MetaLayer(None, NodeModel(), None)
  x, ei, torch.cat([e, e, e2], 1), u, batch
SignedGCN(D, OUT, num_layers=3)
  x, ei, ei2
GAE(pyg.GCNConv(D, OUT))
  x, ei
InnerProductDecoder()
  x, ei
DeepGraphInfomax(OUT, pyg.GCNConv(D, OUT), summary=lambda z, *_: z.mean(0), corruption=lambda x, ei: (x.flip(0), ei))  -- dynamo breaks the graph at copy.copy
  x, ei
GraphUNet(D, OUT, FEW, depth=2)  -- torch sorts scores, and makes another graph of them
  x, gi, batch
GPSE(dim_inner=16, layers_mp=2)  -- how many graphs there are is asked of values
  data
GPSENodeEncoder(dim_emb=16, dim_pe_in=OUT, dim_pe_out=8, dim_in=D, expand_x=True)  -- no gather and no sum over edges: torch's own
  x, z
DeepGCNLayer(pyg.GENConv(D, D), nn.LayerNorm(D), nn.ReLU(), block="res+")
  x, ei
DeepGCNLayer(pyg.GENConv(D, D), nn.LayerNorm(D), nn.ReLU(), block="dense", dropout=0.1)
  x, ei
GroupAddRev(pyg.SAGEConv(D // 2, D // 2), num_groups=2)
  x, ei
LabelPropagation(num_layers=2, alpha=0.5)
  label, ei
  label, ei, mask
  soft, ei, mask, w
CorrectAndSmooth(2, 0.5, 2, 0.5)  -- values without their gradient
  soft, label[mask], mask, ei
AttentiveFP(D, OUT, FEW, edge_dim=3, num_layers=2, num_timesteps=2)
  x, gi, ge, batch
RECT_L(D, OUT)
  x, ei
  x, ei, w
LINKX(50, D, OUT, FEW, num_layers=2)
+ x50, ei
LINKX(50, D, OUT, FEW, num_layers=2, num_edge_layers=2)
  None, ei, w
LightGCN(20, D, num_layers=2)
  few, le
  few, le, w
MaskLabel(FEW, D, method="add")  -- no gather and no sum over edges: torch's own
  x, label, mask
PMLP(D, OUT, FEW, num_layers=3)  -- no op has a norm over all rows without statistics
  x, ei
NeuralFingerprint(D, OUT, FEW, num_layers=2)
  x, gi, batch, B
"""
