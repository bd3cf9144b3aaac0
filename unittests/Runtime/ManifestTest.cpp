//===- ManifestTest.cpp - Manifests of saved models -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonFields.h"
#include "TestModels.h"

#include "GNN/Runtime/Model.h"

#include <cstring>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
std::string manifestProblem(const std::string &piece,
                            const std::string &other) {
  return ModelManifest::parse(manifestWith(piece, other)).message();
}

/// The message of what a body does with the fields of an object `f`.
template <typename Body>
std::string fieldsProblem(const std::string &text, Body body) {
  Error error = guarded("", [&]() -> Error {
    json::Json parsed = json::parse(text);
    json::Fields fields(parsed, "f");
    body(fields);
    fields.done();
    return {};
  });
  return error ? error.message().substr(std::strlen(": ")) : "";
}
} // namespace

TEST(Manifest, HasAllParts) {
  auto manifest = ModelManifest::parse(manifestText());
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_EQ(manifest->name, "Net");
  ASSERT_EQ(manifest->arguments.size(), 3u);
  EXPECT_EQ(manifest->arguments[1].shape, (std::vector<int64_t>{2, -1}));
  EXPECT_EQ(manifest->arguments[2].dtype, DataType::I32);
  ASSERT_EQ(manifest->parameters.size(), 1u);
  EXPECT_EQ(manifest->parameters[0].role, "");
  ASSERT_EQ(manifest->conditions.size(), 1u);
  EXPECT_EQ(manifest->conditions[0].op, ModelCondition::Op::Less);
  EXPECT_EQ(manifest->conditions[0].left.constant, 1);
  const ModelGraph &graph = manifest->graphs.at(0);
  EXPECT_EQ(graph.edgeTypes, 2);
  EXPECT_EQ(graph.srcNodes.extents.at(0).argument, 0u);
  EXPECT_EQ(graph.src.parts.at(0).row, 0u);
  EXPECT_FALSE(graph.src.parts[0].wraps);
  EXPECT_TRUE(graph.dst.parts.at(0).wraps);
  EXPECT_EQ(graph.edgeType.value().parts.at(0).others, 1);
  EXPECT_FALSE(graph.srcType);
  const ModelCall &call = manifest->calls.at(0);
  EXPECT_EQ(call.images.at(1).dstSorted, std::vector<std::string>{"g"});
  EXPECT_EQ(call.inputs.at(0).rows.at(0).value, "x");
  EXPECT_EQ(manifest->outputs.at(0).value, "sums");
  EXPECT_FALSE(manifest->outputs[0].range);
}

TEST(Manifest, TargetsAreThoseOfAllCalls) {
  auto targets = [](const std::string &text) {
    auto manifest = ModelManifest::parse(text);
    EXPECT_TRUE(manifest) << manifest.message();
    if (!manifest)
      return std::string();
    std::string found;
    for (const ModelTarget &target : manifest->targets)
      found += target.kind + "(" + target.chip + ") ";
    return found;
  };
  EXPECT_EQ(targets(manifestText()), "fake(1) fake(2) fake(9) other() ");
  EXPECT_EQ(targets(manifestWith(
                R"("results": ["sums"]}])",
                R"("results": ["sums"]}, {"function": "f", "inputs": [],
                   "results": [], "images": [
                    {"entry": "e", "target": "other", "chip": "",
                     "dst_sorted": []},
                    {"entry": "e", "target": "fake", "chip": "2",
                     "dst_sorted": []}]}])")),
            "fake(2) other() ");
}

TEST(Manifest, ErrorsNameTheField) {
  struct {
    const char *piece, *other, *problem;
  } cases[] = {
      {R"("version": 1)", R"("version": 2)", "version: expected 1, got 2"},
      {R"("role": "features")", R"("role": "edges")",
       "arguments[0].role: expected features or ids, got 'edges'"},
      {R"("i64", "shape": [2, -1])", R"("f32", "shape": [2, -1])",
       "arguments[1].dtype: expected i64 or i32 of ids, got f32"},
      {R"("shape": [-1, 3])", R"("shape": [-2, 3])",
       "arguments[0].shape[0]: expected an extent of 31 bits or -1, got -2"},
      {R"("name": "edge_type")", R"("name": "x")",
       "arguments[2]: expected a name of its own, got 'x'"},
      {R"("op": "lt")", R"("op": "gt")",
       "conditions[0].op: expected eq, ne, le or lt, got 'gt'"},
      {R"("right": {"argument": "x", "dim": 0})",
       R"("right": {"argument": "x", "dim": 2})",
       "conditions[0].right: expected a dimension of 'x', got 2"},
      {R"("left": 1)", R"("left": -1)",
       "conditions[0].left: expected a number of 31 bits, got -1"},
      {R"("argument": "edge_index", "row": 0)",
       R"("argument": "edge_index", "row": 2)",
       "graphs[0].src[0]: expected a row of 'edge_index', got 2"},
      {R"("argument": "edge_index", "row": 0)", R"("argument": "edge_index")",
       "graphs[0].src[0]: expected a vector, got 'edge_index' of 2 dimensions"},
      {R"("argument": "edge_index", "row": 0)", R"("argument": "x", "row": 0)",
       "graphs[0].src[0]: expected ids, got 'x'"},
      {R"("argument": "edge_type", "others")",
       R"("argument": "edge_type", "wraps": true, "others")",
       "graphs[0].edge_type[0]: expected a limit, from which numbers below 0 "
       "count, got none"},
      {R"("argument": "edge_type", "others": 1)", R"("argument": "none")",
       "graphs[0].edge_type[0].argument: expected the name of an argument, got "
       "'none'"},
      {R"("dst_sorted": ["g"])", R"("dst_sorted": ["h"])",
       "calls[0].images[1].dst_sorted[0]: expected the name of a graph, got "
       "'h'"},
      {R"("rows": ["x"])", R"("rows": ["sums"])",
       "calls[0].inputs[0].rows[0]: expected the name of features or of an "
       "earlier result, got 'sums'"},
      {R"("rows": ["x"])", R"("rows": [])",
       "calls[0].inputs[0]: expected rows, got none"},
      {R"("rows": ["x"])", R"("parameters": ["v"])",
       "calls[0].inputs[0].parameters[0]: expected the name of a parameter, "
       "got 'v'"},
      {R"("inputs": [{"name": "x", "rows": ["x"]}])",
       R"("inputs": [{"name": "x", "rows": ["x"]}, {"name": "x", "rows": [)"
       R"({"zeros": 4}]}])",
       "calls[0].inputs[1]: expected a name of its own, got 'x'"},
      {R"({"entry": "packages/old.gnnpkg", "target": "fake", "chip": "1",)",
       R"({"entry": "packages/old.gnnpkg", "target": "", "chip": "1",)",
       "calls[0].images[0].target: expected a kind of target, got ''"},
      {R"("name": "g")", R"("name": "g\u0000h")",
       "graphs[0].name: expected a string without null characters, got "
       "\"g\\u0000h\""},
      {R"("results": ["sums"])", R"("results": ["x"])",
       "calls[0].results[0]: expected a name of its own, got 'x'"},
      {R"("value": "sums")", R"("value": "edge_index")",
       "outputs[0].value: expected the name of a result, got 'edge_index'"},
      {R"("name": "Net")", R"("name": "Net", "more": 1)",
       "expected no field 'more', got 1"},
  };
  for (const auto &[piece, other, problem] : cases)
    EXPECT_EQ(manifestProblem(piece, other),
              std::string("manifest: ") + problem)
        << other;
}

TEST(Manifest, ThereAreCallsAndImages) {
  std::string text = manifestText();
  size_t begin = text.find(R"({"entry")"), end = text.find(R"(],
   "inputs")");
  ASSERT_LT(begin, end);
  EXPECT_EQ(ModelManifest::parse(std::string(text).erase(begin, end - begin))
                .message(),
            "manifest: calls[0].images: expected a package for a target, got "
            "none");
  begin = text.find(R"({"function")");
  end = text.find(R"(],
 "outputs")");
  ASSERT_LT(begin, end);
  EXPECT_EQ(ModelManifest::parse(text.erase(begin, end - begin)).message(),
            "manifest: calls: expected a call, got none");
}

TEST(Manifest, EveryTruncationIsAnError) {
  std::string text = manifestText();
  for (size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_FALSE(ModelManifest::parse(std::string_view(text).substr(0, size)))
        << size;
}

TEST(JsonFields, TypesAndNames) {
  auto nothing = [](json::Fields &) {};
  EXPECT_EQ(fieldsProblem("{}", nothing), "");
  EXPECT_EQ(fieldsProblem("[]", nothing), "f: expected an object, got []");
  EXPECT_EQ(fieldsProblem(R"({"a": 1})", nothing),
            "f: expected no field 'a', got 1");
  EXPECT_EQ(fieldsProblem("{}", [](json::Fields &f) { f.get("a"); }),
            "f: expected a field 'a', got none");
  auto integer = [](json::Fields &f) { f.integer("a"); };
  EXPECT_EQ(fieldsProblem(R"({"a": -9223372036854775808})", integer), "");
  for (const char *value : {"9223372036854775808", "1.5", "true", "\"1\""})
    EXPECT_EQ(fieldsProblem(std::string(R"({"a": )") + value + "}", integer),
              std::string("f.a: expected an integer of 64 bits, got ") + value);
  EXPECT_EQ(
      fieldsProblem(R"({"a": 1})", [](json::Fields &f) { f.boolean("a"); }),
      "f.a: expected true or false, got 1");
  EXPECT_EQ(
      fieldsProblem(R"({"a": 1})", [](json::Fields &f) { f.string("a"); }),
      "f.a: expected a string, got 1");
  EXPECT_EQ(fieldsProblem(R"({"a": [1, 2]})",
                          [](json::Fields &f) { f.integers<3>("a"); }),
            "f.a: expected 3 integers, got 2");
  EXPECT_EQ(fieldsProblem(R"({"a": [1, null]})",
                          [](json::Fields &f) { f.integers<2>("a"); }),
            "f.a[1]: expected an integer of 64 bits, got null");
  EXPECT_EQ(fieldsProblem(R"({"a": 2})",
                          [](json::Fields &f) {
                            EXPECT_EQ(f.integerOr("a", 7), 2);
                            EXPECT_EQ(f.integerOr("b", 7), 7);
                          }),
            "");
}

TEST(JsonFields, NestingIsBounded) {
  auto text = [](int levels) {
    return std::string(static_cast<size_t>(levels), '[') +
           std::string(static_cast<size_t>(levels), ']');
  };
  auto parse = [](const std::string &text) {
    return guarded("json", [&]() -> Error {
      (void)json::parse(text);
      return {};
    });
  };
  EXPECT_FALSE(parse(text(json::kMaxNesting)));
  EXPECT_TRUE(parse(text(json::kMaxNesting + 1)));
}
