//===- PackageFuzzer.cpp - Feeds bytes to the loader of packages ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The first byte of an input chooses how the rest is read: 'z' as a package
// file, 'p' as the text of a launch plan, which is then bound to a small graph
// on a device whose kernels do nothing.

#include "SmallGraph.h"

#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/HostMemory.h"
#include "GNN/Runtime/Package.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace gnn::runtime;

namespace {
struct IdleKernel : Kernel {
  const std::string &name() const override { return kernelName; }
  std::string kernelName = "idle";
};

struct IdleKernels : Kernels {
  Expected<const Kernel *> find(const std::string &) const override {
    return static_cast<const Kernel *>(&kernel);
  }
  IdleKernel kernel;
};

struct IdleDevice : HostMemoryDevice {
  std::string kind() const override { return "idle"; }
  std::string name() const override { return kind(); }
  std::vector<std::string> kernelFormats() const override { return {"ptx"}; }
  Expected<std::shared_ptr<const Kernels>>
  loadKernels(const std::string &, const std::string &,
              const std::string &) override {
    return std::shared_ptr<const Kernels>(std::make_shared<IdleKernels>());
  }
  Error launch(const Kernel &, const Launch &, const LaunchArguments &,
               Stream) override {
    return {};
  }
};

/// Binds each function of a plan, and runs it where it is small.
void bind(LaunchPlan plan) {
  constexpr int64_t kMostConstants = 1 << 20;
  if (plan.constantBytes > kMostConstants)
    return;
  std::string constants(static_cast<size_t>(plan.constantBytes), '\0');
  auto package =
      Package::create(std::move(plan), {{"ptx", ""}}, std::move(constants));
  if (!package)
    std::abort(); // parsed plans are sound
  for (const FunctionPlan &function : (*package)->plan().functions) {
    std::vector<std::shared_ptr<const Graph>> graphs;
    for (const GraphSpec &spec : function.graphs)
      graphs.push_back(smallGraph(spec));
    auto device = std::make_shared<IdleDevice>();
    auto bound = BoundFunction::bind(*package, function.name, graphs, device);
    if (!bound)
      continue;
    (void)(*bound)->report().json();
    // Nothing looks behind the pointers: addresses far apart will do.
    uintptr_t next = uintptr_t(1) << 32;
    auto place = [&](int64_t bytes) {
      uintptr_t address = next;
      next += (static_cast<uintptr_t>(bytes) + 511) / 256 * 256;
      return Buffer{reinterpret_cast<void *>(address), bytes};
    };
    constexpr int64_t kSmall = int64_t(1) << 40;
    bool small = (*bound)->workspaceBytes() < kSmall;
    std::vector<ConstBuffer> inputs;
    std::vector<Buffer> outputs;
    for (const TensorInfo &tensor : (*bound)->inputs()) {
      small &= tensor.bytes < kSmall;
      inputs.push_back({place(tensor.bytes).data, tensor.bytes});
    }
    for (const TensorInfo &tensor : (*bound)->outputs()) {
      small &= tensor.bytes < kSmall;
      outputs.push_back(place(tensor.bytes));
    }
    Buffer workspace = place((*bound)->workspaceBytes());
    if (small && (*bound)->run(inputs, outputs, workspace, nullptr))
      std::abort(); // what is bound runs
  }
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  if (bytes.empty())
    return 0;
  char mode = bytes.front();
  bytes.remove_prefix(1);
  if (mode == 'z') {
    (void)Package::loadBytes(bytes, 1 << 20);
  } else if (mode == 'p') {
    Expected<LaunchPlan> plan = LaunchPlan::parse(bytes);
    if (!plan)
      return 0;
    std::string text = plan->json();
    Expected<LaunchPlan> again = LaunchPlan::parse(text);
    if (!again || again->json() != text)
      std::abort(); // what is written is read back
    bind(std::move(*plan));
  }
  return 0;
}
