# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structures of a graph (docs/Structures.md) by torch's ops, where its tensors are.

The host's builder is the reference: what is made here has the same bits. Edges are
sorted once for all orders that are asked for, by keys of 32 bits where these suffice;
what then counts something waits for one copy to the host (`Transfer`), and the rest is
made after it. Until that has shown that ids are what they should be, nothing is indexed
by them. Groups that are few, such as edge types, are cut into tiles on the host, from
their rows, which the same copy brings.
"""

from ctypes import byref, c_int64

import numpy as np
import torch

from .. import capi
from ..structure_keys import is_small, side
from . import edge_streams
from .copies import Upload

# Keys of all sorts are sorted together up to here: launches cost more than sorting.
_TOGETHER = 1 << 23


# The order of edges in which the rows of a space have theirs side by side.
_EDGES = {"src": "out_rows", "dst": "in_rows", "src_pair": "src_pairs",
          "dst_pair": "dst_pairs"}
DEGREE_WINDOW = 4096  # As in Lattice.h.


def _sorted(values, descending=False):
    return torch.sort(values, stable=True, descending=descending)


class Structures:
    """The structures of one `TensorGraph`, or of a graph derived from it."""

    def __init__(self, graph, parent=None, origin=None):
        """For a derived graph, `origin` is (the parent's edge of each edge, the
        parent's type of each edge type)."""
        self.graph, self.device, self.parent, self.origin = graph, graph.device, parent, origin
        self.adds_loops = parent is not None and graph.loop_type is not None
        self.derived = {}  # Structures of graphs derived from this one, by what they are.
        self.made = {}  # Tensors by the text of their key.
        self.known = {}  # The numbers that transfers brought: lists by name.
        self._kept = {}  # Parts that several of them share.
        self._sorts = {}  # By sort: (values, order, what is added to values).
        self._pairs = {}  # By side: (pair of each sorted edge and the number, last ones).
        nodes = {"src": graph.num_src_nodes, "dst": graph.num_dst_nodes}
        types = graph.num_node_types
        self.nodes, self.edges, self.types = nodes, graph.num_edges, graph.num_edge_types
        self.sizes = {"edge": self.edges, **nodes, "node": nodes["src"],
                      "edge_type": self.types, "node_type": types,
                      "src_node_type": types, "dst_node_type": types, "graph": 1}

    def _keep(self, name, make):
        found = self._kept.get(name)
        if found is None:
            found = self._kept[name] = make()
        return found

    # -- Before the transfer ---------------------------------------------------

    def prepare(self, request, transfer):
        """Starts all that says how much there is."""
        if self.parent is None and "checked" not in self.known:
            self._add_bounds(transfer)
        self.sort(request.sorts, transfer)
        self._add_promises(request, transfer)
        for text, key in request.counts.items():
            if key.kind in ("count", "piece_count") or key.group == "graph":
                continue
            if not is_small(key.group) and text not in self.known:
                transfer.add(self.known, text, self._count_of_groups(key))
        for name in request.small:
            if name not in self.known:
                self._add_rows(name, transfer)

    def _add_bounds(self, transfer):
        for name, ids, _ in self.graph._ids():
            if ids.numel():
                low, high = torch.aminmax(ids, dim=-1, keepdim=ids.ndim == 1)
                transfer.add(self.known, ("low", name), low)
                transfer.add(self.known, ("high", name), high)

    def find_bad_ids(self):
        """Whether the transfer brought ids out of range."""
        if self.parent is not None or "checked" in self.known:
            return False
        for name, ids, limits in self.graph._ids():
            if ids.numel() and (min(self.known["low", name]) < 0 or any(
                    high >= limit for high, limit in zip(self.known["high", name], limits))):
                return True
        self.known["checked"] = [1]
        return False

    def sort(self, wanted, transfer):
        """Sorts the edges by the pairs and the nodes of ends, as far as they are not."""
        new = [one for one in (("pair", "src"), ("pair", "dst"), ("node", "src"),
                               ("node", "dst")) if one in wanted and one not in self._sorts]
        if self.types == 1:  # Pairs are nodes then.
            new = [one for one in new if one[0] == "pair" or (
                ("pair", one[1]) not in wanted and ("pair", one[1]) not in self._sorts)]
        together = len(new) * self.edges <= _TOGETHER
        for batch in [new] if together and new else [[one] for one in new]:
            self._sort_together(batch)
        for kind, end in new:
            if kind == "pair":
                transfer.add(self.known, ("pairs", end), self._pairs[end][0][self.edges:])

    def _sort_together(self, batch):
        edges, shifts, limit = self.edges, [], 0
        for kind, end in batch:
            nodes = max(1, self.nodes[end])
            shifts.append(-(-limit // nodes))
            limit = (shifts[-1] + (self.types if kind == "pair" else 1) + 1) * nodes
        dtype = torch.int32 if limit < 1 << 31 else torch.int64
        keys = torch.empty((len(batch), edges), dtype=dtype, device=self.device)
        for (kind, end), shift, out in zip(batch, shifts, keys.unbind()):
            nodes = max(1, self.nodes[end])
            ids, types = self.graph.ends(end), self.graph.edge_type
            if dtype == torch.int64:
                ids = ids.to(dtype)
            if kind == "node" or types is None or self.types == 1:
                torch.add(ids, shift * nodes, out=out)
            else:
                torch.add(ids, types, alpha=nodes, out=out)
                if shift:
                    out += shift * nodes
        values, order = _sorted(keys.view(-1))
        if len(batch) > 1 and edges:
            order %= edges  # Whatever the ids are, it is an edge.
        pairs = sum(kind == "pair" for kind, _ in batch)
        numbers = self._number_pairs(values, pairs * edges) if pairs else None
        shape = len(batch), edges
        for i, (one, *found) in enumerate(zip(batch, values.view(shape).unbind(),
                                              order.view(shape).unbind(), shifts)):
            self._sorts[one] = found
            if one[0] == "pair":
                begin, end = i * edges, (i + 1) * edges
                own = numbers[0][begin:end + 1]
                self._pairs[one[1]] = (own - own[0] if i else own,
                                       numbers[1][begin + 1:end + 1])

    def _number_pairs(self, values, count):
        """The number of pairs before each of the first sorted edges but its own, and
        whether the edge before is the last of its pair; one place more than edges."""
        last = (torch.ones if count else torch.zeros)(
            count + 1, dtype=torch.bool, device=self.device)
        if count:
            last[:1].fill_(False)
        if count > 1:
            torch.ne(values[1:count], values[:count - 1], out=last[1:count])
        return torch.cumsum(last, 0, dtype=torch.int32) if count else last.int(), last

    def _sort_of(self, kind, end):
        """Values, order and shift. A sort that nothing counted by is made here."""
        if kind == "node" and self.types == 1 and ("pair", end) in self._sorts:
            kind = "pair"
        if (kind, end) not in self._sorts:
            self._sort_together([(kind, end)])
        return self._sorts[kind, end]

    def _add_rows(self, name, transfer):
        """The rows of few groups."""
        _, group, (space, order) = name
        if group == "edge_type":
            end = order[:3] if space == "edge" else side(space)
            begin = self._keep(("types", end), lambda: self._begin_of_types(end))
            found = begin if space == "edge" else self._pairs[end][0].index_select(0, begin)
        elif space == "edge_type":
            self.known[name] = self._rows_by_schema(side(group))[0].tolist()
            return
        else:
            found = self._rows_of_node_types(group, space)
        transfer.add(self.known, name, found)

    def _begin_of_types(self, end):
        values, _, shift = self._sort_of("pair", end)
        nodes = max(1, self.nodes[end])
        return torch.searchsorted(
            values, torch.arange(shift * nodes, (shift + self.types) * nodes + 1, nodes,
                                 dtype=values.dtype, device=self.device), out_int32=True)

    def _rows_of_node_types(self, group, space):
        end, types = side(group), self.sizes["node_type"]
        if space in ("src", "dst"):
            values = self.node_type(end)
            weight = torch.ones_like(values)
        elif space == "edge":
            values = self._types_at(end, self.graph.ends(end))
            weight = torch.ones_like(values)
        else:
            values, _, _ = self._sort_of("pair", end)
            values = self._types_at(end, values % max(1, self.nodes[end]))
            weight = self._pairs[end][1].int()
        values = values.clamp(0, max(0, types - 1)).long()
        found = torch.zeros(types + 1, dtype=torch.int32, device=self.device)
        found[1:].scatter_add_(0, values, weight)
        return torch.cumsum(found, 0, dtype=torch.int32)

    def _types_at(self, end, ids):
        """The types of nodes whose ids may be wrong."""
        return self.node_type(end).index_select(0, ids.clamp(0, max(0, self.nodes[end] - 1)))

    def _count_of_groups(self, key):
        rows = self._rows_to_count(key)
        if key.kind == "cut_row_count":
            cut = edge_streams.is_cut(rows, key.tile)
            if key.group in ("src_pair", "dst_pair"):  # All of them have elements.
                cut &= rows[:-1] < rows[1:]
            return cut.sum().to(torch.int32).view(1)
        length = rows[1:] - rows[:-1]
        pieces = (length + (key.tile - 1)) // max(1, key.tile)
        if key.kind == "max_row":
            found = length.amax() if length.numel() else length.sum()
        elif key.kind == "tile_count":
            found = pieces.sum()
        else:
            counted = pieces if key.kind == "long_tile_count" else length
            found = (counted * (length > key.tile)).sum()
        return found.to(torch.int32).view(1)

    def _rows_to_count(self, key):
        """Rows of many groups; behind those of pairs, whose number is not known yet,
        come groups without elements."""
        space, order = key.elements
        if key.group in ("src_pair", "dst_pair"):
            numbers = self._pairs[side(key.group)][0]
            return torch.searchsorted(numbers, self._iota(self.edges + 1),
                                      out_int32=True).clamp(max=self.edges)
        if space == "edge":
            return self._rows_of_nodes(key.group)
        values, _, _ = self._sort_of("pair", key.group)
        nodes = self.nodes[key.group]
        found = torch.zeros(nodes + 1, dtype=torch.int32, device=self.device)
        found[1:].scatter_add_(0, (values % max(1, nodes)).long(),
                               self._pairs[key.group][1].int())
        return torch.cumsum(found, 0, dtype=torch.int32)

    def _add_promises(self, request, transfer):
        """The demand of a declaration on the edges: 1 where it holds."""
        if request.schema is not None:
            name = "schema", tuple(map(tuple, request.schema))
            if name not in self.known and self.edges:
                transfer.add(self.known, name, self._obeys(request.schema))
        if request.self_loops and "loops" not in self.known and self.nodes["src"]:
            nodes = self.nodes["src"]
            src, dst = self.graph.ends("src"), self.graph.ends("dst")
            loops = torch.zeros(nodes, dtype=torch.int32, device=self.device)
            if self.edges:
                loops.scatter_add_(0, dst.clamp(0, nodes - 1).long(), (src == dst).int())
            transfer.add(self.known, "loops", (loops == 1).all().int().view(1))
        if request.dst_sorted and "dst_sorted" not in self.known and self.edges > 1:
            dst = self.graph.ends("dst")
            transfer.add(self.known, "dst_sorted", (dst[:-1] <= dst[1:]).all().int().view(1))

    def _obeys(self, schema):
        wanted = self._keep(("schema", str(schema)), lambda: self._on_device(
            np.array(schema, np.int32).reshape(-1)).view(-1, 2))
        types, good = self.edge_type().clamp(0, max(0, self.types - 1)), None
        for column, end in enumerate(("src", "dst")):
            asked = wanted[:, column][types]
            here = (asked < 0) | (asked == self._types_at(end, self.graph.ends(end)))
            good = here if good is None else good & here
        return good.all().int().view(1)

    def keeps_promises(self, request):
        if request.schema is not None and self.edges and not self.known[
                "schema", tuple(map(tuple, request.schema))][0]:
            return False
        if request.self_loops and self.nodes["src"] and not self.known["loops"][0]:
            return False
        return not request.dst_sorted or self.edges < 2 or self.known["dst_sorted"][0]

    def _on_device(self, array):
        made = {}
        upload = Upload(self.device)
        upload.add(made, 0, array)
        upload.run()
        return made[0]

    # -- Numbers ---------------------------------------------------------------

    def size(self, space):
        if space.startswith("parent_"):
            # New loops lie behind the parent's edges.
            ofs = "edge" if space == "parent_loop" else space[7:]
            return self.parent.size(ofs) + (
                self.nodes["dst"] if self.adds_loops and ofs == "edge" else 0)
        if space in ("src_pair", "dst_pair"):
            return self.known["pairs", side(space)][0]
        return self.sizes[space]

    def count(self, text, key):
        """A count that was prepared."""
        if key.kind == "count":
            return self.size(key.group)
        if key.kind == "piece_count":
            return 2 * -(-self.size(key.elements[0]) // key.tile)
        if not is_small(key.group):
            return self.known[text][0]
        rows = self._host_rows(key.group, key.elements)
        if key.kind == "cut_row_count":
            return int(edge_streams.is_cut(torch.tensor(rows), key.tile).sum())
        lengths = [end - begin for begin, end in zip(rows, rows[1:])]
        if key.kind == "max_row":
            return max(lengths, default=0)
        if key.kind == "tile_count":
            return sum(-(-n // key.tile) for n in lengths)
        return sum(-(-n // key.tile) if key.kind == "long_tile_count" else n
                   for n in lengths if n > key.tile)

    def _host_rows(self, group, elements):
        if group == "graph":
            return [0, self.size(elements[0])]
        return self.known["rows", group, elements]

    # -- After the transfer ----------------------------------------------------

    def get(self, text, key, upload):
        """Makes the structure of a key, or leaves it to `upload`."""
        if text in self.made:
            return
        if key.kind == "map":
            found = self._map(key.elements, key.target, upload, text)
            if found is None:
                return
        elif key.kind in ("stream", "filled", "shares", "cut_rows"):
            found = self._walk(key)
        elif is_small(key.group):
            self._cut_on_host(text, key, upload)
            return
        elif key.kind == "rows":
            found = self._rows(key.group, key.elements)
        else:
            found = self._cut(key)
        found = found.to(torch.int32).contiguous()
        # Kernels load 16 bytes at once, and what is a view may start anywhere.
        self.made[text] = found.clone() if found.data_ptr() % 16 else found

    def _map(self, elements, target, upload, text):
        (space, order), (own, to) = elements, target
        of_parent = own.startswith("parent_")
        own = "dst" if own == "parent_loop" else own.removeprefix("parent_")
        if space == "edge_type" and (own != "edge_type" or order or to):
            found = self._map_of_types(order, own, to, of_parent)
            if upload is None:
                return self._on_device(found)
            upload.add(self.made, text, found)
            return None
        at = self.order(space, order) if order else None
        values = self._step(space, own) if space != own else None
        if values is None:
            values = at if at is not None else self._iota(self.size(space))
        elif at is not None:
            values = values.index_select(0, at)
        if of_parent:
            values = self._rows_in_parent(own).index_select(0, values)
        if to and space == own and not order and not of_parent:
            return self._inverse(own, to)
        if to:
            places = (self.parent if of_parent else self)._inverse(own, to)
            if of_parent and self.adds_loops:
                loops = self._iota(self.size("parent_edge"))[self.parent.edges:]
                places = torch.cat([places, loops.to(places.dtype)])
            values = places.index_select(0, values)
        return values

    def _map_of_types(self, order, own, to, of_parent):
        """The same of edge types, on the host."""
        rows = self._rows_by_schema(order[:3])[1] if order else np.arange(self.types)
        if own != "edge_type":
            return self._schema_column(side(own))[rows]
        if of_parent:
            rows = np.array(self.graph.parent_types, np.int32)[rows]
        if to:
            places = (self.parent if of_parent else self)._rows_by_schema(to[:3])[1]
            rows = np.argsort(places, kind="stable")[rows]
        return rows

    def _schema_column(self, end):
        column = 0 if end == "src" else 1
        for number, ends in enumerate(self.graph.schema or [(-1, -1)] * self.types):
            if ends[column] < 0:
                raise capi.GNNError(
                    "expected a schema that gives the "
                    f"{'source' if end == 'src' else 'destination'}'s node type of every "
                    f"edge type, got none of edge type {number}")
        schema = np.array(self.graph.schema or (), np.int32).reshape(-1, 2)
        return schema[:, column]

    def _rows_by_schema(self, end):
        """Edge types by node type: pointers, and their order."""
        column = self._schema_column(end)
        rows = np.searchsorted(np.sort(column), np.arange(self.sizes["node_type"] + 1))
        return rows, np.argsort(column, kind="stable")

    def _step(self, space, to):
        """For each row of a space, in natural orders, its row of another."""
        if to.endswith("node_type"):
            nodes = self._step(space, side(to)) if space not in ("src", "dst") else None
            types = self.node_type(side(to))
            return types if nodes is None else types.index_select(0, nodes)
        end = side(space if space != "edge" else to)
        if to == "edge_type":
            return self.edge_type() if space == "edge" else self._pair_type(end)
        if to in ("src", "dst"):
            return self.ends(end) if space == "edge" else self._pair_node(end)
        return self._keep(("pair of edge", end), lambda: self._scatter(
            self._sort_of("pair", end)[1], self._pairs[end][0][:self.edges]))

    def _scatter(self, at, values):
        return torch.empty(at.shape, dtype=torch.int32, device=self.device).scatter_(
            0, at, values)

    def ends(self, end):
        return self._keep(end, lambda: self.graph.ends(end).to(torch.int32))

    def edge_type(self):
        if self.graph.edge_type is None:
            return self._keep("edge_type", lambda: torch.zeros(
                self.edges, dtype=torch.int32, device=self.device))
        return self._keep("edge_type", lambda: self.graph.edge_type.to(torch.int32))

    def node_type(self, end):
        given = self.graph.node_types_at(end)
        if given is None:
            return self._keep(("node_type", end), lambda: torch.zeros(
                self.nodes[end], dtype=torch.int32, device=self.device))
        return self._keep(("node_type", end), lambda: given.to(torch.int32))

    def _iota(self, count):
        most = self._kept.get("iota")
        if most is None or most.numel() < count:
            most = self._kept["iota"] = torch.arange(
                max(count, self.edges + 1, *[n + 1 for n in self.nodes.values()]),
                dtype=torch.int32, device=self.device)
        return most[:count]

    def _pair_codes(self, end):
        """A number of node and type of each pair, and the number of nodes."""
        values, _, shift = self._sort_of("pair", end)
        nodes, rows = max(1, self.nodes[end]), self._rows(end + "_pair", ("edge", end + "_pairs"))
        return self._keep(("codes", end), lambda: values.index_select(0, rows[:-1])
                          ), nodes, shift

    def _pair_node(self, end):
        codes, nodes, shift = self._pair_codes(end)
        if self.types > 1:
            return self._keep(("pair node", end), lambda: (codes % nodes).to(torch.int32))
        return (codes - shift * nodes if shift else codes).to(torch.int32)

    def _pair_type(self, end):
        codes, nodes, shift = self._pair_codes(end)
        return self._keep(("pair type", end), lambda: (
            codes // nodes - shift if self.types > 1 else torch.zeros_like(codes)
            ).to(torch.int32))

    def order(self, space, order):
        """int64: for each position of an order, the row in the natural one."""
        if space == "edge" and order in ("in_rows", "out_rows"):
            return self._sort_of("node", "dst" if order == "in_rows" else "src")[1]
        if space == "edge" and order in ("src_pairs", "dst_pairs"):
            return self._sort_of("pair", order[:3])[1]
        if order == "by_degree":
            return self._keep((space, order), lambda: _sorted(torch.diff(self._rows(
                space, ("edge", _EDGES[space]))), descending=True)[1])
        if order == "degree_windows":  # By degree, then by window: sorts are stable.
            by_degree = self.order(space, "by_degree")
            return self._keep((space, order), lambda: by_degree.index_select(
                0, _sorted(by_degree // DEGREE_WINDOW)[1]))
        return self._sort_groups(space, order)[1]

    def _sort_groups(self, space, order):
        """Rows of a space sorted by what an order is by: values and order."""
        if order == "by_node":
            to = side(space)
        elif order in ("src_types", "dst_types"):
            to = order[:3] + "_node_type"
        else:
            to = side(space) + "_node_type"
        return self._keep((space, order), lambda: _sorted(self._step(space, to)))

    def _inverse(self, space, order):
        name = "inverse", space, order
        if space == "edge_type":
            return self._keep(name, lambda: self._on_device(
                np.argsort(self._rows_by_schema(order[:3])[1], kind="stable")))
        return self._keep(name, lambda: self._scatter(
            self.order(space, order), self._iota(self.size(space))))

    def _rows_in_parent(self, space):
        edge, _ = self.origin
        if space == "edge":
            return edge
        if space == "dst":
            return self._iota(self.size("parent_edge"))[self.parent.edges:]
        if space == "edge_type":
            return self._keep("parent types", lambda: self._on_device(
                np.array(self.graph.parent_types, np.int32)))
        found = torch.empty(self.size(space), dtype=torch.int32, device=self.device)
        return found.scatter_(0, self._step("edge", space).long(),
                              self.parent._step("edge", space).index_select(0, edge))

    def _rows_of_nodes(self, end):
        def make():
            values, _, shift = self._sort_of("node", end)
            first = shift * max(1, self.nodes[end])
            wanted = torch.arange(first, first + self.nodes[end] + 1, dtype=values.dtype,
                                  device=self.device)
            return torch.searchsorted(values, wanted, out_int32=True)
        return self._keep(("rows", end), make)

    def _rows(self, group, elements):
        space, order = elements
        if group in ("src_pair", "dst_pair"):
            return self._keep(("rows", group), lambda: torch.searchsorted(
                self._pairs[side(group)][0], self._iota(self.size(group) + 1),
                out_int32=True))
        if space == "edge":
            return self._rows_of_nodes(group)
        return torch.searchsorted(self._sort_groups(space, order)[0],
                                  self._iota(self.size(group) + 1), out_int32=True)

    def _walk(self, key):
        """The arrays of a walk by edges."""
        target, count = self.size(key.elements[0]), None
        if key.kind == "stream":
            target = self._iota(target) if key.elements == key.target else self._map(
                key.elements, key.target, None, None)
        elif key.kind == "cut_rows":
            group = f"{key.group} {'.'.join(filter(None, key.elements))}"
            count = self.count(f"cut_row_count {group} {key.tile}", key._replace(
                kind="cut_row_count"))
        if is_small(key.group):
            rows = self._on_device(np.array(self._host_rows(key.group, key.elements), np.int32))
        else:
            rows = self._rows(key.group, key.elements)
        return edge_streams.make(key, rows, target, count)

    def _cut(self, key):
        """Tiles of many groups."""
        rows = self._rows(key.group, key.elements)
        length = rows[1:] - rows[:-1]
        pieces = (length + (key.tile - 1)) // key.tile
        if key.kind.startswith("long"):
            pieces = pieces * (length > key.tile)
        first = torch.zeros_like(rows)
        torch.cumsum(pieces, 0, dtype=torch.int32, out=first[1:])
        if key.kind.endswith("rows"):
            return first
        where = ".".join(filter(None, key.elements))
        count = self.known[f"{key.kind[:-1]}_count {key.group} {where} {key.tile}"][0]
        tile = torch.arange(count, dtype=torch.int32, device=self.device)
        group = torch.searchsorted(first, tile, right=True, out_int32=True) - 1
        begin = rows[group] + (tile - first[group]) * key.tile
        end = torch.minimum(begin + key.tile, rows[group + 1])
        return torch.stack((group, begin, end), 1).view(-1)

    def _cut_on_host(self, text, key, upload):
        """Structures of few groups."""
        rows = np.array(self._host_rows(key.group, key.elements), np.int32)
        if key.kind == "rows":
            upload.add(self.made, text, rows)
            return
        of_long, made = key.kind.startswith("long"), c_int64()
        if key.kind.endswith("rows"):
            tiles, first, room = None, np.empty(len(rows), np.int32), 0
        else:
            room = len(rows) - 1 + int(rows[-1]) // key.tile
            tiles, first = np.empty(3 * room, np.int32), None
        capi.call("gnnTiles", rows.ctypes.data, len(rows) - 1, key.tile, of_long,
                  None if tiles is None else tiles.ctypes.data, room,
                  None if first is None else first.ctypes.data, byref(made))
        upload.add(self.made, text, first if tiles is None else tiles[:3 * made.value])
