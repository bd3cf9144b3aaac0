//===- Memory.h - The memory of a program -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OVERLAY_MEMORY_H
#define GNN_OVERLAY_MEMORY_H

#include "GNN/Overlay/Partition.h"
#include "GNN/Runtime/ArrayView.h"
#include "GNN/Runtime/Files.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gnn::overlay {

/// An argument of a program: an array of the user, in C order.
struct Argument {
  runtime::ArrayView<float> values;
  std::vector<int64_t> shape;
};

/// The memory beside the processing elements, with the regions of a program.
class Memory {
public:
  /// Memory of the regions, all 0; of a program of parts, that of the host. At
  /// most `maxBytes`.
  static runtime::Expected<Memory>
  create(const Program &program, int64_t maxBytes = runtime::physicalMemory());

  /// So many bytes, all 0.
  static runtime::Expected<Memory> allocate(uint64_t bytes, int64_t maxBytes);

  /// Fills all inputs and the descriptors of all edges. Features take the
  /// argument that they name ([vertices, features]). Edges take theirs
  /// ([edges], in the user's order), or the weight 1 if they name none.
  /// Weights, rows and scales are made of their pieces. Errors: a missing
  /// argument, one of another shape, and one that nothing reads.
  runtime::Error fill(const Program &program, const Partition &partition,
                      const std::map<std::string, Argument> &arguments);

  /// Features of a region as rows: [vertices, features].
  runtime::Expected<std::vector<float>>
  readFeatures(const Program &program, const Region &region) const;

  /// Weights of the edges of a region, in the user's order.
  runtime::Expected<std::vector<float>>
  readWeights(const Program &program, const Region &region,
              const Partition &partition) const;

  /// Bytes from address 0.
  uint8_t *data() { return bytes.get(); }
  const uint8_t *data() const { return bytes.get(); }
  uint64_t size() const { return count; }

private:
  struct Free {
    void operator()(uint8_t *memory) const;
  };

  std::unique_ptr<uint8_t[], Free> bytes;
  uint64_t count = 0;
};

/// The address of the first edge of a region of edges.
uint64_t edgesAddress(const Region &region);

/// Names and shapes of the arguments that a program reads.
std::map<std::string, std::vector<int64_t>>
argumentShapes(const Program &program);

/// Bytes that go to the memory before a run.
struct InputBytes {
  /// Features and edges of inputs without padding: 4 V f + 12 E.
  uint64_t unpadded = 0;
  /// The same as their regions have them, with descriptors.
  uint64_t padded = 0;
  /// The regions of all inputs, and the instructions.
  uint64_t all = 0;
};
InputBytes inputBytes(const Program &program);

} // namespace gnn::overlay

#endif // GNN_OVERLAY_MEMORY_H
