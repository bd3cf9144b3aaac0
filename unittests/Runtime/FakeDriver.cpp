//===- FakeDriver.cpp - A CUDA driver without a GPU -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A shared library with the driver's symbols, whose device memory is the
// host's. Two GPUs of compute capability 8.6; every image with the text "good"
// in it has a kernel "add_one" (float *x, int32_t n). It checks that calls come
// with a context, counts what is live, and refuses what it is told to. Copies
// on a stream read and write when someone waits for them. Launches into a
// stream that is being captured become nodes and compute nothing.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace {
struct FakeContext {
  int device;
};
FakeContext contexts[2] = {{0}, {1}};
thread_local FakeContext *stack[8];
thread_local int depth = 0;
std::atomic<int> live{0};
int mostLive = 1000;
int retained = 0;
int dynamicShared = 0, carveOut = 0;
float now = 0;

struct FakeCopy {
  unsigned long long to;
  const void *from;
  size_t bytes;
};
struct FakeNode {
  std::vector<FakeNode *> dependencies;
};
/// The nodes of all captures, and how a launch is captured: into how many.
std::deque<FakeNode> nodes;
size_t nodesOfLaunch = 1;

struct FakeLaunch {
  float *x;
  int32_t n;
  unsigned grid;

  void run() const {
    for (int32_t i = 0; i < n; ++i)
      x[i] += 1;
    now += static_cast<float>(grid);
  }
};
/// The launches of a capture that the driver was asked for.
using FakeGraph = std::vector<FakeLaunch>;

struct FakeStream {
  std::deque<FakeCopy> copies;
  /// Copies that were ever put on it, and those done.
  size_t put = 0, done = 0;
  /// CUstreamCaptureStatus, and what a launch would depend on.
  int capture = 0;
  std::vector<FakeNode *> dependencies;
  FakeGraph graph;

  void wait(size_t until) {
    for (; done < until; ++done, copies.pop_front())
      std::memcpy(reinterpret_cast<void *>(copies.front().to),
                  copies.front().from, copies.front().bytes);
  }
};
struct FakeEvent {
  float time = 0;
  FakeStream *stream = nullptr;
  size_t put = 0;
};
int pinnedLeft = 1000;
int streamCopies = 0;
FakeStream *lastStream = nullptr;

FakeContext *current() { return depth ? stack[depth - 1] : nullptr; }
constexpr int kNoContext = 201;
} // namespace

extern "C" {
int fakeLive() { return live; }
void fakeSetLimit(int pieces) { mostLive = pieces; }
int fakeRetained() { return retained; }
int fakeDynamicShared() { return dynamicShared; }
int fakeCarveOut() { return carveOut; }
int fakeStreamCopies() { return streamCopies; }
/// The stream of the last call that was given one.
FakeStream *fakeLastStream() { return lastStream; }
/// The stream that captures are of.
FakeStream *fakeStream() {
  static FakeStream stream;
  return &stream;
}
/// Begins a capture after one node, or ends it (2: as one that has failed).
void fakeCapture(int status) {
  FakeStream *stream = fakeStream();
  stream->capture = status;
  nodes.clear();
  stream->dependencies = {&nodes.emplace_back()};
}
void fakeSetNodesOfLaunch(size_t count) { nodesOfLaunch = count; }
/// "0<-1 1<-": the numbers of nodes, and what they depend on; "end" is what the
/// next launch would.
const char *fakeGraph() {
  FakeStream *stream = fakeStream();
  static std::string text;
  auto list = [](const std::vector<FakeNode *> &dependencies) {
    std::string numbers;
    for (FakeNode *node : dependencies)
      for (size_t i = 0; i < nodes.size(); ++i)
        if (&nodes[i] == node)
          numbers += (numbers.empty() ? "" : ",") + std::to_string(i);
    return numbers;
  };
  text.clear();
  for (size_t i = 1; i < nodes.size(); ++i)
    text += std::to_string(i) + "<-" + list(nodes[i].dependencies) + " ";
  text += "end<-" + list(stream->dependencies);
  return text.c_str();
}
/// How many pieces of pinned memory there are.
int fakeSetPinned(int pieces) { return pinnedLeft = pieces; }

int cuInit(unsigned) { return 0; }
int cuGetErrorName(int result, const char **name) {
  *name = result == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 218 ? "CUDA_ERROR_INVALID_PTX"
          : result == 500 ? "CUDA_ERROR_NOT_FOUND"
                          : "CUDA_ERROR_OTHER";
  return 0;
}
int cuGetErrorString(int, const char **text) {
  *text = "said the fake";
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = 2;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char *name, int size, int device) {
  std::snprintf(name, static_cast<size_t>(size), "Fake %d", device);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  static const std::map<int, int> values = {
      {13, 1695000}, {16, 82}, {36, 9751000}, {37, 384},  {38, 6000000},
      {75, 8},       {76, 6},  {81, 102400},  {111, 1024}};
  auto known = values.find(attribute);
  *value = known == values.end() ? 101376 : known->second;
  return 0;
}
int cuDevicePrimaryCtxRetain(FakeContext **context, int device) {
  ++retained;
  *context = &contexts[device];
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  --retained;
  return 0;
}
int cuCtxGetCurrent(FakeContext **context) {
  *context = current();
  return 0;
}
int cuCtxPushCurrent_v2(FakeContext *context) {
  stack[depth++] = context;
  return 0;
}
int cuCtxPopCurrent_v2(FakeContext **context) {
  *context = stack[--depth];
  return 0;
}
int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
  if (!current())
    return kNoContext;
  if (bytes > (size_t(1) << 30) || live >= mostLive)
    return 2;
  ++live;
  *pointer = reinterpret_cast<uintptr_t>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return 0;
}
int cuMemFree_v2(unsigned long long pointer) {
  if (!current())
    return kNoContext;
  --live;
  std::free(reinterpret_cast<void *>(pointer));
  return 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return current() ? 0 : kNoContext;
}
int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  if (!current())
    return kNoContext;
  if (pinnedLeft == 0)
    return 2;
  --pinnedLeft;
  ++live;
  *memory = std::malloc(bytes);
  return 0;
}
int cuMemFreeHost(void *memory) {
  ++pinnedLeft;
  --live;
  std::free(memory);
  return current() ? 0 : kNoContext;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                         FakeStream *stream) {
  if (!stream)
    return cuMemcpyHtoD_v2(to, from, bytes);
  stream->copies.push_back({to, from, bytes});
  ++stream->put;
  ++streamCopies;
  return current() ? 0 : kNoContext;
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from,
                         size_t bytes, FakeStream *stream) {
  lastStream = stream;
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return current() ? 0 : kNoContext;
}
int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes,
                    FakeStream *stream) {
  lastStream = stream;
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return current() ? 0 : kNoContext;
}
int cuStreamCreate(FakeStream **stream, unsigned flags) {
  ++live;
  *stream = new FakeStream();
  return flags == 1 && current() ? 0 : kNoContext;
}
int cuStreamDestroy_v2(FakeStream *stream) {
  --live;
  delete stream;
  return current() ? 0 : kNoContext;
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return current() ? 0 : kNoContext;
}
int cuMemsetD8_v2(unsigned long long to, unsigned char value, size_t bytes) {
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return current() ? 0 : kNoContext;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  if (!current())
    return kNoContext;
  if (!std::strstr(static_cast<const char *>(image), "good")) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "line 1: bad image\n");
    return 218;
  }
  ++live;
  *module = &live;
  return 0;
}
int cuModuleUnload(void *) {
  --live;
  return current() ? 0 : kNoContext;
}
int cuModuleGetFunction(void **function, void *, const char *name) {
  if (std::strcmp(name, "add_one") != 0)
    return 500;
  *function = &now;
  return 0;
}
int cuFuncGetAttribute(int *value, int attribute, void *) {
  *value = attribute == 0   ? 512
           : attribute == 1 ? 1024
           : attribute == 3 ? 16
           : attribute == 4 ? 128
                            : -1;
  return 0;
}
int cuFuncSetAttribute(void *, int attribute, int value) {
  if (attribute != 8 && attribute != 9)
    return 1;
  (attribute == 8 ? dynamicShared : carveOut) = value;
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *,
                                                int threads, size_t shared) {
  int ofThreads = 1536 / threads;
  *blocks = std::min(ofThreads, 102400 / (2048 + static_cast<int>(shared)));
  return 0;
}
int cuLaunchKernel(void *, unsigned gridX, unsigned, unsigned, unsigned,
                   unsigned, unsigned, unsigned, FakeStream *stream,
                   void **arguments, void **) {
  lastStream = stream;
  if (!current())
    return kNoContext;
  if (stream && stream->capture) {
    std::vector<FakeNode *> made;
    for (size_t i = 0; i < nodesOfLaunch; ++i)
      made.push_back(&nodes.emplace_back(FakeNode{stream->dependencies}));
    stream->dependencies = made;
  }
  if (!arguments)
    return 0;
  FakeLaunch launch = {*static_cast<float **>(arguments[0]),
                       *static_cast<int32_t *>(arguments[1]), gridX};
  if (stream && stream->capture)
    stream->graph.push_back(launch);
  else
    launch.run();
  return 0;
}
int cuStreamBeginCapture_v2(FakeStream *stream, int) {
  nodes.clear();
  stream->dependencies.clear();
  stream->graph.clear();
  stream->capture = 1;
  return current() ? 0 : kNoContext;
}
int cuStreamEndCapture(FakeStream *stream, FakeGraph **graph) {
  stream->capture = 0;
  ++live;
  *graph = new FakeGraph(std::move(stream->graph));
  return current() ? 0 : kNoContext;
}
int cuGraphInstantiateWithFlags(FakeGraph **exec, FakeGraph *graph,
                                unsigned long long) {
  if (graph->empty())
    return 1;
  ++live;
  *exec = new FakeGraph(*graph);
  return current() ? 0 : kNoContext;
}
int cuGraphLaunch(FakeGraph *exec, FakeStream *stream) {
  lastStream = stream;
  for (const FakeLaunch &launch : *exec)
    launch.run();
  return current() ? 0 : kNoContext;
}
int cuGraphExecDestroy(FakeGraph *exec) {
  --live;
  delete exec;
  return current() ? 0 : kNoContext;
}
int cuGraphDestroy(FakeGraph *graph) {
  --live;
  delete graph;
  return current() ? 0 : kNoContext;
}
int cuStreamSynchronize(FakeStream *stream) {
  lastStream = stream;
  if (stream)
    stream->wait(stream->put);
  return current() ? 0 : kNoContext;
}
int cuStreamIsCapturing(FakeStream *stream, int *status) {
  *status = stream ? stream->capture : 0;
  return current() ? 0 : kNoContext;
}
int cuStreamGetCaptureInfo_v2(FakeStream *stream, int *status, uint64_t *,
                              void **, FakeNode *const **found, size_t *count) {
  *status = stream->capture;
  *found = stream->dependencies.data();
  *count = stream->dependencies.size();
  return current() ? 0 : kNoContext;
}
int cuStreamUpdateCaptureDependencies(FakeStream *stream, FakeNode **wanted,
                                      size_t count, unsigned flags) {
  stream->dependencies.assign(wanted, wanted + count);
  return flags == 1 && current() ? 0 : kNoContext;
}
int cuEventCreate(FakeEvent **event, unsigned) {
  ++live;
  *event = new FakeEvent();
  return 0;
}
int cuEventDestroy_v2(FakeEvent *event) {
  --live;
  delete event;
  return 0;
}
int cuEventRecord(FakeEvent *event, FakeStream *stream) {
  event->time = now;
  event->stream = stream;
  event->put = stream ? stream->put : 0;
  return 0;
}
int cuEventSynchronize(FakeEvent *event) {
  if (event->stream)
    event->stream->wait(event->put);
  return 0;
}
int cuEventElapsedTime(float *milliseconds, FakeEvent *from, FakeEvent *to) {
  *milliseconds = to->time - from->time;
  return 0;
}
}
