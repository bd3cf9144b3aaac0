//===- Remarks.h - Remarks of passes ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One remark for each decision of a pass, with the pass's flag as its category.
// A change has a name of the pass's choice; all refusals have one name.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_REMARKS_H
#define GNN_TRANSFORMS_REMARKS_H

#include "mlir/IR/Remarks.h"

namespace gnn {

/// "1 row", "2 rows".
inline std::string counted(int64_t number, llvm::StringRef what) {
  return (llvm::Twine(number) + " " + what + (number == 1 ? "" : "s")).str();
}

/// The name of every refusal.
inline constexpr llvm::StringLiteral refusalName = "Refused";

/// Reports a change that a pass has completed: `what`, such as "Fused". `pass`
/// is its flag, `getArgument()`.
inline mlir::remark::detail::InFlightRemark
passed(llvm::StringRef pass, mlir::Location loc, llvm::StringRef what) {
  return mlir::remark::passed(
      loc, mlir::remark::RemarkOpts::name(what).category(pass));
}

/// Reports that a pass has not made a change, by the name `what`.
inline mlir::remark::detail::InFlightRemark
missed(llvm::StringRef pass, mlir::Location loc, llvm::StringRef what) {
  return mlir::remark::missed(
      loc, mlir::remark::RemarkOpts::name(what).category(pass));
}

/// Emits the reason why a pass leaves an op unchanged.
inline mlir::remark::detail::InFlightRemark refused(llvm::StringRef pass,
                                                    mlir::Location loc) {
  return missed(pass, loc, refusalName);
}

} // namespace gnn

#endif // GNN_TRANSFORMS_REMARKS_H
