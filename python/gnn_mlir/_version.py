# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version, as in the project's CMakeLists.txt."""

VERSION = "0.1.0"
