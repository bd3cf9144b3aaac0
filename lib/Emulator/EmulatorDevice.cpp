//===- EmulatorDevice.cpp - The emulator as a device ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses kernels, compiles them for the host, and runs launches to their end.
//
//===----------------------------------------------------------------------===//

#include "GNN/Emulator/EmulatorDevice.h"

#include "GNN/Host/HostCode.h"

#include "llvm/ADT/STLExtras.h"

using namespace gnn;
using namespace gnn::emulator;

namespace {
class EmulatedKernel : public runtime::Kernel {
public:
  EmulatedKernel(std::string name, Emulator &emulator)
      : emulator(emulator), kernelName(std::move(name)),
        signature(*emulator.signature(kernelName)) {}
  const std::string &name() const override { return kernelName; }
  runtime::KernelInfo info() const override {
    runtime::KernelInfo info;
    if (auto known = emulator.find(kernelName))
      info.staticSharedBytes = known->staticSharedBytes;
    std::lock_guard<std::mutex> lock(mutex);
    info.loads = loads;
    return info;
  }
  /// Adds what a launch has loaded of each argument.
  void addLoads(llvm::ArrayRef<int64_t> ofLaunch) const {
    std::lock_guard<std::mutex> lock(mutex);
    loads.resize(ofLaunch.size());
    for (auto [sum, own] : llvm::zip_equal(loads, ofLaunch))
      sum += own;
  }
  const std::vector<runtime::KernelParameter> *parameters() const override {
    return &signature.parameters();
  }
  runtime::Error checkMemory(runtime::ArrayView<int64_t> numbers,
                             runtime::ArrayView<int64_t> bytes) const override {
    return signature.checkMemory(numbers, bytes);
  }

  Emulator &emulator;

private:
  std::string kernelName;
  const runtime::KernelSignature &signature;
  mutable std::mutex mutex;
  mutable std::vector<int64_t> loads;
};

class EmulatedKernels : public runtime::Kernels {
public:
  explicit EmulatedKernels(std::unique_ptr<Emulator> emulator)
      : emulator(std::move(emulator)) {}
  runtime::Expected<const runtime::Kernel *>
  find(const std::string &name) const override {
    std::lock_guard<std::mutex> lock(mutex);
    auto &kernel = kernels[name];
    if (!kernel && !emulator->find(name)) {
      kernels.erase(name);
      return runtime::failure("expected a kernel '", name,
                              "' in the image, got none");
    }
    if (!kernel)
      kernel = std::make_unique<EmulatedKernel>(name, *emulator);
    return static_cast<const runtime::Kernel *>(kernel.get());
  }

private:
  std::unique_ptr<Emulator> emulator;
  mutable std::mutex mutex;
  mutable std::map<std::string, std::unique_ptr<EmulatedKernel>> kernels;
};

class EmulatorDevice : public runtime::HostMemoryDevice {
public:
  explicit EmulatorDevice(DeviceOptions options)
      : options(std::move(options)) {}

  std::string kind() const override { return "emulator"; }
  std::string name() const override { return kind(); }
  std::vector<std::string> kernelFormats() const override { return {"mlir"}; }

  runtime::Expected<std::shared_ptr<const runtime::Kernels>>
  loadKernels(const std::string &format, const std::string &image,
              const std::string &) override;
  runtime::Error launch(const runtime::Kernel &kernel,
                        const runtime::Launch &launch,
                        const runtime::LaunchArguments &arguments,
                        runtime::Stream stream) override;

private:
  DeviceOptions options;
};
} // namespace

runtime::Expected<std::shared_ptr<const runtime::Kernels>>
EmulatorDevice::loadKernels(const std::string &format, const std::string &image,
                            const std::string &) {
  auto kernels = host::parseKernels(format, image);
  if (!kernels)
    return kernels.takeError();
  auto emulator = Emulator::create(*kernels->module, options.kernels);
  if (!emulator)
    return runtime::Error(llvm::toString(emulator.takeError()));
  return std::shared_ptr<const runtime::Kernels>(
      std::make_shared<EmulatedKernels>(std::move(*emulator)));
}

runtime::Error EmulatorDevice::launch(const runtime::Kernel &kernel,
                                      const runtime::Launch &launch,
                                      const runtime::LaunchArguments &arguments,
                                      runtime::Stream) {
  Launch emulated;
  emulated.grid = launch.grid;
  emulated.block = launch.block;
  emulated.dynamicSharedBytes = launch.sharedBytes;
  emulated.arguments = llvm::ArrayRef<void *>(arguments.values, arguments.size);
  emulated.argumentBytes =
      llvm::ArrayRef<int64_t>(arguments.bytes, arguments.size);
  emulated.seed = options.seed;
  if (options.progress)
    emulated.progress = [&](int64_t done, int64_t all) {
      options.progress(kernel.name(), done, all);
      return true;
    };
  auto &launched = static_cast<const EmulatedKernel &>(kernel);
  std::vector<int64_t> loads(options.kernels.checked ? arguments.size : 0);
  emulated.loads = loads;
  if (llvm::Error error = launched.emulator.launch(kernel.name(), emulated))
    return runtime::Error(llvm::toString(std::move(error)));
  launched.addLoads(loads);
  return runtime::Error::success();
}

std::shared_ptr<runtime::Device>
gnn::emulator::createDevice(DeviceOptions options) {
  return std::make_shared<EmulatorDevice>(std::move(options));
}
