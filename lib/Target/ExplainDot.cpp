//===- ExplainDot.cpp - The explanation as a picture ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function is a cluster, before and after; a kernel is one around its ops.
// Weights are words in the ops that read them.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace gnn;

/// `text` in quotes, as the value of an attribute. Tooltips show backslashes in
/// front of what needs none, as llvm::DOT::EscapeString puts them.
static std::string quoted(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '\n' ? "\\n" : std::string(1, c);
  }
  return result + "\"";
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

/// "0.0123 ms, 12.3 MB", or the formula of the bytes.
static std::string costText(const ExplainedCost &cost) {
  std::string time = cost.seconds ? cost.milliseconds + " ms, " : "";
  return time + (cost.totalBytes ? bytesText(*cost.totalBytes)
                                 : cost.bytes + " bytes");
}

/// "3 kernels, 0.0123 ms, 12.3 MB".
static std::string summaryOf(const ExplainedFunction &function) {
  if (!function.obstacle.empty())
    return "no kernels: " + function.obstacle;
  size_t launches = 0;
  for (const ExplainedKernel &kernel : function.kernels)
    launches += kernel.names.size();
  return std::to_string(launches) +
         (launches == 1 ? " kernel, " : " kernels, ") +
         costText(function.total);
}

namespace {

/// Writes one function.
class PictureWriter {
public:
  PictureWriter(const ExplainedFunction &function, llvm::StringRef when,
                const Explanation &explanation, llvm::raw_ostream &os)
      : function(function), when(when), explanation(explanation), os(os),
        prefix(llvm::join_items("_", function.name, when)) {}

  void write();

private:
  std::string nameOf(unsigned node) const {
    return quoted(prefix + "_" + std::to_string(node));
  }
  void writeKernel(const ExplainedKernel &kernel, unsigned number);
  void writeNode(unsigned number);

  const ExplainedFunction &function;
  llvm::StringRef when;
  const Explanation &explanation;
  llvm::raw_ostream &os;
  std::string prefix;
};

} // namespace

void PictureWriter::writeNode(unsigned number) {
  const ExplainedNode &node = function.nodes[number];
  std::string label = node.label, tooltip = node.label + ": " + node.type;
  bool isFirst = true, isOp = node.kind == ExplainedNode::Kind::Op;
  for (unsigned operand : node.operands)
    if (function.nodes[operand].isWeight) {
      label += (isFirst ? " \u00b7 " : ", ") + function.nodes[operand].label;
      isFirst = false;
    }
  if (isOp) {
    tooltip += "\nrows " + node.cost.rows + ", through products " +
               node.cost.productRows + ", flops " + node.cost.flops + "\nat " +
               node.place;
    for (const Choice &choice : explanation.choices)
      if (choice.place == node.place)
        tooltip += "\n" + choice.pass + " " + choice.text();
    tooltip += "\n" + node.text;
  }
  os << "    " << nameOf(number)
     << " [label=" << quoted(label + "\n" + node.type)
     << ", tooltip=" << quoted(tooltip) << ", style=\"filled"
     << (isOp ? "" : ",rounded") << "\"];\n";
}

void PictureWriter::writeKernel(const ExplainedKernel &kernel,
                                unsigned number) {
  double total = function.total.seconds.value_or(0);
  double share = total > 0 ? kernel.cost.seconds.value_or(0) / total : 0;
  std::string cluster = prefix + "_kernel" + std::to_string(number);
  std::string cost = costText(kernel.cost);
  if (kernel.cost.seconds)
    cost += llvm::formatv(", {0:f0}% of the time", 100 * share).str();
  os << "    subgraph " << quoted("cluster_" + cluster)
     << " {\n    label=" << quoted(llvm::join(kernel.names, "\n") + "\n" + cost)
     << "; tooltip="
     << quoted("bytes " + kernel.cost.bytes + ", flops " + kernel.cost.flops)
     << "; "
     // Darker the more time it takes.
     << llvm::formatv("style=filled; fillcolor=\"0.08 {0:f2} 1\";\n", share);
  for (unsigned node : kernel.nodes)
    writeNode(node);
  if (kernel.nodes.empty()) // Else it would not be drawn.
    os << "    " << quoted(cluster) << " [shape=point];\n";
  os << "    }\n";
}

void PictureWriter::write() {
  os << "  subgraph " << quoted("cluster_" + prefix) << " {\n    label="
     << quoted(function.name + ", " + when.str() + ": " + summaryOf(function))
     << ";\n";
  std::vector<bool> isInKernel(function.nodes.size());
  for (auto [number, kernel] : llvm::enumerate(function.kernels)) {
    writeKernel(kernel, number);
    for (unsigned node : kernel.nodes)
      isInKernel[node] = true;
  }
  for (auto [number, node] : llvm::enumerate(function.nodes)) {
    if (!isInKernel[number] && !node.isWeight)
      writeNode(number);
    for (unsigned operand : node.operands) {
      const ExplainedNode &read = function.nodes[operand];
      if (!read.isWeight)
        os << "    " << nameOf(operand) << " -> " << nameOf(number)
           << " [edgetooltip=" << quoted(read.label + ": " + read.type)
           << "];\n";
    }
  }
  os << "  }\n";
}

void gnn::printDot(const Explanation &explanation, llvm::raw_ostream &os) {
  os << "digraph explanation {\n  label="
     << quoted("Costs on " + explanation.figures + ", of " +
               explanation.kernels() +
               "; before: without the passes on whole-graph ops")
     << ";\n  labelloc=t; node [shape=box, fillcolor=white];\n";
  for (const ExplainedFunction &function : explanation.before)
    PictureWriter(function, "before", explanation, os).write();
  for (const ExplainedFunction &function : explanation.after)
    if (!llvm::is_contained(explanation.listMade(), &function))
      PictureWriter(function, "after", explanation, os).write();
  for (const ExplainedFunction *function : explanation.listMade())
    PictureWriter(*function, "made", explanation, os).write();
  os << "}\n";
}
