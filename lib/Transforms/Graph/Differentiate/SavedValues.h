//===- SavedValues.h - Values kept for a backward pass ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_SAVEDVALUES_H
#define GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_SAVEDVALUES_H

#include "GNN/Transforms/Graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// The values that `values` are computed from, and these: not what those are
/// computed from that are given.
llvm::DenseSet<mlir::Value>
findSources(mlir::ValueRange values,
            llvm::function_ref<bool(mlir::Value)> isGiven);

/// Ops of a backward pass that something else can take the place of, which
/// reads no value of the forward pass beside those that are there anyway.
struct SparedReaders {
  llvm::SmallPtrSet<mlir::Operation *, 2> readers;
  double price; ///< of doing without them, as so many bytes that are saved
};

/// The decision on a value of the forward pass that the backward pass reads.
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
  /// Decides as well which of `spared` to do without.
  SavedValues(const JointFunction &joint, GradientMemory memory,
              llvm::ArrayRef<SparedReaders> spared = {});

  /// The values that are handed over: arguments and results, which their owner
  /// has, and those that are kept for it.
  const llvm::DenseSet<mlir::Value> &getHandedOver() const { return handed; }
  /// Those that are neither arguments nor results, in their order.
  llvm::ArrayRef<mlir::Value> getSaved() const { return saved; }
  /// Which readers are spared: their price is less than the bytes that would be
  /// saved for them.
  const llvm::BitVector &getSpared() const { return areSpared; }
  /// Whether a value is an argument or a result: its owner has it.
  bool isOwned(mlir::Value value) const;
  /// The bytes of a tensor on the graphs that the function is for.
  static double bytesOf(const JointFunction &joint,
                        mlir::RankedTensorType type);
  /// The decision on each value that is saved or computed again.
  llvm::ArrayRef<KeptValue> getDecisions() const { return decisions; }

private:
  /// Marks what depends on gradients, and what that reads.
  void findBackward(llvm::ArrayRef<SparedReaders> spared);
  bool isPrimal(mlir::Value value) const {
    return !ofGradients.contains(value);
  }
  /// Lists what is no gradient, in the order of the function.
  void listPrimal();
  /// Why a value is not saved, whatever it takes to compute it; empty where it
  /// may be.
  llvm::StringRef whyNotSaved(mlir::Value value) const;
  /// Why a value that the forward pass computes is not computed again; empty
  /// where it may be.
  llvm::StringRef whyNotAgain(mlir::Value value) const;
  /// The values of the smallest cut in bytes; marks who is spared.
  llvm::DenseSet<mlir::Value> cut(llvm::ArrayRef<SparedReaders> spared);
  /// Finds what is handed over, and what that and the gradients are computed
  /// from between the two.
  llvm::DenseSet<mlir::Value>
  findNeeded(const llvm::DenseSet<mlir::Value> &border);
  /// Says what becomes of each of these values.
  void decide(const llvm::DenseSet<mlir::Value> &needed);

  const JointFunction &joint;
  GradientMemory memory;
  llvm::DenseSet<mlir::Value> ofGradients; ///< what depends on gradients
  llvm::SetVector<mlir::Value> read;       ///< primal values that these read
  /// The same of readers that may be spared.
  llvm::SmallVector<llvm::SetVector<mlir::Value>> readIfKept;
  llvm::BitVector areSpared;
  llvm::SetVector<mlir::Value> primal;
  llvm::DenseSet<mlir::Operation *> forward; ///< what the results take
  llvm::DenseSet<mlir::Value> handed;
  llvm::SmallVector<mlir::Value> saved;
  llvm::SmallVector<KeptValue> decisions;
};

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_SAVEDVALUES_H
