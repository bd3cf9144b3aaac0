//===- KernelSignature.h - Arguments of a kernel ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_KERNELSIGNATURE_H
#define GNN_RUNTIME_KERNELSIGNATURE_H

#include "GNN/Runtime/Device.h"
#include "GNN/Runtime/Plan.h"

#include <optional>
#include <vector>

namespace gnn::runtime {

/// The parameters of a kernel, and the memory that it expects behind them: the
/// arrays that it makes of its arguments, by the numbers that it gets.
class KernelSignature {
public:
  /// A number: a constant, that of an argument, or the result of an op.
  struct Term {
    std::optional<Expr::Op> op;
    std::optional<size_t> argument;
    int64_t value = 0;
    /// Operands of the op: earlier terms.
    size_t left = 0, right = 0;
  };
  /// An array behind an argument; sizes, strides and offset are terms.
  struct Array {
    size_t argument = 0;
    int64_t elementBytes = 1;
    size_t offset = 0;
    std::vector<size_t> sizes, strides;
  };

  KernelSignature() = default;

  /// Errors: an index that is out of range, or of a parameter of another kind,
  /// and sizes that cannot be.
  static Expected<KernelSignature>
  create(std::vector<KernelParameter> parameters, std::vector<Term> terms,
         std::vector<Array> arrays);

  const std::vector<KernelParameter> &parameters() const { return list; }
  const std::vector<Term> &terms() const { return numbers; }
  const std::vector<Array> &arrays() const { return memory; }

  /// Whether a launch passes all arguments, and memory as aligned and as long
  /// as the kernel takes it to be whatever its numbers are. `values` and
  /// `bytes` are as in LaunchArguments; -1 bytes of memory are unknown.
  Error checkArguments(ArrayView<void *> values,
                       ArrayView<int64_t> bytes) const;

  /// As Kernel::checkMemory.
  Error checkMemory(ArrayView<int64_t> values, ArrayView<int64_t> bytes) const;

private:
  Error verify() const;
  Error checkCount(size_t values, size_t bytes) const;
  std::vector<std::optional<int64_t>> evaluate(ArrayView<int64_t> values) const;

  std::vector<KernelParameter> list;
  std::vector<Term> numbers;
  std::vector<Array> memory;
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_KERNELSIGNATURE_H
