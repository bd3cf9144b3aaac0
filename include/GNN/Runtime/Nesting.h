//===- Nesting.h - Limits of texts that are parsed --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers recurse for each bracket, and a stack is finite, so the nesting of a
// text is checked before it is parsed. The lengths of vectors are checked, too:
// MLIR's parsers of some ops reserve memory for each element, and end the
// process if there is none.
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

/// The brackets that count. Those in comments and strings of a language do not.
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

/// The position where `text` is more than `most` levels deep, or nothing.
std::optional<TextPlace> findDeepNesting(std::string_view text, int most,
                                         Syntax syntax);

/// The error for such a text, with line and column.
Error checkNesting(std::string_view text, int most, Syntax syntax);

/// The error for a text of MLIR with a vector or tensor type of more than
/// `most` elements, with line and column.
Error checkVectors(std::string_view text, int64_t most);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_NESTING_H
