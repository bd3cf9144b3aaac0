//===- Compile.h - From a module to a package -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a function: gnn in, launch plan and kernels out.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_COMPILE_H
#define GNN_TARGET_COMPILE_H

#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Runtime/Package.h"
#include "GNN/Target/CompileOptions.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

namespace gnn {

/// Compiles `module`, which is changed, from whichever level it is at. Images:
/// "ptx", "cubin" where asked for, and "mlir" for the emulator. Errors are
/// diagnostics at the user's ops.
mlir::FailureOr<std::shared_ptr<const runtime::Package>>
compileToPackage(mlir::ModuleOp module, const CompileOptions &options);

/// The PTX of all kernels of `module`, which is changed, from whichever level
/// it is at. Host functions may be anything.
mlir::FailureOr<std::string> compileToPTX(mlir::ModuleOp module,
                                          const CompileOptions &options);

/// Runs the stages of `module` up to templates on buffers, and with
/// `choosesSchedules` also the stage that chooses their schedules. Afterwards
/// the module states its target.
mlir::LogicalResult lowerToTemplates(mlir::ModuleOp module,
                                     const CompileOptions &options,
                                     bool choosesSchedules);

/// Lists the schedules that the kernels of `module` may have, as
/// `gnn-tile-list-schedules` prints them. The fields in `vary`, or all without
/// `vary`, differ from the compiler's choice, and schedules pass the filters.
/// Changes the module.
mlir::FailureOr<std::string> listSchedules(mlir::ModuleOp module,
                                           const CompileOptions &options,
                                           llvm::ArrayRef<std::string> vary,
                                           const ScheduleFilters &filters = {});

/// Whether `compileToPackage` can do its task on `module`; emits one error if
/// not.
mlir::LogicalResult checkOptions(mlir::ModuleOp module,
                                 const CompileOptions &options);

/// An error of an option, which is at no place in the file: its line is 0.
mlir::InFlightDiagnostic emitOptionError(mlir::ModuleOp module,
                                         const llvm::Twine &message);

/// The passes that `compileToPackage` is about to run on `module`, as a
/// pipeline for gnn-opt: it fails where compiling fails.
std::string compilePipeline(mlir::ModuleOp module,
                            const CompileOptions &options);

} // namespace gnn

#endif // GNN_TARGET_COMPILE_H
