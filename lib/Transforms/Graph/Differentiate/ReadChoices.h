//===- ReadChoices.h - Reads of a backward pass -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some gradients can be computed of one value or of another. Which one takes
// less is seen once all gradients are built.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_READCHOICES_H
#define GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_READCHOICES_H

#include "SavedValues.h"

#include "GNN/Analysis/Targets.h"

namespace gnn {

/// How the sum of each group is computed that the gradient of the scores of an
/// attention takes: of its result, or of numbers of edges.
struct GroupSum {
  unsigned attention; ///< its number in the function
  mlir::Location loc;
  bool overEdges;
  std::string reason;
};

/// Chooses for each attention of `joint` that has a number and whose gradient
/// reads its result. The sum over edges keeps numbers of edges between two
/// kernels. It is taken where their bytes are fewer than those that would be
/// saved for the other sum, and, with `GradientMemory::Fast`, where the
/// difference is more than stays in the L2 cache of `target`.
llvm::SmallVector<GroupSum> chooseGroupSums(const JointFunction &joint,
                                            GradientMemory memory,
                                            const TargetFigures &figures);

/// Lets gradients read what is returned in another shape from there: its owner
/// has it, so that it is not kept once more.
void readReshapedResults(const JointFunction &joint);

/// Lets gradients that ask on which side of its kink an activation is read its
/// input where the result would be computed for them alone. Says whether there
/// were any.
bool readInputsOfActivations(const JointFunction &joint,
                             const SavedValues &values);

/// The bytes of a value in remarks.
std::string textOfBytes(double bytes);

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_READCHOICES_H
