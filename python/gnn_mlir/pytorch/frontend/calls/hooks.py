# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of the modules within a model: those of PyG's message passing are refused, others are
part of what is captured, for which torch compares none of them at a call."""

from torch.utils.hooks import RemovableHandle

from ..raising.raiser import CaptureError

_KINDS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_OF_MESSAGES = ("_propagate", "_message", "_aggregate", "_edge_update", "_explain")


def refuse(model):
    """PyG runs no hooks of message passing where torch traces: the result would be
    another than eager's."""
    for name, module in getattr(model, "named_modules", dict)():
        for attribute, hooks in vars(module).items():
            if attribute.endswith("_hooks") and attribute.startswith(_OF_MESSAGES) and hooks:
                raise CaptureError(
                    f"{name or type(module).__name__}: expected a layer without hooks, got "
                    f"{attribute.strip('_').replace('_', ' ')}: PyG leaves them out where "
                    "torch traces, so that the result would not be eager's")


class Hooks:
    """The hooks of the modules within a model, as they were last looked at."""

    def __init__(self, model):
        self._model, self._next, self._found = model, None, []

    def have_changed(self):
        """Whether any may have been added or removed."""
        return RemovableHandle.next_id != self._next or any(
            tuple(hooks.values()) != found for hooks, found in self._found)

    def settle(self):
        """Looks at them: (module, kind, hooks) of all that have some. Raises CaptureError
        for those of message passing."""
        refuse(self._model)
        self._next, self._found, made = RemovableHandle.next_id, [], []
        for module in self._model.modules():
            for kind in _KINDS if module is not self._model else ():
                hooks = vars(module)[kind]
                if hooks:
                    self._found.append((hooks, tuple(hooks.values())))
                    made.append((module, kind, tuple(hooks.values())))
        return made
