//===- DeviceBuild.h - Structures that kernels build ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_DEVICEBUILD_H
#define GNN_LIB_RUNTIME_DEVICEBUILD_H

#include "RadixSort.h"

#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/Plan.h"

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gnn::runtime {

/// Ids on a device; none where `values` is null. `stride` counts ids.
struct DeviceIds {
  const void *values = nullptr;
  int64_t bits = 64;
  int64_t stride = 1;
};

/// A graph on a device. Nothing is known of its ids.
struct DeviceEdges {
  bool square = true;
  int64_t numSrcNodes = 0, numDstNodes = 0, numEdges = 0;
  int64_t numNodeTypes = 1, numEdgeTypes = 1;
  DeviceIds src, dst, edgeType, srcNodeType, dstNodeType;
  /// The self loops that it is to have in place of those among its edges; what
  /// is said above of edges is of the graph that it is derived from.
  Derivation derivation;
};

/// What edges or nodes are sorted by. Those of pairs come first: their
/// different keys are numbered.
enum class DeviceSort {
  Loops,
  SrcPairs,
  DstPairs,
  SrcByNode,
  DstByNode,
  Src,
  Dst,
  SrcTypes,
  DstTypes
};

/// What functions need of the graphs that they declare, to be built by the
/// kernels of `device_build_kernels.py`.
struct DeviceBuilder {
  struct Needs {
    std::set<StructureKey> structures;
    std::set<CountKey> counts;
    std::set<DeviceSort> sorts;
    /// Of a graph with other self loops: the one that it is derived from.
    std::string parent;
    Derivation derivation;
    /// Whether it is derived from by others, which check its ids.
    bool hasDerived = false;
  };

  /// Null where kernels do not build all of it. `sorts` are those of promises:
  /// the others are found.
  static Expected<std::shared_ptr<const DeviceBuilder>>
  create(std::map<std::string, Needs> graphs, const Package &kernels,
         std::shared_ptr<Device> device);

  /// Whether all that another one needs is among what this one does.
  bool covers(const DeviceBuilder &other) const;

  enum KernelName {
    Keys,
    Digits,
    Places,
    Scatter,
    Sums,
    Scan,
    Search,
    Starts,
    Move,
    Tiles,
    numKernels
  };

  std::map<std::string, Needs> graphs;
  std::shared_ptr<Device> device;
  std::shared_ptr<const Kernels> image;
  std::array<const Kernel *, numKernels> kernels = {};
};

/// Launches of the kernels on one stream.
class KernelLaunches {
public:
  /// An argument: a number, or an address behind which there are bytes.
  struct Argument {
    int64_t value;
    int64_t bytes = -1;
    /// An offset in the memory of structures.
    bool inMemory = false;
  };
  using Arguments = std::vector<Argument>;

  /// Blocks that a kernel needs for so many rows.
  static int64_t blocksFor(DeviceBuilder::KernelName kernel, int64_t rows);

  /// A launch for so many rows, after those that write what it reads. Arguments
  /// are arrays and then numbers.
  void add(DeviceBuilder::KernelName kernel, int64_t rows, Arguments arguments);

  /// Words of the host that go to the memory of structures first.
  void addCopy(int64_t offset, std::vector<int32_t> words) {
    if (!words.empty())
      copies.push_back({offset, std::move(words)});
  }

  /// Launches all, and forgets them.
  Error run(const DeviceBuilder &builder, void *memory, Stream stream);

private:
  struct Record {
    DeviceBuilder::KernelName kernel;
    int64_t rows;
    Arguments arguments;
    /// Those whose results it reads, and the first step behind theirs.
    std::vector<size_t> after;
    int64_t step;
  };

  Error launch(const std::vector<const Record *> &records,
               const DeviceBuilder &builder, void *memory, Stream stream) const;

  std::vector<std::pair<int64_t, std::vector<int32_t>>> copies;
  std::vector<Record> list;
};

class GraphBuild;

/// The structures of some graphs, on their way. The steps follow each other on
/// one stream; what they are given lives until that is done.
class DeviceBuild {
public:
  explicit DeviceBuild(std::shared_ptr<const DeviceBuilder> builder);
  ~DeviceBuild();

  /// Says how much memory there is to be, for graphs by name.
  Error layOut(const std::map<std::string, DeviceEdges> &graphs);

  const DeviceBuilder &of() const { return *builder; }

  /// int32 words of memory for `count`, on the device and on the host. Those
  /// of the device are -1 where keys need more than 32 bits.
  int64_t scratchWords() const { return scratch; }
  int64_t hostWords() const { return host; }

  /// Sorts and counts. Waits. `memory` is that of the device, `numbers` of the
  /// host, which the device writes. False where ids are wrong or a declaration
  /// is not met.
  Expected<bool> count(void *memory, void *numbers, Stream stream);

  /// Bytes of the structures, once counted.
  int64_t bytes() const { return size; }

  /// Builds the structures in memory aligned to kTensorAlignment, which has to
  /// live as long as what is bound to them.
  Error fill(void *memory, Stream stream);

  /// What is built, by the names of graphs.
  const std::map<std::string, BuiltGraph> &built() const { return made; }

private:
  std::shared_ptr<const DeviceBuilder> builder;
  std::vector<std::unique_ptr<GraphBuild>> graphs;
  KernelLaunches planned;
  std::map<std::string, BuiltGraph> made;
  RadixSort sort;
  int64_t scratch = 0, host = 0, size = 0;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_DEVICEBUILD_H
