//===- Nesting.h - Limits of texts that are parsed --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers recurse for each bracket, and a stack is finite: the nesting of a
// text is checked before it is parsed. So are the lengths of vectors: MLIR's
// parsers of some ops make room for each element, and end the process where
// there is none.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_NESTING_H
#define GNN_RUNTIME_NESTING_H

#include "GNN/Runtime/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gnn::runtime {

/// Nesting counts brackets that are neither in comments nor in strings, where a
/// language has those.
enum class Syntax {
  /// MLIR and JSON: all four pairs. MLIR's aliases are as deep as their
  /// definitions, and its affine expressions as they have operators.
  Text,
  /// PTX: no strings that matter, and < only compares.
  Ptx
};

/// A place in a text; both count from 1, and columns are bytes.
struct TextPlace {
  unsigned line, column;
};

/// Where `text` is more than `most` levels deep; nothing where it never is.
std::optional<TextPlace> findDeepNesting(std::string_view text, int most,
                                         Syntax syntax);

/// The error for such a text, with line and column.
Error checkNesting(std::string_view text, int most, Syntax syntax);

/// The error for a text of MLIR with a vector or tensor type of more than
/// `most` elements, with line and column.
Error checkVectors(std::string_view text, int64_t most);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_NESTING_H
