//===- ScheduleFrom.h - Where a schedule is from ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template says by the attribute `gnn.schedule_from` which file its schedule
// is from: "file FILE:LINE", "record of FILE" or "model FILE". Without it the
// rules have chosen, or the program has it. Blocks and launches of the template
// keep it, for reports.
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

/// States the same of what is made of `from`, beside what `to` states.
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
