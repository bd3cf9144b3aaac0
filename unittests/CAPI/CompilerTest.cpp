//===- CompilerTest.cpp - The C API of the compiler -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/Compiler.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

// In CompilerHeader.c.
extern "C" const char *compilerVersionFromC(void);

namespace {
constexpr const char *sumText = R"(
#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @sum(%x: tensor<?x3xf32, #node> {gnn.name = "x"})
    -> (tensor<?x3xf32, #node> {gnn.name = "out"}) {
  %m = gnn.gather %x via src : tensor<?x3xf32, #node> -> tensor<?x3xf32, #edge>
  %y = gnn.aggregate sum %m via dst : tensor<?x3xf32, #edge> -> tensor<?x3xf32, #node>
  return %y : tensor<?x3xf32, #node>
}
)";

/// The kind of the last error.
GnnErrorKind lastKind = GNN_ERROR_OTHER;

/// The message of an error, which is destroyed; empty for success.
std::string text(GnnError *error) {
  lastKind = gnnErrorKind(error);
  std::string message = error ? gnnErrorMessage(error) : "";
  EXPECT_EQ(error != nullptr, !message.empty());
  gnnErrorDestroy(error);
  return message;
}

/// Options that are there for the time of a test.
class Options {
public:
  Options(
      std::initializer_list<std::pair<const char *, std::string>> set = {}) {
    EXPECT_EQ(text(gnnCompileOptionsCreate(&options)), "");
    for (const auto &[name, value] : set)
      this->set(name, value);
  }
  ~Options() { gnnCompileOptionsDestroy(options); }
  Options(const Options &) = delete;
  Options &operator=(const Options &) = delete;

  void set(const char *name, const std::string &value) {
    EXPECT_EQ(text(gnnCompileOptionsSet(options, name, value.c_str())), "");
  }
  operator GnnCompileOptions *() const { return options; }

private:
  GnnCompileOptions *options = nullptr;
};

std::string compile(const std::string &source, GnnPackage **package,
                    const Options &options = {}) {
  return text(
      gnnCompile(source.data(), source.size(), "layer.mlir", options, package));
}

/// The message of a program that does not compile.
std::string failure(const std::string &source, const Options &options = {}) {
  GnnPackage *package = nullptr;
  std::string message = compile(source, &package, options);
  EXPECT_EQ(package, nullptr);
  return message;
}

std::string slurp(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// A folder for the time of a test.
class Folder {
public:
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "gnn-capi-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

/// @sum bound to a graph of 3 nodes.
GnnBoundFunction *bindSum(const GnnPackage *package, GnnDevice *device) {
  int32_t src[] = {0, 1, 1, 2}, dst[] = {2, 2, 0, 2};
  GnnGraphArrays arrays = {};
  arrays.square = true;
  arrays.idBits = 32;
  arrays.numSrcNodes = 3;
  arrays.numEdges = 4;
  arrays.numNodeTypes = arrays.numEdgeTypes = 1;
  arrays.edgeSrc = {src, sizeof src};
  arrays.edgeDst = {dst, sizeof dst};
  GnnGraph *graph = nullptr;
  EXPECT_EQ(text(gnnGraphCreate(&arrays, &graph)), "");
  GnnBoundFunction *bound = nullptr;
  EXPECT_EQ(text(gnnBind(package, "sum", &graph, 1, device, nullptr, &bound)),
            "");
  gnnGraphRelease(graph);
  return bound;
}

/// Runs @sum on x = (1, 2, 4)'s rows; the first column of the result.
std::vector<float> runSum(const GnnPackage *package, GnnDevice *device) {
  GnnBoundFunction *bound = bindSum(package, device);
  alignas(256) float x[9], y[9];
  for (int i = 0; i < 9; ++i)
    x[i] = static_cast<float>(1 << (i / 3));
  std::vector<char> memory(static_cast<size_t>(gnnBoundWorkspaceBytes(bound)) +
                           256);
  auto address = reinterpret_cast<uintptr_t>(memory.data());
  void *workspace = reinterpret_cast<void *>((address + 255) / 256 * 256);
  GnnConstBuffer input = {x, sizeof x};
  GnnBuffer output = {y, sizeof y};
  EXPECT_EQ(
      text(gnnBoundRun(bound, &input, 1, &output, 1,
                       {workspace, gnnBoundWorkspaceBytes(bound)}, nullptr)),
      "");
  gnnBoundRelease(bound);
  return {y[0], y[3], y[6]};
}
} // namespace

TEST(CompilerCAPI, Versions) {
  EXPECT_STREQ(compilerVersionFromC(), gnnCompilerVersion());
  std::string version = gnnCompilerVersion();
  EXPECT_EQ(version.find(std::string(gnnRuntimeVersion()) + " (MLIR "), 0u);
}

TEST(CompilerCAPI, CompilesAndRuns) {
  GnnPackage *package = nullptr;
  ASSERT_EQ(compile(sumText, &package), "");
  EXPECT_STREQ(gnnPackageFunctionName(package, 0), "sum");
  EXPECT_EQ(gnnPackageKernels(package, "ptx", nullptr), nullptr);
  for (int64_t seed : {-1, 0, 7}) {
    GnnDevice *device = nullptr;
    ASSERT_EQ(text(gnnDeviceOpenEmulator(seed != 0, seed, &device)), "");
    EXPECT_STREQ(gnnDeviceName(device), "emulator");
    EXPECT_EQ(runSum(package, device), (std::vector<float>{2, 0, 7}));
    gnnDeviceRelease(device);
  }
  gnnPackageRelease(package);
}

/// Memory of a device is as long as it was allocated, whatever a caller says.
TEST(CompilerCAPI, ShortBuffers) {
  GnnPackage *package = nullptr;
  ASSERT_EQ(compile(sumText, &package), "");
  for (bool isChecked : {true, false}) {
    GnnDevice *device = nullptr;
    ASSERT_EQ(text(gnnDeviceOpenEmulator(isChecked, -1, &device)), "");
    GnnBoundFunction *bound = bindSum(package, device);
    void *memory[4];
    int64_t scratch = gnnBoundWorkspaceBytes(bound);
    int64_t sizes[] = {36, 36, scratch, 16};
    for (int i = 0; i < 4; ++i)
      ASSERT_EQ(text(gnnDeviceAllocate(device, sizes[i], &memory[i])), "");
    auto run = [&](GnnConstBuffer x, GnnBuffer y) {
      return text(
          gnnBoundRun(bound, &x, 1, &y, 1, {memory[2], scratch}, nullptr));
    };
    EXPECT_EQ(run({memory[0], 36}, {memory[1], 36}), "");
    EXPECT_EQ(run({memory[3], 16}, {memory[1], 36}),
              "sum: input 'x': expected 36 bytes, got 16");
    EXPECT_TRUE(contains(run({memory[3], 36}, {memory[1], 36}),
                         "got 36 of which 16 are allocated"));
    EXPECT_TRUE(contains(run({memory[0], 36}, {memory[3], 36}), "output '"));
    float values[9] = {};
    for (GnnError *error :
         {gnnDeviceCopyToDevice(device, memory[3], values, 36),
          gnnDeviceCopyToHost(device, values, memory[3], 36)})
      EXPECT_EQ(text(error), "copy: expected at most 16 bytes, as many as were "
                             "allocated there, got 36");
    for (void *piece : memory)
      gnnDeviceFree(device, piece);
    gnnBoundRelease(bound);
    gnnDeviceRelease(device);
  }
  gnnPackageRelease(package);
}

TEST(CompilerCAPI, MakesPTX) {
  Options options = {{"chip", "sm_80"}, {"keep-ir", "false"}};
  GnnPackage *package = nullptr;
  ASSERT_EQ(compile(sumText, &package, options), "");
  size_t size = 0;
  std::string ptx = gnnPackageKernels(package, "ptx", &size);
  EXPECT_EQ(ptx.size(), size);
  EXPECT_TRUE(contains(ptx, ".target sm_80"));
  EXPECT_EQ(gnnPackageKernels(package, "mlir", nullptr), nullptr);
  gnnPackageRelease(package);
}

TEST(CompilerCAPI, ReadsNoMoreThanItIsGiven) {
  std::string longer = std::string(sumText) + "and what is not to be read";
  Options options;
  GnnPackage *package = nullptr;
  EXPECT_EQ(text(gnnCompile(longer.data(), std::string(sumText).size(), "",
                            options, &package)),
            "");
  gnnPackageRelease(package);
  package = nullptr;
  EXPECT_EQ(text(gnnCompile(longer.data(), 0, "nothing", options, &package)),
            "");
  EXPECT_EQ(gnnPackageNumFunctions(package), 0);
  gnnPackageRelease(package);
}

TEST(CompilerCAPI, FirstDiagnosticFirst) {
  EXPECT_EQ(failure("func.func @f() {"),
            "layer.mlir:1:15: expected operation name in quotes");
  // Notes follow what they belong to.
  EXPECT_EQ(failure("func.func private @f()\n  func.func private @f()"),
            "layer.mlir:2:3: redefinition of symbol named 'f'\n"
            "layer.mlir:1:1: note: see existing symbol definition here");
}

/// The explanation of a program, or the error.
std::string explained(const std::string &source, const char *passes,
                      GnnExplanationForm form = GNN_EXPLANATION_TEXT) {
  Options options = {{"chip", "sm_80"}, {"passes", passes}};
  char *found = nullptr;
  std::string message = text(gnnExplain(source.data(), source.size(),
                                        "layer.mlir", options, form, &found));
  if (!message.empty())
    return message;
  std::string result = found;
  gnnStringDestroy(found);
  return result;
}

TEST(CompilerCAPI, Explains) {
  std::string tables = explained(sumText, "compact=false");
  EXPECT_EQ(tables.find("estimates for NVIDIA A100 SXM 80 GB\n"), 0u);
  EXPECT_TRUE(contains(tables, "\nleft out: compact\n"));
  EXPECT_FALSE(contains(tables, "the target is the CPU"));
  EXPECT_EQ(explained(sumText, "").find("left out"), std::string::npos);
  EXPECT_EQ(
      explained(sumText, "", GNN_EXPLANATION_DOT).find("digraph explanation {"),
      0u);
  EXPECT_EQ(
      explained(sumText, "", GNN_EXPLANATION_HTML).find("<!DOCTYPE html>"), 0u);
  EXPECT_EQ(explained(sumText, "", static_cast<GnnExplanationForm>(3)),
            "expected a GnnExplanationForm, got 3");
  EXPECT_TRUE(contains(explained(sumText, "cost=time"),
                       "passes: cost: expected one of full, whole-rows, rows, "
                       "got 'time'"));
  EXPECT_EQ(explained("func.func @f() {", ""),
            "layer.mlir:1:15: expected operation name in quotes");
  Options options;
  EXPECT_EQ(text(gnnExplain("", 0, "", options, GNN_EXPLANATION_TEXT, nullptr)),
            "expected text, name, options and a result, got null");
}

TEST(CompilerCAPI, BadOptions) {
  Options options;
  EXPECT_EQ(text(gnnCompileOptionsSet(options, "chips", "sm_80"))
                .find("options: expected one of target, chip, features, "),
            0u);
  EXPECT_EQ(lastKind, GNN_ERROR_OPTION);
  EXPECT_EQ(text(gnnCompileOptionsSet(options, "keep-ir", "yes")),
            "keep-ir: expected true or false, got 'yes'");
  EXPECT_EQ(text(gnnCompileOptionsSet(options, "opt-level", "-1")),
            "opt-level: expected a whole number, got '-1'");
  std::string unset = "expected options, a name and a value, got null";
  EXPECT_EQ(text(gnnCompileOptionsSet(nullptr, "chip", "")), unset);
  EXPECT_EQ(text(gnnCompileOptionsSet(options, nullptr, "")), unset);
  EXPECT_EQ(text(gnnCompileOptionsSet(options, "chip", nullptr)), unset);
  EXPECT_EQ(text(gnnCompileOptionsCreate(nullptr)),
            "expected a result, got null");
  EXPECT_EQ(text(gnnCompileOptionsAddGraph(options, "", nullptr)),
            "expected options, the name of a declaration and a graph, got "
            "null");
  std::string unknown = failure(sumText, {{"target", "tpu"}});
  EXPECT_TRUE(contains(unknown, "layer.mlir: target: expected one of the "
                                "targets cuda, emulator, cpu"))
      << unknown;
  EXPECT_TRUE(contains(unknown, ", got 'tpu'")) << unknown;
  for (const char *chip : {"sm_9000", "sm_35", "v100"}) {
    options.set("chip", chip);
    std::string message = failure(sumText, options);
    EXPECT_TRUE(contains(message, " or a chip of sm_70, ")) << message;
    EXPECT_TRUE(contains(message, std::string(", got '") + chip + "'"));
    EXPECT_FALSE(contains(message, "\n")) << message;
    char *explanation = nullptr;
    EXPECT_TRUE(contains(
        text(gnnExplain(sumText, std::string(sumText).size(), "layer.mlir",
                        options, GNN_EXPLANATION_TEXT, &explanation)),
        " or a chip of sm_70, "));
  }
  GnnPackage *package = nullptr;
  std::string nulls = "expected text, name, options and a result, got null";
  EXPECT_EQ(text(gnnCompile(nullptr, 0, "", options, &package)), nulls);
  EXPECT_EQ(text(gnnCompile("", 0, nullptr, options, &package)), nulls);
  EXPECT_EQ(text(gnnCompile("", 0, "", nullptr, &package)), nulls);
  EXPECT_EQ(text(gnnCompile("", 0, "", options, nullptr)), nulls);
  GnnDevice *device = nullptr;
  EXPECT_EQ(text(gnnDeviceOpenEmulator(true, -2, &device)),
            "expected a seed of 0 or more, or -1, got -2");
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(text(gnnDeviceOpenEmulator(true, -1, nullptr)),
            "expected a result, got null");
  EXPECT_EQ(text(gnnDeviceOpenCpu(-1, &device)),
            "expected 0 to 1024 threads, got -1");
  EXPECT_EQ(text(gnnDeviceOpenCpu(1025, &device)),
            "expected 0 to 1024 threads, got 1025");
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(text(gnnDeviceOpenCpu(0, nullptr)), "expected a result, got null");
}

/// Records of the user's own file; one that is not there has none.
TEST(CompilerCAPI, RecordsOfAnotherKindOfFile) {
  std::string path = testing::TempDir() + "other.jsonl";
  std::ofstream(path) << "{}\n";
  GnnPackage *package = nullptr;
  Options options({{"target", "cpu"}, {"records", path}});
  EXPECT_EQ(compile(sumText, &package, options),
            "layer.mlir: records: expected a file of records, got '" + path +
                "': expected a ratio and a schedule, and no cell");
  EXPECT_EQ(lastKind, GNN_ERROR_OPTION);
  std::remove(path.c_str());
  EXPECT_EQ(compile(sumText, &package, options), "");
  gnnPackageRelease(package);
}

TEST(CompilerCAPI, DeepNestingIsRefused) {
  for (const char *pair : {"()", "[]", "{}", "<>"}) {
    std::string source = "func.func private @f() attributes {a = ";
    source += std::string(1000000, pair[0]);
    EXPECT_TRUE(contains(failure(source), "expected at most")) << pair;
  }
}

TEST(CompilerCAPI, PhasesAndReproducers) {
  Folder folder;
  std::string phases = (folder.path / "phases").string();
  std::string reproducer = (folder.path / "again.mlir").string();
  Options options = {
      {"chip", "sm_90"}, {"phases", phases}, {"reproducer", reproducer}};
  GnnPackage *package = nullptr;
  ASSERT_EQ(compile(sumText, &package, options), "");
  gnnPackageRelease(package);
  for (const char *name :
       {"1-graph.mlir", "2-tile.mlir", "3-schedule.mlir", "4-block.mlir",
        "5-loops.mlir", "6-lanes.mlir", "7-gpu.mlir", "8-math.mlir",
        "9-ptx.mlir", "kernels.ptx"})
    EXPECT_FALSE(slurp(folder.path / "phases" / name).empty()) << name;
  EXPECT_FALSE(std::filesystem::exists(reproducer));

  EXPECT_NE(failure("func.func @f() {", options), "");
  EXPECT_EQ(lastKind, GNN_ERROR_PROGRAM);
  std::string again = slurp(reproducer);
  EXPECT_EQ(again.find("func.func @f() {\n"), 0u);
  EXPECT_TRUE(contains(again, "pipeline: \"builtin.module()\""));
  options.set("passes", "fuse=false");
  std::string source = sumText;
  source += R"(
func.func private @h(tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node>
func.func @calls(%x: tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  %y = func.call @h(%x) : (tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node>
  return %y : tensor<?x3xf32, #node>
})";
  EXPECT_NE(
      failure(source, {{"reproducer", reproducer},
                       {"stage-passes", "graph-begin=cse"},
                       {"stage-passes", "tile-end=func.func(gnn-move-scales),"
                                        "canonicalize{max-iterations=3}"},
                       {"stage-passes", "graph-begin=canonicalize"}}),
      "");
  again = slurp(reproducer);
  EXPECT_TRUE(contains(again, "},cse,canonicalize,gnn-graph-pipeline{"))
      << again;
  EXPECT_TRUE(contains(again, "},func.func(gnn-move-scales),canonicalize{max-"
                              "iterations=3},gnn-schedule-pipeline{"))
      << again;
  // gnn-opt does not have the options.
  std::filesystem::remove(reproducer);
  EXPECT_EQ(failure(source, {{"reproducer", reproducer},
                             {"stage-passes", "graph-begin"}})
                .find("layer.mlir: stage-passes: expected POINT=PASSES"),
            0u);
  EXPECT_EQ(lastKind, GNN_ERROR_OPTION);
  options.set("gradients", "nobody: x");
  EXPECT_EQ(failure(source, options).find("layer.mlir: gradients: expected"),
            0u);
  EXPECT_EQ(lastKind, GNN_ERROR_OPTION);
  options.set("gradients", "");
  EXPECT_FALSE(std::filesystem::exists(reproducer));
  EXPECT_NE(failure(source, options), "");
  again = slurp(reproducer);
  EXPECT_TRUE(contains(again,
                       "pipeline: \"builtin.module(gnn-attach-target{kind="
                       "cuda chip=h200},gnn-graph-pipeline{"))
      << again;
  EXPECT_TRUE(contains(
      again, "},gnn-tile-pipeline{edge-numbers=-1 edge-walks=-1 fuse=false "
             "gather-copies=-1 group-edges=true hoist-factors=true "
             "long-rows=-1 "))
      << again;
  EXPECT_TRUE(contains(
      again,
      " tensor-cores=true},"
      "gnn-block-pipeline{after-blocked= scalar-loops=false "
      "sums-in-products=false},"
      "gnn-loops-pipeline{after-loops= scalar-loops=false},"
      "gnn-lanes-pipeline{scalar-loops=false},gnn-gpu-pipeline,"
      "gnn-math-pipeline,"
      "gnn-verify-launch-form,gnn-ptx-pipeline{cache-policies=true chip= "))
      << again;

  // A file that cannot be written is told after what went wrong.
  std::string nowhere = (folder.path / "none" / "again.mlir").string();
  options.set("reproducer", nowhere);
  std::string message = failure("func.func @f() {", options);
  EXPECT_EQ(message.find("layer.mlir:1:15: "), 0u);
  EXPECT_TRUE(contains(message, "\nreproducer: "));
}

/// @f(x, w) -> (y, n), where n are integers.
constexpr const char *productText = R"(
#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?x3xf32, #node> {gnn.name = "x"},
             %w: tensor<3x3xf32> {gnn.name = "w"},
             %i: tensor<?xi32, #node> {gnn.name = "i"})
    -> (tensor<?x3xf32, #node> {gnn.name = "y"},
        tensor<?x3xf32, #node> {gnn.name = "z"},
        tensor<?xi32, #node> {gnn.name = "n"}) {
  %h = gnn.linear %x, %w : (tensor<?x3xf32, #node>, tensor<3x3xf32>) -> tensor<?x3xf32, #node>
  %y = gnn.activation gelu %h : tensor<?x3xf32, #node>
  %z = gnn.activation tanh %x : tensor<?x3xf32, #node>
  %n = arith.addi %i, %i : tensor<?xi32, #node>
  return %y, %z, %n : tensor<?x3xf32, #node>, tensor<?x3xf32, #node>, tensor<?xi32, #node>
}
)";

/// "x:input w:input | y:output" of a function on a graph of one node.
std::string borders(const GnnPackage *package, const char *function) {
  GnnGraphArrays arrays = {};
  arrays.square = true;
  arrays.idBits = 32;
  arrays.numSrcNodes = arrays.numNodeTypes = arrays.numEdgeTypes = 1;
  GnnGraph *graph = nullptr;
  EXPECT_EQ(text(gnnGraphCreate(&arrays, &graph)), "");
  GnnDevice *device = nullptr;
  EXPECT_EQ(text(gnnDeviceOpenEmulator(true, -1, &device)), "");
  GnnBoundFunction *bound = nullptr;
  EXPECT_EQ(
      text(gnnBind(package, function, &graph, 1, device, nullptr, &bound)), "");
  auto what = [](const char *of, const char *key) {
    return (of ? std::string(" of ") + of : "") + (key ? " by a key" : "");
  };
  std::string found;
  GnnTensorInfo info;
  for (int64_t i = 0; gnnBoundInput(bound, i, &info); ++i)
    found += std::string(info.name) + ":" + gnnBoundInputRole(bound, i) +
             what(gnnBoundInputOf(bound, i), gnnBoundInputKey(bound, i)) + " ";
  found += "|";
  for (int64_t i = 0; gnnBoundOutput(bound, i, &info); ++i)
    found += std::string(" ") + info.name + ":" + gnnBoundOutputRole(bound, i) +
             what(gnnBoundOutputOf(bound, i), gnnBoundOutputKey(bound, i));
  EXPECT_EQ(gnnBoundInputOf(bound, -1), nullptr);
  EXPECT_EQ(gnnBoundOutputKey(bound, gnnBoundNumOutputs(bound)), nullptr);
  EXPECT_EQ(gnnBoundInputRole(bound, -1), nullptr);
  EXPECT_EQ(gnnBoundInputRole(bound, gnnBoundNumInputs(bound)), nullptr);
  EXPECT_EQ(gnnBoundOutputRole(bound, gnnBoundNumOutputs(bound)), nullptr);
  const char *of = gnnBoundGradientOf(bound), *pass = gnnBoundPass(bound);
  EXPECT_EQ(of == nullptr, pass == nullptr);
  found += of ? std::string(" ") + pass + " of " + of : "";
  gnnBoundRelease(bound);
  gnnDeviceRelease(device);
  gnnGraphRelease(graph);
  return found;
}

TEST(CompilerCAPI, Gradients) {
  const char *ofBoth = "x:input saved_0:saved by a key d_y:gradient of y "
                       "d_z:gradient of z | d_w:gradient of w backward of f";
  struct {
    const char *asked, *backward;
  } cases[] = {
      {"f: w", ofBoth},
      {" : w ;", ofBoth},
      {"f: w -> y", "x:input saved_0:saved by a key d_y:gradient of y | "
                    "d_w:gradient of w backward of f"},
      {"f:",
       "x:input w:input z:output saved_0:saved by a key d_y:gradient of y "
       "d_z:gradient of z | d_x:gradient of x d_w:gradient of w backward of f"},
  };
  for (auto [asked, backward] : cases) {
    Options options = {{"gradients", asked}};
    GnnPackage *package = nullptr;
    ASSERT_EQ(compile(productText, &package, options), "") << asked;
    EXPECT_EQ(borders(package, "f"),
              "x:input w:input i:input | y:output z:output n:output");
    EXPECT_EQ(borders(package, "f_forward"),
              "x:input w:input i:input | y:output z:output n:output "
              "saved_0:saved by a key forward of f");
    EXPECT_EQ(borders(package, "f_backward"), backward) << asked;
    gnnPackageRelease(package);
  }
}

TEST(CompilerCAPI, LittleMemoryForGradients) {
  Options options = {{"gradients", "f: w"}, {"passes", "memory=low"}};
  GnnPackage *package = nullptr;
  ASSERT_EQ(compile(productText, &package, options), "");
  EXPECT_EQ(borders(package, "f_backward"),
            "x:input w:input d_y:gradient of y d_z:gradient of z | "
            "d_w:gradient of w backward of f");
  gnnPackageRelease(package);
  options.set("passes", "memory=none");
  EXPECT_TRUE(
      contains(failure(productText, options),
               "passes: memory: expected one of fast, low, got 'none'"));
}

TEST(CompilerCAPI, BadGradients) {
  struct {
    const char *asked, *message;
  } cases[] = {
      {"g: w", "gradients: expected one of f, got 'g'"},
      {"f", "gradients: expected FUNCTION: INPUTS -> OUTPUTS, got 'f'"},
      {"f: w; : x", "gradients: expected each function once, got 'f' again"},
      {"f: w ->", "gradients: expected outputs behind '->', got none for 'f'"},
      {"f: v", "expected gradients with respect to inputs of floating point "
               "features, x, w, got 'v'"},
      {"f: i", "has no gradient with respect to input 'i': expected floating "
               "point features, got "},
      {"f: w -> n", "expected gradients of results of floating point features, "
                    "y, z, got 'n'"},
  };
  Folder folder;
  std::string reproducer = (folder.path / "again.mlir").string();
  Options options = {{"reproducer", reproducer}};
  for (auto [asked, message] : cases) {
    options.set("gradients", asked);
    std::string got = failure(productText, options);
    EXPECT_TRUE(contains(got, message)) << got;
    EXPECT_FALSE(contains(got, "\n")) << got;
  }
  // The requests are in the program.
  EXPECT_TRUE(contains(slurp(reproducer), "gnn.gradients = [\"w\"]"));
  EXPECT_TRUE(contains(slurp(reproducer), "gnn.gradient_outputs = [\"n\"]"));
  std::string two = productText;
  two += "func.func @k(%x: tensor<3xf32>) -> tensor<3xf32> { return %x : "
         "tensor<3xf32> }";
  options.set("gradients", ": x");
  std::string got = failure(two, options);
  EXPECT_TRUE(contains(got, "gradients: expected one of f, k, got none"))
      << got;
  options.set("gradients", "f: x");
  const char *lowered = R"(gpu.module @k { gpu.func @k() kernel { gpu.return } }
func.func @f() { return })";
  EXPECT_TRUE(
      contains(failure(lowered, options),
               "gradients: expected a module of ops on tensors, got one "
               "of kernels"));
}

TEST(CompilerCAPI, ManyThreads) {
  std::vector<std::string> messages(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < messages.size(); ++i)
    threads.emplace_back([&, i] {
      GnnPackage *package = nullptr;
      messages[i] = compile(i % 2 ? "func.func @f() {" : sumText, &package);
      gnnPackageRelease(package);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < messages.size(); ++i)
    EXPECT_EQ(messages[i].empty(), i % 2 == 0) << messages[i];
}
