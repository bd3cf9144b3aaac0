//===- Passes.td - Schedules for the printer ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def ScheduleForPrinter : Pass<"schedule-for-printer", "::mlir::func::FuncOp"> {
  let summary = "Lay traversals out for the printer";
  let description = [{
    A block takes 8 rows with all of their features, in the order of the user.

    Needs: traversals on memrefs. Keeps: every field that is set. Never touches the
    schedule of another target, which is an error.
  }];
  let dependentDialects = ["::printer::PrinterDialect"];
}
