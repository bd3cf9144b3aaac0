//===- CAPIArrays.cpp - C API of arrays in files --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/Arrays.h"

#include "CAPIHandles.h"

#include "GNN/Runtime/Npy.h"

#include <algorithm>
#include <vector>

using namespace gnn::runtime;

struct GnnArrayFile : GnnCounted<GnnArrayFile> {
  /// In the order of names.
  std::vector<std::pair<std::string, NpyArray>> arrays;
};

GnnError *gnnArrayFileLoad(const char *path, GnnArrayFile **file) {
  return guardedCall("arrays", [&]() -> Error {
    if (Error error = expectPointers("a path and a result", path, file))
      return error;
    auto npz = NpzFile::open(path);
    if (!npz)
      return npz.takeError();
    auto handle = std::make_unique<GnnArrayFile>();
    for (const std::string &name : (*npz)->names()) {
      Expected<NpyArray> array = (*npz)->read(name);
      if (!array)
        return array.takeError().in(path);
      if (array->isText)
        return failure(path, ": expected numbers in '", name, "', got text");
      handle->arrays.emplace_back(name, std::move(*array));
    }
    std::sort(handle->arrays.begin(), handle->arrays.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    *file = handle.release();
    return {};
  });
}

void gnnArrayFileRetain(GnnArrayFile *file) {
  if (file)
    file->retain();
}

void gnnArrayFileRelease(GnnArrayFile *file) {
  if (file)
    file->release();
}

int64_t gnnArrayFileNumArrays(const GnnArrayFile *file) {
  return static_cast<int64_t>(file->arrays.size());
}

bool gnnArrayFileArray(const GnnArrayFile *file, int64_t index,
                       GnnArray *array) {
  if (!array || index < 0 || index >= gnnArrayFileNumArrays(file))
    return false;
  const auto &[name, found] = file->arrays[static_cast<size_t>(index)];
  *array = {name.c_str(), gnn::runtime::name(found.dtype),
            static_cast<int64_t>(found.shape.size()), found.shape.data(),
            found.bytes.data()};
  return true;
}

bool gnnArrayFileFind(const GnnArrayFile *file, const char *name,
                      GnnArray *array) {
  auto found = std::lower_bound(
      file->arrays.begin(), file->arrays.end(),
      std::string_view(name ? name : ""),
      [](const auto &one, std::string_view name) { return one.first < name; });
  bool isThere = found != file->arrays.end() && name && found->first == name;
  return isThere &&
         gnnArrayFileArray(file, found - file->arrays.begin(), array);
}
