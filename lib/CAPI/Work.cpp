//===- Work.cpp - Work on programs on a thread of its own -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Work.h"

#include "Diagnostics.h"

#include "GNN/Host/CrashHandlers.h"
#include "GNN/InitDialects.h"
#include "GNN/Runtime/Files.h"
#include "GNN/Target/AttachGradients.h"
#include "GNN/Target/ParseProgram.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/SourceMgr.h"

using namespace gnn;
using namespace gnn::capi;
using gnn::runtime::Error;
using gnn::runtime::ErrorKind;

/// The stack of the compiling thread: nested IR is walked recursively.
static constexpr unsigned stackBytes = 256u << 20;

/// Parses a program, gives it the statistics of graphs and says what gradients
/// it is asked for, and goes on with `work`.
static void readProgram(const Request &request, Outcome &outcome, Work work) {
  llvm::StringRef text = request.text, name = request.name;
  llvm::StringRef gradients = request.gradients;
  llvm::ArrayRef<NamedGraph> graphs = request.graphs;
  mlir::DialectRegistry registry;
  registerDialects(registry);
  // A crash on one of several threads could not be caught.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          capi::addLines(diagnostic, name, outcome.diagnostics);
      });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                             llvm::SMLoc());
  auto module = parseProgram(sources, &context);
  if (!module)
    return;
  ErrorKind kind = ErrorKind::Option;
  if (mlir::failed(attachStatistics(*module, graphs, &kind)) ||
      mlir::failed(attachGradients(*module, gradients))) {
    outcome.kind = kind;
    return;
  }
  if (!graphs.empty() || !gradients.empty()) {
    llvm::raw_string_ostream stream(outcome.text);
    module->print(stream);
  }
  work(*module, outcome);
}

/// Writes the text of a reproducer as `gnn-opt --run-reproducer` reads it.
static Error writeReproducer(llvm::StringRef path, llvm::StringRef text,
                             llvm::StringRef pipeline) {
  std::string escaped;
  llvm::raw_string_ostream stream(escaped);
  llvm::printEscapedString(pipeline, stream);
  return runtime::writeFile(path.str(),
                            {text,
                             "\n\n{-#\n  external_resources: {\n"
                             "    mlir_reproducer: {\n      pipeline: \"",
                             escaped,
                             "\",\n      disable_threading: true,\n"
                             "      verify_each: true\n    }\n  }\n#-}\n"})
      .in("reproducer");
}

Error gnn::capi::workOn(const Request &request,
                        std::unique_ptr<Outcome> &outcome, Work work) {
  Error crash;
  {
    CrashHandlers handlers;
    llvm::CrashRecoveryContext().RunSafelyOnThread(
        [&] {
          crash = runSafely([&] { readProgram(request, *outcome, work); });
        },
        stackBytes);
  }
  if (!crash && outcome->isDone)
    return {};
  ErrorKind kind = outcome->kind;
  std::string message, pipeline = outcome->pipeline;
  std::string reproduced =
      outcome->text.empty() ? request.text.str() : outcome->text;
  if (crash) {
    message = crash.in(request.name.str()).message();
    (void)outcome.release(); // what a crash leaves is not touched
  } else {
    message = llvm::join(outcome->diagnostics, "\n");
  }
  if (message.empty())
    message = request.name.str() + ": the compiler failed without a diagnostic";
  if (kind == ErrorKind::Program && !request.reproducer.empty())
    if (Error error = writeReproducer(request.reproducer, reproduced, pipeline))
      message += "\n" + error.message();
  return Error(message, kind);
}
