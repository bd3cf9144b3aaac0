# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the C API of programs of the overlay (include/GNN-c/Overlay.h)."""

import ctypes
import functools
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p

from .. import capi
from ..signatures import Buffer

MOST = 2**31 - 1  # vertices, edges, features


class Input(ctypes.Structure):
    """GnnOverlayInput."""

    _fields_ = [("name", c_char_p), ("rank", c_int64), ("shape", POINTER(c_int64)),
                ("values", Buffer)]


class Layer(ctypes.Structure):
    """GnnOverlayLayer."""

    _fields_ = [("type", c_int32), ("inputs", c_int64), ("outputs", c_int64)]


_FALLIBLE = {
    "gnnOverlayCompile": [c_char_p, c_size_t, c_char_p, c_char_p, c_void_p, c_void_p,
                          c_char_p, POINTER(c_void_p)],
    "gnnOverlayProgramRead": [c_char_p, c_size_t, POINTER(c_void_p)],
    "gnnOverlayProgramBytes": [c_void_p, POINTER(c_void_p), POINTER(c_size_t)],
    "gnnOverlayProgramText": [c_void_p, c_char_p, POINTER(c_void_p)],
    "gnnOverlayProgramDescribe": [c_void_p, POINTER(c_void_p)],
    "gnnOverlayProgramInstructions": [c_void_p, POINTER(c_void_p)],
    "gnnOverlayPartitionCreate": [c_void_p, c_char_p, POINTER(c_void_p)],
    "gnnOverlayPartitionForProgram": [c_void_p, c_void_p, POINTER(c_void_p)],
    "gnnOverlayPartitionOfCounts": [c_int64, c_int64, Buffer, c_char_p, POINTER(c_void_p)],
    "gnnOverlayPartitionDescribe": [c_void_p, c_int64, POINTER(c_void_p)],
    "gnnOverlayPartitionWrite": [c_void_p, Buffer, Buffer],
    "gnnOverlayRun": [c_void_p, c_void_p, POINTER(Input), c_int64, c_char_p,
                      POINTER(Buffer), c_int64],
    "gnnOverlaySimulate": [c_void_p, c_void_p, c_char_p, POINTER(c_void_p)],
    "gnnOverlayRoofline": [POINTER(Layer), c_int64, c_int64, c_double, c_char_p,
                           POINTER(c_double)],
}
_PLAIN = {
    "gnnOverlayProgramPrepare": (c_char_p, c_void_p),
    "gnnOverlayProgramRelease": (None, c_void_p),
    "gnnOverlayPartitionRelease": (None, c_void_p),
}


@functools.lru_cache(maxsize=None)
def load():
    """Gives the library's functions their types. Raises GNNError where it has none of
    them, as libGNNRuntime.so."""
    library = capi.library()
    if not capi.has_compiler():
        raise capi.GNNError("expected libGNN.so, which has programs of the overlay, got "
                            f"{capi.find_library()}")
    for name, arguments in _FALLIBLE.items():
        function = getattr(library, name)
        function.restype, function.argtypes = c_void_p, arguments
    for name, (result, *arguments) in _PLAIN.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def options_text(options):
    """Options as the library reads them: "skip-empty=true n1=96", of those that are not
    None."""
    words = []
    for name, value in options.items():
        if value is None:
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        quote = "'" if "'" not in text else '"'
        if not text or quote in text or any(c.isspace() and c != " " for c in text):
            raise ValueError(f"{name}: expected a number or text without line breaks, got "
                             f"{value!r}")
        if " " in text or text[0] in "'\"":
            text = quote + text + quote
        words.append(f"{name.replace('_', '-')}={text}")
    return " ".join(words).encode()


class Handle(capi._Handle):
    """A reference to an object of the library."""

    def __init__(self, handle, *held):
        load()
        super().__init__(handle, *held)
