//===- Signature.h - Arguments of a kernel ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read from the IR of a kernel, of which it keeps nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_HOST_SIGNATURE_H
#define GNN_HOST_SIGNATURE_H

#include "GNN/Runtime/Device.h"
#include "GNN/Runtime/Plan.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <optional>
#include <vector>

namespace gnn::host {

/// The parameters of a kernel, and the memory that it takes for granted behind
/// them: what its memref.reinterpret_casts say at its beginning, by the numbers
/// that it gets.
class Signature {
public:
  Signature() = default;

  /// `kernel` has the form of gnn-verify-kernel-form.
  explicit Signature(mlir::gpu::GPUFuncOp kernel);

  const std::vector<runtime::KernelParameter> &parameters() const {
    return list;
  }

  /// Whether a launch passes all arguments, and memory as aligned and as long
  /// as the kernel takes it to be whatever its numbers are. `values` and
  /// `bytes` are as in runtime::LaunchArguments; -1 bytes of memory are
  /// unknown.
  runtime::Error checkArguments(runtime::ArrayView<void *> values,
                                runtime::ArrayView<int64_t> bytes) const;

  /// As runtime::Kernel::checkMemory.
  runtime::Error checkMemory(runtime::ArrayView<int64_t> numbers,
                             runtime::ArrayView<int64_t> bytes) const;

private:
  class Reader;

  /// A number: a constant, that of an argument, or the result of an op.
  struct Term {
    std::optional<runtime::Expr::Op> op;
    std::optional<unsigned> argument;
    int64_t value = 0;
    size_t left = 0, right = 0;
  };
  /// An array behind an argument; sizes, strides and offset are terms.
  struct Array {
    unsigned argument = 0;
    int64_t elementBytes = 1;
    size_t offset = 0;
    std::vector<size_t> sizes, strides;
  };

  runtime::Error checkCount(size_t values, size_t bytes) const;
  std::vector<std::optional<int64_t>>
  evaluate(runtime::ArrayView<int64_t> numbers) const;

  std::vector<runtime::KernelParameter> list;
  std::vector<Term> terms;
  std::vector<Array> arrays;
};

} // namespace gnn::host

#endif // GNN_HOST_SIGNATURE_H
