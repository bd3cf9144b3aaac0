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

#ifdef GNN_TOOL_ENTRY
extern "C" int GNN_TOOL_ENTRY(int argc, char **argv);
#define GNN_TOOL_MAIN extern "C" int GNN_TOOL_ENTRY
#else
#define GNN_TOOL_MAIN int main
#endif

#endif // GNN_TOOLS_TOOLMAIN_H
