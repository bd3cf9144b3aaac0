//===- GNNSparseOps.cpp - Rows of several spaces at once ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::detail;

/// The path from rows of `from` to those of `value`.
static RowPath pathTo(RowSpace from, Value value, std::optional<EndPoint> via) {
  return {from, *getRowSpace(value.getType()), via};
}

/// Verifies that `copy` has one operand and the other kinds have two.
static LogicalResult verifyOperandCount(EmitError emitError, BinaryKind kind,
                                        Value rhs) {
  bool isCopy = kind == BinaryKind::Copy;
  if (isCopy != static_cast<bool>(rhs))
    return success();
  return emitError() << stringifyBinaryKind(kind) << ": expected "
                     << (isCopy ? "one operand, got two"
                                : "two operands, got one");
}

/// The features that two operands combine to: the longer of the two.
static ArrayRef<int64_t> combinedFeatures(Value lhs, Value rhs) {
  auto a = getFeatures(cast<RankedTensorType>(lhs.getType()));
  if (!rhs)
    return a;
  auto b = getFeatures(cast<RankedTensorType>(rhs.getType()));
  return a.size() >= b.size() ? a : b;
}

/// Verifies that the features of one operand begin with those of the other.
static LogicalResult verifyFeaturesMeet(EmitError emitError, Value lhs,
                                        Value rhs) {
  if (!rhs)
    return success();
  auto a = getFeatures(cast<RankedTensorType>(lhs.getType()));
  auto b = getFeatures(cast<RankedTensorType>(rhs.getType()));
  if (isPrefix(a, b) || isPrefix(b, a))
    return success();
  return emitError() << "expected features of one operand to begin with those "
                        "of the other, got "
                     << formatShape(a) << " and " << formatShape(b);
}

/// Verifies that `result` has the features `expected`.
static LogicalResult verifyResultFeatures(EmitError emitError,
                                          ArrayRef<int64_t> expected,
                                          RankedTensorType result) {
  if (getFeatures(result) == expected)
    return success();
  return emitError() << "expected features " << formatShape(expected)
                     << " of result, got " << formatShape(getFeatures(result));
}

/// The names of the rows that the paths of an op lead to, in their order.
static constexpr StringLiteral pathNames[] = {"lhs", "rhs", "result"};

/// Verifies that all paths exist.
static LogicalResult verifyPathsExist(EmitError emitError,
                                      ArrayRef<RowPath> paths,
                                      ArrayRef<StringLiteral> names) {
  for (auto [path, name] : llvm::zip_equal(paths, names))
    if (failed(verifyPathExists(emitError, path, name)))
      return failure();
  return success();
}

/// Verifies the `via` of all paths.
static LogicalResult verifyVias(EmitError emitError, ArrayRef<RowPath> paths,
                                ArrayRef<StringLiteral> names) {
  for (auto [path, name] : llvm::zip_equal(paths, names))
    if (failed(verifyVia(emitError, path, name)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// apply
//===----------------------------------------------------------------------===//

SmallVector<RowPath> ApplyOp::getRowPaths() {
  RowSpace from = *getRowSpace(getType());
  SmallVector<RowPath> paths = {pathTo(from, getLhs(), getLhsVia())};
  if (getRhs())
    paths.push_back(pathTo(from, getRhs(), getRhsVia()));
  return paths;
}

LogicalResult ApplyOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  SmallVector<RowPath> paths = getRowPaths();
  auto names = ArrayRef(pathNames).take_front(paths.size());
  if (failed(verifyPathsExist(emitError, paths, names))) // C1
    return failure();
  if (failed(verifyVias(emitError, paths, names))) // C2
    return failure();
  if (failed(verifyOperandCount(emitError, getKind(), getRhs()))) // C3
    return failure();
  if (failed(verifyFeaturesMeet(emitError, getLhs(), getRhs()))) // C4
    return failure();
  return verifyResultFeatures(emitError, combinedFeatures(getLhs(), getRhs()),
                              getType()); // C5
}

//===----------------------------------------------------------------------===//
// sddmm
//===----------------------------------------------------------------------===//

SmallVector<RowPath> SddmmOp::getRowPaths() {
  RowSpace from = *getRowSpace(getType());
  return {pathTo(from, getLhs(), getLhsVia()),
          pathTo(from, getRhs(), getRhsVia())};
}

LogicalResult SddmmOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  SmallVector<RowPath> paths = getRowPaths();
  auto names = ArrayRef(pathNames).take_front(paths.size());
  auto lhs = getLhs().getType(), rhs = getRhs().getType();
  if (failed(verifyPathsExist(emitError, paths, names))) // C1
    return failure();
  if (failed(verifyVias(emitError, paths, names))) // C2
    return failure();
  if (getFeatures(lhs).empty()) // C3
    return emitOpError(
        "expected at least one feature dimension of lhs, got none");
  if (failed(verifySameFeatures(emitError, lhs, rhs, "rhs"))) // C3
    return failure();
  return verifyResultFeatures(emitError, getFeatures(lhs).drop_back(),
                              getType()); // C4
}

//===----------------------------------------------------------------------===//
// spmm
//===----------------------------------------------------------------------===//

SmallVector<RowPath> SpmmOp::getRowPaths() {
  SmallVector<RowPath> paths = {pathTo(RowSpace::Edge, getLhs(), getLhsVia())};
  if (getRhs())
    paths.push_back(pathTo(RowSpace::Edge, getRhs(), getRhsVia()));
  paths.push_back(pathTo(RowSpace::Edge, getResult(), getVia()));
  return paths;
}

LogicalResult SpmmOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  SmallVector<RowPath> paths = getRowPaths();
  SmallVector<StringLiteral> names = {pathNames[0]};
  if (getRhs())
    names.push_back(pathNames[1]);
  names.push_back(pathNames[2]);
  if (paths.back().isIdentity()) // C1
    return emitOpError(
        "expected rows that edges are reduced to, got edge rows");
  if (failed(verifyVias(emitError, paths, names))) // C2
    return failure();
  if (failed(verifyOperandCount(emitError, getKind(), getRhs()))) // C3
    return failure();
  if (failed(verifyFeaturesMeet(emitError, getLhs(), getRhs()))) // C4
    return failure();
  return verifyResultFeatures(emitError, combinedFeatures(getLhs(), getRhs()),
                              getType()); // C5
}

//===----------------------------------------------------------------------===//
// edge_softmax
//===----------------------------------------------------------------------===//

SmallVector<RowPath> EdgeSoftmaxOp::getRowPaths() {
  return {{*getRowSpace(getType()), getOver(), std::nullopt}};
}

LogicalResult EdgeSoftmaxOp::verify() {
  RowSpace over = getOver(), rows = *getRowSpace(getType());
  bool ofSrc = over == RowSpace::Src || over == RowSpace::SrcPair;
  bool ofDst = over == RowSpace::Dst || over == RowSpace::DstPair;
  if (!ofSrc && !ofDst) // C1
    return emitOpError(
               "expected groups over src, dst, src_pair or dst_pair, got ")
           << stringifyRowSpace(over);
  bool isNode = over == RowSpace::Src || over == RowSpace::Dst;
  RowSpace pair = ofSrc ? RowSpace::SrcPair : RowSpace::DstPair;
  if (rows != RowSpace::Edge && !(isNode && rows == pair)) // C2
    return emitOpError("expected edge rows")
           << (isNode ? (ofSrc ? " or src_pair rows" : " or dst_pair rows")
                      : "")
           << " over " << stringifyRowSpace(over) << ", got "
           << stringifyRowSpace(rows) << " rows";
  return success();
}

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNSparseOps.cpp.inc"

void GNNDialect::addSparseOps() {
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/GNN/IR/GNNSparseOps.cpp.inc"
      >();
}
