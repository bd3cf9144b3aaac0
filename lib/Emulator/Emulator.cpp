//===- Emulator.cpp - Launches --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Emulator/Emulator.h"
#include "Compile.h"
#include "Run/Pool.h"

#include "GNN/Runtime/Device.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

using namespace gnn::emulator;
using llvm::createStringError;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

struct Emulator::State {
  ~State();
  Pool &poolHere();

  Program program;
  bool checked = true;
  llvm::StringMap<const CompiledKernel *> kernels;
  unsigned workers = 1;
  /// Made at the first launch in a process; a child leaves its parent's be.
  std::atomic<Pool *> pool{nullptr};
};

Emulator::State::~State() {
  Pool *last = pool;
  if (last && last->isOfThisProcess())
    delete last;
}

Pool &Emulator::State::poolHere() {
  Pool *current = pool;
  if (current && current->isOfThisProcess())
    return *current;
  auto made = std::make_unique<Pool>(workers);
  if (pool.compare_exchange_strong(current, made.get()))
    return *made.release();
  return *current; // Another thread was first.
}

Emulator::Emulator(std::unique_ptr<State> state) : state(std::move(state)) {}
Emulator::~Emulator() = default;

llvm::Expected<std::unique_ptr<Emulator>>
Emulator::create(mlir::ModuleOp module, const Options &options) {
  auto program = compile(module, options.checked);
  if (!program)
    return program.takeError();
  auto state = std::make_unique<State>();
  state->program = std::move(*program);
  state->checked = options.checked;
  for (const CompiledKernel &kernel : state->program.kernels)
    state->kernels[kernel.name] = &kernel;
  state->workers = options.workers
                       ? options.workers
                       : std::max(1u, std::thread::hardware_concurrency());
  return std::unique_ptr<Emulator>(new Emulator(std::move(state)));
}

std::optional<KernelInfo> Emulator::find(StringRef name) const {
  const CompiledKernel *kernel = state->kernels.lookup(name);
  if (!kernel)
    return std::nullopt;
  return KernelInfo{kernel->staticSharedBytes, kernel->privateBytes,
                    kernel->needsFibers};
}

const gnn::runtime::KernelSignature *Emulator::signature(StringRef name) const {
  const CompiledKernel *kernel = state->kernels.lookup(name);
  return kernel ? &kernel->signature : nullptr;
}

/// (x, y, z)
static std::string text(llvm::ArrayRef<int64_t> extents) {
  return ("(" + Twine(extents[0]) + ", " + Twine(extents[1]) + ", " +
          Twine(extents[2]) + ")")
      .str();
}

static Error checkExtents(const CompiledKernel &kernel, const Launch &launch) {
  if (gnn::runtime::Error error = gnn::runtime::checkLaunch(
          {launch.grid, launch.block, launch.dynamicSharedBytes}))
    return createStringError(error.message());
  if (!kernel.knownBlock.empty() &&
      !std::equal(launch.block.begin(), launch.block.end(),
                  kernel.knownBlock.begin()))
    return createStringError("expected the block " + text(kernel.knownBlock) +
                             ", got " + text(launch.block));
  // The shared memory of a block on an H100 or H200.
  constexpr int64_t maxShared = 227 * 1024;
  int64_t shared = kernel.staticSharedBytes + launch.dynamicSharedBytes;
  if (shared > maxShared)
    return createStringError("expected at most " + Twine(maxShared) +
                             " bytes of shared memory, got " + Twine(shared));
  return Error::success();
}

Error Emulator::launch(StringRef name, const Launch &launch) {
  const CompiledKernel *kernel = state->kernels.lookup(name);
  if (!kernel)
    return createStringError("no kernel is called '" + name + "'");
  if (Error error = checkExtents(*kernel, launch))
    return error;
  std::vector<int64_t> bytes = launch.argumentBytes.vec();
  if (bytes.empty())
    bytes.assign(kernel->signature.parameters().size(), -1);
  // Extents that are numbers of the launch are checked where they are used.
  if (gnn::runtime::Error error = kernel->signature.checkArguments(
          {launch.arguments.data(), launch.arguments.size()}, bytes))
    return createStringError(error.message());
  for (int64_t &known : bytes)
    if (known < 0)
      known = std::numeric_limits<int64_t>::max();
  Run run;
  run.frame.kernel = kernel;
  run.frame.grid = launch.grid;
  run.frame.block = launch.block;
  run.frame.dynamicSharedBytes = launch.dynamicSharedBytes;
  run.frame.arguments = const_cast<void **>(launch.arguments.data());
  run.frame.argumentBytes = bytes.data();
  run.frame.checked = state->checked;
  run.frame.seed = launch.seed;
  state->poolHere().launch(run, launch.progress);
  for (auto [sum, own] : llvm::zip(launch.loads, run.loads))
    sum += own;

  if (run.outOfMemory)
    return createStringError("no memory for the threads' stacks");
  if (run.fault.kind != FaultKind::None)
    return createStringError(
        describeFault(run.fault, run.frame, state->program.sites));
  if (run.cancelled)
    return createStringError("the launch was cancelled");
  return Error::success();
}
