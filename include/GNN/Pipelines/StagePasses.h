//===- StagePasses.h - Passes of the user around stages ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where passes from outside of the tree run while something compiles
// (docs/Plugins.md).
//
//===----------------------------------------------------------------------===//

#ifndef GNN_PIPELINES_STAGEPASSES_H
#define GNN_PIPELINES_STAGEPASSES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace gnn {

/// Passes at the beginning and at the end of stages, by their names.
class StagePasses {
public:
  /// Adds the passes of "POINT=PASSES", where a point is `STAGE-begin` or
  /// `STAGE-end`, behind those that are there. PASSES is a pipeline on the
  /// module. Fails with what was expected in `message`.
  mlir::LogicalResult add(llvm::StringRef text, std::string &message);

  /// The points that have passes.
  auto getPoints() const { return llvm::make_first_range(texts); }

  /// Adds the passes of a point to `pm`.
  void build(mlir::OpPassManager &pm, llvm::StringRef stage,
             llvm::StringRef side) const;
  /// Their text as it was given; empty where there are none.
  llvm::StringRef getText(llvm::StringRef stage, llvm::StringRef side) const;

private:
  /// By point; passes with commas between.
  std::map<std::string, std::string> texts;
};

} // namespace gnn

#endif // GNN_PIPELINES_STAGEPASSES_H
