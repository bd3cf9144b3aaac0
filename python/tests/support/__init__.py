# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of the compiler need: graphs, cases that cover, measures of error."""
