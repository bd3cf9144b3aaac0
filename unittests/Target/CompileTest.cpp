//===- CompileTest.cpp - The compiler as a function -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Compile.h"

#include "GNN/InitDialects.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <chrono>
#include <ctime>

using namespace mlir;
using namespace gnn;

namespace {
/// The effort of compiling something once.
struct Times {
  double wall, cpu; // milliseconds
};
} // namespace

static CompileOptions forChip() {
  CompileOptions options;
  options.chip = "sm_90";
  return options;
}

/// Compiles text to PTX, from the parser on; the dialects' registration is not
/// of it. One thread, so that the processor's time is what a quiet machine
/// takes.
static Times compileOnce(StringRef text) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto wall = std::chrono::steady_clock::now();
  std::clock_t cpu = std::clock();
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  FailureOr<std::string> ptx = compileToPTX(*module, forChip());
  EXPECT_TRUE(succeeded(ptx));
  EXPECT_NE(ptx->find(".entry rgat_"), std::string::npos);
  std::chrono::duration<double, std::milli> passed =
      std::chrono::steady_clock::now() - wall;
  return {passed.count(), 1e3 * (std::clock() - cpu) / CLOCKS_PER_SEC};
}

/// RGAT, one and two layers, is compiled in under a second.
TEST(Compile, TimeOfRGAT) {
  for (const char *name : {"rgat", "rgat-two-layers"}) {
    auto file = llvm::MemoryBuffer::getFile(std::string(GNN_EXAMPLES) + "/" +
                                            name + ".mlir");
    ASSERT_TRUE(file);
    Times best = compileOnce((*file)->getBuffer());
    for (int i = 0; i < 2; ++i) {
      Times times = compileOnce((*file)->getBuffer());
      best.wall = std::min(best.wall, times.wall);
      best.cpu = std::min(best.cpu, times.cpu);
    }
    std::printf("%s: text to PTX in %.0f ms, %.0f ms of one processor\n", name,
                best.wall, best.cpu);
    EXPECT_LT(best.cpu, 1000);
  }
}
