//===- CAPITensors.h - Inputs and outputs of the C API ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CAPITENSORS_H
#define GNN_LIB_RUNTIME_CAPITENSORS_H

#include "CAPIHandles.h"

namespace gnn::runtime {

/// Compares the counts of what a caller gives a bound function or model with
/// what it takes, before anything is read or copied.
template <typename Bound>
Error checkBuffers(const Bound &bound, const GnnConstBuffer *inputs,
                   int64_t numInputs, const GnnBuffer *outputs,
                   int64_t numOutputs) {
  auto count = [](const auto &list) {
    return static_cast<int64_t>(list.size());
  };
  int64_t ins = count(bound.inputs()), outs = count(bound.outputs());
  bool isCounted = numInputs == ins && numOutputs == outs;
  if (isCounted && (inputs || ins == 0) && (outputs || outs == 0))
    return {};
  auto got = [&](const void *data, int64_t count) {
    return isCounted && !data ? "null" : std::to_string(count);
  };
  return failure("expected ", ins, " inputs and ", outs, " outputs, got ",
                 got(inputs, numInputs), " and ", got(outputs, numOutputs));
}

/// Buffers of a caller of C as those of the library.
template <typename To, typename From>
std::vector<To> buffers(const From *given, int64_t count) {
  std::vector<To> copies;
  ArrayView<From> all = pointers(given, count);
  copies.reserve(all.size());
  for (const From &buffer : all)
    copies.push_back({buffer.data, buffer.bytes});
  return copies;
}

/// Describes the tensor of that index; false where there is none.
inline bool describeTensor(const std::vector<TensorInfo> &tensors,
                           int64_t index, GnnTensorInfo *info) {
  if (!info || index < 0 || index >= static_cast<int64_t>(tensors.size()))
    return false;
  const TensorInfo &tensor = tensors[static_cast<size_t>(index)];
  *info = {tensor.name.c_str(), name(tensor.dtype),
           static_cast<int64_t>(tensor.shape.size()), tensor.shape.data(),
           tensor.bytes};
  return true;
}

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_CAPITENSORS_H
