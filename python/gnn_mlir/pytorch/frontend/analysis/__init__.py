# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Analyses of a functional graph, which change nothing.

`values` are what nodes are, `dimensions` what ops do with the dimensions of tensors, which all
who rewrite a graph ask. `axes` says which dimensions are rows of the same things,
`declared_graphs` which tensors are the ends and types of edges, and `liveness` which outputs
depend on which inputs.
"""
