//===- ToolMain.h - The main function of a tool -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A static build has one compiler, in libGNN. Tools that travel with it have
// their code there as well, as functions of names of their own, which
// Launcher.c calls.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TOOLS_TOOLMAIN_H
#define GNN_TOOLS_TOOLMAIN_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#ifdef GNN_TOOL_ENTRY
extern "C" int GNN_TOOL_ENTRY(int argc, char **argv);
#define GNN_TOOL_MAIN extern "C" int GNN_TOOL_ENTRY
#else
#define GNN_TOOL_MAIN int main
#endif

namespace gnn::tools {

/// Prints the error of a tool. The status of the process.
inline int fail(const char *tool, const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), tool) << message << "\n";
  return 1;
}

/// The status of a process that ends with `status`, unless standard output
/// could not be written.
inline int finish(const char *tool, int status) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return status;
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error(); // or the process ends by it
  return fail(tool, "cannot write to standard output: " + error.message());
}

} // namespace gnn::tools

#endif // GNN_TOOLS_TOOLMAIN_H
