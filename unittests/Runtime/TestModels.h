//===- TestModels.h - A manifest to try models on ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_TESTMODELS_H
#define GNN_UNITTESTS_RUNTIME_TESTMODELS_H

#include <gtest/gtest.h>

#include <string>

namespace gnn::runtime::testing {

/// The manifest of a model of the function of sumPlanText, with images for
/// three chips and for sorted edges.
inline std::string manifestText() {
  return R"({"version": 1, "name": "Net", "signature": {},
 "arguments": [
  {"name": "x", "dtype": "f32", "shape": [-1, 3], "role": "features"},
  {"name": "edge_index", "dtype": "i64", "shape": [2, -1], "role": "ids"},
  {"name": "edge_type", "dtype": "i32", "shape": [-1], "role": "ids"}],
 "parameters": [{"name": "w", "dtype": "f32", "shape": [2]}],
 "conditions": [{"op": "lt", "left": 1, "right": {"argument": "x", "dim": 0},
                 "text": "several nodes"}],
 "graphs": [
  {"name": "g", "square": true, "edge_types": 2, "node_types": 1,
   "num_src": {"argument": "x", "dim": 0},
   "src": [{"argument": "edge_index", "row": 0,
            "limit": {"argument": "x", "dim": 0}}],
   "dst": [{"argument": "edge_index", "row": 1, "wraps": true,
            "limit": {"argument": "x", "dim": 0}}],
   "edge_type": [{"argument": "edge_type", "others": 1}]}],
 "calls": [
  {"function": "sum",
   "images": [
    {"entry": "packages/old.gnnpkg", "target": "fake", "chip": "1",
     "dst_sorted": []},
    {"entry": "packages/sorted.gnnpkg", "target": "fake", "chip": "2",
     "dst_sorted": ["g"]},
    {"entry": "packages/new.gnnpkg", "target": "fake", "chip": "2",
     "dst_sorted": []},
    {"entry": "packages/later.gnnpkg", "target": "fake", "chip": "9",
     "dst_sorted": []},
    {"entry": "packages/other.gnnpkg", "target": "other", "chip": "",
     "dst_sorted": []}],
   "inputs": [{"name": "x", "rows": ["x"]}],
   "results": ["sums"]}],
 "outputs": [
  {"name": "out", "dtype": "f32", "shape": [-1, 3], "value": "sums"}]}
)";
}

/// The manifest with one piece replaced.
inline std::string manifestWith(const std::string &piece,
                                const std::string &other) {
  std::string text = manifestText();
  size_t place = text.find(piece);
  EXPECT_NE(place, std::string::npos) << piece;
  return text.replace(place, piece.size(), other);
}

} // namespace gnn::runtime::testing

#endif // GNN_UNITTESTS_RUNTIME_TESTMODELS_H
