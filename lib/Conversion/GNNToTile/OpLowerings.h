//===- OpLowerings.h - How the lowering of an op is registered --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each source lowers the ops of a theme and registers the functions that do.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOTILE_OPLOWERINGS_H
#define GNN_LIB_CONVERSION_GNNTOTILE_OPLOWERINGS_H

#include "GNN/Conversion/GNNToTile.h"

namespace gnn {

/// Lowers an op by a function.
template <auto lower> struct LoweringModel;
template <typename OpT, llvm::LogicalResult (*lower)(OpT, Lowering &)>
struct LoweringModel<lower>
    : LowerToTileOpInterface::ExternalModel<LoweringModel<lower>, OpT> {
  static void attach(mlir::MLIRContext *context) {
    OpT::template attachInterface<LoweringModel>(*context);
  }
  llvm::LogicalResult lowerToTile(mlir::Operation *op,
                                  Lowering &lowering) const {
    return lower(mlir::cast<OpT>(op), lowering);
  }
};

/// Registers functions that lower ops of `DialectT`.
template <typename DialectT, auto... lower>
void registerLowerings(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *context, DialectT *) {
    (LoweringModel<lower>::attach(context), ...);
  });
}

void registerAttentionLowering(mlir::DialectRegistry &registry);
void registerColumnLowerings(mlir::DialectRegistry &registry);
void registerDenseLowerings(mlir::DialectRegistry &registry);
void registerDropoutLowering(mlir::DialectRegistry &registry);
void registerFeatureLowerings(mlir::DialectRegistry &registry);
void registerGradientLowerings(mlir::DialectRegistry &registry);
void registerLoopLowerings(mlir::DialectRegistry &registry);
void registerRowLowerings(mlir::DialectRegistry &registry);

/// The rows of a space, edges in the order in which their values are kept;
/// nodes are read at `end`.
tile::RowDomain keptRows(RowSpace space, std::optional<EndPoint> end);

/// An end of a path as the lattice has it.
RowEnd toRowEnd(std::optional<EndPoint> end);

/// Whether `value` is an i1 that an elementwise op makes: it has no lowered
/// form, and what reads it computes it again.
bool isCondition(mlir::Value value);

/// Requires as many rows of `rows` as of `others`, or at most as many.
void requireCount(Lowering &lowering, mlir::Location loc,
                  const LoweredRows &rows, const LoweredRows &others,
                  bool atMost);

/// The body of a traversal that copies its first input.
inline mlir::Value copied(mlir::OpBuilder &, mlir::Location,
                          mlir::ValueRange args) {
  return args[0];
}

/// The value of an op on one row, at a point of a domain with `dims` feature
/// dimensions, from its operands there.
mlir::Value emitOnOneRow(mlir::OpBuilder &b, mlir::Operation *op,
                         mlir::ValueRange operands, size_t dims);

/// The value of an activation at `x`; `slope` is the weight of prelu.
mlir::Value emitActivation(mlir::OpBuilder &b, mlir::Location loc,
                           ActivationKind kind,
                           std::optional<llvm::APFloat> alpha, mlir::Value x,
                           mlir::Value slope);

/// The value of a binary kind.
mlir::Value emitBinary(mlir::OpBuilder &b, mlir::Location loc, BinaryKind kind,
                       mlir::Value lhs, mlir::Value rhs);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOTILE_OPLOWERINGS_H
