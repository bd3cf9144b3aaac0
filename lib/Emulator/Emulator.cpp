//===- Emulator.cpp - Launches --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers take blocks in ascending order. After a fault they finish only blocks
// below it, so that the lowest faulty block is always the one told.
//
//===----------------------------------------------------------------------===//

#include "GNN/Emulator/Emulator.h"
#include "Compile.h"
#include "Worker.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

using namespace gnn::emulator;
using llvm::createStringError;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

namespace {
/// A launch as the workers share it.
struct Run {
  LaunchFrame frame;
  int64_t blocks = 0, chunk = 1;
  std::atomic<int64_t> next{0}, done{0};
  /// The lowest faulty block.
  std::atomic<int64_t> faulty{std::numeric_limits<int64_t>::max()};
  std::atomic<bool> outOfMemory{false}, cancelled{false};
  std::mutex mutex;
  Fault fault;
};
} // namespace

struct Emulator::State {
  Program program;
  bool checked = true;
  llvm::StringMap<const CompiledKernel *> kernels;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
  std::vector<ThreadPosition> positions;
  std::array<int64_t, 3> positionsOf = {0, 0, 0};
  std::vector<uint32_t> identity;
  std::mutex launching;

  // The threads wait for a new generation of `run`.
  std::mutex mutex;
  std::condition_variable wake, finished;
  Run *run = nullptr;
  uint64_t generation = 0;
  size_t helpers = 0, running = 0;
  bool stopping = false;

  ~State();
  void serve(size_t worker);
  void runBlocks(Worker &worker, Run &run,
                 const std::function<bool(int64_t, int64_t)> *progress);
  void runAll(Run &run, const std::function<bool(int64_t, int64_t)> &progress);
  void place(const std::array<int64_t, 3> &block);
};

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

Emulator::State::~State() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void Emulator::State::serve(size_t worker) {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return stopping || generation != seen; });
    if (stopping)
      return;
    seen = generation;
    if (worker > helpers)
      continue;
    Run &current = *run;
    lock.unlock();
    runBlocks(*workers[worker], current, nullptr);
    lock.lock();
    if (--running == 0)
      finished.notify_all();
  }
}

void Emulator::State::runBlocks(
    Worker &worker, Run &run,
    const std::function<bool(int64_t, int64_t)> *progress) {
  // Rounding and subnormals as on the GPU, whatever the caller's thread has.
  fenv_t environment;
  std::fegetenv(&environment);
  std::fesetenv(FE_DFL_ENV);
  auto told = std::chrono::steady_clock::now();
  if (!worker.begin(run.frame))
    run.outOfMemory = true;
  while (!run.outOfMemory && !run.cancelled) {
    int64_t begin = run.next.fetch_add(run.chunk);
    int64_t end = std::min(begin + run.chunk, run.blocks);
    if (begin >= run.blocks || begin > run.faulty)
      break;
    for (int64_t block = begin; block < end && block <= run.faulty; ++block) {
      const Fault &fault = worker.run(block);
      if (fault.kind == FaultKind::None)
        continue;
      std::lock_guard<std::mutex> lock(run.mutex);
      if (block < run.faulty) {
        run.faulty = block;
        run.fault = fault;
      }
    }
    run.done += end - begin;
    auto now = std::chrono::steady_clock::now();
    if (progress && now - told > std::chrono::milliseconds(200)) {
      told = now;
      if (!(*progress)(run.done, run.blocks))
        run.cancelled = true;
    }
  }
  std::fesetenv(&environment);
}

void Emulator::State::runAll(
    Run &run, const std::function<bool(int64_t, int64_t)> &progress) {
  size_t count = std::min<int64_t>(workers.size() - 1, run.blocks - 1);
  if (count > 0) {
    std::lock_guard<std::mutex> lock(mutex);
    this->run = &run;
    helpers = running = count;
    ++generation;
  }
  if (count > 0)
    wake.notify_all();
  runBlocks(*workers[0], run, progress ? &progress : nullptr);
  std::unique_lock<std::mutex> lock(mutex);
  finished.wait(lock, [&] { return running == 0; });
}

void Emulator::State::place(const std::array<int64_t, 3> &block) {
  if (block == positionsOf)
    return;
  positionsOf = block;
  positions.clear();
  for (int32_t z = 0; z < block[2]; ++z)
    for (int32_t y = 0; y < block[1]; ++y)
      for (int32_t x = 0; x < block[0]; ++x)
        positions.push_back({x, y, z, 0});
  identity.resize(positions.size());
  std::iota(identity.begin(), identity.end(), 0);
}

//===----------------------------------------------------------------------===//
// Emulator
//===----------------------------------------------------------------------===//

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
  unsigned count = options.workers;
  if (count == 0)
    count = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i)
    state->workers.push_back(std::make_unique<Worker>());
  State *served = state.get();
  for (unsigned i = 1; i < count; ++i)
    state->threads.emplace_back([served, i] { served->serve(i); });
  return std::unique_ptr<Emulator>(new Emulator(std::move(state)));
}

std::optional<KernelInfo> Emulator::find(StringRef name) const {
  const CompiledKernel *kernel = state->kernels.lookup(name);
  if (!kernel)
    return std::nullopt;
  return KernelInfo{kernel->staticSharedBytes, kernel->privateBytes,
                    kernel->arguments.size(), kernel->needsFibers};
}

/// (x, y, z)
static std::string text(llvm::ArrayRef<int64_t> extents) {
  return ("(" + Twine(extents[0]) + ", " + Twine(extents[1]) + ", " +
          Twine(extents[2]) + ")")
      .str();
}

static Error checkExtents(const CompiledKernel &kernel, const Launch &launch) {
  auto fail = [&](const Twine &what) {
    return createStringError("kernel '" + Twine(kernel.name) + "': " + what);
  };
  int64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (launch.grid[i] < 1 || launch.grid[i] >= int64_t(1) << 31)
      return fail("expected a grid of positive 31-bit extents, got " +
                  text(launch.grid));
    if (launch.block[i] < 1 || launch.block[i] > 1024)
      return fail("expected a block of 1 to 1024 threads, got " +
                  text(launch.block));
    threads *= launch.block[i];
  }
  if (threads > 1024)
    return fail("expected a block of 1 to 1024 threads, got " +
                text(launch.block));
  if (!kernel.knownBlock.empty() &&
      !std::equal(launch.block.begin(), launch.block.end(),
                  kernel.knownBlock.begin()))
    return fail("expected the block " + text(kernel.knownBlock) + ", got " +
                text(launch.block));
  // What an H100 or H200 lets a block have.
  constexpr int64_t maxShared = 227 * 1024;
  int64_t shared = kernel.staticSharedBytes + launch.dynamicSharedBytes;
  if (launch.dynamicSharedBytes < 0 || shared > maxShared)
    return fail("expected at most " + Twine(maxShared) +
                " bytes of shared memory, got " + Twine(shared));
  return Error::success();
}

static Error checkArguments(const CompiledKernel &kernel,
                            const Launch &launch) {
  auto fail = [&](const Twine &what) {
    return createStringError("kernel '" + Twine(kernel.name) + "': " + what);
  };
  if (launch.arguments.size() != kernel.arguments.size())
    return fail("expected " + Twine(kernel.arguments.size()) +
                " arguments, got " + Twine(launch.arguments.size()));
  if (!launch.argumentBytes.empty() &&
      launch.argumentBytes.size() != kernel.arguments.size())
    return fail("expected bytes of " + Twine(kernel.arguments.size()) +
                " arguments, got " + Twine(launch.argumentBytes.size()));
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Argument &argument = kernel.arguments[i];
    if (argument.kind != ArgumentKind::Pointer || argument.bytes == 0)
      continue;
    int64_t passed =
        launch.argumentBytes.empty() ? -1 : launch.argumentBytes[i];
    if (passed >= 0 && passed < argument.bytes)
      return fail("argument " + Twine(i) + " expected " +
                  Twine(argument.bytes) + " bytes, got " + Twine(passed));
    uintptr_t address =
        reinterpret_cast<uintptr_t>(*static_cast<void **>(launch.arguments[i]));
    if (address % argument.alignment != 0)
      return fail("argument " + Twine(i) + " expected a multiple of " +
                  Twine(argument.alignment) + " bytes as address, got " +
                  Twine(address % argument.alignment) + " more");
  }
  return Error::success();
}

Error Emulator::launch(StringRef name, const Launch &launch) {
  const CompiledKernel *kernel = state->kernels.lookup(name);
  if (!kernel)
    return createStringError("no kernel is called '" + name + "'");
  if (Error error = checkExtents(*kernel, launch))
    return error;
  if (Error error = checkArguments(*kernel, launch))
    return error;

  std::lock_guard<std::mutex> lock(state->launching);
  state->place(launch.block);
  std::vector<int64_t> bytes(kernel->arguments.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = launch.argumentBytes.empty() ? -1 : launch.argumentBytes[i];
    if (bytes[i] < 0)
      bytes[i] = std::numeric_limits<int64_t>::max();
  }
  Run run;
  run.frame.kernel = kernel;
  run.frame.grid = launch.grid;
  run.frame.block = launch.block;
  run.frame.dynamicSharedBytes = launch.dynamicSharedBytes;
  run.frame.arguments = const_cast<void **>(launch.arguments.data());
  run.frame.argumentBytes = bytes.data();
  run.frame.checked = state->checked;
  run.frame.seed = launch.seed;
  run.frame.positions = state->positions.data();
  run.frame.identity = state->identity.data();
  run.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  int64_t shares = run.blocks / (8 * state->workers.size());
  run.chunk = std::clamp<int64_t>(shares, 1, 64);
  state->runAll(run, launch.progress);

  if (run.outOfMemory)
    return createStringError("kernel '" + name +
                             "': no memory for the threads' stacks");
  if (run.fault.kind != FaultKind::None)
    return createStringError(
        describeFault(run.fault, run.frame, state->program.sites));
  if (run.cancelled)
    return createStringError("kernel '" + name + "' was cancelled");
  return Error::success();
}
