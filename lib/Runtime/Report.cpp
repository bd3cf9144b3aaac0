//===- Report.cpp - What a bound function does and what it costs ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/BoundFunction.h"

#include <nlohmann/json.hpp>

using namespace gnn::runtime;
using Json = nlohmann::ordered_json;

/// Sets a field where there is something to say.
template <typename T>
static void set(Json &json, const char *key, const std::optional<T> &value) {
  if (value)
    json[key] = *value;
}

static void setKnown(Json &json, const char *key, int64_t value) {
  if (value >= 0)
    json[key] = value;
}

static Json toJson(const StepReport &step) {
  Json json = {{"kernel", step.kernel},
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
  return json;
}

std::string Report::json() const {
  Json list = Json::array();
  for (const StepReport &step : steps)
    list.push_back(toJson(step));
  Json json = {{"function", function},
               {"device", device},
               {"workspace_bytes", workspaceBytes},
               {"structure_bytes", structureBytes},
               {"measured_runs", measuredRuns}};
  json["steps"] = std::move(list);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
