# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that use numbers of tensors as Python does: as an index of a list, as a size.

While torch traces, such a number is a symbol, so that models that only pass it on, as
`num_graphs=batch.max() + 1`, are one graph. Where torch cannot go on with a symbol, the
frame is traced again without: its graph breaks at the number, as torch does by default.
"""

import contextlib

import torch
from torch.fx.experimental import symbolic_shapes


def is_of_symbols(error):
    """Whether torch could not go on with a symbol; of an error and what caused it."""
    seen = []
    while error is not None and error not in seen:
        if isinstance(error, symbolic_shapes.GuardOnDataDependentSymNode) or isinstance(
                error, (IndexError, TypeError)) and (
                    "SymInt" in str(error) or "SymFloat" in str(error)):
            return True
        seen.append(error)
        error = getattr(error, "inner_exception", None) or error.__cause__ or error.__context__
    return False


class Numbers:
    """Whether numbers of tensors are symbols in what is captured of a model."""

    def __init__(self, fullgraph):
        self._fullgraph, self._are_symbols = fullgraph, True
        self._patches = [torch._dynamo.config._make_closure_patcher(
            capture_dynamic_output_shape_ops=are, capture_scalar_outputs=are)
            for are in (False, True)]

    def patch(self):
        """A hook of a context of dynamo: what turns its settings back."""
        return self._patches[self._are_symbols]()

    @contextlib.contextmanager
    def in_frame(self):
        """The settings of the tracing of a frame, which a frame before it may have changed."""
        back = self.patch()
        try:
            yield
        finally:
            back()

    def are_to_blame(self, error):
        """Whether torch failed to trace a frame for symbols; from then on there are none."""
        if self._fullgraph or not self._are_symbols or not is_of_symbols(error):
            return False
        self._are_symbols = False
        return True
