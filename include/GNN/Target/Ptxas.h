//===- Ptxas.h - Reports of CUDA's assembler --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_PTXAS_H
#define GNN_TARGET_PTXAS_H

#include "GNN/Runtime/Device.h"

#include "llvm/ADT/StringRef.h"

#include <map>

namespace gnn {

/// The path of CUDA's ptxas; empty if PATH does not have it.
std::string findPtxas();

/// Assembles `ptx` for `chip` and gives what ptxas says of each kernel. The
/// error is that ptxas is not there or refuses the text.
runtime::Expected<std::map<std::string, runtime::KernelInfo>>
askPtxas(llvm::StringRef ptx, llvm::StringRef chip);

/// Reads what `ptxas -v` prints.
std::map<std::string, runtime::KernelInfo> parsePtxas(llvm::StringRef text);

} // namespace gnn

#endif // GNN_TARGET_PTXAS_H
