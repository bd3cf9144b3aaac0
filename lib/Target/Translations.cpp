//===- Translations.cpp - What gnn-translate can write --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Translations.h"

#include "GNN/Target/Compile.h"
#include "GNN/Target/Dot.h"

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
  llvm::cl::opt<std::string> chip{
      "chip", llvm::cl::desc("GPU to make kernels for"),
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
      llvm::cl::desc("Switches of passes, cost and target, as \"fuse=false\""),
      llvm::cl::init(""), llvm::cl::cat(getTranslationOptions())};
  llvm::cl::opt<std::string> phases{
      "phases", llvm::cl::desc("Write the IR after each stage to this folder"),
      llvm::cl::init(""), llvm::cl::cat(getTranslationOptions())};

  CompileOptions get() const {
    CompileOptions options;
    options.chip = chip;
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

static LogicalResult writePTX(ModuleOp module, const CompileOptions &options,
                              llvm::raw_ostream &os) {
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

static LogicalResult writePlan(ModuleOp module, CompileOptions options,
                               llvm::raw_ostream &os) {
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
        return writePTX(module, flags.get(), os);
      },
      dialects);
  TranslateFromMLIRRegistration(
      "gnn-to-package", "launch plan and kernels in a package",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return writePackage(module, flags.get(), os);
      },
      dialects);
  TranslateFromMLIRRegistration(
      "gnn-to-plan", "the launch plan alone, as JSON",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return writePlan(module, flags.get(), os);
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
