//===- ExplainDot.cpp - The explanation as a picture ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function is a cluster, before and after; a kernel is one around its ops.
// Weights are words in the ops that read them.
//
//===----------------------------------------------------------------------===//

#include "ExplainText.h"

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
  os << "    " << nameOf(number)
     << " [label=" << quoted(labelOf(function, number) + "\n" + node.type)
     << ", tooltip=" << quoted(tooltipOf(explanation, function, number))
     << ", style=\"filled"
     << (node.kind == ExplainedNode::Kind::Op ? "" : ",rounded") << "\"];\n";
}

void PictureWriter::writeKernel(const ExplainedKernel &kernel,
                                unsigned number) {
  double share = shareOf(function, kernel);
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
     << quoted("Estimates for " + explanation.subject() +
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
