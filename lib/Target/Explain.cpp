//===- Explain.cpp - What the graph pipeline did and why ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the module goes through the pipeline in a context of its own, whose
// remarks are then nobody else's.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Explain.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "Describe.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Target/Passes.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

namespace gnn {
#define GEN_PASS_DEF_EXPLAIN
#include "GNN/Target/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

static std::string numberText(double value) {
  constexpr double most = 1e18; // that an integer holds
  if (value > most)
    return llvm::formatv("{0:e3}", value).str();
  return llvm::formatv("{0:N}", static_cast<int64_t>(value)).str();
}

/// "128 edge + 64" of a count that no statistics evaluate.
static std::string formulaText(const RowCount &count) {
  std::string text;
  auto add = [&](const Twine &term) {
    text += ((text.empty() ? "" : " + ") + term).str();
  };
  for (RowSpace space : {RowSpace::Edge, RowSpace::SrcPair, RowSpace::DstPair,
                         RowSpace::Src, RowSpace::Dst, RowSpace::Node})
    if (double factor = count.getFactor(space))
      add(numberText(factor) + " " + stringifyRowSpace(space));
  if (count.getConstant() != 0 || text.empty())
    add(numberText(count.getConstant()));
  return text;
}

static std::string countText(const RowCount &count, StatsAttr stats) {
  return stats ? numberText(count.evaluate(stats)) : formulaText(count);
}

static std::string timeText(double seconds) {
  return llvm::formatv("{0:f4}", seconds * 1e3).str();
}

namespace {

/// Counts one function.
class FunctionReader {
public:
  FunctionReader(func::FuncOp func, const CostModel &model)
      : func(func), model(model) {}

  ExplainedFunction read();

private:
  ExplainedNode &addNode(ExplainedNode::Kind kind, std::string label,
                         std::string type, ValueRange operands);
  ExplainedCost count(Operation &op);

  func::FuncOp func;
  const CostModel &model;
  ExplainedFunction result;
  DenseMap<Value, unsigned> numbers;
  OpCounts sum;
  double sumOfRows = 0, sumOfFlops = 0, sumOfBytes = 0, seconds = 0;
  bool isKnown = true;
};

/// Keeps every remark of a pass.
class ChoiceStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit ChoiceStreamer(std::vector<Choice> &choices) : choices(choices) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override;

private:
  std::vector<Choice> &choices;
};

} // namespace

ExplainedNode &FunctionReader::addNode(ExplainedNode::Kind kind,
                                       std::string label, std::string type,
                                       ValueRange operands) {
  ExplainedNode node{kind, std::move(label), std::move(type), {}, {}};
  for (Value operand : operands)
    node.operands.push_back(numbers.lookup(operand));
  result.nodes.push_back(std::move(node));
  return result.nodes.back();
}

/// Whether `op` has rows of a graph.
static bool isOfGraph(Operation &op) {
  auto hasRows = [](Type type) { return !!getRows(type); };
  return llvm::any_of(op.getOperandTypes(), hasRows) ||
         llvm::any_of(op.getResultTypes(), hasRows);
}

ExplainedCost FunctionReader::count(Operation &op) {
  ExplainedCost cost{"-", "-", "-", "-", "-", 0};
  StatsAttr stats = getStats(&op);
  // Weights alone are of no graph, and of as many bytes on any.
  if (!stats && !isOfGraph(op))
    for (auto graph : func->getParentOfType<ModuleOp>().getOps<GraphOp>())
      stats = stats ? stats : graph.getStatsAttr();
  if (op.getNumResults() > 0)
    if (auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType()))
      cost.rows = countText(RowCount::rows(type), stats);
  std::optional<OpCounts> counts = countOp(&op);
  if (!counts)
    return cost;
  RowCount bytes = counts->readBytes + counts->writtenBytes;
  cost.productRows = countText(counts->productRows, stats);
  cost.flops = countText(counts->flops, stats);
  cost.bytes = countText(bytes, stats);
  sum.productRows += counts->productRows;
  sum.flops += counts->flops;
  sum.readBytes += bytes;
  if (!stats) {
    isKnown = false;
    return cost;
  }
  cost.seconds = model.cost(model.describe(&op, stats));
  cost.milliseconds = timeText(cost.seconds);
  sumOfRows += counts->productRows.evaluate(stats);
  sumOfFlops += counts->flops.evaluate(stats);
  sumOfBytes += bytes.evaluate(stats);
  seconds += cost.seconds;
  return cost;
}

ExplainedFunction FunctionReader::read() {
  using Kind = ExplainedNode::Kind;
  result.name = func.getName().str();
  for (BlockArgument argument : func.getArguments()) {
    numbers[argument] = result.nodes.size();
    addNode(Kind::Argument, describe(func, argument.getArgNumber()),
            describe(argument.getType()), {});
  }
  for (Operation &op : func.getBody().getOps()) {
    if (op.hasTrait<OpTrait::ReturnLike>()) {
      for (auto [i, value] : llvm::enumerate(op.getOperands()))
        addNode(Kind::Result, "result " + std::to_string(i),
                describe(value.getType()), value);
      continue;
    }
    for (Value value : op.getResults())
      numbers[value] = result.nodes.size();
    addNode(Kind::Op, describe(&op), describeResults(&op), op.getOperands())
        .cost = count(op);
  }
  // Sums of formulas are of one graph only.
  ExplainedCost &total = result.total;
  total = {"",
           numberText(sumOfRows),
           numberText(sumOfFlops),
           numberText(sumOfBytes),
           timeText(seconds),
           seconds};
  if (!isKnown)
    total = {"",
             formulaText(sum.productRows),
             formulaText(sum.flops),
             formulaText(sum.readBytes),
             "-",
             0};
  return std::move(result);
}

static std::vector<ExplainedFunction> readFunctions(ModuleOp module,
                                                    const CostModel &model) {
  std::vector<ExplainedFunction> functions;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal())
      functions.push_back(FunctionReader(func, model).read());
  return functions;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// "layer.mlir:8:3" of the first place of a location that is in a file.
static std::string placeText(Location location) {
  std::string text = "-";
  location->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    text = (place.getFilename().getValue() + ":" + Twine(place.getLine()) +
            ":" + Twine(place.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

void ChoiceStreamer::streamOptimizationRemark(
    const remark::detail::Remark &remark) {
  std::string message;
  for (const auto &arg : remark.getArgs())
    message += (arg.key == "Remark" ? "" : arg.key + " ") + arg.val;
  choices.push_back({remark.getCategoryName().str(),
                     remark.getRemarkName().str(),
                     placeText(remark.getLocation()), message,
                     remark.getRemarkType() == llvm::remarks::Type::Passed});
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// Reads `passes`, or gives one error.
static LogicalResult readOptions(ModuleOp module, StringRef passes,
                                 StringRef chip, GraphPipelineOptions &graph) {
  if (!chip.empty())
    if (llvm::Error error = checkChip(chip))
      return module.emitError(llvm::toString(std::move(error)));
  PassSwitches all;
  std::string message;
  if (failed(parsePassSwitches(passes, all, message)))
    return module.emitError("passes: ") << message;
  all.assignGraphSwitches(graph);
  graph.chooseTarget(chip);
  return success();
}

/// The switches that are off.
static std::vector<std::string> listOff(const GraphPipelineOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  options.print(stream);
  SmallVector<StringRef> words;
  StringRef(text).trim("{} ").split(words, ' ');
  std::vector<std::string> off;
  for (StringRef word : words)
    if (word.consume_back("=false"))
      off.push_back(word.str());
  return off;
}

FailureOr<Explanation> gnn::explain(ModuleOp module, StringRef passes,
                                    StringRef chip) {
  GraphPipelineOptions options;
  if (failed(readOptions(module, passes, chip, options)))
    return failure();
  // Times are shown whatever is weighed.
  CostModel model(options.target.getValue(), CostKind::Full);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo());

  MLIRContext context(module->getContext()->getDialectRegistry(),
                      MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(
      module->getContext()->allowsUnregisteredDialects());
  ScopedDiagnosticHandler errors(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      module.emitError(diagnostic.str());
  });
  auto copy = parseSourceString<ModuleOp>(text, &context);
  if (!copy)
    return failure();
  Explanation result;
  result.off = listOff(options);
  result.target = model.getTarget().title.str();
  result.before = readFunctions(*copy, model);
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.failed =
      categories.analysis = "gnn-.*";
  if (failed(remark::enableOptimizationRemarks(
          context, std::make_unique<ChoiceStreamer>(result.choices),
          std::make_unique<remark::RemarkEmittingPolicyAll>(), categories)))
    return module.emitError("remarks cannot be collected");
  PassManager pm(&context);
  buildGraphPipeline(pm, options);
  if (failed(pm.run(*copy)))
    return failure();
  result.after = readFunctions(*copy, model);
  return result;
}

LogicalResult gnn::writeHtml(ModuleOp module, const Explanation &explanation,
                             StringRef path) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    printHtml(explanation, stream);
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return module.emitError("cannot write '")
           << path << "': " << error.message();
  return success();
}

namespace {
struct Explain : gnn::impl::ExplainBase<Explain> {
  using ExplainBase::ExplainBase;

  void runOnOperation() override {
    FailureOr<Explanation> explanation = explain(getOperation(), passes);
    if (failed(explanation))
      return signalPassFailure();
    if (html.empty())
      printText(*explanation, llvm::outs());
    else if (failed(writeHtml(getOperation(), *explanation, html)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
