//===- TestPlans.h - A plan and a device to try it on -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_TESTPLANS_H
#define GNN_UNITTESTS_RUNTIME_TESTPLANS_H

#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/HostMemory.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gnn::runtime::testing {

/// A plan of two kernels on one square graph: y = 2 * (sum of x over incoming
/// edges), d columns, through the workspace.
///
///   sum(x, tmp, rows, cols, i32 d, i64 nodes);  scale(tmp, y, i32 d)
inline std::string sumPlanText() {
  return R"({"version": 1,
 "target": {"chip": "sm_90", "features": "+ptx80"},
 "functions": [
  {"name": "sum",
   "graphs": [{"name": "g", "square": true, "node_types": 1, "edge_types": 2,
               "schema": null}],
   "inputs": [{"name": "x", "graph": "g", "space": "src", "shape": [-1, 3],
               "dtype": "f32"}],
   "outputs": [{"name": "y", "graph": "g", "space": "dst", "shape": [-1, 3],
                "dtype": "f32"}],
   "exprs": [{"op": "count", "graph": "g", "of": "count dst"},
             {"op": "const", "value": 3},
             {"op": "mul", "args": [0, 1]},
             {"op": "const", "value": 4},
             {"op": "mul", "args": [2, 3]},
             {"op": "const", "value": 256},
             {"op": "ceildiv", "args": [4, 5]},
             {"op": "mul", "args": [6, 5]},
             {"op": "const", "value": 0},
             {"op": "const", "value": 1},
             {"op": "add", "args": [7, 5]}],
   "structures": [{"graph": "g", "key": "rows dst edge.in_rows"},
                  {"graph": "g", "key": "map edge.in_rows src"}],
   "workspace": 10,
   "steps": [
    {"kernel": "sum", "grid": [0, 9, 9], "block": [5, 9, 9], "shared": 8,
     "args": [{"input": 0}, {"workspace": 5, "bytes": 4}, {"structure": 0},
              {"structure": 1}, {"i32": 1}, {"i64": 0}],
     "reads": 4, "writes": 4, "flops": 2},
    {"kernel": "scale", "grid": [0, 9, 9], "block": [5, 9, 9], "shared": -1,
     "args": [{"workspace": 5, "bytes": 4}, {"output": 0}, {"i32": 1}]}]}]}
)";
}

/// Host memory, and kernels that are C++ functions.
class FakeDevice : public HostMemoryDevice {
public:
  using Body = std::function<void(const Launch &, const LaunchArguments &)>;
  using MemoryCheck =
      std::function<Error(ArrayView<int64_t>, ArrayView<int64_t>)>;

  struct FakeKernel : Kernel {
    FakeKernel(std::string name, Body body)
        : kernelName(std::move(name)), body(std::move(body)) {}
    const std::string &name() const override { return kernelName; }
    KernelInfo info() const override {
      KernelInfo info;
      info.registers = 32;
      info.localBytes = 0;
      return info;
    }
    const std::vector<KernelParameter> *parameters() const override {
      return list ? &*list : nullptr;
    }
    Error checkMemory(ArrayView<int64_t> numbers,
                      ArrayView<int64_t> bytes) const override {
      return check ? check(numbers, bytes) : Error();
    }
    std::string kernelName;
    Body body;
    std::optional<std::vector<KernelParameter>> list;
    MemoryCheck check;
  };

  struct FakeKernels : Kernels {
    Expected<const Kernel *> find(const std::string &name) const override {
      auto found = kernels.find(name);
      if (found == kernels.end())
        return failure("expected a kernel '", name, "', got none");
      return static_cast<const Kernel *>(&found->second);
    }
    std::map<std::string, FakeKernel> kernels;
  };

  struct FakeEvent : Event {
    explicit FakeEvent(int64_t time) : time(time) {}
    int64_t time;
  };

  explicit FakeDevice(bool timer = false) : timer(timer) {}

  /// The kernels of sumPlanText.
  void addSumKernels() {
    bodies["sum"] = [](const Launch &, const LaunchArguments &args) {
      const float *x = value<const float *>(args, 0);
      float *tmp = value<float *>(args, 1);
      const int32_t *rows = value<const int32_t *>(args, 2);
      const int32_t *cols = value<const int32_t *>(args, 3);
      int32_t d = value<int32_t>(args, 4);
      for (int64_t v = 0; v < value<int64_t>(args, 5); ++v)
        for (int32_t j = 0; j < d; ++j) {
          tmp[v * d + j] = 0;
          for (int32_t p = rows[v]; p < rows[v + 1]; ++p)
            tmp[v * d + j] += x[int64_t(cols[p]) * d + j];
        }
    };
    bodies["scale"] = [](const Launch &launch, const LaunchArguments &args) {
      for (int64_t i = 0; i < launch.grid[0] * value<int32_t>(args, 2); ++i)
        value<float *>(args, 1)[i] = 2 * value<float *>(args, 0)[i];
    };
  }

  template <typename T>
  static T value(const LaunchArguments &arguments, size_t index) {
    return *static_cast<T *>(arguments.values[index]);
  }

  std::string kind() const override { return "fake"; }
  std::string name() const override { return kind(); }
  std::vector<std::string> kernelFormats() const override {
    return {"fake", "ptx"};
  }
  Expected<void *> allocate(int64_t bytes) override {
    ++allocations;
    if (failAllocations)
      return failure("out of fake memory");
    memories += bytes != 0;
    return HostMemoryDevice::allocate(bytes);
  }
  Expected<std::shared_ptr<const Kernels>>
  loadKernels(const std::string &format, const std::string &,
              const std::string &) override {
    ++loads;
    if (format == badFormat)
      return failure("bad image");
    auto result = std::make_shared<FakeKernels>();
    for (const auto &[name, body] : bodies)
      result->kernels.emplace(name, FakeKernel(name, body));
    for (const auto &[name, list] : parameters)
      result->kernels.at(name).list = list;
    for (const auto &[name, check] : checks)
      result->kernels.at(name).check = check;
    return std::shared_ptr<const Kernels>(std::move(result));
  }
  Error launch(const Kernel &kernel, const Launch &launch,
               const LaunchArguments &arguments, Stream stream) override {
    ++launches;
    lastStream = stream;
    const auto &fake = static_cast<const FakeKernel &>(kernel);
    if (fake.name() == failing)
      return failure("launch failed");
    {
      std::lock_guard<std::mutex> lock(mutex);
      lastBytes.assign(arguments.bytes, arguments.bytes + arguments.size);
    }
    fake.body(launch, arguments);
    return {};
  }
  Error startCopy(void *to, const void *from, int64_t bytes) override {
    if (failCopies)
      return failure("copy failed half way");
    return HostMemoryDevice::startCopy(to, from, bytes);
  }
  Error finishCopies() override {
    if (memoriesAtFirstFinish < 0)
      memoriesAtFirstFinish = memories;
    return HostMemoryDevice::finishCopies();
  }
  void free(void *memory) override {
    memories -= memory != nullptr;
    HostMemoryDevice::free(memory);
  }
  Error synchronize(Stream stream) override {
    ++synchronizations;
    return HostMemoryDevice::synchronize(stream);
  }
  /// Runs launches at the end, the last first where it may be.
  struct FakeCapture : Capture {
    FakeCapture(FakeDevice &device, Stream stream)
        : device(device), stream(stream) {}
    Error launch(const Kernel &kernel, const Launch &launch,
                 const LaunchArguments &arguments,
                 ArrayView<size_t> after) override {
      Kept &kept = list.emplace_back();
      kept.kernel = &kernel;
      kept.launch = launch;
      for (size_t i = 0; i < arguments.size; ++i)
        kept.values.push_back(*static_cast<int64_t *>(arguments.values[i]));
      kept.bytes.assign(arguments.bytes, arguments.bytes + arguments.size);
      kept.after = after.vec();
      return {};
    }
    Error finish() override {
      for (size_t done = 0; done < list.size();)
        for (size_t i = list.size(); i-- > 0;)
          if (!list[i].done && isReady(list[i])) {
            Kept &next = list[i];
            std::vector<void *> values;
            for (int64_t &value : next.values)
              values.push_back(&value);
            if (Error error = device.launch(
                    *next.kernel, next.launch,
                    {values.data(), next.bytes.data(), values.size()}, stream))
              return error;
            device.order.push_back(i);
            next.done = true;
            ++done;
            break;
          }
      return {};
    }

    struct Kept {
      const Kernel *kernel = nullptr;
      Launch launch;
      std::vector<int64_t> values, bytes;
      std::vector<size_t> after;
      bool done = false;
    };
    bool isReady(const Kept &kept) const {
      for (size_t number : kept.after)
        if (!list[number].done)
          return false;
      return true;
    }
    FakeDevice &device;
    Stream stream;
    std::vector<Kept> list;
  };
  Expected<std::unique_ptr<Capture>> capture(Stream stream) override {
    if (!capturing)
      return std::unique_ptr<Capture>();
    return std::unique_ptr<Capture>(
        std::make_unique<FakeCapture>(*this, stream));
  }
  bool hasTimer() const override { return timer; }
  Expected<std::unique_ptr<Event>> record(Stream) override {
    return std::unique_ptr<Event>(std::make_unique<FakeEvent>(clock += 2));
  }
  Expected<double> elapsed(const Event &from, const Event &to) override {
    return static_cast<double>(static_cast<const FakeEvent &>(to).time -
                               static_cast<const FakeEvent &>(from).time);
  }

  bool timer;
  bool failAllocations = false, failCopies = false;
  /// Pieces that are allocated, now and when copies were first waited for.
  std::atomic<int> memories{0};
  int memoriesAtFirstFinish = -1;
  bool capturing = false;
  /// The nodes of the launches of captures.
  std::vector<size_t> order;
  std::string badFormat, failing;
  std::map<std::string, Body> bodies;
  /// Where kernels tell what they take.
  std::map<std::string, std::vector<KernelParameter>> parameters;
  std::map<std::string, MemoryCheck> checks;
  std::atomic<int> allocations{0}, loads{0}, launches{0}, synchronizations{0};
  std::atomic<int64_t> clock{0};
  std::atomic<Stream> lastStream{nullptr};
  std::mutex mutex;
  std::vector<int64_t> lastBytes;
};

} // namespace gnn::runtime::testing

#endif // GNN_UNITTESTS_RUNTIME_TESTPLANS_H
