//===- PlanParse.cpp - Launch plans: reading ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonFields.h"
#include "PlanNames.h"

#include <map>

using namespace gnn::runtime;
using namespace gnn::runtime::json;

const char *gnn::runtime::name(Role role) {
  return kRoles[static_cast<size_t>(role)];
}

const char *gnn::runtime::name(GradientPass pass) {
  return kPasses[static_cast<size_t>(pass)];
}

std::optional<GradientPass> gnn::runtime::parsePass(std::string_view text) {
  for (size_t i = 1; i < std::size(kPasses); ++i)
    if (text == kPasses[i])
      return static_cast<GradientPass>(i);
  return std::nullopt;
}

std::optional<Role> gnn::runtime::parseRole(std::string_view text) {
  for (size_t i = 0; i < std::size(kRoles); ++i)
    if (text == kRoles[i])
      return static_cast<Role>(i);
  return std::nullopt;
}

namespace {
int32_t nodeType(const Json &json, const std::string &where) {
  int64_t value = integer(json, where);
  if (value < -1 || value >= kMaxTypes)
    refuse(where, "expected a node type or -1, got " + std::to_string(value));
  return static_cast<int32_t>(value);
}

using Schema = std::optional<std::vector<EdgeTypeEnds>>;

Schema parseSchema(Fields &fields) {
  if (fields.get("schema").is_null())
    return std::nullopt;
  std::vector<EdgeTypeEnds> schema;
  fields.each("schema", [&](const Json &ends, const std::string &place) {
    if (!ends.is_array() || ends.size() != 2)
      refuse(place,
             "expected [source type, destination type], got " + got(ends));
    schema.push_back({nodeType(ends[0], place), nodeType(ends[1], place)});
  });
  return schema;
}

GraphSpec parseGraph(const Json &json, const std::string &where) {
  Fields fields(json, where);
  GraphSpec graph;
  graph.name = fields.string("name");
  graph.square = fields.boolean("square");
  graph.nodeTypes = fields.integer("node_types");
  graph.edgeTypes = fields.integer("edge_types");
  graph.schema = parseSchema(fields);
  graph.selfLoops = fields.has("self_loops") && fields.boolean("self_loops");
  graph.dstSorted = fields.has("dst_sorted") && fields.boolean("dst_sorted");
  fields.done();
  return graph;
}

/// Index of the graph of that name.
int64_t findGraph(const FunctionPlan &plan, const std::string &name,
                  const std::string &where) {
  for (size_t i = 0; i < plan.numGraphs(); ++i)
    if (plan.graphName(i) == name)
      return static_cast<int64_t>(i);
  refuse(where, "expected the name of one of the graphs, got '" + name + "'");
}

DerivedSpec parseDerived(const FunctionPlan &plan, const Json &json,
                         const std::string &where) {
  Fields fields(json, where);
  DerivedSpec graph;
  graph.name = fields.string("name");
  graph.parent = findGraph(plan, fields.string("of"), fields.at("of"));
  auto edgeType = [&](const Json &type, const std::string &place) {
    int64_t value = integer(type, place);
    if (value < 0 || value >= kMaxTypes)
      refuse(place, "expected an edge type, got " + std::to_string(value));
    return static_cast<int32_t>(value);
  };
  if (fields.has("loops")) {
    std::string text = fields.string("loops");
    graph.made.loops = parseSelfLoops(text);
    if (!graph.made.loops)
      refuse(fields.at("loops"),
             "expected add, replace, remaining or remove, got '" + text + "'");
    if (graph.made.addsLoops())
      graph.made.loopType =
          edgeType(fields.get("loop_type"), fields.at("loop_type"));
  } else if (fields.has("types") || !fields.has("shards")) {
    graph.made.types.emplace();
    fields.each("types", [&](const Json &type, const std::string &place) {
      graph.made.types->push_back(edgeType(type, place));
    });
  }
  if (fields.has("shards")) {
    graph.made.shards = edgeType(fields.get("shards"), fields.at("shards"));
    std::string end = fields.string("shard_end");
    if (end != "src" && end != "dst")
      refuse(fields.at("shard_end"), "expected src or dst, got '" + end + "'");
    graph.made.shardEnd = end == "src" ? GraphSide::Src : GraphSide::Dst;
  }
  graph.schema = parseSchema(fields);
  fields.done();
  return graph;
}

/// `role` is that of a tensor that says nothing else.
TensorSpec parseTensor(const FunctionPlan &plan, const Json &json,
                       const std::string &where, Role role) {
  Fields fields(json, where);
  TensorSpec tensor;
  tensor.name = fields.string("name");
  std::string graph = fields.string("graph");
  if (!graph.empty())
    tensor.graph = findGraph(plan, graph, fields.at("graph"));
  std::string space = fields.string("space");
  if (space != "none")
    tensor.space = take(parseSpace(space), fields.at("space"));
  fields.each("shape", [&](const Json &size, const std::string &place) {
    tensor.shape.push_back(integer(size, place));
  });
  tensor.dtype =
      take(parseDataType(fields.string("dtype")), fields.at("dtype"));
  tensor.role = role;
  if (fields.has("role")) {
    std::string text = fields.string("role");
    std::optional<Role> given = parseRole(text);
    if (!given)
      refuse(fields.at("role"),
             "expected input, output, saved or gradient, got '" + text + "'");
    tensor.role = *given;
  }
  if (fields.has("key"))
    tensor.key = fields.string("key");
  if (fields.has("of"))
    tensor.of = fields.string("of");
  fields.done();
  return tensor;
}

Expr parseExpr(const FunctionPlan &plan, const Json &json,
               const std::string &where) {
  Fields fields(json, where);
  std::string op = fields.string("op");
  Expr expr;
  size_t index = 0;
  while (index < std::size(kExprOps) && op != kExprOps[index])
    ++index;
  if (index == std::size(kExprOps))
    refuse(fields.at("op"), "expected const, count, add, sub, mul, ceildiv, "
                            "floordiv, min or max, got '" +
                                op + "'");
  expr.op = static_cast<Expr::Op>(index);
  if (expr.op == Expr::Op::Const) {
    expr.value = fields.integer("value");
  } else if (expr.op == Expr::Op::Count) {
    expr.graph = findGraph(plan, fields.string("graph"), fields.at("graph"));
    expr.count = take(parseCountKey(fields.string("of")), fields.at("of"));
  } else {
    expr.args = fields.integers<2>("args");
  }
  fields.done();
  return expr;
}

Requirement parseRequirement(const Json &json, const std::string &where) {
  Fields fields(json, where);
  std::string op = fields.string("op");
  Requirement requirement;
  if (op != nameOf(Requirement::Op::Equal) &&
      op != nameOf(Requirement::Op::AtMost))
    refuse(fields.at("op"), "expected eq or le, got '" + op + "'");
  if (op == nameOf(Requirement::Op::AtMost))
    requirement.op = Requirement::Op::AtMost;
  requirement.args = fields.integers<2>("args");
  requirement.expected = fields.string("expected");
  fields.done();
  return requirement;
}

ArgSpec parseArg(const Json &json, const std::string &where) {
  Fields fields(json, where);
  ArgSpec arg;
  size_t found = 0;
  for (size_t i = 0; i < std::size(kArgKinds); ++i) {
    if (!fields.has(kArgKinds[i]))
      continue;
    ++found;
    arg.kind = static_cast<ArgSpec::Kind>(i);
    arg.index = fields.integer(kArgKinds[i]);
  }
  if (found != 1)
    refuse(where, "expected one of input, output, workspace, structure, i32, "
                  "i64, constant; got " +
                      got(json));
  if (fields.has("written"))
    arg.written = fields.boolean("written");
  bool isWorkspace = arg.kind == ArgSpec::Kind::Workspace;
  if (isWorkspace || arg.kind == ArgSpec::Kind::Constant)
    arg.bytes = fields.integer("bytes");
  if (isWorkspace && fields.has("value"))
    arg.value = fields.string("value");
  fields.done();
  return arg;
}

StepSpec parseStep(const Json &json, const std::string &where) {
  Fields fields(json, where);
  StepSpec step;
  step.kernel = fields.string("kernel");
  step.grid = fields.integers<3>("grid");
  step.block = fields.integers<3>("block");
  step.shared = fields.integerOr("shared", -1);
  fields.each("args", [&](const Json &arg, const std::string &place) {
    step.args.push_back(parseArg(arg, place));
  });
  step.reads = fields.integerOr("reads", -1);
  step.writes = fields.integerOr("writes", -1);
  step.flops = fields.integerOr("flops", -1);
  if (fields.has("name"))
    step.name = fields.string("name");
  if (fields.has("ops"))
    fields.each("ops", [&](const Json &op, const std::string &place) {
      step.ops.push_back(::string(op, place));
    });
  if (fields.has("schedule"))
    step.schedule = fields.string("schedule");
  if (fields.has("schedule_from"))
    step.scheduleFrom = fields.string("schedule_from");
  fields.done();
  return step;
}

FunctionPlan parseFunction(const Json &json, const std::string &where) {
  Fields fields(json, where);
  FunctionPlan plan;
  plan.name = fields.string("name");
  if (fields.has("gradient_of"))
    plan.gradientOf = fields.string("gradient_of");
  if (fields.has("pass")) {
    std::string text = fields.string("pass");
    std::optional<GradientPass> pass = parsePass(text);
    if (!pass)
      refuse(fields.at("pass"),
             "expected forward or backward, got '" + text + "'");
    plan.pass = *pass;
  }
  fields.each("graphs", [&](const Json &graph, const std::string &place) {
    plan.graphs.push_back(parseGraph(graph, place));
  });
  if (fields.has("derived"))
    fields.each("derived", [&](const Json &graph, const std::string &place) {
      plan.derived.push_back(parseDerived(plan, graph, place));
    });
  fields.each("inputs", [&](const Json &tensor, const std::string &place) {
    plan.inputs.push_back(parseTensor(plan, tensor, place, Role::Input));
  });
  fields.each("outputs", [&](const Json &tensor, const std::string &place) {
    plan.outputs.push_back(parseTensor(plan, tensor, place, Role::Output));
  });
  fields.each("exprs", [&](const Json &expr, const std::string &place) {
    plan.exprs.push_back(parseExpr(plan, expr, place));
  });
  if (fields.has("requires"))
    fields.each("requires", [&](const Json &json, const std::string &place) {
      plan.requirements.push_back(parseRequirement(json, place));
    });
  fields.each("structures", [&](const Json &json, const std::string &place) {
    Fields structure(json, place);
    int64_t graph = findGraph(plan, structure.string("graph"), place);
    plan.structures.push_back(
        {graph, take(parseStructureKey(structure.string("key")), place)});
    structure.done();
  });
  plan.workspace = fields.integer("workspace");
  fields.each("steps", [&](const Json &step, const std::string &place) {
    plan.steps.push_back(parseStep(step, place));
  });
  fields.done();
  return plan;
}

/// Reads the names of an earlier version: "f_forward" and "f_backward" of "f",
/// where "d_x" is the gradient of "x".
void readNames(FunctionPlan &plan) {
  if (plan.gradientOf.empty())
    return;
  for (GradientPass pass : {GradientPass::Forward, GradientPass::Backward})
    if (plan.name == plan.gradientOf + "_" + name(pass))
      plan.pass = pass;
  for (auto *tensors : {&plan.inputs, &plan.outputs})
    for (TensorSpec &tensor : *tensors)
      if (tensor.role == Role::Gradient && tensor.name.rfind("d_", 0) == 0)
        tensor.of = tensor.name.substr(2);
}
} // namespace

Expected<LaunchPlan> LaunchPlan::parse(std::string_view text) {
  return guarded("launch plan", [&]() -> Expected<LaunchPlan> {
    Json json = json::parse(text);
    Fields fields(json, "");
    // The version comes first: of another one nothing else is known.
    int64_t version = fields.integer("version");
    if (version < kOldestVersion || version > kVersion)
      refuse("version", "expected " + std::to_string(kOldestVersion) + " to " +
                            std::to_string(kVersion) + ", got " +
                            std::to_string(version));
    LaunchPlan plan;
    Fields target(fields.get("target"), "target");
    if (target.has("chip"))
      plan.chip = target.string("chip");
    if (target.has("features"))
      plan.features = target.string("features");
    target.done();
    fields.each("functions",
                [&](const Json &function, const std::string &place) {
                  plan.functions.push_back(parseFunction(function, place));
                });
    plan.constantBytes = fields.integerOr("constants", 0);
    fields.done();
    if (version < kFirstVersionOfWrites)
      for (FunctionPlan &function : plan.functions)
        for (StepSpec &step : function.steps)
          for (ArgSpec &arg : step.args)
            arg.written = arg.mayBeWritten();
    if (version < kFirstVersionOfPasses)
      for (FunctionPlan &function : plan.functions)
        readNames(function);
    if (version < kFirstVersionOfTurns)
      for (const FunctionPlan &function : plan.functions)
        for (const StructureSpec &structure : function.structures)
          if (structure.key.kind == StructureKey::Kind::Stream)
            refuse("version",
                   "expected " + std::to_string(kFirstVersionOfTurns) +
                       " or later of a plan with 'stream' structures, whose "
                       "words lay in another order before, got " +
                       std::to_string(version) + "; compile it again");
    if (Error error = plan.verify())
      return error;
    return plan;
  });
}
