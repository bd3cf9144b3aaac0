//===- Targets.cpp - Figures of the GPUs ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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
#define GNN_KERNELS(key)                                                       \
  {                                                                            \
    KernelFigures &kernels =                                                   \
        targets[static_cast<size_t>(CostTarget::key)].kernels;
#define GNN_FIGURE(figure, number, origin)                                     \
  kernels.figure = {number, FigureSource::origin};
#define GNN_KERNELS_END }
#define GNN_CONSTANT(name, value)
#include "GNN/Analysis/Kernels.def"
  return targets;
}

llvm::ArrayRef<TargetFigures> gnn::getTargets() {
  static const std::vector<TargetFigures> targets = makeTargets();
  return targets;
}

llvm::ArrayRef<OptionWord<GradientMemory>> OptionWords<GradientMemory>::list() {
  static const OptionWord<GradientMemory> words[] = {
      {"fast", GradientMemory::Fast}, {"low", GradientMemory::Low}};
  return words;
}

llvm::ArrayRef<OptionWord<CostKind>> OptionWords<CostKind>::list() {
  static const OptionWord<CostKind> words[] = {
      {"full", CostKind::Full},
      {"whole-rows", CostKind::WholeRows},
      {"rows", CostKind::Rows}};
  return words;
}

llvm::ArrayRef<OptionWord<CostTarget>> OptionWords<CostTarget>::list() {
  static const OptionWord<CostTarget> words[] = {
#define GNN_TARGET(key, title, chip) {#key, CostTarget::key},
#define GNN_FIGURE(figure, value, source)
#define GNN_TARGET_END
#include "GNN/Analysis/Targets.def"
      {"chip", CostTarget::chip},
  };
  return words;
}

const TargetFigures &gnn::getFigures(CostTarget target) {
  if (target == CostTarget::chip)
    target = getTargetOfChip("");
  return getTargets()[static_cast<size_t>(target)];
}

CostTarget gnn::getTargetOfChip(llvm::StringRef chip) {
  llvm::ArrayRef<TargetFigures> targets = getTargets();
  const auto *it = llvm::find_if(
      targets, [&](const TargetFigures &t) { return t.chip == chip; });
  return it == targets.end() ? CostTarget{} : CostTarget(it - targets.begin());
}

/// Whether a chip is of the Ampere architecture or a later one.
static bool isFromAmpereOn(llvm::StringRef chip) {
  if (chip.empty())
    chip = getTargets().front().chip;
  unsigned number = 0;
  return chip.consume_front("sm_") && !chip.consumeInteger(10, number) &&
         number >= 80;
}

bool gnn::hasTF32(llvm::StringRef chip) { return isFromAmpereOn(chip); }
bool gnn::hasAsyncCopies(llvm::StringRef chip) { return isFromAmpereOn(chip); }

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

namespace {
struct Chip {
  llvm::StringRef name;
  unsigned ptx; ///< its oldest version, times 10
};
} // namespace

static const Chip chips[] = {
#define GNN_CHIP(name, ptx) {#name, ptx},
#include "GNN/Analysis/Chips.def"
};

llvm::Error gnn::checkChip(llvm::StringRef name, llvm::StringRef features) {
  const auto *chip =
      llvm::find_if(chips, [&](const Chip &chip) { return chip.name == name; });
  if (chip == std::end(chips))
    return llvm::createStringError(
        "expected a chip of " +
        llvm::join(llvm::map_range(chips, [](auto &c) { return c.name; }),
                   ", ") +
        ", got '" + name + "'");
  for (llvm::StringRef feature : llvm::split(features, ',')) {
    unsigned version = 0;
    if (feature.consume_front("+ptx") && !feature.getAsInteger(10, version) &&
        version < chip->ptx)
      return llvm::createStringError(llvm::formatv(
          "expected PTX {0}.{1} or later for {2}, got {3}.{4}", chip->ptx / 10,
          chip->ptx % 10, name, version / 10, version % 10));
  }
  return llvm::Error::success();
}

bool ChipParser::parse(llvm::cl::Option &option, llvm::StringRef,
                       llvm::StringRef text, std::string &value) {
  value = text.str();
  if (llvm::Error error = checkChip(text))
    return option.error(llvm::toString(std::move(error)));
  return false;
}
