//===- Translations.cpp - What gnn-translate can write --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Translations.h"

#include "GNN/Target/Backends.h"
#include "GNN/Target/Compile.h"
#include "GNN/Target/Dot.h"

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/InitDialects.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace gnn;

llvm::cl::OptionCategory &gnn::getTranslationOptions() {
  // Categories are shown in the order of their names: before "General options".
  static llvm::cl::OptionCategory category("Compiling options");
  return category;
}

namespace {

/// The flags of the translations that compile.
struct Flags {
  llvm::cl::opt<std::string> target{
      "target",
      llvm::cl::desc("What runs the kernels: cuda, for which a package has PTX "
                     "and their IR for the emulator, or cpu or emulator, for "
                     "which it has their IR alone"),
      llvm::cl::init("cuda"), llvm::cl::cat(getTranslationOptions())};
  llvm::cl::opt<std::string> chip{
      "chip",
      llvm::cl::desc("GPU to make kernels for, by its name or its chip"),
      llvm::cl::init("sm_90"), llvm::cl::cat(getTranslationOptions())};
  llvm::cl::opt<std::string> features{
      "features", llvm::cl::desc("PTX version as a feature, such as +ptx80"),
      llvm::cl::init(""), llvm::cl::cat(getTranslationOptions())};
  llvm::cl::opt<unsigned> optLevel{
      "opt-level", llvm::cl::desc("LLVM optimization level, 0 to 3"),
      llvm::cl::init(3), llvm::cl::cat(getTranslationOptions())};
  llvm::cl::opt<bool> lineInfo{
      "line-info",
      llvm::cl::desc("Say in PTX which line of the model each instruction "
                     "comes from"),
      llvm::cl::init(true), llvm::cl::cat(getTranslationOptions())};
  llvm::cl::opt<bool> cubin{
      "cubin", llvm::cl::desc("Put a cubin into the package too (ptxas)"),
      llvm::cl::init(false), llvm::cl::cat(getTranslationOptions())};
  llvm::cl::opt<bool> emulated{
      "emulated", llvm::cl::desc("Keep the kernels' IR for the emulator"),
      llvm::cl::init(true), llvm::cl::cat(getTranslationOptions())};
  llvm::cl::opt<std::string> passes{
      "passes",
      llvm::cl::desc("Switches of passes, and cost, as \"fuse=false\""),
      llvm::cl::init(""), llvm::cl::cat(getTranslationOptions())};
  llvm::cl::opt<std::string> phases{
      "phases", llvm::cl::desc("Write the IR after each stage to this folder"),
      llvm::cl::init(""), llvm::cl::cat(getTranslationOptions())};

  /// Errors: flags that do not go together.
  FailureOr<CompileOptions> get(ModuleOp module) const {
    CompileOptions options;
    bool isGPU = target == "cuda";
    // An error of the command line has no place in the file.
    auto emitError = [&](const llvm::Twine &message) {
      return mlir::emitError(UnknownLoc::get(module.getContext()), message);
    };
    registerBackends();
    if (auto backend = findBackend(target); !backend)
      return emitError("--target: ") << llvm::toString(backend.takeError());
    if (!isGPU &&
        (chip.getNumOccurrences() || features.getNumOccurrences() || cubin))
      return emitError("expected --chip, --features and --cubin with "
                       "--target=cuda alone, which makes PTX; got --target=")
             << target;
    if (!isGPU && !emulated)
      return emitError("expected the kernels' IR for --target=")
             << target << ", got --emulated=false";
    options.target = target;
    options.chip = isGPU ? chip.getValue() : "";
    options.features = features;
    options.optLevel = optLevel;
    options.lineInfo = lineInfo;
    options.cubin = cubin;
    options.emulated = emulated;
    options.passes = passes;
    options.phasesDirectory = phases;
    return options;
  }
};

} // namespace

static LogicalResult
compileBy(const Flags &flags, ModuleOp module, llvm::raw_ostream &os,
          LogicalResult (*write)(ModuleOp, const CompileOptions &,
                                 llvm::raw_ostream &)) {
  FailureOr<CompileOptions> options = flags.get(module);
  return failed(options) ? failure() : write(module, *options, os);
}

static LogicalResult writePTX(ModuleOp module, const CompileOptions &options,
                              llvm::raw_ostream &os) {
  if (options.target != "cuda")
    return mlir::emitError(UnknownLoc::get(module.getContext()),
                           "expected --target=cuda, whose kernels are PTX");
  FailureOr<std::string> ptx = compileToPTX(module, options);
  if (failed(ptx))
    return failure();
  os << *ptx;
  return success();
}

static LogicalResult writePackage(ModuleOp module,
                                  const CompileOptions &options,
                                  llvm::raw_ostream &os) {
  auto package = compileToPackage(module, options);
  if (failed(package))
    return failure();
  runtime::Expected<std::string> bytes = (*package)->bytes();
  if (!bytes)
    return module.emitError(bytes.message());
  os << *bytes;
  return success();
}

static LogicalResult writePlan(ModuleOp module, const CompileOptions &given,
                               llvm::raw_ostream &os) {
  CompileOptions options = given;
  options.emulated = true; // without PTX, a package needs an image
  auto package = compileToPackage(module, options);
  if (failed(package))
    return failure();
  os << (*package)->plan().json() << "\n";
  return success();
}

void gnn::registerTranslations() {
  static Flags flags;
  auto dialects = [](DialectRegistry &registry) { registerDialects(registry); };
  TranslateFromMLIRRegistration(
      "gnn-to-ptx", "PTX of all kernels",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return compileBy(flags, module, os, writePTX);
      },
      dialects);
  TranslateFromMLIRRegistration(
      "gnn-to-package", "launch plan and kernels in a package",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return compileBy(flags, module, os, writePackage);
      },
      dialects);
  TranslateFromMLIRRegistration(
      "gnn-to-plan", "the launch plan alone, as JSON",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return compileBy(flags, module, os, writePlan);
      },
      dialects);
  TranslateFromMLIRRegistration(
      "gnn-to-dot", "graph-level dataflow for Graphviz",
      [](ModuleOp module, llvm::raw_ostream &os) {
        printDot(module, os);
        return success();
      },
      dialects);
}
