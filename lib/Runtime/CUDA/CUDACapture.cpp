//===- CUDACapture.cpp - Launches at once in a CUDA graph -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDA/CUDACapture.h"

#include "CUDA/ContextScope.h"
#include "Guarded.h"

using namespace gnn::runtime;
using namespace gnn::runtime::cuda;

namespace {
/// Sets what each launch depends on in the graph that is being captured. A
/// launch changes the stream's dependencies to its own node.
class CudaCapture : public Capture {
public:
  CudaCapture(Device &device, const Driver &driver, Context context,
              DriverStream stream)
      : device(device), driver(driver), context(context), stream(stream) {}
  Error begin();
  Error launch(const Kernel &kernel, const Launch &launch,
               const LaunchArguments &arguments,
               ArrayView<size_t> after) override;
  Error finish() override;

private:
  Expected<ArrayView<GraphNode>> dependencies() const;
  Error follow(std::vector<GraphNode> wanted);

  Device &device;
  const Driver &driver;
  Context context;
  DriverStream stream;
  /// The nodes that the first launches depend on.
  std::vector<GraphNode> entry;
  /// The node of each launch, and whether a later one follows it.
  std::vector<GraphNode> nodes;
  std::vector<bool> followed;
};
} // namespace

/// The nodes that the next launch into the stream would depend on; the
/// driver's, until the next call for the stream.
Expected<ArrayView<GraphNode>> CudaCapture::dependencies() const {
  int status = 0;
  const GraphNode *found = nullptr;
  size_t count = 0;
  if (Error error =
          driver.check(driver.streamGetCaptureInfo(stream, &status, nullptr,
                                                   nullptr, &found, &count),
                       "cuStreamGetCaptureInfo"))
    return error;
  if (status != kCaptureActive)
    return failure("expected a stream that is being captured, got one whose "
                   "capture ended or failed");
  return ArrayView<GraphNode>(found, count);
}

Error CudaCapture::follow(std::vector<GraphNode> wanted) {
  return driver.check(
      driver.streamUpdateCaptureDependencies(stream, wanted.data(),
                                             wanted.size(), kSetDependencies),
      "cuStreamUpdateCaptureDependencies");
}

Error CudaCapture::begin() {
  auto found = dependencies();
  if (found)
    entry = found->vec();
  return found.takeError();
}

Error CudaCapture::launch(const Kernel &kernel, const Launch &launch,
                          const LaunchArguments &arguments,
                          ArrayView<size_t> after) {
  return guarded("capture", [&]() -> Error {
    ContextScope scope(driver, context);
    if (scope.error)
      return scope.error;
    std::vector<GraphNode> wanted;
    if (after.empty())
      wanted = entry;
    for (size_t number : after) {
      wanted.push_back(nodes[number]);
      followed[number] = true;
    }
    if (Error error = follow(std::move(wanted)))
      return error;
    if (Error error = device.launch(kernel, launch, arguments, stream))
      return error;
    auto made = dependencies();
    if (!made)
      return made.takeError();
    if (made->size() != 1)
      return failure("expected a launch to be one node, got ", made->size());
    nodes.push_back((*made)[0]);
    followed.push_back(false);
    return {};
  });
}

Error CudaCapture::finish() {
  return guarded("capture", [&]() -> Error {
    if (nodes.empty())
      return {};
    ContextScope scope(driver, context);
    if (scope.error)
      return scope.error;
    std::vector<GraphNode> last;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (!followed[i])
        last.push_back(nodes[i]);
    return follow(std::move(last));
  });
}

Expected<std::unique_ptr<Capture>>
gnn::runtime::cuda::beginCapture(Device &device, const Driver &driver,
                                 Context context, DriverStream stream) {
  ContextScope scope(driver, context);
  if (scope.error)
    return scope.error;
  int status = 0;
  if (Error error = driver.check(driver.streamIsCapturing(stream, &status),
                                 "cuStreamIsCapturing"))
    return error;
  if (status != kCaptureActive)
    return std::unique_ptr<Capture>();
  return guarded("capture", [&]() -> Expected<std::unique_ptr<Capture>> {
    auto result =
        std::make_unique<CudaCapture>(device, driver, context, stream);
    if (Error error = result->begin())
      return error;
    return std::unique_ptr<Capture>(std::move(result));
  });
}

//===----------------------------------------------------------------------===//
// Replays
//===----------------------------------------------------------------------===//

namespace {
class CudaReplay : public Replay {
public:
  CudaReplay(std::shared_ptr<Device> device, const Driver &driver,
             Context context)
      : device(std::move(device)), driver(driver), context(context) {}
  ~CudaReplay() override {
    ContextScope scope(driver, context);
    if (exec)
      driver.graphExecDestroy(exec);
    if (graph)
      driver.graphDestroy(graph);
    if (stream)
      driver.streamDestroy(stream);
  }

  Error capture(const std::function<Error(Stream)> &work);
  Error run(Stream on) const override {
    ContextScope scope(driver, context);
    if (scope.error)
      return scope.error;
    return driver.check(driver.graphLaunch(exec, static_cast<DriverStream>(on)),
                        "cuGraphLaunch");
  }

private:
  std::shared_ptr<Device> device;
  const Driver &driver;
  Context context;
  DriverStream stream = nullptr;
  DriverGraph graph = nullptr;
  GraphExec exec = nullptr;
};
} // namespace

Error CudaReplay::capture(const std::function<Error(Stream)> &work) {
  ContextScope scope(driver, context);
  if (scope.error)
    return scope.error;
  if (Error error = driver.check(
          driver.streamCreate(&stream, kStreamNonBlocking), "cuStreamCreate"))
    return error;
  if (Error error =
          driver.check(driver.streamBeginCapture(stream, kCaptureOfThread),
                       "cuStreamBeginCapture"))
    return error;
  Error failed = work(stream);
  Error ended = driver.check(driver.streamEndCapture(stream, &graph),
                             "cuStreamEndCapture");
  if (failed || ended)
    return failed ? failed : ended;
  return driver.check(driver.graphInstantiate(&exec, graph, 0),
                      "cuGraphInstantiate");
}

Expected<std::unique_ptr<Replay>>
gnn::runtime::cuda::captureReplay(std::shared_ptr<Device> device,
                                  const Driver &driver, Context context,
                                  const std::function<Error(Stream)> &work) {
  return guarded("replay", [&]() -> Expected<std::unique_ptr<Replay>> {
    auto result =
        std::make_unique<CudaReplay>(std::move(device), driver, context);
    if (Error error = result->capture(work))
      return error;
    return std::unique_ptr<Replay>(std::move(result));
  });
}
