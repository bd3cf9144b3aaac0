//===- ModelParts.h - Arguments of saved models -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_MODELPARTS_H
#define GNN_LIB_RUNTIME_MODELPARTS_H

#include "StructureCache.h"

#include "GNN/Runtime/Model.h"

#include <functional>

namespace gnn::runtime {

/// "f32[?x16]".
std::string describe(const ModelTensor &tensor);

/// The image of a call for a device: of those that it runs and that take the
/// order of edges the one whose chip suits it best, and of equal ones the
/// first. `checkSorted` fails for a graph whose edges are not sorted.
Expected<const ModelCall::Image *>
chooseImage(const ModelCall &call, const Device &device,
            const std::function<Error(const std::string &)> &checkSorted);

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
  /// How many there are.
  Expected<int64_t> size(const ModelIds &ids) const;
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
