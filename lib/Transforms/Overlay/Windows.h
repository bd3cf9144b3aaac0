//===- Windows.h - What tiles reach of regions ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_OVERLAY_WINDOWS_H
#define GNN_LIB_TRANSFORMS_OVERLAY_WINDOWS_H

#include "GNN/Dialect/Overlay/IR/Overlay.h"

#include "llvm/ADT/MapVector.h"

namespace gnn::overlay {

/// A part of a region: blocks and fibers of features, entries of edges; all of
/// other regions, as one row.
struct Window {
  int64_t row = 0, endRow = 0;
  int64_t fiber = 0, endFiber = 1;
  bool isWritten = false;
};

/// Windows by the names of their regions.
using Windows = llvm::MapVector<mlir::StringAttr, Window>;

/// Makes windows hold others too.
void include(Windows &windows, const Windows &others);

/// Whether a window is among others as it is.
bool isSame(const Windows &windows, mlir::StringAttr region,
            const Window &window);

/// The extents of a window, in rows (entries) and columns (edges).
struct WindowExtents {
  int64_t rows, columns, firstRow, firstColumn;
};

/// Where a tile of a layer writes.
struct GridPlace {
  int64_t fiber, block;
};

/// The regions of a program and their layout.
class Geometry {
public:
  explicit Geometry(ProgramOp program);

  bool isOfEdges(mlir::StringAttr region) const;
  WindowExtents extentsOf(RegionOp region, const Window &window) const;
  uint64_t bytesOf(mlir::StringAttr region, const Window &window) const;
  uint64_t bytesOf(const Windows &windows) const;

  /// The fiber and the block of destinations that a tile writes first. Errors,
  /// at the tile: no store.
  mlir::FailureOr<GridPlace> placeOf(TilingBlockOp tile) const;
  /// What the instructions of a tile reach. Errors, at the instruction: a form
  /// that no tile of the compiler has.
  mlir::FailureOr<Windows> windowsOf(TilingBlockOp tile) const;
  /// Has the instructions of a tile address windows in place of regions.
  void moveInto(TilingBlockOp tile, const Windows &windows) const;

private:
  /// The fiber and block, or entry, at bytes behind the begin of a region.
  Window at(mlir::FlatSymbolRefAttr region, int64_t offset) const;
  int64_t shardOf(int64_t entry) const;

  PartitionAttr partition;
  Program shape;
  int64_t subfiberBytes, fiberBytes;
  llvm::DenseMap<mlir::StringAttr, RegionOp> regions;
  /// First entries and first edges of shards, with the ends.
  mlir::SmallVector<int64_t> entries, edges;
};

} // namespace gnn::overlay

#endif // GNN_LIB_TRANSFORMS_OVERLAY_WINDOWS_H
