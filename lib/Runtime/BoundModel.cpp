//===- BoundModel.cpp - Saved models on a device --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guarded.h"
#include "ModelParts.h"
#include "RunMemory.h"

#include <algorithm>

using namespace gnn::runtime;

static int64_t alignUp(int64_t bytes) {
  return (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment *
         kWorkspaceAlignment;
}

static std::string describe(const TensorInfo &info) {
  return describe(ModelTensor{info.name, "", info.dtype, info.shape});
}

/// The first extent; 1 of a scalar.
static int64_t rowsOf(const TensorInfo &info) {
  return info.shape.empty() ? 1 : info.shape[0];
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<const Model::Uploaded>>
Model::parametersOn(const std::shared_ptr<Device> &device) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<const Uploaded> &found = uploaded[device.get()];
  if (found)
    return found;
  auto made = std::make_shared<Uploaded>();
  std::map<std::vector<size_t>, int64_t> offsets;
  int64_t bytes = 0;
  for (const ModelCall &call : known.calls)
    for (const ModelCall::Input &input : call.inputs) {
      if (input.parameters.empty() ||
          !offsets.emplace(input.parameters, bytes).second)
        continue;
      for (size_t i : input.parameters)
        bytes += static_cast<int64_t>(parameters[i].bytes.size());
      bytes = alignUp(bytes);
    }
  Expected<void *> memory = device->allocate(bytes);
  if (!memory)
    return memory.takeError().in("parameters");
  made->memory.device = device;
  made->memory.data = *memory;
  made->memory.bytes = bytes;
  for (const auto &[which, offset] : offsets) {
    auto *place = static_cast<char *>(*memory) + offset;
    made->inputs[which] = place;
    for (size_t i : which) {
      const std::string &from = parameters[i].bytes;
      auto size = static_cast<int64_t>(from.size());
      if (Error error = device->copyToDevice(place, from.data(), size))
        return error.in("parameters");
      place += size;
    }
  }
  found = std::move(made);
  return found;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// Memory of a run: `bytes` behind an offset in one of its inputs, outputs or
/// inputs of parameters, or in the workspace.
struct Place {
  enum class Of { Input, Output, Parameter, Workspace };
  Of of = Of::Workspace;
  size_t index = 0;
  int64_t offset = 0, bytes = 0;
};

/// A copy: of rows that lie behind others for a call, or of those of its result
/// that are an output. Zeros where there is nothing to copy from.
struct Copy {
  std::optional<Place> from;
  Place to;
};

/// A call of a function, and the copies before it.
struct Step {
  std::shared_ptr<const BoundFunction> function;
  std::vector<Copy> copies;
  std::vector<Place> inputs, outputs;
};
} // namespace

struct BoundModel::State {
  std::shared_ptr<const Model> model;
  std::shared_ptr<Device> device;
  std::shared_ptr<const Model::Uploaded> uploaded;
  /// The parameters of each place of these, and where they are.
  std::vector<std::vector<size_t>> parameterInputs;
  std::vector<const void *> parameters;
  std::vector<TensorInfo> inputs, outputs;
  std::vector<Step> steps;
  /// Behind all calls.
  std::vector<Copy> copies;
  std::vector<std::shared_ptr<const BoundFunction>> functions;
  /// Bytes of values between calls, behind which the functions' own workspace
  /// is, and of both.
  int64_t valueBytes = 0, workspaceBytes = 0;

  Error runSteps(ArrayView<ConstBuffer> given, ArrayView<Buffer> made,
                 Buffer workspace, Stream stream) const;
};

BoundModel::BoundModel(std::unique_ptr<State> state)
    : state(std::move(state)) {}
BoundModel::~BoundModel() = default;

const std::vector<TensorInfo> &BoundModel::inputs() const {
  return state->inputs;
}
const std::vector<TensorInfo> &BoundModel::outputs() const {
  return state->outputs;
}
int64_t BoundModel::workspaceBytes() const { return state->workspaceBytes; }
const std::vector<std::shared_ptr<const BoundFunction>> &
BoundModel::functions() const {
  return state->functions;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

namespace {
/// Features, or the result of a call: its shape, and where it lies.
struct Value {
  TensorInfo info;
  Place place;
};

/// Binds the functions of a model and lays its values out.
class Binder {
public:
  Binder(const ModelManifest &manifest, const Arguments &arguments,
         BoundModel::State &state)
      : manifest(manifest), arguments(arguments), state(state) {}

  Error bind(const BindOptions &options);

private:
  Error makeGraphs();
  void setInputs();
  Error bindCall(const ModelCall &call, const BindOptions &options);
  Expected<std::shared_ptr<const BoundFunction>>
  bindFunction(const ModelCall &call, const BindOptions &options) const;
  Error setInput(const ModelCall::Input &said, const TensorInfo &expected,
                 Step &step);
  Error addOutput(const ModelOutput &said);

  Place allocate(int64_t bytes) {
    Place place{Place::Of::Workspace, 0, state.valueBytes, bytes};
    state.valueBytes = alignUp(place.offset + bytes);
    return place;
  }

  const ModelManifest &manifest;
  const Arguments &arguments;
  BoundModel::State &state;
  std::map<std::string, std::shared_ptr<const Graph>> graphs;
  std::map<std::string, Value> values;
};
} // namespace

Error Binder::makeGraphs() {
  for (const ModelGraph &said : manifest.graphs) {
    auto graph = arguments.graph(said);
    if (!graph)
      return graph.takeError();
    graphs.emplace(said.name, std::move(*graph));
  }
  return {};
}

void Binder::setInputs() {
  for (size_t i = 0; i < manifest.arguments.size(); ++i) {
    const ModelTensor &said = manifest.arguments[i];
    if (said.role != "features")
      continue;
    TensorInfo info{said.name, Role::Input, said.dtype, arguments[i].shape,
                    byteSize(said.dtype)};
    for (int64_t extent : info.shape)
      info.bytes *= extent;
    Place place{Place::Of::Input, state.inputs.size(), 0, info.bytes};
    values[said.name] = {info, place};
    state.inputs.push_back(std::move(info));
  }
}

Expected<std::shared_ptr<const BoundFunction>>
Binder::bindFunction(const ModelCall &call, const BindOptions &options) const {
  auto image = chooseImage(call, *state.device, [&](const std::string &name) {
    return graphs.at(name)->checkDstSorted().in("graph '" + name + "'");
  });
  if (!image)
    return image.takeError();
  const std::string &entry = (*image)->entry;
  auto package = state.model->package(entry);
  if (!package)
    return package.takeError();
  auto plan = (*package)->plan().find(call.function);
  if (!plan)
    return plan.takeError().in(entry);
  std::vector<std::shared_ptr<const Graph>> given;
  for (const GraphSpec &spec : (*plan)->graphs) {
    auto found = graphs.find(spec.name);
    if (found == graphs.end())
      return failure(entry, ": expected a graph of the model, got '", spec.name,
                     "'");
    given.push_back(found->second);
  }
  return BoundFunction::bind(*package, call.function, std::move(given),
                             state.device, options);
}

Error Binder::setInput(const ModelCall::Input &said, const TensorInfo &expected,
                       Step &step) {
  if (!said.parameters.empty()) {
    int64_t bytes = 0;
    for (size_t i : said.parameters) {
      const ModelTensor &parameter = manifest.parameters[i];
      bool isOne = said.parameters.size() == 1;
      if (parameter.dtype != expected.dtype ||
          (isOne && parameter.shape != expected.shape))
        return failure("parameter '", parameter.name, "': expected ",
                       describe(expected), ", got ", describe(parameter));
      bytes += static_cast<int64_t>(state.model->parameter(i).bytes.size());
    }
    if (bytes != expected.bytes)
      return failure("input '", said.name, "': expected parameters of ",
                     expected.bytes, " bytes, got ", bytes);
    auto known = std::find(state.parameterInputs.begin(),
                           state.parameterInputs.end(), said.parameters);
    auto index = static_cast<size_t>(known - state.parameterInputs.begin());
    if (known == state.parameterInputs.end())
      state.parameterInputs.push_back(said.parameters);
    step.inputs.push_back({Place::Of::Parameter, index, 0, bytes});
    return {};
  }
  int64_t rowBytes = byteSize(expected.dtype), rows = 0;
  for (size_t i = 1; i < expected.shape.size(); ++i)
    rowBytes *= expected.shape[i];
  std::vector<Copy> copies;
  Place to;
  for (const ModelCall::Rows &part : said.rows) {
    Expected<int64_t> count = arguments.count(part.zeros);
    std::optional<Place> from;
    if (!part.value.empty()) {
      const auto &[info, place] = values.at(part.value);
      bool fits = info.dtype == expected.dtype &&
                  info.shape.size() == expected.shape.size();
      for (size_t i = 1; fits && i < info.shape.size(); ++i)
        fits = info.shape[i] == expected.shape[i];
      if (!fits)
        return failure("'", part.value, "': expected rows as of ",
                       describe(expected), ", got ", describe(info));
      count = rowsOf(info);
      from = place;
    }
    if (!count)
      return count.takeError();
    rows += *count;
    to.bytes = *count * rowBytes;
    copies.push_back({from, to});
    to.offset += to.bytes;
  }
  if (rows != rowsOf(expected))
    return failure("input '", said.name, "': expected ", describe(expected),
                   ", got ", rows, " rows");
  if (copies.size() == 1 && copies.front().from) {
    step.inputs.push_back(*copies.front().from);
    return {};
  }
  Place whole = allocate(rows * rowBytes);
  for (Copy &copy : copies) {
    copy.to.offset += whole.offset;
    step.copies.push_back(copy);
  }
  step.inputs.push_back(whole);
  return {};
}

Error Binder::bindCall(const ModelCall &call, const BindOptions &options) {
  auto bound = bindFunction(call, options);
  if (!bound)
    return bound.takeError();
  Step step;
  step.function = *bound;
  for (const TensorInfo &info : (*bound)->inputs()) {
    auto said =
        std::find_if(call.inputs.begin(), call.inputs.end(),
                     [&](const auto &one) { return one.name == info.name; });
    if (said == call.inputs.end())
      return failure("function '", call.function, "': expected an input '",
                     info.name, "', got none of that name");
    if (Error error = setInput(*said, info, step))
      return error;
  }
  const std::vector<TensorInfo> &results = (*bound)->outputs();
  if (results.size() != call.results.size())
    return failure("function '", call.function, "': expected ", results.size(),
                   " results, got ", call.results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string &name = call.results[i];
    // What is an output as a whole is written there.
    auto output = std::find_if(
        manifest.outputs.begin(), manifest.outputs.end(),
        [&](const auto &one) { return one.value == name && !one.range; });
    Place place =
        output == manifest.outputs.end()
            ? allocate(results[i].bytes)
            : Place{Place::Of::Output,
                    static_cast<size_t>(output - manifest.outputs.begin()), 0,
                    results[i].bytes};
    values[name] = {results[i], place};
    step.outputs.push_back(place);
  }
  state.functions.push_back(*bound);
  state.steps.push_back(std::move(step));
  return {};
}

/// An output has the extents that the manifest gives it, of which one may be
/// free.
Error Binder::addOutput(const ModelOutput &said) {
  auto [info, from] = values.at(said.value);
  if (said.range) {
    Expected<int64_t> skip = arguments.count(said.range->skip);
    Expected<int64_t> rows = arguments.count(said.range->rows);
    if (!skip || !rows)
      return skip ? rows.takeError() : skip.takeError();
    int64_t all = rowsOf(info), rowBytes = all ? info.bytes / all : 0;
    if (info.shape.empty() || *skip + *rows > all)
      return failure("output '", said.name, "': expected rows of ",
                     describe(info), ", got ", *rows, " behind ", *skip);
    info.shape[0] = *rows;
    info.bytes = from.bytes = *rows * rowBytes;
    from.offset += *skip * rowBytes;
  }
  std::vector<int64_t> shape = said.shape;
  int64_t elements = info.bytes / byteSize(info.dtype), known = 1;
  int64_t *free = nullptr;
  bool fits = said.dtype == info.dtype;
  for (int64_t &extent : shape)
    if (extent >= 0)
      fits = fits && !__builtin_mul_overflow(known, extent, &known);
    else if (free)
      fits = false;
    else
      free = &extent;
  if (fits && free)
    known *= *free = known ? elements / known : rowsOf(info);
  if (!fits || known != elements)
    return failure("output '", said.name, "': expected ", describe(info),
                   ", got ", describe(said));
  info.name = said.name;
  info.shape = std::move(shape);
  Place to{Place::Of::Output, state.outputs.size(), 0, info.bytes};
  if (from.of != to.of || from.index != to.index)
    state.copies.push_back({from, to});
  state.outputs.push_back(std::move(info));
  return {};
}

Error Binder::bind(const BindOptions &options) {
  if (Error error = makeGraphs())
    return error;
  setInputs();
  for (const ModelCall &call : manifest.calls)
    if (Error error = bindCall(call, options))
      return error;
  for (const ModelOutput &output : manifest.outputs)
    if (Error error = addOutput(output))
      return error;
  for (const auto &function : state.functions)
    state.workspaceBytes =
        std::max(state.workspaceBytes, function->workspaceBytes());
  state.workspaceBytes += state.valueBytes;
  return {};
}

Expected<std::shared_ptr<const BoundModel>>
Model::bind(const std::vector<ModelValue> &values,
            std::shared_ptr<Device> device, const BindOptions &options) const {
  return guarded("model", [&]() -> Expected<std::shared_ptr<const BoundModel>> {
    Expected<Arguments> arguments = Arguments::of(known, values);
    if (!arguments)
      return arguments.takeError();
    auto state = std::make_unique<BoundModel::State>();
    state->model = shared_from_this();
    state->device = std::move(device);
    if (Error error = Binder(known, *arguments, *state).bind(options))
      return error;
    auto uploaded = parametersOn(state->device);
    if (!uploaded)
      return uploaded.takeError();
    state->uploaded = std::move(*uploaded);
    for (const std::vector<size_t> &which : state->parameterInputs)
      state->parameters.push_back(state->uploaded->inputs.at(which));
    return std::shared_ptr<const BoundModel>(new BoundModel(std::move(state)));
  });
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Error BoundModel::run(ArrayView<ConstBuffer> inputs, ArrayView<Buffer> outputs,
                      Buffer workspace, Stream stream) const {
  return guarded("run", [&]() -> Error {
    if (Error error = checkRunMemory(*state->device, {state->inputs, inputs},
                                     {state->outputs, outputs},
                                     {state->workspaceBytes, workspace}))
      return error;
    Error error = state->runSteps(inputs, outputs, workspace, stream);
    if (!error)
      return {};
    // Who gets an error takes the run for over, and its memory back.
    auto capture = state->device->capture(stream);
    if (!capture || !*capture)
      (void)state->device->synchronize(stream);
    return error;
  });
}

Error BoundModel::State::runSteps(ArrayView<ConstBuffer> given,
                                  ArrayView<Buffer> made, Buffer workspace,
                                  Stream stream) const {
  auto write = [&](const Place &place) -> void * {
    void *data = place.of == Place::Of::Workspace ? workspace.data
                                                  : made[place.index].data;
    return place.bytes ? static_cast<char *>(data) + place.offset : nullptr;
  };
  auto read = [&](const Place &place) -> const void * {
    if (place.of == Place::Of::Parameter)
      return parameters[place.index];
    return place.of == Place::Of::Input ? given[place.index].data
                                        : write(place);
  };
  auto copy = [&](const std::vector<Copy> &all) -> Error {
    for (const auto &[from, to] : all)
      if (Error error =
              from ? device->copyOnDevice(write(to), read(*from), to.bytes,
                                          stream)
                   : device->fillInStream(write(to), 0, to.bytes, stream))
        return error;
    return {};
  };
  Buffer rest = workspace; // Of the functions, behind the values.
  if (workspace.data)
    rest = {static_cast<char *>(workspace.data) + valueBytes,
            workspace.bytes - valueBytes};
  for (const Step &step : steps) {
    if (Error error = copy(step.copies))
      return error;
    std::vector<ConstBuffer> ins;
    for (const Place &place : step.inputs)
      ins.push_back({read(place), place.bytes});
    std::vector<Buffer> outs;
    for (const Place &place : step.outputs)
      outs.push_back({write(place), place.bytes});
    if (Error error = step.function->run(ins, outs, rest, stream))
      return error;
  }
  return copy(copies);
}
