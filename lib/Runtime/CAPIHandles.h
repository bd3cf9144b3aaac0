//===- CAPIHandles.h - Handles of the C API ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CAPIHANDLES_H
#define GNN_LIB_RUNTIME_CAPIHANDLES_H

#include "Guarded.h"

#include "GNN/Runtime/CAPI.h"
#include "GNN/Runtime/CPUDevice.h"
#include "GNN/Runtime/Npz.h"

#include <atomic>
#include <memory>
#include <mutex>

/// Counts the references to a handle.
template <typename Derived> struct GnnCounted {
  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete static_cast<Derived *>(this);
  }

private:
  std::atomic<int64_t> references{1};
};

struct GnnError {
  std::string message;
  GnnErrorKind kind;
};

struct GnnGraph : GnnCounted<GnnGraph> {
  std::shared_ptr<const gnn::runtime::Graph> value;
  bool derived = false;
  std::vector<int32_t> edgeOrigin, edgeTypeOrigin;
};

struct GnnGraphFile : GnnCounted<GnnGraphFile> {
  gnn::runtime::GraphFile value;
};

struct GnnDevice : GnnCounted<GnnDevice> {
  std::shared_ptr<gnn::runtime::Device> value;
  std::string kind, name, gpu;
  /// The kernels that build structures, once they are asked for. They hold the
  /// device, so that it goes with this handle.
  mutable std::mutex mutex;
  mutable std::shared_ptr<const gnn::runtime::Package> structureKernels;
};

struct GnnPackage : GnnCounted<GnnPackage> {
  std::shared_ptr<const gnn::runtime::Package> value;
  std::string plan;
};

struct GnnBoundFunction : GnnCounted<GnnBoundFunction> {
  std::shared_ptr<const gnn::runtime::BoundFunction> value;
};

namespace gnn::runtime {

/// The compiler of kernels on the CPU, which libGNN defines; null in libraries
/// without it.
[[gnu::weak, gnu::visibility("hidden")]] Expected<std::unique_ptr<CodeImage>>
compileKernels(const std::string &image);

/// Runs the body of a C function: neither exceptions nor success objects leave.
template <typename Body>
GnnError *guardedCall(const char *function, Body body) {
  return wrap(guarded(function, [&]() -> Error { return body(); }));
}

/// A failure where one of the pointers, named in `what`, is null.
template <typename... Pointers>
Error expectPointers(const char *what, const Pointers *...pointers) {
  if ((... && (pointers != nullptr)))
    return {};
  return failure("expected ", what, ", got null");
}

/// Gives what `bind` makes of each function, or none of it.
template <typename Bind>
Error bindEach(ArrayView<const char *> functions, GnnBoundFunction **bound,
               Bind bind) {
  std::vector<std::unique_ptr<GnnBoundFunction>> handles;
  for (const char *function : functions) {
    auto value = bind(function ? function : "");
    if (!value)
      return value.takeError();
    handles.push_back(std::make_unique<GnnBoundFunction>());
    handles.back()->value = std::move(*value);
  }
  for (size_t i = 0; i < handles.size(); ++i)
    bound[i] = handles[i].release();
  return {};
}

/// The texts of an array; null among them is an error.
inline Error checkTexts(const char *const *texts, int64_t count,
                        const char *what) {
  for (int64_t i = 0; i < count; ++i)
    if (!texts || !texts[i])
      return failure("expected ", count, " ", what, ", got null");
  return {};
}

/// The node types of both ends of so many edge types.
inline Expected<std::vector<EdgeTypeEnds>> readSchema(GnnConstBuffer given,
                                                      int64_t edgeTypes) {
  static_assert(sizeof(EdgeTypeEnds) == 2 * sizeof(int32_t));
  auto entry = static_cast<int64_t>(sizeof(EdgeTypeEnds));
  if (edgeTypes < 0 || given.bytes / entry != edgeTypes ||
      given.bytes % entry != 0)
    return failure("schema: expected ", edgeTypes, " times ", entry,
                   " bytes, got ", given.bytes);
  auto *ends = static_cast<const int32_t *>(given.data);
  std::vector<EdgeTypeEnds> schema;
  for (int64_t r = 0; r < edgeTypes; ++r)
    schema.push_back({ends[2 * r], ends[2 * r + 1]});
  return schema;
}

/// A failure where there are fewer bytes than `needed`.
inline Error expectBytes(const char *name, const void *data, int64_t bytes,
                         int64_t needed) {
  if (needed <= 0)
    return {};
  if (!data)
    return failure(name, ": expected ", needed, " bytes, got null");
  if (bytes < needed)
    return failure(name, ": expected ", needed, " bytes, got ", bytes);
  return {};
}

/// The values of a pointer and a count; none where either says so.
template <typename T> ArrayView<T> pointers(T const *data, int64_t count) {
  return {data, data && count > 0 ? static_cast<size_t>(count) : 0};
}

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_CAPIHANDLES_H
