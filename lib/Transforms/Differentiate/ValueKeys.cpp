//===- ValueKeys.cpp - What a value is computed by, as a hash -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of text, as names and attributes have other addresses in each run.
//
//===----------------------------------------------------------------------===//

#include "ValueKeys.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace gnn;

uint64_t ValueKeys::add(Block &block, uint64_t parent) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (BlockArgument argument : block.getArguments()) {
    std::string name;
    llvm::raw_string_ostream(name)
        << "argument " << argument.getArgNumber() << " of " << parent << ' '
        << argument.getType();
    os << (keys[argument] = llvm::xxh3_64bits(name)) << ' ';
  }
  for (Operation &op : block)
    os << add(op) << ' ';
  return llvm::xxh3_64bits(text);
}

uint64_t ValueKeys::add(Operation &op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op.getName() << ' ' << op.getAttrDictionary();
  for (Value operand : op.getOperands())
    os << ' ' << keys.lookup(operand);
  for (Type type : op.getResultTypes())
    os << ' ' << type;
  uint64_t key = llvm::xxh3_64bits(text);
  for (Region &region : op.getRegions())
    for (Block &block : region)
      os << ' ' << add(block, key);
  key = llvm::xxh3_64bits(text);
  for (OpResult result : op.getResults())
    keys[result] = llvm::xxh3_64bits(
        (llvm::utohexstr(key) + " " + llvm::Twine(result.getResultNumber()))
            .str());
  return key;
}

std::string ValueKeys::get(Value value) const {
  std::string digits = llvm::utohexstr(keys.lookup(value), /*LowerCase=*/true);
  return std::string(16 - digits.size(), '0') + digits;
}
