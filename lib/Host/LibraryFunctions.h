//===- LibraryFunctions.h - Functions for code of the host ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_HOST_LIBRARYFUNCTIONS_H
#define GNN_LIB_HOST_LIBRARYFUNCTIONS_H

#include "GNN/Host/Jit.h"

namespace gnn::host {

/// Functions of the C library that LLVM's code generation may call.
llvm::ArrayRef<Symbol> getLibraryFunctions();

} // namespace gnn::host

#endif // GNN_LIB_HOST_LIBRARYFUNCTIONS_H
