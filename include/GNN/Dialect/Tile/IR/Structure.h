//===- Structure.h - Names of what a bound graph gives ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Domains (a row space in an order), and the canonical text of structures and
// counts. docs/Structures.md says what each means.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_STRUCTURE_H
#define GNN_DIALECT_TILE_IR_STRUCTURE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace gnn::tile {

/// True if `text` is a row space in one of its orders: `edge`, `edge.in_rows`,
/// `parent_edge.in_rows`.
bool isDomain(llvm::StringRef text);

/// True if `domain` is rows of the graph that a derived graph is made from.
/// They are read and not walked.
bool isOfParent(llvm::StringRef domain);

/// The parent's rows of a domain, and back: `parent_edge` of `edge`.
std::string ofParent(llvm::StringRef domain);
llvm::StringRef withoutParent(llvm::StringRef domain);

/// True if `domain` is a fixed number of rows, such as `192`: those of weights.
bool isFixed(llvm::StringRef domain);

/// The row space of a domain: `edge` of `edge.in_rows`.
llvm::StringRef getSpace(llvm::StringRef domain);

/// True if each group of `groups` has its elements side by side in `elements`,
/// so that `rows GROUPS ELEMENTS` exists.
bool hasRows(llvm::StringRef groups, llvm::StringRef elements);

/// True if every row of `from` leads to one row of `to` (`map FROM TO` exists,
/// or both are the same).
bool hasMap(llvm::StringRef from, llvm::StringRef to);

/// The keys of the structures and counts.
std::string mapKey(llvm::StringRef from, llvm::StringRef to);
std::string rowsKey(llvm::StringRef groups, llvm::StringRef elements);
std::string tilesKey(llvm::StringRef groups, llvm::StringRef elements,
                     int64_t size);
std::string countKey(llvm::StringRef domain);
std::string tileCountKey(llvm::StringRef groups, llvm::StringRef elements,
                         int64_t size);

/// Empty if `key` is a structure (an array); else what is wrong with it.
std::string checkStructureKey(llvm::StringRef key);

/// Empty if `key` is a count (a host scalar); else what is wrong with it.
std::string checkCountKey(llvm::StringRef key);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_STRUCTURE_H
