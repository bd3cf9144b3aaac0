//===- CUDADevice.cpp - The CUDA device -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDA/CUDADevice.h"

#include "CUDA/Chips.h"

#include "CUDA/CUDACapture.h"
#include "CUDA/ContextScope.h"
#include "CUDA/MemoryCache.h"
#include "CUDA/ProcessorCache.h"
#include "CUDA/PtxEntries.h"
#include "CUDA/Staging.h"
#include "Guarded.h"

#include "GNN/Runtime/CUDA.h"
#include "GNN/Runtime/Nesting.h"

#include <algorithm>
#include <map>
#include <mutex>

using namespace gnn::runtime;
using namespace gnn::runtime::cuda;

namespace {
class CudaDevice;

struct CudaKernel : Kernel {
  const std::string &name() const override { return kernelName; }
  KernelInfo info() const override {
    std::lock_guard<std::mutex> lock(mutex);
    return kernelInfo;
  }
  const std::vector<KernelParameter> *parameters() const override {
    return list ? &*list : nullptr;
  }

  std::string kernelName;
  std::optional<std::vector<KernelParameter>> list; ///< of PTX
  Function function = nullptr;
  mutable KernelInfo kernelInfo;
  /// Dynamic shared bytes the driver was told to allow.
  mutable std::mutex mutex;
  mutable int64_t allowedSharedBytes = 0;
};

/// Where the kernels of PTX stand alone, those that somebody asks for are
/// loaded, by several threads: the driver compiles them then.
class CudaKernels : public Kernels {
public:
  CudaKernels(std::shared_ptr<CudaDevice> device, Module whole)
      : device(std::move(device)), whole(whole) {}
  CudaKernels(std::shared_ptr<CudaDevice> device, PtxEntries entries);
  ~CudaKernels() override;
  Expected<const Kernel *> find(const std::string &name) const override;
  Error expect(const std::vector<std::string> &names) const override;

private:
  std::shared_ptr<CudaDevice> device;
  Module whole = nullptr;
  mutable std::mutex mutex;
  mutable std::optional<PtxModules> modules; ///< in place of `whole`
  mutable std::map<std::string, CudaKernel> kernels;
};

struct CudaEvent : Event {
  CudaEvent(std::shared_ptr<CudaDevice> device, DriverEvent event)
      : device(std::move(device)), event(event) {}
  ~CudaEvent() override;

  std::shared_ptr<CudaDevice> device;
  DriverEvent event;
};

class CudaDevice : public Device,
                   public std::enable_shared_from_this<CudaDevice> {
public:
  static Expected<std::shared_ptr<Device>>
  open(std::shared_ptr<const Driver> driver, int ordinal);
  ~CudaDevice() override;

  std::string kind() const override { return "cuda"; }
  std::string name() const override { return deviceName; }
  std::optional<int64_t> rankChip(const std::string &chip) const override {
    return cuda::rankChip(chip, major, minor);
  }
  std::string describeGPU() const override { return description; }
  std::vector<std::string> kernelFormats() const override {
    return {"cubin", "ptx"};
  }
  Expected<void *> allocate(int64_t bytes) override;
  void free(void *memory) override;
  Error copyToDevice(void *to, const void *from, int64_t bytes) override;
  Error copyInStream(void *to, const void *from, int64_t bytes,
                     Stream stream) override;
  Error copyOnDevice(void *to, const void *from, int64_t bytes,
                     Stream stream) override;
  Error fillInStream(void *memory, uint8_t value, int64_t bytes,
                     Stream stream) override;
  Error startCopy(void *to, const void *from, int64_t bytes) override;
  Error finishCopies() override;
  Error copyToHost(void *to, const void *from, int64_t bytes) override;
  Error fill(void *memory, uint8_t value, int64_t bytes) override;
  Expected<std::shared_ptr<const Kernels>>
  loadKernels(const std::string &format, const std::string &image,
              const std::string &chip) override;
  Expected<Module> loadModule(const std::string &image) const;
  Error prepare(const Kernel &kernel, const Launch &launch) override;
  Error launch(const Kernel &kernel, const Launch &launch,
               const LaunchArguments &arguments, Stream stream) override;
  Expected<std::unique_ptr<Capture>> capture(Stream stream) override;
  Expected<std::unique_ptr<Replay>>
  makeReplay(const std::function<Error(Stream)> &work) override {
    return captureReplay(shared_from_this(), *driver, context, work);
  }
  Error synchronize(Stream stream) override;
  bool hasTimer() const override { return true; }
  Expected<std::unique_ptr<Event>> record(Stream stream) override;
  Expected<double> elapsed(const Event &from, const Event &to) override;

  std::shared_ptr<const Driver> driver;
  Context context = nullptr;

private:
  explicit CudaDevice(std::shared_ptr<const Driver> driver)
      : driver(std::move(driver)), memory(*this->driver),
        staging(*this->driver) {}

  /// Runs `body` with the context current.
  template <typename Body> Error within(Body body) const {
    ContextScope scope(*driver, context);
    if (scope.error)
      return scope.error;
    return body();
  }

  /// Copies or fills by a function of the driver of that name, which is given
  /// the bytes, where there are any.
  template <typename Call>
  Error transfer(int64_t bytes, const char *name, Call call) const {
    if (bytes <= 0)
      return {};
    return within(
        [&] { return driver->check(call(static_cast<size_t>(bytes)), name); });
  }

  DeviceOrdinal device = 0;
  bool retained = false;
  std::string deviceName, description;
  int major = 0, minor = 0, maxSharedBytes = 0;
  ProcessorCache cache;
  MemoryCache memory;
  Staging staging;
};

DevicePointer addressOf(const void *pointer) {
  return static_cast<DevicePointer>(reinterpret_cast<uintptr_t>(pointer));
}

DriverStream toDriver(Stream stream) {
  return static_cast<DriverStream>(stream);
}
} // namespace

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<Device>>
CudaDevice::open(std::shared_ptr<const Driver> driver, int ordinal) {
  int count = 0;
  if (Error error =
          driver->check(driver->deviceGetCount(&count), "cuDeviceGetCount"))
    return error;
  if (ordinal < 0 || ordinal >= count)
    return failure("expected a GPU from 0 to under ", count, ", got ", ordinal);
  std::shared_ptr<CudaDevice> result(new CudaDevice(driver));
  if (Error error = driver->check(driver->deviceGet(&result->device, ordinal),
                                  "cuDeviceGet"))
    return error;
  char text[256] = "";
  if (Error error = driver->check(
          driver->deviceGetName(text, sizeof text - 1, result->device),
          "cuDeviceGetName"))
    return error;
  for (auto [attribute, value] :
       {std::make_pair(kComputeCapabilityMajor, &result->major),
        std::make_pair(kComputeCapabilityMinor, &result->minor),
        std::make_pair(kMaxSharedBytesPerBlock, &result->maxSharedBytes)})
    if (Error error = driver->check(
            driver->deviceGetAttribute(value, attribute, result->device),
            "cuDeviceGetAttribute"))
      return error;
  if (Error error = result->cache.read(*driver, result->device))
    return error;
  if (Error error = driver->check(
          driver->primaryCtxRetain(&result->context, result->device),
          "cuDevicePrimaryCtxRetain"))
    return error;
  result->retained = true;
  std::string chip =
      "sm_" + std::to_string(result->major) + std::to_string(result->minor);
  result->deviceName = result->kind() + ":" + std::to_string(ordinal) + " (" +
                       text + ", " + chip + ")";
  result->description =
      result->driver->describe(result->device, chip + ", " + text);
  return std::shared_ptr<Device>(std::move(result));
}

CudaDevice::~CudaDevice() {
  if (!retained)
    return;
  (void)within([&]() -> Error {
    staging.close();
    memory.clear();
    return {};
  });
  driver->primaryCtxRelease(device);
}

Expected<std::shared_ptr<Device>>
gnn::runtime::cuda::openDevice(std::shared_ptr<const Driver> driver,
                               int ordinal) {
  return guarded("cuda", [&]() -> Expected<std::shared_ptr<Device>> {
    return CudaDevice::open(std::move(driver), ordinal);
  });
}

/// The system's driver, loaded at the first call that finds it.
static Expected<std::shared_ptr<const Driver>> systemDriver() {
  static std::mutex mutex;
  static std::shared_ptr<const Driver> driver;
  std::lock_guard<std::mutex> lock(mutex);
  if (driver)
    return driver;
  auto loaded = Driver::load("libcuda.so.1");
  if (loaded)
    driver = *loaded;
  return loaded;
}

Expected<std::shared_ptr<Device>> gnn::runtime::openCudaDevice(int ordinal) {
  return guarded("cuda", [&]() -> Expected<std::shared_ptr<Device>> {
    // One device a GPU, so that kernels and structures on it are shared.
    static std::mutex mutex;
    static std::map<int, std::weak_ptr<Device>> devices;
    auto driver = systemDriver();
    if (!driver)
      return driver.takeError();
    std::lock_guard<std::mutex> lock(mutex);
    if (std::shared_ptr<Device> device = devices[ordinal].lock())
      return device;
    auto device = openDevice(*driver, ordinal);
    if (device)
      devices[ordinal] = *device;
    return device;
  });
}

Expected<int> gnn::runtime::countCudaDevices() {
  return guarded("cuda", [&]() -> Expected<int> {
    auto driver = systemDriver();
    if (!driver)
      return driver.takeError();
    int count = 0;
    if (Error error = (*driver)->check((*driver)->deviceGetCount(&count),
                                       "cuDeviceGetCount"))
      return error;
    return count;
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<void *> CudaDevice::allocate(int64_t bytes) {
  if (bytes < 0)
    return failure("expected 0 or more bytes, got ", bytes);
  if (bytes == 0)
    return static_cast<void *>(nullptr);
  DevicePointer pointer = 0;
  // The driver aligns to 256 bytes or more.
  if (Error error = within([&]() -> Error {
        auto found = memory.allocate(static_cast<size_t>(bytes));
        if (found)
          pointer = *found;
        return found.takeError();
      }))
    return failure(error.message(), ", ", bytes, " bytes asked for on ",
                   deviceName);
  return reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
}

void CudaDevice::free(void *pointer) {
  if (pointer)
    (void)within([&]() -> Error {
      memory.free(addressOf(pointer));
      return {};
    });
}

// Copies from pageable memory may return before the device has the bytes, and
// streams that do not wait for the default one would not see them: wait.

Error CudaDevice::copyToDevice(void *to, const void *from, int64_t bytes) {
  Error error = transfer(bytes, "cuMemcpyHtoD", [&](size_t size) {
    return driver->memcpyHtoD(addressOf(to), from, size);
  });
  return error || bytes <= 0 ? error : synchronize(nullptr);
}

Error CudaDevice::startCopy(void *to, const void *from, int64_t bytes) {
  if (bytes <= 0)
    return {};
  bool started = false;
  if (Error error = within([&]() -> Error {
        Expected<bool> result =
            staging.start(addressOf(to), from, static_cast<size_t>(bytes));
        if (result)
          started = *result;
        return result.takeError();
      }))
    return error;
  return started ? Error() : copyToDevice(to, from, bytes);
}

Error CudaDevice::copyInStream(void *to, const void *from, int64_t bytes,
                               Stream stream) {
  // The driver reads memory that is not pinned before it returns.
  return transfer(bytes, "cuMemcpyHtoDAsync", [&](size_t size) {
    return driver->memcpyHtoDAsync(addressOf(to), from, size, toDriver(stream));
  });
}

Error CudaDevice::copyOnDevice(void *to, const void *from, int64_t bytes,
                               Stream stream) {
  return transfer(bytes, "cuMemcpyDtoDAsync", [&](size_t size) {
    return driver->memcpyDtoDAsync(addressOf(to), addressOf(from), size,
                                   toDriver(stream));
  });
}

Error CudaDevice::fillInStream(void *memory, uint8_t value, int64_t bytes,
                               Stream stream) {
  return transfer(bytes, "cuMemsetD8Async", [&](size_t size) {
    return driver->memsetD8Async(addressOf(memory), value, size,
                                 toDriver(stream));
  });
}

Error CudaDevice::finishCopies() {
  return within([&] { return staging.finish(); });
}

Error CudaDevice::copyToHost(void *to, const void *from, int64_t bytes) {
  return transfer(bytes, "cuMemcpyDtoH", [&](size_t size) {
    return driver->memcpyDtoH(to, addressOf(from), size);
  });
}

Error CudaDevice::fill(void *memory, uint8_t value, int64_t bytes) {
  Error error = transfer(bytes, "cuMemsetD8", [&](size_t size) {
    return driver->memsetD8(addressOf(memory), value, size);
  });
  return error || bytes <= 0 ? error : synchronize(nullptr);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<const Kernels>>
CudaDevice::loadKernels(const std::string &format, const std::string &image,
                        const std::string &chip) {
  using Result = Expected<std::shared_ptr<const Kernels>>;
  return guarded("kernels", [&]() -> Result {
    constexpr int maxNesting = 100;
    bool isPtx = format == "ptx";
    if (!isPtx && format != "cubin")
      return failure("expected kernels as cubin or ptx, got ", format);
    if (Error error = checkChip(chip, isPtx, major, minor))
      return error;
    if (isPtx)
      if (Error error = checkNesting(image, maxNesting, Syntax::Ptx))
        return error;
    if (isPtx)
      if (auto entries = PtxEntries::split(image))
        return std::shared_ptr<const Kernels>(std::make_shared<CudaKernels>(
            shared_from_this(), std::move(*entries)));
    Expected<Module> module = loadModule(image);
    if (!module)
      return module.takeError();
    return std::shared_ptr<const Kernels>(
        std::make_shared<CudaKernels>(shared_from_this(), *module));
  });
}

Expected<Module> CudaDevice::loadModule(const std::string &image) const {
  std::string log(16384, '\0');
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void *values[] = {
      log.data(), reinterpret_cast<void *>(static_cast<uintptr_t>(log.size()))};
  Module module = nullptr;
  // The text ends in a zero byte, as the driver wants it.
  Error error = within([&] {
    return driver->check(
        driver->moduleLoadDataEx(&module, image.c_str(), 2, options, values),
        "cuModuleLoadDataEx");
  });
  if (!error)
    return module;
  log.resize(std::min(log.find('\0'), log.size()));
  while (!log.empty() && log.back() == '\n')
    log.pop_back();
  return log.empty() ? error : Error(error.message() + ": " + log);
}

CudaKernels::CudaKernels(std::shared_ptr<CudaDevice> device, PtxEntries entries)
    : device(device), modules(std::in_place, std::move(entries),
                              [device](const std::string &image) {
                                return device->loadModule(image);
                              }) {}

CudaKernels::~CudaKernels() {
  ContextScope scope(*device->driver, device->context);
  for (Module module : modules ? modules->all() : std::vector{whole})
    device->driver->moduleUnload(module);
}

Error CudaKernels::expect(const std::vector<std::string> &names) const {
  return guarded("kernels", [&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    return modules ? modules->load(names) : Error();
  });
}

Expected<const Kernel *> CudaKernels::find(const std::string &name) const {
  return guarded("kernel", [&]() -> Expected<const Kernel *> {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = kernels.find(name);
    if (found != kernels.end())
      return static_cast<const Kernel *>(&found->second);
    Expected<Module> module = modules ? modules->find(name) : whole;
    if (!module)
      return module.takeError().in("kernel '" + name + "'");
    const Driver &driver = *device->driver;
    ContextScope scope(driver, device->context);
    if (scope.error)
      return scope.error;
    Function function = nullptr;
    if (Error error = driver.check(
            driver.moduleGetFunction(&function, *module, name.c_str()),
            "cuModuleGetFunction"))
      return error.in("kernel '" + name + "'");
    KernelInfo info;
    for (auto [attribute, field] :
         {std::make_pair(kRegisters, &info.registers),
          std::make_pair(kLocalBytes, &info.localBytes),
          std::make_pair(kStaticSharedBytes, &info.staticSharedBytes),
          std::make_pair(kMaxThreadsPerBlock, &info.maxThreadsPerBlock)}) {
      int value = 0;
      if (Error error =
              driver.check(driver.funcGetAttribute(&value, attribute, function),
                           "cuFuncGetAttribute"))
        return error.in("kernel '" + name + "'");
      *field = value;
    }
    CudaKernel &kernel = kernels[name];
    if (modules)
      kernel.list = modules->text().parameters(name);
    kernel.kernelName = name;
    kernel.function = function;
    kernel.kernelInfo = info;
    return static_cast<const Kernel *>(&kernel);
  });
}

Error CudaDevice::prepare(const Kernel &kernel, const Launch &launch) {
  return guarded("prepare", [&]() -> Error {
    if (Error error = checkLaunch(launch))
      return error;
    const auto &ours = static_cast<const CudaKernel &>(kernel);
    const KernelInfo &info = ours.kernelInfo;
    int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    if (threads > info.maxThreadsPerBlock)
      return failure("expected at most ", info.maxThreadsPerBlock,
                     " threads a block (", info.registers,
                     " registers each), got ", threads);
    int64_t room = maxSharedBytes - info.staticSharedBytes;
    if (launch.sharedBytes > room)
      return failure("expected at most ", room,
                     " bytes of dynamic shared memory on ", deviceName,
                     ", got ", launch.sharedBytes);
    std::lock_guard<std::mutex> lock(ours.mutex);
    return within([&]() -> Error {
      if (launch.sharedBytes > ours.allowedSharedBytes) {
        if (Error error = driver->check(
                driver->funcSetAttribute(ours.function, kMaxDynamicSharedBytes,
                                         static_cast<int>(launch.sharedBytes)),
                "cuFuncSetAttribute"))
          return error;
        ours.allowedSharedBytes = launch.sharedBytes;
      }
      return cache.carveOut(*driver, ours.function, info.staticSharedBytes,
                            launch, ours.kernelInfo.carveOut);
    });
  });
}

Error CudaDevice::launch(const Kernel &kernel, const Launch &launch,
                         const LaunchArguments &arguments, Stream stream) {
  const auto &ours = static_cast<const CudaKernel &>(kernel);
  auto size = [](int64_t value) { return static_cast<unsigned>(value); };
  return within([&] {
    return driver->check(
        driver->launchKernel(ours.function, size(launch.grid[0]),
                             size(launch.grid[1]), size(launch.grid[2]),
                             size(launch.block[0]), size(launch.block[1]),
                             size(launch.block[2]), size(launch.sharedBytes),
                             toDriver(stream), arguments.values, nullptr),
        "cuLaunchKernel");
  });
}

Expected<std::unique_ptr<Capture>> CudaDevice::capture(Stream stream) {
  return beginCapture(*this, *driver, context, toDriver(stream));
}

Error CudaDevice::synchronize(Stream stream) {
  return within([&] {
    return driver->check(driver->streamSynchronize(toDriver(stream)),
                         "cuStreamSynchronize");
  });
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

CudaEvent::~CudaEvent() {
  ContextScope scope(*device->driver, device->context);
  device->driver->eventDestroy(event);
}

Expected<std::unique_ptr<Event>> CudaDevice::record(Stream stream) {
  return guarded("event", [&]() -> Expected<std::unique_ptr<Event>> {
    DriverEvent event = nullptr;
    if (Error error = within([&] {
          return driver->check(driver->eventCreate(&event, 0), "cuEventCreate");
        }))
      return error;
    std::unique_ptr<Event> result =
        std::make_unique<CudaEvent>(shared_from_this(), event);
    if (Error error = within([&] {
          return driver->check(driver->eventRecord(event, toDriver(stream)),
                               "cuEventRecord");
        }))
      return error;
    return result;
  });
}

Expected<double> CudaDevice::elapsed(const Event &from, const Event &to) {
  DriverEvent begin = static_cast<const CudaEvent &>(from).event;
  DriverEvent end = static_cast<const CudaEvent &>(to).event;
  float milliseconds = 0;
  if (Error error = within([&]() -> Error {
        if (Error error = driver->check(driver->eventSynchronize(end),
                                        "cuEventSynchronize"))
          return error;
        return driver->check(
            driver->eventElapsedTime(&milliseconds, begin, end),
            "cuEventElapsedTime");
      }))
    return error;
  return static_cast<double>(milliseconds);
}
