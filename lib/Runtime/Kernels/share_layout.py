# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal shares of elements, as TeamShare of include/GNN/Lattice/Lattice.h lays them out."""

from kernel_text import constants_of, enum_of

_LATTICE = "include/GNN/Lattice/Lattice.h"
# The top bit of a word, the elements of a share, zeros behind those of a stream, shares whose
# words take turns, and words in a turn.
TOP = -1 << 31
SHARE, PADDING, TOGETHER, WORDS = constants_of(
    _LATTICE, "elements", "mostOfBlock", "sharesTogether", "wordsTogether")
# The fields of a share, and the flags in the second one.
FIELDS = enum_of(_LATTICE, "First").NumFields
INSIDE, HAS_TAIL, CROSSES, WHOLE = constants_of(
    _LATTICE, "Inside", "HasTail", "Crosses", "Whole")
TURN = TOGETHER * SHARE  # Elements whose words take turns.


def place_of_word(i):
    """TeamShare::placeOfWord."""
    return (i // TURN * TURN + i % SHARE // WORDS * (TOGETHER * WORDS) +
            i // SHARE % TOGETHER * WORDS + i % WORDS)


def pieces(begin, end, block):
    """The first piece of a group's elements, and the one behind its last: firstPiece and endPiece
    of TeamShare."""
    return begin // block * 2 + 1, (end - 1) // block * 2 + 1
