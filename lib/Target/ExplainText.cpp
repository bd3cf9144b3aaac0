//===- ExplainText.cpp - The explanation as tables ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainText.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <map>

using namespace gnn;

namespace {

/// A row: words in the first two columns, numbers in the others.
struct TableRow {
  static constexpr size_t numColumns = 7;

  enum class Kind { Heading, Kernel, Op, Total };

  Kind kind = Kind::Op;
  std::array<std::string, numColumns> cells;
};

} // namespace

std::string Choice::text() const {
  return (isDone ? "done" : "refused") + (name.empty() ? "" : ", " + name) +
         ": " + message;
}

/// "12.3 MB".
static std::string bytesText(double bytes) {
  for (const char *unit : {"B", "kB", "MB", "GB"}) {
    if (bytes < 1000)
      return llvm::formatv(*unit == 'B' ? "{0:f0} {1}" : "{0:f1} {1}", bytes,
                           unit)
          .str();
    bytes /= 1000;
  }
  return llvm::formatv("{0:f1} TB", bytes).str();
}

std::string gnn::costText(const ExplainedCost &cost) {
  std::string time = cost.seconds ? cost.milliseconds + " ms, " : "";
  return time + (cost.totalBytes ? bytesText(*cost.totalBytes)
                                 : cost.bytes + " bytes");
}

std::string gnn::summaryOf(const ExplainedFunction &function) {
  if (!function.obstacle.empty())
    return "no kernels: " + function.obstacle;
  size_t launches = 0;
  for (const ExplainedKernel &kernel : function.kernels)
    launches += kernel.names.size();
  return std::to_string(launches) +
         (launches == 1 ? " kernel, " : " kernels, ") +
         costText(function.total);
}

double gnn::shareOf(const ExplainedFunction &function,
                    const ExplainedKernel &kernel) {
  double total = function.total.seconds.value_or(0);
  return total > 0 ? kernel.cost.seconds.value_or(0) / total : 0;
}

std::string gnn::scheduleText(const ExplainedKernel &kernel) {
  std::string text;
  for (auto [name, schedule, from] :
       llvm::zip_equal(kernel.names, kernel.schedules, kernel.scheduleFrom))
    text += (text.empty() ? "" : "\n") + name + ": " +
            (schedule.empty() ? "no schedule" : schedule) +
            (from.empty() ? "" : ", from " + from);
  return text;
}

std::string ExplainedKernel::listSources() const {
  llvm::SmallSetVector<llvm::StringRef, 2> sources;
  for (const std::string &from : scheduleFrom)
    if (!from.empty())
      sources.insert(from);
  return llvm::join(sources, ", ");
}

/// "schedules: 3 kernels by the rules, 1 from record of records.jsonl".
static std::string describeSources(const Explanation &explanation) {
  std::map<std::string, size_t> counts;
  size_t ofRules = 0;
  for (const ExplainedFunction &function : explanation.after)
    for (const ExplainedKernel &kernel : function.kernels)
      for (auto [schedule, from] :
           llvm::zip_equal(kernel.schedules, kernel.scheduleFrom)) {
        if (!from.empty())
          ++counts[from];
        else
          ofRules += !schedule.empty();
      }
  std::string text = "schedules: of " + std::to_string(ofRules) +
                     (ofRules == 1 ? " kernel" : " kernels") + " by the rules";
  for (const auto &[from, count] : counts)
    text += ", " + std::to_string(count) + " from " + from;
  return text;
}

std::string gnn::labelOf(const ExplainedFunction &function, unsigned number) {
  const ExplainedNode &node = function.nodes[number];
  std::string label = node.label;
  bool isFirst = true;
  for (unsigned operand : node.operands)
    if (function.nodes[operand].isWeight) {
      label += (isFirst ? " \u00b7 " : ", ") + function.nodes[operand].label;
      isFirst = false;
    }
  return label;
}

std::string gnn::tooltipOf(const Explanation &explanation,
                           const ExplainedFunction &function, unsigned number) {
  const ExplainedNode &node = function.nodes[number];
  std::string tooltip = node.label + ": " + node.type;
  if (node.kind != ExplainedNode::Kind::Op)
    return tooltip;
  tooltip += "\nrows " + node.cost.rows + ", through products " +
             node.cost.productRows + ", flops " + node.cost.flops + "\nat " +
             node.place;
  for (const Choice &choice : explanation.choices)
    if (choice.place == node.place)
      tooltip += "\n" + choice.pass + " " + choice.text();
  return tooltip + "\n" + node.text;
}

static TableRow toRow(TableRow::Kind kind, std::string label, std::string type,
                      const ExplainedCost &cost) {
  return {kind,
          {std::move(label), std::move(type), cost.rows, cost.productRows,
           cost.flops, cost.bytes, cost.milliseconds}};
}

/// A heading, each kernel followed by its ops, ops of no kernel, and the total.
static std::vector<TableRow> makeTable(const ExplainedFunction &function) {
  using Kind = TableRow::Kind;
  std::vector<TableRow> rows = {
      {Kind::Heading,
       {"kernel, op", "result", "rows", "through products", "flops", "bytes",
        "time ms"}}};
  std::vector<bool> isInKernel(function.nodes.size());
  auto addOp = [&](unsigned number) {
    const ExplainedNode &node = function.nodes[number];
    rows.push_back(toRow(Kind::Op, node.label, node.type, node.cost));
  };
  for (const ExplainedKernel &kernel : function.kernels) {
    rows.push_back(
        toRow(Kind::Kernel, llvm::join(kernel.names, ", "), "", kernel.cost));
    if (std::string from = kernel.listSources(); !from.empty())
      rows.back().cells[1] = "from " + from;
    for (unsigned number : kernel.nodes) {
      isInKernel[number] = true;
      addOp(number);
    }
  }
  for (size_t number = 0; number < function.nodes.size(); ++number)
    if (function.nodes[number].kind == ExplainedNode::Kind::Op &&
        !isInKernel[number])
      addOp(number);
  size_t launches = 0;
  for (const ExplainedKernel &kernel : function.kernels)
    launches += kernel.names.size();
  std::string all = "all: " + std::to_string(launches) +
                    (launches == 1 ? " kernel" : " kernels");
  rows.push_back(toRow(Kind::Total, function.obstacle.empty() ? all : "all", "",
                       function.total));
  return rows;
}

/// Words to the left, numbers to the right, each column as wide as it must be.
static void printTable(const std::vector<TableRow> &rows,
                       llvm::raw_ostream &os) {
  auto textOf = [](const TableRow &row, size_t column) {
    bool isInside = column == 0 && row.kind == TableRow::Kind::Op;
    return (isInside ? "  " : "") + row.cells[column];
  };
  std::array<size_t, TableRow::numColumns> widths = {};
  for (const TableRow &row : rows)
    for (size_t i = 0; i < row.cells.size(); ++i)
      widths[i] = std::max(widths[i], textOf(row, i).size());
  for (const TableRow &row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < row.cells.size(); ++i) {
      std::string text = textOf(row, i), space(widths[i] - text.size(), ' ');
      line += i == 0 ? " " : "  ";
      line += i < 2 ? text + space : space + text;
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

static void printFunction(const ExplainedFunction &function,
                          llvm::StringRef when, llvm::raw_ostream &os) {
  os << "\n" << function.name << ", " << when << "\n";
  if (!function.obstacle.empty())
    os << "  no kernels: " << function.obstacle << "\n";
  for (const std::string &table : function.tables)
    os << "  " << table << "\n";
  printTable(makeTable(function), os);
}

void gnn::printText(const Explanation &explanation, llvm::raw_ostream &os) {
  os << "estimates for " << explanation.subject()
     << "\n"
        "before: without the passes on whole-graph ops; after: with them; "
        "passes on kernels run in both\n";
  for (const ExplainedFunction &before : explanation.before) {
    printFunction(before, "before", os);
    for (const ExplainedFunction &after : explanation.after)
      if (after.name == before.name)
        printFunction(after, "after", os);
  }
  for (const ExplainedFunction *made : explanation.listMade())
    printFunction(*made, "made", os);
  os << "\nchoices\n";
  for (const Choice &choice : explanation.choices)
    os << "  " << choice.pass << " at " << choice.place << ": " << choice.text()
       << "\n";
  if (explanation.choices.empty())
    os << "  none\n";
  os << describeSources(explanation) << "\n";
  if (!explanation.off.empty())
    os << "left out: " << llvm::join(explanation.off, ", ") << "\n";
}
