# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files as this project writes all of them, and what they may ask for."""

import os

from . import capi


def write(path, data):
    """Writes bytes, or text as UTF-8: through symbolic links, whole or not at all, with the
    permissions of the file that it replaces; to a device or a pipe as such. Raises OSError, and
    ValueError for a path with a null character."""
    data, name = data.encode() if isinstance(data, str) else bytes(data), os.fsencode(path)
    if not name:
        raise ValueError("expected a path, got an empty one")
    if b"\0" in name:
        raise ValueError(f"expected a path without null characters, got {path!r}")
    error = capi.library().gnnWriteFile(name, data, len(data))
    if error:
        raise OSError(error, os.strerror(error), os.fspath(path))


def check_memory(what, size):
    """Raises ValueError where arrays take more bytes than the machine has."""
    most = capi.library().gnnPhysicalMemory()
    if size > most:
        raise ValueError(f"{what}: expected at most {most} bytes, got {size}")
