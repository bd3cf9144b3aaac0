//===- Tuned.cpp - Results of tuning, as a table and as lines -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Tune.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace gnn;
using namespace gnn::tune;

size_t TunedTemplate::timed() const {
  return llvm::count_if(history.trials, [](const Trial &trial) {
    return trial.measured.isTimed();
  });
}

const char *const gnn::tune::tableHead =
    " ms chosen   ms tuned  ratio  measured  dropped  template";

std::string TunedTemplate::row() const {
  std::string chosen = "-", tuned = "-", ratio = "-";
  if (milliseconds > 0)
    chosen = llvm::formatv("{0:f4}", milliseconds);
  if (faster) {
    tuned = llvm::formatv("{0:f4}", tunedMilliseconds());
    ratio = llvm::formatv("{0:f2}", faster->ratio);
  }
  std::string measured = std::to_string(timed()),
              dropped = std::to_string(history.trials.size() - timed());
  if (sameAs) {
    measured = "as " + std::to_string(*sameAs);
    dropped = "-";
  }
  return llvm::formatv("{0,10} {1,10} {2,6} {3,9} {4,8}  ", chosen, tuned,
                       ratio, measured, dropped);
}

std::vector<std::string> TunedTemplate::notes() const {
  const std::string indent(11, ' ');
  std::vector<std::string> removed, result;
  for (const auto &[name, count] : filtered)
    if (count)
      removed.push_back(std::to_string(count) + " " + name);
  if (!removed.empty())
    result.push_back(indent +
                     "not compiled, by filters: " + llvm::join(removed, ", "));
  if (!refusal.empty())
    result.push_back(indent + "not searched: " + refusal);
  return result;
}

std::string Tuned::table() const {
  std::string text = tableHead + std::string("\n");
  for (const TunedTemplate &tuned : templates) {
    text += tuned.row() + tuned.name + "\n";
    for (const std::string &note : tuned.notes())
      text += note + "\n";
  }
  return text;
}

std::string Tuned::lines() const {
  std::string text;
  for (const TunedTemplate &tuned : templates)
    text += tuned.line;
  return text;
}

bool Tuned::isBegun() const {
  return llvm::any_of(
      templates, [](const TunedTemplate &tuned) { return tuned.timed() > 0; });
}

size_t Tuned::numSearched() const {
  return llvm::count_if(templates, [](const TunedTemplate &tuned) {
    return !tuned.history.trials.empty();
  });
}
