//===- CrashTest.cpp - Code generators that crash -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Host/CodeGeneration.h"
#include "GNN/Host/CrashHandlers.h"
#include "GNN/Runtime/ThreadPool.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace mlir;
using namespace gnn;

/// Whether two threads of the pool meet in bodies of one call.
static bool runsInParallel() {
  std::atomic<int> begun{0};
  std::atomic<bool> haveMet{true};
  runtime::runOnThreads(
      2,
      [&](unsigned) {
        ++begun;
        auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (begun < 2 && std::chrono::steady_clock::now() < end)
          std::this_thread::yield();
        if (begun < 2)
          haveMet = false;
      },
      2);
  return haveMet;
}

/// A crash on any thread of the pool is an error, after which the pool works.
TEST(Crash, OfACodeGeneratorIsAnError) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<LLVM::LLVMDialect>();
  auto parse = [&](StringRef value) {
    return parseSourceString<ModuleOp>(
        "llvm.func @f() -> i32 {\n  %0 = " + value.str() +
            "\n  llvm.return %0 : i32\n}",
        &context);
  };
  auto good = parse("llvm.mlir.constant(1 : i32) : i32");
  auto bad = parse( // no instruction of a CPU
      "llvm.call_intrinsic \"llvm.nvvm.read.ptx.sreg.tid.x\"() : () -> i32");
  ASSERT_TRUE(good && bad);
  auto machine = host::describeMachine({});
  ASSERT_TRUE(!!machine);
  CrashHandlers handlers;
  auto generate = [&](ArrayRef<ModuleOp> modules) -> std::string {
    auto made = host::generateCode(modules, *machine, host::Runs::Few, 3);
    return made ? "" : llvm::toString(made.takeError());
  };
  for (int again = 0; again < 10; ++again) {
    std::string error = generate({*good, *bad, *bad, *bad, *good, *bad});
    EXPECT_TRUE(StringRef(error).starts_with("the compiler crashed: Cannot "
                                             "select: "))
        << error;
    ASSERT_TRUE(runsInParallel());
    EXPECT_EQ(generate({*good, *good, *good}), "");
  }
}
