//===- CompileOptions.cpp - How a module is compiled ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/CompileOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace gnn;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// By keyword
//===----------------------------------------------------------------------===//

static bool assign(option::Text &field, StringRef value) {
  field = value.str();
  return true;
}

static bool assign(option::Texts &field, StringRef value) {
  field.push_back(value.str());
  return true;
}

static bool assign(option::Flag &field, StringRef value) {
  field = value == "true";
  return field || value == "false";
}

static bool assign(option::Number &field, StringRef value) {
  return !value.getAsInteger(10, field);
}

/// The values of an option whose kind does not take every text.
static StringRef describe(const option::Flag &) { return "true or false"; }
static StringRef describe(const option::Number &) { return "a whole number"; }
template <typename Field> static StringRef describe(const Field &) {
  return "a text";
}

llvm::Error CompileOptions::set(StringRef keyword, StringRef value) {
#define GNN_OPTION(kind, field, name, initial, tools, shown, summary)          \
  if (keyword == name)                                                         \
    return assign(field, value)                                                \
               ? llvm::Error::success()                                        \
               : llvm::createStringError(keyword + ": expected " +             \
                                         describe(field) + ", got '" + value + \
                                         "'");
#include "GNN/Target/CompileOptions.def"
  static const StringRef names[] = {
#define GNN_OPTION(kind, field, name, initial, tools, shown, summary) name,
#include "GNN/Target/CompileOptions.def"
  };
  return llvm::createStringError("options: expected one of " +
                                 llvm::join(llvm::ArrayRef(names), ", ") +
                                 ", got '" + keyword + "'");
}

llvm::SmallVector<StringRef> CompileOptions::listGiven() const {
  const CompileOptions initially;
  llvm::SmallVector<StringRef> given;
#define GNN_OPTION(kind, field, keyword, initial, tools, shown, summary)       \
  if (field != initially.field)                                                \
    given.push_back(keyword);
#include "GNN/Target/CompileOptions.def"
  return given;
}

std::vector<NamedFile>
CompileOptions::listFiles(const std::string &prefix) const {
  StringRef model = scheduleRule;
  return {{prefix + "schedules", schedules, false},
          {prefix + "records", records, false},
          {prefix + "schedule-rule",
           model.consume_front("ranked:") ? model.str() : "", false},
          {prefix + "save-schedules", saveSchedules, true},
          {prefix + "record-keys", recordKeys, true}};
}

//===----------------------------------------------------------------------===//
// On a command line
//===----------------------------------------------------------------------===//

namespace cl = llvm::cl;

template <typename Field>
static std::unique_ptr<cl::Option> makeFlag(Field &field, StringRef keyword,
                                            StringRef summary, StringRef value,
                                            cl::OptionCategory &category) {
  Field initial = field;
  return std::make_unique<cl::opt<Field, /*ExternalStorage=*/true>>(
      keyword, cl::desc(summary), cl::value_desc(value), cl::location(field),
      cl::init(initial), cl::cat(category));
}

static std::unique_ptr<cl::Option> makeFlag(option::Texts &field,
                                            StringRef keyword,
                                            StringRef summary, StringRef value,
                                            cl::OptionCategory &category) {
  return std::make_unique<cl::list<std::string, option::Texts>>(
      keyword, cl::desc(summary), cl::value_desc(value), cl::location(field),
      cl::cat(category));
}

CompileFlags::CompileFlags(cl::OptionCategory &category, StringRef tool,
                           CompileOptions given)
    : options(std::move(given)) {
#define GNN_OPTION(kind, field, keyword, initial, tools, value, summary)       \
  if (StringRef(tools).contains(tool))                                         \
    flags.push_back(makeFlag(options.field, keyword, summary, value, category));
#include "GNN/Target/CompileOptions.def"
}

CompileFlags::~CompileFlags() = default;

bool CompileFlags::isGiven(StringRef keyword) const {
  return llvm::any_of(flags, [&](const auto &flag) {
    return flag->ArgStr == keyword && flag->getNumOccurrences();
  });
}

StringRef CompileFlags::findGiven() const {
  for (const auto &flag : flags)
    if (flag->getNumOccurrences())
      return flag->ArgStr;
  return "";
}

static bool isEmpty(const option::Text &field) { return field.empty(); }
template <typename Field> static bool isEmpty(const Field &) { return false; }

llvm::Error CompileFlags::checkPaths() const {
#define GNN_OPTION(kind, field, keyword, initial, tools, value, summary)       \
  if ((StringRef(value).starts_with("FILE.") || StringRef(value) == "DIR") &&  \
      isGiven(keyword) && isEmpty(options.field))                              \
    return llvm::createStringError("--" keyword ": expected " value            \
                                   ", got an empty text");
#include "GNN/Target/CompileOptions.def"
  return llvm::Error::success();
}
