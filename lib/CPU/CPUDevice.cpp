//===- CPUDevice.cpp - Kernels of one thread on the CPU -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/CPU/CPUDevice.h"

#include "Compile.h"

#include "GNN/Runtime/ThreadPool.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>

using namespace gnn;
using namespace gnn::cpu;

namespace {
class HostKernel : public runtime::Kernel {
public:
  explicit HostKernel(const CompiledKernel &code) : code(code) {}
  const std::string &name() const override { return code.name; }
  runtime::KernelInfo info() const override {
    runtime::KernelInfo info;
    info.staticSharedBytes = code.sharedBytes;
    info.maxThreadsPerBlock = 1;
    return info;
  }
  const std::vector<runtime::KernelParameter> *parameters() const override {
    return &code.signature.parameters();
  }
  runtime::Error checkMemory(runtime::ArrayView<int64_t> numbers,
                             runtime::ArrayView<int64_t> bytes) const override {
    return code.signature.checkMemory(numbers, bytes);
  }

  const CompiledKernel &code;
  /// The time of a block when it was last measured; -1: it never was.
  mutable std::atomic<int64_t> blockNanoseconds{-1};
};

/// Kernels are compiled when they are expected or found.
class HostKernels : public runtime::Kernels {
public:
  HostKernels(std::unique_ptr<Program> program, unsigned threads)
      : program(std::move(program)), threads(threads) {}
  runtime::Error expect(const std::vector<std::string> &names) const override {
    if (llvm::Error error = program->compile(names, threads))
      return runtime::Error(llvm::toString(std::move(error)));
    return {};
  }
  runtime::Expected<const runtime::Kernel *>
  find(const std::string &name) const override;

private:
  std::unique_ptr<Program> program;
  const unsigned threads;
  mutable std::mutex mutex;
  mutable std::map<std::string, HostKernel> found;
};

/// Launches are done when they return, so that a point in time is one in the
/// stream.
class TimePoint : public runtime::Event {
public:
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

class CPUDevice : public runtime::HostMemoryDevice {
public:
  explicit CPUDevice(unsigned threads)
      : HostMemoryDevice(Fresh::Anything), threads(threads) {}

  std::string name() const override { return "cpu"; }
  std::vector<std::string> kernelFormats() const override { return {"mlir"}; }
  runtime::Expected<std::shared_ptr<const runtime::Kernels>>
  loadKernels(const std::string &format, const std::string &image,
              const std::string &) override;
  runtime::Error prepare(const runtime::Kernel &kernel,
                         const runtime::Launch &launch) override;
  runtime::Error launch(const runtime::Kernel &kernel,
                        const runtime::Launch &launch,
                        const runtime::LaunchArguments &arguments,
                        runtime::Stream stream) override;
  bool hasTimer() const override { return true; }
  runtime::Expected<std::unique_ptr<runtime::Event>>
  record(runtime::Stream) override {
    return std::unique_ptr<runtime::Event>(std::make_unique<TimePoint>());
  }
  runtime::Expected<double> elapsed(const runtime::Event &from,
                                    const runtime::Event &to) override {
    auto at = [](const runtime::Event &event) {
      return static_cast<const TimePoint &>(event).time;
    };
    return std::chrono::duration<double, std::milli>(at(to) - at(from)).count();
  }

private:
  std::shared_ptr<runtime::ThreadPool> poolHere();

  const unsigned threads;
  std::mutex mutex;
  std::shared_ptr<runtime::ThreadPool> pool;
};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

runtime::Expected<const runtime::Kernel *>
HostKernels::find(const std::string &name) const {
  if (!program->has(name))
    return runtime::failure("expected a kernel '", name,
                            "' in the image, got none");
  if (runtime::Error error = expect({name}))
    return error;
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = found.try_emplace(name, *program->find(name));
  return static_cast<const runtime::Kernel *>(&it->second);
}

runtime::Expected<std::shared_ptr<const runtime::Kernels>>
CPUDevice::loadKernels(const std::string &format, const std::string &image,
                       const std::string &) {
  auto kernels = host::parseKernels(format, image);
  if (!kernels)
    return kernels.takeError();
  auto program = Program::create(std::move(*kernels));
  if (!program)
    return runtime::Error(llvm::toString(program.takeError()));
  return std::shared_ptr<const runtime::Kernels>(
      std::make_shared<HostKernels>(std::move(*program), threads));
}

runtime::Error CPUDevice::prepare(const runtime::Kernel &kernel,
                                  const runtime::Launch &launch) {
  if (runtime::Error error = HostMemoryDevice::prepare(kernel, launch))
    return error;
  if (launch.block != std::array<int64_t, 3>{1, 1, 1} || launch.sharedBytes)
    return runtime::failure("expected one thread a block on the CPU and no "
                            "dynamic shared memory, got (",
                            launch.block[0], ", ", launch.block[1], ", ",
                            launch.block[2], ") and ", launch.sharedBytes,
                            " bytes");
  return {};
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The pool, made at the first launch, and anew in the child of a fork.
std::shared_ptr<runtime::ThreadPool> CPUDevice::poolHere() {
  std::lock_guard<std::mutex> lock(mutex);
  if (pool && !pool->isOfThisProcess()) // it cannot go
    new std::shared_ptr<runtime::ThreadPool>(std::move(pool));
  if (!pool)
    pool = std::make_shared<runtime::ThreadPool>(
        threads, std::chrono::microseconds(50)); // the next kernel comes soon
  return pool;
}

namespace {
/// Runs blocks on one thread, and says how long one took.
class Worker {
public:
  explicit Worker(const std::function<void(int64_t, int64_t)> &run)
      : run(run) {}
  void take(int64_t begin, int64_t end) {
    run(begin, end);
    blocks += end - begin;
  }
  bool hasRun() const { return blocks > 0; }
  int64_t blockNanoseconds() const {
    std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    return took.count() / blocks;
  }

private:
  const std::function<void(int64_t, int64_t)> &run;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  int64_t blocks = 0;
};
} // namespace

runtime::Error CPUDevice::launch(const runtime::Kernel &kernel,
                                 const runtime::Launch &launch,
                                 const runtime::LaunchArguments &arguments,
                                 runtime::Stream) {
  const auto &host = static_cast<const HostKernel &>(kernel);
  const CompiledKernel &code = host.code;
  if (runtime::Error error = prepare(kernel, launch))
    return error;
  if (runtime::Error error =
          code.signature.checkArguments({arguments.values, arguments.size},
                                        {arguments.bytes, arguments.size}))
    return error;
  int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  std::function<void(int64_t, int64_t)> run = [&](int64_t begin, int64_t end) {
    code.function(arguments.values, launch.grid.data(), begin, end);
  };
  // Threads that are woken for little end after one that works.
  constexpr int64_t worthWaking = 20'000;
  int64_t known = host.blockNanoseconds;
  Worker first(run);
  if (blocks == 1 || threads == 1 ||
      (known >= 0 && blocks < worthWaking / std::max<int64_t>(known, 1))) {
    first.take(0, blocks);
    host.blockNanoseconds = first.blockNanoseconds();
    return {};
  }
  // Some pieces a thread: blocks differ in how much they have to do.
  constexpr int64_t piecesOfThread = 16;
  std::shared_ptr<runtime::ThreadPool> pool = poolHere();
  auto workers = static_cast<unsigned>(std::min<int64_t>(pool->size(), blocks));
  int64_t piece = std::max<int64_t>(1, blocks / (workers * piecesOfThread));
  std::atomic<int64_t> next{0};
  pool->run(workers, [&](unsigned number) {
    Worker own(run);
    for (int64_t begin = next.fetch_add(piece); begin < blocks;
         begin = next.fetch_add(piece))
      own.take(begin, std::min(begin + piece, blocks));
    if (number == 0 && own.hasRun())
      host.blockNanoseconds = own.blockNanoseconds();
  });
  return {};
}

/// The number of threads by OMP_NUM_THREADS, or the number of cores.
static unsigned defaultThreads() {
  if (const char *text = std::getenv("OMP_NUM_THREADS"))
    if (long count = std::strtol(text, nullptr, 10); count >= 1)
      return static_cast<unsigned>(std::min(count, 1024L));
  return std::max(1u, std::thread::hardware_concurrency());
}

std::shared_ptr<runtime::Device> gnn::cpu::createDevice(DeviceOptions options) {
  return std::make_shared<CPUDevice>(options.threads ? options.threads
                                                     : defaultThreads());
}
