# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One graph and one op in place of one for each relation.

`needed` leaves out rows that nothing reads. `layers`, `terms` and `copies` find what relations
add to node types; `merging` writes layers on a dict of graphs as layers on one typed graph, by
`groups` of relations with the same ops, `copied_groups` where each relation has rows of nodes of
its own, and `zipping` for equal ops on the rows of several types.
"""
