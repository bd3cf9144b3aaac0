# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Simulated times, and closed forms of them."""

import collections.abc
import ctypes
import json

from .. import capi, files, types
from . import native

LAYER_TYPES = ("aggregate", "linear", "vector_inner", "vector_add", "activation",
               "batch_norm")


class Report(collections.abc.Mapping):
    """The time of a program as `Program.simulate` finds it. A mapping of what
    `gnn-overlay-sim --report=FILE.json` writes; nothing of it is timed on hardware."""

    def __init__(self, fields):
        self._fields = fields

    def __getitem__(self, name):
        return self._fields[name]

    def __iter__(self):
        return iter(self._fields)

    def __len__(self):
        return len(self._fields)

    @property
    def cycles(self):
        """Cycles of all layers."""
        return self["cycles"]

    @property
    def seconds(self):
        """T_LoH: cycles at the frequency of the options."""
        return self["seconds"]

    @property
    def layers(self):
        """A dict of each layer: name, type, features in and out, tiles, cycles, and by
        processing element the cycles busy, waiting and idle."""
        return self["layers"]

    @property
    def parts(self):
        """A dict of each super partition: cycles, bytes_in and bytes_out that the host sends
        and takes, and whether it waits for what the part before sends back."""
        return self._fields.get("parts", [])

    @property
    def seconds_with_transfers(self):
        """Seconds of a program of parts with their transfers, which go on while parts run;
        None without parts."""
        return self._fields.get("seconds_with_transfers")

    @property
    def transfer_seconds(self):
        """T_comm of features and edges without padding, 4 V f + 12 E bytes."""
        return self["transfer_seconds"]

    def save(self, path):
        """Writes it as JSON."""
        files.write(path, json.dumps(self._fields, indent=1) + "\n")

    def __str__(self):
        options = self["options"]
        lines = [f"simulated, memory {options['memory']}, network {options['network']}: "
                 f"{self.cycles:,} cycles, {self.seconds * 1e3:.4f} ms"]
        lines += [f"  {layer['name']}: {layer['type']} {layer['in']} -> {layer['out']}, "
                  f"{layer['tiles']} tiles, {layer['cycles']:,} cycles"
                  for layer in self.layers]
        return "\n".join(lines)

    def __repr__(self):
        return f"Report({self.cycles} cycles)"


def roofline(layers, vertices, edges, *, memory="ideal", n1=None, **options):
    """Cycles of layers without tiles: the closed form M0, or with memory="shared" that of
    shared memory for blocks of `n1` rows (None: by the rule). `layers` are (type, features
    in, features out) each, a type by its name or its number in table II. Options: `pes`,
    `bandwidth`, `frequency`, the two and `n1` of shared memory alone. Raises ValueError for
    layers and numbers that are none, GNNError for options."""
    native.load()
    made = [_layer(place, layer) for place, layer in enumerate(layers)]
    given = (native.Layer * len(made))(*made)
    vertices = types.integer("vertices", vertices, 0, native.MOST)
    cycles = ctypes.c_double()
    capi.call("gnnOverlayRoofline", given, len(made), vertices, edges,
              native.options_text(dict(options, memory=memory, n1=n1)),
              ctypes.byref(cycles))
    return cycles.value


def _layer(place, layer):
    """A layer of the closed form; raises ValueError."""
    if not isinstance(layer, (tuple, list)) or len(layer) != 3:
        raise ValueError(f"layer {place}: expected (type, features in, features out), got "
                         f"{types.described(layer)}")
    kind, *features = layer
    if isinstance(kind, str):
        if kind not in LAYER_TYPES:
            raise ValueError(f"layer {place}: expected a type of {', '.join(LAYER_TYPES)}; got "
                             f"{kind!r}")
        kind = LAYER_TYPES.index(kind)
    kind = types.integer(f"layer {place}: type", kind, 0, len(LAYER_TYPES) - 1)
    return native.Layer(kind, *[types.integer(f"layer {place}: {name}", value, 0, native.MOST)
                                for name, value in zip(("features in", "features out"),
                                                       features)])
