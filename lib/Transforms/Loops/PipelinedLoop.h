//===- PipelinedLoop.h - Steps that begin a step early ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose steps stage arrays and sum them, as a pipeline of two stages:
// one step begins while the one before is summed. The pass chooses the
// beginning of a step: its loads (LoadAhead.cpp), or its copies
// (CopyAsync.cpp). Upstream's pipelining would give the loop stages too, but
// neither buffers to the arrays nor a place to the loads among the rest.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LOOPS_PIPELINEDLOOP_H
#define GNN_LIB_TRANSFORMS_LOOPS_PIPELINEDLOOP_H

#include "../Utils/IndexBuilder.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace gnn::tile {

/// Whether steps of a loop stage what they do while the step before is summed.
inline bool isAhead(mlir::scf::ForOp loop) {
  return llvm::any_of(loop.getOps<StageOp>(),
                      [](StageOp stage) { return stage.getAhead(); });
}

/// First the analysis, step by step; then `rewrite`, if nothing was refused. A
/// refusal is a text, which is empty where there is none.
class PipelinedLoop {
public:
  /// The beginning of a step: its loads alone, or staging them too.
  enum class Begins { WithLoads, WithStaging };

  /// `done` is what happens to what a step begins with ("loaded").
  PipelinedLoop(mlir::scf::ForOp loop, llvm::StringRef done, Begins begins)
      : b(loop.getLoc(), loop), loop(loop), done(done), begins(begins) {}

  //===--- Analysis -------------------------------------------------------===//

  /// Takes what a step stages to the beginning.
  std::string take(StageOp stage);
  /// Takes what computes `value` to the beginning.
  std::string take(mlir::Value value);
  /// Why the rest of a step cannot be behind the beginning of the next one.
  std::string explainRest();

  //===--- Rewriting ------------------------------------------------------===//

  /// A step between its beginning and its sums.
  struct BegunStep {
    mlir::ValueRange sums;  ///< that it adds to
    mlir::ValueRange begun; ///< what its beginning gave
    mlir::Value buffer;     ///< the first row of the buffers that it stages in
  };
  using Values = llvm::SmallVector<mlir::Value>;
  /// The stages that a pass makes of the loop.
  struct Stages {
    /// Begins the first step, in the buffer at `buffer`.
    llvm::function_ref<Values(mlir::Value number, mlir::Value buffer)> first;
    /// Sums `step` and begins step `next`: the next `BegunStep`, in its order.
    llvm::function_ref<Values(const BegunStep &step, mlir::Value next)> both;
    /// Sums the last step.
    llvm::function_ref<Values(const BegunStep &step)> last;
  };

  /// Replaces the loop, if it has a step, by its first step's beginning, a loop
  /// of `both`, and the last step's sums; and its arrays by two buffers each,
  /// the first of which is used by all outside of the loop.
  void rewrite(const Stages &stages);
  /// Emits the beginning of step `number`, and returns the values that this
  /// gave.
  mlir::IRMapping emitBeginning(mlir::Value number);
  /// The rest of `step`, and the sums that it gives. `inFrontOf` is called
  /// before each op, and may map values that the op uses.
  Values emitRest(const BegunStep &step, mlir::IRMapping &mapping,
                  llvm::function_ref<void(mlir::Operation &op)> inFrontOf);
  /// The buffer that the next step stages in.
  mlir::Value getOther(mlir::Value buffer);

  IndexBuilder b;
  /// The tiles that a step stages, without repetition.
  llvm::SetVector<mlir::Value> staged;

private:
  bool isOfBeginning(mlir::Operation &op);
  bool isOfBeginning(mlir::Value value);
  bool isBuffered(mlir::Value value);
  bool isStagedFor(mlir::vector::TransferReadOp read, ArrayOp array);
  Values emitSteps(const Stages &stages);
  void makeBuffers(ArrayOp array);

  mlir::scf::ForOp loop;
  llvm::StringRef done;
  Begins begins;
  llvm::SetVector<mlir::Operation *> beginning;
  llvm::SetVector<ArrayOp> arrays;
  int64_t depth = 0; ///< rows of each
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LOOPS_PIPELINEDLOOP_H
