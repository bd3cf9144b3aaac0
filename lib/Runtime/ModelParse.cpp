//===- ModelParse.cpp - Manifests of saved models -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonFields.h"

#include "GNN/Runtime/Model.h"

#include <algorithm>

using namespace gnn::runtime;
using namespace gnn::runtime::json;

static constexpr int64_t kManifestVersion = 1;

namespace {
/// Reads a manifest, whose later parts name earlier ones.
class Reader {
public:
  ModelManifest read(std::string_view text);

private:
  size_t findArgument(const Json &json, const std::string &where) const;
  ModelTensor tensor(Fields &fields) const;
  ModelTensor argument(Fields fields);
  ModelOutput output(Fields fields) const;
  ModelCount count(const Json &json, const std::string &where) const;
  ModelIds ids(Fields &fields, const char *key) const;
  ModelIds::Part part(const Json &json, const std::string &where) const;
  ModelCondition condition(const Json &json, const std::string &where) const;
  ModelGraph graph(const Json &json, const std::string &where) const;
  ModelCall call(const Json &json, const std::string &where);
  ModelCall::Image image(const Json &json, const std::string &where) const;
  ModelCall::Rows rows(const Json &json, const std::string &where) const;
  ModelCall::Input input(const Json &json, const std::string &where) const;

  bool isValue(const std::string &name) const {
    return values.count(name) != 0;
  }

  ModelManifest made;
  /// The features and results so far, by name.
  std::set<std::string> values;
};
} // namespace

/// The index of the element of that name.
template <typename T>
static size_t find(const std::vector<T> &list, const std::string &name,
                   const char *what, const std::string &where) {
  auto found = std::find_if(list.begin(), list.end(),
                            [&](const T &one) { return one.name == name; });
  if (found == list.end())
    refuse(where, std::string("expected the name of ") + what + ", got '" +
                      name + "'");
  return static_cast<size_t>(found - list.begin());
}

/// Refuses the last of a list where its name is that of an earlier one.
template <typename T>
static void refuseRepeat(const std::vector<T> &list, const std::string &where) {
  bool isThere = std::any_of(list.begin(), list.end() - 1, [&](const T &one) {
    return one.name == list.back().name;
  });
  if (isThere)
    refuse(where, "expected a name of its own, got '" + list.back().name + "'");
}

size_t Reader::findArgument(const Json &json, const std::string &where) const {
  return find(made.arguments, string(json, where), "an argument", where);
}

ModelTensor Reader::tensor(Fields &fields) const {
  ModelTensor tensor;
  tensor.name = fields.string("name");
  tensor.dtype =
      take(parseDataType(fields.string("dtype")), fields.at("dtype"));
  fields.each("shape", [&](const Json &extent, const std::string &place) {
    int64_t value = integer(extent, place);
    if (value < -1 || value > INT32_MAX)
      refuse(place, "expected an extent of 31 bits or -1, got " +
                        std::to_string(value));
    tensor.shape.push_back(value);
  });
  return tensor;
}

ModelTensor Reader::argument(Fields fields) {
  ModelTensor tensor = this->tensor(fields);
  tensor.role = fields.string("role");
  fields.done();
  if (tensor.role == "features") {
    values.insert(tensor.name);
    return tensor;
  }
  if (tensor.role != "ids")
    refuse(fields.at("role"),
           "expected features or ids, got '" + tensor.role + "'");
  if (tensor.dtype != DataType::I64 && tensor.dtype != DataType::I32)
    refuse(fields.at("dtype"), std::string("expected i64 or i32 of ids, got ") +
                                   name(tensor.dtype));
  return tensor;
}

ModelOutput Reader::output(Fields fields) const {
  ModelOutput output;
  static_cast<ModelTensor &>(output) = tensor(fields);
  output.value = fields.string("value");
  if (!isValue(output.value))
    refuse(fields.at("value"),
           "expected the name of a result, got '" + output.value + "'");
  if (fields.has("rows"))
    output.range = {count(fields.get("skip"), fields.at("skip")),
                    count(fields.get("rows"), fields.at("rows"))};
  fields.done();
  return output;
}

/// A number of ids, of 31 bits.
static int64_t number(const Json &json, const std::string &where) {
  int64_t value = integer(json, where);
  if (value < 0 || value > INT32_MAX)
    refuse(where, "expected a number of 31 bits, got " + got(json));
  return value;
}

ModelCount Reader::count(const Json &json, const std::string &where) const {
  ModelCount count;
  auto add = [&](const Json &term, const std::string &place) {
    if (!term.is_object()) {
      count.constant += number(term, place);
      return;
    }
    Fields fields(term, place);
    size_t index = findArgument(fields.get("argument"), fields.at("argument"));
    int64_t dim = fields.integer("dim");
    if (dim < 0 ||
        dim >= static_cast<int64_t>(made.arguments[index].shape.size()))
      refuse(place, "expected a dimension of '" + made.arguments[index].name +
                        "', got " + std::to_string(dim));
    fields.done();
    count.extents.push_back({index, static_cast<size_t>(dim)});
  };
  if (!json.is_array())
    add(json, where);
  else
    for (size_t i = 0; i < json.size(); ++i)
      add(json[i], where + "[" + std::to_string(i) + "]");
  return count;
}

ModelIds::Part Reader::part(const Json &json, const std::string &where) const {
  Fields fields(json, where);
  ModelIds::Part part;
  if (fields.has("argument")) {
    part.argument = findArgument(fields.get("argument"), fields.at("argument"));
    const ModelTensor &given = made.arguments[*part.argument];
    if (given.role != "ids")
      refuse(where, "expected ids, got '" + given.name + "'");
    if (fields.has("row")) {
      int64_t row = fields.integer("row");
      if (given.shape.size() != 2 || row < 0 || row >= given.shape[0])
        refuse(where, "expected a row of '" + given.name + "', got " +
                          std::to_string(row));
      part.row = static_cast<size_t>(row);
    } else if (given.shape.size() != 1) {
      refuse(where, "expected a vector, got '" + given.name + "' of " +
                        std::to_string(given.shape.size()) + " dimensions");
    }
    if (fields.has("base"))
      part.base = count(fields.get("base"), fields.at("base"));
    if (fields.has("limit"))
      part.limit = count(fields.get("limit"), fields.at("limit"));
    part.wraps = fields.has("wraps") && fields.boolean("wraps");
    if (part.wraps && !part.limit)
      refuse(where, "expected a limit, from which numbers below 0 count, got "
                    "none");
    if (fields.has("others"))
      part.others = number(fields.get("others"), fields.at("others"));
  } else {
    part.count = count(fields.get("count"), fields.at("count"));
    if (fields.has("number"))
      part.number = number(fields.get("number"), fields.at("number"));
  }
  fields.done();
  return part;
}

ModelIds Reader::ids(Fields &fields, const char *key) const {
  ModelIds ids;
  fields.each(key, [&](const Json &json, const std::string &place) {
    ids.parts.push_back(part(json, place));
  });
  return ids;
}

ModelCondition Reader::condition(const Json &json,
                                 const std::string &where) const {
  static constexpr const char *names[] = {"eq", "ne", "le", "lt"};
  Fields fields(json, where);
  ModelCondition condition;
  std::string op = fields.string("op");
  auto *found = std::find(std::begin(names), std::end(names), op);
  if (found == std::end(names))
    refuse(fields.at("op"), "expected eq, ne, le or lt, got '" + op + "'");
  condition.op = static_cast<ModelCondition::Op>(found - std::begin(names));
  condition.left = count(fields.get("left"), fields.at("left"));
  condition.right = count(fields.get("right"), fields.at("right"));
  condition.text = fields.string("text");
  fields.done();
  return condition;
}

ModelGraph Reader::graph(const Json &json, const std::string &where) const {
  Fields fields(json, where);
  ModelGraph graph;
  graph.name = fields.string("name");
  graph.square = fields.boolean("square");
  graph.edgeTypes = fields.integer("edge_types");
  graph.nodeTypes = fields.integer("node_types");
  graph.srcNodes = count(fields.get("num_src"), fields.at("num_src"));
  if (!graph.square)
    graph.dstNodes = count(fields.get("num_dst"), fields.at("num_dst"));
  graph.src = ids(fields, "src");
  graph.dst = ids(fields, "dst");
  if (fields.has("edge_type"))
    graph.edgeType = ids(fields, "edge_type");
  if (fields.has("src_type"))
    graph.srcType = ids(fields, "src_type");
  if (fields.has("dst_type"))
    graph.dstType = ids(fields, "dst_type");
  fields.done();
  return graph;
}

ModelCall::Image Reader::image(const Json &json,
                               const std::string &where) const {
  Fields fields(json, where);
  ModelCall::Image image;
  image.entry = fields.string("entry");
  image.target = {fields.string("target"), fields.string("chip")};
  if (image.target.kind.empty())
    refuse(fields.at("target"), "expected a kind of target, got ''");
  fields.each("dst_sorted", [&](const Json &name, const std::string &place) {
    std::string text = string(name, place);
    find(made.graphs, text, "a graph", place);
    image.dstSorted.push_back(text);
  });
  fields.done();
  return image;
}

ModelCall::Rows Reader::rows(const Json &json, const std::string &where) const {
  ModelCall::Rows rows;
  if (json.is_object()) {
    Fields fields(json, where);
    rows.zeros = count(fields.get("zeros"), fields.at("zeros"));
    fields.done();
    return rows;
  }
  rows.value = string(json, where);
  if (!isValue(rows.value))
    refuse(where, "expected the name of features or of an earlier result, got "
                  "'" +
                      rows.value + "'");
  return rows;
}

ModelCall::Input Reader::input(const Json &json,
                               const std::string &where) const {
  Fields fields(json, where);
  ModelCall::Input input;
  input.name = fields.string("name");
  if (fields.has("parameters")) {
    fields.each("parameters", [&](const Json &one, const std::string &place) {
      input.parameters.push_back(
          find(made.parameters, string(one, place), "a parameter", place));
    });
    if (input.parameters.empty())
      refuse(where, "expected parameters, got none");
  } else {
    fields.each("rows", [&](const Json &one, const std::string &place) {
      input.rows.push_back(rows(one, place));
    });
    if (input.rows.empty())
      refuse(where, "expected rows, got none");
  }
  fields.done();
  return input;
}

ModelCall Reader::call(const Json &json, const std::string &where) {
  Fields fields(json, where);
  ModelCall call;
  call.function = fields.string("function");
  fields.each("images", [&](const Json &one, const std::string &place) {
    call.images.push_back(image(one, place));
  });
  if (call.images.empty())
    refuse(fields.at("images"), "expected a package for a target, got none");
  fields.each("inputs", [&](const Json &one, const std::string &place) {
    call.inputs.push_back(input(one, place));
    refuseRepeat(call.inputs, place);
  });
  fields.each("results", [&](const Json &one, const std::string &place) {
    std::string name = string(one, place);
    if (!values.insert(name).second)
      refuse(place, "expected a name of its own, got '" + name + "'");
    call.results.push_back(name);
  });
  fields.done();
  return call;
}

/// The targets that each call has an image for, in the order of the first call.
static std::vector<ModelTarget>
findTargets(const std::vector<ModelCall> &calls) {
  std::vector<ModelTarget> found;
  auto isFor = [](const ModelCall &call, const ModelTarget &target) {
    return std::any_of(call.images.begin(), call.images.end(),
                       [&](const auto &one) { return one.target == target; });
  };
  for (size_t i = 0; !calls.empty() && i < calls[0].images.size(); ++i) {
    const ModelTarget &target = calls[0].images[i].target;
    bool isNew = std::find(found.begin(), found.end(), target) == found.end();
    if (isNew && std::all_of(calls.begin(), calls.end(), [&](const auto &call) {
          return isFor(call, target);
        }))
      found.push_back(target);
  }
  return found;
}

ModelManifest Reader::read(std::string_view text) {
  Json root = json::parse(text);
  Fields fields(root, "");
  // The version comes first: of another one nothing else is known.
  if (int64_t version = fields.integer("version"); version != kManifestVersion)
    refuse("version", "expected " + std::to_string(kManifestVersion) +
                          ", got " + std::to_string(version));
  made.name = fields.string("name");
  fields.get("signature"); // For calls with arguments by name.
  fields.each("arguments", [&](const Json &one, const std::string &place) {
    made.arguments.push_back(argument(Fields(one, place)));
    refuseRepeat(made.arguments, place);
  });
  fields.each("parameters", [&](const Json &one, const std::string &place) {
    Fields parameter(one, place);
    made.parameters.push_back(tensor(parameter));
    parameter.done();
    refuseRepeat(made.parameters, place);
  });
  fields.each("conditions", [&](const Json &one, const std::string &place) {
    made.conditions.push_back(condition(one, place));
  });
  fields.each("graphs", [&](const Json &one, const std::string &place) {
    made.graphs.push_back(graph(one, place));
    refuseRepeat(made.graphs, place);
  });
  fields.each("calls", [&](const Json &one, const std::string &place) {
    made.calls.push_back(call(one, place));
  });
  if (made.calls.empty())
    refuse("calls", "expected a call, got none");
  made.targets = findTargets(made.calls);
  fields.each("outputs", [&](const Json &one, const std::string &place) {
    made.outputs.push_back(output(Fields(one, place)));
    refuseRepeat(made.outputs, place);
  });
  fields.done();
  return std::move(made);
}

Expected<ModelManifest> ModelManifest::parse(std::string_view text) {
  return guarded("manifest", [&]() -> Expected<ModelManifest> {
    return Reader().read(text);
  });
}
