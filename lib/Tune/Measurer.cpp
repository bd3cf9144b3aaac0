//===- Measurer.cpp - Times of schedules ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Measurer.h"

#include "llvm/ADT/STLExtras.h"

using namespace gnn;
using namespace gnn::tune;

Measurer::~Measurer() = default;

llvm::StringRef gnn::tune::stringify(Check check) {
  switch (check) {
  case Check::None:
    return "none";
  case Check::SameBits:
    return "same bits";
  case Check::Close:
    return "close";
  }
  llvm_unreachable("all checks are handled");
}
