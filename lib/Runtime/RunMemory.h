//===- RunMemory.h - The memory that a run is given -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_RUNMEMORY_H
#define GNN_LIB_RUNTIME_RUNMEMORY_H

#include "GNN/Runtime/BoundFunction.h"

namespace gnn::runtime {

/// The memory that a run of a bound function needs, and that of its caller.
struct RunInputs {
  const std::vector<TensorInfo> &needed;
  ArrayView<ConstBuffer> given;
};
struct RunOutputs {
  const std::vector<TensorInfo> &needed;
  ArrayView<Buffer> given;
};
struct RunWorkspace {
  int64_t neededBytes;
  Buffer given;
};

/// Checks that memory is as large and aligned as it must be, and that what is
/// written overlaps nothing else. Takes no memory.
Error checkRunMemory(const Device &device, const RunInputs &inputs,
                     const RunOutputs &outputs, const RunWorkspace &workspace);

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_RUNMEMORY_H
