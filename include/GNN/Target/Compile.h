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

#include "mlir/IR/BuiltinOps.h"

namespace gnn {

/// How to compile a module.
struct CompileOptions {
  /// The kind of target, of those in GNN/Analysis/TargetBackend.h; empty:
  /// "cuda" where there is a chip, else what the module is for, else
  /// "emulator".
  std::string target;
  /// A GPU by its name or its chip, or what the kind of target has instead;
  /// empty: the backend chooses.
  std::string chip = "sm_90";
  /// PTX version as a target feature, e.g. "+ptx80"; empty: the oldest that the
  /// chip takes.
  std::string features;
  /// LLVM's optimization level for kernels, 0 to 3.
  unsigned optLevel = 3;
  /// Say in PTX which line of the model each instruction comes from.
  bool lineInfo = true;
  /// Assemble the PTX too, by CUDA's ptxas, which must be installed.
  bool cubin = false;
  /// Keep the kernels as IR beside PTX, for the emulator.
  bool emulated = true;
  /// What passes do, as `parsePassSwitches` reads it: "fuse=false".
  std::string passes;
  /// Passes at the beginning and the end of stages, as `StagePasses` reads
  /// them: "graph-end=my-pass".
  std::vector<std::string> stagePasses;
  /// File of schedules of templates, as `gnn-tile-apply-schedules` takes it;
  /// empty: none.
  std::string schedules;
  /// Leave those that no template takes.
  bool allowUnusedSchedules = false;
  /// File to write the schedules of all templates to; empty: none.
  std::string saveSchedules;
  /// The form behind which templates become loops of scalars, a word of
  /// `StopAt`: "structured", "scheduled", "blocked", "loops", or "kernels" for
  /// none.
  std::string stopAt = "kernels";
  /// Threads that make PTX, which is the same for any number. Where the IR of
  /// stages is kept, or passes are added to the stage, it is one.
  unsigned threads = 1;
  /// Where to write the IR after each stage; empty: nowhere.
  std::string phasesDirectory;
};

/// Compiles `module`, which is changed, from whichever level it is at. Images:
/// "ptx", "cubin" where asked for, and "mlir" for the emulator. Errors are
/// diagnostics at the user's ops.
mlir::FailureOr<std::shared_ptr<const runtime::Package>>
compileToPackage(mlir::ModuleOp module, const CompileOptions &options);

/// The PTX of all kernels of `module`, which is changed, from whichever level
/// it is at. Host functions may be anything.
mlir::FailureOr<std::string> compileToPTX(mlir::ModuleOp module,
                                          const CompileOptions &options);

/// The schedules that the kernels of `module`, which is changed, may have where
/// the fields in `vary` differ from what is chosen, or all fields where there
/// are none: lines as `gnn-tile-list-schedules` prints them.
mlir::FailureOr<std::string> listSchedules(mlir::ModuleOp module,
                                           const CompileOptions &options,
                                           llvm::ArrayRef<std::string> vary);

/// Whether `compileToPackage` can do on `module` what it is asked for, or one
/// error.
mlir::LogicalResult checkOptions(mlir::ModuleOp module,
                                 const CompileOptions &options);

/// What `compileToPackage` is about to run on `module`, as a pipeline for
/// gnn-opt: it fails where compiling fails.
std::string compilePipeline(mlir::ModuleOp module,
                            const CompileOptions &options);

} // namespace gnn

#endif // GNN_TARGET_COMPILE_H
