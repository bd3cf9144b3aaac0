//===- Plan.cpp - Launch plans: checks and evaluation ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Plan.h"

#include "GNN/Runtime/GraphFunctions.h"

#include "Guarded.h"
#include "PlanNames.h"

#include <algorithm>
#include <set>

using namespace gnn::runtime;

namespace {
/// "kind[index]" or, with a name, "kind[index] ('name')".
std::string at(const char *kind, size_t index, const std::string &name = {}) {
  std::string text = std::string(kind) + "[" + std::to_string(index) + "]";
  return name.empty() ? text : text + " ('" + name + "')";
}

/// Checks the indices and names of one function.
class Verifier {
public:
  Verifier(const FunctionPlan &plan, int64_t constantBytes)
      : plan(plan), constantBytes(constantBytes) {}
  Error verify() const;

private:
  Error checkIndex(int64_t index, size_t size, const char *what) const {
    if (index < 0 || index >= static_cast<int64_t>(size))
      return failure(what, ": expected an index from 0 to under ", size,
                     ", got ", index);
    return {};
  }
  Error checkExpr(int64_t index, const char *what) const {
    return checkIndex(index, plan.exprs.size(), what);
  }
  Error checkOptionalExpr(int64_t index, const char *what) const {
    return index == -1 ? Error() : checkExpr(index, what);
  }
  Error checkGraph(const GraphSpec &graph) const;
  Error checkDerived(const DerivedSpec &graph) const;
  Error checkTensor(const TensorSpec &tensor) const;
  Error checkExpression(size_t index) const;
  Error checkConstant(int64_t offset, int64_t bytes) const;
  Error checkArg(const ArgSpec &arg) const;
  Error checkStep(const StepSpec &step) const;
  Error checkOutputs() const;

  const FunctionPlan &plan;
  int64_t constantBytes;
};

/// Checks that each of `items` has a name of its own, also among `seen`.
template <typename Items>
Error checkNames(const Items &items, const char *kind,
                 std::set<std::string> seen = {}) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].name.empty())
      return failure(at(kind, i), ": expected a name, got none");
    if (!seen.insert(items[i].name).second)
      return failure(at(kind, i), ": expected a name of its own, got '",
                     items[i].name, "' again");
  }
  return {};
}
} // namespace

static Error checkSchema(const std::optional<std::vector<EdgeTypeEnds>> &schema,
                         int64_t nodeTypes, int64_t edgeTypes) {
  if (!schema)
    return {};
  if (static_cast<int64_t>(schema->size()) != edgeTypes)
    return failure("expected a schema of ", edgeTypes, " edge types, got ",
                   schema->size());
  for (const EdgeTypeEnds &ends : *schema)
    for (int32_t type : {ends.src, ends.dst})
      if (type < -1 || type >= nodeTypes)
        return failure("schema: expected -1 <= node type < ", nodeTypes,
                       ", got ", type);
  return {};
}

Error Verifier::checkGraph(const GraphSpec &graph) const {
  for (int64_t types : {graph.nodeTypes, graph.edgeTypes})
    if (types < 0 || types > kMaxTypes)
      return failure("expected 0 to ", kMaxTypes, " types, got ", types);
  if (graph.selfLoops && !graph.square)
    return failure("self_loops: expected a square graph, got a bipartite one");
  return checkSchema(graph.schema, graph.nodeTypes, graph.edgeTypes);
}

Error Verifier::checkDerived(const DerivedSpec &graph) const {
  if (Error error = checkIndex(graph.parent, plan.graphs.size(), "of"))
    return error;
  const GraphSpec &parent = plan.graphs[static_cast<size_t>(graph.parent)];
  auto types = graph.made.types.value_or(std::vector<int32_t>());
  for (size_t i = 0; i < types.size(); ++i) {
    int32_t least = i ? types[i - 1] + 1 : 0;
    if (types[i] < least || types[i] >= parent.edgeTypes)
      return failure("expected ", least, " <= edge type < ", parent.edgeTypes,
                     ", got ", types[i]);
  }
  if (graph.made.shards == 1)
    return failure("shards: expected 2 or more, got 1");
  if (graph.made.loops && !parent.square)
    return failure("loops: expected a square graph, got a bipartite one");
  if (int32_t type = graph.made.loopType;
      graph.made.addsLoops() && (type < 0 || type > parent.edgeTypes))
    return failure("loop_type: expected 0 to ", parent.edgeTypes, ", got ",
                   type);
  return checkSchema(graph.schema, parent.nodeTypes,
                     graph.made.numEdgeTypes(parent.edgeTypes));
}

Error Verifier::checkTensor(const TensorSpec &tensor) const {
  if ((tensor.role == Role::Gradient) == tensor.of.empty())
    return failure("expected what it is the gradient of where it is one, got '",
                   tensor.of, "' of role ", name(tensor.role));
  if ((tensor.graph == -1) != !tensor.space)
    return failure("expected a graph and a space, or neither, got ",
                   tensor.space ? "a space" : "a graph", " alone");
  if (tensor.graph != -1) {
    if (Error error = checkIndex(tensor.graph, plan.numGraphs(), "graph"))
      return error;
    size_t root = static_cast<size_t>(tensor.graph);
    if (root >= plan.graphs.size())
      root =
          static_cast<size_t>(plan.derived[root - plan.graphs.size()].parent);
    if (*tensor.space == Space::Node && !plan.graphs[root].square)
      return failure("expected src or dst rows of a bipartite graph, got node");
  }
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    bool rows = i == 0 && tensor.space;
    if (tensor.shape[i] < (rows ? -1 : 0))
      return failure("expected a size of ",
                     rows ? "-1 (the rows) or more" : "0 or more",
                     " in dimension ", i, ", got ", tensor.shape[i]);
  }
  return {};
}

Error Verifier::checkExpression(size_t index) const {
  const Expr &expr = plan.exprs[index];
  switch (expr.op) {
  case Expr::Op::Const:
    return {};
  case Expr::Op::Count:
    return checkIndex(expr.graph, plan.numGraphs(), "graph");
  default:
    for (int64_t arg : expr.args)
      if (Error error = checkIndex(arg, index, "argument"))
        return error;
    return {};
  }
}

Error Verifier::checkConstant(int64_t offset, int64_t bytes) const {
  if (offset < 0 || offset % kTensorAlignment != 0)
    return failure("constant: expected an offset that is a multiple of ",
                   kTensorAlignment, ", got ", offset);
  if (bytes < 0 || offset > constantBytes || bytes > constantBytes - offset)
    return failure("constant: expected bytes inside constants of ",
                   constantBytes, ", got ", bytes, " from offset ", offset);
  return {};
}

Error Verifier::checkArg(const ArgSpec &arg) const {
  if (arg.written && !arg.mayBeWritten())
    return failure("expected writes to outputs and the workspace only, got an "
                   "argument of kind ",
                   nameOf(arg.kind), " that is written");
  switch (arg.kind) {
  case ArgSpec::Kind::Input:
    return checkIndex(arg.index, plan.inputs.size(), "input");
  case ArgSpec::Kind::Output:
    return checkIndex(arg.index, plan.outputs.size(), "output");
  case ArgSpec::Kind::Structure:
    return checkIndex(arg.index, plan.structures.size(), "structure");
  case ArgSpec::Kind::I32:
  case ArgSpec::Kind::I64:
    return checkExpr(arg.index, "value");
  case ArgSpec::Kind::Workspace:
    if (Error error = checkExpr(arg.index, "workspace"))
      return error;
    return checkExpr(arg.bytes, "bytes");
  case ArgSpec::Kind::Constant:
    return checkConstant(arg.index, arg.bytes);
  }
  return {};
}

Error Verifier::checkStep(const StepSpec &step) const {
  if (step.kernel.empty())
    return failure("expected the name of a kernel, got none");
  for (int64_t extent : step.grid)
    if (Error error = checkExpr(extent, "grid"))
      return error;
  for (int64_t extent : step.block)
    if (Error error = checkExpr(extent, "block"))
      return error;
  if (Error error = checkOptionalExpr(step.shared, "shared"))
    return error;
  if (Error error = checkOptionalExpr(step.reads, "reads"))
    return error;
  if (Error error = checkOptionalExpr(step.writes, "writes"))
    return error;
  if (Error error = checkOptionalExpr(step.flops, "flops"))
    return error;
  if (static_cast<int64_t>(step.args.size()) > kMaxKernelArguments)
    return failure("expected at most ", kMaxKernelArguments, " arguments, got ",
                   step.args.size());
  for (size_t i = 0; i < step.args.size(); ++i)
    if (Error error = checkArg(step.args[i]))
      return error.in(at("args", i));
  return {};
}

/// Steps run in an order that what they write decides: a plan that does not say
/// who writes an output would run in any.
Error Verifier::checkOutputs() const {
  std::vector<bool> written(plan.outputs.size());
  for (const StepSpec &step : plan.steps)
    for (const ArgSpec &arg : step.args)
      if (arg.kind == ArgSpec::Kind::Output && arg.written)
        written[static_cast<size_t>(arg.index)] = true;
  for (size_t i = 0; i < written.size(); ++i)
    if (!written[i])
      return failure("expected a step that writes it, got none")
          .in(at("outputs", i, plan.outputs[i].name));
  return {};
}

Error Verifier::verify() const {
  if (plan.gradientOf.empty() != (plan.pass == GradientPass::None))
    return failure("expected a function and which pass of it this is, or "
                   "neither, got '",
                   plan.gradientOf, "' and ", name(plan.pass));
  if (Error error = checkNames(plan.graphs, "graphs"))
    return error;
  std::set<std::string> bound;
  for (const GraphSpec &graph : plan.graphs)
    bound.insert(graph.name);
  if (Error error = checkNames(plan.derived, "derived", std::move(bound)))
    return error;
  if (Error error = checkNames(plan.inputs, "inputs"))
    return error;
  if (Error error = checkNames(plan.outputs, "outputs"))
    return error;
  for (size_t i = 0; i < plan.graphs.size(); ++i)
    if (Error error = checkGraph(plan.graphs[i]))
      return error.in(at("graphs", i, plan.graphs[i].name));
  for (size_t i = 0; i < plan.derived.size(); ++i)
    if (Error error = checkDerived(plan.derived[i]))
      return error.in(at("derived", i, plan.derived[i].name));
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    if (Error error = checkTensor(plan.inputs[i]))
      return error.in(at("inputs", i, plan.inputs[i].name));
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    if (Error error = checkTensor(plan.outputs[i]))
      return error.in(at("outputs", i, plan.outputs[i].name));
  for (size_t i = 0; i < plan.exprs.size(); ++i)
    if (Error error = checkExpression(i))
      return error.in(at("exprs", i));
  for (size_t i = 0; i < plan.requirements.size(); ++i)
    for (int64_t arg : plan.requirements[i].args)
      if (Error error = checkExpr(arg, "argument"))
        return error.in(at("requires", i));
  for (size_t i = 0; i < plan.structures.size(); ++i)
    if (Error error =
            checkIndex(plan.structures[i].graph, plan.numGraphs(), "graph"))
      return error.in(at("structures", i));
  if (Error error = checkExpr(plan.workspace, "workspace"))
    return error;
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (Error error = checkStep(plan.steps[i]))
      return error.in(at("steps", i, plan.steps[i].kernel));
  return checkOutputs();
}

Error LaunchPlan::verify() const {
  return guarded("launch plan", [&]() -> Error {
    if (Error error = checkNames(functions, "functions"))
      return error.in("launch plan");
    if (constantBytes < 0)
      return failure("launch plan: expected constants of 0 or more bytes, got ",
                     constantBytes);
    for (size_t i = 0; i < functions.size(); ++i)
      if (Error error = Verifier(functions[i], constantBytes).verify())
        return error.in("launch plan: " +
                        at("functions", i, functions[i].name));
    return {};
  });
}

static Error checkTypes(const std::string &what, ErrorKind tooFew,
                        int64_t expected, int64_t got) {
  if (got == expected)
    return {};
  return Error("expected " + std::to_string(expected) + " " + what +
                   " types, got " + std::to_string(got),
               got < expected ? tooFew : ErrorKind::Other);
}

Error gnn::runtime::checkKind(const GraphSpec &spec, bool square,
                              int64_t nodeTypes, int64_t edgeTypes) {
  if (spec.square && !square)
    return failure("expected a square graph, got a bipartite one");
  if (Error error =
          checkTypes("node", ErrorKind::NodeTypes, spec.nodeTypes, nodeTypes))
    return error;
  return checkTypes("edge", ErrorKind::EdgeTypes, spec.edgeTypes, edgeTypes);
}

Error gnn::runtime::checkGraph(const GraphSpec &spec, const Graph &graph) {
  if (Error error = checkKind(spec, graph.isSquare(), graph.numNodeTypes(),
                              graph.numEdgeTypes()))
    return error;
  if (spec.schema && *spec.schema != graph.schema())
    if (Error error = graph.checkSchema(*spec.schema))
      return error;
  if (spec.selfLoops)
    if (Error error = graph.checkSelfLoops())
      return error;
  return spec.dstSorted ? graph.checkDstSorted() : Error();
}

Expected<const FunctionPlan *> LaunchPlan::find(const std::string &name) const {
  std::string all;
  for (const FunctionPlan &function : functions) {
    if (function.name == name)
      return &function;
    all += (all.empty() ? "" : ", ") + function.name;
  }
  return failure("expected one of the functions ", all.empty() ? "(none)" : all,
                 "; got '", name, "'");
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

std::optional<int64_t> gnn::runtime::apply(Expr::Op op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool isLarge = false;
  switch (op) {
  case Expr::Op::Add:
    isLarge = __builtin_add_overflow(a, b, &result);
    break;
  case Expr::Op::Sub:
    isLarge = __builtin_sub_overflow(a, b, &result);
    break;
  case Expr::Op::Mul:
    isLarge = __builtin_mul_overflow(a, b, &result);
    break;
  case Expr::Op::Min:
    return std::min(a, b);
  case Expr::Op::Max:
    return std::max(a, b);
  case Expr::Op::CeilDiv:
  case Expr::Op::FloorDiv: {
    if (b == 0 || (a == INT64_MIN && b == -1))
      return std::nullopt;
    result = a / b;
    bool inexact = a % b != 0, positive = (a < 0) == (b < 0);
    if (inexact && op == Expr::Op::CeilDiv && positive)
      ++result;
    if (inexact && op == Expr::Op::FloorDiv && !positive)
      --result;
    break;
  }
  case Expr::Op::Const:
  case Expr::Op::Count:
    return std::nullopt;
  }
  return isLarge ? std::nullopt : std::make_optional(result);
}

Expected<std::vector<std::shared_ptr<const Graph>>>
gnn::runtime::withDerived(const FunctionPlan &plan,
                          std::vector<std::shared_ptr<const Graph>> graphs) {
  using Result = Expected<std::vector<std::shared_ptr<const Graph>>>;
  return guarded("derived graphs", [&]() -> Result {
    for (const DerivedSpec &spec : plan.derived) {
      auto graph =
          deriveGraph(graphs[static_cast<size_t>(spec.parent)], spec.made);
      if (!graph)
        return graph.takeError().in("graph '" + spec.name + "'");
      if (spec.schema && *spec.schema != (*graph)->schema())
        if (Error error = (*graph)->checkSchema(*spec.schema))
          return error.in("graph '" + spec.name + "'");
      graphs.push_back(std::move(*graph));
    }
    return graphs;
  });
}

Expected<std::vector<int64_t>> gnn::runtime::evaluate(
    const FunctionPlan &plan,
    const std::function<Expected<int64_t>(size_t graph, const CountKey &)>
        &count) {
  return guarded("evaluate", [&]() -> Expected<std::vector<int64_t>> {
    std::vector<int64_t> values;
    values.reserve(plan.exprs.size());
    for (const Expr &expr : plan.exprs) {
      if (expr.op == Expr::Op::Const) {
        values.push_back(expr.value);
        continue;
      }
      if (expr.op == Expr::Op::Count) {
        Expected<int64_t> counted =
            count(static_cast<size_t>(expr.graph), expr.count);
        if (!counted)
          return counted.takeError().in(at("exprs", values.size()));
        values.push_back(*counted);
        continue;
      }
      int64_t a = values[static_cast<size_t>(expr.args[0])];
      int64_t b = values[static_cast<size_t>(expr.args[1])];
      std::optional<int64_t> result = apply(expr.op, a, b);
      if (!result)
        return failure(at("exprs", values.size()),
                       ": expected a result of 64 bits, got ", nameOf(expr.op),
                       " of ", a, " and ", b);
      values.push_back(*result);
    }
    for (const Requirement &requirement : plan.requirements) {
      int64_t a = values[static_cast<size_t>(requirement.args[0])];
      int64_t b = values[static_cast<size_t>(requirement.args[1])];
      if (requirement.op == Requirement::Op::Equal ? a != b : a > b)
        return failure("expected ", requirement.expected, ", got ", a, " and ",
                       b);
    }
    return values;
  });
}
