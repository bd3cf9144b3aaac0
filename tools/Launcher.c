/*===- Launcher.c - A tool whose code is in libGNN ------------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

int GNN_TOOL_ENTRY(int argc, char **argv);

int main(int argc, char **argv) { return GNN_TOOL_ENTRY(argc, argv); }
