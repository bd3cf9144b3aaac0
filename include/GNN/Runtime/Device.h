//===- Device.h - Devices that run kernels ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_H
#define GNN_RUNTIME_DEVICE_H

#include "GNN/Runtime/ArrayView.h"
#include "GNN/Runtime/DataType.h"
#include "GNN/Runtime/Error.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gnn::runtime {

/// A queue of a device, as its owner knows it: a CUstream, or null for the
/// default one. Devices that execute immediately ignore it.
using Stream = void *;

/// Memory of a caller: its address, and its number of bytes.
struct Buffer {
  void *data = nullptr;
  int64_t bytes = 0;
};
struct ConstBuffer {
  const void *data = nullptr;
  int64_t bytes = 0;
};

/// The known facts of a kernel after loading; -1 for unknown ones.
struct KernelInfo {
  int64_t registers = -1;
  /// Bytes a thread spills or otherwise keeps in local memory.
  int64_t localBytes = -1;
  int64_t staticSharedBytes = -1;
  int64_t maxThreadsPerBlock = -1;
  /// The percentage of the cache of a multiprocessor that it takes as workgroup
  /// memory, if it states one.
  int64_t carveOut = -1;
  /// The number of elements that threads have loaded of each argument in all
  /// launches so far; empty: not counted.
  std::vector<int64_t> loads = {};
};

/// A parameter of a kernel, as far as its image describes it.
struct KernelParameter {
  enum class Kind { Memory, Number, Either };
  enum class Access { Unknown, Reads, Writes };

  Kind kind = Kind::Either;
  /// Bytes of the argument itself.
  int64_t size = 8;
  /// Memory: the alignment of its address, and the accesses of the kernel.
  int64_t alignment = 1;
  Access access = Access::Unknown;
  /// Memory: bytes that the kernel assumes, whatever its arguments.
  int64_t bytes = 0;
  /// Memory: the type of its contents, if known.
  std::optional<DataType> element;

  bool isMemory() const { return kind == Kind::Memory; }
};

/// A kernel that was loaded; owned by its Kernels.
class Kernel {
public:
  virtual ~Kernel();
  virtual const std::string &name() const = 0;
  virtual KernelInfo info() const { return {}; }

  /// Its parameters, in order; null if the image does not describe them.
  virtual const std::vector<KernelParameter> *parameters() const {
    return nullptr;
  }

  /// Whether the memory of arguments is as large as the kernel assumes, if its
  /// image states this: `numbers` has the values of integers and `bytes` the
  /// sizes of the memory of pointers, both in the order of parameters. The
  /// error names the argument.
  virtual Error checkMemory(ArrayView<int64_t> numbers,
                            ArrayView<int64_t> bytes) const {
    return {};
  }
};

/// A loaded image of kernels. Keeps its device alive.
class Kernels {
public:
  virtual ~Kernels();

  /// The kernel of that name; the error has the name. Lives as long as this
  /// object.
  virtual Expected<const Kernel *> find(const std::string &name) const = 0;

  /// Announces kernels that `find` will be called for (repetitions are legal),
  /// so that a device that compiles on demand can compile them together.
  virtual Error expect(const std::vector<std::string> &names) const;
};

/// One launch: `grid` blocks of `block` threads. None of the extents is zero.
struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  /// Bytes of dynamic shared memory.
  int64_t sharedBytes = 0;
};

/// The arguments of a launch, in the kernel's order.
struct LaunchArguments {
  /// void *[size]: addresses of the arguments' values: a device pointer,
  /// int32_t or int64_t.
  void **values = nullptr;
  /// int64[size]: bytes that the kernel may access through a pointer argument;
  /// -1 for a scalar.
  const int64_t *bytes = nullptr;
  size_t size = 0;
};

/// A point in a stream. Destroyed by its device's rules; keeps it alive.
class Event {
public:
  virtual ~Event();
};

/// Launches into a stream that is being captured, e.g. into a CUDA graph: each
/// follows only the launches that it names, so that a replay may run several
/// concurrently.
class Capture {
public:
  virtual ~Capture();

  /// Launches after the launches of this capture with these numbers, counted
  /// from 0; without numbers, after everything captured before.
  virtual Error launch(const Kernel &kernel, const Launch &launch,
                       const LaunchArguments &arguments,
                       ArrayView<size_t> after) = 0;

  /// The next captured launch follows all others.
  virtual Error finish() = 0;
};

/// Launches that were made once and run again together, e.g. a CUDA graph.
class Replay {
public:
  virtual ~Replay();

  /// Runs them on the stream without waiting.
  virtual Error run(Stream stream) const = 0;
};

/// A device: memory, kernels, launches. Safe to use from several threads.
/// Subclasses: the CUDA device, and host memory (HostMemory.h) as the base of
/// devices that run kernels on the CPU.
class Device {
public:
  virtual ~Device();

  /// The kind of target whose kernels it runs, by its name in packages and
  /// saved models: "cuda", "cpu", "emulator".
  virtual std::string kind() const = 0;

  /// For messages and reports, e.g. "cuda:0 (NVIDIA H200, sm_90)".
  virtual std::string name() const = 0;

  /// How well kernels for a chip of its kind suit it, the greater the better;
  /// none if they do not run. An empty chip is unknown.
  virtual std::optional<int64_t> rankChip(const std::string &chip) const {
    return 0;
  }

  /// The driver's description of a GPU, for the compiler's `chip`: "sm_89,
  /// NVIDIA L40S: processors=142 clock=2.52e9 l2_bytes=1e8
  /// memory_bandwidth=8.64e11", in Hz, bytes and bytes a second; none for other
  /// devices.
  virtual std::string describeGPU() const { return ""; }

  /// Image formats that loadKernels accepts, best first, by their names in a
  /// package: "cubin", "ptx", ...
  virtual std::vector<std::string> kernelFormats() const = 0;

  /// The command that makes packages with such images, for messages; "" if it
  /// is unnecessary.
  virtual std::string kernelsMadeBy() const { return ""; }

  /// Memory of at least `bytes`, aligned to 256 bytes; null for 0 bytes.
  virtual Expected<void *> allocate(int64_t bytes) = 0;

  /// Frees memory of allocate; null is legal. The caller ensures that nothing
  /// running uses it.
  virtual void free(void *memory) = 0;

  /// The bytes from an address to the end of its memory from `allocate`; -1 if
  /// it has none, or if the search would take long.
  virtual int64_t bytesBehind(const void *memory) const { return -1; }

  /// Copies and fills that are complete when the call returns.
  virtual Error copyToDevice(void *to, const void *from, int64_t bytes) = 0;
  virtual Error copyToHost(void *to, const void *from, int64_t bytes) = 0;
  virtual Error fill(void *memory, uint8_t value, int64_t bytes) = 0;

  /// Copies after the present contents of the stream: `from` has been read when
  /// the call returns, and later work in the stream sees the bytes.
  virtual Error copyInStream(void *to, const void *from, int64_t bytes,
                             Stream stream) {
    return copyToDevice(to, from, bytes);
  }

  /// Copies between memory of the device, or fills it, after the present
  /// contents of the stream, without waiting.
  virtual Error copyOnDevice(void *to, const void *from, int64_t bytes,
                             Stream stream) = 0;
  virtual Error fillInStream(void *memory, uint8_t value, int64_t bytes,
                             Stream stream) = 0;

  /// Copies to memory of `allocate` that nothing running uses: `from` has been
  /// read when the call returns, and the bytes are complete after finishCopies.
  virtual Error startCopy(void *to, const void *from, int64_t bytes);

  /// Waits for all started copies, of any thread.
  virtual Error finishCopies();

  /// Loads an image of one of the formats. `chip` is the architecture of the
  /// image ("sm_90"; empty: unknown) and is checked against the device.
  virtual Expected<std::shared_ptr<const Kernels>>
  loadKernels(const std::string &format, const std::string &image,
              const std::string &chip) = 0;

  /// Checks once, at bind time, that launches of this form are possible, and
  /// prepares the kernel for them.
  virtual Error prepare(const Kernel &kernel, const Launch &launch) = 0;

  /// Launches on a stream without waiting, allocating or copying (a device that
  /// executes immediately returns when the kernel is done). The values in
  /// `arguments` are read before it returns. The caller names the kernel in an
  /// error, and also in errors of `prepare`.
  virtual Error launch(const Kernel &kernel, const Launch &launch,
                       const LaunchArguments &arguments, Stream stream) = 0;

  /// For launches into the stream while it is being captured; null otherwise,
  /// and on devices that do not capture. Takes no memory in that case.
  virtual Expected<std::unique_ptr<Capture>> capture(Stream stream);

  /// Records the launches of `work` on its stream without running them; null on
  /// devices that cannot replay.
  virtual Expected<std::unique_ptr<Replay>>
  makeReplay(const std::function<Error(Stream)> &work);

  /// Waits for all launches on the stream.
  virtual Error synchronize(Stream stream) = 0;

  /// Whether events measure time. Devices that do not run on a GPU have no
  /// times to report.
  virtual bool hasTimer() const { return false; }

  /// Marks the present end of the stream.
  virtual Expected<std::unique_ptr<Event>> record(Stream stream);

  /// Milliseconds between two events; waits for the second.
  virtual Expected<double> elapsed(const Event &from, const Event &to);
};

/// Memory for structures, if the caller has an allocator of its own. Must
/// outlive all memory allocated from it.
class Allocator {
public:
  virtual ~Allocator();
  virtual Expected<void *> allocate(int64_t bytes) = 0;
  virtual void free(void *memory) = 0;
};

/// The default check of `prepare`: extents positive, grid under 2^31 x 2^16 x
/// 2^16, at most 1024 threads a block, shared bytes not negative.
Error checkLaunch(const Launch &launch);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_DEVICE_H
