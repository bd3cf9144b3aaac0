//===- Translations.cpp - Outputs of gnn-translate ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Translations.h"

#include "GNN/Target/Backends.h"
#include "GNN/Target/Compile.h"
#include "GNN/Target/Dot.h"
#include "GNN/Target/Overlay.h"

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/CPU/Processor.h"
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
  CompileFlags flags{getTranslationOptions(), "translate", CompileOptions()};

  /// Errors: flags that do not go together.
  FailureOr<CompileOptions> get(ModuleOp module) const {
    CompileOptions options = *flags;
    TargetAttr known = findTarget(module);
    if (options.target.empty())
      options.target =
          known && options.chip.empty() ? known.getKind().str() : "cuda";
    bool isGPU = options.target == "cuda";
    // An error of the command line has no place in the file.
    auto emitError = [&](const llvm::Twine &message) {
      return mlir::emitError(UnknownLoc::get(module.getContext()), message);
    };
    registerBackends();
    if (auto backend = findBackend(options.target); !backend)
      return emitError("--target: ") << llvm::toString(backend.takeError());
    for (StringRef ofPtx :
         {"chip", "features", "cubin", "opt-level", "line-info"})
      if (!isGPU && flags.isGiven(ofPtx))
        return emitError("--" + ofPtx +
                         ": expected --target=cuda, which makes PTX, got "
                         "--target=")
               << options.target;
    if (llvm::Error error = flags.checkPaths())
      return emitError(llvm::toString(std::move(error)));
    if (options.target == cpuKind && !flags.isGiven("objects"))
      options.objects = cpu::getCommonProcessors();
    if (!isGPU && !options.keepIR && options.objects.empty())
      return emitError("expected the kernels' IR for --target=")
             << options.target << ", got --keep-ir=false";
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
  options.keepIR = true; // without PTX, a package needs an image
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
      [](ModuleOp module, llvm::raw_ostream &os) -> LogicalResult {
        if (StringRef given = flags.flags.findGiven(); !given.empty())
          return mlir::emitError(UnknownLoc::get(module.getContext()), "--")
                 << given
                 << ": expected no such option with --gnn-to-dot, "
                    "which compiles nothing";
        printDot(module, os);
        return success();
      },
      dialects);
  registerOverlayTranslations();
}
