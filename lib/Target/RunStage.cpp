//===- RunStage.cpp - One stage of the compiler ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunStage.h"

#include "GNN/OptionFiles/OptionFiles.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace gnn;

LogicalResult gnn::writePhase(ModuleOp module, StringRef directory,
                              StringRef name, StringRef text) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return module.emitError("cannot write '")
           << path << "': " << error.message();
  if (runtime::Error error = writeOutput(path, text))
    return module.emitError(error.message());
  return success();
}

LogicalResult gnn::writePhase(ModuleOp module, StringRef directory,
                              size_t number, StringRef step) {
  if (directory.empty())
    return success();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return writePhase(module, directory,
                    llvm::formatv("{0}-{1}.mlir", number, step).str(), text);
}

bool gnn::hasPasses(const Stage &stage, const StageOptions &stages) {
  return llvm::any_of(stages.passes.getPoints(), [&](StringRef point) {
    return StagePasses::getStage(point) == stage.name;
  });
}

LogicalResult gnn::runStage(ModuleOp module, const Stage &stage,
                            const StageOptions &stages,
                            StringRef phasesDirectory) {
  PassManager pm(module.getContext());
  stage.build(pm, stages);
  // gnn-opt verifies behind each pass, which takes longer. LLVM verifies what
  // the passes to PTX make.
  bool isVerifiedByPass = hasPasses(stage, stages);
  pm.enableVerifier(isVerifiedByPass);
  if (failed(pm.run(module)))
    return failure();
  if (!isVerifiedByPass && stage.to != Form::Binaries && failed(verify(module)))
    return failure();
  size_t number = &stage - getStages().begin() + 1;
  return writePhase(module, phasesDirectory, number, stage.name);
}
