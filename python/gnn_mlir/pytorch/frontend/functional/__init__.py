# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From dynamo's graph to functional ATen with ops of the vocabulary.

`modes` takes autocast and regions without gradients apart, `lowering` makes the graph,
`own_gradients` keeps an autograd.Function whole, and `assignments`, `composed` and `detached`
write writes, ids of ids and detached values as ops that programs have. `known_sizes` reads sizes
where they are known before programs run. `writing` is how graphs are written anew.
"""
