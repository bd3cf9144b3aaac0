# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code that runs where the captured model was.

`outer` is the module that the backend returns: calls of programs (`program_calls`, by a
`launcher` for each function), one call that makes hundreds of parameters what programs read
(`packing`), features that two ends of a graph have in common in one copy (`joins`), and torch's
ops around them. `graph_cache` keeps the structures of the user's tensors, for which
`joined_graphs` makes vectors of types and joined edges by one call, `streams` has what is read
on several streams, and `reads` says which gradients are None.
"""
