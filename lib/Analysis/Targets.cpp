//===- Targets.cpp - Figures of the GPUs ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <vector>

using namespace gnn;

static std::vector<TargetFigures> makeTargets() {
  std::vector<TargetFigures> targets;
#define GNN_TARGET(key, text, architecture)                                    \
  {                                                                            \
    TargetFigures target;                                                      \
    target.name = #key;                                                        \
    target.title = text;                                                       \
    target.chip = architecture;
#define GNN_FIGURE(figure, number, origin)                                     \
  target.figure = {number, FigureSource::origin};
#define GNN_TARGET_END                                                         \
  targets.push_back(target);                                                   \
  }
#include "GNN/Analysis/Targets.def"
  return targets;
}

llvm::ArrayRef<TargetFigures> gnn::getTargets() {
  static const std::vector<TargetFigures> targets = makeTargets();
  return targets;
}

llvm::Expected<const TargetFigures *> gnn::lookupTarget(llvm::StringRef name) {
  if (name == "chip") // of no known one
    name = getTargetOfChip("");
  for (const TargetFigures &target : getTargets())
    if (target.name == name)
      return &target;
  auto names = llvm::map_range(getTargets(),
                               [](const TargetFigures &t) { return t.name; });
  return llvm::createStringError("expected a target of " +
                                 llvm::join(names, ", ") + " or chip, got '" +
                                 name + "'");
}

llvm::StringRef gnn::getTargetOfChip(llvm::StringRef chip) {
  const auto *it = llvm::find_if(
      getTargets(), [&](const TargetFigures &t) { return t.chip == chip; });
  return (it == getTargets().end() ? getTargets().begin() : it)->name;
}
