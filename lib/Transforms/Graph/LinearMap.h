//===- LinearMap.h - Products up a chain of linear ops ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites `(x * W1) * W2` so that the weights are multiplied first, through
// all that may lie between the two products.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_LINEARMAP_H
#define GNN_LIB_TRANSFORMS_GRAPH_LINEARMAP_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

#include "mlir/IR/Builders.h"

#include <map>
#include <tuple>

namespace gnn {

class ConcatOp;

/// A product with a weight, seen from the rows of its result.
struct LinearMap {
  /// `[(types,) (heads,) in, out]`, or without `out` for a vector.
  mlir::Value weight;
  bool isVector = false;
  /// The features that come in are one dimension, `heads * in`, where the
  /// weight has heads.
  bool byHeads = false;
  /// From the rows of the result to the types of the weight, where it has any.
  std::optional<RowPath> types = std::nullopt;
};

/// Pushes linear maps up to where their rows come from. Builds ops as it goes;
/// whoever asks drops them where they do not pay.
class LinearChain {
public:
  LinearChain(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// `map` of `value`, as `target`, from whose rows `path` leads to those of
  /// `value`. Ends below the first product on each branch, whose weight it
  /// takes in.
  mlir::Value push(mlir::Value value, RowPath path, const LinearMap &map,
                   mlir::RankedTensorType target);

  /// The part from `offset` of what `value` is, as `target`, with that part of
  /// the weight; null where `value` is no product.
  mlir::Value pushSlice(mlir::Value value, RowPath path, int64_t offset,
                        mlir::RankedTensorType target);

  /// `bias`, shared or of types, for the rows of `target`; `types` leads there.
  mlir::Value addBias(mlir::Value value, mlir::Value bias,
                      std::optional<RowPath> types);

  /// How often two weights became one.
  unsigned numCombined() const { return products.size(); }
  /// How often a join of features was taken apart.
  unsigned numSplits() const { return splits; }
  /// The products whose weights were taken in.
  llvm::ArrayRef<mlir::Operation *> getProducts() const { return products; }
  /// Why a product was left where it is; empty if none was.
  llvm::StringRef getObstacle() const { return obstacle; }
  /// Whether the sum got more terms than are ever worth it, and so was not
  /// taken apart to the end.
  bool isTooLong() const { return terms > maxTerms; }

private:
  /// Value, weight, target, the path to the value, that to the weight's types,
  /// and the kind of the weight.
  using PushKey = std::tuple<const void *, const void *, const void *, unsigned,
                             unsigned, bool, bool>;

  mlir::Value pushOnce(mlir::Value value, RowPath path, const LinearMap &map,
                       mlir::RankedTensorType target);
  mlir::Value pushProduct(ProductOpInterface op, const ProductOperands &of,
                          RowPath path, const LinearMap &map,
                          mlir::RankedTensorType target);
  mlir::Value pushConcat(ConcatOp op, RowPath path, const LinearMap &map,
                         mlir::RankedTensorType target);
  mlir::Value pushRows(mlir::Operation *op, RowPath path, const LinearMap &map,
                       mlir::RankedTensorType target);
  mlir::Value pushBias(mlir::Value bias, llvm::ArrayRef<int64_t> features,
                       std::optional<RowPath> types, const LinearMap &map,
                       mlir::RankedTensorType target);
  std::optional<LinearMap> throughReshape(const LinearMap &map,
                                          llvm::ArrayRef<int64_t> inner,
                                          llvm::ArrayRef<int64_t> outer);
  std::optional<LinearMap> combine(mlir::Value weight,
                                   llvm::ArrayRef<int64_t> inFeatures,
                                   llvm::ArrayRef<int64_t> outFeatures,
                                   std::optional<RowPath> types, LinearMap map);
  bool unifyTypes(mlir::Value &weight, std::optional<RowPath> &types,
                  LinearMap &map);
  bool hasSchemaFor(mlir::RankedTensorType rows, EndPoint end);

  mlir::Value leaf(mlir::Value value, RowPath path, const LinearMap &map,
                   mlir::RankedTensorType target);
  mlir::Value typeLeaf(mlir::Value value, RowPath path, const LinearMap &map,
                       mlir::RankedTensorType target);
  mlir::Value apply(mlir::Value rows, LinearMap map,
                    mlir::RankedTensorType target);

  // Building blocks.
  mlir::Value gather(mlir::Value value, RowPath path);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> features);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs, bool byHeads = false);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value partOf(mlir::Value weight, bool ofInputs, bool isVector,
                     int64_t offset, int64_t size);
  mlir::Value sliceInput(mlir::Value weight, bool isVector, int64_t offset,
                         int64_t size);
  mlir::RankedTensorType onRows(mlir::RankedTensorType type, RowSpace space);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<mlir::Operation *> products;
  /// The pushed values: one is often reached more than once.
  std::map<PushKey, mlir::Value> memo;
  static constexpr unsigned maxTerms = 64;
  unsigned terms = 0; // products that are built
  unsigned splits = 0;
  std::string obstacle;
};

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_GRAPH_LINEARMAP_H
