//===- OptionFiles.cpp - Files that options name --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/OptionFiles/OptionFiles.h"

#include "llvm/Support/raw_ostream.h"

using namespace gnn;

runtime::Expected<std::unique_ptr<llvm::MemoryBuffer>>
gnn::readInput(llvm::StringRef path, int64_t maxBytes) {
  bool isStdin = path == "-";
  auto text = runtime::readFile(isStdin ? "/dev/stdin" : path.str(), maxBytes);
  if (!text)
    return text.takeError();
  return llvm::MemoryBuffer::getMemBufferCopy(*text,
                                              isStdin ? "<stdin>" : path);
}

runtime::Error gnn::writeOutput(llvm::StringRef path, llvm::StringRef text) {
  // Printed text comes first where both go to one place.
  llvm::outs().flush();
  return runtime::writeFile(path == "-" ? "/dev/stdout" : path.str(), {text});
}
