//===- Translations.cpp - Programs of the overlay of gnn-translate --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Overlay.h"

#include "GNN/Dialect/Overlay/IR/Overlay.h"
#include "GNN/InitDialects.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace gnn;

static LogicalResult writeProgram(ModuleOp module, llvm::raw_ostream &os) {
  auto programs = llvm::to_vector(module.getOps<overlay::ProgramOp>());
  if (programs.empty())
    return emitError(module.getLoc(), "expected a gnn_overlay.program, as "
                                      "gnn-overlay-pipeline makes it, got none");
  if (programs.size() > 1)
    return emitError(programs[1].getLoc(),
                     "expected one gnn_overlay.program, which is what a file "
                     "holds, got another one behind @")
           << programs[0].getSymName();
  FailureOr<overlay::Program> program = exportOverlayProgram(programs[0]);
  if (failed(program))
    return failure();
  runtime::Expected<std::string> bytes = overlay::write(*program);
  if (!bytes)
    return emitError(module.getLoc(), bytes.message());
  os << *bytes;
  return success();
}

static OwningOpRef<Operation *> readProgram(llvm::SourceMgr &sources,
                                            MLIRContext *context) {
  const llvm::MemoryBuffer *file =
      sources.getMemoryBuffer(sources.getMainFileID());
  context->loadDialect<overlay::OverlayDialect>();
  Location loc =
      FileLineColLoc::get(context, file->getBufferIdentifier(), 0, 0);
  runtime::Expected<overlay::Program> program =
      overlay::read(file->getBuffer().str());
  if (!program) {
    emitError(loc) << program.message();
    return nullptr;
  }
  return importOverlayProgram(*program, "program", loc);
}

void gnn::registerOverlayTranslations() {
  TranslateFromMLIRRegistration(
      "gnn-to-overlay", "a program of the overlay as a .ga file",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return writeProgram(module, os);
      },
      [](DialectRegistry &registry) { registerDialects(registry); });
  TranslateToMLIRRegistration(
      "overlay-to-mlir", "the program in a .ga file, disassembled",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        return readProgram(sources, context);
      });
}
