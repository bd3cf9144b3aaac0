//===- Reductions.h - Reductions over lanes and elements --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values are combined, masked and finished, whoever holds them.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOGPU_REDUCTIONS_H
#define GNN_LIB_CONVERSION_TILETOGPU_REDUCTIONS_H

#include "Kernel.h"

namespace gnn::tile {

/// The columns that the parts of a vector starting at `first` stand for.
mlir::Value laneColumns(Emitter &e, mlir::Value first, int64_t width);

/// Sum, mean, maximum or minimum of scalars or vectors.
struct LaneReduction {
  Emitter &e;
  Reduction kind;

  /// `a` and `b` as one; a null `a` counts as nothing.
  mlir::Value combine(mlir::Value a, mlir::Value b);
  /// `value` where `inside` holds (or is null), else what counts as nothing.
  mlir::Value mask(mlir::Value value, mlir::Value inside);
  /// The parts of a vector as one scalar, in order.
  mlir::Value across(mlir::Value value);
  /// `value` of each lane as one, of clusters of `lanes` lanes that lie
  /// `stride` apart. Every lane of a cluster gets the same bits.
  mlir::Value overLanes(mlir::Value value, int64_t lanes, int64_t stride);
  /// The value that counts as nothing.
  mlir::Value identity(mlir::Type type);
  /// `total` over `count` for a mean, else `total`.
  mlir::Value divideMean(mlir::Value total, int64_t count);

private:
  /// How upstream calls it for values of `type`: what one lane holds, and what
  /// several do.
  struct Words {
    mlir::arith::AtomicRMWKind inLane;
    mlir::gpu::AllReduceOperation overLanes;
  };
  Words wordsOf(mlir::Type type);
};

/// The best value so far and its index.
struct Candidate {
  mlir::Value value, index;
};

/// The better of two candidates; of equals, the one of the lower index.
Candidate better(Emitter &e, Reduction kind, Candidate a, Candidate b);

} // namespace gnn::tile

#endif // GNN_LIB_CONVERSION_TILETOGPU_REDUCTIONS_H
