# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that a test compiles for the emulator, on a GPU: GNN_TEST_TARGET=cuda. Tests of
what the emulator alone has, as its checks or its IR, fail there."""

import functools

import gnn_mlir
from gnn_mlir import compiler, targets


def redirect():
    """Compiles for a GPU in place of the emulator, and runs there what has inputs on the host;
    before tests import what it replaces."""
    compiled = compiler.compile

    @functools.wraps(compiled)
    def compile(*arguments, target=None, **options):
        if target != targets.EMULATOR:
            return compiled(*arguments, target=target, **options)
        found = compiled(*arguments, target=targets.CUDA, **options)
        found._host = targets.CUDA
        return found

    gnn_mlir.compile = compiler.compile = compile
