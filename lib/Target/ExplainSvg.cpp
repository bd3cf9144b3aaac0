//===- ExplainSvg.cpp - The dataflow of a function, drawn -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels run one after another, so they are drawn one below another. What a
// node gives goes straight to the next node of its kernel, and to all others by
// a lane beside the kernels.
//
//===----------------------------------------------------------------------===//

#include "ExplainText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace gnn;

namespace {

/// Lengths are in pixels. Letters are of one width; a line has as many as the
/// longest of the picture, within these bounds.
constexpr int nodeLeft = 10, nodeHeight = 24, lineHeight = 18, gap = 12;
constexpr int laneWidth = 9;
constexpr double letterWidth = 7.25;
constexpr size_t fewestLetters = 44, mostLetters = 66;

class SvgWriter {
public:
  SvgWriter(const Explanation &explanation, const ExplainedFunction &function,
            llvm::raw_ostream &os)
      : explanation(explanation), function(function), os(os),
        readers(function.nodes.size()), tops(function.nodes.size(), -1),
        below(function.nodes.size(), -1), lanes(function.nodes.size(), -1) {}

  void write();

private:
  void chooseWidth();
  void placeNode(unsigned node);
  void placeNodes();
  void assignLanes();
  void writeTitle(llvm::StringRef text);
  void writeText(int x, int y, llvm::StringRef attributes,
                 llvm::StringRef text);
  void writeKernel(const ExplainedKernel &kernel, int top, int bottom);
  void writeNode(unsigned node);
  void writeEdges(unsigned node);

  const Explanation &explanation;
  const ExplainedFunction &function;
  llvm::raw_ostream &os;
  int height = 1, numLanes = 0, boxWidth = 0, nodeRight = 0;
  size_t numLetters = fewestLetters;
  /// By node, -1 of none: who reads it, its place, the node of its kernel right
  /// below it, and its lane.
  std::vector<std::vector<unsigned>> readers;
  std::vector<int> tops, below, lanes;
  std::vector<std::pair<int, int>> kernels; // top and bottom
};

} // namespace

/// "0.0123 ms, 12.3 MB, 40% of the time; measured 0.0456 ms".
static std::string costOf(const ExplainedFunction &function,
                          const ExplainedKernel &kernel) {
  std::string cost = costText(kernel.cost);
  if (kernel.cost.seconds)
    cost +=
        llvm::formatv(", {0:f0}% of the time", 100 * shareOf(function, kernel));
  if (kernel.cost.measured)
    cost += llvm::formatv("; measured {0:f4} ms", *kernel.cost.measured * 1e3);
  return cost;
}

/// Pictures before and after are beside each other, and as wide.
void SvgWriter::chooseWidth() {
  auto hold = [&](size_t letters) {
    numLetters = std::min(std::max(numLetters, letters), mostLetters);
  };
  for (const auto *all : {&explanation.before, &explanation.after})
    for (const ExplainedFunction &one : *all) {
      if (one.name != function.name)
        continue;
      for (auto [number, node] : llvm::enumerate(one.nodes))
        if (!node.isWeight)
          hold(labelOf(one, number).size() + node.type.size() + 2);
      for (const ExplainedKernel &kernel : one.kernels) {
        hold(costOf(one, kernel).size());
        for (const std::string &name : kernel.names)
          hold(name.size());
      }
    }
  nodeRight = nodeLeft + 16 + static_cast<int>(numLetters * letterWidth);
  boxWidth = nodeRight + nodeLeft;
}

void SvgWriter::placeNode(unsigned node) {
  tops[node] = height;
  height += nodeHeight + gap;
}

void SvgWriter::placeNodes() {
  std::vector<bool> isInKernel(function.nodes.size());
  for (const ExplainedKernel &kernel : function.kernels)
    for (unsigned node : kernel.nodes)
      isInKernel[node] = true;
  auto placeOthers = [&](bool areResults) {
    for (auto [number, node] : llvm::enumerate(function.nodes))
      if (!isInKernel[number] && !node.isWeight &&
          (node.kind == ExplainedNode::Kind::Result) == areResults)
        placeNode(number);
  };
  placeOthers(/*areResults=*/false);
  for (const ExplainedKernel &kernel : function.kernels) {
    int top = height;
    height += (kernel.names.size() + 1) * lineHeight + 10;
    for (auto [i, node] : llvm::enumerate(kernel.nodes)) {
      placeNode(node);
      if (i + 1 < kernel.nodes.size())
        below[node] = kernel.nodes[i + 1];
    }
    if (kernel.nodes.empty())
      height += gap;
    kernels.push_back({top, height - 2});
    height += gap;
  }
  placeOthers(/*areResults=*/true);
  height -= gap - 1;
}

/// Short ways take the lanes next to the kernels, as far as these are free.
void SvgWriter::assignLanes() {
  struct Way {
    unsigned node;
    int top, bottom;
  };
  std::vector<Way> ways;
  for (auto [number, node] : llvm::enumerate(function.nodes))
    for (unsigned operand : node.operands)
      if (tops[operand] >= 0 && !llvm::is_contained(readers[operand], number))
        readers[operand].push_back(number);
  for (unsigned node = 0; node < readers.size(); ++node) {
    Way way = {node, tops[node], tops[node]};
    for (unsigned reader : readers[node])
      if (static_cast<int>(reader) != below[node]) {
        way.top = std::min(way.top, tops[reader]);
        way.bottom = std::max(way.bottom, tops[reader]);
      }
    if (way.top < way.bottom)
      ways.push_back(way);
  }
  llvm::sort(ways, [](const Way &a, const Way &b) {
    return std::pair(a.bottom - a.top, a.node) <
           std::pair(b.bottom - b.top, b.node);
  });
  std::vector<std::vector<Way>> taken;
  for (const Way &way : ways) {
    auto lane = llvm::find_if(taken, [&](const std::vector<Way> &others) {
      return llvm::none_of(others, [&](const Way &other) {
        return way.top < other.bottom + nodeHeight &&
               other.top < way.bottom + nodeHeight;
      });
    });
    lanes[way.node] = lane - taken.begin();
    if (lane == taken.end())
      taken.emplace_back();
    taken[lanes[way.node]].push_back(way);
  }
  numLanes = taken.size();
}

void SvgWriter::writeTitle(llvm::StringRef text) {
  os << "<title>";
  llvm::printHTMLEscaped(text, os);
  os << "</title>";
}

void SvgWriter::writeText(int x, int y, llvm::StringRef attributes,
                          llvm::StringRef text) {
  os << "<text x=\"" << x << "\" y=\"" << y << "\"" << attributes << ">";
  llvm::printHTMLEscaped(text, os);
  os << "</text>";
}

/// `text` in so many letters of UTF-8 at most.
static std::string cut(llvm::StringRef text, size_t letters) {
  auto isFirst = [](char c) { return (c & 0xC0) != 0x80; };
  if (static_cast<size_t>(llvm::count_if(text, isFirst)) <= letters)
    return text.str();
  size_t end = 0;
  for (size_t left = letters; end < text.size(); ++end)
    if (isFirst(text[end]) && left-- == 1)
      break;
  return (text.take_front(end) + "\u2026").str();
}

void SvgWriter::writeKernel(const ExplainedKernel &kernel, int top,
                            int bottom) {
  double share = shareOf(function, kernel);
  os << "<g class=\"kernel\">";
  writeTitle(scheduleText(kernel) + "\nbytes " + kernel.cost.bytes +
             ", flops " + kernel.cost.flops);
  // Darker the more time it takes.
  os << llvm::formatv("<rect x=\"1\" y=\"{0}\" width=\"{1}\" height=\"{2}\" "
                      "rx=\"4\" fill=\"hsl(29,100%,{3:f0}%)\" "
                      "stroke=\"#8a5a2b\"/>",
                      top, boxWidth - 1, bottom - top, 97 - 40 * share);
  int line = top + lineHeight;
  for (const std::string &name : kernel.names) {
    writeText(nodeLeft, line, " font-weight=\"bold\"", cut(name, numLetters));
    line += lineHeight;
  }
  writeText(nodeLeft, line, "", cut(costOf(function, kernel), numLetters + 2));
  os << "</g>\n";
}

void SvgWriter::writeNode(unsigned number) {
  const ExplainedNode &node = function.nodes[number];
  bool isOp = node.kind == ExplainedNode::Kind::Op;
  int base = tops[number] + 16;
  std::string type = cut(node.type, 32);
  os << "<g class=\"node\">";
  writeTitle(tooltipOf(explanation, function, number));
  os << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
                      "rx=\"{4}\" fill=\"{5}\" stroke=\"#64748b\"/>",
                      nodeLeft, tops[number], nodeRight - nodeLeft, nodeHeight,
                      isOp ? 2 : 12, isOp ? "#fff" : "#e8f0fa");
  size_t left = numLetters - std::min(numLetters, type.size() + 2);
  writeText(nodeLeft + 8, base, "", cut(labelOf(function, number), left));
  writeText(nodeRight - 8, base, " text-anchor=\"end\" fill=\"#475569\"", type);
  os << "</g>\n";
}

void SvgWriter::writeEdges(unsigned number) {
  const ExplainedNode &node = function.nodes[number];
  if (tops[number] < 0 || readers[number].empty())
    return;
  os << "<g class=\"edge\" fill=\"none\" stroke=\"#475569\">";
  writeTitle(node.label + ": " + node.type);
  // Out below the middle of a node, in above it.
  int from = tops[number] + 16, lane = boxWidth + 8 + lanes[number] * laneWidth;
  for (unsigned reader : readers[number]) {
    int to = tops[reader] + 8, turn = to > from ? 4 : -4;
    if (static_cast<int>(reader) == below[number])
      os << llvm::formatv("<path d=\"M30 {0}V{1}m-3 -5l3 5l3 -5\"/>",
                          tops[number] + nodeHeight, tops[reader]);
    else
      os << llvm::formatv(
          "<path d=\"M{0} {1}H{2}q4 0 4 {3}V{4}q0 {3} -4 {3}H{0}m5 -3l-5 3l5 "
          "3\"/>",
          nodeRight, from, lane - 4, turn, to - turn);
  }
  os << "</g>\n";
}

void SvgWriter::write() {
  chooseWidth();
  placeNodes();
  assignLanes();
  os << llvm::formatv(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"'DejaVu Sans Mono', Menlo, "
      "Consolas, monospace\" font-size=\"12\">\n",
      boxWidth + (numLanes ? 8 + numLanes * laneWidth : 2), height);
  for (auto [kernel, place] : llvm::zip_equal(function.kernels, kernels))
    writeKernel(kernel, place.first, place.second);
  for (unsigned node = 0; node < function.nodes.size(); ++node)
    if (tops[node] >= 0)
      writeNode(node);
  for (unsigned node = 0; node < function.nodes.size(); ++node)
    writeEdges(node);
  os << "</svg>\n";
}

void gnn::printSvg(const Explanation &explanation,
                   const ExplainedFunction &function, llvm::raw_ostream &os) {
  SvgWriter(explanation, function, os).write();
}
