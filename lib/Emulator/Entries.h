//===- Entries.h - The functions compiled kernels call ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list of names, addresses and types: the compiling half declares them from
// it, the JIT resolves them from it.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_EMULATOR_ENTRIES_H
#define GNN_LIB_EMULATOR_ENTRIES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace gnn::emulator {

struct Entry {
  llvm::StringRef name;
  void *address;
  /// The result, then the parameters: v(oid), i(32), l(64), p(ointer).
  llvm::StringRef signature;
  bool returns = true;
};

/// The entry that checks `count` elements from a position of that many
/// dimensions on: of the context, the site and the count, then of index and
/// extent by dimension.
inline constexpr unsigned maxCheckedRank = 4;
llvm::StringRef boundsEntry(unsigned rank);

/// The emulator's own entries.
llvm::ArrayRef<Entry> getEntries();

} // namespace gnn::emulator

#endif // GNN_LIB_EMULATOR_ENTRIES_H
