//===- PlanConstants.cpp - The data that kernels read ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanConstants.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;

FailureOr<runtime::DataType> gnn::getDataType(Operation *op, Type type) {
  if (type.isF32())
    return runtime::DataType::F32;
  if (type.isSignlessInteger(32))
    return runtime::DataType::I32;
  if (type.isSignlessInteger(64))
    return runtime::DataType::I64;
  op->emitError("the launch plan holds f32, i32 and i64, got ") << type;
  return failure();
}

FailureOr<runtime::ArgSpec> PlanConstants::place(memref::GetGlobalOp op) {
  if (auto known = places.find(op.getName()); known != places.end())
    return known->second;
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  auto value = dyn_cast_if_present<DenseElementsAttr>(
      global.getConstant() ? global.getInitialValueAttr() : Attribute());
  if (!value)
    return op.emitError("expected a constant with a dense value, got '@")
           << op.getName() << "'";
  if (failed(getDataType(op, value.getElementType())))
    return failure();
  data.resize(llvm::alignTo(data.size(), runtime::kTensorAlignment));
  runtime::ArgSpec spec;
  spec.kind = runtime::ArgSpec::Kind::Constant;
  spec.index = data.size();
  ArrayRef<char> raw = value.getRawData();
  for (int64_t i = 0, times = value.isSplat() ? value.size() : 1; i < times;
       ++i)
    data.append(raw.begin(), raw.end());
  spec.bytes = data.size() - spec.index;
  return places[op.getName()] = spec;
}
