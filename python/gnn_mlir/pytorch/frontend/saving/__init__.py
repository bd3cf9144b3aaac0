# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Captured models as files that run without torch (docs/Serving.md).

`sources` names what a capture takes and gives in the words of the model, `manifest` writes what
lies between these and its program, and `packages` compiles and writes the file.
"""
