//===- SavedValues.h - What a backward pass keeps of the forward -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_DIFFERENTIATE_SAVEDVALUES_H
#define GNN_LIB_TRANSFORMS_DIFFERENTIATE_SAVEDVALUES_H

#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {

/// A function that gives its results and then gradients: its first arguments
/// are those of the function that is differentiated, then gradients of results.
/// It may give the gradients twice, the second time where those of some results
/// alone are given.
struct JointFunction {
  mlir::func::FuncOp func;
  unsigned numInputs;  ///< arguments that are no gradients
  unsigned numOutputs; ///< results that are no gradients
  unsigned numGradients = 0;

  mlir::Block &body() const {
    return mlir::func::FuncOp(func).getBody().front();
  }
  mlir::OperandRange outputs() const {
    return body().getTerminator()->getOperands().take_front(numOutputs);
  }
  mlir::OperandRange gradients() const {
    return body().getTerminator()->getOperands().slice(numOutputs,
                                                       numGradients);
  }
  /// Those that are asked for; `gradients` where all results have one.
  mlir::OperandRange givenGradients() const {
    return body().getTerminator()->getOperands().take_back(numGradients);
  }
};

/// What becomes of a value of the forward pass that the backward pass reads.
struct KeptValue {
  mlir::Value value;
  bool saved; ///< or computed again
  double bytes;
  std::string reason;
};

/// Which values the backward pass gets from the forward pass and which it
/// computes again.
class SavedValues {
public:
  SavedValues(const JointFunction &joint, GradientMemory memory);

  /// The values that are handed over: arguments and results, which their owner
  /// has, and those that are kept for it.
  const llvm::DenseSet<mlir::Value> &getHandedOver() const { return handed; }
  /// Those that are neither arguments nor results, in their order.
  llvm::ArrayRef<mlir::Value> getSaved() const { return saved; }
  /// What to say of each value that is saved or computed again.
  llvm::ArrayRef<KeptValue> getDecisions() const { return decisions; }
  /// The ops that compute the results and what is saved.
  const llvm::DenseSet<mlir::Operation *> &getForward() const {
    return forward;
  }

private:
  /// Marks what depends on gradients.
  void findBackward();
  /// Marks ops that `values` are computed by.
  void markMakers(llvm::SmallVector<mlir::Value> values);
  bool isPrimal(mlir::Value value) const {
    return !ofGradients.contains(value);
  }
  /// Bytes of a value that may be saved; none for one that may not.
  std::optional<double> bytesOf(mlir::Value value) const;
  /// Why a value that the forward pass computes is not computed again; empty
  /// where it may be.
  llvm::StringRef whyNotAgain(mlir::Value value) const;
  void cut();

  const JointFunction &joint;
  GradientMemory memory;
  llvm::DenseSet<mlir::Value> ofGradients; ///< what depends on gradients
  llvm::SetVector<mlir::Value> read;       ///< primal values that these read
  llvm::DenseSet<mlir::Operation *> forward;
  llvm::DenseSet<mlir::Value> handed;
  llvm::SmallVector<mlir::Value> saved;
  llvm::SmallVector<KeptValue> decisions;
};

/// The numbers of a smallest cut: the nodes on the side of node 0 of a network
/// with `numNodes` nodes and node 1 as its end.
class FlowNetwork {
public:
  explicit FlowNetwork(unsigned numNodes) : edgesOf(numNodes) {}
  static constexpr double infinite = 1e300;

  void connect(unsigned from, unsigned to, double capacity);
  /// The nodes that the source reaches once no more flows.
  llvm::BitVector cut();

private:
  struct Edge {
    unsigned to;
    double capacity;
  };
  /// Finds a way with room and fills it; whether there was one.
  bool augment();

  std::vector<Edge> edges; ///< an edge and, next to it, its reverse
  std::vector<llvm::SmallVector<unsigned, 4>> edgesOf;
};

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_DIFFERENTIATE_SAVEDVALUES_H
