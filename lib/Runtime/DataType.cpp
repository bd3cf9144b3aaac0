//===- DataType.cpp - Element types ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/DataType.h"

#include <iterator>

using namespace gnn::runtime;

namespace {
struct DataTypeRow {
  DataType type;
  const char *name;
  int64_t bytes;
};

// In the order of the enum.
constexpr DataTypeRow kDataTypes[] = {
    {DataType::F16, "f16", 2}, {DataType::BF16, "bf16", 2},
    {DataType::F32, "f32", 4}, {DataType::F64, "f64", 8},
    {DataType::I1, "i1", 1},   {DataType::I8, "i8", 1},
    {DataType::I16, "i16", 2}, {DataType::I32, "i32", 4},
    {DataType::I64, "i64", 8}, {DataType::U8, "u8", 1},
    {DataType::U16, "u16", 2}, {DataType::U32, "u32", 4},
    {DataType::U64, "u64", 8},
};
} // namespace

int64_t gnn::runtime::byteSize(DataType type) {
  return kDataTypes[static_cast<size_t>(type)].bytes;
}

bool gnn::runtime::isStoredAlike(DataType type, DataType other) {
  auto isFloat = [](DataType type) { return type <= DataType::F64; };
  return type == other || (!isFloat(type) && !isFloat(other) &&
                           byteSize(type) == byteSize(other));
}

const char *gnn::runtime::name(DataType type) {
  return kDataTypes[static_cast<size_t>(type)].name;
}

Expected<DataType> gnn::runtime::parseDataType(std::string_view text) {
  for (const DataTypeRow &row : kDataTypes)
    if (text == row.name)
      return row.type;
  return failure("expected an element type such as f32 or i32, got '", text,
                 "'");
}
