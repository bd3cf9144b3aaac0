//===- ParseProgram.cpp - Programs that users write -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/ParseProgram.h"

#include "GNN/Runtime/Nesting.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

/// Levels of nesting that the stack of a process is enough for.
static constexpr int maxNesting = 1000;

OwningOpRef<ModuleOp> gnn::parseProgram(llvm::SourceMgr &sources,
                                        MLIRContext *context) {
  llvm::MemoryBufferRef file =
      *sources.getMemoryBuffer(sources.getMainFileID());
  std::optional<runtime::TextPlace> place;
  if (!isBytecode(file)) // whose bytes are no brackets
    place = runtime::findDeepNesting(file.getBuffer(), maxNesting,
                                     runtime::Syntax::Text);
  if (place) {
    emitError(FileLineColLoc::get(context, file.getBufferIdentifier(),
                                  place->line, place->column))
        << "expected at most " << maxNesting << " levels of nesting";
    return nullptr;
  }
  return parseSourceFile<ModuleOp>(sources, context);
}
