//===- CompilerFuzzer.cpp - Feeds text to the compiler --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An input is the text of a module. It is compiled for the emulator: no PTX is
// made, which would test LLVM. A crash that the C API tells of counts as one.

#include "GNN-c/Compiler.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static GnnCompileOptions *options = [] {
    GnnCompileOptions *made = nullptr;
    gnnErrorDestroy(gnnCompileOptionsCreate(&made));
    return made;
  }();
  GnnPackage *package = nullptr;
  GnnError *error = gnnCompile(reinterpret_cast<const char *>(data), size,
                               "input", options, &package);
  std::string message = error ? gnnErrorMessage(error) : "";
  gnnErrorDestroy(error);
  gnnPackageRelease(package);
  if (message.find("the compiler crashed") != std::string::npos ||
      message.find("without a diagnostic") != std::string::npos) {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::abort();
  }
  return 0;
}
