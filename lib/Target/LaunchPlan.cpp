//===- LaunchPlan.cpp - The host function as data -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over each host function: scalars become expressions, buffers become
// inputs, outputs, structures or places in the workspace, launches steps.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/LaunchPlan.h"

#include "Describe.h"
#include "PlanConstants.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Target/PlanGraphs.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/Origin.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using runtime::ArgSpec;
using runtime::Expr;
using runtime::FunctionPlan;

namespace {
class PlanBuilder {
public:
  PlanBuilder(func::FuncOp func, PlanConstants &constants)
      : func(func), constants(constants) {}

  FailureOr<FunctionPlan> build();

private:
  LogicalResult addBoundary();
  LogicalResult addOp(Operation &op);
  LogicalResult addArithmetic(Operation *op, Expr::Op kind);
  LogicalResult addConstant(arith::ConstantOp op);
  LogicalResult addCast(Operation *op);
  LogicalResult addCount(tile::CountOp op);
  LogicalResult addStructure(tile::StructureOp op);
  LogicalResult addView(memref::ViewOp op);
  LogicalResult addSamePointer(Operation *op);
  LogicalResult addWorkspaceSize(tile::WorkspaceSizeOp op);
  LogicalResult addRequirement(tile::RequireOp op);
  LogicalResult addCost(tile::CostOp op);
  LogicalResult addLaunch(gpu::LaunchFuncOp launch);
  FailureOr<ArgSpec> argument(gpu::LaunchFuncOp launch, Value value);
  FailureOr<int64_t> graphIndex(Operation *op, StringRef name);
  void placeDerived();
  /// The expression of a host scalar; reports at `user` if it is none.
  FailureOr<int64_t> expr(Operation *user, Value value);
  int64_t addExpr(Expr e) {
    plan.exprs.push_back(e);
    return plan.exprs.size() - 1;
  }
  int64_t constant(int64_t value) {
    Expr e;
    e.value = value;
    return addExpr(e);
  }
  int64_t binary(Expr::Op op, int64_t a, int64_t b) {
    Expr e;
    e.op = op;
    e.args = {a, b};
    return addExpr(e);
  }

  func::FuncOp func;
  PlanConstants &constants;
  FunctionPlan plan;
  llvm::StringMap<int64_t> graphs;
  llvm::DenseMap<Value, int64_t> exprs;
  llvm::DenseMap<Value, ArgSpec> buffers;
  llvm::StringMap<int64_t> structures;
  std::optional<std::array<int64_t, 3>> cost;
  bool hasSize = false, usesWorkspace = false;
};
} // namespace

/// The role of an argument by `gnn.role`, or that it is one of its list.
static runtime::Role roleOf(func::FuncOp func, unsigned number,
                            runtime::Role otherwise) {
  auto role = func.getArgAttrOfType<StringAttr>(number, attribute::role);
  return role ? *runtime::parseRole(role.getValue()) : otherwise;
}

/// Indices of derived graphs, until all graphs that are bound are known.
static constexpr int64_t kFirstDerived = int64_t(1) << 32;

FailureOr<int64_t> PlanBuilder::graphIndex(Operation *op, StringRef name) {
  auto found = graphs.find(name);
  if (found != graphs.end())
    return found->second;
  auto graph = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
      op, StringAttr::get(op->getContext(), name));
  if (!graph)
    return op->emitError("no graph is declared as '@") << name << "'";
  if (graph.isDerived()) {
    FailureOr<int64_t> parent = graphIndex(op, *graph.getParentGraph());
    if (failed(parent))
      return failure();
    runtime::DerivedSpec spec = describeDerived(graph);
    spec.parent = *parent;
    plan.derived.push_back(spec);
    return graphs[name] = kFirstDerived + plan.derived.size() - 1;
  }
  plan.graphs.push_back(describeGraph(graph));
  return graphs[name] = plan.graphs.size() - 1;
}

/// Numbers the derived graphs behind those that are bound.
void PlanBuilder::placeDerived() {
  auto place = [&](int64_t &graph) {
    if (graph >= kFirstDerived)
      graph += static_cast<int64_t>(plan.graphs.size()) - kFirstDerived;
  };
  for (auto *tensors : {&plan.inputs, &plan.outputs})
    for (runtime::TensorSpec &tensor : *tensors)
      place(tensor.graph);
  for (Expr &e : plan.exprs)
    place(e.graph);
  for (runtime::StructureSpec &structure : plan.structures)
    place(structure.graph);
}

/// "?x8xf32": what the user wrote may be a tensor.
static std::string describeShape(MemRefType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t size : type.getShape())
    stream << (ShapedType::isDynamic(size) ? "?" : std::to_string(size)) << "x";
  stream << type.getElementType();
  return text;
}

/// The name of a graph that rows of `func` may be of.
static StringRef getSomeGraph(func::FuncOp func) {
  auto graphs = func->getParentOfType<ModuleOp>().getOps<GraphOp>();
  return graphs.empty() ? "g" : (*graphs.begin()).getSymName();
}

LogicalResult PlanBuilder::addBoundary() {
  for (BlockArgument argument : func.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      return func.emitError("expected buffers as arguments, got ")
             << argument.getType();
    if (func.getArgAttr(number, "gnn.workspace")) {
      ArgSpec spec;
      spec.kind = ArgSpec::Kind::Workspace;
      spec.index = -1;
      buffers[argument] = spec;
      continue;
    }
    bool isOutput = bool(func.getArgAttr(number, "bufferize.result"));
    auto &list = isOutput ? plan.outputs : plan.inputs;
    runtime::TensorSpec spec;
    auto text = [&](StringRef attribute) {
      auto value = func.getArgAttrOfType<StringAttr>(number, attribute);
      return value ? value.getValue().str() : std::string();
    };
    spec.name = text(attribute::name);
    if (spec.name.empty())
      spec.name = isOutput ? defaultResultName(list.size())
                           : defaultInputName(list.size());
    spec.role = roleOf(func, number,
                       isOutput ? runtime::Role::Output : runtime::Role::Input);
    spec.key = text(attribute::key);
    spec.of = text(attribute::of);
    if ((spec.role == runtime::Role::Gradient) == spec.of.empty())
      return func.emitError("expected gnn.of of gradients and of nothing else, "
                            "got ")
             << (spec.of.empty() ? "none" : "'" + spec.of + "'") << " of '"
             << spec.name << "', which is of role " << runtime::name(spec.role);
    for (int64_t size : type.getShape())
      spec.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
    FailureOr<runtime::DataType> dtype =
        getDataType(func, type.getElementType());
    if (failed(dtype))
      return failure();
    spec.dtype = *dtype;
    if (auto rows = func.getArgAttrOfType<RowsAttr>(number, "gnn.rows")) {
      FailureOr<int64_t> graph = graphIndex(func, rows.getGraph().getValue());
      if (failed(graph))
        return failure();
      spec.graph = *graph;
      spec.space = static_cast<Space>(rows.getSpace());
    } else if (type.getRank() && type.isDynamicDim(0)) {
      return emitError(argument.getLoc())
             << "expected gnn.rows, which says what rows '" << func.getName()
             << "' takes, got " << describeShape(type)
             << " without: write {gnn.rows = "
             << "#gnn.rows<@" << getSomeGraph(func)
             << ", node>}, or whose rows it has, behind the type";
    }
    ArgSpec arg;
    arg.kind = isOutput ? ArgSpec::Kind::Output : ArgSpec::Kind::Input;
    arg.index = list.size();
    buffers[argument] = arg;
    list.push_back(spec);
  }
  return success();
}

FailureOr<int64_t> PlanBuilder::expr(Operation *user, Value value) {
  auto it = exprs.find(value);
  if (it != exprs.end())
    return it->second;
  return user->emitError("expected scalars that the host computes before");
}

/// The expression kind of a host op; none if it has none.
static std::optional<Expr::Op> exprKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Expr::Op>>(op)
      .Case([](arith::AddIOp) { return Expr::Op::Add; })
      .Case([](arith::SubIOp) { return Expr::Op::Sub; })
      .Case([](arith::MulIOp) { return Expr::Op::Mul; })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [](auto) { return Expr::Op::CeilDiv; })
      .Case<arith::DivUIOp, arith::FloorDivSIOp>(
          [](auto) { return Expr::Op::FloorDiv; })
      .Case<arith::MinUIOp, arith::MinSIOp>([](auto) { return Expr::Op::Min; })
      .Case<arith::MaxUIOp, arith::MaxSIOp>([](auto) { return Expr::Op::Max; })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult PlanBuilder::addArithmetic(Operation *op, Expr::Op kind) {
  FailureOr<int64_t> a = expr(op, op->getOperand(0));
  FailureOr<int64_t> b = expr(op, op->getOperand(1));
  if (failed(a) || failed(b))
    return failure();
  exprs[op->getResult(0)] = binary(kind, *a, *b);
  return success();
}

LogicalResult PlanBuilder::addConstant(arith::ConstantOp op) {
  auto value = dyn_cast<IntegerAttr>(op.getValue());
  if (!value)
    return op.emitError("expected an integer of the host, got ")
           << op.getType();
  exprs[op] = constant(value.getInt());
  return success();
}

LogicalResult PlanBuilder::addCast(Operation *op) {
  FailureOr<int64_t> value = expr(op, op->getOperand(0));
  if (failed(value))
    return failure();
  exprs[op->getResult(0)] = *value;
  return success();
}

LogicalResult PlanBuilder::addCount(tile::CountOp op) {
  FailureOr<int64_t> graph = graphIndex(op, op.getGraph());
  if (failed(graph))
    return failure();
  Expr count;
  count.op = Expr::Op::Count;
  count.graph = *graph;
  count.count = op.getOf();
  exprs[op] = addExpr(count);
  return success();
}

LogicalResult PlanBuilder::addStructure(tile::StructureOp op) {
  FailureOr<int64_t> graph = graphIndex(op, op.getGraph());
  if (failed(graph))
    return failure();
  std::string name = (op.getGraph() + " " + op.getKey().str()).str();
  auto [it, isNew] = structures.try_emplace(name, plan.structures.size());
  if (isNew)
    plan.structures.push_back({*graph, op.getKey()});
  ArgSpec spec;
  spec.kind = ArgSpec::Kind::Structure;
  spec.index = it->second;
  buffers[op.getResult()] = spec;
  return success();
}

/// "f32[edge of g, 64]", with "?" for rows that are no count of a graph.
static std::string describeView(memref::ViewOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  MemRefType type = op.getType();
  os << type.getElementType() << "[";
  unsigned dynamic = 0;
  llvm::interleaveComma(type.getShape(), os, [&](int64_t size) {
    if (!ShapedType::isDynamic(size)) {
      os << size;
      return;
    }
    auto count = op.getSizes()[dynamic++].getDefiningOp<tile::CountOp>();
    if (count && count.getOf().kind == CountKey::Kind::Count)
      os << name(count.getOf().space) << " of " << count.getGraph();
    else
      os << "?";
  });
  os << "]";
  return text;
}

LogicalResult PlanBuilder::addView(memref::ViewOp op) {
  auto whole = buffers.find(op.getSource());
  if (whole == buffers.end() ||
      whole->second.kind != ArgSpec::Kind::Workspace ||
      whole->second.index >= 0)
    return op.emitError("expected a view of the workspace argument");
  FailureOr<int64_t> offset = expr(op, op.getByteShift());
  if (failed(offset))
    return failure();
  int64_t fixed = op.getType().getElementTypeBitWidth() / 8;
  for (int64_t size : op.getType().getShape())
    if (!ShapedType::isDynamic(size))
      fixed *= size;
  int64_t bytes = constant(fixed);
  for (Value size : op.getSizes()) {
    FailureOr<int64_t> rows = expr(op, size);
    if (failed(rows))
      return failure();
    bytes = binary(Expr::Op::Mul, bytes, *rows);
  }
  ArgSpec spec;
  spec.kind = ArgSpec::Kind::Workspace;
  spec.index = *offset;
  spec.bytes = bytes;
  spec.value = describeView(op);
  buffers[op] = spec;
  usesWorkspace = true;
  return success();
}

LogicalResult PlanBuilder::addSamePointer(Operation *op) {
  auto it = buffers.find(op->getOperand(0));
  if (it == buffers.end())
    return op->emitError("expected a view of an argument, a structure, a "
                         "constant or the workspace");
  if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op))
    if (getConstantIntValue(cast.getMixedOffsets().front()) != 0)
      return op->emitError("expected an offset of 0: a kernel gets the start "
                           "of a buffer");
  ArgSpec spec = it->second;
  buffers[op->getResult(0)] = spec;
  return success();
}

LogicalResult PlanBuilder::addRequirement(tile::RequireOp op) {
  FailureOr<int64_t> lhs = expr(op, op.getLhs());
  FailureOr<int64_t> rhs = expr(op, op.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  using Kind = runtime::Requirement::Op;
  plan.requirements.push_back({op.getAtMost() ? Kind::AtMost : Kind::Equal,
                               {*lhs, *rhs},
                               op.getExpected().str()});
  return success();
}

LogicalResult PlanBuilder::addWorkspaceSize(tile::WorkspaceSizeOp op) {
  FailureOr<int64_t> bytes = expr(op, op.getBytes());
  if (failed(bytes))
    return failure();
  if (hasSize)
    return op.emitError("expected one size of the workspace a function");
  hasSize = true;
  plan.workspace = *bytes;
  return success();
}

LogicalResult PlanBuilder::addCost(tile::CostOp op) {
  FailureOr<int64_t> reads = expr(op, op.getReads());
  FailureOr<int64_t> writes = expr(op, op.getWrites());
  FailureOr<int64_t> flops = expr(op, op.getFlops());
  if (failed(reads) || failed(writes) || failed(flops))
    return failure();
  cost = {*reads, *writes, *flops};
  return success();
}

LogicalResult PlanBuilder::addOp(Operation &op) {
  if (std::optional<Expr::Op> kind = exprKind(&op))
    return addArithmetic(&op, *kind);
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](arith::ConstantOp o) { return addConstant(o); })
      .Case([&](arith::IndexCastOp o) { return addCast(o); })
      .Case([&](tile::CountOp o) { return addCount(o); })
      .Case([&](tile::StructureOp o) { return addStructure(o); })
      .Case([&](memref::ViewOp o) { return addView(o); })
      .Case([&](memref::GetGlobalOp o) {
        FailureOr<ArgSpec> place = constants.place(o);
        buffers[o] = place.value_or(ArgSpec());
        return LogicalResult(place);
      })
      .Case<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
            memref::ReinterpretCastOp>(
          [&](Operation *o) { return addSamePointer(o); })
      .Case([&](tile::WorkspaceSizeOp o) { return addWorkspaceSize(o); })
      .Case([&](tile::RequireOp o) { return addRequirement(o); })
      .Case([&](tile::CostOp o) { return addCost(o); })
      .Case([&](gpu::LaunchFuncOp o) { return addLaunch(o); })
      // The extent of a reshaped buffer: pointers need none.
      .Case([](memref::DimOp) { return success(); })
      .Default([](Operation *o) -> LogicalResult {
        if (isa<func::ReturnOp>(o) && o->getNumOperands() == 0)
          return success();
        return o->emitError("has no place in a launch plan: expected host "
                            "scalars, structures, constants, views of the "
                            "workspace and launches, got '")
               << o->getName() << "'";
      });
}

FailureOr<ArgSpec> PlanBuilder::argument(gpu::LaunchFuncOp launch,
                                         Value value) {
  if (isa<MemRefType>(value.getType())) {
    auto it = buffers.find(value);
    if (it == buffers.end())
      return launch.emitError("expected arguments, structures, constants and "
                              "views of the workspace as kernel operands");
    if (it->second.kind == ArgSpec::Kind::Workspace && it->second.index < 0)
      return launch.emitError("expected views of the workspace as kernel "
                              "operands, got the whole");
    return it->second;
  }
  Type type = value.getType();
  if (!type.isIndex() && !type.isInteger(64) && !type.isInteger(32))
    return launch.emitError("expected buffers, i32, i64 and index as kernel "
                            "operands, got ")
           << type;
  FailureOr<int64_t> scalar = expr(launch, value);
  if (failed(scalar))
    return failure();
  ArgSpec spec;
  spec.kind = type.isInteger(32) ? ArgSpec::Kind::I32 : ArgSpec::Kind::I64;
  spec.index = *scalar;
  return spec;
}

LogicalResult PlanBuilder::addLaunch(gpu::LaunchFuncOp launch) {
  if (launch.getAsyncToken() || !launch.getAsyncDependencies().empty())
    return launch.emitError("expected a launch in order, got an async one");
  if (launch.getClusterSizeX())
    return launch.emitError("expected a launch without clusters");
  runtime::StepSpec step;
  step.kernel = launch.getKernelName().getValue().str();
  if (Attribute given = launch->getAttr("gnn.name")) {
    auto name = dyn_cast<StringAttr>(given);
    if (!name || name.empty())
      return launch.emitError("expected a string that is not empty for "
                              "gnn.name, got ")
             << given;
    step.name = name.str();
  }
  Value grid[] = {launch.getGridSizeX(), launch.getGridSizeY(),
                  launch.getGridSizeZ()};
  Value block[] = {launch.getBlockSizeX(), launch.getBlockSizeY(),
                   launch.getBlockSizeZ()};
  for (int i = 0; i < 3; ++i) {
    FailureOr<int64_t> gridSize = expr(launch, grid[i]);
    FailureOr<int64_t> blockSize = expr(launch, block[i]);
    if (failed(gridSize) || failed(blockSize))
      return failure();
    step.grid[i] = *gridSize;
    step.block[i] = *blockSize;
  }
  if (Value shared = launch.getDynamicSharedMemorySize()) {
    FailureOr<int64_t> bytes = expr(launch, shared);
    if (failed(bytes))
      return failure();
    step.shared = *bytes;
  }
  auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      launch, launch.getKernel());
  for (auto [i, operand] : llvm::enumerate(launch.getKernelOperands())) {
    FailureOr<ArgSpec> arg = argument(launch, operand);
    if (failed(arg))
      return failure();
    bool isRead = kernel && kernel.getArgAttr(
                                i, LLVM::LLVMDialect::getReadonlyAttrName());
    if (arg->kind == ArgSpec::Kind::Constant && !isRead)
      return launch.emitError("expected a kernel that only reads the constant "
                              "it gets as argument ")
             << i;
    arg->written = arg->mayBeWritten() && !isRead;
    // Equal places of the workspace are one view by now: what is there at this
    // time, the kernel knows if it is of this launch alone.
    if (arg->kind == ArgSpec::Kind::Workspace && kernel && step.name.empty())
      for (auto [n, origin] :
           llvm::enumerate(getOrigins(kernel.getArgument(i).getLoc())))
        arg->value += (n ? ", " : " of ") + describe(origin);
    step.args.push_back(*arg);
  }
  for (const Origin &origin : getOrigins(launch.getLoc()))
    step.ops.push_back(describe(origin));
  if (Attribute schedule = launch->getAttr("gnn.schedule"))
    step.schedule = describeSchedule(schedule);
  if (auto from = launch->getAttrOfType<StringAttr>(attribute::scheduleFrom))
    step.scheduleFrom = from.getValue().str();
  if (cost) {
    step.reads = (*cost)[0];
    step.writes = (*cost)[1];
    step.flops = (*cost)[2];
    cost.reset();
  }
  plan.steps.push_back(step);
  return success();
}

FailureOr<FunctionPlan> PlanBuilder::build() {
  plan.name = func.getName().str();
  if (auto of = func->getAttrOfType<FlatSymbolRefAttr>(attribute::gradientOf)) {
    plan.gradientOf = of.getValue().str();
    plan.pass = *runtime::parsePass(
        func->getAttrOfType<StringAttr>(attribute::pass).getValue());
  }
  if (!func.getBody().hasOneBlock())
    return func.emitError("expected a straight line, got several blocks");
  plan.workspace = constant(0);
  if (failed(addBoundary()))
    return failure();
  for (Operation &op : func.getBody().front())
    if (failed(addOp(op)))
      return failure();
  if (usesWorkspace && !hasSize)
    return func.emitError("expected gnn_tile.workspace_size, as there are "
                          "views of the workspace");
  placeDerived();
  return plan;
}

FailureOr<runtime::LaunchPlan> gnn::makeLaunchPlan(ModuleOp module,
                                                   std::string *data) {
  runtime::LaunchPlan plan;
  PlanConstants constants;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || func.isPrivate())
      continue;
    FailureOr<FunctionPlan> function = PlanBuilder(func, constants).build();
    if (failed(function))
      return failure();
    plan.functions.push_back(*function);
  }
  plan.constantBytes = constants.getData().size();
  if (data)
    *data = constants.getData();
  if (runtime::Error error = plan.verify())
    return module.emitError("the launch plan is not sound: ")
           << error.message();
  return plan;
}
