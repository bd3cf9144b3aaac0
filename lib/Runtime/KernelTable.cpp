//===- KernelTable.cpp - Kernels of a shared object -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/KernelTable.h"

#include "JsonFields.h"
#include "PlanNames.h"

#include <algorithm>
#include <set>

using namespace gnn::runtime;
using namespace gnn::runtime::json;
using OrderedJson = nlohmann::ordered_json;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static OrderedJson toJson(const KernelParameter &parameter) {
  if (!parameter.isMemory())
    return {{"number", parameter.size}};
  OrderedJson json = {
      {"alignment", parameter.alignment},
      {"bytes", parameter.bytes},
      {"written", parameter.access == KernelParameter::Access::Writes}};
  if (parameter.element)
    json["element"] = name(*parameter.element);
  return json;
}

static OrderedJson toJson(const KernelSignature::Term &term) {
  if (term.op)
    return {{nameOf(*term.op), {term.left, term.right}}};
  if (term.argument)
    return {{"argument", *term.argument}};
  return {{nameOf(Expr::Op::Const), term.value}};
}

static OrderedJson toJson(const KernelSignature::Array &array) {
  return {{"argument", array.argument},
          {"element_bytes", array.elementBytes},
          {"offset", array.offset},
          {"sizes", array.sizes},
          {"strides", array.strides}};
}

static OrderedJson toJson(const KernelEntry &kernel);

template <typename T> static OrderedJson toJson(const std::vector<T> &values) {
  OrderedJson json = OrderedJson::array();
  for (const T &value : values)
    json.push_back(toJson(value));
  return json;
}

static OrderedJson toJson(const KernelEntry &kernel) {
  return {{"name", kernel.name},
          {"shared_bytes", kernel.sharedBytes},
          {"parameters", toJson(kernel.signature.parameters())},
          {"terms", toJson(kernel.signature.terms())},
          {"arrays", toJson(kernel.signature.arrays())}};
}

std::string KernelTable::json() const {
  OrderedJson json = {{"version", kVersion},
                      {"processor", processor},
                      {"kernels", toJson(kernels)}};
  return json.dump();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
size_t index(const Json &json, const std::string &where) {
  int64_t value = integer(json, where);
  if (value < 0)
    refuse(where, "expected 0 or more, got " + std::to_string(value));
  return static_cast<size_t>(value);
}

std::vector<size_t> indices(Fields &fields, const char *key) {
  std::vector<size_t> values;
  fields.each(key, [&](const Json &element, const std::string &place) {
    values.push_back(index(element, place));
  });
  return values;
}

KernelParameter parseParameter(const Json &json, const std::string &where) {
  Fields fields(json, where);
  KernelParameter parameter;
  if (fields.has("number")) {
    parameter.kind = KernelParameter::Kind::Number;
    parameter.size = fields.integer("number");
    fields.done();
    return parameter;
  }
  parameter.kind = KernelParameter::Kind::Memory;
  parameter.alignment = fields.integer("alignment");
  parameter.bytes = fields.integer("bytes");
  parameter.access = fields.boolean("written") ? KernelParameter::Access::Writes
                                               : KernelParameter::Access::Reads;
  if (fields.has("element"))
    parameter.element =
        take(parseDataType(fields.string("element")), fields.at("element"));
  fields.done();
  return parameter;
}

KernelSignature::Term parseTerm(const Json &json, const std::string &where) {
  Fields fields(json, where);
  KernelSignature::Term term;
  if (fields.has("const")) {
    term.value = fields.integer("const");
  } else if (fields.has("argument")) {
    term.argument = index(fields.get("argument"), fields.at("argument"));
  } else {
    auto op = std::find_if(
        std::begin(kExprOps) + static_cast<size_t>(Expr::Op::Add),
        std::end(kExprOps), [&](const char *name) { return fields.has(name); });
    if (op == std::end(kExprOps))
      refuse(where,
             "expected a constant, an argument or an op, got " + got(json));
    term.op = static_cast<Expr::Op>(op - std::begin(kExprOps));
    std::vector<size_t> operands = indices(fields, *op);
    if (operands.size() != 2)
      refuse(fields.at(*op),
             "expected 2 operands, got " + std::to_string(operands.size()));
    term.left = operands[0];
    term.right = operands[1];
  }
  fields.done();
  return term;
}

KernelSignature::Array parseArray(const Json &json, const std::string &where) {
  Fields fields(json, where);
  KernelSignature::Array array;
  array.argument = index(fields.get("argument"), fields.at("argument"));
  array.elementBytes = fields.integer("element_bytes");
  array.offset = index(fields.get("offset"), fields.at("offset"));
  array.sizes = indices(fields, "sizes");
  array.strides = indices(fields, "strides");
  fields.done();
  return array;
}

/// The elements of a list, each as `parse` reads it.
template <typename T>
std::vector<T> list(Fields &fields, const char *key,
                    T (*parse)(const Json &, const std::string &)) {
  std::vector<T> values;
  fields.each(key, [&](const Json &element, const std::string &place) {
    values.push_back(parse(element, place));
  });
  return values;
}

KernelEntry parseKernel(const Json &json, const std::string &where) {
  Fields fields(json, where);
  KernelEntry kernel;
  kernel.name = fields.string("name");
  kernel.sharedBytes = fields.integer("shared_bytes");
  auto parameters = list(fields, "parameters", parseParameter);
  auto terms = list(fields, "terms", parseTerm);
  auto arrays = list(fields, "arrays", parseArray);
  kernel.signature =
      take(KernelSignature::create(std::move(parameters), std::move(terms),
                                   std::move(arrays)),
           where);
  fields.done();
  return kernel;
}
} // namespace

Expected<KernelTable> KernelTable::parse(std::string_view text) {
  return guarded("table of kernels", [&]() -> Expected<KernelTable> {
    Json json = json::parse(text);
    Fields fields(json, "");
    // The version comes first: of another one nothing else is known.
    int64_t version = fields.integer("version");
    if (version != kVersion)
      refuse("version", "expected " + std::to_string(kVersion) + ", got " +
                            std::to_string(version));
    KernelTable table;
    table.processor = fields.string("processor");
    table.kernels = list(fields, "kernels", parseKernel);
    fields.done();
    std::set<std::string> names;
    for (const KernelEntry &kernel : table.kernels)
      if (!names.insert(kernel.name).second)
        refuse("kernels", "expected names of one kernel each, got '" +
                              kernel.name + "' twice");
    return table;
  });
}
