//===- ScheduleFrom.h - Where a schedule is from ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute `gnn.schedule_from` of a template names the source of its
// schedule: "file FILE:LINE", "record of FILE" or "model FILE". Without the
// attribute, the rules have chosen the schedule, or the program has it. Blocks
// and launches of the template keep the attribute, for reports.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_SCHEDULEFROM_H
#define GNN_DIALECT_GNN_IR_SCHEDULEFROM_H

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/Path.h"

namespace gnn {

/// States that the schedule is from `path`, without its folder.
inline void setScheduleFrom(mlir::Operation *op, llvm::StringRef kind,
                            llvm::StringRef path) {
  op->setAttr(
      attribute::scheduleFrom,
      mlir::StringAttr::get(op->getContext(),
                            kind + " " + llvm::sys::path::filename(path)));
}

/// Adds the source of `from` to `to`, which is made from it. If `to` already
/// has another source, both are kept.
inline void copyScheduleFrom(mlir::Operation *from, mlir::Operation *to) {
  auto source = from->getAttrOfType<mlir::StringAttr>(attribute::scheduleFrom);
  auto known = to->getAttrOfType<mlir::StringAttr>(attribute::scheduleFrom);
  if (source && known && source != known)
    source = mlir::StringAttr::get(to->getContext(),
                                   known.getValue() + "; " + source.getValue());
  if (source)
    to->setAttr(attribute::scheduleFrom, source);
}

} // namespace gnn

#endif // GNN_DIALECT_GNN_IR_SCHEDULEFROM_H
