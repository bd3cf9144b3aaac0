# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a data set of PyG, which downloads it, as a graph file for the examples.

    python examples/train/from_pyg.py cora cora.npz
"""

import argparse
import tempfile

import numpy as np
import torch

import gnn_mlir
import learning

DATASETS = {"cora": ("Planetoid", "Cora"), "citeseer": ("Planetoid", "CiteSeer"),
            "pubmed": ("Planetoid", "PubMed"), "aifb": ("Entities", "AIFB"),
            "mutag": ("Entities", "MUTAG"), "wn18rr": ("WordNet18RR",),
            "fb15k237": ("RelLinkPredDataset", "FB15k-237")}
PARTS = ("train", "val", "test")


def features(x):
    """The arrays of a graph file that hold features: rows of what is not 0."""
    x = x.numpy()
    rows, columns = np.nonzero(x)
    begin = np.r_[0, np.cumsum(np.bincount(rows, minlength=len(x)))]
    return {"feat_indptr": begin.astype(np.int32), "feat_dim": np.int32(x.shape[1]),
            "feat_indices": columns.astype(np.int32),
            "feat_data": x[rows, columns].astype(np.float32)}


def planetoid(data):
    """Labels, masks and features of nodes."""
    masks = {f"{part}_mask": data[f"{part}_mask"].numpy() for part in PARTS}
    return gnn_mlir.Graph(*data.edge_index, data.num_nodes, arrays={
        **features(data.x), "label": data.y.numpy().astype(np.int32), **masks})


def entities(data):
    """Labels of some nodes. Types 2 r and 2 r + 1 are relation r and its inverse,
    which the examples make themselves."""
    kept = data.edge_type % 2 == 0
    arrays = {"label": np.full(data.num_nodes, -1, np.int32)}
    for part in ("train", "test"):
        rows = data[f"{part}_idx"].numpy()
        arrays["label"][rows] = data[f"{part}_y"].numpy()
        arrays[f"{part}_mask"] = np.isin(np.arange(data.num_nodes), rows)
    return gnn_mlir.Graph(*data.edge_index[:, kept], data.num_nodes,
                          edge_type=data.edge_type[kept] // 2, arrays=arrays)


def facts(data):
    """A split of edges: masks of them, or edges by part."""
    if "train_mask" in data:
        ends, types = data.edge_index, data.edge_type
        split = sum(i * data[f"{part}_mask"].int() for i, part in enumerate(PARTS))
    else:
        parts = ("train", "valid", "test")
        ends = torch.cat([data[f"{part}_edge_index"] for part in parts], 1)
        types = torch.cat([data[f"{part}_edge_type"] for part in parts])
        split = torch.cat([torch.full_like(data[f"{part}_edge_type"], i)
                           for i, part in enumerate(parts)])
    return gnn_mlir.Graph(*ends, data.num_nodes, edge_type=types,
                          arrays={"edge_split": split.numpy().astype(np.int8)})


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", choices=DATASETS)
    parser.add_argument("out", help="the .npz file to write")
    options = parser.parse_args(arguments)
    learning.import_pyg("from_pyg")
    from torch_geometric import datasets
    kind, *name = DATASETS[options.name]
    with tempfile.TemporaryDirectory() as folder:
        data = getattr(datasets, kind)(folder, *name)[0]
    graph = {"Planetoid": planetoid, "Entities": entities}.get(kind, facts)(data)
    graph.save(options.out)
    print(f"{options.out}: {graph}")


if __name__ == "__main__":
    learning.run_example(main)
