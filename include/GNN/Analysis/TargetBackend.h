//===- TargetBackend.h - Interface of kinds of targets ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that the compiler asks of a kind of target stands behind one interface:
// how templates are laid out for it, where the stages end, what a package holds
// for it, and which device runs that. A plugin registers one more.
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
  /// A chip, or what stands for one: of a GPU its name, of a CPU LLVM's name of
  /// the processor. Empty: the backend chooses.
  llvm::StringRef chip;
  /// The vector registers of a core; none: those of the machine.
  std::optional<CoreRegisters> registers;
};

/// A module of kernels and launches, of which a package is made.
struct PackageWork {
  mlir::ModuleOp module;
  const CompileOptions &options;
  StageOptions &stages;
  const runtime::LaunchPlan &plan;
  /// The kernels by the formats that devices take, as "ptx".
  std::map<std::string, std::string> &images;
};

/// A backend's own way of compiling.
struct OwnCompilation {
  /// The keywords of CompileOptions.def, and the switches of passes, that mean
  /// something for it.
  llvm::ArrayRef<llvm::StringRef> options, switches;
  /// Its pipeline as gnn-opt reads it, for reproducers.
  std::string (*printPipeline)(const CompileOptions &options);
};

/// A kind of target, which `#gnn.target` names.
class TargetBackend {
public:
  virtual ~TargetBackend();

  virtual llvm::StringRef getKind() const = 0;

  /// The attribute of a module that is compiled for it. Errors: a chip that it
  /// does not know.
  virtual llvm::Expected<TargetAttr>
  makeTarget(mlir::MLIRContext *context,
             const TargetRequest &request) const = 0;

  /// The vector registers that a module is for whose package gets shared
  /// objects for these processors, as the option `objects` lists them. Errors:
  /// processors that it makes none for, which are all unless it says so.
  virtual llvm::Expected<CoreRegisters>
  getRegisters(llvm::StringRef processors) const;

  /// Whether it runs what a module for `target` becomes; one of its own kind
  /// unless it takes others.
  virtual bool takes(TargetAttr target) const;

  /// The kind of schedule that a template gets, with all fields open; that of a
  /// GPU unless it has its own.
  virtual tile::ScheduleInterface
  getOpenSchedule(tile::TileOpInterface op) const;

  /// Adds the passes on a function that choose schedules. The passes for GPUs
  /// complete what they leave, but no schedule of another kind.
  virtual void addSchedulePasses(mlir::OpPassManager &function) const;

  /// Adds the passes on a function that make loops of blocked templates. The
  /// passes for GPUs lower what they leave.
  virtual void addLoopPasses(mlir::OpPassManager &function) const;

  /// The form that its kernels are kept in: stages behind it do not run.
  virtual Form getLastForm() const;

  /// Compiles a module in a way of its own, in place of the stages; none unless
  /// it does. Errors are diagnostics.
  virtual std::optional<
      mlir::FailureOr<std::shared_ptr<const runtime::Package>>>
  compile(mlir::ModuleOp module, const CompileOptions &options) const;

  /// The options of the target's own way of compiling; none unless it has one.
  /// Other options and switches are errors.
  virtual std::optional<OwnCompilation> getOwnCompilation() const;

  /// Makes the images of a package; kernels as IR, of the format "mlir", unless
  /// it makes others. Errors are diagnostics.
  virtual mlir::LogicalResult addImages(const PackageWork &work) const;

  /// A device that runs them.
  virtual runtime::Expected<std::shared_ptr<runtime::Device>>
  openDevice() const = 0;
};

/// Registers a backend for the whole process. One of a kind that is known is
/// left out: plugins may be loaded twice.
void registerBackend(std::unique_ptr<TargetBackend> backend);

/// All backends, in the order in which they were registered.
llvm::SmallVector<const TargetBackend *> listBackends();

/// The one of that kind. The error names those that there are.
llvm::Expected<const TargetBackend *> findBackend(llvm::StringRef kind);

/// The backend of the module around `op`; null where the module does not say
/// what it is for, or a kind that is not registered.
const TargetBackend *findBackend(mlir::Operation *op);

/// Writes the kernels of a module, without its host functions.
std::string printKernels(mlir::ModuleOp module);

} // namespace gnn

#endif // GNN_ANALYSIS_TARGETBACKEND_H
