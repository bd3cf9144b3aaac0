//===- KernelName.cpp - The name of a kernel ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/KernelName.h"

#include "GNN/Dialect/GNN/IR/Origin.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// The kind of template that a kernel is made of.
static StringRef getTemplate(Operation *op) {
  auto loop = dyn_cast<BlocksOp>(op);
  return loop && loop.getMadeOf() ? *loop.getMadeOf()
                                  : op->getName().stripDialect();
}

/// Ops that only move values are named where there are no others.
static std::string nameOps(Operation *op) {
  constexpr size_t most = 3;
  SmallVector<StringRef> names, moves;
  for (const Origin &origin : getOrigins(op->getLoc())) {
    bool isMove = llvm::is_contained(
        {"broadcast", "concat", "gather", "reshape", "slice"}, origin.op);
    SmallVector<StringRef> &list = isMove ? moves : names;
    if (list.size() < most && !llvm::is_contained(list, origin.op))
      list.push_back(origin.op);
  }
  if (names.empty())
    names = moves;
  if (names.empty())
    names.push_back(getTemplate(op));
  std::string name = llvm::join(names, "_");
  // As PTX wants it, whatever a plugin's op is called.
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name;
}

std::string gnn::tile::nameKernel(StringRef function, size_t number,
                                  Operation *op) {
  return (function + "_" + Twine(number) + "_" + nameOps(op)).str();
}
