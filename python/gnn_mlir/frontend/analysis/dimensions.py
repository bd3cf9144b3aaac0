# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ops do with the dimensions of their operands."""

import torch

aten = torch.ops.aten

GATHERS = {aten.index_select.default: lambda args: (args[0], args[1], args[2]),
           aten.index.Tensor: lambda args: (args[0], 0, args[1][0]),
           aten.embedding.default: lambda args: (args[0], 0, args[1])}
