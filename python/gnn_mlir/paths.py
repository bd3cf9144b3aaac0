# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paths of files, as the library takes them."""

import os

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
