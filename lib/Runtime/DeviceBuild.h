//===- DeviceBuild.h - Structures that kernels build ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_DEVICEBUILD_H
#define GNN_LIB_RUNTIME_DEVICEBUILD_H

#include "DegreeOrders.h"
#include "DeviceIds.h"

#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/Plan.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gnn::runtime {

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

/// The sorts of edges or nodes. Those of pairs come first: their different keys
/// are numbered.
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
constexpr size_t kNumDeviceSorts =
    static_cast<size_t>(DeviceSort::DstTypes) + 1;

/// Some of these.
class DeviceSorts {
public:
  void insert(DeviceSort sort) { bits |= bitOf(sort); }
  bool has(DeviceSort sort) const { return bits & bitOf(sort); }
  bool includes(DeviceSorts other) const { return !(other.bits & ~bits); }

  /// Calls `visit` with each, in their order.
  template <typename Visit> void forEach(Visit visit) const {
    for (size_t i = 0; i < kNumDeviceSorts; ++i)
      if (auto sort = static_cast<DeviceSort>(i); has(sort))
        visit(sort);
  }

private:
  static uint32_t bitOf(DeviceSort sort) {
    return uint32_t(1) << static_cast<uint32_t>(sort);
  }
  uint32_t bits = 0;
};

/// The structures that functions need of the graphs that they declare, built by
/// the kernels of Kernels/build_kernels.py.
class DeviceBuilder {
public:
  struct Needs {
    /// Once created, in ascending order and each once.
    std::vector<StructureKey> structures;
    std::vector<CountKey> counts;
    DeviceSorts sorts;
    /// Whether it is to be checked for edges that are sorted by destination.
    bool dstSorted = false;
    /// The node types at both ends of each edge type that its edges are to be
    /// checked for; empty: none.
    std::vector<EdgeTypeEnds> schema;
    /// The graph that one with other self loops is derived from.
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

  /// Whether all that another one builds is among what this one does, and its
  /// ids and self loops are checked by it. The order of edges is not built.
  bool covers(const DeviceBuilder &other) const;

  /// Launches without any, and takes them back. Who builds next finds their
  /// memory.
  std::unique_ptr<KernelLaunches> takeLaunches() const;
  void giveBack(std::unique_ptr<KernelLaunches> launches) const;

  std::map<std::string, Needs> graphs;
  BuildKernels kernels;

private:
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<KernelLaunches>> spare;
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

  /// The error where `count` gave false.
  const std::string &problem() const { return wrong; }

  /// Bytes of the structures, once counted.
  int64_t bytes() const { return size; }

  /// Builds the structures in memory aligned to kTensorAlignment, which has to
  /// live as long as what is bound to them.
  Error fill(void *memory, Stream stream);

  /// The caller knows that a graph that is built has its edges sorted by
  /// destination.
  Error setSorted(const std::string &name);

  /// The built graphs, by name.
  const std::map<std::string, BuiltGraph> &built() const { return made; }

private:
  bool findProblem();

  std::shared_ptr<const DeviceBuilder> builder;
  std::vector<std::unique_ptr<GraphBuild>> graphs;
  std::unique_ptr<KernelLaunches> planned;
  std::map<std::string, BuiltGraph> made;
  RadixSort sort;
  DegreeOrders orders;
  int64_t scratch = 0, host = 0, size = 0;
  std::string wrong;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_DEVICEBUILD_H
