//===- PlanWrite.cpp - Launch plans: writing ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanNames.h"

#include <nlohmann/json.hpp>

using namespace gnn::runtime;
using OrderedJson = nlohmann::ordered_json;

static OrderedJson
toJson(const std::optional<std::vector<EdgeTypeEnds>> &schema) {
  OrderedJson json;
  if (schema) {
    json = OrderedJson::array();
    for (const EdgeTypeEnds &ends : *schema)
      json.push_back({ends.src, ends.dst});
  }
  return json;
}

static OrderedJson toJson(const GraphSpec &graph) {
  OrderedJson json = {{"name", graph.name},
                      {"square", graph.square},
                      {"node_types", graph.nodeTypes},
                      {"edge_types", graph.edgeTypes},
                      {"schema", toJson(graph.schema)}};
  if (graph.selfLoops)
    json["self_loops"] = true;
  if (graph.dstSorted)
    json["dst_sorted"] = true;
  return json;
}

static std::string graphName(const FunctionPlan &plan, int64_t graph) {
  return graph == -1 ? "" : plan.graphName(static_cast<size_t>(graph));
}

static OrderedJson toJson(const FunctionPlan &plan, const DerivedSpec &graph) {
  OrderedJson json = {{"name", graph.name},
                      {"of", graphName(plan, graph.parent)},
                      {"schema", toJson(graph.schema)}};
  if (graph.made.loops)
    json["loops"] = name(*graph.made.loops);
  if (graph.made.types)
    json["types"] = *graph.made.types;
  if (graph.made.addsLoops())
    json["loop_type"] = graph.made.loopType;
  if (graph.made.shards) {
    json["shards"] = graph.made.shards;
    json["shard_end"] = graph.made.shardEnd == GraphSide::Src ? "src" : "dst";
  }
  return json;
}

/// The role is written where it is not `role`.
static OrderedJson toJson(const FunctionPlan &plan, const TensorSpec &tensor,
                          Role role) {
  OrderedJson json = {{"name", tensor.name},
                      {"graph", graphName(plan, tensor.graph)},
                      {"space", tensor.space ? name(*tensor.space) : "none"},
                      {"shape", tensor.shape},
                      {"dtype", name(tensor.dtype)}};
  if (tensor.role != role)
    json["role"] = name(tensor.role);
  if (!tensor.key.empty())
    json["key"] = tensor.key;
  if (!tensor.of.empty())
    json["of"] = tensor.of;
  return json;
}

static OrderedJson toJson(const FunctionPlan &plan, const Expr &expr) {
  OrderedJson json = {{"op", nameOf(expr.op)}};
  if (expr.op == Expr::Op::Const) {
    json["value"] = expr.value;
  } else if (expr.op == Expr::Op::Count) {
    json["graph"] = graphName(plan, expr.graph);
    json["of"] = expr.count.str();
  } else {
    json["args"] = expr.args;
  }
  return json;
}

static OrderedJson toJson(const StepSpec &step) {
  OrderedJson args = OrderedJson::array();
  for (const ArgSpec &arg : step.args) {
    OrderedJson json = {{nameOf(arg.kind), arg.index}};
    if (arg.written)
      json["written"] = true;
    if (arg.kind == ArgSpec::Kind::Workspace ||
        arg.kind == ArgSpec::Kind::Constant)
      json["bytes"] = arg.bytes;
    if (!arg.value.empty())
      json["value"] = arg.value;
    args.push_back(std::move(json));
  }
  OrderedJson json = {{"kernel", step.kernel},        {"grid", step.grid},
                      {"block", step.block},          {"shared", step.shared},
                      {"args", OrderedJson::array()}, {"reads", step.reads},
                      {"writes", step.writes},        {"flops", step.flops}};
  json["args"] = std::move(args);
  if (!step.name.empty())
    json["name"] = step.name;
  if (!step.ops.empty())
    json["ops"] = step.ops;
  if (!step.schedule.empty())
    json["schedule"] = step.schedule;
  if (!step.scheduleFrom.empty())
    json["schedule_from"] = step.scheduleFrom;
  return json;
}

/// Adds `"key": [` and one element a line.
template <typename Items, typename Convert>
static void writeList(std::string &text, const char *key, const Items &items,
                      Convert convert) {
  text += std::string("   \"") + key + "\": [";
  for (size_t i = 0; i < items.size(); ++i) {
    text += i ? ",\n    " : "\n    ";
    text += convert(items[i]).dump();
  }
  text += items.empty() ? "],\n" : "\n   ],\n";
}

static void writeFunction(std::string &text, const FunctionPlan &plan) {
  auto tensor = [&](Role role) {
    return [&plan, role](const TensorSpec &spec) {
      return toJson(plan, spec, role);
    };
  };
  text += "  {\"name\": " + OrderedJson(plan.name).dump() + ",\n";
  if (!plan.gradientOf.empty())
    text += "   \"gradient_of\": " + OrderedJson(plan.gradientOf).dump() +
            ", \"pass\": \"" + name(plan.pass) + "\",\n";
  writeList(text, "graphs", plan.graphs,
            [](const GraphSpec &graph) { return toJson(graph); });
  if (!plan.derived.empty())
    writeList(text, "derived", plan.derived,
              [&](const DerivedSpec &graph) { return toJson(plan, graph); });
  writeList(text, "inputs", plan.inputs, tensor(Role::Input));
  writeList(text, "outputs", plan.outputs, tensor(Role::Output));
  writeList(text, "exprs", plan.exprs,
            [&](const Expr &expr) { return toJson(plan, expr); });
  writeList(text, "requires", plan.requirements,
            [](const Requirement &requirement) -> OrderedJson {
              return {{"op", nameOf(requirement.op)},
                      {"args", requirement.args},
                      {"expected", requirement.expected}};
            });
  writeList(text, "structures", plan.structures,
            [&](const StructureSpec &structure) -> OrderedJson {
              return {{"graph", graphName(plan, structure.graph)},
                      {"key", structure.key.str()}};
            });
  writeList(text, "steps", plan.steps,
            [](const StepSpec &step) { return toJson(step); });
  text += "   \"workspace\": " + std::to_string(plan.workspace) + "}";
}

std::string LaunchPlan::json() const {
  std::string text = "{\"version\": " + std::to_string(kVersion) + ",\n";
  text += " \"target\": " +
          OrderedJson({{"chip", chip}, {"features", features}}).dump() + ",\n";
  if (constantBytes)
    text += " \"constants\": " + std::to_string(constantBytes) + ",\n";
  text += " \"functions\": [";
  for (size_t i = 0; i < functions.size(); ++i) {
    text += i ? ",\n" : "\n";
    writeFunction(text, functions[i]);
  }
  return text + "\n ]}\n";
}
