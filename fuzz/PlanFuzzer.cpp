//===- PlanFuzzer.cpp - Runs edited launch plans on the emulator ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An input is the text of a launch plan, or of kernels. It is loaded with the
// kernels, or the last plan, of test/Packages/Inputs, bound to small graphs and
// run on the checked emulator: each function is an error, or leaves its inputs
// and all other memory alone. Mutations edit the plan as JSON, and numbers of
// the kernels where these say which memory they take, so that most are still
// such texts.

#include "CAPIHandles.h"
#include "GNN-c/Compiler.h"
#include "JsonEditor.h"
#include "SmallGraph.h"

#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/HostMemory.h"
#include "GNN/Runtime/Package.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

using namespace gnn::runtime;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// The emulator, which compiles the kernels of all inputs once.
class KeptKernels : public HostMemoryDevice {
public:
  KeptKernels() {
    auto read = [](const std::string &name) {
      std::ifstream file(GNN_FUZZ_INPUTS "/" + name, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    text = read("kernels.mlir");
    plan = read("plan-v" + std::to_string(LaunchPlan::kVersion) + ".json");
    GnnDevice *device = nullptr;
    if (text.empty() || plan.empty() ||
        gnnDeviceOpenEmulator(true, -1, &device))
      std::abort();
    emulator = device->value;
    gnnDeviceRelease(device);
    auto loaded = emulator->loadKernels("mlir", text, "");
    if (!loaded)
      std::abort();
    kernels = *loaded;
  }

  std::string kind() const override { return "emulator"; }
  std::string name() const override { return kind(); }
  std::vector<std::string> kernelFormats() const override { return {"mlir"}; }
  Expected<std::shared_ptr<const Kernels>>
  loadKernels(const std::string &format, const std::string &image,
              const std::string &chip) override {
    return image == text ? kernels : emulator->loadKernels(format, image, chip);
  }
  Error prepare(const Kernel &kernel, const Launch &launch) override {
    return emulator->prepare(kernel, launch);
  }
  Error launch(const Kernel &kernel, const Launch &launch,
               const LaunchArguments &arguments, Stream stream) override {
    return emulator->launch(kernel, launch, arguments, stream);
  }

  std::string text, plan;

private:
  std::shared_ptr<Device> emulator;
  std::shared_ptr<const Kernels> kernels;
};

/// Memory with a margin on both sides that nobody may write.
class WithMargins {
public:
  static constexpr size_t kMargin = 256;

  explicit WithMargins(int64_t bytes)
      : bytes(static_cast<size_t>(bytes)),
        memory(2 * kMargin + this->bytes + kMargin, kFill) {
    auto address = reinterpret_cast<uintptr_t>(memory.data());
    begin = kMargin + (kMargin - address % kMargin) % kMargin;
  }
  char *data() { return memory.data() + begin; }
  std::string copy() const { return memory.substr(begin, bytes); }
  bool isWhole() const {
    return memory.find_first_not_of(kFill) >= begin &&
           memory.find_first_not_of(kFill, begin + bytes) == std::string::npos;
  }

private:
  static constexpr char kFill = 0x5a;
  size_t bytes, begin = 0;
  std::string memory;
};

bool isKernels(std::string_view text) {
  return text.find("gpu.module") != text.npos;
}

constexpr int64_t kMostBytes = 1 << 20, kMostThreads = 1 << 16;

bool isSmall(const BoundFunction &bound) {
  bool result = bound.workspaceBytes() <= kMostBytes;
  for (const auto *tensors : {&bound.inputs(), &bound.outputs()})
    for (const TensorInfo &tensor : *tensors)
      result &= tensor.bytes <= kMostBytes;
  for (const StepReport &step : bound.report().steps) {
    int64_t threads = 1;
    for (int64_t extent : {step.grid[0], step.grid[1], step.grid[2],
                           step.block[0], step.block[1], step.block[2]})
      result &= !__builtin_mul_overflow(threads, extent, &threads) &&
                threads <= kMostThreads;
  }
  return result;
}

void run(const BoundFunction &bound) {
  std::vector<std::unique_ptr<WithMargins>> memory;
  auto add = [&](int64_t bytes) {
    return memory.emplace_back(std::make_unique<WithMargins>(bytes))->data();
  };
  std::vector<ConstBuffer> inputs;
  std::vector<Buffer> outputs;
  for (const TensorInfo &tensor : bound.inputs()) {
    char *data = add(tensor.bytes);
    for (int64_t i = 0; tensor.dtype == DataType::F32 && 4 * i < tensor.bytes;
         ++i) {
      float value = static_cast<float>(i % 7) - 3;
      std::memcpy(data + 4 * i, &value, sizeof value);
    }
    if (tensor.dtype != DataType::F32)
      std::memset(data, 0, static_cast<size_t>(tensor.bytes));
    inputs.push_back({data, tensor.bytes});
  }
  std::vector<std::string> before;
  for (const auto &piece : memory)
    before.push_back(piece->copy());
  for (const TensorInfo &tensor : bound.outputs())
    outputs.push_back({add(tensor.bytes), tensor.bytes});
  Buffer workspace{add(bound.workspaceBytes()), bound.workspaceBytes()};
  (void)static_cast<bool>(bound.run(inputs, outputs, workspace, nullptr));
  for (size_t i = 0; i < before.size(); ++i)
    if (memory[i]->copy() != before[i])
      std::abort(); // inputs are only read
  for (const auto &piece : memory)
    if (!piece->isWhole())
      std::abort(); // nothing is touched but what is given
}
} // namespace

/// The functions that were run, for the replay of a corpus.
extern "C" size_t numRuns;
size_t numRuns = 0;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static auto device = std::make_shared<KeptKernels>();
  std::string input(reinterpret_cast<const char *>(data), size);
  bool isPlan = !isKernels(input);
  auto plan = LaunchPlan::parse(isPlan ? input : device->plan);
  if (!plan || plan->constantBytes > kMostBytes)
    return 0;
  std::string constants(static_cast<size_t>(plan->constantBytes), '\0');
  auto package = Package::create(std::move(*plan),
                                 {{"mlir", isPlan ? device->text : input}},
                                 std::move(constants));
  if (!package)
    std::abort(); // parsed plans are sound
  for (const FunctionPlan &function : (*package)->plan().functions) {
    std::vector<std::shared_ptr<const Graph>> graphs;
    for (const GraphSpec &spec : function.graphs)
      graphs.push_back(smallGraph(spec));
    auto bound = BoundFunction::bind(*package, function.name, graphs, device);
    if (bound && isSmall(**bound)) {
      run(**bound);
      ++numRuns;
    }
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Edits
//===----------------------------------------------------------------------===//

namespace {
class Editor : public JsonEditor {
public:
  Editor(Json &plan, unsigned seed) : JsonEditor(plan, seed) {
    // Arguments of kernels, and expressions.
    for (Json *node : nodes)
      if (kindOf(*node) || (node->is_object() && node->contains("op") &&
                            !node->contains("expected")))
        known.push_back(node);
  }

private:
  // Most other nodes are names, of which any other makes no plan.
  Json *choose() override {
    return draw(4) && !known.empty() ? known[draw(known.size())]
                                     : JsonEditor::choose();
  }

  static const char *kindOf(const Json &node) {
    for (const char *kind : kKinds)
      if (node.is_object() && node.contains(kind))
        return kind;
    return nullptr;
  }

  void editArgument(Json &node, const std::string &kind) {
    switch (draw(3)) {
    case 0: // another index
      editNumber(node[kind]);
      return;
    case 1: // another argument
      for (int i = 0; i < 100; ++i)
        if (Json *other = known[draw(known.size())]; kindOf(*other)) {
          Json copy = *other;
          node = std::move(copy);
          return;
        }
      return;
    default: // another kind
      const std::string other = kKinds[draw(std::size(kKinds))];
      node = Json::object();
      node[other] = static_cast<int64_t>(draw(4));
      if (other == "workspace" || other == "constant")
        node["bytes"] = static_cast<int64_t>(draw(20));
      if ((other == "workspace" || other == "output") && draw(4))
        node["written"] = true;
    }
  }

  void editObject(Json &node) override {
    if (const char *kind = kindOf(node))
      return editArgument(node, kind);
    if (node.contains("op") && draw(3)) { // becomes a number
      node = {{"op", "const"}, {"value", 0}};
      return editNumber(node["value"]);
    }
    JsonEditor::editObject(node);
  }

  static constexpr const char *kKinds[] = {
      "input", "output", "structure", "workspace", "i32", "i64", "constant"};
  std::vector<Json *> known;
};
} // namespace

/// Edits a number of a line that takes memory; loops stay as long as they are.
static void editKernels(std::string &text, std::mt19937 &random) {
  std::vector<std::pair<size_t, size_t>> numbers;
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    bool takesMemory =
        line.find("memref.") != line.npos || line.find("gpu.func") != line.npos;
    for (size_t i = 1; takesMemory && i < line.size(); ++i)
      if (isDigit(line[i]) && std::strchr(" <[(,x-", line[i - 1])) {
        size_t length = 1;
        while (i + length < line.size() && isDigit(line[i + length]))
          ++length;
        numbers.push_back({begin + i, length});
        i += length;
      }
    begin = end + 1;
  }
  if (numbers.empty())
    return;
  const char *values[] = {"0",
                          "1",
                          "-1",
                          "3",
                          "8",
                          "40",
                          "1000000",
                          "-4000",
                          "4611686018427387904",
                          "-9223372036854775808"};
  auto [at, length] = numbers[random() % numbers.size()];
  text.replace(at, length, values[random() % std::size(values)]);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t capacity, unsigned seed) {
  std::string text(reinterpret_cast<char *>(data), size);
  if (isKernels(text)) {
    std::mt19937 random(seed);
    for (unsigned i = 0; i <= seed % 3; ++i)
      editKernels(text, random);
  } else {
    text = editJson<Editor>(text, seed);
  }
  if (text.size() > capacity)
    return 0;
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
