# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs whose arrays stay on a device: as much of them as binding asks."""

import abc


class PlacedGraph(abc.ABC):
    """A typed graph whose structures are built where its arrays are."""

    @property
    @abc.abstractmethod
    def place(self):
        """Where it is, as compiled functions name devices: the host, or "cuda:0"."""

    @staticmethod
    @abc.abstractmethod
    def bind_all(package, names, graphs, device):
        """Functions of a package, bound on a device to such graphs there, by name."""
