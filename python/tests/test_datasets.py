# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs from WordNet's and Debian's files, made small by hand."""

import pathlib

import numpy as np
import pytest

from gnn_mlir import Graph
from gnn_mlir.datasets import features, made, wordnet
from support import debian

# Two nouns with each other as hypernym and hyponym, a verb related to the first,
# an adjective with a satellite, an adverb that comes from the adjective.
DATA = {
    "noun": """\
  1 A line of the licence.
00000001 05 n 02 Dog 0 hound 1 002 @ 00000002 n 0000 + 00000005 v 0101 | a tame dog
00000002 05 n 01 animal 0 001 ~ 00000001 n 0000 | a living thing; "a tame thing"
""",
    "verb": "00000005 38 v 01 dog 0 001 + 00000001 n 0101 01 + 08 00 | go after\n",
    "adj": """\
00000001 00 a 01 living(p) 0 001 & 00000009 a 0000 | not dead
00000009 00 s 01 quick 0 001 & 00000001 a 0000 |
""",
    "adv": "00000003 02 r 01 quickly 0 001 \\ 00000009 s 0101 | in no time\n",
}


@pytest.fixture
def source(tmp_path):
    for name, text in DATA.items():
        (tmp_path / f"data.{name}").write_text(text)
    return tmp_path


def named_edges(graph):
    return sorted((graph.edge_type_names[t], int(s), int(d)) for s, d, t in zip(
        graph.edge_src, graph.edge_dst, graph.edge_type))


def test_wordnet(source):
    graph = wordnet.build(str(source), features=16)
    # Synsets 0 to 5, then words dog, hound, animal, living, quick, quickly.
    assert graph.node_type.tolist() == [0, 0, 1, 2, 3, 4] + [5] * 6
    assert named_edges(graph) == sorted([
        ("hypernym", 0, 1), ("hyponym", 1, 0), ("derivationally-related", 0, 2),
        ("derivationally-related", 2, 0), ("similar-to", 3, 4),
        ("similar-to", 4, 3), ("pertains-to", 5, 4), ("has-sense", 6, 0),
        ("has-sense", 7, 0), ("has-sense", 8, 1), ("has-sense", 6, 2),
        ("has-sense", 9, 3), ("has-sense", 10, 4), ("has-sense", 11, 5)])
    assert len(graph.edge_type_names) == 27
    assert graph.arrays["label"].tolist() == [5, 5, 38, 0, 0, 2] + [-1] * 6
    assert graph.arrays["label_names"][38] == "verb.motion"
    masks = [graph.arrays[m] for m in ("train_mask", "val_mask", "test_mask")]
    assert sum(masks).tolist() == [1] * 6 + [0] * 6
    x = graph.features()
    # "a tame dog" and "a living thing; a tame thing" share two words.
    assert x.shape == (12, 16) and x[4].sum() == 0
    assert x[6].sum() == 1 and (x[0] >= x[6]).all()


def test_wordnet_says_where_a_file_is_wrong(source, capsys):
    (source / "data.adv").write_text("00000003 02 r zz quickly\n")
    with pytest.raises(ValueError, match=r"data.adv:1: expected a synset as in "):
        wordnet.build(str(source))
    (source / "data.adv").write_text(
        "00000003 02 r 01 quickly 0 001 \\ 00000404 a 0101 | in no time\n")
    with pytest.raises(ValueError, match="a pointer leads to .*404"):
        wordnet.build(str(source))
    (source / "data.adv").unlink()
    with pytest.raises(SystemExit, match="error: .*data.adv.*wordnet-base"):
        wordnet.main([str(source / "out.npz"), "--source", str(source)])
    assert not (source / "out.npz").exists()


def test_wordnet_of_debian(tmp_path):
    if not pathlib.Path("/usr/share/wordnet/data.noun").exists():
        pytest.skip("wordnet-base is not installed")
    wordnet.main([str(tmp_path / "a.npz")])
    graph = Graph.load(tmp_path / "a.npz")
    assert (graph.num_nodes, graph.num_edges) == (264965, 571493)
    assert (graph.num_node_types, graph.num_edge_types) == (6, 27)
    names = dict(zip(graph.edge_type_names,
                     np.bincount(graph.edge_type).tolist()))
    assert names["has-sense"] == 206941 and names["hypernym"] == 89089
    assert graph.features().shape == (264965, 64)


LIST = """\
Package: a
Source: sa (1.2)
Section: text
Maintainer: Somebody <somebody@example.org>
Depends: b (>= 1), c | d, mail-agent
Tag: role::program, use::viewing,
 works-with::text
Description: shows text

Package: b
Section: libs
Maintainer: Somebody <somebody@example.org>
Provides: mail-agent (= 2)
Built-Using: sa (= 1.2)
Description: helps a
"""


def test_debian(tmp_path):
    (tmp_path / "x_Packages").write_text(LIST)
    (tmp_path / "y_Packages").write_text("Package: b\nSection: other\n")
    graph = debian.build([str(p) for p in tmp_path.iterdir()], features=8)
    kinds = [graph.node_type_names[t] for t in graph.node_type]
    assert kinds.count("package") == 2 and kinds.count("virtual") == 3
    assert kinds.count("maintainer") == 1 and kinds.count("tag") == 3
    assert kinds.count("source") == 2 and kinds.count("section") == 2
    found = [(name, s, kinds[d]) for name, s, d in named_edges(graph)]
    assert found == sorted([
        ("depends", 0, "package"), ("depends", 0, "virtual"),
        ("depends", 0, "virtual"), ("depends-alternative", 0, "virtual"),
        ("provides", 1, "virtual"), ("built-using", 1, "source"),
        ("built-from", 0, "source"), ("built-from", 1, "source"),
        ("in-section", 0, "section"), ("in-section", 1, "section"),
        ("maintained-by", 0, "maintainer"), ("maintained-by", 1, "maintainer"),
        ("has-tag", 0, "tag"), ("has-tag", 0, "tag"), ("has-tag", 0, "tag")])
    assert graph.arrays["label_names"].tolist() == ["text", "libs"]
    assert graph.arrays["label"][:3].tolist() == [0, 1, -1]
    assert graph.features()[2:].sum() == 0
    graph.save(tmp_path / "out.npz")
    assert b"omebody" not in (tmp_path / "out.npz").read_bytes()
    for array in graph.arrays.values():
        assert "omebody" not in str(array)


def test_debian_says_what_is_wrong(tmp_path):
    (tmp_path / "x_Packages").write_text("no colon here\n")
    with pytest.raises(ValueError, match="x_Packages: expected a field and a "
                       "colon"):
        debian.build([str(tmp_path / "x_Packages")])
    (tmp_path / "x_Packages").write_text("Version: 1\n")
    with pytest.raises(ValueError, match="expected a stanza with the field "
                       "Package, got Version"):
        debian.build([str(tmp_path / "x_Packages")])


def test_hashed_words_do_not_depend_on_the_process():
    words = features.HashedWords(64)
    words.append("Walks, walks; walked!")
    arrays = words.arrays()
    assert arrays["feat_indices"].tolist() == sorted(
        features.zlib.crc32(w) % 64 for w in (b"walks", b"walked"))
    with pytest.raises(ValueError, match="features: expected 1 to 65535, got 0"):
        features.HashedWords(0)


# -- Made of a seed ----------------------------------------------------------------


def test_communities(tmp_path):
    graph = made.communities(seed=3)
    assert (graph.num_nodes, graph.num_node_types, graph.num_edge_types) == (240, 2, 3)
    label = graph.arrays["label"]
    for kind in range(3):
        some = graph.edge_type == kind
        led = (label[graph.edge_dst[some]] - label[graph.edge_src[some]]) % 4
        assert np.bincount(led).argmax() == kind and (led == kind).mean() > 0.75
    x = graph.features()
    assert x.shape == (240, 32) and (x.sum(1) == 6).all()
    own = x.reshape(240, 4, 8).sum(2)[np.arange(240), label]
    assert own.mean() > 4
    masks = [graph.arrays[m] for m in ("train_mask", "val_mask", "test_mask")]
    assert (sum(m.astype(int) for m in masks) == 1).all() and masks[0].sum() > 120
    graph.save(tmp_path / "a.npz")
    made.communities(seed=3).save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert Graph.load(tmp_path / "a.npz").features().sum() == x.sum()
    with pytest.raises(ValueError, match="nodes: expected enough for 4 classes, got 3"):
        made.communities(nodes=3)


def test_kinships():
    graph = made.kinships(40, 8, 3)
    # Five members a family: each is the head of five facts a relation.
    assert (graph.num_nodes, graph.num_edges, graph.num_edge_types) == (40, 600, 3)
    led = {}
    for head, relation, tail in zip(graph.edge_src % 8, graph.edge_type,
                                    graph.edge_dst % 8):
        assert led.setdefault((head, relation), tail) == tail
    assert all(led[tail, relation] == head for (head, relation), tail in led.items())
    split = np.bincount(graph.arrays["edge_split"], minlength=3)
    assert len(split) == 3 and split[0] > 400 and split[1:].min() > 30
    for families in (5, 42):
        with pytest.raises(ValueError, match="families: expected an even number, and no "
                                             f"more than 40 entities, got {families}"):
            made.kinships(40, families)
