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

/// The names in "{NAME=VALUE ...}", as options are printed.
static SmallVector<std::string> readNames(StringRef printed) {
  SmallVector<StringRef> words;
  printed.trim("{} ").split(words, ' ', -1, /*KeepEmpty=*/false);
  return llvm::map_to_vector(
      words, [](StringRef word) { return word.split('=').first.str(); });
}

/// The names of all switches, in their order.
static SmallVector<std::string> listSwitches() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  PassSwitches().print(stream);
  return readNames(text);
}

/// "NAME=VALUE" in the text of switches.
static SmallVector<StringRef> splitSwitches(StringRef text) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words, " ,\t\n");
  return words;
}

/// The name that a word gives a value, which may be that of a pass.
static StringRef getName(StringRef word) {
  StringRef name = word.split('=').first;
  name.consume_front("gnn-");
  return name;
}

/// `value` as an option takes it, or what is wrong with it.
static llvm::Expected<std::string> readValue(StringRef name, StringRef value) {
  auto check = [&](auto parsed) -> llvm::Expected<std::string> {
    if (!parsed)
      return parsed.takeError();
    return value.str();
  };
  if (name == "cost")
    return check(parseWord<CostKind>(value));
  if (name == "memory")
    return check(parseWord<GradientMemory>(value));
  if (name == "edge-walks" || name == "online-softmax" || name == "pad-rows" ||
      name == "gather-copies") {
    if (value == "-1" || value == "0" || value == "1")
      return value.str();
    return llvm::createStringError("expected -1, 0 or 1, got '" + value + "'");
  }
  if (name == "source-shards") {
    int32_t number;
    if (value.getAsInteger(10, number) || number < -1 || number == 1 ||
        number > 65535)
      return llvm::createStringError(
          "expected -1, 0 or from 2 to 65535 ranges, got '" + value + "'");
    return value.str();
  }
  if (name == "edge-numbers" || name == "row-orders") {
    if (value == "-1" || value == "0" || value == "1" || value == "2")
      return value.str();
    return llvm::createStringError("expected -1, 0, 1 or 2, got '" + value +
                                   "'");
  }
  if (name == "sum-rows" || name == "long-rows" || name == "sum-runs") {
    bool mayBeChosen = name == "long-rows";
    StringRef counted = name == "sum-rows"   ? "rows"
                        : name == "sum-runs" ? "elements"
                                             : "elements, 0 or -1";
    int32_t number;
    if (value.getAsInteger(10, number) || number < (mayBeChosen ? -1 : 0))
      return llvm::createStringError("expected a number of " + counted +
                                     ", got '" + value + "'");
    return value.str();
  }
  StringRef plain = llvm::StringSwitch<StringRef>(value.lower())
                        .Cases({"true", "on", "1"}, "true")
                        .Cases({"false", "off", "0"}, "false")
                        .Default("");
  if (plain.empty())
    return llvm::createStringError("expected true or false, got '" + value +
                                   "'");
  return plain.str();
}

LogicalResult gnn::parsePassSwitches(StringRef text, PassSwitches &switches,
                                     std::string &message) {
  auto known = listSwitches();
  std::string options;
  for (StringRef word : splitSwitches(text)) {
    StringRef name = getName(word), value = word.split('=').second;
    if (!llvm::is_contained(known, name) || !word.contains('=')) {
      message = ("expected NAME=VALUE with a name of " +
                 llvm::join(known, ", ") + ", got '" + word + "'")
                    .str();
      return failure();
    }
    llvm::Expected<std::string> plain = readValue(name, value);
    if (!plain) {
      message = (name + ": " + llvm::toString(plain.takeError())).str();
      return failure();
    }
    options += (name + "=" + *plain + " ").str();
  }
  llvm::raw_string_ostream stream(message);
  return switches.parseFromString(options, stream);
}

SmallVector<StringRef> gnn::listGivenSwitches(StringRef text) {
  return llvm::map_to_vector(splitSwitches(text), getName);
}

const Stage &gnn::getLastStage(StringRef name) {
  const Stage *last = nullptr;
  for (const Stage &stage : getStages()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stage.print(stream, StageOptions());
    if (llvm::is_contained(readNames(StringRef(text).split('{').second), name))
      last = &stage;
  }
  assert(last && "a switch is of a stage");
  return *last;
}
