//===- WalkWindows.h - Windows over the elements of a row -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk knows the rows that elements lead to by indices, which all lanes of a
// row load alike. With a window, its workers stage them once, of several
// elements at a time (G-Sparse III-B).
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LOOPS_WALKWINDOWS_H
#define GNN_LIB_TRANSFORMS_LOOPS_WALKWINDOWS_H

#include "../Utils/IndexBuilder.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/IRMapping.h"

namespace gnn::tile {

/// The windows of one walk; of one without there is nothing to stage.
class WalkWindows {
public:
  explicit WalkWindows(WalkOp walk);

  /// Whether something is staged.
  explicit operator bool() const { return !loads.empty(); }
  size_t getCount() const { return loads.size(); }

  /// Walks the elements from `begin` to before `end` window by window: `body`
  /// makes the loop over those of one, from its first to before its end, and
  /// gives the states behind it.
  using Body = llvm::function_ref<IndexBuilder::Values(
      mlir::Value first, mlir::Value end, mlir::ValueRange states)>;
  IndexBuilder::Values makeLoop(IndexBuilder &b, mlir::Value begin,
                                mlir::Value end, mlir::ValueRange states,
                                Body body);
  /// Lets what is staged of the element at `position` of the window that is
  /// walked be read from there.
  void map(IndexBuilder &b, mlir::Value position, mlir::IRMapping &values);

private:
  void collect();
  void makeArrays();
  void stage(IndexBuilder &b, mlir::Value first, mlir::Value end);

  WalkOp walk;
  mlir::Value team;                                ///< null: of the block
  int64_t ofTeam = 0;                              ///< entries of a team
  llvm::SmallVector<mlir::Operation *> loads = {}; ///< what is staged
  llvm::SmallVector<mlir::Value> arrays = {};      ///< where
  mlir::Value firstOfWindow;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LOOPS_WALKWINDOWS_H
