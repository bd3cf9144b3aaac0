//===- Report.cpp - Reports of a bound function ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/BoundFunction.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

using namespace gnn::runtime;
using OrderedJson = nlohmann::ordered_json;

/// Sets a field where there is something to say.
template <typename T>
static void set(OrderedJson &json, const char *key,
                const std::optional<T> &value) {
  if (value)
    json[key] = *value;
}

static void setKnown(OrderedJson &json, const char *key, int64_t value) {
  if (value >= 0)
    json[key] = value;
}

static OrderedJson toJson(const StepReport &step) {
  OrderedJson json = {{"kernel", step.kernel},
                      {"grid", step.grid},
                      {"block", step.block},
                      {"shared_bytes", step.sharedBytes},
                      {"skipped", step.skipped}};
  if (step.code != step.kernel)
    json["code"] = step.code;
  set(json, "milliseconds", step.milliseconds);
  set(json, "bytes_read", step.bytesRead);
  set(json, "bytes_written", step.bytesWritten);
  set(json, "flops", step.flops);
  setKnown(json, "registers", step.kernelInfo.registers);
  setKnown(json, "local_bytes", step.kernelInfo.localBytes);
  setKnown(json, "static_shared_bytes", step.kernelInfo.staticSharedBytes);
  setKnown(json, "carve_out", step.kernelInfo.carveOut);
  if (!step.kernelInfo.loads.empty())
    json["loads"] = step.kernelInfo.loads;
  json["after"] = step.after;
  if (!step.ops.empty())
    json["ops"] = step.ops;
  if (!step.schedule.empty())
    json["schedule"] = step.schedule;
  if (!step.scheduleFrom.empty())
    json["schedule_from"] = step.scheduleFrom;
  return json;
}

std::string Report::json() const {
  OrderedJson list = OrderedJson::array();
  for (const StepReport &step : steps)
    list.push_back(toJson(step));
  OrderedJson json = {{"function", function},
                      {"device", device},
                      {"workspace_bytes", workspaceBytes},
                      {"structure_bytes", structureBytes},
                      {"measured_runs", measuredRuns}};
  json["steps"] = std::move(list);
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

using Row = std::vector<std::string>;

static std::string cell(const std::optional<int64_t> &value) {
  return value ? std::to_string(*value) : "-";
}

static std::string knownCell(int64_t value) {
  return value >= 0 ? std::to_string(value) : "-";
}

/// "12x1x1", without ones at the end.
static std::string extents(const std::array<int64_t, 3> &sizes) {
  size_t rank = sizes[2] != 1 ? 3 : sizes[1] != 1 ? 2 : 1;
  std::string text = std::to_string(sizes[0]);
  for (size_t i = 1; i < rank; ++i)
    text += "x" + std::to_string(sizes[i]);
  return text;
}

static std::string timeCell(const StepReport &step) {
  if (step.skipped)
    return "skipped";
  if (!step.milliseconds)
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", *step.milliseconds);
  return text;
}

static Row toRow(const StepReport &step) {
  int64_t shared = step.sharedBytes +
                   std::max<int64_t>(step.kernelInfo.staticSharedBytes, 0);
  return {step.kernel,
          extents(step.grid),
          extents(step.block),
          std::to_string(shared),
          knownCell(step.kernelInfo.registers),
          knownCell(step.kernelInfo.localBytes),
          timeCell(step),
          cell(step.bytesRead),
          cell(step.bytesWritten),
          cell(step.flops)};
}

/// The ops that a kernel is of, in a line of its own.
static std::string noteOn(const StepReport &step) {
  std::string text;
  for (const std::string &op : step.ops)
    text += (text.empty() ? "" : ", ") + op;
  if (!step.schedule.empty())
    text += (text.empty() ? "" : "; ") + step.schedule;
  if (!step.scheduleFrom.empty())
    text += (text.empty() ? "from " : ", from ") + step.scheduleFrom;
  return text.empty() ? "" : "    " + text + "\n";
}

std::string Report::text() const {
  std::vector<Row> rows = {{"kernel", "grid", "block", "shared B", "registers",
                            "spilled B", "time ms", "read B", "written B",
                            "flops"}};
  for (const StepReport &step : steps)
    rows.push_back(toRow(step));
  std::vector<size_t> widths(rows[0].size());
  for (const Row &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string table;
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t i = 0; i < rows[r].size(); ++i) {
      std::string space(widths[i] - rows[r][i].size(), ' ');
      // Names to the left, numbers to the right.
      table += i ? "  " + space + rows[r][i] : rows[r][i] + space;
    }
    table += "\n";
    if (r > 0)
      table += noteOn(steps[r - 1]);
  }
  return table;
}
