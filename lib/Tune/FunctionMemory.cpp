//===- FunctionMemory.cpp - Arguments and workspace -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/FunctionMemory.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace gnn;
using namespace gnn::tune;
using runtime::ArgSpec;
using runtime::Error;
using runtime::Expected;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<DeviceMemory>
DeviceMemory::allocate(std::shared_ptr<runtime::Device> device, int64_t bytes) {
  auto data = device->allocate(bytes);
  if (!data)
    return data.takeError();
  DeviceMemory memory;
  memory.device = std::move(device);
  memory.buffer = {*data, bytes};
  return memory;
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : device(std::move(other.device)), buffer(other.buffer) {
  other.buffer = {};
}

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
  std::swap(device, other.device);
  std::swap(buffer, other.buffer);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (device)
    device->free(buffer.data);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Error FunctionMemory::reserve(const IsolatedTemplate &alone,
                              const runtime::BoundFunction &bound) {
  auto reserveArgument = [&](unsigned number,
                             const runtime::TensorInfo &info) -> Error {
    if (number >= arguments.size())
      arguments.resize(number + 1);
    if (arguments[number].get().bytes >= info.bytes)
      return {};
    auto memory = DeviceMemory::allocate(device, info.bytes);
    if (!memory)
      return memory.takeError();
    arguments[number] = std::move(*memory);
    return device->fill(arguments[number].get().data, 0, info.bytes);
  };
  for (auto [number, info] : llvm::zip_equal(alone.inputs, bound.inputs()))
    if (Error error = reserveArgument(number, info))
      return error;
  for (auto [number, info] : llvm::zip_equal(alone.outputs, bound.outputs()))
    if (Error error = reserveArgument(number, info))
      return error;
  runtime::Buffer known = workspace.get();
  if (bound.workspaceBytes() <= known.bytes)
    return {};
  auto memory = DeviceMemory::allocate(device, bound.workspaceBytes());
  if (!memory)
    return memory.takeError();
  if (Error error = device->copyOnDevice(memory->get().data, known.data,
                                         known.bytes, nullptr))
    return error;
  if (Error error = device->synchronize(nullptr))
    return error;
  workspace = std::move(*memory);
  return {};
}

Error FunctionMemory::set(unsigned argument, llvm::StringRef bytes) {
  runtime::Buffer buffer = arguments[argument].get();
  if (buffer.bytes != static_cast<int64_t>(bytes.size()))
    return runtime::failure("expected ", buffer.bytes, " bytes, got ",
                            bytes.size());
  return device->copyToDevice(buffer.data, bytes.data(), buffer.bytes);
}

Error FunctionMemory::run(const IsolatedTemplate &alone,
                          const runtime::BoundFunction &bound,
                          runtime::Stream stream) const {
  std::vector<runtime::ConstBuffer> inputs;
  for (unsigned number : alone.inputs)
    inputs.push_back(
        {arguments[number].get().data, arguments[number].get().bytes});
  std::vector<runtime::Buffer> outputs;
  for (unsigned number : alone.outputs)
    outputs.push_back(arguments[number].get());
  return bound.run(inputs, outputs, workspace.get(), stream);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The places in the workspace that launches of a plan write, from the first
/// byte on: those of the template, and behind them those that lowering takes.
static Expected<std::map<int64_t, int64_t>>
findPlaces(const runtime::FunctionPlan &plan,
           llvm::ArrayRef<std::shared_ptr<const runtime::Graph>> graphs) {
  auto all = withDerived(plan, graphs.vec());
  if (!all)
    return all.takeError();
  auto values = evaluate(plan, [&](size_t graph, const CountKey &key) {
    return (*all)[graph]->count(key);
  });
  if (!values)
    return values.takeError();
  std::map<int64_t, int64_t> places;
  for (const runtime::StepSpec &step : plan.steps)
    for (const ArgSpec &argument : step.args)
      if (argument.kind == ArgSpec::Kind::Workspace && argument.written) {
        int64_t &bytes = places[(*values)[argument.index]];
        bytes = std::max(bytes, (*values)[argument.bytes]);
      }
  return places;
}

Expected<std::vector<WrittenPart>> FunctionMemory::partsOf(
    const IsolatedTemplate &alone, const runtime::BoundFunction &bound,
    llvm::ArrayRef<std::shared_ptr<const runtime::Graph>> graphs) const {
  std::vector<WrittenPart> parts;
  for (auto [number, info, isRead] :
       llvm::zip_equal(alone.outputs, bound.outputs(), alone.readsOutput)) {
    WrittenPart part;
    part.argument = number;
    part.bytes = info.bytes;
    part.isF32 = info.dtype == runtime::DataType::F32;
    for (size_t i = 1; i < info.shape.size(); ++i)
      part.width *= info.shape[i];
    part.isRead = isRead;
    parts.push_back(std::move(part));
  }
  auto places = findPlaces(bound.plan(), graphs);
  if (!places)
    return places.takeError();
  unsigned count = 0;
  for (auto [offset, bytes] : *places) {
    if (++count > alone.numPlaces)
      break;
    WrittenPart part;
    part.offset = offset;
    part.bytes = bytes;
    part.isF32 = alone.arePlacesF32;
    part.width = alone.placeWidth;
    part.isRead = alone.readsPlaces;
    parts.push_back(std::move(part));
  }
  for (WrittenPart &part : parts) {
    if (!part.isRead)
      continue;
    auto copy = DeviceMemory::allocate(device, part.bytes);
    if (!copy)
      return copy.takeError();
    if (Error error = device->copyOnDevice(copy->get().data, find(part),
                                           part.bytes, nullptr))
      return error;
    part.before = std::move(*copy);
  }
  return parts;
}

void *FunctionMemory::find(const WrittenPart &part) const {
  if (part.argument)
    return arguments[*part.argument].get().data;
  return static_cast<char *>(workspace.get().data) + part.offset;
}

Error FunctionMemory::setBefore(WrittenPart &part,
                                llvm::StringRef bytes) const {
  if (!part.before) {
    auto memory = DeviceMemory::allocate(device, part.bytes);
    if (!memory)
      return memory.takeError();
    part.before = std::move(*memory);
  }
  return device->copyToDevice(part.before->get().data, bytes.data(),
                              part.bytes);
}

Error FunctionMemory::reset(llvm::ArrayRef<WrittenPart> parts) const {
  for (const WrittenPart &part : parts) {
    void *memory = find(part);
    Error error = part.before
                      ? device->copyOnDevice(memory, part.before->get().data,
                                             part.bytes, nullptr)
                      : device->fillInStream(memory, 0xff, part.bytes, nullptr);
    if (error)
      return error;
  }
  return {};
}

Expected<std::vector<std::string>>
FunctionMemory::read(llvm::ArrayRef<WrittenPart> parts) const {
  if (Error error = device->synchronize(nullptr))
    return error;
  std::vector<std::string> contents;
  for (const WrittenPart &part : parts) {
    std::string &bytes = contents.emplace_back(part.bytes, '\0');
    if (Error error = device->copyToHost(bytes.data(), find(part), part.bytes))
      return error;
  }
  return contents;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// The most that sums in another order may differ, as a part of the scale of
/// their row.
static constexpr double tolerance = 1e-5;

/// The largest finite value of each row.
static std::vector<double> findLargest(llvm::ArrayRef<float> values,
                                       size_t width) {
  std::vector<double> largest((values.size() + width - 1) / width);
  for (auto [i, value] : llvm::enumerate(values))
    if (std::isfinite(value))
      largest[i / width] =
          std::max(largest[i / width], std::abs(double(value)));
  return largest;
}

/// The median of rows that are not zero; 0 where all are.
static double medianOf(std::vector<double> largest) {
  llvm::erase(largest, 0);
  if (largest.empty())
    return 0;
  auto middle = largest.begin() + largest.size() / 2;
  std::nth_element(largest.begin(), middle, largest.end());
  return *middle;
}

static llvm::ArrayRef<float> floatsOf(llvm::StringRef bytes) {
  return {reinterpret_cast<const float *>(bytes.data()), bytes.size() / 4};
}

/// The largest distance of two arrays of f32 over the scales of rows. NaNs and
/// infinities have to be in the same places.
static double distance(llvm::ArrayRef<float> expected,
                       llvm::ArrayRef<float> got, size_t width) {
  std::vector<double> largest = findLargest(expected, width);
  const double median = medianOf(largest);
  double most = 0;
  for (auto [i, x, y] : llvm::enumerate(expected, got)) {
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    double apart = std::abs(double(x) - y);
    double scale = std::max(largest[i / width], median);
    if (!std::isfinite(apart) || scale == 0)
      return std::numeric_limits<double>::infinity();
    most = std::max(most, apart / scale);
  }
  return most;
}

Expected<Check> gnn::tune::compare(llvm::ArrayRef<WrittenPart> parts,
                                   llvm::ArrayRef<std::string> expected,
                                   llvm::ArrayRef<std::string> got,
                                   bool mayDiffer) {
  Check check = Check::SameBits;
  for (auto [part, x, y] : llvm::zip_equal(parts, expected, got)) {
    if (x == y)
      continue;
    if (!part.isF32 || !mayDiffer)
      return runtime::failure("expected the bits of the chosen schedule's "
                              "result, got others");
    double apart = distance(floatsOf(x), floatsOf(y), part.width);
    if (!(apart <= tolerance))
      return runtime::failure("expected the chosen schedule's result up to ",
                              tolerance,
                              " of the largest value of a row, got "
                              "one ",
                              apart, " apart");
    check = Check::Close;
  }
  return check;
}
