# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs made from what a Debian machine has, `wordnet`, and of nothing, `made`."""
