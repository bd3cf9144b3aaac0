# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text that stands for an object as long as it lives."""

import itertools
import weakref

_objects = weakref.WeakValueDictionary()
_numbers = itertools.count()


def make(thing):
    """A new text that stands for `thing`."""
    token = f"{type(thing).__name__}{next(_numbers)}"
    _objects[token] = thing
    return token


def find(token):
    """The object that a text stands for."""
    found = _objects.get(token)
    if found is None:
        raise ValueError(f"expected {token} to live as long as what torch.compile made "
                         "of it is run, but it is gone")
    return found
