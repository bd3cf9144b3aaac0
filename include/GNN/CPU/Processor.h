//===- Processor.h - The processor of the host ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CPU_PROCESSOR_H
#define GNN_CPU_PROCESSOR_H

#include "GNN/Analysis/Targets.h"
#include "GNN/Runtime/Processors.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gnn::cpu {

/// The processor that kernels are compiled for, by LLVM's name: the value of
/// GNN_CPU, such as x86-64-v3, or "" for the host's processor.
std::string getProcessor();

/// Whether LLVM fully optimizes kernels: false if GNN_CPU_OPTIMIZE is 0.
/// Errors: another value than 0 and 1.
llvm::Expected<bool> isOptimized();

/// An error if LLVM does not know the processor, or if it is of another kind
/// than the host.
llvm::Error checkProcessor(llvm::StringRef name);

/// The vector registers of a processor, by LLVM's name; "": of the host.
/// Errors: a name that LLVM does not know.
llvm::Expected<CoreRegisters> getRegisters(llvm::StringRef name);

/// The processors that `text` lists by their names. Errors: other words, and no
/// word.
llvm::Expected<std::vector<const runtime::Processor *>>
parseProcessors(llvm::StringRef text);

/// The processors with which a package serves most machines, as such a text; ""
/// if the host's architecture has no objects.
std::string getCommonProcessors();

} // namespace gnn::cpu

#endif // GNN_CPU_PROCESSOR_H
