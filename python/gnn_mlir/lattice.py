# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lattice of row spaces. Made of RowSpaces.def by utils/check-lattice.py."""

# The spaces of tensors: kind and end of each.
SPACES = {
    'edge': ('Edge', 'Neither'),
    'src_pair': ('Pair', 'Src'),
    'dst_pair': ('Pair', 'Dst'),
    'src': ('Node', 'Src'),
    'dst': ('Node', 'Dst'),
    'node': ('Node', 'Neither'),
    'node_type': ('NodeType', 'Neither'),
    'edge_type': ('EdgeType', 'Neither'),
    'graph': ('Graph', 'Neither'),
}

# A space that is known by its end alone, at each end.
AT_END = {
    'node': {'Src': 'src', 'Dst': 'dst'},
    'node_type': {'Src': 'src_node_type', 'Dst': 'dst_node_type'},
}

# From each space, those that each of its rows leads to.
MAPS = {
    'edge': ('src', 'dst', 'src_pair', 'dst_pair', 'edge_type', 'src_node_type', 'dst_node_type'),
    'src_pair': ('src', 'edge_type', 'src_node_type'),
    'dst_pair': ('dst', 'edge_type', 'dst_node_type'),
    'src': ('src_node_type',),
    'dst': ('dst_node_type',),
    'edge_type': ('src_node_type', 'dst_node_type'),
}
