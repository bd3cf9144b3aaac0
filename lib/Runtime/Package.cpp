//===- Package.cpp - Compiled modules in a file ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Package.h"

#include "GNN/Runtime/Files.h"

#include "Archive.h"
#include "Guarded.h"
#include "PlanNames.h"
#include "StructureCache.h"

#include <algorithm>
#include <cctype>

using namespace gnn::runtime;

static constexpr const char *kPlanEntry = "plan.json";
static constexpr const char *kConstantsEntry = "constants.bin";
static constexpr const char *kKernelsPrefix = "kernels.";

static bool isFormat(std::string_view text) {
  auto isLegal = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-._").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), isLegal);
}

Expected<std::shared_ptr<const Package>>
Package::create(LaunchPlan plan, std::map<std::string, std::string> images,
                std::string constants) {
  return guarded("package", [&]() -> Expected<std::shared_ptr<const Package>> {
    if (Error error = plan.verify())
      return error;
    for (const auto &[format, image] : images)
      if (!isFormat(format))
        return failure(
            "package: expected a format of letters, digits, '-', '_' and inner "
            "'.', got '",
            format, "'");
    if (static_cast<int64_t>(constants.size()) != plan.constantBytes)
      return failure("package: expected constants of ", plan.constantBytes,
                     " bytes, got ", constants.size());
    std::shared_ptr<Package> package(new Package());
    package->launchPlan = std::move(plan);
    package->kernels = std::move(images);
    package->constantData = std::move(constants);
    return std::shared_ptr<const Package>(std::move(package));
  });
}

static Expected<std::shared_ptr<const Package>>
loadArchive(const Archive &archive, int64_t maxBytes) {
  if (!archive.has(kPlanEntry))
    return failure("package: expected an entry '", kPlanEntry, "', got none");
  int64_t left = maxBytes;
  auto read = [&](const std::string &name) -> Expected<std::string> {
    Expected<std::string> bytes = archive.read(name, left);
    if (bytes) {
      left -= static_cast<int64_t>(bytes->size());
      return bytes;
    }
    Error error = bytes.takeError();
    if (error.kind() != ErrorKind::Limit)
      return error.in("package");
    return limitExceeded("package: expected at most ", maxBytes,
                         " bytes of all entries together, got more with '",
                         name, "'");
  };
  Expected<std::string> text = read(kPlanEntry);
  if (!text)
    return text.takeError();
  Expected<LaunchPlan> plan = LaunchPlan::parse(*text);
  if (!plan)
    return plan.takeError().in("package");
  std::map<std::string, std::string> images;
  std::string constants;
  for (const std::string &name : archive.names()) {
    if (name == kPlanEntry)
      continue;
    std::string_view format = name;
    bool isConstants = name == kConstantsEntry;
    if (format.rfind(kKernelsPrefix, 0) == 0)
      format.remove_prefix(std::string_view(kKernelsPrefix).size());
    if (!isConstants && (format.size() == name.size() || !isFormat(format)))
      return failure("package: expected entries '", kPlanEntry, "', '",
                     kConstantsEntry, "' and '", kKernelsPrefix,
                     "FORMAT', got '", name, "'");
    Expected<std::string> entry = read(name);
    if (!entry)
      return entry.takeError();
    (isConstants ? constants : images[std::string(format)]) = std::move(*entry);
  }
  return Package::create(std::move(*plan), std::move(images),
                         std::move(constants));
}

Expected<std::shared_ptr<const Package>> Package::load(const std::string &path,
                                                       int64_t maxBytes) {
  return guarded("package", [&]() -> Expected<std::shared_ptr<const Package>> {
    Expected<std::unique_ptr<Archive>> archive = Archive::open(path);
    if (!archive)
      return archive.takeError().in("package");
    auto package = loadArchive(**archive, maxBytes);
    if (!package)
      return package.takeError().in(path);
    return package;
  });
}

Expected<std::shared_ptr<const Package>>
Package::loadBytes(std::string_view bytes, int64_t maxBytes) {
  return guarded("package", [&]() -> Expected<std::shared_ptr<const Package>> {
    Expected<std::unique_ptr<Archive>> archive = Archive::openBytes(bytes);
    if (!archive)
      return archive.takeError().in("package");
    return loadArchive(**archive, maxBytes);
  });
}

Expected<std::string> Package::bytes() const {
  return guarded("package", [&]() -> Expected<std::string> {
    std::map<std::string, std::string> entries;
    entries[kPlanEntry] = launchPlan.json();
    for (const auto &[format, image] : kernels)
      entries[kKernelsPrefix + format] = image;
    if (!constantData.empty())
      entries[kConstantsEntry] = constantData;
    Expected<std::string> packed = packArchive(entries);
    if (!packed)
      return packed.takeError().in("package");
    return packed;
  });
}

Error Package::save(const std::string &path) const {
  return guarded("package", [&]() -> Error {
    Expected<std::string> packed = bytes();
    if (!packed)
      return packed.takeError();
    return writeFile(path, {*packed}).in("package");
  });
}

Package::OnDevice &Package::on(const std::shared_ptr<Device> &device) const {
  OnDevice &known = loaded[device.get()];
  known.device = device;
  return known;
}

Expected<std::shared_ptr<const Kernels>>
Package::kernelsOn(const std::shared_ptr<Device> &device) const {
  return guarded("kernels", [&]() -> Expected<std::shared_ptr<const Kernels>> {
    std::lock_guard<std::mutex> lock(mutex);
    OnDevice &known = on(device);
    if (known.kernels)
      return known.kernels;
    Error problem;
    std::string wanted;
    for (const std::string &format : device->kernelFormats()) {
      wanted += (wanted.empty() ? "" : " or ") + format;
      auto image = kernels.find(format);
      if (image == kernels.end())
        continue;
      auto result = device->loadKernels(format, image->second, launchPlan.chip);
      if (result) {
        known.kernels = *result;
        return result;
      }
      problem = problem ? Error(problem.message() + "; " + format + ": " +
                                result.message())
                        : result.takeError().in(format);
    }
    if (problem)
      return problem.in("kernels for " + device->name());
    std::string have;
    for (const auto &[format, image] : kernels)
      have += (have.empty() ? "" : ", ") + format;
    std::string maker = device->kernelsMadeBy();
    return failure("expected kernels as ", wanted, " for ", device->name(),
                   maker.empty() ? "" : ", as " + maker + " makes them",
                   ", got ", have.empty() ? "none" : have);
  });
}

/// The type of what an argument points to, where a plan says that.
static std::optional<DataType> elementType(const FunctionPlan &function,
                                           const ArgSpec &arg) {
  auto index = static_cast<size_t>(arg.index);
  switch (arg.kind) {
  case ArgSpec::Kind::Input:
    return function.inputs[index].dtype;
  case ArgSpec::Kind::Output:
    return function.outputs[index].dtype;
  case ArgSpec::Kind::Structure:
    return DataType::I32;
  default:
    return std::nullopt;
  }
}

/// Whether a kernel takes what a step passes as one of its arguments.
static Error checkArgument(const FunctionPlan &function, const ArgSpec &arg,
                           const KernelParameter &parameter) {
  using Kind = KernelParameter::Kind;
  if (parameter.isMemory() && arg.isNumber())
    return failure("expected memory, got a number (", nameOf(arg.kind), ")");
  if (parameter.kind == Kind::Number && !arg.isNumber())
    return failure("expected a number, got memory (", nameOf(arg.kind), ")");
  int64_t size = arg.kind == ArgSpec::Kind::I32 ? 4 : 8;
  if (parameter.size != size)
    return failure("expected an argument of ", parameter.size, " bytes, got ",
                   nameOf(arg.kind), " of ", size);
  int64_t alignment = arg.kind == ArgSpec::Kind::Workspace ? kWorkspaceAlignment
                                                           : kTensorAlignment;
  if (parameter.isMemory() && parameter.alignment > alignment)
    return failure("expected an address aligned to ", parameter.alignment,
                   " bytes, got one (", nameOf(arg.kind), ") that is to ",
                   alignment);
  if (parameter.access == KernelParameter::Access::Writes && !arg.written)
    return failure("expected an output or a part of the workspace that is "
                   "written, as the kernel writes there, got ",
                   nameOf(arg.kind),
                   arg.mayBeWritten() ? " that is only read" : "");
  std::optional<DataType> element = elementType(function, arg);
  if (element && parameter.element &&
      !isStoredAlike(*element, *parameter.element))
    return failure("expected memory of ", name(*parameter.element), ", got ",
                   name(*element), " (", nameOf(arg.kind), ")");
  return {};
}

/// Whether a step launches a kernel as that is, as far as its image says.
static Error checkStep(const FunctionPlan &function, const StepSpec &step,
                       const Kernel &kernel) {
  const std::vector<KernelParameter> *parameters = kernel.parameters();
  if (!parameters)
    return {};
  if (step.args.size() != parameters->size())
    return failure("expected ", parameters->size(), " arguments, got ",
                   step.args.size());
  for (size_t i = 0; i < step.args.size(); ++i)
    if (Error error = checkArgument(function, step.args[i], (*parameters)[i]))
      return error.in("argument " + std::to_string(i));
  return {};
}

Expected<ArrayView<const Kernel *>>
Package::kernelsOf(const FunctionPlan &function,
                   const std::shared_ptr<Device> &device) const {
  return guarded("kernels", [&]() -> Expected<ArrayView<const Kernel *>> {
    auto image = kernelsOn(device);
    if (!image)
      return image.takeError();
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto &ofSteps = on(device).ofSteps;
      if (auto found = ofSteps.find(&function); found != ofSteps.end())
        return ArrayView<const Kernel *>(found->second);
    }
    std::vector<std::string> names;
    for (const StepSpec &step : function.steps)
      names.push_back(step.kernel);
    if (Error error = (*image)->expect(names))
      return error;
    std::vector<const Kernel *> list;
    for (const StepSpec &step : function.steps) {
      auto where = [&] {
        return "step " + std::to_string(list.size()) + " (kernel '" +
               step.kernel + "')";
      };
      Expected<const Kernel *> kernel = (*image)->find(step.kernel);
      if (!kernel)
        return kernel.takeError().in(where());
      if (Error error = checkStep(function, step, **kernel))
        return error.in(where());
      list.push_back(*kernel);
    }
    std::lock_guard<std::mutex> lock(mutex);
    // A list that another thread has found meanwhile stays.
    return ArrayView<const Kernel *>(
        on(device).ofSteps.emplace(&function, std::move(list)).first->second);
  });
}

Expected<const void *>
Package::constantsOn(const std::shared_ptr<Device> &device) const {
  return guarded("constants", [&]() -> Expected<const void *> {
    if (constantData.empty())
      return static_cast<const void *>(nullptr);
    std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<const DeviceArray> &known = on(device).constants;
    if (known)
      return static_cast<const void *>(known->data);
    auto array = std::make_shared<DeviceArray>();
    int64_t bytes = static_cast<int64_t>(constantData.size());
    Expected<void *> memory = device->allocate(bytes);
    if (!memory)
      return memory.takeError().in("constants");
    array->device = device;
    array->data = *memory;
    array->bytes = bytes;
    if (Error error =
            device->copyToDevice(array->data, constantData.data(), bytes))
      return error.in("constants");
    known = std::move(array);
    return static_cast<const void *>(known->data);
  });
}
