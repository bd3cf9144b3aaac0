//===- RecordFile.cpp - A file of records ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Transforms/Schedules/Records.h"

#include "llvm/ADT/StringMap.h"

using namespace gnn;
using namespace gnn::tile;
using llvm::SmallVector;
using llvm::StringRef;
namespace json = llvm::json;

/// The key of a record as text; none of a line that is none.
static std::optional<std::string> keyOf(StringRef line) {
  auto record = parseLine(line);
  if (!record || !record->getObject("schedule"))
    return std::nullopt;
  record->erase("schedule");
  record->erase("ratio");
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << json::Value(std::move(*record)); // members are sorted
  return key;
}

/// The text without records that later ones replace, where these are over half.
/// Other lines are not ours.
static std::optional<std::string> dropReplaced(StringRef text) {
  SmallVector<StringRef> lines, kept;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  llvm::StringMap<bool> known;
  size_t records = 0, replaced = 0;
  for (StringRef line : llvm::reverse(lines)) {
    auto key = keyOf(line);
    records += key.has_value();
    if (key && !known.try_emplace(*key).second)
      ++replaced;
    else
      kept.push_back(line);
  }
  if (2 * replaced <= records)
    return std::nullopt;
  std::string shorter;
  for (StringRef line : llvm::reverse(kept))
    shorter += (line + "\n").str();
  return shorter;
}

static runtime::Error checkRecord(StringRef line) {
  auto record = parseLine(line);
  if (!record)
    return record.takeError();
  if (record->getObject("schedule") && record->getNumber("ratio") &&
      !record->get("cell")) // that of a measurement in a store
    return {};
  return runtime::failure("expected a ratio and a schedule, and no cell");
}

runtime::Error gnn::tile::expectRecords(const std::string &path) {
  return checkFirstLine(path, "records", checkRecord);
}

runtime::Error gnn::tile::checkRecords(const std::string &path) {
  if (runtime::Error error = expectRecords(path))
    return error;
  return appendLine(path, "");
}

runtime::Error gnn::tile::addRecord(const std::string &path, StringRef record) {
  return appendLine(path, record, dropReplaced);
}
