//===- ModelParts.h - Arguments of saved models -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_MODELPARTS_H
#define GNN_LIB_RUNTIME_MODELPARTS_H

#include "StructureCache.h"

#include "GNN/Runtime/Model.h"

namespace gnn::runtime {

/// "f32[?x16]".
std::string describe(const ModelTensor &tensor);

/// The arguments of a call, checked against those of the manifest, which both
/// must live as long.
class Arguments {
public:
  static Expected<Arguments> of(const ModelManifest &manifest,
                                const std::vector<ModelValue> &values);

  const ModelValue &operator[](size_t i) const { return *values[i]; }
  Expected<int64_t> count(const ModelCount &count) const;
  Expected<std::shared_ptr<const Graph>> graph(const ModelGraph &said) const;

private:
  explicit Arguments(const ModelManifest &manifest) : manifest(manifest) {}
  Error append(const ModelIds::Part &part, Indices &result) const;
  Expected<Indices> ids(const ModelIds &ids) const;

  const ModelManifest &manifest;
  /// In the order of the manifest.
  std::vector<const ModelValue *> values;
};

/// The inputs of calls that are parameters, on a device, by the parameters that
/// lie one behind another there.
struct Model::Uploaded {
  DeviceArray memory;
  std::map<std::vector<size_t>, const void *> inputs;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_MODELPARTS_H
