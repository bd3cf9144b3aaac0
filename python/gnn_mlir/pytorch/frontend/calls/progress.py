# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bar on a terminal while a first call of a model is captured and compiled."""

import sys
import threading
import time

_FIRST, _EACH = 1.0, 0.2  # Seconds until the bar appears, and between its steps.
_WIDTH, _PART = 20, 5


def _is_terminal(stream):
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False  # There is none, or it is closed.


def _bar(step):
    """A part that goes to and fro, since nobody knows how long it will take."""
    way = _WIDTH - _PART
    at = way - abs(step % (2 * way) - way)
    return " " * at + "=" * _PART + " " * (way - at)


class Bar:
    """Begins at once, and shows itself after a second, where standard error is a terminal; `end`
    takes it away."""

    def __init__(self, name):
        self._name, self._ended, self._thread = name, threading.Event(), None
        if _is_terminal(sys.stderr):
            self._thread = threading.Thread(target=self._show, args=(sys.stderr,), daemon=True)
            self._thread.start()

    def end(self):
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _show(self, stream):
        began, text, step = time.monotonic(), "", 0
        if self._ended.wait(_FIRST):
            return
        try:
            while True:
                text = f"{self._name}: compiling [{_bar(step)}] {time.monotonic() - began:.0f} s"
                stream.write(f"\r{text}")
                stream.flush()
                step += 1
                if self._ended.wait(_EACH):
                    break
            stream.write(f"\r{' ' * len(text)}\r")
            stream.flush()
        except (OSError, ValueError):
            pass  # The terminal has gone.
