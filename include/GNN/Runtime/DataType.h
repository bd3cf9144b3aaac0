//===- DataType.h - Element types -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DATATYPE_H
#define GNN_RUNTIME_DATATYPE_H

#include "GNN/Runtime/Error.h"

#include <cstdint>
#include <string_view>

namespace gnn::runtime {

/// Element types of arrays. I1 is stored as one byte, 0 or 1.
enum class DataType {
  F16,
  BF16,
  F32,
  F64,
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64
};

/// Bytes of one element.
int64_t byteSize(DataType type);

/// Whether elements of one type are read as the other: kernels do not tell
/// integers with a sign from those without.
bool isStoredAlike(DataType type, DataType other);

/// The name in plans and messages: "f32", "bf16", "i1", "u8", ...
const char *name(DataType type);

/// The type of that name.
Expected<DataType> parseDataType(std::string_view text);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_DATATYPE_H
