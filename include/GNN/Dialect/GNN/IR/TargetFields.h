//===- TargetFields.h - Fields of a target ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of `#gnn.target`, whose fields stand in TargetFields.def.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_TARGETFIELDS_H
#define GNN_DIALECT_GNN_IR_TARGETFIELDS_H

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"

#include <cstdint>

namespace gnn {

/// The most that a block or a core holds.
struct TargetLimits {
#define GNN_LIMIT(name, keyword, summary) int64_t name = 0;
#include "GNN/Dialect/GNN/IR/TargetFields.def"

  bool operator==(const TargetLimits &other) const;

  /// The limits of a block on any GPU that kernels can be made for.
  static TargetLimits ofGPU();
};

/// The abilities of a target.
struct TargetAbilities {
#define GNN_ABILITY(name, keyword, summary) bool name = false;
#include "GNN/Dialect/GNN/IR/TargetFields.def"

  bool operator==(const TargetAbilities &other) const;
};

/// The figures of a target, for the cost model.
struct TargetFigures {
#define GNN_FIGURE(name, keyword, summary) double name = 0;
#include "GNN/Dialect/GNN/IR/TargetFields.def"

  bool operator==(const TargetFigures &other) const;
};

llvm::hash_code hash_value(const TargetLimits &limits);
llvm::hash_code hash_value(const TargetAbilities &abilities);
llvm::hash_code hash_value(const TargetFigures &figures);

/// As the IR has them: `{lanes = 32, threads = 1024}`, `[tf32]`. Fields that
/// are 0 are left out.
void print(mlir::AsmPrinter &printer, const TargetLimits &limits);
void print(mlir::AsmPrinter &printer, const TargetAbilities &abilities);
void print(mlir::AsmPrinter &printer, const TargetFigures &figures);

} // namespace gnn

namespace mlir {
template <> struct FieldParser<::gnn::TargetLimits> {
  static FailureOr<::gnn::TargetLimits> parse(AsmParser &parser);
};
template <> struct FieldParser<::gnn::TargetAbilities> {
  static FailureOr<::gnn::TargetAbilities> parse(AsmParser &parser);
};
template <> struct FieldParser<::gnn::TargetFigures> {
  static FailureOr<::gnn::TargetFigures> parse(AsmParser &parser);
};
} // namespace mlir

#endif // GNN_DIALECT_GNN_IR_TARGETFIELDS_H
