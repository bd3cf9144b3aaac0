//===- VerifyGraphForm.cpp - The contract of level 1 ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifiers of ops hold what one op can know. This pass holds what only a
// whole function shows: which other ops stand between those of the dialect.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Transforms/Graph/Passes.h"

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

namespace gnn {
#define GEN_PASS_DEF_VERIFYGRAPHFORM
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static bool hasRows(Type type) { return static_cast<bool>(getRows(type)); }

/// All types of a function's border.
static SmallVector<Type> borderOf(func::FuncOp func) {
  SmallVector<Type> types(func.getArgumentTypes());
  llvm::append_range(types, func.getResultTypes());
  return types;
}

/// Whether a function has to do with graphs at all.
static bool usesGraphs(func::FuncOp func) {
  if (llvm::any_of(borderOf(func), hasRows))
    return true;
  return func
      .walk([](Operation *op) {
        bool uses = isa_and_present<GNNDialect>(op->getDialect()) ||
                    llvm::any_of(op->getResultTypes(), hasRows);
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Verifies that tensors hold numbers, of types that the compiler knows. `what`
/// of the op has the type; empty: the op itself.
static LogicalResult verifyElementType(Operation *op, Type type,
                                       StringRef what = "") {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return success();
  if (!tensor.hasRank())
    return op->emitOpError("expected tensors of known rank, got ") << type;
  // A graph may have no types, and so no weights of them.
  if (llvm::is_contained(tensor.getShape().drop_front(hasRows(type)), 0))
    return op->emitOpError("expected tensors with elements, got ") << type;
  Type element = tensor.getElementType();
  // bf16 and f16 are features, which no kernel stores yet.
  if (element.isF32() || element.isInteger(32) || element.isInteger(1))
    return success();
  return op->emitOpError(what)
         << "has an unsupported element type: expected f32, i32 or i1, got "
         << element;
}

/// Verifies the results of an op and of all ops in it.
static LogicalResult verifyElementTypes(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(verifyElementType(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Names the rows of a type as a user would.
static std::string describeRows(Type type) {
  RowsAttr rows = getRows(type);
  if (!rows)
    return "no rows";
  return (stringifyRowSpace(rows.getSpace()) + " rows of @" +
          rows.getGraph().getValue())
      .str();
}

/// Verifies that an elementwise op works on rows of one space.
static LogicalResult verifySameRows(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  llvm::erase_if(types, [](Type type) { return !isa<TensorType>(type); });
  for (Type type : types)
    if (getRows(type) != getRows(types.front()))
      return op->emitOpError("expected ")
             << describeRows(types.front())
             << " of all operands and results, got " << describeRows(type);
  return success();
}

/// Verifies an op of another dialect that reads or makes rows.
static LogicalResult verifyForeignOp(Operation *op) {
  if (op->hasTrait<OpTrait::Elementwise>())
    return verifySameRows(op);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return op->emitOpError("expected ")
           << describeRows(cast.getSource().getType())
           << " to stay what they are, got " << describeRows(cast.getType());
  if (isa<arith::ConstantOp>(op)) // as many rows as are known
    return success();
  return op->emitOpError("expected only gnn ops and elementwise arith and math "
                         "ops on rows of a graph");
}

/// Verifies one op of a function's body.
static LogicalResult verifyOp(Operation *op) {
  if (isa<RowLoopInterface, AttentionOp>(op)) // its verifier knows its body
    return verifyElementTypes(op);
  if (op->getNumRegions() != 0)
    return op->emitOpError(
        "expected straight-line code, got an op with regions");
  if (isa<func::CallOp>(op))
    return op->emitOpError("expected straight-line code, got a call that "
                           "cannot be inlined");
  for (Type type : op->getResultTypes())
    if (failed(verifyElementType(op, type)))
      return failure();
  Dialect *dialect = op->getDialect();
  if (isa<func::ReturnOp>(op) || isa_and_present<GNNDialect>(dialect))
    return success();
  if (!isa_and_present<arith::ArithDialect, math::MathDialect,
                       tensor::TensorDialect>(dialect)) {
    if (isa<LowerToTileOpInterface>(op))
      return success();
    return op->emitOpError("expected ops of gnn, arith, math and tensor, or "
                           "ones that lower to gnn_tile, got one of ")
           << op->getName().getDialectNamespace();
  }
  bool touchesRows = llvm::any_of(op->getOperandTypes(), hasRows) ||
                     llvm::any_of(op->getResultTypes(), hasRows);
  return touchesRows ? verifyForeignOp(op) : success();
}

/// Verifies a type at the border of a function: what a caller holds has a
/// buffer, and conditions have none.
static LogicalResult verifyBorderType(func::FuncOp func, Type type,
                                      const Twine &what,
                                      SymbolTableCollection &symbols) {
  if (isa<TensorType>(type) && getElementTypeOrSelf(type).isInteger(1))
    return func.emitOpError("expected f32 or i32 as arguments and results, "
                            "got ")
           << type;
  if (failed(verifyElementType(func, type, what.str())))
    return failure();
  return gnn::detail::verifyRowsOf(func, type, symbols);
}

/// Verifies a function on graphs.
static LogicalResult verifyFunction(func::FuncOp func,
                                    SymbolTableCollection &symbols) {
  for (auto [number, type] : llvm::enumerate(func.getArgumentTypes()))
    if (failed(verifyBorderType(func, type, "argument #" + Twine(number) + " ",
                                symbols)))
      return failure();
  for (auto [number, type] : llvm::enumerate(func.getResultTypes()))
    if (failed(verifyBorderType(func, type, "result #" + Twine(number) + " ",
                                symbols)))
      return failure();
  if (func.isExternal())
    return success();
  if (!llvm::hasSingleElement(func.getBody()))
    return func.emitOpError("expected straight-line code in one block, got ")
           << llvm::range_size(func.getBody()) << " blocks";
  for (Operation &op : func.getBody().front())
    if (failed(verifyOp(&op)))
      return failure();
  if (func.getNumResults() == 0)
    return func.emitOpError("expected a result, got none: a function on "
                            "graphs does nothing else");
  return success();
}

namespace {
struct VerifyGraphForm : gnn::impl::VerifyGraphFormBase<VerifyGraphForm> {
  using VerifyGraphFormBase::VerifyGraphFormBase;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (usesGraphs(func) && failed(verifyFunction(func, symbols)))
        signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
