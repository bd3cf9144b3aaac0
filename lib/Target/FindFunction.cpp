//===- FindFunction.cpp - The function that a caller names ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/FindFunction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;

llvm::Expected<func::FuncOp> gnn::findFunction(ModuleOp module,
                                               StringRef name) {
  SmallVector<func::FuncOp> known;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal() && !func.isPrivate())
      known.push_back(func);
  if (name.empty() && known.size() == 1)
    return known.front();
  for (func::FuncOp func : known)
    if (func.getName() == name)
      return func;
  std::string names = llvm::join(
      llvm::map_range(known, [](func::FuncOp func) { return func.getName(); }),
      ", ");
  return llvm::createStringError(
      "expected " + (known.empty() ? "a function" : "one of " + names) +
      ", got " + (name.empty() ? "none" : "'" + name.str() + "'"));
}
