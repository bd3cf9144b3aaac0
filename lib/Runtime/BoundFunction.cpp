//===- BoundFunction.cpp - A function with its graphs on a device ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/BoundFunction.h"

#include "GraphSource.h"
#include "Guarded.h"
#include "RunMemory.h"
#include "StepOrder.h"

#include <algorithm>
#include <mutex>

using namespace gnn::runtime;

namespace {
/// An argument of a launch. Inputs and outputs are patched in each run, places
/// in the workspace are offsets to its address, the rest is fixed.
struct Slot {
  ArgSpec::Kind kind = ArgSpec::Kind::I64;
  size_t index = 0;
  int64_t value = 0;
};

/// A launch with all numbers in.
struct BoundStep {
  const Kernel *kernel = nullptr;
  const StepSpec *spec = nullptr;
  Launch launch;
  bool skipped = false;
  /// Where its arguments begin among those of all.
  size_t begin = 0;
  std::optional<int64_t> reads, writes, flops;

  const std::string &name() const {
    return spec->name.empty() ? spec->kernel : spec->name;
  }
  size_t numArguments() const { return spec->args.size(); }
};
} // namespace

struct BoundFunction::State {
  std::shared_ptr<const Package> package;
  const FunctionPlan *plan = nullptr;
  /// The graphs that keep the structures alive, where they have to.
  std::vector<std::shared_ptr<const Graph>> graphs;
  std::shared_ptr<Device> device;
  std::vector<int64_t> values;
  std::vector<PlacedArray> structures;
  const void *constants = nullptr;
  std::vector<TensorInfo> inputs, outputs;
  int64_t workspaceBytes = 0;
  int64_t structureBytes = 0;
  std::vector<BoundStep> steps;
  /// The arguments of all steps, and the bytes that kernels may touch behind
  /// pointers.
  std::vector<Slot> slots;
  std::vector<int64_t> bytes;
  /// For each step the steps that it waits for, as numbers among those that
  /// run. Found when somebody asks: few bound functions are captured.
  mutable std::once_flag isOrdered;
  mutable std::vector<std::vector<size_t>> waits;

  Error bind(GraphSource &source, const BindOptions &options);
  Error bindTensors(GraphSource &source);
  Error bindStructures(GraphSource &source, const BindOptions &options);
  Error bindSteps();
  Error checkWrites() const;
  Error bindArg(const ArgSpec &arg);
  const std::vector<std::vector<size_t>> &order() const;

  Error launch(const BoundStep &step, ArrayView<ConstBuffer> ins,
               ArrayView<Buffer> outs, Buffer workspace, Stream stream,
               Capture *capture) const;
  ArrayView<size_t> waitsOf(const BoundStep &step) const {
    return order()[static_cast<size_t>(&step - steps.data())];
  }
  int64_t value(int64_t expr) const {
    return values[static_cast<size_t>(expr)];
  }
  std::optional<int64_t> optionalValue(int64_t expr) const {
    return expr == -1 ? std::nullopt : std::make_optional(value(expr));
  }
};

BoundFunction::BoundFunction() : state(std::make_unique<State>()) {}

BoundFunction::~BoundFunction() = default;

//===----------------------------------------------------------------------===//
// Bind
//===----------------------------------------------------------------------===//

static std::string listed(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

/// The concrete shape of an input or output.
static Expected<TensorInfo> resolve(const TensorSpec &spec,
                                    GraphSource &source) {
  TensorInfo info{spec.name, spec.role, spec.dtype, spec.shape,
                  byteSize(spec.dtype)};
  if (!info.shape.empty() && info.shape[0] == -1) {
    Expected<int64_t> count = source.count(static_cast<size_t>(spec.graph),
                                           CountKey::count(*spec.space));
    if (!count)
      return count.takeError();
    info.shape[0] = *count;
  }
  // A zero makes the product zero whatever the others are.
  if (std::count(info.shape.begin(), info.shape.end(), 0)) {
    info.bytes = 0;
    return info;
  }
  for (int64_t size : info.shape)
    if (__builtin_mul_overflow(info.bytes, size, &info.bytes))
      return failure("expected a tensor of under 2^63 bytes, got ",
                     name(info.dtype), listed(info.shape));
  return info;
}

Error BoundFunction::State::bindTensors(GraphSource &source) {
  inputs.reserve(plan->inputs.size());
  for (const TensorSpec &spec : plan->inputs) {
    Expected<TensorInfo> info = resolve(spec, source);
    if (!info)
      return info.takeError().in("input '" + spec.name + "'");
    inputs.push_back(std::move(*info));
  }
  outputs.reserve(plan->outputs.size());
  for (const TensorSpec &spec : plan->outputs) {
    Expected<TensorInfo> info = resolve(spec, source);
    if (!info)
      return info.takeError().in("output '" + spec.name + "'");
    outputs.push_back(std::move(*info));
  }
  return {};
}

Error BoundFunction::State::bindStructures(GraphSource &source,
                                           const BindOptions &options) {
  size_t count = plan->structures.size();
  structures.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const StructureSpec &spec = plan->structures[i];
    if (options.progress)
      options.progress(spec.key.str(), double(i) / double(count));
    auto array = source.structure(static_cast<size_t>(spec.graph), spec.key);
    if (!array) {
      // Memory that copies go to must not be freed.
      (void)source.finish();
      return array.takeError().in("structure '" + spec.key.str() + "'");
    }
    structureBytes += array->bytes;
    structures.push_back(std::move(*array));
  }
  if (Error error = source.finish())
    return error.in("structures");
  if (options.progress)
    options.progress("bound", 1);
  return {};
}

Error BoundFunction::State::bindArg(const ArgSpec &arg) {
  size_t index = static_cast<size_t>(arg.index);
  Slot slot{arg.kind, index, 0};
  int64_t size = -1;
  switch (arg.kind) {
  case ArgSpec::Kind::Input:
    size = inputs[index].bytes;
    break;
  case ArgSpec::Kind::Output:
    size = outputs[index].bytes;
    break;
  case ArgSpec::Kind::Structure:
    slot.value = static_cast<int64_t>(
        reinterpret_cast<intptr_t>(structures[index].data));
    size = structures[index].bytes;
    break;
  case ArgSpec::Kind::I32:
    slot.value = values[index];
    if (slot.value < INT32_MIN || slot.value > INT32_MAX)
      return failure("expected a value of 32 bits, got ", slot.value);
    break;
  case ArgSpec::Kind::I64:
    slot.value = values[index];
    break;
  case ArgSpec::Kind::Constant:
    slot.value =
        static_cast<int64_t>(reinterpret_cast<intptr_t>(constants)) + arg.index;
    size = arg.bytes;
    break;
  case ArgSpec::Kind::Workspace:
    slot.value = values[index];
    size = value(arg.bytes);
    if (slot.value < 0 || slot.value % kWorkspaceAlignment != 0)
      return failure("expected an offset in the workspace that is a multiple "
                     "of ",
                     kWorkspaceAlignment, ", got ", slot.value);
    if (size < 0 || slot.value > workspaceBytes ||
        size > workspaceBytes - slot.value)
      return failure("expected bytes inside a workspace of ", workspaceBytes,
                     ", got ", size, " from offset ", slot.value);
    break;
  }
  slots.push_back(slot);
  bytes.push_back(size);
  return {};
}

Error BoundFunction::State::bindSteps() {
  auto found = package->kernelsOf(*plan, device);
  if (!found)
    return found.takeError();
  size_t count = 0;
  for (const StepSpec &spec : plan->steps)
    count += spec.args.size();
  slots.reserve(count);
  bytes.reserve(count);
  steps.reserve(plan->steps.size());
  for (const StepSpec &spec : plan->steps) {
    auto where = [&] {
      return "step " + std::to_string(steps.size() - 1) + " (kernel '" +
             spec.kernel + "')";
    };
    BoundStep &step = steps.emplace_back();
    step.spec = &spec;
    step.begin = slots.size();
    step.kernel = (*found)[steps.size() - 1];
    for (size_t i = 0; i < 3; ++i) {
      step.launch.grid[i] = value(spec.grid[i]);
      step.launch.block[i] = value(spec.block[i]);
      step.skipped |= step.launch.grid[i] == 0;
    }
    step.launch.sharedBytes = optionalValue(spec.shared).value_or(0);
    step.reads = optionalValue(spec.reads);
    step.writes = optionalValue(spec.writes);
    step.flops = optionalValue(spec.flops);
    for (size_t i = 0; i < spec.args.size(); ++i)
      if (Error error = bindArg(spec.args[i]))
        return error.in(where() + " argument " + std::to_string(i));
    if (step.skipped)
      continue;
    if (Error error = device->prepare(*step.kernel, step.launch))
      return error.in(where());
    std::vector<int64_t> numbers;
    for (size_t i = step.begin; i < slots.size(); ++i)
      numbers.push_back(slots[i].value);
    if (Error error = step.kernel->checkMemory(
            numbers, {bytes.data() + step.begin, numbers.size()}))
      return error.in(where());
  }
  return checkWrites();
}

/// Each output is written: what a plan says of a kernel may be wrong.
Error BoundFunction::State::checkWrites() const {
  std::vector<bool> isWritten(outputs.size());
  for (const BoundStep &step : steps)
    for (size_t i = 0; i < (step.skipped ? 0 : step.numArguments()); ++i) {
      const ArgSpec &arg = step.spec->args[i];
      const auto *parameters = step.kernel->parameters();
      bool onlyReads = parameters && (*parameters)[i].access ==
                                         KernelParameter::Access::Reads;
      if (arg.kind == ArgSpec::Kind::Output && arg.written && !onlyReads)
        isWritten[static_cast<size_t>(arg.index)] = true;
    }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!isWritten[i] && outputs[i].bytes > 0)
      return failure("output '", outputs[i].name,
                     "': expected a kernel that writes it, got none");
  return {};
}

/// For each step, those that it waits for: outputs and the workspace alone are
/// written, and they do not overlap.
const std::vector<std::vector<size_t>> &BoundFunction::State::order() const {
  std::call_once(isOrdered, [&] {
    std::vector<size_t> running;
    std::vector<std::vector<Access>> accesses;
    for (size_t number = 0; number < steps.size(); ++number) {
      const BoundStep &step = steps[number];
      if (step.skipped)
        continue;
      running.push_back(number);
      std::vector<Access> &list = accesses.emplace_back();
      for (size_t i = 0; i < step.numArguments(); ++i) {
        const Slot &slot = slots[step.begin + i];
        int64_t size = bytes[step.begin + i];
        bool written = step.spec->args[i].written;
        if (slot.kind == ArgSpec::Kind::Output)
          list.push_back({1 + slot.index, 0, size, written});
        else if (slot.kind == ArgSpec::Kind::Workspace)
          list.push_back({0, slot.value, size, written});
      }
    }
    std::vector<std::vector<size_t>> after = orderSteps(accesses);
    waits.resize(steps.size());
    for (size_t i = 0; i < running.size(); ++i)
      waits[running[i]] = std::move(after[i]);
  });
  return waits;
}

Error BoundFunction::State::bind(GraphSource &source,
                                 const BindOptions &options) {
  if (Error error = source.check())
    return error;
  Expected<std::vector<int64_t>> evaluated =
      evaluate(*plan, [&](size_t graph, const CountKey &key) {
        return source.count(graph, key);
      });
  if (!evaluated)
    return evaluated.takeError();
  values = std::move(*evaluated);
  workspaceBytes = value(plan->workspace);
  if (workspaceBytes < 0)
    return failure("expected a workspace of 0 or more bytes, got ",
                   workspaceBytes);
  // An error of loading comes before those of building.
  auto loaded = package->kernelsOn(device);
  if (!loaded)
    return loaded.takeError();
  Expected<const void *> data = package->constantsOn(device);
  if (!data)
    return data.takeError();
  constants = *data;
  if (Error error = bindTensors(source))
    return error;
  if (Error error = bindStructures(source, options))
    return error;
  return bindSteps();
}

Expected<std::shared_ptr<const BoundFunction>> BoundFunction::make(
    std::shared_ptr<const Package> package, const std::string &function,
    std::shared_ptr<Device> device, const BindOptions &options,
    const std::function<std::unique_ptr<GraphSource>(State &)> &makeSource) {
  using Result = Expected<std::shared_ptr<const BoundFunction>>;
  return guarded("bind", [&]() -> Result {
    if (!package || !device)
      return failure("expected a package and a device, got none");
    HostMemoryScope memory;
    std::shared_ptr<BoundFunction> bound(new BoundFunction());
    State &state = *bound->state;
    Expected<const FunctionPlan *> plan = package->plan().find(function);
    if (!plan)
      return plan.takeError();
    state.plan = *plan;
    state.package = std::move(package);
    state.device = std::move(device);
    if (Error error = state.bind(*makeSource(state), options))
      return error.in("function '" + function + "'");
    return std::shared_ptr<const BoundFunction>(std::move(bound));
  });
}

Expected<std::shared_ptr<const BoundFunction>> BoundFunction::bind(
    std::shared_ptr<const Package> package, const std::string &function,
    std::vector<std::shared_ptr<const Graph>> graphs,
    std::shared_ptr<Device> device, const BindOptions &options) {
  return make(std::move(package), function, std::move(device), options,
              [&](State &state) {
                state.graphs = graphs;
                return makeSource(*state.plan, std::move(graphs), state.device,
                                  options.allocator);
              });
}

Expected<std::shared_ptr<const BoundFunction>>
BoundFunction::bindBuilt(std::shared_ptr<const Package> package,
                         const std::string &function,
                         const std::map<std::string, BuiltGraph> &graphs,
                         std::shared_ptr<Device> device) {
  return make(std::move(package), function, std::move(device), {},
              [&](State &state) { return makeSource(*state.plan, graphs); });
}

const std::string &BoundFunction::name() const { return state->plan->name; }

const FunctionPlan &BoundFunction::plan() const { return *state->plan; }

const std::shared_ptr<Device> &BoundFunction::device() const {
  return state->device;
}

int64_t BoundFunction::workspaceBytes() const { return state->workspaceBytes; }

int64_t BoundFunction::structureBytes() const { return state->structureBytes; }

const std::vector<TensorInfo> &BoundFunction::inputs() const {
  return state->inputs;
}

const std::vector<TensorInfo> &BoundFunction::outputs() const {
  return state->outputs;
}

//===----------------------------------------------------------------------===//
// Run
//===----------------------------------------------------------------------===//

Error BoundFunction::State::launch(const BoundStep &step,
                                   ArrayView<ConstBuffer> ins,
                                   ArrayView<Buffer> outs, Buffer workspace,
                                   Stream stream, Capture *capture) const {
  // On the stack, so that runs at once do not meet. A 32-bit scalar is the low
  // half of its place.
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  int64_t values[kMaxKernelArguments];
  void *pointers[kMaxKernelArguments];
  size_t count = step.numArguments();
  for (size_t i = 0; i < count; ++i) {
    const Slot &slot = slots[step.begin + i];
    values[i] = slot.value;
    if (slot.kind == ArgSpec::Kind::Input)
      values[i] = static_cast<int64_t>(
          reinterpret_cast<intptr_t>(ins[slot.index].data));
    else if (slot.kind == ArgSpec::Kind::Output)
      values[i] = static_cast<int64_t>(
          reinterpret_cast<intptr_t>(outs[slot.index].data));
    else if (slot.kind == ArgSpec::Kind::Workspace)
      values[i] +=
          static_cast<int64_t>(reinterpret_cast<intptr_t>(workspace.data));
    pointers[i] = &values[i];
  }
  LaunchArguments arguments{pointers, bytes.data() + step.begin, count};
  Error error =
      capture
          ? capture->launch(*step.kernel, step.launch, arguments, waitsOf(step))
          : device->launch(*step.kernel, step.launch, arguments, stream);
  return error ? error.in("kernel '" + step.name() + "'") : error;
}

Error BoundFunction::run(ArrayView<ConstBuffer> inputs,
                         ArrayView<Buffer> outputs, Buffer workspace,
                         Stream stream) const {
  return guarded("run", [&]() -> Error {
    if (Error error = checkRunMemory(*state->device, {state->inputs, inputs},
                                     {state->outputs, outputs},
                                     {state->workspaceBytes, workspace}))
      return error.in(name());
    auto capture = state->device->capture(stream);
    if (!capture)
      return capture.takeError().in(name());
    for (const BoundStep &step : state->steps)
      if (!step.skipped)
        if (Error error = state->launch(step, inputs, outputs, workspace,
                                        stream, capture->get())) {
          // Who gets an error takes the run for over, and its memory back.
          if (!*capture)
            (void)state->device->synchronize(stream);
          return error.in(name());
        }
    return *capture ? (*capture)->finish().in(name()) : Error();
  });
}

Report BoundFunction::report() const {
  Report report;
  report.function = name();
  report.device = state->device->name();
  report.workspaceBytes = state->workspaceBytes;
  report.structureBytes = state->structureBytes;
  std::vector<size_t> running;
  for (const BoundStep &step : state->steps) {
    StepReport row;
    row.kernel = step.name();
    row.code = step.kernel->name();
    row.grid = step.launch.grid;
    row.block = step.launch.block;
    row.sharedBytes = step.launch.sharedBytes;
    row.skipped = step.skipped;
    row.bytesRead = step.reads;
    row.bytesWritten = step.writes;
    row.flops = step.flops;
    if (!step.skipped)
      running.push_back(report.steps.size());
    for (size_t number : state->waitsOf(step))
      row.after.push_back(running[number]);
    row.kernelInfo = step.kernel->info();
    row.ops = step.spec->ops;
    row.schedule = step.spec->schedule;
    row.scheduleFrom = step.spec->scheduleFrom;
    report.steps.push_back(std::move(row));
  }
  return report;
}

Expected<Report> BoundFunction::profile(ArrayView<ConstBuffer> inputs,
                                        ArrayView<Buffer> outputs,
                                        Buffer workspace, Stream stream,
                                        int repetitions) const {
  return guarded("profile", [&]() -> Expected<Report> {
    if (repetitions < 1)
      return failure("expected 1 or more repetitions, got ", repetitions);
    // Also the first run, which no time is taken from.
    if (Error error = run(inputs, outputs, workspace, stream))
      return error;
    if (Error error = state->device->synchronize(stream))
      return error;
    Report result = report();
    if (!state->device->hasTimer())
      return result;
    struct Wait { // as after a run that fails
      Device &device;
      Stream stream;
      ~Wait() { (void)device.synchronize(stream); }
    } wait{*state->device, stream};
    std::vector<std::vector<double>> times(state->steps.size());
    for (int i = 0; i < repetitions; ++i)
      for (size_t s = 0; s < state->steps.size(); ++s) {
        if (state->steps[s].skipped)
          continue;
        auto begin = state->device->record(stream);
        if (!begin)
          return begin.takeError();
        if (Error error = state->launch(state->steps[s], inputs, outputs,
                                        workspace, stream, nullptr))
          return error.in(name());
        auto end = state->device->record(stream);
        if (!end)
          return end.takeError();
        Expected<double> time = state->device->elapsed(**begin, **end);
        if (!time)
          return time.takeError();
        times[s].push_back(*time);
      }
    for (size_t s = 0; s < times.size(); ++s) {
      if (times[s].empty())
        continue;
      std::sort(times[s].begin(), times[s].end());
      result.steps[s].milliseconds = times[s][times[s].size() / 2];
    }
    result.measuredRuns = repetitions;
    return result;
  });
}
