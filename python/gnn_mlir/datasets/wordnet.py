# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""WordNet as a typed graph, from the database files of Debian's wordnet-base.

    python3 -m gnn_mlir.datasets.wordnet OUT.npz [--source DIR] [--features N]

Nodes are synsets (noun, verb, adjective, satellite, adverb) and words; edges are
the 26 kinds of pointers between synsets, and has-sense from a word to its synsets.
A pointer between words of two synsets counts as one between the synsets. Features
of a synset are the hashed words of its gloss, of a word those of itself; a
synset's label is its lexicographer file. wndb(5WN) describes the files.
"""

import argparse
import os
import sys
import time

import numpy as np

from .features import HashedWords, split_masks, typed_graph

NODE_TYPES = ("noun", "verb", "adjective", "satellite", "adverb", "word")
_SYNSET_TYPES = {"n": 0, "v": 1, "a": 2, "s": 3, "r": 4}
_WORD = 5

# The meaning of each pointer symbol; "\\" differs by part of speech but is one type.
POINTERS = {
    "!": "antonym", "@": "hypernym", "@i": "instance-hypernym",
    "~": "hyponym", "~i": "instance-hyponym", "#m": "member-holonym",
    "#s": "substance-holonym", "#p": "part-holonym", "%m": "member-meronym",
    "%s": "substance-meronym", "%p": "part-meronym", "=": "attribute",
    "+": "derivationally-related", ";c": "domain-topic",
    "-c": "member-of-topic", ";r": "domain-region", "-r": "member-of-region",
    ";u": "domain-usage", "-u": "member-of-usage", "*": "entailment",
    ">": "cause", "^": "also-see", "$": "verb-group", "&": "similar-to",
    "<": "participle-of", "\\": "pertains-to",
}
EDGE_TYPES = (*POINTERS.values(), "has-sense")
_EDGE_OF = {symbol: i for i, symbol in enumerate(POINTERS)}

# The lexicographer files, lexnames(5WN).
LABELS = tuple(
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact "
    "noun.attribute noun.body noun.cognition noun.communication noun.event "
    "noun.feeling noun.food noun.group noun.location noun.motive noun.object "
    "noun.person noun.phenomenon noun.plant noun.possession noun.process "
    "noun.quantity noun.relation noun.shape noun.state noun.substance noun.time "
    "verb.body verb.change verb.cognition verb.communication verb.competition "
    "verb.consumption verb.contact verb.creation verb.emotion verb.motion "
    "verb.perception verb.possession verb.social verb.stative verb.weather "
    "adj.ppl".split())


def _read(source):
    """Synsets of the four data files, in their order: (part of speech, offset)
    and what a line says."""
    for part, name in (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv")):
        path = os.path.join(source, "data." + name)
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.startswith("  "):
                    continue  # The licence, at the head of each file.
                try:
                    yield part, *_parse(line)
                except (ValueError, IndexError, KeyError) as error:
                    raise ValueError(f"{path}:{number}: expected a synset as in "
                                     f"wndb(5WN), got {error!r}") from error


def _parse(line):
    """One synset: offset, label, type, words, pointers (symbol, part, offset),
    gloss."""
    data, _, gloss = line.partition("|")
    fields = data.split()
    count = int(fields[3], 16)
    words = [w.split("(")[0].lower() for w in fields[4:4 + 2 * count:2]]
    begin = 5 + 2 * count
    pointers = []
    for at in range(begin, begin + 4 * int(fields[begin - 1]), 4):
        symbol, offset, part = fields[at:at + 3]
        pointers.append((_EDGE_OF[symbol], part, int(offset)))
    return (int(fields[0]), int(fields[1]), _SYNSET_TYPES[fields[2]], words,
            pointers, gloss)


def build(source="/usr/share/wordnet", features=64):
    """The graph of the WordNet files in a folder."""
    hashed = HashedWords(features)
    node_of, labels, types, names = {}, [], [], []
    senses, pointers = [], []
    for part, offset, label, kind, words, links, gloss in _read(source):
        node = len(types)
        node_of[part, offset] = node
        types.append(kind)
        labels.append(label)
        names.append(f"{part}{offset}")
        hashed.append(gloss)
        senses += [(word, node) for word in words]
        pointers += [(edge, node, target, at) for edge, target, at in links]
    word_of = {}
    for word, _ in senses:
        word_of.setdefault(word, len(types) + len(word_of))
    for word in word_of:
        hashed.append(word)
    try:
        # A satellite points as "s" in some places and lies among the adjectives.
        edges = [(edge, node, node_of["a" if target == "s" else target, at])
                 for edge, node, target, at in pointers]
    except KeyError as error:
        raise ValueError(f"{source}: a pointer leads to {error}, where no synset "
                         "is") from error
    has_sense = len(EDGE_TYPES) - 1
    edges += [(has_sense, word_of[word], node) for word, node in senses]
    label = np.array(labels + [-1] * len(word_of), np.int32)
    arrays = {**hashed.arrays(), "label": label,
              "label_names": np.array(LABELS),
              **split_masks(names + list(word_of), label)}
    return typed_graph(np.array(edges, np.int64).reshape(-1, 3),
                       np.array(types + [_WORD] * len(word_of), np.int32),
                       NODE_TYPES, EDGE_TYPES, arrays)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", help="the .npz file to write")
    parser.add_argument("--source", default="/usr/share/wordnet",
                        help="folder of data.noun and so on (%(default)s)")
    parser.add_argument("--features", type=int, default=64,
                        help="hashed words a node (%(default)s)")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    try:
        graph = build(options.source, options.features)
        graph.save(options.out)
    except (OSError, ValueError) as error:
        hint = (" (Debian's package wordnet-base has these files)"
                if isinstance(error, FileNotFoundError) else "")
        sys.exit(f"error: {error}{hint}")
    print(f"{options.out}: {graph}, {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
