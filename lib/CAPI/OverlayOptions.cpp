//===- OverlayOptions.cpp - Options of programs of the overlay ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverlayOptions.h"

using namespace gnn;
using namespace gnn::capi;
using llvm::StringRef;
using runtime::Error;
using runtime::ErrorKind;

static Error wrong(std::string message) {
  return Error(std::move(message), ErrorKind::Option);
}

Error OptionReader::read(const char *options) {
  StringRef rest = StringRef(options ? options : "").ltrim(' ');
  for (; !rest.empty(); rest = rest.ltrim(' ')) {
    size_t end = rest.find_first_of(" =");
    std::string name = rest.take_front(end).str(), value;
    rest = rest.drop_front(std::min(end, rest.size()));
    if (rest.consume_front("=")) {
      StringRef quote = rest.take_front();
      if (quote == "'" || quote == "\"") {
        size_t close = rest.find(quote, 1);
        if (close == StringRef::npos)
          return wrong(name +
                       ": expected an end of the value that begins with " +
                       quote.str());
        value = rest.slice(1, close).str();
        rest = rest.drop_front(close + 1);
      } else {
        value = rest.take_until([](char c) { return c == ' '; }).str();
        rest = rest.drop_front(value.size());
      }
    }
    auto found = readers.find(name);
    if (found == readers.end()) {
      std::string known;
      for (const auto &[other, reader] : readers)
        known += (known.empty() ? "" : ", ") + other;
      return wrong("expected options of " + known + "; got '" + name + "'");
    }
    std::string expected = found->second(value);
    if (!expected.empty())
      return wrong(name + ": expected " + expected + ", got '" + value + "'");
    values[name] = value;
  }
  return {};
}

Error OptionReader::refuse(const std::vector<std::string> &names,
                           const std::string &why) const {
  for (const std::string &name : names)
    if (has(name))
      return wrong(name + ": expected no such option " + why);
  return {};
}
