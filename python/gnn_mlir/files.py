# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files as this project writes all of them, and what they may ask for."""

import os

from . import capi, paths


def write(path, data):
    """Writes bytes, or text as UTF-8: through symbolic links, whole or not at all, with the
    permissions of the file that it replaces; to a device or a pipe as such. Raises OSError, and
    ValueError for what is no path."""
    data, name = data.encode() if isinstance(data, str) else bytes(data), paths.encoded(path)
    error = capi.library().gnnWriteFile(name, data, len(data))
    if error:
        raise OSError(error, os.strerror(error), os.fspath(path))


def check_memory(what, size):
    """Raises ValueError where arrays take more bytes than the machine has."""
    most = capi.library().gnnPhysicalMemory()
    if size > most:
        raise ValueError(f"{what}: expected at most {most} bytes, got {size}")
