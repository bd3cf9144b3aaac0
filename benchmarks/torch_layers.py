# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Relational layers written by hand in torch, for a peer that is hard to beat.

    prepared = torch_layers.Prepared(graph, "cuda")
    out = torch_layers.LAYERS["rgat"](prepared, x, weights)  # of one head

Features are multiplied once for each pair of a source and an edge type: rows of pairs
lie by type, each type padded to tiles of 128 rows, so that one batched product serves
all types. Sums over edges and dot products of edges are cuSPARSE's, by CSR both ways,
which is made once for the graph. Each layer has a backward pass of its own. Weights
are by the names of `gnn_mlir.models`; `weights` may be any that autograd follows.
With sums="gather", sums and dot products are of gathered rows of edges instead, which
is faster where a few rows have most edges.
"""

import math

import torch

TILE = 128
_LEVEL = 64


def _counted(sizes):
    """Where each of the runs of these sizes begins, and the end of the last."""
    return torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])


class Rows:
    """Reductions over consecutive values. No thread reduces more than 64: long rows
    are reduced by pieces first."""

    def __init__(self, begin):
        self.levels = []
        while True:
            sizes = begin.diff()
            if not len(sizes) or sizes.max() <= _LEVEL:
                break
            pieces = (sizes + _LEVEL - 1) // _LEVEL
            first = _counted(pieces)
            number = torch.arange(int(first[-1]), device=begin.device)
            number -= first[:-1].repeat_interleave(pieces)
            inside = begin[:-1].repeat_interleave(pieces) + _LEVEL * number
            self.levels.append(torch.cat([inside, begin[-1:]]))
            begin = first
        self.levels.append(begin)

    def _reduce(self, values, how, initial):
        # One column: with none, torch takes a block of threads for each row.
        found = values.view(len(values), -1)
        for begin in self.levels:
            found = torch.segment_reduce(found, how, offsets=begin, axis=0,
                                         initial=initial, unsafe=True)
        return found.view(-1, *values.shape[1:])

    def sum(self, values):
        return self._reduce(values, "sum", 0)

    def max(self, values):
        return self._reduce(values, "max", -math.inf)


class Tiles:
    """Rows of types, those of a type together and padded to whole tiles. `types` are
    those of the rows, ascending."""

    def __init__(self, types, count):
        sizes = torch.bincount(types, minlength=count)
        tiles = (sizes + TILE - 1) // TILE
        shift = TILE * _counted(tiles)[:-1] - _counted(sizes)[:-1]
        self.where = torch.arange(len(types), device=types.device) + shift[types]
        self.rows = TILE * int(tiles.sum())
        self.type = torch.arange(count, device=types.device).repeat_interleave(tiles)
        self._by_type = Rows(_counted(tiles))

    def pad(self, values):
        """Values of rows, with zeros between types."""
        return values.new_zeros(self.rows).index_copy_(0, self.where, values)

    def times(self, x, weight, transposed=False):
        """Each row by the weight of its type."""
        weight = weight.index_select(0, self.type)
        weight = weight.transpose(1, 2) if transposed else weight
        return torch.bmm(x.view(-1, TILE, x.shape[1]), weight).view(self.rows, -1)

    def outer(self, x, g):
        """The gradient of the weights of types."""
        each = torch.bmm(x.view(-1, TILE, x.shape[1]).transpose(1, 2),
                         g.view(-1, TILE, g.shape[1]))
        return self._by_type.sum(each)


class Incidence:
    """Edges from `cols` to `rows`, sorted by both. Values of edges are in this order."""

    def __init__(self, rows, cols, count, cols_count, gathered=False):
        self.order = torch.argsort(rows * cols_count + cols)
        self.row, self.col = rows[self.order], cols[self.order]
        self.shape, self._gathered = (count, cols_count), gathered
        begin = _counted(torch.bincount(self.row, minlength=count))
        self.by_row = Rows(begin)
        self._back = torch.argsort(self.col * count + self.row)
        back = _counted(torch.bincount(self.col, minlength=cols_count))
        self._by_col = Rows(back)
        self._forth = begin.int(), self.col.int()
        self._transposed = back.int(), self.row[self._back].int()

    def _csr(self, structure, values, shape):
        return torch.sparse_csr_tensor(*structure, values, size=shape,
                                       check_invariants=False)

    def _sum(self, structure, values, x, shape, into):
        if into is None:
            return self._csr(structure, values, shape) @ x
        return torch.addmm(into, self._csr(structure, values, shape), x, out=into)

    def sum(self, values, x, into=None):
        """Σ values[e] x[col e] for each row, added to `into`."""
        if self._gathered:
            into = x.new_zeros(self.shape[0], x.shape[1]) if into is None else into
            each = x.index_select(0, self.col).mul_(values.unsqueeze(1))
            return into.index_add_(0, self.row, each)
        return self._sum(self._forth, values, x, self.shape, into)

    def sum_back(self, values, g):
        """Σ values[e] g[row e] for each column."""
        if self._gathered:
            each = g.index_select(0, self.row).mul_(values.unsqueeze(1))
            return g.new_zeros(self.shape[1], g.shape[1]).index_add_(0, self.col, each)
        return self._sum(self._transposed, values.index_select(0, self._back), g,
                         self.shape[::-1], None)

    def sum_values_back(self, values):
        """Σ values[e] for each column."""
        return self._by_col.sum(values.index_select(0, self._back))

    def dots(self, a, b):
        """<a[row e], b[col e]>."""
        if self._gathered:
            return a.index_select(0, self.row).mul_(b.index_select(0, self.col)).sum(1)
        out = self._csr(self._forth, a.new_zeros(len(self.col)), self.shape)
        return torch.sparse.sampled_addmm(out, a, b.t(), beta=0.0, out=out).values()

    def softmax(self, logits):
        """Over the edges of each row."""
        highest = self.by_row.max(logits).index_select(0, self.row)
        found = torch.sub(logits, highest, out=highest).exp_()
        return found.div_(self.by_row.sum(found).index_select(0, self.row))

    def softmax_back(self, softmax, gradient, dots):
        """From the gradient of Σ softmax[e] x[col e], whose dots with x and with the
        sum are given."""
        return gradient.sub_(dots.index_select(0, self.row)).mul_(softmax)


class _Queries:
    """<x[v], query of r> for the pairs of an edge's end v and type r, by a product of
    all nodes and types where these are not many more than edges."""

    def __init__(self, node, types, inverse, nodes, count):
        self._dense = nodes * count <= 4 * len(inverse)
        self._shape = nodes, count
        if self._dense:
            self._where = node * count + types
        else:
            by_type = torch.argsort(types, stable=True)
            self._tiles = Tiles(types[by_type], count)
            self._where = torch.empty_like(node).index_copy_(
                0, by_type, self._tiles.where)
            self._nodes = self._tiles.pad(node[by_type])
            begin = _counted(torch.bincount(node, minlength=nodes))
            self._structure = begin.int(), types.int()
        self._at = self._where[inverse]
        begin = _counted(torch.bincount(inverse, minlength=len(node)))
        self._by_pair = Rows(begin)

    def forward(self, x, query):
        """A value for each edge, and what the backward pass reads."""
        if self._dense:
            return (x @ query.t()).view(-1).index_select(0, self._at), x
        rows = x.index_select(0, self._nodes)
        found = self._tiles.times(rows, query.unsqueeze(2))
        return found.view(-1).index_select(0, self._at), rows

    def backward(self, g, rows, query, needs_x):
        """Gradients of x and of the query."""
        g, dx = self._by_pair.sum(g), None
        if self._dense:
            spread = g.new_zeros(math.prod(self._shape)).index_copy_(0, self._where, g)
            spread = spread.view(self._shape)
            return spread @ query if needs_x else None, spread.t() @ rows
        if needs_x:
            dx = torch.sparse_csr_tensor(*self._structure, g, size=self._shape,
                                         check_invariants=False) @ query
        spread = g.new_zeros(self._tiles.rows, 1).index_copy_(0, self._where,
                                                              g.unsqueeze(1))
        return dx, self._tiles.outer(rows, spread).squeeze(2)


class Prepared:
    """A `gnn_mlir.Graph`, whose nodes lie by type, as the layers read it."""

    def __init__(self, graph, device, dtype=torch.float32, sums="cusparse"):
        src, dst, kind = (torch.tensor(a, dtype=torch.int64, device=device) for a in (
            graph.edge_src, graph.edge_dst, graph.edge_type))
        nodes, types = graph.num_nodes, graph.num_edge_types
        gathered = sums == "gather"
        pairs, inverse = torch.unique(kind * nodes + src, return_inverse=True)
        self.tiles = Tiles(pairs // nodes, types)
        self.source = self.tiles.pad(pairs % nodes)
        self.edges = Incidence(dst, self.tiles.where[inverse], nodes, self.tiles.rows,
                               gathered)
        kind = kind[self.edges.order]
        del src, dst, inverse
        # All pairs of a source, to add up their gradients.
        self._nodes = Incidence(pairs % nodes, self.tiles.where, nodes,
                                self.tiles.rows, gathered)
        self._ones = torch.ones(len(pairs), dtype=dtype, device=device)
        pairs, inverse, sizes = torch.unique(self.edges.row * types + kind,
                                             return_inverse=True, return_counts=True)
        # 1 / (edges of the type into the node), for each edge.
        self.mean = sizes.to(dtype).reciprocal_().index_select(0, inverse)
        self.queries = _Queries(pairs // types, pairs % types, inverse, nodes, types)
        sizes = torch.bincount(torch.tensor(graph.src_node_type, dtype=torch.int64),
                               minlength=graph.num_node_types)
        begin = _counted(sizes)
        self.node_type = torch.arange(len(sizes)).repeat_interleave(sizes).to(device)
        self.by_node_type = Rows(begin.to(device))
        begin = begin.tolist()
        self.node_slices = [slice(*ends) for ends in zip(begin, begin[1:])]
        self.source_type = None if graph.schema is None else torch.tensor(
            [s for s, _ in graph.schema], device=device)

    def sum_pairs(self, x, into):
        """Rows of pairs, added to those of their sources in `into`."""
        return self._nodes.sum(self._ones, x, into)

    def by_node(self, x, weight, bias):
        """Each row by the weight of its node type."""
        out = x.new_empty(len(x), weight.shape[2])
        for part, w, b in zip(self.node_slices, weight, bias):
            torch.addmm(b, x[part], w, out=out[part])
        return out

    def by_node_back(self, x, weight, g, needs_x=True):
        """The gradients of x, weight and bias."""
        dx, parts = torch.empty_like(x) if needs_x else None, []
        for part, w in zip(self.node_slices, weight):
            if needs_x:
                torch.mm(g[part], w.t(), out=dx[part])
            parts.append((x[part].t() @ g[part], g[part].sum(0)))
        return dx, *map(torch.stack, zip(*parts))


class _RGCN(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, root, bias, prepared):
        rows = x.index_select(0, prepared.source)
        ctx.save_for_backward(x, rows, weight, root)
        ctx.prepared = prepared
        return prepared.edges.sum(prepared.mean, prepared.tiles.times(rows, weight),
                                  into=torch.addmm(bias, x, root))

    @staticmethod
    def backward(ctx, g):
        x, rows, weight, root = ctx.saved_tensors
        prepared, dx, g = ctx.prepared, None, g.contiguous()
        dz = prepared.edges.sum_back(prepared.mean, g)
        if ctx.needs_input_grad[0]:
            dx = prepared.sum_pairs(prepared.tiles.times(dz, weight, True),
                                    into=g @ root.t())
        return dx, prepared.tiles.outer(rows, dz), x.t() @ g, g.sum(0), None


class _RGAT(torch.autograd.Function):
    """`query` is the product of each weight and the query."""

    @staticmethod
    def forward(ctx, x, weight, query, key, bias, prepared):
        edges = prepared.edges
        rows = x.index_select(0, prepared.source)
        z = prepared.tiles.times(rows, weight)
        logits, ends = prepared.queries.forward(x, query)
        logits += (z @ key).index_select(0, edges.col)
        logits = torch.nn.functional.leaky_relu_(logits, 0.2)
        softmax = edges.softmax(logits)
        out = edges.sum(softmax, z).add_(bias)
        ctx.save_for_backward(rows, ends, weight, query, key, bias, z, logits, softmax,
                              out)
        ctx.prepared = prepared
        return out

    @staticmethod
    def backward(ctx, g):
        (rows, ends, weight, query, key, bias, z, logits, softmax,
         out) = ctx.saved_tensors
        prepared, dx, g = ctx.prepared, None, g.contiguous()
        edges, needs_x = prepared.edges, ctx.needs_input_grad[0]
        dots = (g * out).sum(1).sub_(g @ bias)
        dl = edges.softmax_back(softmax, edges.dots(g, z), dots)
        dl = torch.ops.aten.leaky_relu_backward(dl, logits, 0.2, True)
        dk = edges.sum_values_back(dl)
        dz = edges.sum_back(softmax, g).addr_(dk, key)
        of_ends, dquery = prepared.queries.backward(dl, ends, query, needs_x)
        if needs_x:
            dx = prepared.sum_pairs(prepared.tiles.times(dz, weight, True), of_ends)
        return (dx, prepared.tiles.outer(rows, dz), dquery, z.t() @ dk, g.sum(0), None)


class _HGT(torch.autograd.Function):
    """`key` and `value` are products of the weights of a source and of an edge type,
    with the bias as a further row and zeros up to a multiple of 8. `keep` is the share
    of the input in the output, of a node type."""

    @staticmethod
    def forward(ctx, x, query, query_bias, key, value, out_weight, out_bias, keep,
                prepared):
        edges, size = prepared.edges, x.shape[1]
        extended = torch.nn.functional.pad(x, (0, key.shape[1] - size))
        extended[:, size] = 1
        rows = extended.index_select(0, prepared.source)
        k, v = (prepared.tiles.times(rows, w) for w in (key, value))
        q = prepared.by_node(x, query, query_bias)
        softmax = edges.softmax(edges.dots(q, k))
        y = edges.sum(softmax, v)
        h = torch.nn.functional.gelu(y)
        out = prepared.by_node(h, out_weight, out_bias)
        out.addcmul_(x, keep[prepared.node_type].unsqueeze(1))
        ctx.save_for_backward(x, rows, query, key, value, out_weight, keep, k, v, q,
                              softmax, y, h)
        ctx.prepared = prepared
        return out

    @staticmethod
    def backward(ctx, g):
        (x, rows, query, key, value, out_weight, keep, k, v, q, softmax, y,
         h) = ctx.saved_tensors
        prepared, edges, size = ctx.prepared, ctx.prepared.edges, x.shape[1]
        g = g.contiguous()
        dkeep = prepared.by_node_type.sum((g * x).sum(1))
        dh, dout_weight, dout_bias = prepared.by_node_back(h, out_weight, g)
        dy = torch.ops.aten.gelu_backward(dh, y)
        dl = edges.softmax_back(softmax, edges.dots(dy, v), torch.mul(
            dy, y, out=dh).sum(1))
        dv, dk = edges.sum_back(softmax, dy), edges.sum_back(dl, q)
        dx, needs_x = None, ctx.needs_input_grad[0]
        of_query, dquery, dquery_bias = prepared.by_node_back(
            x, query, edges.sum(dl, k), needs_x)
        if needs_x:
            into = of_query.addcmul_(g, keep[prepared.node_type].unsqueeze(1))
            each = prepared.tiles.times(dk, key[:, :size], True)
            each += prepared.tiles.times(dv, value[:, :size], True)
            dx = prepared.sum_pairs(each, into)
        return (dx, dquery, dquery_bias, prepared.tiles.outer(rows, dk),
                prepared.tiles.outer(rows, dv), dout_weight, dout_bias, dkeep, None)


def rgcn(prepared, x, weights):
    return _RGCN.apply(x, weights["weight"], weights["root"], weights["bias"], prepared)


def rgat(prepared, x, weights):
    query = (weights["weight"] @ weights["query"]).squeeze(2)
    return _RGAT.apply(x, weights["weight"], query, weights["key"].view(-1),
                       weights["bias"], prepared)


def hgt(prepared, x, weights):
    """With a schema: an edge type has one type of sources."""
    types, size = len(weights["prior"]), x.shape[1]

    def joined(name, relation):
        of_node = torch.cat([weights[f"{name}_weight"],
                             weights[f"{name}_bias"].unsqueeze(1),
                             x.new_zeros(len(weights["skip"]), 7, size)], 1)
        return of_node.index_select(0, prepared.source_type) @ relation

    prior = weights["prior"].view(types, 1, 1) / math.sqrt(size)
    share = weights["skip"].sigmoid().view(-1, 1)
    return _HGT.apply(
        x, weights["query_weight"], weights["query_bias"],
        joined("key", weights["key_relation"].squeeze(1) * prior),
        joined("value", weights["value_relation"].squeeze(1)),
        share.unsqueeze(2) * weights["out_weight"], share * weights["out_bias"],
        1 - share.view(-1), prepared)


LAYERS = {"rgcn": rgcn, "rgat": rgat, "hgt": hgt}
