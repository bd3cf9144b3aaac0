//===- ExplainText.cpp - The explanation as tables ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Explain.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace gnn;

/// The columns of a row of the table.
using Cells = std::array<std::string, 7>;

static Cells cellsOf(const std::string &label, const std::string &type,
                     const ExplainedCost &cost) {
  return {label,      type,       cost.rows,        cost.productRows,
          cost.flops, cost.bytes, cost.milliseconds};
}

/// Words to the left, numbers to the right, each column as wide as it must be.
static void printTable(const std::vector<Cells> &rows, llvm::raw_ostream &os) {
  std::array<size_t, 7> widths = {};
  for (const Cells &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const Cells &row : rows) {
    os << "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      size_t space = widths[i] - row[i].size();
      if (i >= 2)
        os.indent(space);
      os << row[i];
      if (i + 1 < row.size())
        os.indent((i < 2 ? space : 0) + 2);
    }
    os << "\n";
  }
}

static void printFunction(const ExplainedFunction &function,
                          llvm::StringRef when, llvm::raw_ostream &os) {
  os << "\n" << function.name << ", " << when << "\n";
  std::vector<Cells> rows = {{"op", "result", "rows", "through products",
                              "flops", "bytes", "time ms"}};
  for (const ExplainedNode &node : function.nodes)
    if (node.kind == ExplainedNode::Kind::Op)
      rows.push_back(cellsOf(node.label, node.type, node.cost));
  rows.push_back(cellsOf("all", "", function.total));
  printTable(rows, os);
}

void gnn::printText(const Explanation &explanation, llvm::raw_ostream &os) {
  os << "costs on " << explanation.target
     << ", every op alone: what later fusion saves is not in them\n";
  for (const ExplainedFunction &before : explanation.before) {
    printFunction(before, "before", os);
    for (const ExplainedFunction &after : explanation.after)
      if (after.name == before.name)
        printFunction(after, "after", os);
  }
  os << "\nchoices\n";
  for (const Choice &choice : explanation.choices)
    os << "  " << choice.pass << " at " << choice.place << ": "
       << (choice.isDone ? "done" : "refused") << ", " << choice.name << ": "
       << choice.message << "\n";
  if (explanation.choices.empty())
    os << "  none\n";
  if (!explanation.off.empty())
    os << "left out: " << llvm::join(explanation.off, ", ") << "\n";
}
