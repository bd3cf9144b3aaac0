//===- BuildKernels.cpp - Kernels that build structures -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildKernels.h"

using namespace gnn::runtime;

Expected<BuildKernels> BuildKernels::find(const Package &package,
                                          std::shared_ptr<Device> device,
                                          ArrayView<BuildKernel> wanted) {
  BuildKernels kernels;
  auto image = package.kernelsOn(device);
  if (!image)
    return image.takeError();
  std::vector<std::string> names;
  for (BuildKernel kernel : wanted)
    names.push_back(formOf(kernel).name);
  if (Error error = (*image)->expect(names))
    return error;
  for (BuildKernel kernel : wanted) {
    Expected<const Kernel *> found = (*image)->find(formOf(kernel).name);
    if (!found)
      return found.takeError();
    kernels.found[static_cast<size_t>(kernel)] = *found;
  }
  kernels.owner = std::move(device);
  kernels.image = std::move(*image);
  return kernels;
}
