//===- ExplainHtml.cpp - The explanation as one page ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables, and the dataflow as SVG, laid out in layers: a node is below all that
// it reads.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace gnn;

/// `text` as it may stand in HTML, in an attribute too.
static std::string escaped(llvm::StringRef text) {
  std::string html;
  llvm::raw_string_ostream os(html);
  llvm::printHTMLEscaped(text, os);
  return html;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

namespace {

/// Where the nodes of a function are, in pixels.
class Layout {
public:
  explicit Layout(const ExplainedFunction &function);

  static constexpr int nodeHeight = 36, charWidth = 7, gap = 24, layerGap = 40;

  struct Box {
    int x = 0, y = 0, width = 0;
    int getCenter() const { return x + width / 2; }
  };
  std::vector<Box> boxes;
  int width = 0, height = 0;

private:
  void assignLayers(const ExplainedFunction &function);
  void sortLayer(std::vector<unsigned> &layer,
                 const std::vector<std::vector<unsigned>> &neighbours);
  void place();

  std::vector<std::vector<unsigned>> layers;
  /// The place of each node in its layer, from 0 to 1.
  std::vector<double> positions;
};

} // namespace

Layout::Layout(const ExplainedFunction &function)
    : boxes(function.nodes.size()), positions(function.nodes.size(), 0.5) {
  for (auto [box, node] : llvm::zip_equal(boxes, function.nodes))
    box.width = charWidth * std::max(node.label.size(), node.type.size()) + 16;
  assignLayers(function);
  std::vector<std::vector<unsigned>> operands(boxes.size()),
      readers(boxes.size());
  for (auto [i, node] : llvm::enumerate(function.nodes))
    for (unsigned operand : node.operands) {
      operands[i].push_back(operand);
      readers[operand].push_back(i);
    }
  // Down by what nodes read, up by what reads them, and down again.
  for (std::vector<unsigned> &layer : layers)
    sortLayer(layer, operands);
  for (std::vector<unsigned> &layer : llvm::reverse(layers))
    sortLayer(layer, readers);
  for (std::vector<unsigned> &layer : layers)
    sortLayer(layer, operands);
  place();
}

/// An op is below all that it reads, an argument right above its first reader.
void Layout::assignLayers(const ExplainedFunction &function) {
  std::vector<unsigned> depth(boxes.size(), 0);
  unsigned deepest = 0;
  for (auto [i, node] : llvm::enumerate(function.nodes)) {
    for (unsigned operand : node.operands)
      depth[i] = std::max(depth[i], depth[operand] + 1);
    deepest = std::max(deepest, depth[i]);
  }
  std::vector<unsigned> first(boxes.size(), deepest);
  for (auto [i, node] : llvm::enumerate(function.nodes))
    for (unsigned operand : node.operands)
      first[operand] = std::min(first[operand], depth[i] - 1);
  layers.resize(deepest + 1);
  for (auto [i, node] : llvm::enumerate(function.nodes)) {
    bool isArgument = node.kind == ExplainedNode::Kind::Argument;
    layers[isArgument ? first[i] : depth[i]].push_back(i);
  }
}

/// Sorts a layer by where the neighbours of its nodes are on the average.
void Layout::sortLayer(std::vector<unsigned> &layer,
                       const std::vector<std::vector<unsigned>> &neighbours) {
  std::vector<double> wanted(boxes.size());
  for (unsigned node : layer) {
    double sum = 0;
    for (unsigned neighbour : neighbours[node])
      sum += positions[neighbour];
    wanted[node] = neighbours[node].empty() ? positions[node]
                                            : sum / neighbours[node].size();
  }
  std::vector<size_t> place(boxes.size()); // for ties
  for (auto [i, node] : llvm::enumerate(layer))
    place[node] = i;
  llvm::sort(layer, [&](unsigned a, unsigned b) {
    return std::pair(wanted[a], place[a]) < std::pair(wanted[b], place[b]);
  });
  for (auto [i, node] : llvm::enumerate(layer))
    positions[node] = (i + 0.5) / layer.size();
}

void Layout::place() {
  auto widthOf = [&](const std::vector<unsigned> &layer) {
    int sum = gap;
    for (unsigned node : layer)
      sum += boxes[node].width + gap;
    return sum;
  };
  for (const std::vector<unsigned> &layer : layers)
    width = std::max(width, widthOf(layer));
  int y = gap;
  for (const std::vector<unsigned> &layer : layers) {
    int x = (width - widthOf(layer)) / 2 + gap;
    for (unsigned node : layer) {
      boxes[node].x = x;
      boxes[node].y = y;
      x += boxes[node].width + gap;
    }
    y += nodeHeight + layerGap;
  }
  height = y - layerGap + gap;
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

static void printEdge(const Layout::Box &from, const Layout::Box &to,
                      llvm::raw_ostream &os) {
  int y0 = from.y + Layout::nodeHeight, bend = Layout::layerGap / 2;
  os << llvm::formatv("<path d=\"M{0} {1} C{0} {2} {3} {4} {3} {5}\"/>\n",
                      from.getCenter(), y0, y0 + bend, to.getCenter(),
                      to.y - bend, to.y);
}

static void printNode(const ExplainedNode &node, const Layout::Box &box,
                      double share, llvm::raw_ostream &os) {
  bool isOp = node.kind == ExplainedNode::Kind::Op;
  os << "<g><title>" << escaped(node.label) << ": " << escaped(node.type);
  if (isOp)
    os << ", rows " << escaped(node.cost.rows) << ", flops "
       << escaped(node.cost.flops) << ", bytes " << escaped(node.cost.bytes)
       << ", ms " << escaped(node.cost.milliseconds);
  os << "</title>"
     << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
                      "rx=\"{4}\" fill=\"hsl(30 90% {5}%)\"/>",
                      box.x, box.y, box.width, Layout::nodeHeight,
                      isOp ? 2 : 14, int(98 - 40 * share))
     << llvm::formatv("<text x=\"{0}\" y=\"{1}\">", box.getCenter(), box.y + 15)
     << escaped(node.label) << "</text>"
     << llvm::formatv("<text x=\"{0}\" y=\"{1}\" class=\"type\">",
                      box.getCenter(), box.y + 29)
     << escaped(node.type) << "</text></g>\n";
}

static void printPicture(const ExplainedFunction &function,
                         llvm::raw_ostream &os) {
  Layout layout(function);
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                      "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n",
                      layout.width, layout.height);
  for (auto [node, box] : llvm::zip_equal(function.nodes, layout.boxes))
    for (unsigned operand : node.operands)
      printEdge(layout.boxes[operand], box, os);
  double total = std::max(function.total.seconds, 1e-30);
  for (auto [node, box] : llvm::zip_equal(function.nodes, layout.boxes))
    printNode(node, box, node.cost.seconds / total, os);
  os << "</svg>\n";
}

static void printRow(llvm::ArrayRef<std::string> cells, llvm::StringRef tag,
                     llvm::raw_ostream &os) {
  os << "<tr>";
  for (const std::string &cell : cells)
    os << "<" << tag << ">" << escaped(cell) << "</" << tag << ">";
  os << "</tr>\n";
}

static void printTable(const ExplainedFunction &function,
                       llvm::raw_ostream &os) {
  os << "<table class=\"costs\">\n";
  printRow(
      {"op", "result", "rows", "through products", "flops", "bytes", "time ms"},
      "th", os);
  auto print = [&](const std::string &label, const std::string &type,
                   const ExplainedCost &cost) {
    printRow({label, type, cost.rows, cost.productRows, cost.flops, cost.bytes,
              cost.milliseconds},
             "td", os);
  };
  for (const ExplainedNode &node : function.nodes)
    if (node.kind == ExplainedNode::Kind::Op)
      print(node.label, node.type, node.cost);
  print("all", "", function.total);
  os << "</table>\n";
}

static void printChoices(const Explanation &explanation,
                         llvm::raw_ostream &os) {
  os << "<h2>Choices</h2>\n<table>\n";
  printRow({"pass", "at", "", "what", "why"}, "th", os);
  for (const Choice &choice : explanation.choices)
    printRow({choice.pass, choice.place, choice.isDone ? "done" : "refused",
              choice.name, choice.message},
             "td", os);
  os << "</table>\n";
  if (!explanation.off.empty())
    os << "<p>Left out: " << llvm::join(explanation.off, ", ") << "</p>\n";
}

static constexpr llvm::StringLiteral style = R"(
body { font: 14px sans-serif; margin: 24px; color: #222; background: #fff }
table { border-collapse: collapse; margin: 8px 0 24px }
td, th { padding: 3px 10px; border-bottom: 1px solid #ddd; text-align: left }
.costs td:nth-child(n+3), .costs th:nth-child(n+3) { text-align: right }
.costs tr:last-child { font-weight: bold }
.both { display: flex; gap: 24px; overflow-x: auto; align-items: flex-start }
svg { border: 1px solid #ddd }
svg rect { stroke: #666 }
svg path { fill: none; stroke: #888 }
svg text { font: 12px monospace; text-anchor: middle }
svg .type { font-size: 10px; fill: #555 }
)";

void gnn::printHtml(const Explanation &explanation, llvm::raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
     << "<title>What the graph pipeline did</title>\n<style>" << style
     << "</style></head>\n<body>\n<h1>What the graph pipeline did</h1>\n"
     << "<p>Costs on " << escaped(explanation.target)
     << ", every op alone: what later fusion saves is not in them. In the "
     << "pictures, what takes longer is darker.</p>\n";
  auto side = [&](const ExplainedFunction &function, llvm::StringRef when) {
    os << "<div><h3>" << when << "</h3>\n";
    printPicture(function, os);
    printTable(function, os);
    os << "</div>\n";
  };
  for (const ExplainedFunction &before : explanation.before) {
    os << "<h2>" << escaped(before.name) << "</h2>\n<div class=\"both\">\n";
    side(before, "Before");
    for (const ExplainedFunction &after : explanation.after)
      if (after.name == before.name)
        side(after, "After");
    os << "</div>\n";
  }
  printChoices(explanation, os);
  os << "</body>\n</html>\n";
}
