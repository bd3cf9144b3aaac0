//===- Entries.h - The functions compiled kernels call ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list of names, addresses and types: the compiling half declares them from
// it, the JIT resolves them from it.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_EMULATOR_RUN_ENTRIES_H
#define GNN_LIB_EMULATOR_RUN_ENTRIES_H

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

/// The entry that checks an access: of the context, the site, the AccessKind,
/// an address, the count of elements and a mask of lanes, of which none is no
/// access; then of index and extent by dimension.
llvm::StringRef accessEntry(unsigned rank);

/// The entry that checks a view of an argument: of the context, the site, the
/// argument's number, the bytes of an element and the offset; then of size and
/// stride by dimension.
llvm::StringRef argumentEntry(unsigned rank);

/// The emulator's own entries.
llvm::ArrayRef<Entry> getEntries();

} // namespace gnn::emulator

#endif // GNN_LIB_EMULATOR_RUN_ENTRIES_H
