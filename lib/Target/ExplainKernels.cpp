//===- ExplainKernels.cpp - Which ops become which kernels ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops are numbered in their locations, which lowering carries to launches; the
// launch plan counts what each launch reads, writes and computes.
//
//===----------------------------------------------------------------------===//

#include "ExplainKernels.h"

#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Target/LaunchPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mlir;
using namespace gnn;
using runtime::ArgSpec;
using runtime::Expr;
using runtime::FunctionPlan;

std::string gnn::numberText(double value) {
  constexpr double most = 1e18; // that an integer holds
  if (value > most)
    return llvm::formatv("{0:e3}", value).str();
  return llvm::formatv("{0:N}", static_cast<int64_t>(value)).str();
}

std::string gnn::formulaText(const RowCount &count) {
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

std::string gnn::timeText(double seconds) {
  return llvm::formatv("{0:f4}", seconds * 1e3).str();
}

//===----------------------------------------------------------------------===//
// Expressions of a plan as formulas
//===----------------------------------------------------------------------===//

namespace {

/// A sum of rows of the graphs of a plan, and a constant.
struct Formula {
  std::vector<RowCount> ofGraphs;
  double constant = 0;

  explicit Formula(const FunctionPlan &plan, double constant = 0)
      : ofGraphs(plan.numGraphs()), constant(constant) {}

  bool isConstant() const {
    return llvm::all_of(ofGraphs, [](const RowCount &count) {
      return formulaText(count) == "0";
    });
  }
  Formula operator+(const Formula &other) const {
    Formula sum = *this;
    sum.constant += other.constant;
    for (auto [mine, its] : llvm::zip_equal(sum.ofGraphs, other.ofGraphs))
      mine += its;
    return sum;
  }
  Formula operator*(double factor) const {
    Formula product = *this;
    product.constant *= factor;
    for (RowCount &count : product.ofGraphs)
      count = count * factor;
    return product;
  }
};

/// A formula, where there is one.
using Count = std::optional<Formula>;

/// Reads the expressions of a plan.
class FormulaReader {
public:
  FormulaReader(const FunctionPlan &plan, ModuleOp module);

  Count read(int64_t expr) const;

  /// The number, where the statistics of all graphs in it are known.
  std::optional<double> evaluate(const Formula &formula) const;
  /// "1,536", "128 edge + 64", or "-" of none.
  std::string textOf(const Count &count) const;

private:
  Formula readRows(size_t graph, Space space) const;
  Count readCount(size_t graph, const CountKey &key) const;

  const FunctionPlan &plan;
  SmallVector<StatsAttr, 2> stats;
};

} // namespace

FormulaReader::FormulaReader(const FunctionPlan &plan, ModuleOp module)
    : plan(plan) {
  for (size_t i = 0; i < plan.numGraphs(); ++i)
    stats.push_back(getStats(module.lookupSymbol<GraphOp>(plan.graphName(i))));
}

Formula FormulaReader::readRows(size_t graph, Space space) const {
  bool isDerived = graph >= plan.graphs.size();
  size_t root =
      isDerived
          ? static_cast<size_t>(plan.derived[graph - plan.graphs.size()].parent)
          : graph;
  bool ofParent = isOfParent(space) && isDerived;
  Space own = withoutParent(space);
  Formula formula(plan);
  switch (kindOf(own)) {
  case RowKind::Graph:
    formula.constant = 1;
    break;
  case RowKind::NodeType:
    formula.constant = plan.graphs[root].nodeTypes;
    break;
  case RowKind::EdgeType:
    formula.constant =
        isDerived && !ofParent
            ? plan.derived[graph - plan.graphs.size()].made.numEdgeTypes(
                  plan.graphs[root].edgeTypes)
            : plan.graphs[root].edgeTypes;
    break;
  default: // the spaces of the dialect have the same numbers
    formula.ofGraphs[ofParent ? root : graph] +=
        RowCount::rows(static_cast<RowSpace>(own));
    // Rows of edges and behind them of new loops.
    bool hasBoth = space == Space::ParentEdge || space == Space::ParentLoop;
    if (hasBoth && isDerived &&
        plan.derived[graph - plan.graphs.size()].made.addsLoops())
      formula.ofGraphs[root] += RowCount::rows(
          space == Space::ParentEdge ? RowSpace::Dst : RowSpace::Edge);
  }
  return formula;
}

Count FormulaReader::readCount(size_t graph, const CountKey &key) const {
  if (key.kind == CountKey::Kind::Count)
    return readRows(graph, key.space);
  if (key.kind != CountKey::Kind::TileCount) {
    // No sum of rows.
    if (!stats[graph])
      return std::nullopt;
    return Formula(plan, evaluateCount(key, stats[graph]));
  }
  // Each group has one tile that is not full.
  return readRows(graph, key.elements.space) * (1.0 / key.tile) +
         readRows(graph, key.space);
}

Count FormulaReader::read(int64_t index) const {
  const Expr &expr = plan.exprs[index];
  if (expr.op == Expr::Op::Const)
    return Formula(plan, expr.value);
  if (expr.op == Expr::Op::Count)
    return readCount(expr.graph, expr.count);
  Count a = read(expr.args[0]), b = read(expr.args[1]);
  if (!a || !b)
    return std::nullopt;
  switch (expr.op) {
  case Expr::Op::Add:
    return *a + *b;
  case Expr::Op::Sub:
    return *a + *b * -1;
  case Expr::Op::Mul:
    if (a->isConstant())
      return *b * a->constant;
    return b->isConstant() ? Count(*a * b->constant) : std::nullopt;
  case Expr::Op::CeilDiv:
  case Expr::Op::FloorDiv:
    if (!b->isConstant() || b->constant == 0)
      return std::nullopt;
    return *a * (1 / b->constant);
  default: // what is greater depends on the graph
    return std::nullopt;
  }
}

std::optional<double> FormulaReader::evaluate(const Formula &formula) const {
  double sum = formula.constant;
  for (auto [count, known] : llvm::zip_equal(formula.ofGraphs, stats)) {
    if (!known && formulaText(count) != "0")
      return std::nullopt;
    sum += known ? count.evaluate(known) : 0;
  }
  return sum;
}

std::string FormulaReader::textOf(const Count &count) const {
  if (!count)
    return "-";
  if (std::optional<double> value = evaluate(*count))
    return numberText(*value);
  // Sums of formulas are of one graph only.
  RowCount sum(count->constant);
  for (const RowCount &rows : count->ofGraphs)
    sum += rows;
  return formulaText(sum);
}

//===----------------------------------------------------------------------===//
// Numbers in locations
//===----------------------------------------------------------------------===//

static void setNumber(Operation *op, unsigned number) {
  MLIRContext *context = op->getContext();
  auto attr = IntegerAttr::get(IntegerType::get(context, 64), number);
  op->walk([&](Operation *inner) {
    inner->setLoc(FusedLoc::get({inner->getLoc()}, attr, context));
  });
}

/// Numbers arguments, ops and results as the nodes of a function are.
static void numberOps(func::FuncOp func) {
  unsigned number = func.getNumArguments();
  for (Operation &op : func.getBody().front())
    setNumber(&op, number++);
}

static void collectNumbers(Location location,
                           llvm::SmallSetVector<unsigned, 4> &numbers) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](FusedLoc fused) {
        if (auto number = dyn_cast_or_null<IntegerAttr>(fused.getMetadata())) {
          numbers.insert(number.getInt());
          return;
        }
        for (Location part : fused.getLocations())
          collectNumbers(part, numbers);
      })
      .Case(
          [&](NameLoc named) { collectNumbers(named.getChildLoc(), numbers); });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// One launch of a function.
struct Launch {
  llvm::SmallSetVector<unsigned, 4> nodes;
  /// Of the walk by edges that it is of, where that is known: the cost of it,
  /// or 0 in launches behind its first.
  std::optional<double> seconds;
  Count bytes, reads, flops;
  /// The tiles of long groups, where it reads them or where they are.
  std::optional<StructureKey> longTiles;

  /// Whether the launch behind it goes on with what it gives of the same ops.
  bool isOfTiles() const {
    return longTiles && longTiles->kind == StructureKey::Kind::LongTiles;
  }
};

/// A template of a function with its schedule: the ops that it computes, and
/// the costs of its launches, of walks by edges alone and by statistics.
struct ScheduledTemplate {
  SmallVector<unsigned> nodes;
  SmallVector<std::optional<double>> seconds;
};
using ScheduledTemplates = std::vector<ScheduledTemplate>;

/// Makes kernels of the launches of one function.
class KernelReader {
public:
  KernelReader(func::FuncOp func, func::FuncOp lowered,
               const FunctionPlan &plan, const ScheduledTemplates &templates,
               const CostModel &model, ExplainedFunction &result);

  void read();

private:
  void takeCosts(const ScheduledTemplates &templates);
  void groupLaunches();
  void addReadThrough();
  std::optional<double> weigh(size_t index) const;
  KernelWork describe(unsigned node, size_t index, StatsAttr stats) const;
  bool computes(const Launch &launch, Value value) const;
  void addCosts();

  func::FuncOp func;
  FormulaReader formulas;
  const FunctionPlan &plan;
  const CostModel &model;
  ExplainedFunction &result;
  std::vector<Launch> launches;
  SmallVector<Operation *> ops;       // by node; null of others
  SmallVector<int> kernelOfNode;      // -1: none
  SmallVector<unsigned> kernelOfStep; // by launch
};

} // namespace

KernelReader::KernelReader(func::FuncOp func, func::FuncOp lowered,
                           const FunctionPlan &plan,
                           const ScheduledTemplates &templates,
                           const CostModel &model, ExplainedFunction &result)
    : func(func), formulas(plan, lowered->getParentOfType<ModuleOp>()),
      plan(plan), model(model), result(result),
      ops(result.nodes.size(), nullptr), kernelOfNode(result.nodes.size(), -1) {
  unsigned number = func.getNumArguments();
  for (Operation &op : func.getBody().front().without_terminator())
    ops[number++] = &op;
  auto launchOps = lowered.getOps<gpu::LaunchFuncOp>();
  for (auto [launchOp, step] : llvm::zip_equal(launchOps, plan.steps)) {
    Launch &launch = launches.emplace_back();
    collectNumbers(launchOp.getLoc(), launch.nodes);
    auto readFormula = [&](int64_t expr) {
      return expr < 0 ? std::nullopt : formulas.read(expr);
    };
    launch.reads = readFormula(step.reads);
    launch.flops = readFormula(step.flops);
    for (const ArgSpec &arg : step.args)
      if (arg.kind == ArgSpec::Kind::Structure)
        if (const StructureKey &key = plan.structures[arg.index].key;
            key.isOfLong())
          launch.longTiles = key;
    Count writes = readFormula(step.writes);
    if (launch.reads && writes)
      launch.bytes = *launch.reads + *writes;
  }
  takeCosts(templates);
}

/// The ops of a location in their order.
static SmallVector<unsigned> sortedNumbers(ArrayRef<unsigned> numbers) {
  SmallVector<unsigned> sorted(numbers);
  llvm::sort(sorted);
  return sorted;
}

/// Launches have the costs by which passes chose, where those of the same ops
/// are as many as their templates say.
void KernelReader::takeCosts(const ScheduledTemplates &templates) {
  std::map<SmallVector<unsigned>, SmallVector<std::optional<double>>> costs;
  for (const ScheduledTemplate &one : templates)
    llvm::append_range(costs[one.nodes], one.seconds);
  std::map<SmallVector<unsigned>, SmallVector<Launch *>> launchesOf;
  for (Launch &launch : launches)
    launchesOf[sortedNumbers(launch.nodes.getArrayRef())].push_back(&launch);
  for (auto &[nodes, found] : launchesOf)
    if (auto it = costs.find(nodes);
        it != costs.end() && it->second.size() == found.size())
      for (auto [launch, seconds] : llvm::zip_equal(found, it->second))
        launch->seconds = seconds;
}

/// Launches that share an op are one kernel of the picture.
void KernelReader::groupLaunches() {
  llvm::IntEqClasses classes(launches.size());
  DenseMap<unsigned, unsigned> firstLaunch;
  for (auto [i, launch] : llvm::enumerate(launches))
    for (unsigned node : launch.nodes)
      classes.join(firstLaunch.try_emplace(node, i).first->second, i);
  classes.compress();
  result.kernels.resize(classes.getNumClasses());
  for (auto [i, launch] : llvm::enumerate(launches)) {
    kernelOfStep.push_back(classes[i]);
    const runtime::StepSpec &step = plan.steps[i];
    ExplainedKernel &kernel = result.kernels[classes[i]];
    kernel.names.push_back(step.name.empty() ? step.kernel : step.name);
    kernel.schedules.push_back(step.schedule);
    kernel.scheduleFrom.push_back(step.scheduleFrom);
    for (unsigned node : launch.nodes)
      kernelOfNode[node] = classes[i];
  }
}

/// Ops that no kernel computes are read through by the first one that needs
/// them; what none needs is another shape of what one has written.
void KernelReader::addReadThrough() {
  for (unsigned node = ops.size(); node-- > 0;) {
    if (!ops[node] || kernelOfNode[node] >= 0)
      continue;
    for (unsigned reader = node + 1; reader < ops.size(); ++reader)
      if (llvm::is_contained(result.nodes[reader].operands, node) &&
          kernelOfNode[reader] >= 0 &&
          (kernelOfNode[node] < 0 || kernelOfNode[reader] < kernelOfNode[node]))
        kernelOfNode[node] = kernelOfNode[reader];
    if (kernelOfNode[node] < 0)
      continue;
    for (auto [i, launch] : llvm::enumerate(launches))
      if (kernelOfStep[i] == static_cast<unsigned>(kernelOfNode[node])) {
        launch.nodes.insert(node);
        break;
      }
  }
  for (unsigned node = 0; node < ops.size(); ++node)
    for (unsigned operand : result.nodes[node].operands)
      if (ops[node] && kernelOfNode[node] < 0)
        kernelOfNode[node] = kernelOfNode[operand];
  for (auto [node, kernel] : llvm::enumerate(kernelOfNode))
    if (kernel >= 0)
      result.kernels[kernel].nodes.push_back(node);
}

/// The work of this launch, where an op becomes as many launches as it says
/// kernels; else all of it.
KernelWork KernelReader::describe(unsigned node, size_t index,
                                  StatsAttr stats) const {
  std::vector<KernelWork> kernels = describeKernels(ops[node], stats);
  size_t before = 0, all = 0;
  for (auto [i, launch] : llvm::enumerate(launches)) {
    bool isOf = launch.nodes.contains(node) && !launch.isOfTiles();
    before += isOf && i < index;
    all += isOf;
  }
  if (all == kernels.size())
    return kernels[before];
  KernelWork whole;
  for (const KernelWork &kernel : kernels)
    whole += kernel;
  return whole;
}

/// Whether `launch` computes `value` itself and so gathers it from nowhere.
bool KernelReader::computes(const Launch &launch, Value value) const {
  return value && llvm::any_of(launch.nodes, [&](unsigned node) {
           return ops[node] && ops[node] == value.getDefiningOp() &&
                  !isa<GatherOp>(ops[node]);
         });
}

/// Bytes and flops are those that the launch counts; how they are read and how
/// long rows are is known of the ops.
std::optional<double> KernelReader::weigh(size_t index) const {
  const Launch &launch = launches[index];
  if (launch.seconds)
    return launch.seconds;
  if (!launch.bytes || !launch.flops)
    return std::nullopt;
  std::optional<double> bytes = formulas.evaluate(*launch.bytes),
                        reads = formulas.evaluate(*launch.reads),
                        flops = formulas.evaluate(*launch.flops);
  if (!bytes || !flops)
    return std::nullopt;
  KernelWork work;
  for (unsigned node : launch.nodes)
    if (StatsAttr stats = ops[node] ? getStats(ops[node]) : nullptr) {
      KernelWork ofOp = describe(node, index, stats);
      if (launch.longTiles)
        takeShare(ofOp, *launch.longTiles, stats);
      work += ofOp;
    }
  llvm::erase_if(work.gathers, [&](const GatherWork &gather) {
    return computes(launch, gather.table);
  });
  if (double gathered = work.getGatheredBytes(); gathered > *reads)
    for (GatherWork &gather : work.gathers)
      gather.rows *= *reads / gathered;
  work.streamBytes = *bytes - work.getGatheredBytes();
  work.productFlops = std::min(work.productFlops, *flops);
  work.otherFlops = *flops - work.productFlops;
  return model.cost(work);
}

void KernelReader::addCosts() {
  struct Sum {
    Count bytes, flops;
    std::optional<double> seconds = 0;
  };
  Formula zero(plan);
  std::vector<Sum> sums(result.kernels.size() + 1, {zero, zero});
  auto add = [](Count &sum, const Count &more) {
    sum = sum && more ? Count(*sum + *more) : std::nullopt;
  };
  for (auto [i, launch] : llvm::enumerate(launches)) {
    std::optional<double> seconds = weigh(i);
    for (Sum *sum : {&sums[kernelOfStep[i]], &sums.back()}) {
      add(sum->bytes, launch.bytes);
      add(sum->flops, launch.flops);
      if (sum->seconds && seconds)
        *sum->seconds += *seconds;
      else
        sum->seconds.reset();
    }
  }
  auto write = [&](const Sum &sum, ExplainedCost &cost) {
    cost.bytes = formulas.textOf(sum.bytes);
    cost.flops = formulas.textOf(sum.flops);
    cost.seconds = sum.seconds;
    cost.milliseconds = sum.seconds ? timeText(*sum.seconds) : "-";
    if (sum.bytes)
      cost.totalBytes = formulas.evaluate(*sum.bytes);
    if (sum.flops)
      cost.totalFlops = formulas.evaluate(*sum.flops);
  };
  for (auto [kernel, sum] : llvm::zip(result.kernels, sums))
    write(sum, kernel.cost);
  write(sums.back(), result.total);
}

void KernelReader::read() {
  groupLaunches();
  addReadThrough();
  addCosts();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static ScheduledTemplates readTemplates(func::FuncOp func,
                                        const CostModel &model) {
  ScheduledTemplates templates;
  func.walk([&](tile::TileOpInterface op) {
    llvm::SmallSetVector<unsigned, 4> numbers;
    collectNumbers(op.getLoc(), numbers);
    ScheduledTemplate &one = templates.emplace_back();
    one.nodes = sortedNumbers(numbers.getArrayRef());
    one.seconds.resize(countLaunches(op));
    auto traverse = dyn_cast<tile::TraverseOp>(*op);
    auto graph =
        SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
    bool isByEdges = traverse && traverse.isByEdges();
    StatsAttr stats = isByEdges && graph ? getStats(graph) : nullptr;
    if (!stats)
      return;
    llvm::fill(one.seconds, 0.0);
    one.seconds.front() = costScheduled(model, traverse, stats);
  });
  return templates;
}

std::string gnn::addKernels(ModuleOp module, ArrayRef<Stage> stages,
                            const StageOptions &options, const CostModel &model,
                            std::vector<ExplainedFunction> &functions) {
  OwningOpRef<ModuleOp> copy = module.clone();
  for (auto func : copy->getOps<func::FuncOp>())
    if (!func.isExternal())
      numberOps(func);
  std::string obstacle;
  std::map<std::string, ScheduledTemplates> templates;
  FailureOr<runtime::LaunchPlan> plan = failure();
  {
    ScopedDiagnosticHandler handler(
        module.getContext(), [&](Diagnostic &diagnostic) {
          auto line = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
          if (line && line.getFilename() == options.schedule.schedules)
            return failure(); // the caller reports errors of this file
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              obstacle.empty())
            obstacle = diagnostic.str();
          return success();
        });
    // Templates have their schedules behind the last stage of buffers.
    PassManager toSchedules(module.getContext());
    PassManager toKernels(module.getContext());
    for (const Stage &stage : stages)
      if (isExplained(stage))
        stage.build(stage.to <= Form::Buffers ? toSchedules : toKernels,
                    options);
    if (succeeded(toSchedules.run(*copy))) {
      for (auto func : copy->getOps<func::FuncOp>())
        templates[func.getName().str()] = readTemplates(func, model);
      if (succeeded(toKernels.run(*copy)))
        plan = makeLaunchPlan(*copy);
    }
  }
  for (ExplainedFunction &function : functions) {
    auto original = module.lookupSymbol<func::FuncOp>(function.name);
    auto lowered = copy->lookupSymbol<func::FuncOp>(function.name);
    const FunctionPlan *found = nullptr;
    if (succeeded(plan))
      for (const FunctionPlan &candidate : plan->functions)
        if (candidate.name == function.name)
          found = &candidate;
    if (found && original && lowered)
      KernelReader(original, lowered, *found, templates[function.name], model,
                   function)
          .read();
    else
      function.obstacle = obstacle.empty() ? "it is not public" : obstacle;
  }
  return obstacle;
}
