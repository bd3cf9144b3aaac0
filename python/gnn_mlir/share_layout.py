# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal shares of elements, as TeamShare of include/GNN/Lattice/Lattice.h lays them out, for the
builder by torch's ops and for the kernels that build structures (lib/Runtime/Kernels)."""

# The top bit of a word, the elements of a share, zeros behind those of a stream, shares whose
# words take turns, and words in a turn.
TOP, SHARE, PADDING, TOGETHER, WORDS = -1 << 31, 64, 1 << 14, 32, 4
# The fields of a share, and the flags in the second one.
FIELDS, INSIDE, HAS_TAIL, CROSSES, WHOLE = 4, 1, 2, 4, 8
TURN = TOGETHER * SHARE  # Elements whose words take turns.


def place_of_word(i):
    """TeamShare::placeOfWord of Lattice.h, of numbers of a kernel or of torch."""
    return (i // TURN * TURN + i % SHARE // WORDS * (TOGETHER * WORDS) +
            i // SHARE % TOGETHER * WORDS + i % WORDS)


def pieces(begin, end, block):
    """The first piece of a group's elements, and the one behind its last (TeamShare of
    Lattice.h), of numbers of a kernel or of torch."""
    return begin // block * 2 + 1, (end - 1) // block * 2 + 1
