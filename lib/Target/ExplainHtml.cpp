//===- ExplainHtml.cpp - The explanation as one page ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainLayout.h"
#include "ExplainTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace gnn;

/// `text` as it may stand in HTML, in an attribute too.
static std::string escaped(llvm::StringRef text) {
  std::string html;
  llvm::raw_string_ostream os(html);
  llvm::printHTMLEscaped(text, os);
  return html;
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

namespace {

/// Draws one function.
class PictureWriter {
public:
  PictureWriter(const ExplainedFunction &function,
                const std::vector<Choice> &choices, llvm::raw_ostream &os)
      : function(function), choices(choices), layout(function), os(os) {}

  void write();

private:
  void writeEdge(const ExplainLayout::Edge &edge);
  void writeInnerEdge(unsigned from, unsigned to);
  void writeKernel(const ExplainedKernel &kernel,
                   const ExplainLayout::Box &box);
  void writeNode(unsigned number);
  void writeText(int x, int y, llvm::StringRef style, llvm::StringRef text);
  double shareOf(const ExplainedKernel &kernel) const;

  const ExplainedFunction &function;
  const std::vector<Choice> &choices;
  ExplainLayout layout;
  llvm::raw_ostream &os;
};

} // namespace

void PictureWriter::writeText(int x, int y, llvm::StringRef style,
                              llvm::StringRef text) {
  os << llvm::formatv("<text x=\"{0}\" y=\"{1}\" class=\"{2}\">", x, y, style)
     << escaped(text) << "</text>";
}

void PictureWriter::writeEdge(const ExplainLayout::Edge &edge) {
  os << "<g class=\"edge\"><title>";
  llvm::interleave(
      edge.values, os,
      [&](unsigned value) {
        const ExplainedNode &node = function.nodes[value];
        os << escaped(node.label + ": " + node.type);
      },
      "\n");
  os << "</title><path d=\"M" << edge.points[0].x << " " << edge.points[0].y;
  // Curves between layers, straight beside boxes.
  for (size_t i = 1; i < edge.points.size(); ++i) {
    auto [x0, y0] = edge.points[i - 1];
    auto [x1, y1] = edge.points[i];
    int middle = (y0 + y1) / 2;
    if (i % 2 == 0)
      os << llvm::formatv(" L{0} {1}", x1, y1);
    else
      os << llvm::formatv(" C{0} {1} {2} {1} {2} {3}", x0, middle, x1, y1);
  }
  os << "\"/></g>\n";
}

/// Down to the next op, or past others on the left of them.
void PictureWriter::writeInnerEdge(unsigned from, unsigned to) {
  const ExplainLayout::Box &a = layout.nodes[from], &b = layout.nodes[to];
  bool isNext = b.y - a.getBottom() < ExplainLayout::nodeHeight;
  int x = a.x + 14, y0 = a.y + a.height / 2, y1 = b.y + b.height / 2;
  os << "<path class=\"inner\" d=\"";
  if (isNext)
    os << llvm::formatv("M{0} {1} L{0} {2}", x, a.getBottom(), b.y);
  else
    os << llvm::formatv("M{0} {1} C{2} {1} {2} {3} {0} {3}", a.x, y0, a.x - 14,
                        y1);
  os << "\"/>\n";
}

double PictureWriter::shareOf(const ExplainedKernel &kernel) const {
  double total = function.total.seconds.value_or(0);
  return total > 0 ? kernel.cost.seconds.value_or(0) / total : 0;
}

void PictureWriter::writeKernel(const ExplainedKernel &kernel,
                                const ExplainLayout::Box &box) {
  double share = shareOf(kernel);
  std::string names = llvm::join(kernel.names, "\n");
  os << "<g class=\"kernel\"><title>" << escaped(names) << "\n"
     << escaped(costText(kernel.cost));
  if (kernel.cost.seconds)
    os << llvm::formatv(", {0:f0}% of the time", 100 * share);
  os << "\n"
     << escaped("bytes " + kernel.cost.bytes + ", flops " + kernel.cost.flops)
     << "</title>"
     << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
                      "rx=\"6\" fill=\"hsl(30 90% {4}%)\"/>",
                      box.x, box.y, box.width, box.height,
                      int(97 - 42 * share));
  size_t room = (box.width - 16) / 7;
  std::string name = kernel.names.front();
  if (kernel.names.size() > 1)
    name = std::to_string(kernel.names.size()) + " launches, " + name;
  writeText(box.x + 8, box.y + 17, "name", shortened(name, room));
  writeText(box.x + 8, box.y + 33, "cost",
            shortened(costText(kernel.cost), room));
  os << "</g>\n";
}

void PictureWriter::writeNode(unsigned number) {
  const ExplainedNode &node = function.nodes[number];
  const ExplainLayout::Box &box = layout.nodes[number];
  if (box.width == 0)
    return;
  bool isOp = node.kind == ExplainedNode::Kind::Op;
  os << "<g class=\"" << (isOp ? "op" : "value") << "\"><title>"
     << escaped(node.label + ": " + node.type);
  if (isOp) {
    os << escaped("\nrows " + node.cost.rows + ", through products " +
                  node.cost.productRows + ", flops " + node.cost.flops +
                  "\nat " + node.place);
    for (const Choice &choice : choices)
      if (choice.place == node.place)
        os << escaped("\n" + choice.pass + " " + choice.text());
    os << escaped("\n" + node.text);
  }
  os << "</title>"
     << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
                      "rx=\"{4}\"/>",
                      box.x, box.y, box.width, box.height, isOp ? 2 : 14);
  size_t room = (box.width - 12) / 7, small = (box.width - 12) / 6;
  int x = isOp ? box.x + 6 : box.x + 12;
  writeText(x, box.y + 15, "label", shortened(layout.labels[number], room));
  writeText(x, box.y + 29, "type", shortened(layout.types[number], small));
  os << "</g>\n";
}

void PictureWriter::write() {
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                      "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n",
                      layout.width, layout.height);
  for (auto [kernel, box] : llvm::zip_equal(function.kernels, layout.kernels))
    writeKernel(kernel, box);
  for (const ExplainLayout::Edge &edge : layout.edges)
    writeEdge(edge);
  for (auto [from, to] : layout.innerEdges)
    writeInnerEdge(from, to);
  for (unsigned number = 0; number < function.nodes.size(); ++number)
    writeNode(number);
  os << "</svg>\n";
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

static void printRow(llvm::ArrayRef<std::string> cells, llvm::StringRef tag,
                     llvm::StringRef style, llvm::raw_ostream &os) {
  os << "<tr" << (style.empty() ? "" : " class=\"" + style.str() + "\"") << ">";
  for (const std::string &cell : cells)
    os << "<" << tag << ">" << escaped(cell) << "</" << tag << ">";
  os << "</tr>\n";
}

static void printTable(const ExplainedFunction &function,
                       llvm::raw_ostream &os) {
  using Kind = TableRow::Kind;
  os << "<table class=\"costs\">\n";
  for (const TableRow &row : makeTable(function))
    printRow(row.cells, row.kind == Kind::Heading ? "th" : "td",
             row.kind == Kind::Op ? "of" : "", os);
  os << "</table>\n";
}

static void printChoices(const Explanation &explanation,
                         llvm::raw_ostream &os) {
  os << "<h2>Choices</h2>\n<table>\n";
  printRow({"pass", "at", "", "what", "why"}, "th", "", os);
  for (const Choice &choice : explanation.choices)
    printRow({choice.pass, choice.place, choice.isDone ? "done" : "refused",
              choice.name, choice.message},
             "td", choice.isDone ? "" : "of", os);
  os << "</table>\n";
  if (!explanation.off.empty())
    os << "<p>Left out: " << llvm::join(explanation.off, ", ") << "</p>\n";
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

static constexpr llvm::StringLiteral style = R"(
body { font: 14px sans-serif; margin: 24px; color: #222; background: #fff }
table { border-collapse: collapse; margin: 8px 0 24px }
td, th { padding: 3px 10px; border-bottom: 1px solid #ddd; text-align: left;
  vertical-align: top }
.costs { font-size: 12px }
.costs td, .costs th { padding: 2px 6px }
.costs td:first-child { overflow-wrap: anywhere; min-width: 120px }
.costs td:nth-child(n+2) { white-space: nowrap }
.costs td:nth-child(n+3), .costs th:nth-child(n+3) { text-align: right }
.costs td { font-weight: bold }
.costs .of td { font-weight: normal }
.costs .of td:first-child { padding-left: 20px }
.of td { color: #555 }
.both { display: grid; gap: 16px;
  grid-template-columns: repeat(auto-fit, minmax(min(600px, 100%), 1fr)) }
.both > div { overflow-x: auto }
svg { max-width: 100%; height: auto; border: 1px solid #ddd }
svg text { font: 12px monospace; fill: #222 }
svg .name { font-weight: bold }
svg .cost, svg .type { font-size: 10px; fill: #555 }
.kernel rect { stroke: #a60 }
.op rect { fill: #fff; stroke: #aaa }
.value rect { fill: #eef4fb; stroke: #58a }
.edge path, .inner { fill: none; stroke: #888; stroke-width: 1.5 }
.edge:hover path { stroke: #c30; stroke-width: 3 }
.op:hover rect, .value:hover rect { stroke: #c30 }
@media print { body { margin: 0; -webkit-print-color-adjust: exact;
  print-color-adjust: exact } svg, tr { break-inside: avoid }
  h2, h3 { break-after: avoid } }
)";

void gnn::printHtml(const Explanation &explanation, llvm::raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
     << "<title>What the passes did</title>\n<style>" << style
     << "</style></head>\n<body>\n<h1>What the passes did</h1>\n"
     << "<p>Kernels with their ops, and what they cost by estimate on "
     << escaped(explanation.figures) << ", of "
     << escaped(explanation.kernels())
     << ": as a module becomes without the passes on whole-graph "
     << "ops, and with them; the passes on kernels run in both. "
     << "What takes longer is darker. Point at a box or a line for "
     << "more.</p>\n";
  using Sides = std::vector<std::pair<const char *, const ExplainedFunction *>>;
  std::vector<Sides> functions;
  for (const ExplainedFunction &before : explanation.before) {
    functions.push_back({{"Before", &before}});
    for (const ExplainedFunction &after : explanation.after)
      if (after.name == before.name)
        functions.back().emplace_back("After", &after);
  }
  for (const ExplainedFunction *made : explanation.listMade())
    functions.push_back({{"Made", made}});
  for (const Sides &sides : functions) {
    os << "<h2>" << escaped(sides.front().second->name)
       << "</h2>\n<div class=\"both\">\n";
    for (auto [when, function] : sides) {
      os << "<div><h3>" << when << ": " << escaped(summaryOf(*function))
         << "</h3>\n";
      PictureWriter(*function, explanation.choices, os).write();
      os << "</div>\n";
    }
    os << "</div>\n<div class=\"both\">\n";
    for (auto [when, function] : sides) {
      os << "<div><h3>" << when << "</h3>\n";
      printTable(*function, os);
      os << "</div>\n";
    }
    os << "</div>\n";
  }
  printChoices(explanation, os);
  os << "</body>\n</html>\n";
}
