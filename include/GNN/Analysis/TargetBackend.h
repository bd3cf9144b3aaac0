//===- TargetBackend.h - Interface of kinds of targets ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One interface contains everything that the compiler needs from a kind of
// target: the layout of templates, the last stage, the contents of a package,
// and the device that runs it. A plugin registers one more.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_TARGETBACKEND_H
#define GNN_ANALYSIS_TARGETBACKEND_H

#include "GNN/Analysis/CoreRegisters.h"
#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Runtime/Error.h"
#include "GNN/Transforms/Forms.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace gnn {
struct CompileOptions;
struct StageOptions;
namespace runtime {
class Device;
class Package;
struct LaunchPlan;
} // namespace runtime

/// A request to a kind of target.
struct TargetRequest {
  /// A chip: for a GPU also its name, for a CPU LLVM's name of the processor.
  /// Empty: the backend chooses.
  llvm::StringRef chip;
  /// The vector registers of a core; none: those of the machine.
  std::optional<CoreRegisters> registers;
};

/// A module of kernels and launches, from which a package is made.
struct PackageWork {
  mlir::ModuleOp module;
  const CompileOptions &options;
  StageOptions &stages;
  const runtime::LaunchPlan &plan;
  /// The kernels by the formats that devices accept, such as "ptx".
  std::map<std::string, std::string> &images;
};

/// A backend's own way of compiling.
struct OwnCompilation {
  /// The keywords of CompileOptions.def, and the switches of passes, that apply
  /// to it.
  llvm::ArrayRef<llvm::StringRef> options, switches;
  /// Its pipeline in the syntax of gnn-opt, for reproducers.
  std::string (*printPipeline)(const CompileOptions &options);
};

/// A kind of target, which `#gnn.target` names.
class TargetBackend {
public:
  virtual ~TargetBackend();

  virtual llvm::StringRef getKind() const = 0;

  /// The attribute of a module that is compiled for it. Errors: an unknown
  /// chip.
  virtual llvm::Expected<TargetAttr>
  makeTarget(mlir::MLIRContext *context,
             const TargetRequest &request) const = 0;

  /// The vector registers of a module whose package gets shared objects for
  /// these processors, in the syntax of the option `objects`. Errors:
  /// processors without objects, by default all.
  virtual llvm::Expected<CoreRegisters>
  getRegisters(llvm::StringRef processors) const;

  /// Whether it runs the package of a module for `target`; by default only
  /// those of its own kind.
  virtual bool takes(TargetAttr target) const;

  /// The kind of schedule of a template, with all fields open; by default that
  /// of a GPU.
  virtual tile::ScheduleInterface
  getOpenSchedule(tile::TileOpInterface op) const;

  /// The fields of a kind of schedule of its own, which trained models may
  /// know; by default none.
  virtual llvm::ArrayRef<tile::ScheduleField> getOwnScheduleFields() const;

  /// Adds the passes on a function that choose schedules. The passes for GPUs
  /// complete open fields, but no schedule of another kind.
  virtual void addSchedulePasses(mlir::OpPassManager &function) const;

  /// Adds the passes on a function that lower blocked templates to loops. The
  /// passes for GPUs lower the remaining ones.
  virtual void addLoopPasses(mlir::OpPassManager &function) const;

  /// The form of its kernels: later stages do not run.
  virtual Form getLastForm() const;

  /// Compiles a module in a way of its own, instead of the stages; by default
  /// none. Errors are diagnostics.
  virtual std::optional<
      mlir::FailureOr<std::shared_ptr<const runtime::Package>>>
  compile(mlir::ModuleOp module, const CompileOptions &options) const;

  /// The options of the target's own way of compiling; by default none. Other
  /// options and switches are errors.
  virtual std::optional<OwnCompilation> getOwnCompilation() const;

  /// Makes the images of a package; by default kernels as IR, of the format
  /// "mlir". Errors are diagnostics.
  virtual mlir::LogicalResult addImages(const PackageWork &work) const;

  /// A device that runs them.
  virtual runtime::Expected<std::shared_ptr<runtime::Device>>
  openDevice() const = 0;
};

/// Registers a backend for the whole process. A known kind is ignored, because
/// plugins may be loaded twice.
void registerBackend(std::unique_ptr<TargetBackend> backend);

/// All backends, in order of registration.
llvm::SmallVector<const TargetBackend *> listBackends();

/// The backend of that kind. The error names the existing ones.
llvm::Expected<const TargetBackend *> findBackend(llvm::StringRef kind);

/// The backend of the module around `op`; null if the module states no target,
/// or a kind that is not registered.
const TargetBackend *findBackend(mlir::Operation *op);

/// Writes the kernels of a module, without its host functions.
std::string printKernels(mlir::ModuleOp module);

} // namespace gnn

#endif // GNN_ANALYSIS_TARGETBACKEND_H
