//===- ExplainText.h - Words of tables and pictures -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_EXPLAINTEXT_H
#define GNN_LIB_TARGET_EXPLAINTEXT_H

#include "GNN/Target/Explain.h"

namespace gnn {

/// "0.0123 ms, 12.3 MB", or the formula of the bytes.
std::string costText(const ExplainedCost &cost);

/// "3 kernels, 0.0123 ms, 12.3 MB".
std::string summaryOf(const ExplainedFunction &function);

/// The share of the estimated time of `function` that a kernel takes; 0 where
/// that is unknown.
double shareOf(const ExplainedFunction &function,
               const ExplainedKernel &kernel);

/// "NAME: rows_per_block = 4, lanes = 8" of each launch, in lines.
std::string scheduleText(const ExplainedKernel &kernel);

/// "typed_linear · weight": a node and the weights that it reads.
std::string labelOf(const ExplainedFunction &function, unsigned node);

/// What there is to say about a node, in lines: its type, its cost, its place,
/// the choices at it, and its IR.
std::string tooltipOf(const Explanation &explanation,
                      const ExplainedFunction &function, unsigned node);

/// Writes the dataflow of a function as an element of SVG: kernels one below
/// another in the order of their launches, with their ops, and edges beside.
void printSvg(const Explanation &explanation, const ExplainedFunction &function,
              llvm::raw_ostream &os);

} // namespace gnn

#endif // GNN_LIB_TARGET_EXPLAINTEXT_H
