//===- ExplainHtml.cpp - The explanation as a page ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainKernels.h"
#include "ExplainText.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace gnn;

// Functions are as wide as their two pictures. A card shows what a name stands
// for: beside it while the mouse is on it, or it has the focus.
static constexpr llvm::StringLiteral style = R"css(
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 1240px; padding: 0 20px 40px;
       background: #fff; color: #1e293b;
       font: 15px/1.5 system-ui, "DejaVu Sans", Helvetica, Arial, sans-serif; }
h1 { font-size: 26px; margin: 24px 0 4px; }
h2 { font-size: 20px; margin: 36px 0 8px; padding-top: 12px;
     border-top: 1px solid #cbd5e1; }
h3 { font-size: 16px; margin: 24px 0 6px; }
p { margin: 4px 0 8px; max-width: 75em; }
code, .place { font: 13px/1.45 "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.pictures { display: grid; gap: 12px 28px;
  grid-template-columns: repeat(auto-fit, minmax(min(480px, 100%), 1fr)); }
figure { margin: 0; }
figcaption { margin: 0 0 8px; }
svg { display: block; max-width: 100%; height: auto; }
svg .edge:hover { stroke: #b91c1c; stroke-width: 2.5; }
svg .kernel:hover rect, svg .node:hover rect { stroke-width: 2; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; }
th, td { padding: 4px 12px 4px 0; text-align: left; vertical-align: top;
         border-bottom: 1px solid #e2e8f0; overflow-wrap: anywhere; }
th { color: #475569; font-weight: 600; }
.number { text-align: right; white-space: nowrap; overflow-wrap: normal;
          font-variant-numeric: tabular-nums; }
tr.total td { font-weight: 600; border-bottom: 0; }
.choices { table-layout: fixed; width: 100%; }
.choices .pass { width: 20%; } .choices .places { width: 22%; }
.bar { display: inline-block; width: 60px; height: 9px; margin-left: 8px;
       background: #e2e8f0; }
.bar i { display: block; height: 9px; background: #c2702a; }
details { margin-top: 12px; } summary { cursor: pointer; }
.name { cursor: help; border-bottom: 1px dotted #64748b; }
.card { display: none; position: absolute; z-index: 1; max-width: 640px;
        margin: 4px 0 0 16px; padding: 8px 12px; background: #fff;
        border: 1px solid #64748b; border-radius: 4px;
        box-shadow: 0 4px 16px #0003; white-space: pre-line; font-size: 13px; }
.name:hover + .card, .name:focus + .card { display: block; }
@media print { .name:hover + .card { display: none; } }
)css";

namespace {

class PageWriter {
public:
  PageWriter(const Explanation &explanation, llvm::raw_ostream &os)
      : explanation(explanation), os(os) {}

  void write();

private:
  void writeEscaped(llvm::StringRef text) { llvm::printHTMLEscaped(text, os); }
  void writeCell(llvm::StringRef text, llvm::StringRef kind = "");
  void writePicture(const ExplainedFunction &function, llvm::StringRef when);
  void writeCard(const ExplainedFunction &function,
                 const ExplainedKernel &kernel);
  void writeCosts(const ExplainedCost &cost, bool isMeasured);
  void writeTable(const ExplainedFunction &function);
  void writeChoices(bool areDone);

  const Explanation &explanation;
  llvm::raw_ostream &os;
};

} // namespace

void PageWriter::writeCell(llvm::StringRef text, llvm::StringRef kind) {
  os << "<td";
  if (!kind.empty())
    os << " class=\"" << kind << "\"";
  os << ">";
  writeEscaped(text);
  os << "</td>";
}

void PageWriter::writePicture(const ExplainedFunction &function,
                              llvm::StringRef when) {
  os << "<figure><figcaption><b>" << when << "</b>: ";
  std::string summary = summaryOf(function);
  if (function.total.measured)
    summary +=
        llvm::formatv("; measured {0:f4} ms", *function.total.measured * 1e3);
  writeEscaped(summary);
  os << "</figcaption>\n";
  printSvg(explanation, function, os);
  os << "</figure>\n";
}

/// "1 row", "2 rows", "3 edge rows".
static std::string countText(llvm::StringRef count, llvm::StringRef what) {
  return (count + " " + what + (count == "1" ? "" : "s")).str();
}

/// The schedules of a kernel, and its ops.
void PageWriter::writeCard(const ExplainedFunction &function,
                           const ExplainedKernel &kernel) {
  os << "<td><span class=\"name\" tabindex=\"0\"><code>";
  writeEscaped(llvm::join(kernel.names, ", "));
  os << "</code></span><span class=\"card\">";
  writeEscaped(scheduleText(kernel));
  for (unsigned number : kernel.nodes) {
    const ExplainedNode &node = function.nodes[number];
    writeEscaped("\n" + labelOf(function, number) + ": " + node.type);
    if (node.kind == ExplainedNode::Kind::Op)
      writeEscaped(" (" + countText(node.cost.rows, "row") + ", " +
                   countText(node.cost.flops, "flop") + ")");
  }
  os << "</span></td>";
}

void PageWriter::writeCosts(const ExplainedCost &cost, bool isMeasured) {
  auto timeOf = [](std::optional<double> seconds) {
    return seconds ? timeText(*seconds) : "-";
  };
  writeCell(cost.bytes, "number");
  writeCell(cost.flops, "number");
  writeCell(cost.milliseconds, "number");
  if (isMeasured)
    writeCell(timeOf(cost.measured), "number");
}

/// A line for each kernel, and their sum.
void PageWriter::writeTable(const ExplainedFunction &function) {
  bool isMeasured = llvm::any_of(function.kernels, [](const auto &kernel) {
    return kernel.cost.measured.has_value();
  });
  os << "<div class=\"scroll\"><table>\n<tr><th>kernel</th>"
        "<th class=\"number\">bytes</th><th class=\"number\">flops</th>"
        "<th class=\"number\">estimated ms</th>";
  if (isMeasured)
    os << "<th class=\"number\">measured ms</th>";
  os << "<th class=\"number\">limit ms</th><th>limited by</th>";
  if (isMeasured)
    os << "<th>of the limit</th>";
  os << "</tr>\n";
  for (const ExplainedKernel &kernel : function.kernels) {
    os << "<tr>";
    writeCard(function, kernel);
    writeCosts(kernel.cost, isMeasured);
    std::optional<Limit> limit = explanation.limitOf(kernel.cost);
    writeCell(limit ? timeText(limit->seconds) : "-", "number");
    writeCell(limit ? limit->by : "-");
    if (limit && kernel.cost.measured && *kernel.cost.measured > 0) {
      double share = 100 * limit->seconds / *kernel.cost.measured;
      os << llvm::formatv("<td class=\"number\">{0:f0}%<span class=\"bar\"><i "
                          "style=\"width:{1:f0}%\"></i></span></td>",
                          share, std::min(share, 100.0));
    } else if (isMeasured) {
      writeCell("-");
    }
    os << "</tr>\n";
  }
  os << "<tr class=\"total\">";
  writeCell("all");
  writeCosts(function.total, isMeasured);
  os << "</tr>\n</table></div>\n";
}

/// What is said in the same words of several places, or by several passes of
/// the same places, is one line.
void PageWriter::writeChoices(bool areDone) {
  using Words = std::pair<std::string, std::string>;
  using Lines = llvm::MapVector<Words, std::vector<llvm::StringRef>,
                                std::map<Words, unsigned>>;
  Lines byPass, lines;
  for (const Choice &choice : explanation.choices)
    if (choice.isDone == areDone)
      byPass[{choice.pass,
              choice.name + (choice.name.empty() ? "" : ": ") + choice.message}]
          .push_back(choice.place);
  for (const auto &[said, places] : byPass)
    lines[{said.second, llvm::join(places, ", ")}].push_back(said.first);
  os << "<h3>" << (areDone ? "Done" : "Refused") << "</h3>\n";
  if (lines.empty()) {
    os << "<p>Nothing.</p>\n";
    return;
  }
  os << "<table class=\"choices\">\n<tr><th class=\"pass\">pass</th><th>"
     << (areDone ? "change" : "reason")
     << "</th><th class=\"places\">at</th></tr>\n";
  for (const auto &[said, passes] : lines) {
    os << "<tr><td><code>";
    writeEscaped(llvm::join(passes, ", "));
    os << "</code></td>";
    writeCell(said.first);
    writeCell(said.second, "place");
    os << "</tr>\n";
  }
  os << "</table>\n";
}

void PageWriter::write() {
  std::vector<const ExplainedFunction *> made = explanation.listMade();
  std::string names = llvm::join(
      llvm::map_range(explanation.before,
                      [](const ExplainedFunction &one) { return one.name; }),
      ", ");
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width\">\n<title>";
  writeEscaped("Kernels of " + names);
  os << "</title>\n<style>" << style << "</style>\n</head>\n<body>\n<h1>";
  writeEscaped("Kernels of " + names);
  os << "</h1>\n<p>Estimates for ";
  writeEscaped(explanation.subject());
  os << ". Before: without the passes on whole-graph ops; after: with them. "
        "Passes on kernels run in both.</p>\n<p>";
  os << llvm::formatv(
      "The limit of a kernel, its roofline, is the longer time of its bytes at "
      "{0:f0} GB/s and its flops at {1:f1} TFLOP/s, without the {2:f1} us of a "
      "launch.",
      explanation.limits.memoryBandwidth / 1e9,
      explanation.limits.fp32Flops / 1e12,
      explanation.limits.launchSeconds * 1e6);
  if (explanation.measuredRuns) {
    os << " Times are medians of " << explanation.measuredRuns << " runs on ";
    writeEscaped(explanation.device);
    os << ". A share above 100% means bytes from a cache, or a faster device "
          "than the one of the figures.";
  }
  os << "</p>\n";
  auto findAfter = [&](const ExplainedFunction &before) {
    return llvm::find_if(explanation.after, [&](const ExplainedFunction &one) {
      return one.name == before.name;
    });
  };
  auto open = [&](const ExplainedFunction &function) {
    os << "<h2>";
    writeEscaped(function.name);
    os << "</h2>\n";
    for (const std::string &table : function.tables) {
      os << "<p>";
      writeEscaped(table);
      os << "</p>\n";
    }
    os << "<div class=\"pictures\">\n";
  };
  for (const ExplainedFunction &before : explanation.before) {
    auto after = findAfter(before);
    bool isKept = after != explanation.after.end();
    open(before);
    writePicture(before, "Before");
    if (isKept)
      writePicture(*after, "After");
    os << "</div>\n";
    if (isKept) {
      os << "<h3>Kernels after</h3>\n";
      writeTable(*after);
    }
    os << "<details><summary>Kernels before</summary>\n";
    writeTable(before);
    os << "</details>\n";
  }
  for (const ExplainedFunction *function : made) {
    open(*function);
    writePicture(*function, "Made");
    os << "</div>\n<h3>Kernels</h3>\n";
    writeTable(*function);
  }
  os << "<h2>Choices of the passes</h2>\n";
  writeChoices(/*areDone=*/true);
  writeChoices(/*areDone=*/false);
  if (!explanation.off.empty()) {
    os << "<p>Left out: ";
    writeEscaped(llvm::join(explanation.off, ", "));
    os << "</p>\n";
  }
  os << "</body>\n</html>\n";
}

/// A copy whose places name files without their folders.
static Explanation withoutFolders(Explanation explanation) {
  std::vector<std::string *> places, texts;
  for (Choice &choice : explanation.choices) {
    places.push_back(&choice.place);
    texts.push_back(&choice.message);
  }
  for (auto *functions : {&explanation.before, &explanation.after})
    for (ExplainedFunction &function : *functions)
      for (ExplainedNode &node : function.nodes)
        places.push_back(&node.place);
  std::set<std::string> folders;
  for (const std::string *place : places)
    folders.insert(llvm::sys::path::parent_path(*place).str());
  folders.erase("");
  llvm::append_range(texts, places);
  for (std::string *text : texts)
    for (const std::string &folder : llvm::reverse(folders)) // inner ones first
      for (size_t at; (at = text->find(folder + "/")) != std::string::npos;)
        text->erase(at, folder.size() + 1);
  return explanation;
}

void gnn::printHtml(const Explanation &explanation, llvm::raw_ostream &os) {
  Explanation shown = withoutFolders(explanation);
  PageWriter(shown, os).write();
}
