# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as programs, with PyG's definitions and defaults. Each function returns
a `gnn_mlir.Module` with one function; the `*_layer` functions build a layer into a
function of your own."""

from .compgcn import compgcn, compgcn_layer
from .gat import gat, gat_layer
from .gatv2 import gatv2, gatv2_layer
from .gcn import Norm, gcn, gcn_layer, gcn_norm, propagate, sgc
from .gin import gin, gin_layer
from .graphagile import graphagile
from .graphgym import batch_norm, graphgym
from .hgt import hgt, hgt_layer
from .rgat import hector_rgat, hector_rgat_layer, rgat, rgat_blocks, rgat_layer
from .rgcn import relation_weights, rgcn, rgcn_blocks, rgcn_layer
from .sage import sage, sage_blocks, sage_layer
from .transformer import transformer, transformer_layer

__all__ = ["Norm", "batch_norm", "compgcn", "compgcn_layer", "gat", "gat_layer", "gatv2",
           "gatv2_layer", "gcn", "gcn_layer", "gcn_norm", "gin", "gin_layer",
           "graphagile", "graphgym", "hector_rgat", "hector_rgat_layer", "hgt",
           "hgt_layer", "propagate", "relation_weights", "rgat", "rgat_blocks",
           "rgat_layer", "rgcn", "rgcn_blocks", "rgcn_layer", "sage", "sage_blocks", "sage_layer", "sgc",
           "transformer", "transformer_layer"]
