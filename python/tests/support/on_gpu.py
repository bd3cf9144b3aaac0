# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that a test has the emulator run, on a GPU: GNN_TEST_TARGET=cuda. Tests of the
emulator itself, of its checks or of its IR, fail there."""

import functools

import gnn_mlir
from gnn_mlir import capi, compiler, devices, targets


def redirect():
    """Takes the place of the emulator, as a target of compilations and as a device; before
    tests import what it replaces."""
    compiled = compiler.compile

    @functools.wraps(compiled)
    def compile(*arguments, target=None, **options):
        target = targets.CUDA if target == targets.EMULATOR else target
        return compiled(*arguments, target=target, **options)

    def open_gpu(checked=True, seed=None):
        return devices.open_device(targets.CUDA)

    gnn_mlir.compile = compiler.compile = compile
    capi.Device.emulator = staticmethod(open_gpu)
