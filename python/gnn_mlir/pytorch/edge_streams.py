# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structures of walks by edges (docs/Structures.md) by torch's ops.

The elements of all groups lie one after the other and are walked in equal shares, whatever
groups they are in. `rows` are the pointers of the groups to their elements. Nothing here waits
for the device.
"""

import torch

from ..share_layout import (CROSSES, HAS_TAIL, INSIDE, PADDING, SHARE, TOGETHER, TOP, TURN,
                            WHOLE, WORDS, pieces, place_of_word)

AHEAD = 3  # Groups behind its own that a kernel asks `filled` for.


def is_cut(rows, block):
    """Whether each group lies in several blocks, or has no elements."""
    begin, end = rows[:-1], rows[1:]
    return (begin == end) | (begin // block != (end - 1) // block)


def make(key, rows, target, count):
    """The structure of a key of `structure_keys`. `target`: for each element its row there, of
    a stream. `count`: the groups in `cut_rows`."""
    if key.kind == "stream":
        return _stream(rows, target)
    if key.kind == "filled":
        return _filled(rows)
    if key.kind == "shares":
        return _shares(rows, target, key.tile)
    return _cut_rows(rows, key.tile, count)


def _stream(rows, target):
    elements = target.numel()
    found = torch.zeros(elements + PADDING, dtype=torch.int32, device=rows.device)
    # `place_of_word` of all elements, without a list of places: of words [share, four, word]
    # in a turn, those with one number of four lie together.
    turns = found[:found.numel() // TURN * TURN].view(-1, SHARE // WORDS, TOGETHER, WORDS)
    turns, whole = turns.transpose(1, 2), elements // TURN
    turns[:whole] = target[:whole * TURN].view(-1, TOGETHER, SHARE // WORDS, WORDS)
    rest = torch.zeros(TURN, dtype=torch.int32, device=rows.device)
    rest[:elements - whole * TURN] = target[whole * TURN:]
    turns[whole] = rest.view(turns.shape[1:])
    # Groups without elements end in front of the zeros, where the bit is taken back.
    last = place_of_word(torch.where(rows[:-1] < rows[1:], rows[1:] - 1, elements).long())
    found[last] = found[last] | TOP
    found[place_of_word(elements)] = 0
    return found


def _filled(rows):
    groups = rows.numel() - 1
    has = rows[:-1] < rows[1:]
    place = torch.where(has, torch.cumsum(has, 0) - 1, groups + 1)
    numbers = torch.arange(groups, dtype=torch.int32, device=rows.device)
    found = torch.zeros(groups + AHEAD, dtype=torch.int32, device=rows.device)
    return found.scatter_(0, place, torch.where(has, numbers, 0))


def _shares(rows, elements, block):
    device, rows = rows.device, rows.long()
    blocks = -(-elements // block)
    if not elements:
        return torch.zeros(0, dtype=torch.int32, device=device)
    share = torch.arange(blocks * (block // SHARE), device=device)
    first = share * SHARE
    is_there = first < elements
    first = first.clamp(max=elements - 1)
    last = (first + SHARE).clamp(max=elements) - 1
    begin, end = rows[:-1], rows[1:].contiguous()
    filled = torch.cumsum(begin < end, 0) - (begin < end).long()  # Before each group.
    head, tail = (torch.searchsorted(end, at, right=True) for at in (first, last))
    block_begin = first // block * block
    block_end = block_begin + block

    def share_in(ends):
        return (torch.minimum(ends, block_end) - 1) // SHARE - share

    inside = begin[head] < first
    has_tail = (begin[tail] >= first) & (end[tail] > last + 1)
    flags = (inside * INSIDE + has_tail * HAS_TAIL +
             (has_tail & (end[tail] > block_end)) * CROSSES +
             ((begin[head] < block_begin) & (end[head] > block_end)) * WHOLE)
    fields = (filled[head], flags, torch.where(has_tail, share_in(end[tail]), 0),
              torch.where(inside, share_in(end[head]) + 1, 0))
    return (torch.stack(fields, 1) * is_there[:, None]).to(torch.int32).view(-1)


def _cut_rows(rows, block, count):
    cut = is_cut(rows, block)
    place = torch.where(cut, torch.cumsum(cut, 0) - 1, count)
    begin, end = rows[:-1], rows[1:]
    is_empty = begin == end
    groups = torch.arange(begin.numel(), dtype=torch.int32, device=rows.device)
    fields = groups, *[torch.where(is_empty, 0, piece) for piece in pieces(begin, end, block)]
    found = torch.zeros((count + 1, 3), dtype=torch.int32, device=rows.device)
    found[place] = torch.stack(fields, 1).to(torch.int32)
    return found[:count].reshape(-1)
