//===- TuneOptions.cpp - How to tune --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/TuneOptions.h"

#include "GNN/Runtime/ThreadPool.h"
#include "GNN/Transforms/Schedules/FilterSchedules.h"
#include "GNN/Transforms/Schedules/Records.h"
#include "GNN/Tune/Search.h"
#include "GNN/Tune/Store.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstdint>

using namespace gnn;
using namespace gnn::tune;
using llvm::StringRef;
using runtime::Error;
using runtime::ErrorKind;

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

static constexpr double mostSeconds = 1e9;

template <std::string TuneOptions::*field>
static Error setText(TuneOptions &options, StringRef value) {
  if (value.empty())
    return runtime::failure("expected a text, got an empty one");
  options.*field = value.str();
  return {};
}

template <typename Field>
static Error readNumber(Field &field, StringRef value, uint64_t least,
                        uint64_t most) {
  uint64_t number;
  if (value.getAsInteger(10, number) || number < least || number > most)
    return runtime::failure("expected a whole number from ", least, " to ",
                            most, ", got '", value.str(), "'");
  field = number;
  return {};
}

template <auto field, uint64_t least, uint64_t most>
static Error setNumber(TuneOptions &options, StringRef value) {
  return readNumber(options.*field, value, least, most);
}

static Error setThreads(TuneOptions &options, StringRef value) {
  return readNumber(options.threads, value, 1,
                    std::max(runtime::numCores(), runtime::numThreads()));
}

/// Seconds of "500ms", "5s", "2m" or "5".
static Error setTime(TuneOptions &options, StringRef value) {
  StringRef number = value;
  double unit = number.consume_back("ms")  ? 1e-3
                : number.consume_back("s") ? 1
                : number.consume_back("m") ? 60
                                           : 1;
  double seconds = 0;
  if (number.getAsDouble(seconds) || !(seconds * unit > 0) ||
      seconds * unit > mostSeconds)
    return runtime::failure("expected a time above 0 and of at most 1e9 s, "
                            "such as 500ms, 5s or 2m, got '",
                            value.str(), "'");
  options.seconds = seconds * unit;
  return {};
}

static Error setSearch(TuneOptions &options, StringRef value) {
  auto search = createSearch(value, /*seed=*/0);
  if (search)
    options.search = value.str();
  return search.takeError();
}

static Error setFilters(TuneOptions &options, StringRef value) {
  auto filters = tile::parseScheduleFilters(value);
  if (filters)
    options.filters = std::move(*filters);
  return filters.takeError();
}

/// Sets the name of measurements, which lines of JSON have.
static Error setCell(TuneOptions &options, StringRef value) {
  if (!llvm::json::isUTF8(value))
    return runtime::failure("expected a name in UTF-8, got '",
                            llvm::json::fixUTF8(value), "'");
  options.cell = value.str();
  return {};
}

namespace {
struct Setting {
  StringRef name;
  Error (*set)(TuneOptions &options, StringRef value);
};
} // namespace

static const Setting settings[] = {
    {"function", setText<&TuneOptions::function>},
    {"op", setNumber<&TuneOptions::number, 0, INT32_MAX>},
    {"budget", setTime},
    {"search", setSearch},
    {"model", setText<&TuneOptions::modelFile>},
    {"seed", setNumber<&TuneOptions::seed, 0, UINT64_MAX>},
    {"filters", setFilters},
    {"threads", setThreads},
    {"store", setText<&TuneOptions::store>},
    {"cell", setCell},
    {"records", setText<&TuneOptions::records>},
};

Error TuneOptions::set(StringRef name, StringRef value, StringRef shown) {
  for (const Setting &setting : settings)
    if (setting.name == name) {
      Error error = setting.set(*this, value);
      if (!error)
        return {};
      return Error(error.in((shown.empty() ? name : shown).str()).message(),
                   ErrorKind::Option);
    }
  return Error("settings: expected one of " +
                   llvm::join(llvm::map_range(settings,
                                              [](const Setting &setting) {
                                                return setting.name;
                                              }),
                              ", ") +
                   ", got '" + name.str() + "'",
               ErrorKind::Option);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::vector<NamedFile> TuneOptions::listFiles(const std::string &prefix) const {
  return {{prefix + "model", modelFile, false},
          {prefix + "store", store, true},
          {prefix + "records", records, true}};
}

/// The error of an option.
static Error wrong(const std::string &name, const std::string &why) {
  return Error(name + ": " + why, ErrorKind::Option);
}

Error TuneOptions::loadModel() {
  if (modelFile.empty())
    return {};
  auto loaded = ScheduleModel::load(modelFile);
  if (!loaded)
    return wrong("model", loaded.message());
  model = std::move(*loaded);
  return {};
}

Error TuneOptions::open() {
  if (Error error = expectDistinct(listFiles()))
    return Error(error.message(), ErrorKind::Option);
  if (asksModel(search) && modelFile.empty())
    return wrong("model",
                 "expected a file for search '" + search + "', got none");
  if (!asksModel(search) && !modelFile.empty())
    return wrong("model", "expected none for search '" + search + "', got '" +
                              modelFile + "'");
  if (Error error = loadModel())
    return error;
  // The files are tried before anything is measured.
  if (Error error = store.empty() ? Error() : Store(store).check())
    return wrong("store", error.message());
  if (Error error = records.empty() ? Error() : tile::checkRecords(records))
    return wrong("records", error.message());
  return {};
}
