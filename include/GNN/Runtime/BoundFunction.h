//===- BoundFunction.h - A function with its graphs -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_BOUNDFUNCTION_H
#define GNN_RUNTIME_BOUNDFUNCTION_H

#include "GNN/Runtime/Device.h"
#include "GNN/Runtime/FlatMap.h"
#include "GNN/Runtime/Graph.h"
#include "GNN/Runtime/Package.h"
#include "GNN/Runtime/Structures.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gnn::runtime {

/// An input or output with its concrete shape.
struct TensorInfo {
  std::string name;
  Role role = Role::Input;
  DataType dtype = DataType::F32;
  /// C order, dense.
  std::vector<int64_t> shape;
  int64_t bytes = 0;
};

/// One launch of a bound function.
struct StepReport {
  /// Name of the launch; that of its kernel, unless launches share one.
  std::string kernel;
  /// Name of the kernel.
  std::string code;
  std::array<int64_t, 3> grid = {0, 0, 0};
  std::array<int64_t, 3> block = {0, 0, 0};
  int64_t sharedBytes = 0;
  /// The grid has a zero: the launch is skipped.
  bool skipped = false;
  /// Device time of one launch; none if the device has no timer or no run was
  /// measured.
  std::optional<double> milliseconds;
  /// Counted by the compiler; none if it did not count.
  std::optional<int64_t> bytesRead;
  std::optional<int64_t> bytesWritten;
  std::optional<int64_t> flops;
  KernelInfo kernelInfo;
  /// The launches for which it waits if several run concurrently, by their
  /// place in the report.
  std::vector<size_t> after;
  /// The ops of the model that the kernel computes, its schedule, and where
  /// that is from, as in the plan.
  std::vector<std::string> ops;
  std::string schedule, scheduleFrom;
};

/// The launches of a bound function and their costs.
struct Report {
  std::string function;
  std::string device;
  int64_t workspaceBytes = 0;
  int64_t structureBytes = 0;
  /// The number of runs of whose times the median is given; 0 without times.
  int64_t measuredRuns = 0;
  std::vector<StepReport> steps;

  /// As a JSON object (docs/Debugging.md), or as a table.
  std::string json() const;
  std::string text() const;
};

/// Options of binding.
struct BindOptions {
  /// Memory for the structures on the device; null: the device's own, shared
  /// between bindings of one graph.
  std::shared_ptr<Allocator> allocator;
  /// Called with the current task and the progress, from 0 to 1.
  std::function<void(const std::string &what, double done)> progress;
};

/// A graph that is known by the arrays that its owner has built on the device.
/// A derived graph of a function is separate.
struct BuiltGraph {
  /// int32[size] on the device, aligned to kTensorAlignment.
  struct Array {
    const int32_t *data = nullptr;
    int64_t size = 0;
  };

  bool square = true;
  /// Facts that the owner has checked, as a declaration may require them: the
  /// schema that its edges obey, one self loop for each node, and edges that
  /// are sorted by destination.
  std::vector<EdgeTypeEnds> schema;
  bool selfLoops = false;
  bool dstSorted = false;
  /// The counts that a function names, and the rows of each space of its
  /// tensors and structures.
  FlatMap<CountKey, int64_t> counts;
  FlatMap<StructureKey, Array> structures;
};

class GraphSource;

/// A function of a package with its graphs on a device: all structures built
/// and uploaded, all sizes fixed. Immutable; runs are re-entrant as long as
/// their workspaces and outputs are distinct. Keeps graphs, package and device
/// alive. The last reference must not go while a run is in flight: a device
/// gives freed memory to the next caller, without waiting.
class BoundFunction {
public:
  /// Binds; may allocate and wait. `graphs` are the graphs that the function
  /// declares, in its order; a square graph may be used for a bipartite
  /// declaration. Errors name the expected and the actual property of the
  /// graph.
  static Expected<std::shared_ptr<const BoundFunction>>
  bind(std::shared_ptr<const Package> package, const std::string &function,
       std::vector<std::shared_ptr<const Graph>> graphs,
       std::shared_ptr<Device> device, const BindOptions &options = {});

  /// The same for graphs that were built on the device, by name: those that the
  /// function declares and those that it derives. Copies nothing and does not
  /// wait; the arrays must live as long as the bound function.
  static Expected<std::shared_ptr<const BoundFunction>>
  bindBuilt(std::shared_ptr<const Package> package, const std::string &function,
            const std::map<std::string, BuiltGraph> &graphs,
            std::shared_ptr<Device> device);

  ~BoundFunction();

  const std::string &name() const;
  /// The plan of this function.
  const FunctionPlan &plan() const;
  const std::shared_ptr<Device> &device() const;

  /// Bytes of the workspace of each run, aligned to kWorkspaceAlignment.
  int64_t workspaceBytes() const;

  /// Bytes of the structures on the device.
  int64_t structureBytes() const;

  const std::vector<TensorInfo> &inputs() const;
  const std::vector<TensorInfo> &outputs() const;

  /// Launches all steps on a stream. Takes memory of the device in the order of
  /// inputs() and outputs(), aligned to kTensorAlignment and with at least
  /// their sizes; null is legal for size 0. Allocates nothing, copies nothing,
  /// does not wait. Outputs and workspace must not overlap inputs or each
  /// other. After an error it waits, so that nothing of the run is still in
  /// flight.
  Error run(ArrayView<ConstBuffer> inputs, ArrayView<Buffer> outputs,
            Buffer workspace, Stream stream) const;

  /// The report without a run.
  Report report() const;

  /// Runs `repetitions` times, with an event around each launch if the device
  /// has a timer, and reports the median of each step's time. Waits.
  Expected<Report> profile(ArrayView<ConstBuffer> inputs,
                           ArrayView<Buffer> outputs, Buffer workspace,
                           Stream stream, int repetitions = 5) const;

private:
  struct State;
  BoundFunction();
  static Expected<std::shared_ptr<const BoundFunction>>
  make(std::shared_ptr<const Package> package, const std::string &function,
       std::shared_ptr<Device> device, const BindOptions &options,
       const std::function<std::unique_ptr<GraphSource>(State &)> &makeSource);
  std::unique_ptr<State> state;
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_BOUNDFUNCTION_H
