//===- PlanConstants.h - The data that kernels read -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_PLANCONSTANTS_H
#define GNN_LIB_TARGET_PLANCONSTANTS_H

#include "GNN/Runtime/Plan.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringMap.h"

namespace gnn {

/// The data type of a plan for `type`; reports at `op` if there is none.
mlir::FailureOr<runtime::DataType> getDataType(mlir::Operation *op,
                                               mlir::Type type);

/// The constants of a module, one behind the other.
class PlanConstants {
public:
  /// The place of what `op` gets; reports a global without a value.
  mlir::FailureOr<runtime::ArgSpec> place(mlir::memref::GetGlobalOp op);
  const std::string &getData() const { return data; }

private:
  llvm::StringMap<runtime::ArgSpec> places;
  std::string data;
};

} // namespace gnn

#endif // GNN_LIB_TARGET_PLANCONSTANTS_H
