//===- Model.h - Saved models -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model as in its framework, with its parameters: arguments and results have
// their original names and shapes, and its manifest maps them to the functions
// of packages (docs/Serving.md).
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_MODEL_H
#define GNN_RUNTIME_MODEL_H

#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/Npy.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gnn::runtime {

/// A number of rows, of edges or of nodes: a constant plus extents of
/// arguments.
struct ModelCount {
  struct Extent {
    size_t argument = 0;
    size_t dim = 0;
  };
  int64_t constant = 0;
  std::vector<Extent> extents;
};

/// Numbers of a vector, such as the sources of edges or their types:
/// concatenated parts, each of which is an argument, or one repeated number.
struct ModelIds {
  struct Part {
    /// An argument, or one row of an argument of two dimensions.
    std::optional<size_t> argument;
    std::optional<size_t> row;
    /// Added to each number; before, all numbers are below `limit`, if there is
    /// one.
    ModelCount base;
    std::optional<ModelCount> limit;
    /// Numbers below 0 count from the limit.
    bool wraps = false;
    /// Numbers that are not in [0, others) become `others`.
    std::optional<int64_t> others;
    /// Without an argument: the repeated number and its count; without a
    /// number: the numbers from 0 on.
    ModelCount count;
    std::optional<int64_t> number;
  };
  std::vector<Part> parts;
};

/// A condition on the extents of arguments under which the model computes the
/// captured function.
struct ModelCondition {
  enum class Op { Equal, NotEqual, LessEqual, Less };
  Op op = Op::Equal;
  ModelCount left, right;
  /// For people, in the names of the model.
  std::string text;
};

/// A graph that is built from arguments.
struct ModelGraph {
  std::string name;
  bool square = true;
  int64_t edgeTypes = 1, nodeTypes = 1;
  ModelCount srcNodes, dstNodes;
  ModelIds src, dst;
  /// Types; none if there is only one.
  std::optional<ModelIds> edgeType, srcType, dstType;
};

/// An argument, a parameter or an output.
struct ModelTensor {
  std::string name;
  /// The role of an argument: "features", which each run receives, or "ids",
  /// from which a graph is built.
  std::string role;
  DataType dtype = DataType::F32;
  /// -1: any extent.
  std::vector<int64_t> shape;
};

/// An output: a result of a call, or `rows` rows of one, after the first
/// `skip`.
struct ModelOutput : ModelTensor {
  struct Range {
    ModelCount skip, rows;
  };
  std::string value;
  std::optional<Range> range;
};

/// A target with kernels: its kind, as in Device::kind, and the chip of the
/// kernels if they are for one.
struct ModelTarget {
  std::string kind, chip;

  bool operator==(const ModelTarget &other) const {
    return kind == other.kind && chip == other.chip;
  }
};

/// A call of a function of packages.
struct ModelCall {
  /// The functions for one target, and for graphs of which these have edges
  /// that are sorted by destination.
  struct Image {
    std::string entry;
    ModelTarget target;
    std::vector<std::string> dstSorted;
  };
  /// Rows of an input: features or the result of an earlier call, or, without a
  /// name, rows of zeros.
  struct Rows {
    std::string value;
    ModelCount zeros;
  };
  /// An input: parameters, or rows, concatenated in memory.
  struct Input {
    std::string name;
    std::vector<size_t> parameters;
    std::vector<Rows> rows;
  };
  std::string function;
  std::vector<Image> images;
  std::vector<Input> inputs;
  /// The values of the outputs, in the order of the function.
  std::vector<std::string> results;
};

/// The manifest of a model.
struct ModelManifest {
  std::string name;
  std::vector<ModelTensor> arguments, parameters;
  std::vector<ModelOutput> outputs;
  std::vector<ModelCondition> conditions;
  std::vector<ModelGraph> graphs;
  std::vector<ModelCall> calls;
  /// The targets for which all calls have kernels.
  std::vector<ModelTarget> targets;

  /// Errors name the field.
  static Expected<ModelManifest> parse(std::string_view text);
};

/// The shape of an argument when a model is bound, and for ids also their
/// values in memory of the host, int32 or int64, dense in C order.
struct ModelValue {
  std::string name;
  std::vector<int64_t> shape;
  DataType dtype = DataType::F32;
  const void *data = nullptr;
};

class Archive;
class BoundModel;

/// A saved model: its manifest, parameters and packages. Immutable; packages
/// are read when they are first needed.
class Model : public std::enable_shared_from_this<Model> {
public:
  /// Reads a file, or its bytes. `maxBytes` bounds all entries together once
  /// unpacked.
  static Expected<std::shared_ptr<const Model>>
  load(const std::string &path, int64_t maxBytes = mostBytes());
  static Expected<std::shared_ptr<const Model>>
  loadBytes(std::string_view bytes, int64_t maxBytes = mostBytes());
  /// 64 GiB, or the memory of the machine if that is less.
  static int64_t mostBytes();

  const ModelManifest &manifest() const { return known; }
  /// The text of the manifest in the file.
  const std::string &text() const { return manifestText; }
  /// A parameter as an array.
  const NpyArray &parameter(size_t index) const { return parameters[index]; }
  /// The package in an entry of the file.
  Expected<std::shared_ptr<const Package>>
  package(const std::string &entry) const;
  /// The package of a call for a device, with kernels for edges in any order.
  Expected<std::shared_ptr<const Package>> package(size_t call,
                                                   const Device &device) const;

  /// A graph that is built from arguments, which are checked.
  Expected<std::shared_ptr<const Graph>>
  graph(size_t index, const std::vector<ModelValue> &values) const;

  /// Builds the graphs from arguments and binds all functions to them, on a
  /// device for which there is a package. `values` has a shape for each
  /// argument, in any order, and ids. May allocate and wait.
  Expected<std::shared_ptr<const BoundModel>>
  bind(const std::vector<ModelValue> &values, std::shared_ptr<Device> device,
       const BindOptions &options = {}) const;

private:
  friend class BoundModel;
  struct Uploaded;

  Model() = default;
  static Expected<std::shared_ptr<const Model>> read(const Archive &archive,
                                                     int64_t maxBytes);
  /// The parameters on a device, uploaded once.
  Expected<std::shared_ptr<const Uploaded>>
  parametersOn(const std::shared_ptr<Device> &device) const;

  ModelManifest known;
  std::string manifestText;
  std::vector<NpyArray> parameters;
  std::map<std::string, std::string> entries;
  mutable std::mutex mutex;
  mutable std::map<std::string, std::shared_ptr<const Package>> packages;
  mutable std::map<const Device *, std::shared_ptr<const Uploaded>> uploaded;
};

/// A model with its graphs and parameters on a device. Immutable; runs are
/// re-entrant as long as their workspaces and outputs are distinct.
class BoundModel {
public:
  struct State;
  ~BoundModel();

  /// The features that a run receives, and the results, with their shapes.
  const std::vector<TensorInfo> &inputs() const;
  const std::vector<TensorInfo> &outputs() const;
  /// Bytes of the workspace of a run, aligned to kWorkspaceAlignment.
  int64_t workspaceBytes() const;
  /// The bound functions, in the order in which they run.
  const std::vector<std::shared_ptr<const BoundFunction>> &functions() const;

  /// See BoundFunction::run.
  Error run(ArrayView<ConstBuffer> inputs, ArrayView<Buffer> outputs,
            Buffer workspace, Stream stream) const;

private:
  friend class Model;
  explicit BoundModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_MODEL_H
