//===- Sparse.cpp - Gradients of ops on several row spaces ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients that edges hand to an operand are added up along the operand's
// path. A gathered gradient is read where it comes from, so that no walk stores
// it.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

using namespace mlir;
using namespace gnn;

namespace {
/// An operand of an op on rows of several spaces.
struct Operand {
  Value value;
  RowPath path;

  PathRead read() const {
    return {value, path.isAmbiguous() ? path.via : std::nullopt};
  }
  ArrayRef<int64_t> features() const {
    return getFeatures(cast<RankedTensorType>(value.getType()));
  }
};
} // namespace

/// The gradient of `of` from what each row hands it, with features that it has
/// been repeated along.
static Value handDown(GradientBuilder &b, Value parts, const Operand &of) {
  return b.sumAlong(b.sumFeatures(parts, of.features()), of.path,
                    getTensorType(of.value));
}

/// The sum over the features that `of` lacks of `gradient * other`: as inner
/// products where it lacks one, so that the products are stored nowhere.
static Value multiply(GradientBuilder &b, RankedTensorType rows, Value gradient,
                      const Operand &other, const Operand &of) {
  PathRead read = b.readThrough(gradient);
  ArrayRef<int64_t> features = getFeatures(getTensorType(gradient));
  if (features == other.features() && of.features().size() < features.size())
    return b.sddmm(rows, read, other.read());
  return b.apply(BinaryKind::Mul, rows, read, other.read());
}

/// The gradients of `lhs kind rhs`, in rows of `rows`.
static void throughBinary(GradientBuilder &b, BinaryKind kind,
                          RankedTensorType rows, Value gradient,
                          ArrayRef<Operand> operands,
                          const llvm::BitVector &asked,
                          MutableArrayRef<Value> ofOperands) {
  auto give = [&](unsigned operand, Value parts) {
    ofOperands[operand] = handDown(b, parts, operands[operand]);
  };
  if (kind == BinaryKind::Copy || kind == BinaryKind::Add ||
      kind == BinaryKind::Sub) {
    if (asked[0])
      give(0, gradient);
    if (operands.size() == 2 && asked[1])
      give(1, kind == BinaryKind::Sub ? b.neg(gradient) : gradient);
    return;
  }
  const Operand &lhs = operands[0], &rhs = operands[1];
  if (kind == BinaryKind::Mul) {
    for (unsigned i : {0, 1})
      if (asked[i])
        give(i, multiply(b, rows, gradient, operands[1 - i], operands[i]));
    return;
  }
  // d(l / r) = dl / r - (l / r) dr / r
  Value quotient =
      b.apply(BinaryKind::Div, rows, b.readThrough(gradient), rhs.read());
  if (asked[0])
    give(0, quotient);
  if (asked[1]) {
    Value product = b.apply(BinaryKind::Mul, rows, {quotient}, lhs.read());
    give(1, b.neg(b.apply(BinaryKind::Div, rows, {product}, rhs.read())));
  }
}

static SmallVector<Operand> operandsOf(OperandRange values,
                                       ArrayRef<RowPath> paths) {
  SmallVector<Operand> operands;
  for (auto [value, path] : llvm::zip(values, paths))
    operands.push_back({value, path});
  return operands;
}

LogicalResult ApplyOp::buildGradient(OpBuilder &builder,
                                     ArrayRef<Value> gradients,
                                     const llvm::BitVector &asked,
                                     MutableArrayRef<Value> ofOperands) {
  GradientBuilder b(builder, getLoc());
  throughBinary(b, getKind(), getType(), gradients[0],
                operandsOf(getOperands(), getRowPaths()), asked, ofOperands);
  return success();
}

Value SddmmOp::buildTranspose(OpBuilder &builder, unsigned operand,
                              Value gradient) {
  GradientBuilder b(builder, getLoc());
  SmallVector<Operand> operands = operandsOf(getOperands(), getRowPaths());
  Value parts = b.apply(BinaryKind::Mul, getType(),
                        operands[1 - operand].read(), b.readThrough(gradient));
  return handDown(b, parts, operands[operand]);
}

//===----------------------------------------------------------------------===//
// spmm
//===----------------------------------------------------------------------===//

/// Rows of edges, with the features of `type`.
static RankedTensorType edgesOf(RankedTensorType type) {
  return withRowSpace(type, RowSpace::Edge);
}

/// An extreme is taken apart: its argument says which edge it is of.
Operation *SpmmOp::getWithGradientNeeds(OpBuilder &builder) {
  if (getReduce() != ReduceKind::Max && getReduce() != ReduceKind::Min)
    return *this;
  Value parts =
      ApplyOp::create(builder, getLoc(), edgesOf(getType()), getKind(),
                      getLhs(), getLhsViaAttr(), getRhs(), getRhsViaAttr());
  AggregateOp apart = AggregateOp::create(builder, getLoc(), getType(),
                                          getReduce(), parts, getVia());
  Operation *op = apart.getWithGradientNeeds(builder);
  apart.erase();
  return op;
}

LogicalResult SpmmOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> gradients,
                                    const llvm::BitVector &asked,
                                    MutableArrayRef<Value> ofOperands) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType edges = edgesOf(getType());
  SmallVector<RowPath> paths = getRowPaths();
  Value ofEdges = getReduce() == ReduceKind::Mean
                      ? b.shareOfMean(gradients[0], edges, paths.back())
                      : b.readAlong(gradients[0], edges, paths.back());
  throughBinary(b, getKind(), edges, ofEdges, operandsOf(getOperands(), paths),
                asked, ofOperands);
  return success();
}

//===----------------------------------------------------------------------===//
// edge_softmax
//===----------------------------------------------------------------------===//

/// The rows of the groups of a softmax over `over`, and the path there.
static std::pair<RankedTensorType, RowPath>
groupsOf(RankedTensorType type, RowSpace over, bool isSquare) {
  RowSpace from = *getRowSpace(type), to = over;
  bool ofNodes = over == RowSpace::Src || over == RowSpace::Dst;
  if (ofNodes && isSquare)
    to = RowSpace::Node;
  RowPath path = {from, to, std::nullopt};
  if (path.isAmbiguous())
    path.via = over == RowSpace::Src || over == RowSpace::SrcPair
                   ? EndPoint::Src
                   : EndPoint::Dst;
  return {withRowSpace(type, to), path};
}

LogicalResult EdgeSoftmaxOp::buildGradient(OpBuilder &builder,
                                           ArrayRef<Value> gradients,
                                           const llvm::BitVector &,
                                           MutableArrayRef<Value> ofOperands) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType type = getResult().getType();
  auto [groups, path] = groupsOf(type, getOver(), isOnSquareGraph(*this, type));
  Value weighed = b.mul(getResult(), gradients[0]);
  Operand sum = {b.sumAlong(weighed, path, groups), path};
  ofOperands[0] =
      b.sub(weighed, b.apply(BinaryKind::Mul, type, {getResult()}, sum.read()));
  return success();
}
