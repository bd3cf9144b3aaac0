# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kinds of target that run kernels, by their names, which are those of the library's
devices and, but for the emulator, of torch's."""

CPU, CUDA, EMULATOR = "cpu", "cuda", "emulator"
ALL = EMULATOR, CPU, CUDA
OF_TORCH = CPU, CUDA


def is_gpu(device):
    """Whether a device of torch is a GPU."""
    return device.type == CUDA


def is_host(device):
    """Whether a device of torch is the host."""
    return device.type == CPU
