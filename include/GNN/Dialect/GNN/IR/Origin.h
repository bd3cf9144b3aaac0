//===- Origin.h - Which op of a model lower IR comes from -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locations carry it: an op of a whole-graph function puts its name into its
// location, which everything that it is lowered to inherits and fusion joins.
// IR that is printed without locations has no origins.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_ORIGIN_H
#define GNN_DIALECT_GNN_IR_ORIGIN_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace gnn {

/// An op of a model.
struct Origin {
  /// Its name without the dialect's: "typed_linear".
  llvm::StringRef op;
  /// The location in a file, or null.
  mlir::FileLineColLoc place;

  bool operator==(const Origin &other) const {
    return op == other.op && place == other.place;
  }
};

/// Puts the name of `op` into its location.
void setOrigin(mlir::Operation *op);

/// The ops that a location comes from, in their order, each once.
llvm::SmallVector<Origin> getOrigins(mlir::Location location);

/// The first part of a location that is in a file, or null.
mlir::FileLineColLoc getPlace(mlir::Location location);

/// "layer.mlir:8:3", or "-" of null.
std::string describe(mlir::FileLineColLoc place);

/// "typed_linear at layer.mlir:8:3", or the name alone.
std::string describe(const Origin &origin);

/// The ops of the model from which `op` comes, with commas between; its own
/// name if they are unknown.
std::string describeOrigins(mlir::Operation *op);

} // namespace gnn

#endif // GNN_DIALECT_GNN_IR_ORIGIN_H
