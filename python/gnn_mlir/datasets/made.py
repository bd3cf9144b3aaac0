# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small graphs to learn from, made of a seed: `communities`, `kinships`."""

import numpy as np

from .features import typed_graph


def _masks(rng, count):
    """Masks of a 60/20/20 split."""
    part = rng.integers(0, 10, count)
    return {"train_mask": part < 6, "val_mask": (part >= 6) & (part < 8),
            "test_mask": part >= 8}


def communities(nodes=240, classes=4, edge_types=3, degree=5, words=32, seed=0):
    """A graph whose nodes have classes. Four of five edges of type t lead from class c
    to class c + t, the others anywhere; nodes are of two types. Features are bags of
    six words, most of them out of the class's own part of the vocabulary."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, classes, nodes).astype(np.int32)
    members = [np.flatnonzero(label == c) for c in range(classes)]
    if not all(map(len, members)):
        raise ValueError(f"nodes: expected enough for {classes} classes, got {nodes}")
    triples = []
    for source in np.repeat(np.arange(nodes), degree):
        kind = int(rng.integers(edge_types))
        ends = (members[(label[source] + kind) % classes] if rng.random() < 0.8 else
                np.arange(nodes))
        triples.append((kind, source, rng.choice(ends)))
    own = words // classes
    text = np.where(rng.random((nodes, 6)) < 0.7,
                    label[:, None] * own + rng.integers(0, own, (nodes, 6)),
                    rng.integers(0, words, (nodes, 6)))
    arrays = {"feat_indptr": np.arange(0, 6 * nodes + 1, 6, np.int32),
              "feat_indices": text.reshape(-1).astype(np.uint16),
              "feat_dim": np.int32(words), "label": label,
              "label_names": np.array([f"class {c}" for c in range(classes)]),
              **_masks(rng, nodes)}
    return typed_graph(np.array(triples), rng.integers(0, 2, nodes).astype(np.int32),
                       ("even", "odd"), [f"to class + {t}" for t in range(edge_types)],
                       arrays)


def kinships(entities=96, families=12, relations=4, facts=8, seed=0):
    """Facts (head, relation, tail) of which some are held out (`edge_split`). Entities
    belong to families; relation r joins the members of a family to those of the one
    that r pairs it with. Each entity is the head of about `facts` facts a relation, as
    far as there are so many."""
    if families % 2 or entities < families:
        raise ValueError("families: expected an even number, and no more than "
                         f"{entities} entities, got {families}")
    rng = np.random.default_rng(seed)
    family = np.arange(entities) % families
    triples = []
    for relation in range(relations):
        pairs = rng.permutation(families).reshape(-1, 2)
        other = np.zeros(families, np.int64)
        other[pairs[:, 0]], other[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
        for head in range(entities):
            tails = np.flatnonzero(family == other[family[head]])
            some = rng.choice(tails, min(facts, len(tails)), replace=False)
            triples += [(relation, head, tail) for tail in some]
    graph = typed_graph(np.array(triples), np.zeros(entities, np.int32), ("entity",),
                        [f"relation {r}" for r in range(relations)], {})
    part = rng.integers(0, 10, graph.num_edges)
    graph.arrays["edge_split"] = np.where(part < 8, 0, part - 7).astype(np.int8)
    return graph
