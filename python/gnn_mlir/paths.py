# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paths of files, as the library takes them."""

import os
import stat

from . import types

ZIP = b"PK\x03\x04"  # An archive begins with it.


def encoded(path, what="path"):
    """A path as bytes. Raises ValueError, which `what` begins, for anything else."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise ValueError(f"{what}: expected a path, got {types.described(path)}")
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        raise ValueError(f"{what}: expected a path that the file system can spell, got "
                         f"{types.described(path)}") from None
    if not name:
        raise ValueError(f"{what}: expected a path, got an empty one")
    if name.startswith(ZIP):
        raise ValueError(f"{what}: expected a path, got {len(name)} bytes of an archive")
    if b"\0" in name:
        raise ValueError(f"{what}: expected a path without null characters, got "
                         f"{types.described(path)}")
    return name


def open_file(path, what="path"):
    """Opens a file to read its bytes. Raises OSError, and ValueError, which `what` begins, for what
    is no path, and for a named pipe, which would have to be waited for until somebody opens its
    other end."""
    encoded(path, what)
    real = os.path.realpath(path)  # Pipes that the shell makes have none.
    if os.path.exists(real) and stat.S_ISFIFO(os.stat(real).st_mode):
        raise ValueError(f"{what}: expected a file, got the named pipe {os.fsdecode(path)!r}")
    return open(path, "rb")
