//===- TimedEmulator.h - The emulator with times ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a GPU are measured without one: the times say nothing, and all
// else is as on a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_TUNE_TIMEDEMULATOR_H
#define GNN_UNITTESTS_TUNE_TIMEDEMULATOR_H

#include "GNN/Emulator/EmulatorDevice.h"

#include "llvm/Support/CrashRecoveryContext.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gnn::tune {

class TimedEmulator : public runtime::Device {
public:
  std::string kind() const override { return inner->kind(); }
  std::string name() const override { return inner->name(); }
  std::vector<std::string> kernelFormats() const override {
    return inner->kernelFormats();
  }
  runtime::Expected<void *> allocate(int64_t bytes) override {
    ++allocations;
    if (isFull)
      return runtime::Error("full");
    return inner->allocate(bytes);
  }
  void free(void *memory) override { inner->free(memory); }
  int64_t bytesBehind(const void *memory) const override {
    return inner->bytesBehind(memory);
  }
  runtime::Error copyToDevice(void *to, const void *from,
                              int64_t bytes) override {
    return inner->copyToDevice(to, from, bytes);
  }
  runtime::Error copyToHost(void *to, const void *from,
                            int64_t bytes) override {
    return inner->copyToHost(to, from, bytes);
  }
  runtime::Error fill(void *memory, uint8_t value, int64_t bytes) override {
    return inner->fill(memory, value, bytes);
  }
  runtime::Error copyOnDevice(void *to, const void *from, int64_t bytes,
                              runtime::Stream stream) override {
    return inner->copyOnDevice(to, from, bytes, stream);
  }
  runtime::Error fillInStream(void *memory, uint8_t value, int64_t bytes,
                              runtime::Stream stream) override {
    return inner->fillInStream(memory, value, bytes, stream);
  }
  runtime::Expected<std::shared_ptr<const runtime::Kernels>>
  loadKernels(const std::string &format, const std::string &image,
              const std::string &chip) override {
    // A crash in here would leave locks held.
    guardedLoads += llvm::CrashRecoveryContext::GetCurrent() != nullptr;
    auto made = inner->loadKernels(format, image, chip);
    std::lock_guard<std::mutex> lock(mutex); // threads bind
    if (made)
      loaded.push_back(*made);
    return made;
  }
  runtime::Error prepare(const runtime::Kernel &kernel,
                         const runtime::Launch &launch) override {
    return inner->prepare(kernel, launch);
  }
  runtime::Error launch(const runtime::Kernel &kernel,
                        const runtime::Launch &launch,
                        const runtime::LaunchArguments &arguments,
                        runtime::Stream stream) override {
    if (runtime::Error error = hold())
      return error;
    if (runtime::Error error = fail())
      return error;
    for (const auto &one : loaded)
      if (auto kernels = one.lock())
        if (auto found = kernels->find(kernel.name());
            found && *found == &kernel)
          launched.push_back(one);
    return inner->launch(kernel, launch, arguments, stream);
  }
  runtime::Error synchronize(runtime::Stream stream) override {
    return isDead ? runtime::Error("dead") : inner->synchronize(stream);
  }

  bool hasTimer() const override { return true; }
  runtime::Expected<std::unique_ptr<runtime::Event>>
  record(runtime::Stream) override {
    ++records;
    return std::make_unique<Instant>();
  }
  runtime::Expected<double> elapsed(const runtime::Event &from,
                                    const runtime::Event &to) override {
    if (milliseconds > 0)
      return milliseconds;
    return std::chrono::duration<double, std::milli>(
               static_cast<const Instant &>(to).time -
               static_cast<const Instant &>(from).time)
        .count();
  }
  /// Works once, as a capture does, and counts.
  runtime::Expected<std::unique_ptr<runtime::Replay>> makeReplay(
      const std::function<runtime::Error(runtime::Stream)> &work) override {
    if (++replays == refused) {
      isDead = isFatal;
      return runtime::Error("planted");
    }
    launched.clear();
    if (runtime::Error error = work(nullptr))
      return error;
    return std::make_unique<Captured>(*this, launched);
  }

  /// Begins a measurement whose counters are at 0, with nothing that fails.
  void restart() {
    records = replays = runs = refused = launches = 0;
    failing = -1;
  }

  /// All times, where it is above 0.
  double milliseconds = 0;
  /// The events so far, and after how many of them the next launch fails.
  int records = 0, failing = -1;
  /// The allocations so far, and whether the next one fails.
  int allocations = 0;
  bool isFull = false;
  /// The launches so far, and the one that takes as long as `isHeld`, and whose
  /// error is then this.
  std::atomic<int> launches{0};
  int held = 0;
  std::atomic<bool> isHeld{true};
  std::string errorOfHeld;
  /// The replays that were made, their runs, and the one that is refused.
  int replays = 0, runs = 0, refused = 0;
  /// Loads of kernels that crashes would jump out of.
  std::atomic<int> guardedLoads{0};
  /// Launches of replays whose kernels were unloaded first.
  int dangling = 0;
  /// Whether the device dies of what fails.
  bool isFatal = false, isDead = false;

private:
  runtime::Error hold() {
    if (++launches != held)
      return {};
    while (isHeld)
      std::this_thread::yield();
    return errorOfHeld.empty() ? runtime::Error() : runtime::Error(errorOfHeld);
  }

  /// The planted error of a launch.
  runtime::Error fail() {
    if (isDead)
      return runtime::Error("dead");
    if (records != failing)
      return {};
    failing = -1;
    isDead = isFatal;
    return runtime::Error("planted");
  }

  using Loaded = std::vector<std::weak_ptr<const runtime::Kernels>>;
  /// The launches of a replay, whose kernels have to be loaded as long as it
  /// lives.
  struct Captured : runtime::Replay {
    Captured(TimedEmulator &device, Loaded launched)
        : device(device), launched(std::move(launched)) {}
    ~Captured() override {
      for (const auto &one : launched)
        device.dangling += one.expired();
    }
    runtime::Error run(runtime::Stream) const override {
      ++device.runs;
      return device.fail();
    }
    TimedEmulator &device;
    Loaded launched;
  };
  struct Instant : runtime::Event {
    std::chrono::steady_clock::time_point time =
        std::chrono::steady_clock::now();
  };

  /// All kernels, and those of the last launches.
  Loaded loaded, launched;
  std::mutex mutex;
  std::shared_ptr<runtime::Device> inner = emulator::createDevice({});
};

} // namespace gnn::tune

#endif // GNN_UNITTESTS_TUNE_TIMEDEMULATOR_H
