# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Features and labels that need no training: hashed words, hashed splits."""

import re
import zlib

import numpy as np

from ..graph import Graph

_WORD = re.compile(r"[a-z0-9]+")


class HashedWords:
    """Bags of words: each distinct word of a text sets the feature that its
    CRC-32 picks, modulo the number of features."""

    def __init__(self, size):
        if not 1 <= size <= 65535:
            raise ValueError(f"features: expected 1 to 65535, got {size}")
        self.size = size
        self._feature = {}
        self._rows = []

    def _hash(self, word):
        return zlib.crc32(word.encode()) % self.size

    def append(self, text):
        """Adds a row for a text, which may be empty."""
        known = self._feature
        row = set()
        for word in _WORD.findall(text.lower()):
            if word not in known:
                known[word] = self._hash(word)
            row.add(known[word])
        self._rows.append(sorted(row))

    def arrays(self):
        """The feature arrays of a graph's file; every stored value is 1."""
        indptr = np.zeros(len(self._rows) + 1, np.int32)
        np.cumsum([len(row) for row in self._rows], out=indptr[1:])
        indices = np.fromiter((f for row in self._rows for f in row), np.uint16,
                              indptr[-1])
        return {"feat_indptr": indptr, "feat_indices": indices,
                "feat_dim": np.int32(self.size)}


def split_masks(names, label):
    """Masks of a 60/20/20 split of the labelled nodes, by a hash of names."""
    part = np.array([zlib.crc32(n.encode()) % 10 for n in names], np.int32)
    known = label >= 0
    return {"train_mask": known & (part < 6),
            "val_mask": known & (part >= 6) & (part < 8),
            "test_mask": known & (part >= 8)}


def typed_graph(triples, node_type, node_type_names, edge_type_names, arrays):
    """A graph of distinct edges, sorted by (type, destination, source).

    `triples` is an int64[edges, 3] array of (edge type, source, destination)."""
    kind, src, dst = triples.reshape(-1, 3).T
    order = np.lexsort((src, dst, kind))
    kind, src, dst = kind[order], src[order], dst[order]
    new = np.ones(len(kind), bool)
    new[1:] = (np.diff(kind) != 0) | (np.diff(dst) != 0) | (np.diff(src) != 0)
    return Graph(src[new], dst[new], edge_type=kind[new], node_type=node_type,
                 node_type_names=node_type_names,
                 edge_type_names=edge_type_names, arrays=arrays)
