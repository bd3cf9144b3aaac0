//===- JsonFields.h - Fields of JSON objects --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For parsers of texts that anybody may have written: whatever is not as
// expected is thrown, and `guarded` makes an Error of it.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_JSONFIELDS_H
#define GNN_LIB_RUNTIME_JSONFIELDS_H

#include "Guarded.h"

#include "GNN/Runtime/Nesting.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gnn::runtime::json {

using Json = nlohmann::json;

/// Throws what `guarded` makes an Error of.
[[noreturn]] inline void refuse(const std::string &where,
                                const std::string &what) {
  throw std::runtime_error(where.empty() ? what : where + ": " + what);
}

/// Takes an Expected's value or refuses.
template <typename T> T take(Expected<T> value, const std::string &where) {
  if (!value)
    refuse(where, value.message());
  return std::move(*value);
}

inline std::string got(const Json &json) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

inline int64_t integer(const Json &json, const std::string &where) {
  bool fits = json.is_number_integer() &&
              !(json.is_number_unsigned() &&
                json.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX));
  if (!fits)
    refuse(where, "expected an integer of 64 bits, got " + got(json));
  return json.get<int64_t>();
}

inline std::string string(const Json &json, const std::string &where) {
  if (!json.is_string())
    refuse(where, "expected a string, got " + got(json));
  std::string text = json.get<std::string>();
  if (text.find('\0') != std::string::npos) // where strings of C end
    refuse(where,
           "expected a string without null characters, got " + got(json));
  return text;
}

/// An object whose fields are all asked for by name; `done` refuses what nobody
/// asked for.
class Fields {
public:
  Fields(const Json &json, std::string where)
      : json(json), where(std::move(where)) {
    if (!json.is_object())
      refuse(this->where, "expected an object, got " + got(json));
  }

  bool has(const char *key) const { return json.contains(key); }

  const Json &get(const char *key) {
    auto found = json.find(key);
    if (found == json.end())
      refuse(where, std::string("expected a field '") + key + "', got none");
    asked.insert(key);
    return *found;
  }
  int64_t integer(const char *key) { return json::integer(get(key), at(key)); }
  int64_t integerOr(const char *key, int64_t otherwise) {
    return has(key) ? integer(key) : otherwise;
  }
  std::string string(const char *key) {
    return json::string(get(key), at(key));
  }
  bool boolean(const char *key) {
    if (!get(key).is_boolean())
      refuse(at(key), "expected true or false, got " + got(get(key)));
    return get(key).get<bool>();
  }

  /// Calls `body(element, where)` for each element of an array.
  template <typename Body> void each(const char *key, Body body) {
    const Json &list = get(key);
    if (!list.is_array())
      refuse(at(key), "expected an array, got " + got(list));
    for (size_t i = 0; i < list.size(); ++i)
      body(list[i], at(key) + "[" + std::to_string(i) + "]");
  }
  template <size_t N> std::array<int64_t, N> integers(const char *key) {
    std::vector<int64_t> values;
    each(key, [&](const Json &element, const std::string &place) {
      values.push_back(json::integer(element, place));
    });
    if (values.size() != N)
      refuse(at(key), "expected " + std::to_string(N) + " integers, got " +
                          std::to_string(values.size()));
    std::array<int64_t, N> result;
    std::copy(values.begin(), values.end(), result.begin());
    return result;
  }

  std::string at(const char *key) const {
    return where.empty() ? key : where + "." + key;
  }
  void done() const {
    for (const auto &item : json.items())
      if (!asked.count(item.key()))
        refuse(where, "expected no field '" + item.key() + "', got " +
                          got(item.value()));
  }

private:
  const Json &json;
  std::string where;
  std::set<std::string> asked;
};

/// Levels of nesting. Texts of this library have under ten.
constexpr int kMaxNesting = 50;

/// Parses a text.
inline Json parse(std::string_view text) {
  if (Error error = checkNesting(text, kMaxNesting, Syntax::Text))
    refuse("", error.message());
  return Json::parse(text);
}

} // namespace gnn::runtime::json

#endif // GNN_LIB_RUNTIME_JSONFIELDS_H
