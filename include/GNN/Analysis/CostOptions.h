//===- CostOptions.h - Kinds of costs ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of all passes that decide by cost.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_COSTOPTIONS_H
#define GNN_ANALYSIS_COSTOPTIONS_H

#include "GNN/Analysis/OptionWords.h"

namespace gnn {

/// The largest number of values that is kept for each edge: one, or one a head.
/// Rows with more are recomputed where they are read.
inline constexpr int64_t mostNumbersOfEdge = 16;

/// The cost that is minimized.
enum class CostKind {
  /// Seconds; long rows become pieces if this takes less time.
  Full,
  /// Seconds if they stay whole.
  WholeRows,
  /// Only the rows of products with weights.
  Rows,
};

/// The values that a backward pass may compute again.
enum class GradientMemory {
  /// Cheap ones.
  Fast,
  /// Products with weights too, so that less is saved.
  Low,
};

template <> struct OptionWords<CostKind> {
  static llvm::ArrayRef<OptionWord<CostKind>> list();
};

template <> struct OptionWords<GradientMemory> {
  static llvm::ArrayRef<OptionWord<GradientMemory>> list();
};

} // namespace gnn

template <>
class llvm::cl::parser<gnn::CostKind> : public gnn::WordParser<gnn::CostKind> {
  using WordParser::WordParser;
};

template <>
class llvm::cl::parser<gnn::GradientMemory>
    : public gnn::WordParser<gnn::GradientMemory> {
  using WordParser::WordParser;
};

#endif // GNN_ANALYSIS_COSTOPTIONS_H
