# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers of tests of the compiler: graphs, cases that cover, measures of
error."""
