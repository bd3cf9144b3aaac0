//===- Targets.h - Targets of kernels ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module states its target in `gnn.target`. The GPUs that are known by name
// are in Targets.def, the rates of kernels on them in Kernels.def, the chips of
// the backend in Chips.def.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_TARGETS_H
#define GNN_ANALYSIS_TARGETS_H

#include "GNN/Analysis/CoreRegisters.h"
#include "GNN/Dialect/GNN/IR/Target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gnn {

/// The source of a figure; Targets.def has details.
enum class FigureSource { Measured, Raced, Datasheet, Derived };

/// A target that is known by name.
struct KnownTarget {
  llvm::StringRef name;
  llvm::StringRef title;
  /// Its name by the driver.
  llvm::StringRef device;
  /// The chip that kernels are compiled for, such as "sm_90"; "cpu" for cores.
  llvm::StringRef chip;
  TargetFigures figures;
  /// The source of each figure, by its field.
  llvm::SmallVector<std::pair<llvm::StringRef, FigureSource>, 0> sources;
};

/// All targets of Targets.def.
llvm::ArrayRef<KnownTarget> getKnownTargets();
/// The target of that name; null if it is unknown.
const KnownTarget *findTarget(llvm::StringRef name);
/// The default figures of a target of `kind`: those of the cores of Targets.def
/// for a CPU, else those of its first GPU.
const KnownTarget &getStandIn(llvm::StringRef kind);
/// The figures of a known target, by its name.
const TargetFigures &getFigures(llvm::StringRef name);

/// The smallest unit in which the memory of a GPU and its L2 read or write: a
/// sector.
inline constexpr int64_t sectorBytes = 32;

/// The figures of this compiler's kernels that all targets share.
struct KernelConstants {
#define GNN_KERNELS(target)
#define GNN_FIGURE(figure, value, source)
#define GNN_KERNELS_END
#define GNN_CONSTANT(name, value) static constexpr double name = value;
#include "GNN/Analysis/Kernels.def"
};

/// A GPU by its name, its chip, or its driver's description
/// (runtime::Device::describeGPU): the first of several of a chip; without any,
/// the first of all. A chip without a known GPU has the figures of that one,
/// and no name; a description of an unknown GPU has figures that follow from
/// it. Errors: neither a name nor a chip for which kernels can be made.
llvm::Expected<TargetAttr> makeGPUTarget(mlir::MLIRContext *context,
                                         llvm::StringRef kind,
                                         llvm::StringRef gpu);

/// The cores of a CPU, by LLVM's name of the processor; "" stands for a CPU
/// with such registers. Errors: vectors of other lengths than 1, 2, 4, 8 or 16
/// elements, and fewer than 8 vector registers.
llvm::Expected<TargetAttr> makeCPUTarget(mlir::MLIRContext *context,
                                         llvm::StringRef processor,
                                         CoreRegisters registers);

/// Fails in the same cases as `makeGPUTarget`.
llvm::Error checkGPU(llvm::StringRef gpu);

/// Its name for people: "NVIDIA H200 SXM", else its name by the driver, its
/// chip or its kind.
std::string describeTarget(TargetAttr target);

/// The reason why a module for `known` is not one for `other`: "expected cuda,
/// NVIDIA H200 SXM, which the module is for, got cpu".
std::string explainMismatch(TargetAttr known, TargetAttr other);

/// The figures of the target of the module around `op`; by default, those of
/// the first GPU of Targets.def.
TargetFigures getFigures(mlir::Operation *op);
TargetAbilities getAbilities(mlir::Operation *op);
llvm::StringRef getChip(mlir::Operation *op);
/// The registers of a core; the defaults if it is null or states none.
CoreRegisters getCoreRegisters(TargetAttr target);
CoreRegisters getCoreRegisters(mlir::Operation *op);

/// The kind of target whose blocks are run by one thread each.
inline constexpr llvm::StringLiteral cpuKind = "cpu";

/// Sets the target of `module`. An error if it has another one.
mlir::LogicalResult attachTarget(mlir::ModuleOp module, TargetAttr target);

/// Fails if no kernels can be made for `chip`, or not with the PTX version in
/// `features`, such as "+ptx80".
llvm::Error checkChip(llvm::StringRef chip, llvm::StringRef features = "");

/// The PTX version, times 10, in `features`, or the oldest that `chip` accepts;
/// 0 for an unknown chip.
unsigned getPTXVersion(llvm::StringRef chip, llvm::StringRef features = "");

/// The first PTX version, times 10, whose loads have cache policies.
inline constexpr unsigned cachePolicyPTX = 74;

/// An option that names a GPU or a chip, or none.
class ChipParser : public llvm::cl::parser<std::string> {
public:
  using parser::parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::string &value);
};

} // namespace gnn

#endif // GNN_ANALYSIS_TARGETS_H
