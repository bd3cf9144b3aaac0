//===- ExplainTable.h - Kernels and their ops as a table --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_EXPLAINTABLE_H
#define GNN_LIB_TARGET_EXPLAINTABLE_H

#include "GNN/Target/Explain.h"

#include <array>

namespace gnn {

/// A row: words in the first two columns, numbers in the others.
struct TableRow {
  static constexpr size_t numColumns = 7;

  enum class Kind { Heading, Kernel, Op, Total };

  Kind kind = Kind::Op;
  std::array<std::string, numColumns> cells;
};

/// A heading, each kernel followed by its ops, ops of no kernel, and the total.
std::vector<TableRow> makeTable(const ExplainedFunction &function);

} // namespace gnn

#endif // GNN_LIB_TARGET_EXPLAINTABLE_H
