//===- JsonEditor.h - Random edits of JSON ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_FUZZ_JSONEDITOR_H
#define GNN_FUZZ_JSONEDITOR_H

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

using Json = nlohmann::ordered_json;

/// Makes an edit of JSON, after which most is as it was.
class JsonEditor {
public:
  JsonEditor(Json &root, unsigned seed) : random(seed) { collect(root, 0); }
  virtual ~JsonEditor() = default;

  void edit() {
    Json &node = *choose();
    if (node.is_number())
      editNumber(node);
    else if (node.is_boolean())
      node = !node.get<bool>();
    else if (node.is_array() && !node.empty())
      editArray(node);
    else if (node.is_object() && !node.empty())
      editObject(node);
    else
      copyOther(node);
  }

protected:
  size_t draw(size_t limit) { return random() % limit; }

  /// The node that is edited.
  virtual Json *choose() { return nodes[draw(nodes.size())]; }

  virtual void editObject(Json &node) {
    if (draw(2))
      return copyOther(node);
    auto at = node.begin();
    std::advance(at, static_cast<int64_t>(draw(node.size())));
    node.erase(at);
  }

  /// Another value of the same kind, from anywhere.
  void copyOther(Json &node) {
    for (int i = 0; i < 100; ++i)
      if (Json *other = nodes[draw(nodes.size())];
          other->type() == node.type()) {
        Json copy = *other;
        node = std::move(copy);
        return;
      }
  }

  void editNumber(Json &node) {
    const int64_t values[] = {0,
                              1,
                              -1,
                              2,
                              3,
                              16,
                              255,
                              256,
                              257,
                              1024,
                              65536,
                              INT32_MAX,
                              int64_t(1) << 32,
                              int64_t(1) << 40,
                              int64_t(1) << 62,
                              INT64_MAX,
                              INT64_MIN};
    switch (draw(3)) {
    case 0:
      node = values[draw(std::size(values))];
      break;
    case 1:
      node = static_cast<int64_t>(draw(40));
      break;
    default:
      copyOther(node);
    }
  }

  void editArray(Json &node) {
    size_t i = draw(node.size()), j = draw(node.size());
    switch (draw(4)) {
    case 0:
      node.erase(i);
      break;
    case 1:
      node.push_back(Json(node[i]));
      break;
    case 2:
      std::swap(node[i], node[j]);
      break;
    default:
      node[i] = Json(node[j]);
    }
  }

  std::mt19937 random;
  std::vector<Json *> nodes;

private:
  void collect(Json &node, int depth) {
    nodes.push_back(&node);
    if (node.is_structured() && depth < 20)
      for (auto &child : node)
        collect(child, depth + 1);
  }
};

/// A text with up to three edits, or an empty one where it is no JSON.
template <typename Editor = JsonEditor>
std::string editJson(const std::string &text, unsigned seed) {
  Json root = Json::parse(text, nullptr, /*exceptions=*/false);
  if (root.is_discarded())
    return "";
  for (unsigned i = 0; i <= seed % 3; ++i)
    Editor(root, seed + i).edit();
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

#endif // GNN_FUZZ_JSONEDITOR_H
