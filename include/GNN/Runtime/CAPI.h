//===- CAPI.h - Objects behind the handles of the C API ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_CAPI_H
#define GNN_RUNTIME_CAPI_H

#include "GNN-c/Runtime.h"
#include "GNN/Runtime/BoundFunction.h"

namespace gnn::runtime {

/// For libraries that add functions to the C API: makes handles with one
/// reference, and gives the objects behind handles (null for null). A failed
/// Error becomes an object, success becomes null.
GnnError *wrap(const Error &error);
GnnGraph *wrap(std::shared_ptr<const Graph> graph);
GnnDevice *wrap(std::shared_ptr<Device> device);
GnnPackage *wrap(std::shared_ptr<const Package> package);

std::shared_ptr<const Graph> unwrap(const GnnGraph *graph);
std::shared_ptr<Device> unwrap(const GnnDevice *device);
std::shared_ptr<const Package> unwrap(const GnnPackage *package);

/// A copy that gnnStringDestroy destroys.
char *copyString(const std::string &text);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_CAPI_H
