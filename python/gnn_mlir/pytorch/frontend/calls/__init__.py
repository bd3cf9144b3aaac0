# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of a compiled model, from the user's arguments to code that dynamo has captured.

`compiled_model` is torch's OptimizedModule with settings of its own. `arguments` makes what torch
cannot trace into tensors, `symbols` traces frames again that use numbers of tensors, `dispatch`
calls code that is captured already past torch's wrappers, `results` gives tensors where torch
traced what stands for them, and `bad_input` says which argument of a call that failed was wrong.
"""
