//===- HostKernel.h - Run a function of MLIR on this machine ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_TRANSFORMS_HOSTKERNEL_H
#define GNN_UNITTESTS_TRANSFORMS_HOSTKERNEL_H

#include <cstdint>
#include <memory>
#include <string>

namespace llvm {
class Error;
class LLVMContext;
class Module;
namespace orc {
class LLJIT;
} // namespace orc
} // namespace llvm

namespace gnn::test {

/// An element-wise function of f32 arrays, made from one line of MLIR that
/// defines `%r` from `%a` and `%b`, with TYPE for their type. Goes through
/// `gnn-expand-device-math` and is compiled for this machine.
class HostKernel {
public:
  /// `lanes` elements at once: 1 is a scalar, more a vector. Check `error()`.
  HostKernel(const std::string &body, int64_t lanes);
  ~HostKernel();

  /// Empty, or why there is no function.
  const std::string &error() const { return message; }

  /// r[i] = body(a[i], b[i]) for i < count, a multiple of the lanes.
  void run(const float *a, const float *b, float *r, int64_t count) const {
    function(a, b, r, count);
  }

private:
  llvm::Error load(std::unique_ptr<llvm::Module> code,
                   std::unique_ptr<llvm::LLVMContext> context);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*function)(const float *, const float *, float *, int64_t) = nullptr;
  std::string message;
};

} // namespace gnn::test

#endif // GNN_UNITTESTS_TRANSFORMS_HOSTKERNEL_H
