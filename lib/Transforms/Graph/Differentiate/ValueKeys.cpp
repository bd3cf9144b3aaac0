//===- ValueKeys.cpp - Hashes of computations of values -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash is of text, as names and attributes have other addresses in each
// run. Text may leave out what constants hold, and names a resource alone:
// their bytes are hashed as well.
//
//===----------------------------------------------------------------------===//

#include "ValueKeys.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
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

/// Writes a hash of the bytes of each constant in an op's attributes. False
/// where those of a resource are not given.
static bool addConstants(Operation &op, raw_ostream &os) {
  bool areKnown = true;
  auto addBytes = [&](ArrayRef<char> bytes) {
    os << ' '
       << llvm::xxh3_64bits(ArrayRef<uint8_t>(
              reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  };
  op.getAttrDictionary().walk([&](Attribute attribute) {
    if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attribute)) {
      addBytes(dense.getRawData());
    } else if (auto held = dyn_cast<DenseResourceElementsAttr>(attribute)) {
      if (AsmResourceBlob *blob = held.getRawHandle().getBlob())
        addBytes(blob->getData());
      else
        areKnown = false;
    }
  });
  return areKnown;
}

uint64_t ValueKeys::add(Operation &op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op.getName() << ' ' << op.getAttrDictionary();
  bool isKnown = addConstants(op, os);
  for (Value operand : op.getOperands()) {
    os << ' ' << keys.lookup(operand);
    isKnown &= !unknown.contains(operand);
  }
  for (Type type : op.getResultTypes())
    os << ' ' << type;
  uint64_t key = llvm::xxh3_64bits(text);
  for (Region &region : op.getRegions())
    for (Block &block : region)
      os << ' ' << add(block, key);
  op.walk([&](Operation *inner) {
    isKnown &= llvm::none_of(inner->getResults(), [&](Value result) {
      return unknown.contains(result);
    });
  });
  key = llvm::xxh3_64bits(text);
  for (OpResult result : op.getResults()) {
    keys[result] = llvm::xxh3_64bits(
        (llvm::utohexstr(key) + " " + llvm::Twine(result.getResultNumber()))
            .str());
    if (!isKnown)
      unknown.insert(result);
  }
  return key;
}

std::string ValueKeys::get(Value value) const {
  if (unknown.contains(value))
    return "";
  std::string digits = llvm::utohexstr(keys.lookup(value), /*LowerCase=*/true);
  return std::string(16 - digits.size(), '0') + digits;
}
