//===- OverlayHandles.h - Handles of programs of the overlay ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CAPI_OVERLAYHANDLES_H
#define GNN_LIB_CAPI_OVERLAYHANDLES_H

#include "CAPIHandles.h"

#include "GNN-c/Overlay.h"
#include "GNN/Overlay/Partition.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>

struct GnnOverlayProgram : GnnCounted<GnnOverlayProgram> {
  gnn::overlay::Program value;
  /// The module of what is computed before it; empty: nothing is.
  std::string prepare;
  /// How self loops are added to the user's graph first, of a program that was
  /// compiled; empty: they are not.
  std::string loops;
  /// Seconds of the host by phase, of a program that was compiled.
  std::map<std::string, double> seconds;
};

struct GnnOverlayPartition : GnnCounted<GnnOverlayPartition> {
  std::shared_ptr<const gnn::overlay::Partition> value;
};

namespace gnn::capi {

/// Seconds since it was made, or since the last lap.
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    std::chrono::duration<double> passed = now - begin;
    begin = now;
    return passed.count();
  }

private:
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

/// A JSON value as a string for gnnStringDestroy.
inline char *copyJson(llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return runtime::copyString(text);
}

inline llvm::json::Object toJson(const std::map<std::string, double> &seconds) {
  llvm::json::Object object;
  for (const auto &[phase, value] : seconds)
    object[phase] = value;
  return object;
}

} // namespace gnn::capi

#endif // GNN_LIB_CAPI_OVERLAYHANDLES_H
