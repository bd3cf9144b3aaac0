//===- Explain.cpp - Reports of the graph pipeline ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the module goes through the pipeline in a context of its own, whose
// remarks are then nobody else's.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Explain.h"

#include "Describe.h"
#include "ExplainKernels.h"

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/Origin.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Target/Backends.h"
#include "GNN/Target/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

namespace gnn {
#define GEN_PASS_DEF_EXPLAIN
#include "GNN/Target/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static std::string countText(const RowCount &count, StatsAttr stats) {
  return stats ? numberText(count.evaluate(stats)) : formulaText(count);
}

namespace {

/// Reads the ops of one function.
class FunctionReader {
public:
  explicit FunctionReader(func::FuncOp func) : func(func), names(func) {}

  ExplainedFunction read();

private:
  ExplainedNode &addNode(ExplainedNode::Kind kind, std::string label, Type type,
                         ValueRange operands);
  ExplainedCost count(Operation &op);

  func::FuncOp func;
  AsmState names;
  ExplainedFunction result;
  DenseMap<Value, unsigned> numbers;
  RowCount productRows;
  double productRowsNumber = 0;
  bool isKnown = true;
};

/// Keeps the remarks of passes, each once.
class ChoiceStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit ChoiceStreamer(std::vector<Choice> &choices) : choices(choices) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override;

private:
  std::vector<Choice> &choices;
};

} // namespace

ExplainedNode &FunctionReader::addNode(ExplainedNode::Kind kind,
                                       std::string label, Type type,
                                       ValueRange operands) {
  ExplainedNode node;
  node.kind = kind;
  node.label = std::move(label);
  node.type = type ? describe(type) : "";
  for (Value operand : operands)
    node.operands.push_back(numbers.lookup(operand));
  result.nodes.push_back(std::move(node));
  return result.nodes.back();
}

ExplainedCost FunctionReader::count(Operation &op) {
  ExplainedCost cost;
  cost.rows = cost.productRows = cost.flops = "-";
  StatsAttr stats = getStats(&op);
  if (op.getNumResults() > 0)
    if (auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType()))
      cost.rows = countText(RowCount::rows(type), stats);
  std::optional<OpCounts> counts = countOp(&op);
  if (!counts)
    return cost;
  cost.productRows = countText(counts->productRows, stats);
  cost.flops = countText(counts->flops, stats);
  productRows += counts->productRows;
  if (stats)
    productRowsNumber += counts->productRows.evaluate(stats);
  else if (formulaText(counts->productRows) != "0")
    isKnown = false;
  return cost;
}

/// Whether the rows of a value depend on no graph: weights and scalars.
static bool isWeight(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || tensor.hasStaticShape();
}

/// Whether nodes gather rows of their types of `value`, as of an embedding.
static bool isTable(Value value) {
  RowsAttr rows = getRows(value.getType());
  return rows && rows.getSpace() == RowSpace::NodeType &&
         llvm::any_of(value.getUsers(), llvm::IsaPred<GatherOp>);
}

ExplainedFunction FunctionReader::read() {
  using Kind = ExplainedNode::Kind;
  result.name = func.getName().str();
  for (BlockArgument argument : func.getArguments()) {
    if (isTable(argument)) {
      std::string graph =
          getRows(argument.getType()).getGraph().getValue().str();
      result.tables.push_back("node_type of " + graph + ": rows of the table " +
                              describe(func, argument.getArgNumber()));
    }
    numbers[argument] = result.nodes.size();
    addNode(Kind::Argument, describe(func, argument.getArgNumber()),
            argument.getType(), {})
        .isWeight = isWeight(argument.getType());
  }
  for (Operation &op : func.getBody().getOps()) {
    if (op.hasTrait<OpTrait::ReturnLike>()) {
      for (auto [i, value] : llvm::enumerate(op.getOperands()))
        addNode(Kind::Result, describeResult(func, i), value.getType(), value);
      continue;
    }
    for (Value value : op.getResults())
      numbers[value] = result.nodes.size();
    ExplainedNode &node =
        addNode(Kind::Op, describe(&op), {}, op.getOperands());
    node.type = describeResults(&op);
    node.place = describe(getPlace(op.getLoc()));
    llvm::raw_string_ostream os(node.text);
    op.print(os, names);
    node.cost = count(op);
  }
  result.total.productRows =
      isKnown ? numberText(productRowsNumber) : formulaText(productRows);
  return std::move(result);
}

static std::vector<ExplainedFunction> readFunctions(ModuleOp module) {
  std::vector<ExplainedFunction> functions;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal())
      functions.push_back(FunctionReader(func).read());
  return functions;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

void ChoiceStreamer::streamOptimizationRemark(
    const remark::detail::Remark &remark) {
  std::string message;
  for (const auto &arg : remark.getArgs())
    message += (arg.key == "Remark" ? "" : arg.key + " ") + arg.val;
  StringRef name = remark.getRemarkName();
  Choice choice = {remark.getCategoryName().str(),
                   name == refusalName ? "" : name.str(),
                   describe(getPlace(remark.getLocation())), message,
                   remark.getRemarkType() == llvm::remarks::Type::Passed};
  // Ops of one place, and rounds of a pass, may have the same to say.
  if (!llvm::is_contained(choices, choice))
    choices.push_back(std::move(choice));
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// Reads `passes`, or gives one error.
static LogicalResult readOptions(ModuleOp module, StringRef passes,
                                 StageOptions &stages) {
  PassSwitches all;
  std::string message;
  if (failed(parsePassSwitches(passes, all, message)))
    return module.emitError("passes: ") << message;
  all.assignGraphSwitches(stages.graph);
  all.assignTileSwitches(stages.tile);
  all.assignScheduleSwitches(stages);
  all.assignBlockSwitches(stages);
  all.assignKernelSwitches(stages);
  stages.weighRowsAsCut();
  return success();
}

/// Adds the user's passes: those on whole-graph ops to the stages with these
/// alone, and all others to both. Stages behind kernels do not run.
static LogicalResult addStagePasses(ModuleOp module,
                                    const CompileOptions &options,
                                    StageOptions &stages, StageOptions &none) {
  std::string message;
  StringRef graph = getStages().front().name;
  auto isBehindKernels = [](StringRef point) {
    return llvm::any_of(getStages(), [&](const Stage &stage) {
      return stage.name == StagePasses::getStage(point) && !isExplained(stage);
    });
  };
  for (const std::string &text : options.stagePasses) {
    StringRef point = StringRef(text).split('=').first;
    if (failed(stages.addPasses(text, message)) ||
        (StagePasses::getStage(point) != graph &&
         failed(none.addPasses(text, message))))
      return module.emitError("stage-passes: ") << message;
    if (isBehindKernels(point))
      return module.emitError("stage-passes: expected a stage that leads to "
                              "kernels, which are explained, got '")
             << point << "'";
  }
  return success();
}

/// The switches that are on or off, by which of the two `value` is.
template <typename Options>
static std::vector<std::string> listSwitches(const Options &options,
                                             StringRef value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  options.print(stream);
  SmallVector<StringRef> words;
  StringRef(text).trim("{} ").split(words, ' ');
  std::vector<std::string> names;
  for (StringRef word : words)
    if (word.consume_back(value))
      names.push_back(word.str());
  return names;
}

/// Turns all off but what a module with loops cannot be lowered without.
static void leaveOutPasses(GraphPipelineOptions &options) {
  std::string text;
  for (const std::string &name : listSwitches(options, "=true"))
    if (name != "raise-loops")
      text += name + "=false ";
  [[maybe_unused]] LogicalResult result = options.parseFromString(text);
  assert(succeeded(result) && "switches are read back");
}

std::vector<const ExplainedFunction *> Explanation::listMade() const {
  std::vector<const ExplainedFunction *> made;
  for (const ExplainedFunction &function : after)
    if (llvm::none_of(before, [&](const ExplainedFunction &known) {
          return known.name == function.name;
        }))
      made.push_back(&function);
  return made;
}

/// Says in `copy` what its kernels are for. Errors are at `module`.
static LogicalResult chooseTarget(ModuleOp module, ModuleOp copy,
                                  StringRef kind, StringRef chip) {
  TargetAttr known = findTarget(copy);
  if (known && kind.empty() && chip.empty())
    return success();
  if (kind.empty())
    kind = known ? known.getKind() : "cuda";
  registerBackends();
  auto backend = findBackend(kind);
  if (!backend)
    return module.emitError("target: ") << llvm::toString(backend.takeError());
  if (known && chip.empty() && (*backend)->takes(known))
    return success();
  auto target = (*backend)->makeTarget(copy.getContext(), {chip, std::nullopt});
  if (!target)
    return module.emitError("chip: ") << llvm::toString(target.takeError());
  return attachTarget(copy, *target);
}

FailureOr<Explanation> gnn::explain(ModuleOp module,
                                    const CompileOptions &options) {
  StageOptions stages, none;
  if (failed(readOptions(module, options.passes, stages)) ||
      failed(readOptions(module, options.passes, none)) ||
      failed(addStagePasses(module, options, stages, none)))
    return failure();
  stages.schedule.takeScheduleFiles(options);
  stages.schedule.saveSchedules = stages.schedule.recordKeys = "";
  stages.schedule.allowUnusedSchedules = true;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo());

  MLIRContext context(module->getContext()->getDialectRegistry(),
                      MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(
      module->getContext()->allowsUnregisteredDialects());
  bool areSchedulesWrong = false;
  ScopedDiagnosticHandler errors(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    auto line = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
    bool isOfSchedules = line && line.getFilename() == options.schedules;
    areSchedulesWrong |= isOfSchedules;
    if (!isOfSchedules)
      return void(module.emitError(diagnostic.str()));
    emitError(FileLineColLoc::get(module.getContext(), options.schedules,
                                  line.getLine(), line.getColumn()),
              diagnostic.str());
  });
  auto copy = parseSourceString<ModuleOp>(text, &context);
  if (!copy)
    return failure();
  if (failed(chooseTarget(module, *copy, options.target, options.chip)))
    return failure();
  // Times are shown whatever is weighed, of rows as they are: pieces have
  // launches of their own.
  CostModel model(*copy, CostKind::WholeRows);
  Explanation result;
  result.off = listSwitches(stages.graph, "=false");
  llvm::append_range(result.off, listSwitches(stages.tile, "=false"));
  llvm::erase(result.off, "sums-in-products"); // off unless asked for
  TargetAttr target = findTarget(copy->getOperation());
  result.target = describeTarget(target);
  result.figures = target.getName().empty()
                       ? getStandIn(target.getKind()).title.str()
                       : result.target;
  result.limits = model.getFigures();
  result.before = readFunctions(*copy);
  leaveOutPasses(none.graph);
  none.weighRowsAsCut();
  addKernels(*copy, getStages(), none, model, result.before);
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.failed =
      categories.analysis = ".*"; // plugins have names of their own
  if (failed(remark::enableOptimizationRemarks(
          context, std::make_unique<ChoiceStreamer>(result.choices),
          std::make_unique<remark::RemarkEmittingPolicyAll>(), categories)))
    return module.emitError("remarks cannot be collected");
  PassManager pm(&context);
  getStages().front().build(pm, stages);
  if (failed(pm.run(*copy)))
    return failure();
  result.after = readFunctions(*copy);
  std::string obstacle =
      addKernels(*copy, getStages().drop_front(), stages, model, result.after);
  if (areSchedulesWrong)
    return failure();
  // It may be theirs. Before the passes on whole-graph ops it is none: theirs
  // need not suit ops that are not compiled.
  if (!obstacle.empty() && !none.passes.getPoints().empty())
    return module.emitError(obstacle);
  return result;
}

std::optional<Limit> Explanation::limitOf(const ExplainedCost &cost) const {
  if (!cost.totalBytes || !cost.totalFlops)
    return std::nullopt;
  double memory = *cost.totalBytes / limits.memoryBandwidth;
  double flops = *cost.totalFlops / limits.fp32Flops;
  double most = std::max(memory, flops);
  return Limit{most, most < limits.launchSeconds ? "launch"
                     : memory < flops            ? "flops"
                                                 : "memory"};
}

void gnn::addTimes(Explanation &explanation, const runtime::Report &report) {
  llvm::StringMap<double> times;
  for (const runtime::StepReport &step : report.steps)
    if (step.milliseconds || step.skipped)
      times[step.kernel] = step.milliseconds.value_or(0) / 1e3;
  for (ExplainedFunction &function : explanation.after) {
    if (function.name != report.function || report.measuredRuns == 0)
      continue;
    explanation.device = report.device;
    explanation.measuredRuns = report.measuredRuns;
    std::optional<double> total = 0;
    for (ExplainedKernel &kernel : function.kernels) {
      bool isKnown = llvm::all_of(kernel.names, [&](const std::string &name) {
        return times.contains(name);
      });
      double sum = 0;
      for (const std::string &name : kernel.names)
        sum += times.lookup(name);
      if (isKnown)
        kernel.cost.measured = sum;
      total = total && isKnown ? std::optional(*total + sum) : std::nullopt;
    }
    function.total.measured = total;
  }
}

static runtime::Error writeAs(void (*print)(const Explanation &,
                                            llvm::raw_ostream &),
                              const Explanation &explanation, StringRef path) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(explanation, stream);
  return writeOutput(path, text);
}

runtime::Error gnn::writeDot(const Explanation &explanation, StringRef path) {
  return writeAs(printDot, explanation, path);
}

runtime::Error gnn::writeHtml(const Explanation &explanation, StringRef path) {
  return writeAs(printHtml, explanation, path);
}

namespace {
struct Explain : gnn::impl::ExplainBase<Explain> {
  using ExplainBase::ExplainBase;

  void runOnOperation() override {
    CompileOptions options;
    options.passes = passes;
    FailureOr<Explanation> explanation = explain(getOperation(), options);
    if (failed(explanation))
      return signalPassFailure();
    runtime::Error error;
    if (!dot.empty())
      error = writeDot(*explanation, dot);
    if (!html.empty() && !error)
      error = writeHtml(*explanation, html);
    if (error) {
      getOperation().emitError(error.message());
      return signalPassFailure();
    }
    if (dot.empty() && html.empty())
      printText(*explanation, llvm::outs());
    markAllAnalysesPreserved();
  }
};
} // namespace
