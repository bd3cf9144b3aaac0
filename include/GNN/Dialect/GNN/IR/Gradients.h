//===- Gradients.h - Parts that gradients are built of ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse mode over ops with `DifferentiableOpInterface`, and the shared parts
// of the rules of ops.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GRADIENTS_H
#define GNN_DIALECT_GNN_IR_GRADIENTS_H

#include "GNN/Dialect/GNN/IR/RowSpaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {

/// Adds the gradients of arith's and math's elementwise ops to a registry.
void registerGradientModels(mlir::DialectRegistry &registry);

/// The gradients of values, while they are added up.
class Gradients {
public:
  explicit Gradients(mlir::OpBuilder &builder) : builder(builder) {}

  /// Adds a part of the gradient of `value`, of its type.
  void add(mlir::Value value, mlir::Value part);
  /// The gradient of `value`; null if nothing was added.
  mlir::Value get(mlir::Value value) const { return sums.lookup(value); }

private:
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, mlir::Value> sums;
};

/// The values that `op` reads: its operands, and the values from outside that
/// its regions read.
llvm::SetVector<mlir::Value> getReads(mlir::Operation *op);

/// Values that depend on others by floating point numbers, each with the first
/// of these.
using Varying = llvm::DenseMap<mlir::Value, mlir::Value>;

/// The values that vary with `of` among the results of `ops`, and `of`
/// themselves.
Varying findVarying(llvm::ArrayRef<mlir::Operation *> ops, mlir::ValueRange of);

/// The values that vary with the inputs in `gnn.gradients` of a function.
Varying findTrained(mlir::FunctionOpInterface func);

/// Goes from the last of `ops` to the first, with `gradients` of their results,
/// and adds up those of all values in `varying`. Reports at an op without a
/// gradient with respect to one of them the reason.
llvm::LogicalResult differentiate(mlir::OpBuilder &builder,
                                  llvm::ArrayRef<mlir::Operation *> ops,
                                  const Varying &varying, Gradients &gradients);

class ActivationOp;

/// Whether the result of an activation has the sign of its input, as far as its
/// gradient needs: it then reads the result.
bool hasSideInResult(ActivationOp op);

/// The attribute of an attention whose gradient must not use its result: the
/// common term of the scores of a group is added up over its edges.
inline constexpr llvm::StringLiteral sumOverEdges = "gnn.sum_over_edges";
/// A number that identifies an attention. Its gradient sets it on the product
/// that reads the result for this term.
inline constexpr llvm::StringLiteral attentionNumber = "gnn.attention_number";

//===----------------------------------------------------------------------===//
// Requests of a function
//===----------------------------------------------------------------------===//

/// The name by which a caller passes an argument: its `gnn.name`, or "arg" and
/// its number.
std::string getInputName(mlir::FunctionOpInterface func, unsigned number);
/// The same of a result, without a name "out" and its number.
std::string getResultName(mlir::FunctionOpInterface func, unsigned number);

/// Whether a value of `type` may have a gradient: a tensor of features.
bool mayHaveGradient(mlir::Type type);

/// The arguments of `func` whose gradients `names` requests: all possible ones
/// without names. Names of other values are ignored.
llvm::SmallVector<unsigned>
getGradientInputs(mlir::FunctionOpInterface func,
                  llvm::ArrayRef<std::string> names);
/// The same for the attribute `gnn.gradients`; none without it.
llvm::SmallVector<unsigned> getGradientInputs(mlir::FunctionOpInterface func);

/// The names that an attribute lists; none without it.
llvm::SmallVector<std::string> getNames(mlir::Attribute list);

//===----------------------------------------------------------------------===//
// Parts of rules
//===----------------------------------------------------------------------===//

/// Whether the graph of `type`, which `op` names, has one set of nodes at both
/// ends.
bool isOnSquareGraph(mlir::Operation *op, mlir::RankedTensorType type);

/// A value that rows read along a path.
struct PathRead {
  mlir::Value value;
  std::optional<EndPoint> via = std::nullopt;
};

/// Builds the parts of one gradient.
class GradientBuilder {
public:
  GradientBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// The transpose of reading rows along `path`: the sum of all rows that lead
  /// to a row of `type`. `gradient` is in rows of `path.from`.
  mlir::Value sumAlong(mlir::Value gradient, RowPath path,
                       mlir::RankedTensorType type);
  /// The rows of `rows`, in `path.from`, read from `value` in rows of
  /// `path.to`.
  mlir::Value readAlong(mlir::Value value, mlir::RankedTensorType rows,
                        RowPath path);
  /// The transpose of a mean along `path`: the share of each row of `rows` in
  /// the gradient of its group. A group that a row reads has a degree.
  mlir::Value shareOfMean(mlir::Value gradient, mlir::RankedTensorType rows,
                          RowPath path);
  /// The source of a gathered value, and any other value unchanged.
  PathRead readThrough(mlir::Value value);
  /// The same for a value at the end of `path`.
  PathRead readThrough(mlir::Value value, RowPath path);

  /// `lhs kind rhs` in rows of `rows`, a type of the graph of both.
  mlir::Value apply(BinaryKind kind, mlir::RankedTensorType rows, PathRead lhs,
                    PathRead rhs);
  /// The inner products of two values along the last features.
  mlir::Value sddmm(mlir::RankedTensorType rows, PathRead lhs, PathRead rhs);

  /// A number for all elements of a type of rows or weights.
  mlir::Value splat(mlir::Type type, double number);
  /// A weight, repeated for all rows of a type; rows unchanged.
  mlir::Value broadcast(mlir::Value value, mlir::RankedTensorType type);
  /// The sum over the rows and the features for which a weight of type `type`
  /// is repeated.
  mlir::Value sumRows(mlir::Value value, mlir::RankedTensorType type);
  /// The sum over the last features of `value` that `features` lacks.
  mlir::Value sumFeatures(mlir::Value value, llvm::ArrayRef<int64_t> features);
  mlir::Value reduceFeatures(ReduceKind kind, mlir::Value value);
  mlir::Value sumHeads(mlir::Value value);
  /// `value`, `[rows, d]`, for each of `heads`.
  mlir::Value repeatHeads(mlir::Value value, int64_t heads);
  /// Weights with inputs and outputs exchanged.
  mlir::Value transpose(mlir::Value weight);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> features);
  mlir::Value activate(ActivationKind kind, mlir::Value value);

  // Elementwise, on values of one type.
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, double rhs);
  mlir::Value div(mlir::Value lhs, mlir::Value rhs);
  mlir::Value neg(mlir::Value value);
  mlir::Value
  exp(mlir::Value value,
      mlir::arith::FastMathFlags flags = mlir::arith::FastMathFlags::none);
  mlir::Value log(mlir::Value value);
  /// Whether `lhs` is greater than `rhs`.
  mlir::Value above(mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value then,
                     mlir::Value otherwise);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace gnn

#endif // GNN_DIALECT_GNN_IR_GRADIENTS_H
