//===- FormAttributes.h - Attributes of a block's loop ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_FORMATTRIBUTES_H
#define GNN_DIALECT_TILE_IR_FORMATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

/// Discardable attributes of the `scf.forall` over blocks that becomes a
/// kernel.
namespace gnn::tile::attribute {

/// Threads of a block, an i64: its body is what each of them does.
inline constexpr llvm::StringLiteral threads = "gnn_tile.threads";
/// What the template was, for the kernel's name where the model's ops are
/// unknown.
inline constexpr llvm::StringLiteral madeOf = "gnn_tile.template";
/// The schedule of the template that it was made of, for reports; of several,
/// an array of them.
inline constexpr llvm::StringLiteral schedule = "gnn_tile.schedule";

} // namespace gnn::tile::attribute

#endif // GNN_DIALECT_TILE_IR_FORMATTRIBUTES_H
