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

/// Runs the stages of `module` up to templates on buffers, and that which
/// chooses their schedules where `choosesSchedules`. The module then says what
/// it is for.
mlir::LogicalResult lowerToTemplates(mlir::ModuleOp module,
                                     const CompileOptions &options,
                                     bool choosesSchedules);

/// The schedules that the kernels of `module`, which is changed, may have where
/// the fields in `vary` differ from what is chosen, or all fields where there
/// are none, and pass the filters: lines as `gnn-tile-list-schedules` prints
/// them.
mlir::FailureOr<std::string> listSchedules(mlir::ModuleOp module,
                                           const CompileOptions &options,
                                           llvm::ArrayRef<std::string> vary,
                                           const ScheduleFilters &filters = {});

/// Whether `compileToPackage` can do on `module` what it is asked for, or one
/// error.
mlir::LogicalResult checkOptions(mlir::ModuleOp module,
                                 const CompileOptions &options);

/// The passes that `compileToPackage` is about to run on `module`, as a
/// pipeline for gnn-opt: it fails where compiling fails.
std::string compilePipeline(mlir::ModuleOp module,
                            const CompileOptions &options);

} // namespace gnn

#endif // GNN_TARGET_COMPILE_H
