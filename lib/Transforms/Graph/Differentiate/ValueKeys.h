//===- ValueKeys.h - Hashes of computations of values -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_VALUEKEYS_H
#define GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_VALUEKEYS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace gnn {

/// Hashes of the values of a function, the same in each compilation: those of
/// two values are equal where the same ops compute them of the same arguments.
class ValueKeys {
public:
  explicit ValueKeys(mlir::Block &body) { add(body, 0); }

  /// 16 hexadecimal digits; empty where it is computed of a constant whose
  /// elements are not given.
  std::string get(mlir::Value value) const;

private:
  /// Gives the arguments and results in a block of the op `parent` their keys,
  /// and the key of all of it.
  uint64_t add(mlir::Block &block, uint64_t parent);
  uint64_t add(mlir::Operation &op);

  llvm::DenseMap<mlir::Value, uint64_t> keys;
  llvm::DenseSet<mlir::Value> unknown;
};

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_VALUEKEYS_H
