//===- CPUDevice.cpp - Kernels of one thread on the CPU -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/CPUDevice.h"

#include "SharedObject.h"

#include "GNN/Runtime/Processors.h"
#include "GNN/Runtime/ThreadPool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>

using namespace gnn::runtime;

CodeImage::~CodeImage() = default;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The threads of a device that was asked to have so many.
static unsigned countThreads(unsigned asked) {
  return asked ? asked : numThreads();
}

namespace {
class HostKernel : public Kernel {
public:
  explicit HostKernel(const KernelCode &code) : code(code) {}
  const std::string &name() const override { return code.name; }
  KernelInfo info() const override {
    KernelInfo info;
    info.staticSharedBytes = code.sharedBytes;
    info.maxThreadsPerBlock = 1;
    return info;
  }
  const std::vector<KernelParameter> *parameters() const override {
    return &code.signature.parameters();
  }
  Error checkMemory(ArrayView<int64_t> numbers,
                    ArrayView<int64_t> bytes) const override {
    return code.signature.checkMemory(numbers, bytes);
  }

  const KernelCode &code;
  /// The time of a block when it was last measured; -1: it never was.
  mutable std::atomic<int64_t> blockNanoseconds{-1};
};

/// Code is made of kernels when they are expected or found.
class HostKernels : public Kernels {
public:
  HostKernels(std::unique_ptr<CodeImage> image, unsigned threads)
      : image(std::move(image)), threads(threads) {}
  Error expect(const std::vector<std::string> &names) const override {
    return image->prepare(names, countThreads(threads));
  }
  Expected<const Kernel *> find(const std::string &name) const override;

private:
  std::unique_ptr<CodeImage> image;
  const unsigned threads;
  mutable std::mutex mutex;
  mutable std::map<std::string, HostKernel> found;
};

/// Launches are done when they return, so that a point in time is one in the
/// stream.
class TimePoint : public Event {
public:
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

class CPUDevice : public HostMemoryDevice {
public:
  CPUDevice(unsigned threads, KernelCompiler compiler)
      : HostMemoryDevice(Fresh::Anything), threads(threads),
        compiler(compiler) {}

  std::string kind() const override { return "cpu"; }
  std::string name() const override { return kind(); }
  std::vector<std::string> kernelFormats() const override;
  std::string kernelsMadeBy() const override {
    return "gnn-translate --gnn-to-package --target=cpu";
  }
  Expected<std::shared_ptr<const Kernels>>
  loadKernels(const std::string &format, const std::string &image,
              const std::string &) override;
  Error prepare(const Kernel &kernel, const Launch &launch) override;
  Error launch(const Kernel &kernel, const Launch &launch,
               const LaunchArguments &arguments, Stream stream) override;
  bool hasTimer() const override { return true; }
  Expected<std::unique_ptr<Event>> record(Stream) override {
    return std::unique_ptr<Event>(std::make_unique<TimePoint>());
  }
  Expected<double> elapsed(const Event &from, const Event &to) override {
    auto at = [](const Event &event) {
      return static_cast<const TimePoint &>(event).time;
    };
    return std::chrono::duration<double, std::milli>(at(to) - at(from)).count();
  }

private:
  const unsigned threads;
  const KernelCompiler compiler;
};
} // namespace

Expected<const Kernel *> HostKernels::find(const std::string &name) const {
  if (Error error = expect({name}))
    return error;
  const KernelCode *code = image->find(name);
  if (!code)
    return failure("expected a kernel '", name, "' in the image, got none");
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = found.try_emplace(name, *code);
  return static_cast<const Kernel *>(&it->second);
}

/// The best shared object comes first, so that a package gives the same bits
/// with and without a compiler.
std::vector<std::string> CPUDevice::kernelFormats() const {
  std::vector<std::string> formats;
  for (const Processor &processor : listProcessors())
    if (processor.isHere)
      formats.push_back(objectFormat(processor.name));
  if (compiler)
    formats.push_back("mlir");
  return formats;
}

Expected<std::shared_ptr<const Kernels>>
CPUDevice::loadKernels(const std::string &format, const std::string &image,
                       const std::string &) {
  auto load = [&]() -> Expected<std::unique_ptr<CodeImage>> {
    if (compiler && format == "mlir")
      return compiler(image);
    for (const Processor &processor : listProcessors())
      if (format == objectFormat(processor.name) && processor.isHere)
        return loadSharedObject(image, processor.name);
    return failure("expected a shared object for the instructions of this "
                   "processor, got kernels as ",
                   format);
  };
  Expected<std::unique_ptr<CodeImage>> code = load();
  if (!code)
    return code.takeError();
  return std::shared_ptr<const Kernels>(
      std::make_shared<HostKernels>(std::move(*code), threads));
}

Error CPUDevice::prepare(const Kernel &kernel, const Launch &launch) {
  if (Error error = HostMemoryDevice::prepare(kernel, launch))
    return error;
  if (launch.block != std::array<int64_t, 3>{1, 1, 1} || launch.sharedBytes)
    return failure("expected one thread a block on the CPU and no "
                   "dynamic shared memory, got (",
                   launch.block[0], ", ", launch.block[1], ", ",
                   launch.block[2], ") and ", launch.sharedBytes, " bytes");
  return {};
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

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

Error CPUDevice::launch(const Kernel &kernel, const Launch &launch,
                        const LaunchArguments &arguments, Stream) {
  const auto &host = static_cast<const HostKernel &>(kernel);
  const KernelCode &code = host.code;
  if (Error error = prepare(kernel, launch))
    return error;
  if (Error error =
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
  int64_t most = countThreads(threads);
  Worker first(run);
  if (blocks == 1 || most == 1 ||
      (known >= 0 && blocks < worthWaking / std::max<int64_t>(known, 1))) {
    first.take(0, blocks);
    host.blockNanoseconds = first.blockNanoseconds();
    return {};
  }
  // Some pieces a thread: blocks differ in how much they have to do.
  constexpr int64_t piecesOfThread = 16;
  auto workers = static_cast<unsigned>(std::min(most, blocks));
  int64_t piece = std::max<int64_t>(1, blocks / (workers * piecesOfThread));
  std::atomic<int64_t> next{0};
  runOnThreads(
      workers,
      [&](unsigned number) {
        Worker own(run);
        for (int64_t begin = next.fetch_add(piece); begin < blocks;
             begin = next.fetch_add(piece))
          own.take(begin, std::min(begin + piece, blocks));
        if (number == 0 && own.hasRun())
          host.blockNanoseconds = own.blockNanoseconds();
      },
      workers);
  return {};
}

std::shared_ptr<Device> gnn::runtime::createCPUDevice(unsigned threads,
                                                      KernelCompiler compiler) {
  return std::make_shared<CPUDevice>(threads, compiler);
}
