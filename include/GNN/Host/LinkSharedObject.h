//===- LinkSharedObject.h - Objects linked by lld ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_HOST_LINKSHAREDOBJECT_H
#define GNN_HOST_LINKSHAREDOBJECT_H

#include "GNN/Host/CodeGeneration.h"

namespace gnn::host {

/// Links objects, which were generated for `machine`, to a shared object of
/// that name. It depends only on the C library, and states this dependency, so
/// any process can load it. The same objects give the same bytes. Errors: a
/// call of a function that code of the host cannot call, and files that cannot
/// be written.
llvm::Expected<std::string>
linkSharedObject(llvm::ArrayRef<Object> objects, llvm::StringRef name,
                 llvm::orc::JITTargetMachineBuilder &machine);

} // namespace gnn::host

#endif // GNN_HOST_LINKSHAREDOBJECT_H
