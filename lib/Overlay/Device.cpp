//===- Device.cpp - Simulated overlays as devices -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Device.h"

#include "GNN/Overlay/Machine.h"
#include "GNN/Runtime/HostMemory.h"

#include "Archive.h"

#include <algorithm>
#include <cstring>
#include <mutex>

using namespace gnn::overlay;
using gnn::runtime::Error;
using gnn::runtime::Expected;
using gnn::runtime::failure;
namespace runtime = gnn::runtime;

static constexpr const char *kernelsEntry = "kernels.mlir";
static constexpr const char *programsEnd = ".ga";

KernelInterface gnn::overlay::interfaceOf(const Program &program) {
  KernelInterface result;
  for (const auto &[name, shape] : argumentShapes(program))
    result.inputs.push_back(name);
  for (const Region &region : program.regions)
    if (region.role == RegionRole::Output)
      result.outputs.push_back(&region);
  return result;
}

Expected<std::string>
gnn::overlay::packImage(const std::map<std::string, std::string> &programs,
                        const std::string &kernels) {
  std::map<std::string, std::string> entries;
  for (const auto &[name, bytes] : programs)
    entries[name + programsEnd] = bytes;
  if (!kernels.empty())
    entries[kernelsEntry] = kernels;
  return runtime::packArchive(entries);
}

//===----------------------------------------------------------------------===//
// Programs as kernels
//===----------------------------------------------------------------------===//

namespace {
class ProgramKernel : public runtime::Kernel {
public:
  ProgramKernel(std::string name, Program program)
      : text(std::move(name)), program(std::move(program)),
        interface(interfaceOf(this->program)) {}

  const std::string &name() const override { return text; }

  Error run(const runtime::LaunchArguments &arguments) const;

private:
  /// The edges of a launch as a graph, which the partition keeps.
  Expected<Partition> partition(const int32_t *src, const int32_t *dst,
                                int64_t edges) const;
  Error write(const Region &region, const Memory &memory,
              const Partition &partition, float *to, int64_t bytes) const;

  std::string text;
  Program program;
  KernelInterface interface;
};

/// The programs of an image, and its kernels for the CPU.
class OverlayKernels : public runtime::Kernels {
public:
  OverlayKernels(std::map<std::string, ProgramKernel> programs,
                 std::shared_ptr<const runtime::Kernels> others)
      : programs(std::move(programs)), others(std::move(others)) {}

  Error expect(const std::vector<std::string> &names) const override {
    std::vector<std::string> rest;
    for (const std::string &name : names)
      if (!programs.count(name))
        rest.push_back(name);
    return others && !rest.empty() ? others->expect(rest) : Error();
  }

  Expected<const runtime::Kernel *>
  find(const std::string &name) const override {
    auto it = programs.find(name);
    if (it != programs.end())
      return static_cast<const runtime::Kernel *>(&it->second);
    if (others)
      return others->find(name);
    return failure("expected a program '", name, "' in the image, got none");
  }

private:
  const std::map<std::string, ProgramKernel> programs;
  const std::shared_ptr<const runtime::Kernels> others;
};
} // namespace

Expected<Partition> ProgramKernel::partition(const int32_t *src,
                                             const int32_t *dst,
                                             int64_t edges) const {
  runtime::GraphArrays arrays;
  arrays.numSrcNodes = static_cast<int64_t>(program.vertices);
  arrays.numEdges = edges;
  arrays.edgeSrc = src;
  arrays.edgeDst = dst;
  auto graph = runtime::Graph::borrow(arrays, nullptr);
  if (!graph)
    return graph.takeError();
  return Partition::forProgram(*graph, program);
}

Error ProgramKernel::write(const Region &region, const Memory &memory,
                           const Partition &partition, float *to,
                           int64_t bytes) const {
  Expected<std::vector<float>> values =
      region.kind == RegionKind::Edges
          ? memory.readWeights(program, region, partition)
          : memory.readFeatures(program, region);
  if (!values)
    return values.takeError();
  auto size = static_cast<int64_t>(4 * values->size());
  if (bytes >= 0 && bytes < size)
    return failure("expected ", size, " bytes for '", region.name, "', got ",
                   bytes);
  std::memcpy(to, values->data(), size);
  return {};
}

Error ProgramKernel::run(const runtime::LaunchArguments &arguments) const {
  if (arguments.size != interface.size())
    return failure("expected ", interface.size(), " arguments, got ",
                   arguments.size);
  auto pointer = [&](size_t i) {
    return *static_cast<float *const *>(arguments.values[i]);
  };
  // The ends are as many as the graph that is bound has edges.
  size_t ends = interface.inputs.size() + interface.outputs.size();
  auto idsAt = [&](size_t i) {
    return *static_cast<const int32_t *const *>(arguments.values[i]);
  };
  Expected<Partition> cut =
      partition(idsAt(ends), idsAt(ends + 1), arguments.bytes[ends] / 4);
  if (!cut)
    return cut.takeError();
  std::map<std::string, Argument> inputs;
  auto shapes = argumentShapes(program);
  for (size_t i = 0; i < interface.inputs.size(); ++i) {
    const std::string &name = interface.inputs[i];
    Argument argument;
    argument.shape = shapes[name];
    if (argument.shape.size() == 1) // weights of edges
      argument.shape[0] = static_cast<int64_t>(cut->edges());
    uint64_t size = 1;
    for (int64_t extent : argument.shape)
      size *= static_cast<uint64_t>(extent);
    if (auto needed = static_cast<int64_t>(4 * size);
        arguments.bytes[i] >= 0 && arguments.bytes[i] < needed)
      return failure("a program for ", program.vertices, " nodes: expected ",
                     needed, " bytes of '", name, "', got ",
                     arguments.bytes[i]);
    argument.values = {pointer(i), size};
    inputs[name] = std::move(argument);
  }
  Expected<Memory> memory = Memory::create(program);
  if (!memory)
    return memory.takeError();
  if (Error error = memory->fill(program, *cut, inputs))
    return error;
  if (Error error = execute(program, *memory))
    return error;
  for (size_t i = 0; i < interface.outputs.size(); ++i) {
    size_t place = interface.inputs.size() + i;
    if (Error error = write(*interface.outputs[i], *memory, *cut,
                            pointer(place), arguments.bytes[place]))
      return error;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

namespace {
class OverlayDevice : public runtime::HostMemoryDevice {
public:
  explicit OverlayDevice(runtime::KernelCompiler compiler)
      : HostMemoryDevice(Fresh::Anything),
        cpu(runtime::createCPUDevice(/*threads=*/0, compiler)) {}

  std::string kind() const override { return "overlay"; }
  std::string name() const override { return "overlay (simulated)"; }
  std::vector<std::string> kernelFormats() const override {
    return {imageFormat};
  }
  Expected<std::shared_ptr<const runtime::Kernels>>
  loadKernels(const std::string &format, const std::string &image,
              const std::string &chip) override;
  Error prepare(const runtime::Kernel &kernel,
                const runtime::Launch &launch) override;
  Error launch(const runtime::Kernel &kernel, const runtime::Launch &launch,
               const runtime::LaunchArguments &arguments,
               runtime::Stream stream) override;

private:
  const std::shared_ptr<runtime::Device> cpu;
};
} // namespace

Expected<std::shared_ptr<const runtime::Kernels>>
OverlayDevice::loadKernels(const std::string &format, const std::string &image,
                           const std::string &chip) {
  if (format != imageFormat)
    return failure("expected an image of programs of the overlay, got kernels "
                   "as ",
                   format);
  auto archive = runtime::Archive::openBytes(image);
  if (!archive)
    return archive.takeError();
  std::map<std::string, ProgramKernel> programs;
  std::shared_ptr<const runtime::Kernels> others;
  for (const std::string &entry : (*archive)->names()) {
    auto bytes = (*archive)->read(entry, runtime::physicalMemory());
    if (!bytes)
      return bytes.takeError().in(entry);
    if (entry == kernelsEntry) {
      auto loaded = cpu->loadKernels("mlir", *bytes, chip);
      if (!loaded)
        return loaded.takeError().in(entry);
      others = *loaded;
      continue;
    }
    size_t end = entry.rfind(programsEnd);
    if (end == std::string::npos || end + 3 != entry.size())
      return failure("expected programs as NAME.ga, got an entry '", entry,
                     "'");
    auto program = read(*bytes);
    if (!program)
      return program.takeError().in(entry);
    if (Error error = verify(*program))
      return error.in(entry);
    std::string name = entry.substr(0, end);
    programs.emplace(std::piecewise_construct, std::forward_as_tuple(name),
                     std::forward_as_tuple(name, std::move(*program)));
  }
  return std::shared_ptr<const runtime::Kernels>(
      std::make_shared<OverlayKernels>(std::move(programs), std::move(others)));
}

Error OverlayDevice::prepare(const runtime::Kernel &kernel,
                             const runtime::Launch &launch) {
  if (!dynamic_cast<const ProgramKernel *>(&kernel))
    return cpu->prepare(kernel, launch);
  return HostMemoryDevice::prepare(kernel, launch);
}

Error OverlayDevice::launch(const runtime::Kernel &kernel,
                            const runtime::Launch &launch,
                            const runtime::LaunchArguments &arguments,
                            runtime::Stream stream) {
  if (const auto *program = dynamic_cast<const ProgramKernel *>(&kernel))
    return program->run(arguments);
  return cpu->launch(kernel, launch, arguments, stream);
}

std::shared_ptr<runtime::Device>
gnn::overlay::createDevice(runtime::KernelCompiler compiler) {
  return std::make_shared<OverlayDevice>(compiler);
}
