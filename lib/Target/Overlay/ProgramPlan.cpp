//===- ProgramPlan.cpp - Launch plans of programs of the overlay ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramPlan.h"

#include "../PlanConstants.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Overlay/Device.h"
#include "GNN/Target/PlanGraphs.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

using runtime::ArgSpec;
using runtime::Expr;
using runtime::FunctionPlan;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

static FailureOr<NamedTensor> describeTensor(func::FuncOp func, Type type,
                                             StringAttr name,
                                             std::string otherwise,
                                             runtime::Role role) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return func.emitError("expected tensors as arguments and results, got ")
           << type;
  FailureOr<runtime::DataType> dtype =
      getDataType(func, tensor.getElementType());
  if (failed(dtype))
    return failure();
  NamedTensor result;
  result.spec.name = name ? name.str() : std::move(otherwise);
  result.spec.role = role;
  result.spec.dtype = *dtype;
  for (int64_t extent : tensor.getShape())
    result.spec.shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  if (RowsAttr rows = getRows(tensor)) {
    result.graph = rows.getGraph().getValue().str();
    result.spec.space = static_cast<gnn::Space>(rows.getSpace());
  }
  return result;
}

FailureOr<Signature> gnn::overlay::describeFunction(func::FuncOp func) {
  Signature signature;
  signature.name = func.getSymName().str();
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    auto input = describeTensor(
        func, type, func.getArgAttrOfType<StringAttr>(i, attribute::name),
        defaultInputName(i), runtime::Role::Input);
    if (failed(input))
      return failure();
    signature.inputs.push_back(*input);
  }
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    auto output = describeTensor(
        func, type, func.getResultAttrOfType<StringAttr>(i, attribute::name),
        defaultResultName(i), runtime::Role::Output);
    if (failed(output))
      return failure();
    signature.outputs.push_back(*output);
  }
  return signature;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {
class PlanMaker {
public:
  explicit PlanMaker(ModuleOp module) : module(module) {}

  FunctionPlan run(const Signature &signature, const Program &program,
                   StringRef graph, const FunctionPlan *prepare);

private:
  void addGraph(StringRef name);
  void numberGraphs();
  int64_t graphIndex(StringRef name) const { return graphs.lookup(name); }
  std::vector<runtime::TensorSpec> place(ArrayRef<NamedTensor> tensors) const;
  void addPrepare(const FunctionPlan &prepare);
  void addProgram(const Program &program, StringRef graph);

  int64_t add(Expr expr) {
    plan.exprs.push_back(expr);
    return static_cast<int64_t>(plan.exprs.size()) - 1;
  }
  int64_t constant(int64_t value) {
    Expr expr;
    expr.value = value;
    return add(expr);
  }
  int64_t binary(Expr::Op op, int64_t a, int64_t b) {
    Expr expr;
    expr.op = op;
    expr.args = {a, b};
    return add(expr);
  }
  /// The bytes of a tensor of words.
  int64_t bytesOf(const runtime::TensorSpec &tensor);
  int64_t align(int64_t bytes) {
    int64_t unit = constant(runtime::kWorkspaceAlignment);
    return binary(Expr::Op::Mul, binary(Expr::Op::CeilDiv, bytes, unit), unit);
  }

  ModuleOp module;
  FunctionPlan plan;
  std::vector<std::string> order;
  llvm::StringMap<int64_t> graphs;
  /// Where values lie that are computed before the program.
  llvm::StringMap<ArgSpec> prepared;
};
} // namespace

void PlanMaker::addGraph(StringRef name) {
  if (name.empty() || llvm::is_contained(order, name))
    return;
  auto graph = module.lookupSymbol<GraphOp>(name);
  if (std::optional<StringRef> parent = graph.getParentGraph())
    addGraph(*parent);
  order.push_back(name.str());
}

/// Graphs that are bound come before those that are derived.
void PlanMaker::numberGraphs() {
  for (bool derived : {false, true})
    for (const std::string &name : order) {
      auto graph = module.lookupSymbol<GraphOp>(name);
      if (graph.isDerived() != derived)
        continue;
      graphs[name] = static_cast<int64_t>(plan.numGraphs());
      if (!derived) {
        plan.graphs.push_back(describeGraph(graph));
        continue;
      }
      runtime::DerivedSpec spec = describeDerived(graph);
      spec.parent = graphIndex(*graph.getParentGraph());
      plan.derived.push_back(spec);
    }
}

std::vector<runtime::TensorSpec>
PlanMaker::place(ArrayRef<NamedTensor> tensors) const {
  std::vector<runtime::TensorSpec> specs;
  for (const NamedTensor &tensor : tensors) {
    specs.push_back(tensor.spec);
    if (!tensor.graph.empty())
      specs.back().graph = graphIndex(tensor.graph);
  }
  return specs;
}

int64_t PlanMaker::bytesOf(const runtime::TensorSpec &tensor) {
  int64_t elements = 4;
  for (int64_t extent : tensor.shape)
    if (extent >= 0)
      elements *= extent;
  int64_t bytes = constant(elements);
  if (!tensor.space || tensor.shape.empty() || tensor.shape.front() >= 0)
    return bytes;
  Expr rows;
  rows.op = Expr::Op::Count;
  rows.graph = tensor.graph;
  rows.count = CountKey::count(*tensor.space);
  return binary(Expr::Op::Mul, add(rows), bytes);
}

/// Takes over the steps of a plan, whose outputs go to the workspace, behind
/// what it has there.
void PlanMaker::addPrepare(const FunctionPlan &prepare) {
  auto graphOf = [&](int64_t index) {
    return index < 0 ? index : graphIndex(prepare.graphName(index));
  };
  plan.exprs = prepare.exprs;
  for (Expr &expr : plan.exprs)
    expr.graph = graphOf(expr.graph);
  plan.requirements = prepare.requirements;
  plan.structures = prepare.structures;
  for (runtime::StructureSpec &structure : plan.structures)
    structure.graph = graphOf(structure.graph);
  int64_t end = prepare.workspace;
  std::vector<ArgSpec> outputs;
  for (runtime::TensorSpec output : prepare.outputs) {
    output.graph = graphOf(output.graph);
    ArgSpec arg;
    arg.kind = ArgSpec::Kind::Workspace;
    arg.index = align(end);
    arg.bytes = bytesOf(output);
    end = binary(Expr::Op::Add, arg.index, arg.bytes);
    outputs.push_back(arg);
    prepared[output.name] = arg;
  }
  plan.workspace = align(end);
  for (runtime::StepSpec step : prepare.steps) {
    for (ArgSpec &arg : step.args) {
      bool written = arg.written;
      if (arg.kind == ArgSpec::Kind::Output) {
        arg = outputs[arg.index];
        arg.written = written;
      } else if (arg.kind == ArgSpec::Kind::Input) {
        const std::string &name = prepare.inputs[arg.index].name;
        auto it = llvm::find_if(
            plan.inputs, [&](const auto &input) { return input.name == name; });
        arg.index = it - plan.inputs.begin();
      }
    }
    plan.steps.push_back(std::move(step));
  }
}

void PlanMaker::addProgram(const Program &program, StringRef graph) {
  KernelInterface interface = interfaceOf(program);
  runtime::StepSpec step;
  step.kernel = plan.name;
  int64_t one = constant(1);
  step.grid = step.block = {one, one, one};
  for (const std::string &name : interface.inputs) {
    if (auto it = prepared.find(name); it != prepared.end()) {
      step.args.push_back(it->second);
      continue;
    }
    auto it = llvm::find_if(
        plan.inputs, [&](const auto &input) { return input.name == name; });
    ArgSpec arg;
    arg.index = it - plan.inputs.begin();
    step.args.push_back(arg);
  }
  for (size_t i = 0; i < interface.outputs.size(); ++i) {
    ArgSpec arg;
    arg.kind = ArgSpec::Kind::Output;
    arg.index = static_cast<int64_t>(i);
    arg.written = true;
    step.args.push_back(arg);
  }
  for (gnn::Space end : {gnn::Space::Src, gnn::Space::Dst}) {
    runtime::StructureSpec ends;
    ends.graph = graphIndex(graph);
    ends.key = StructureKey::map({gnn::Space::Edge}, {end});
    ArgSpec arg;
    arg.kind = ArgSpec::Kind::Structure;
    arg.index = static_cast<int64_t>(plan.structures.size());
    plan.structures.push_back(ends);
    step.args.push_back(arg);
  }
  plan.steps.push_back(step);
}

FunctionPlan PlanMaker::run(const Signature &signature, const Program &program,
                            StringRef graph, const FunctionPlan *prepare) {
  plan.name = signature.name;
  for (auto *tensors : {&signature.inputs, &signature.outputs})
    for (const NamedTensor &tensor : *tensors)
      addGraph(tensor.graph);
  addGraph(graph);
  if (prepare)
    for (size_t i = 0; i < prepare->numGraphs(); ++i)
      addGraph(prepare->graphName(i));
  numberGraphs();
  plan.inputs = place(signature.inputs);
  plan.outputs = place(signature.outputs);
  if (prepare)
    addPrepare(*prepare);
  else
    plan.workspace = constant(0);
  addProgram(program, graph);
  return std::move(plan);
}

FunctionPlan gnn::overlay::makeProgramPlan(ModuleOp module,
                                           const Signature &signature,
                                           const Program &program,
                                           StringRef graph,
                                           const FunctionPlan *prepare) {
  return PlanMaker(module).run(signature, program, graph, prepare);
}
