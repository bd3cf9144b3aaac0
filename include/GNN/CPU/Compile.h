//===- Compile.h - Kernels of one thread as code of the host ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CPU_COMPILE_H
#define GNN_CPU_COMPILE_H

#include "GNN/Runtime/CPUDevice.h"
#include "GNN/Runtime/Processors.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace gnn::cpu {

/// The kernels of an image of the format "mlir", which LLVM compiles for the
/// host as well as it can when they are asked for. Errors: a kernel that has
/// not the form of gnn-verify-kernel-form, has more than one thread, or waits
/// for others; two kernels of one name.
runtime::Expected<std::unique_ptr<runtime::CodeImage>>
compileKernels(const std::string &image);

/// Compiles all kernels of an image to a shared object with a
/// runtime::KernelTable, for a processor, on at most `threads` threads. The
/// same image gives the same bytes.
llvm::Expected<std::string> compileObject(const std::string &image,
                                          const runtime::Processor &processor,
                                          unsigned threads);

} // namespace gnn::cpu

#endif // GNN_CPU_COMPILE_H
