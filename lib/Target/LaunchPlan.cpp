//===- LaunchPlan.cpp - The host function as data -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over each host function: scalars become expressions, buffers become
// inputs, outputs, structures or places in the workspace, launches steps.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/LaunchPlan.h"

#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
  explicit PlanBuilder(func::FuncOp func) : func(func) {}

  FailureOr<FunctionPlan> build();

private:
  LogicalResult addBoundary();
  LogicalResult addOp(Operation &op);
  LogicalResult addLaunch(gpu::LaunchFuncOp launch);
  FailureOr<ArgSpec> argument(gpu::LaunchFuncOp launch, Value value);
  FailureOr<int64_t> graphIndex(Operation *op, StringRef name);
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
  FunctionPlan plan;
  llvm::StringMap<int64_t> graphs;
  llvm::DenseMap<Value, int64_t> exprs;
  llvm::DenseMap<Value, ArgSpec> buffers;
  llvm::StringMap<int64_t> structures;
  std::optional<std::array<int64_t, 3>> cost;
  bool hasWorkspace = false;
};
} // namespace

static FailureOr<runtime::DataType> dataType(Operation *op, Type type) {
  if (type.isF32())
    return runtime::DataType::F32;
  if (type.isSignlessInteger(32))
    return runtime::DataType::I32;
  if (type.isSignlessInteger(64))
    return runtime::DataType::I64;
  op->emitError("the launch plan holds f32, i32 and i64, got ") << type;
  return failure();
}

FailureOr<int64_t> PlanBuilder::graphIndex(Operation *op, StringRef name) {
  auto [it, isNew] = graphs.try_emplace(name, plan.graphs.size());
  if (!isNew)
    return it->second;
  auto graph = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
      op, StringAttr::get(op->getContext(), name));
  if (!graph)
    return op->emitError("no graph is declared as '@") << name << "'";
  runtime::GraphSpec spec;
  spec.name = name.str();
  spec.square = graph.getKind() == GraphKind::Square;
  spec.nodeTypes = graph.getNodeTypes();
  spec.edgeTypes = graph.getEdgeTypes();
  if (std::optional<ArrayRef<int64_t>> schema = graph.getSchema()) {
    std::vector<runtime::EdgeTypeEnds> ends;
    for (size_t i = 0; i + 1 < schema->size(); i += 2)
      ends.push_back({static_cast<int32_t>((*schema)[i]),
                      static_cast<int32_t>((*schema)[i + 1])});
    spec.schema = ends;
  }
  plan.graphs.push_back(spec);
  return it->second;
}

LogicalResult PlanBuilder::addBoundary() {
  for (BlockArgument argument : func.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      return func.emitError("expected buffers as arguments, got ")
             << argument.getType();
    if (func.getArgAttr(number, "gnn.workspace")) {
      hasWorkspace = true;
      ArgSpec spec;
      spec.kind = ArgSpec::Kind::Workspace;
      spec.index = -1;
      buffers[argument] = spec;
      continue;
    }
    bool isOutput = bool(func.getArgAttr(number, "bufferize.result"));
    auto &list = isOutput ? plan.outputs : plan.inputs;
    runtime::TensorSpec spec;
    if (auto name = func.getArgAttrOfType<StringAttr>(number, "gnn.name"))
      spec.name = name.getValue().str();
    else
      spec.name = (isOutput ? "out" : "arg") + std::to_string(list.size());
    for (int64_t size : type.getShape())
      spec.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
    FailureOr<runtime::DataType> dtype = dataType(func, type.getElementType());
    if (failed(dtype))
      return failure();
    spec.dtype = *dtype;
    if (auto rows = func.getArgAttrOfType<RowsAttr>(number, "gnn.rows")) {
      FailureOr<int64_t> graph = graphIndex(func, rows.getGraph().getValue());
      if (failed(graph))
        return failure();
      spec.graph = *graph;
      auto space =
          runtime::parseSpace(stringifyRowSpace(rows.getSpace()).str());
      if (!space)
        return func.emitError(space.takeError().message());
      spec.space = *space;
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
  return user->emitError("expected a scalar that the host computes");
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

LogicalResult PlanBuilder::addOp(Operation &op) {
  if (std::optional<Expr::Op> kind = exprKind(&op)) {
    FailureOr<int64_t> a = expr(&op, op.getOperand(0));
    FailureOr<int64_t> b = expr(&op, op.getOperand(1));
    if (failed(a) || failed(b))
      return failure();
    exprs[op.getResult(0)] = binary(*kind, *a, *b);
    return success();
  }
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<IntegerAttr>(constantOp.getValue());
    if (!value)
      return op.emitError("expected an integer of the host");
    exprs[constantOp] = constant(value.getInt());
    return success();
  }
  if (auto cast = dyn_cast<arith::IndexCastOp>(op)) {
    FailureOr<int64_t> value = expr(&op, cast.getIn());
    if (failed(value))
      return failure();
    exprs[cast] = *value;
    return success();
  }
  if (auto count = dyn_cast<tile::CountOp>(op)) {
    FailureOr<int64_t> graph = graphIndex(&op, count.getGraph());
    if (failed(graph))
      return failure();
    auto key = runtime::CountKey::parse(count.getOf().str());
    if (!key)
      return op.emitError(key.takeError().message());
    Expr e;
    e.op = Expr::Op::Count;
    e.graph = *graph;
    e.count = *key;
    exprs[count] = addExpr(e);
    return success();
  }
  if (auto structure = dyn_cast<tile::StructureOp>(op)) {
    FailureOr<int64_t> graph = graphIndex(&op, structure.getGraph());
    if (failed(graph))
      return failure();
    auto key = runtime::StructureKey::parse(structure.getKey().str());
    if (!key)
      return op.emitError(key.takeError().message());
    std::string name = (structure.getGraph() + " " + structure.getKey()).str();
    auto [it, isNew] = structures.try_emplace(name, plan.structures.size());
    if (isNew)
      plan.structures.push_back({*graph, *key});
    ArgSpec spec;
    spec.kind = ArgSpec::Kind::Structure;
    spec.index = it->second;
    buffers[structure.getResult()] = spec;
    return success();
  }
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    FailureOr<int64_t> offset = expr(&op, view.getByteShift());
    if (failed(offset))
      return failure();
    int64_t fixed = view.getType().getElementTypeBitWidth() / 8;
    for (int64_t size : view.getType().getShape())
      if (!ShapedType::isDynamic(size))
        fixed *= size;
    int64_t bytes = constant(fixed);
    for (Value size : view.getSizes()) {
      FailureOr<int64_t> rows = expr(&op, size);
      if (failed(rows))
        return failure();
      bytes = binary(Expr::Op::Mul, bytes, *rows);
    }
    ArgSpec spec;
    spec.kind = ArgSpec::Kind::Workspace;
    spec.index = *offset;
    spec.bytes = bytes;
    buffers[view] = spec;
    return success();
  }
  if (isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
          memref::ReinterpretCastOp>(op)) {
    auto it = buffers.find(op.getOperand(0));
    if (it == buffers.end())
      return op.emitError("expected a view of an argument, a structure or the "
                          "workspace");
    ArgSpec spec = it->second;
    buffers[op.getResult(0)] = spec;
    return success();
  }
  // The extent of a reshaped buffer: pointers need none.
  if (isa<memref::DimOp>(op))
    return success();
  if (auto size = dyn_cast<tile::WorkspaceSizeOp>(op)) {
    FailureOr<int64_t> bytes = expr(&op, size.getBytes());
    if (failed(bytes))
      return failure();
    plan.workspace = *bytes;
    return success();
  }
  if (auto costOp = dyn_cast<tile::CostOp>(op)) {
    FailureOr<int64_t> reads = expr(&op, costOp.getReads());
    FailureOr<int64_t> writes = expr(&op, costOp.getWrites());
    FailureOr<int64_t> flops = expr(&op, costOp.getFlops());
    if (failed(reads) || failed(writes) || failed(flops))
      return failure();
    cost = {*reads, *writes, *flops};
    return success();
  }
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return addLaunch(launch);
  if (isa<func::ReturnOp>(op) && op.getNumOperands() == 0)
    return success();
  return op.emitError("has no place in a launch plan");
}

FailureOr<ArgSpec> PlanBuilder::argument(gpu::LaunchFuncOp launch,
                                         Value value) {
  if (isa<MemRefType>(value.getType())) {
    auto it = buffers.find(value);
    if (it == buffers.end())
      return launch.emitError("expected arguments, structures and views of the "
                              "workspace as kernel operands");
    return it->second;
  }
  FailureOr<int64_t> scalar = expr(launch, value);
  if (failed(scalar))
    return failure();
  ArgSpec spec;
  spec.kind =
      value.getType().isInteger(32) ? ArgSpec::Kind::I32 : ArgSpec::Kind::I64;
  spec.index = *scalar;
  return spec;
}

LogicalResult PlanBuilder::addLaunch(gpu::LaunchFuncOp launch) {
  runtime::StepSpec step;
  step.kernel = launch.getKernelName().getValue().str();
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
  for (Value operand : launch.getKernelOperands()) {
    FailureOr<ArgSpec> arg = argument(launch, operand);
    if (failed(arg))
      return failure();
    step.args.push_back(*arg);
  }
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
  if (!func.getBody().hasOneBlock())
    return func.emitError("expected a straight line, got several blocks");
  plan.workspace = constant(0);
  if (failed(addBoundary()))
    return failure();
  for (Operation &op : func.getBody().front())
    if (failed(addOp(op)))
      return failure();
  return plan;
}

FailureOr<runtime::LaunchPlan> gnn::makeLaunchPlan(ModuleOp module) {
  runtime::LaunchPlan plan;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    FailureOr<FunctionPlan> function = PlanBuilder(func).build();
    if (failed(function))
      return failure();
    plan.functions.push_back(*function);
  }
  if (runtime::Error error = plan.verify())
    return module.emitError("the launch plan is not sound: ")
           << error.message();
  return plan;
}
