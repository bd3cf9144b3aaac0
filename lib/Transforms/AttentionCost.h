//===- AttentionCost.h - What forms of attention cost -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_ATTENTIONCOST_H
#define GNN_LIB_TRANSFORMS_ATTENTIONCOST_H

#include "GNN/Analysis/CostModel.h"

namespace gnn {

class AttentionOp;

/// Seconds of an attention in each of its forms.
struct AttentionSeconds {
  double apart;    ///< as scores, softmax and weighted sum
  double computed; ///< as one op that computes scores in each walk
  double stored;   ///< as one op that keeps them
};

/// Weighs the forms of `op` on a graph with `stats`. To bytes, as the cost
/// model counts them, it adds what walks over the edges of groups take: where
/// groups are short, that is most of the time, and where one is long, all
/// others wait for it.
AttentionSeconds weighAttention(AttentionOp op, const CostModel &model,
                                StatsAttr stats);

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_ATTENTIONCOST_H
