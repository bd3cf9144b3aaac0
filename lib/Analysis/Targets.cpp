//===- Targets.cpp - Targets of kernels -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"

#include "GNN/Analysis/CostOptions.h"
#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <vector>

using namespace gnn;

namespace {
/// The properties of a GPU by its driver, or by NVIDIA; 0 where nobody says
/// one.
struct GPUProperties {
  double processors = 0;
  double clock = 0; // Hz
  double l2Bytes = 0;
  double memoryBandwidth = 0; // bytes a second

  double *find(llvm::StringRef key) {
    return llvm::StringSwitch<double *>(key)
        .Case("processors", &processors)
        .Case("clock", &clock)
        .Case("l2_bytes", &l2Bytes)
        .Case("memory_bandwidth", &memoryBandwidth)
        .Default(nullptr);
  }
};

/// A row of a table whose columns are figures.
struct FigureRow {
  KnownTarget &target;

  void set(double TargetFigures::*figure, llvm::StringRef name, double value,
           FigureSource source) {
    target.figures.*figure = value;
    target.sources.push_back({name, source});
  }
};
} // namespace

/// Lanes for fp32 numbers of a multiprocessor.
static double lanesOf(llvm::StringRef chip) {
  bool isHalf = chip.starts_with("sm_7") || chip == "sm_80" || chip == "sm_87";
  return isHalf ? 64 : 128;
}

/// Figures by the rules for derived ones in Targets.def, from those of a target
/// with properties; a property that is not known is as that of the target.
static TargetFigures deriveFigures(const KnownTarget &from,
                                   const GPUProperties &first,
                                   const GPUProperties &of,
                                   llvm::StringRef chip) {
  TargetFigures figures = from.figures;
  auto ratio = [&](double GPUProperties::*property) {
    return of.*property ? of.*property / first.*property : 1;
  };
  double clock = ratio(&GPUProperties::clock);
  double cycles = clock * ratio(&GPUProperties::processors);
  double flops = cycles * lanesOf(chip) / lanesOf(from.chip);
  double memory = ratio(&GPUProperties::memoryBandwidth);
  if (of.l2Bytes)
    figures.l2Bytes = of.l2Bytes;
  if (of.processors)
    figures.processors = of.processors;
  for (double *rate : {&figures.memoryBandwidth, &figures.memoryGather})
    *rate *= memory;
  for (double *rate : {&figures.l2Gather, &figures.walkGather})
    *rate *= cycles;
  for (double *rate : {&figures.fp32Flops, &figures.productFlops})
    *rate *= flops;
  for (double *time :
       {&figures.rowSeconds, &figures.warpSeconds, &figures.roundSeconds})
    *time /= cycles;
  figures.edgeSeconds /= clock;
  return figures;
}

namespace {
/// All targets, and what datasheets say of the first one.
struct KnownTargets {
  std::vector<KnownTarget> targets;
  GPUProperties first;
};
} // namespace

/// Figures of `target` by what a datasheet says of it beside `from`.
static void setDerived(KnownTarget &target, const KnownTarget &from,
                       const GPUProperties &first, const GPUProperties &of) {
  target.figures = deriveFigures(from, first, of, target.chip);
  for (auto [name, source] : from.sources) {
    bool isStated = name == "l2Bytes" || name == "processors";
    target.sources.push_back(
        {name, isStated ? FigureSource::Datasheet : FigureSource::Derived});
  }
}

static KnownTargets makeKnownTargets() {
  std::vector<KnownTarget> targets;
  std::vector<std::pair<size_t, GPUProperties>> stated;
  auto of = [&](llvm::StringRef name) {
    return FigureRow{*llvm::find_if(targets, [&](const KnownTarget &target) {
      return target.name == name;
    })};
  };
#define GNN_TARGET(key, text, device, architecture)                            \
  {                                                                            \
    targets.push_back({#key, text, device, architecture, {}, {}});             \
    [[maybe_unused]] FigureRow row{targets.back()};
#define GNN_FIGURE(figure, number, origin)                                     \
  row.set(&TargetFigures::figure, #figure, number, FigureSource::origin);
#define GNN_PROPERTIES(processors, clock, l2Bytes, bandwidth)                  \
  stated.push_back(                                                            \
      {targets.size() - 1, {processors, clock, l2Bytes, bandwidth}});
#define GNN_TARGET_END }
#include "GNN/Analysis/Targets.def"
#define GNN_KERNELS(key)                                                       \
  {                                                                            \
    FigureRow row = of(#key);
#define GNN_FIGURE(figure, number, origin)                                     \
  row.set(&TargetFigures::figure, #figure, number, FigureSource::origin);
#define GNN_KERNELS_END }
#define GNN_CONSTANT(name, value)
#include "GNN/Analysis/Kernels.def"
  const GPUProperties first = stated.front().second;
  for (auto &[i, properties] : llvm::drop_begin(stated))
    setDerived(targets[i], targets.front(), first, properties);
  return {targets, first};
}

static const KnownTargets &getKnown() {
  static const KnownTargets known = makeKnownTargets();
  return known;
}

llvm::ArrayRef<KnownTarget> gnn::getKnownTargets() {
  return getKnown().targets;
}

const KnownTarget *gnn::findTarget(llvm::StringRef name) {
  for (const KnownTarget &target : getKnownTargets())
    if (target.name == name)
      return &target;
  return nullptr;
}

const KnownTarget &gnn::getStandIn(llvm::StringRef kind) {
  return kind == cpuKind ? *findTarget(cpuKind) : getKnownTargets().front();
}

/// Those that `chip` may name.
static auto getKnownGPUs() {
  return llvm::make_filter_range(
      getKnownTargets(),
      [](const KnownTarget &target) { return target.chip != cpuKind; });
}

const TargetFigures &gnn::getFigures(llvm::StringRef name) {
  const KnownTarget *target = findTarget(name);
  assert(target && "expected the name of a known target");
  return target->figures;
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

/// The number of a chip: 90 of sm_90a; 0 of a chip without one.
static unsigned numberOf(llvm::StringRef chip) {
  unsigned number = 0;
  return chip.consume_front("sm_") && !chip.consumeInteger(10, number) ? number
                                                                       : 0;
}

static TargetAbilities getGPUAbilities(llvm::StringRef chip) {
  TargetAbilities abilities;
  constexpr unsigned ampere = 80;
  abilities.tf32 = abilities.asyncCopies = abilities.cachePolicies =
      numberOf(chip) >= ampere;
  abilities.fastPowers = abilities.longRows = true;
  return abilities;
}

namespace {
struct Chip {
  llvm::StringRef name;
  unsigned ptx; ///< its oldest version, times 10
  int64_t processorThreads, processorBlocks;
};
} // namespace

static const Chip chips[] = {
#define GNN_CHIP(name, ptx, threads, blocks) {#name, ptx, threads, blocks},
#include "GNN/Analysis/Chips.def"
};

static const Chip *findChip(llvm::StringRef name) {
  return llvm::find_if(chips,
                       [&](const Chip &chip) { return chip.name == name; });
}

/// Those of every GPU, but for what a multiprocessor has at work.
static TargetLimits getGPULimits(llvm::StringRef name) {
  TargetLimits limits = TargetLimits::ofGPU();
  if (const Chip *chip = findChip(name); chip != std::end(chips)) {
    limits.processorThreads = chip->processorThreads;
    limits.processorBlocks = chip->processorBlocks;
  }
  return limits;
}

namespace {
/// A GPU that is asked for; one that is not known by name has none, but for one
/// that a driver describes.
struct GPURequest {
  llvm::StringRef name, chip;
  TargetFigures figures = getKnownTargets().front().figures;
};
} // namespace

/// Reads "sm_89, NVIDIA L40S: processors=142 clock=2.5e9 ...", of which each
/// number may be left out.
static llvm::Expected<GPURequest> readDescription(llvm::StringRef text) {
  auto [who, numbers] = text.split(':');
  GPURequest request;
  std::tie(request.chip, request.name) = who.split(", ");
  if (request.name.empty())
    return llvm::createStringError(
        "expected a GPU as 'CHIP, NAME: ...', got '" + who + "'");
  const auto *known =
      llvm::find_if(getKnownTargets(), [&](const KnownTarget &target) {
        return target.device == request.name && target.chip == request.chip;
      });
  GPUProperties properties;
  llvm::SmallVector<llvm::StringRef> words;
  numbers.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef number : words) {
    auto [key, value] = number.split('=');
    double *property = properties.find(key);
    double positive = 0;
    if (!property || *property || value.getAsDouble(positive) ||
        !(positive >= 1) || std::isinf(positive))
      return llvm::createStringError("expected processors, clock, l2_bytes and "
                                     "memory_bandwidth=NUMBER of a GPU, each "
                                     "once and 1 or more, got '" +
                                     number + "'");
    *property = positive;
  }
  if (known != getKnownTargets().end())
    return GPURequest{known->name, known->chip, known->figures};
  request.figures = deriveFigures(getKnownTargets().front(), getKnown().first,
                                  properties, request.chip);
  return request;
}

static llvm::Expected<GPURequest> readGPU(llvm::StringRef gpu) {
  GPURequest request;
  if (gpu.contains(':')) {
    auto described = readDescription(gpu);
    if (!described)
      return described.takeError();
    request = *described;
  } else {
    request.chip = gpu;
    for (const KnownTarget &target : getKnownGPUs())
      if (gpu.empty() || target.name == gpu || target.chip == gpu) {
        request = {target.name, target.chip, target.figures};
        break;
      }
  }
  if (llvm::Error error = checkChip(request.chip))
    return std::move(error);
  return request;
}

llvm::Expected<TargetAttr> gnn::makeGPUTarget(mlir::MLIRContext *context,
                                              llvm::StringRef kind,
                                              llvm::StringRef gpu) {
  auto request = readGPU(gpu);
  if (!request)
    return request.takeError();
  context->loadDialect<GNNDialect>();
  return TargetAttr::get(context, kind, request->name, request->chip,
                         getGPULimits(request->chip),
                         getGPUAbilities(request->chip), request->figures);
}

llvm::Expected<TargetAttr> gnn::makeCPUTarget(mlir::MLIRContext *context,
                                              llvm::StringRef processor,
                                              CoreRegisters registers) {
  TargetLimits limits;
  limits.lanes = limits.threads = 1;
  limits.vector = registers.vector;
  limits.vectorRegisters = registers.count;
  context->loadDialect<GNNDialect>();
  std::string wrong;
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &error) {
    wrong = error.str();
    return mlir::success();
  });
  auto target = TargetAttr::getChecked(
      [&] { return mlir::emitError(mlir::UnknownLoc::get(context)); }, context,
      llvm::StringRef(cpuKind), llvm::StringRef(), processor, limits,
      TargetAbilities(), getStandIn(cpuKind).figures);
  if (!target)
    return llvm::createStringError(wrong);
  return target;
}

llvm::Error gnn::checkGPU(llvm::StringRef gpu) {
  return readGPU(gpu).takeError();
}

std::string gnn::describeTarget(TargetAttr target) {
  if (const KnownTarget *known = findTarget(target.getName()))
    return known->title.str();
  for (llvm::StringRef text : {target.getName(), target.getChip()})
    if (!text.empty())
      return text.str();
  return target.getKind().str();
}

/// "cuda, NVIDIA H200 SXM".
static std::string describeKind(TargetAttr target) {
  std::string text = describeTarget(target);
  return text == target.getKind() ? text
                                  : (target.getKind() + ", " + text).str();
}

std::string gnn::explainMismatch(TargetAttr known, TargetAttr other) {
  std::string expected = describeKind(known), got = describeKind(other);
  if (expected == got) { // other limits or figures
    expected.clear();
    got.clear();
    llvm::raw_string_ostream(expected) << known;
    llvm::raw_string_ostream(got) << other;
  }
  return "expected " + expected + ", which the module is for, got " + got;
}

TargetFigures gnn::getFigures(mlir::Operation *op) {
  TargetAttr target = findTarget(op);
  if (target && target.getFigures().processors > 0)
    return target.getFigures();
  return getStandIn(target ? target.getKind() : "").figures;
}

TargetAbilities gnn::getAbilities(mlir::Operation *op) {
  TargetAttr target = findTarget(op);
  return target ? target.getAbilities()
                : getGPUAbilities(getKnownTargets().front().chip);
}

llvm::StringRef gnn::getChip(mlir::Operation *op) {
  TargetAttr target = findTarget(op);
  return target ? target.getChip() : getKnownTargets().front().chip;
}

CoreRegisters gnn::getCoreRegisters(mlir::Operation *op) {
  return getCoreRegisters(findTarget(op));
}

CoreRegisters gnn::getCoreRegisters(TargetAttr target) {
  if (!target || !target.getLimits().vector)
    return CoreRegisters();
  return {target.getLimits().vector, target.getLimits().vectorRegisters};
}

mlir::LogicalResult gnn::attachTarget(mlir::ModuleOp module,
                                      TargetAttr target) {
  TargetAttr known = findTarget(module.getOperation());
  if (known && known != target)
    return module.emitError("target: ") << explainMismatch(known, target);
  module->setAttr(attribute::target, target);
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

/// The version that a list of features has; 0 without one.
static unsigned readPTXVersion(llvm::StringRef features) {
  unsigned found = 0, version = 0;
  for (llvm::StringRef feature : llvm::split(features, ','))
    if (feature.consume_front("+ptx") && !feature.getAsInteger(10, version))
      found = version;
  return found;
}

unsigned gnn::getPTXVersion(llvm::StringRef chip, llvm::StringRef features) {
  if (unsigned version = readPTXVersion(features))
    return version;
  const Chip *found = findChip(chip);
  return found == std::end(chips) ? 0 : found->ptx;
}

llvm::Error gnn::checkChip(llvm::StringRef name, llvm::StringRef features) {
  const Chip *chip = findChip(name);
  if (chip == std::end(chips))
    return llvm::createStringError(
        "expected " +
        llvm::join(llvm::map_range(getKnownGPUs(),
                                   [](auto &target) { return target.name; }),
                   ", ") +
        " or a chip of " +
        llvm::join(llvm::map_range(chips, [](auto &c) { return c.name; }),
                   ", ") +
        ", got '" + name + "'");
  unsigned version = readPTXVersion(features);
  if (version && version < chip->ptx)
    return llvm::createStringError(llvm::formatv(
        "expected PTX {0}.{1} or later for {2}, got {3}.{4}", chip->ptx / 10,
        chip->ptx % 10, name, version / 10, version % 10));
  return llvm::Error::success();
}

bool ChipParser::parse(llvm::cl::Option &option, llvm::StringRef,
                       llvm::StringRef text, std::string &value) {
  value = text.str();
  if (llvm::Error error = checkGPU(text))
    return option.error(llvm::toString(std::move(error)));
  return false;
}
