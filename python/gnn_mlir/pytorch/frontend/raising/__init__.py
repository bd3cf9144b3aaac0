# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From functional ATen to programs of the `gnn` dialect.

`raiser` walks the graph and asks the handlers: `elementwise`, `features`, `functions`,
`products`, `sparse` and `weights`. They give `tags`.
"""
