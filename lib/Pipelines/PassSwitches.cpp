//===- PassSwitches.cpp - Reading the switches of passes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/Pipelines.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace gnn;

/// The names of all switches, and what each is by default.
static SmallVector<std::pair<std::string, std::string>> listSwitches() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  PassSwitches().print(stream);
  SmallVector<StringRef> words;
  StringRef(text).trim("{} ").split(words, ' ', -1, /*KeepEmpty=*/false);
  SmallVector<std::pair<std::string, std::string>> switches;
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    switches.emplace_back(name, value);
  }
  return switches;
}

LogicalResult gnn::parsePassSwitches(StringRef text, PassSwitches &switches,
                                     std::string &message) {
  auto known = listSwitches();
  auto fail = [&](const Twine &expected, StringRef got) {
    message = ("expected " + expected + ", got '" + got + "'").str();
    return failure();
  };
  SmallVector<StringRef> words;
  llvm::SplitString(text, words, " ,\t\n");
  std::string options;
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    StringRef shortName = name;
    shortName.consume_front("gnn-");
    const auto *it = llvm::find_if(
        known, [&](const auto &entry) { return entry.first == shortName; });
    if (it == known.end() || !word.contains('='))
      return fail("NAME=VALUE with a name of " +
                      llvm::join(llvm::make_first_range(known), ", "),
                  word);
    bool isBool = it->second == "true" || it->second == "false";
    StringRef plain = llvm::StringSwitch<StringRef>(value.lower())
                          .Cases({"true", "on", "1"}, "true")
                          .Cases({"false", "off", "0"}, "false")
                          .Default(isBool ? "" : value);
    if (isBool && plain.empty())
      return fail("true or false for " + shortName, value);
    options += (shortName + "=" + (isBool ? plain : value) + " ").str();
  }
  llvm::raw_string_ostream stream(message);
  return switches.parseFromString(options, stream);
}
