//===- BuildKernels.cpp - Kernels that build structures -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildKernels.h"

using namespace gnn::runtime;

/// Whether these are the addresses and words of arrays, and then numbers, as
/// KernelCall passes them.
static Error checkParameters(const BuildKernelForm &form,
                             const std::vector<KernelParameter> &parameters) {
  auto expected = static_cast<size_t>(form.numArguments());
  if (parameters.size() != expected)
    return failure("expected ", expected, " parameters, got ",
                   parameters.size());
  auto arrays =
      static_cast<size_t>(form.commonArrays + form.slots * form.arrays);
  using Kind = KernelParameter::Kind;
  for (size_t i = 0; i < expected; ++i) {
    bool isArray = i < 2 * arrays && i % 2 == 0;
    const KernelParameter &parameter = parameters[i];
    if (parameter.size != 8)
      return failure("parameter ", i, ": expected 8 bytes, got ",
                     parameter.size);
    if (parameter.kind == (isArray ? Kind::Number : Kind::Memory))
      return failure("parameter ", i, ": expected ",
                     isArray ? "memory" : "a number", ", got ",
                     isArray ? "a number" : "memory");
  }
  return {};
}

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
    const BuildKernelForm &form = formOf(kernel);
    Expected<const Kernel *> found = (*image)->find(form.name);
    if (!found)
      return failure(found.message(), ": kernels of another version than the "
                                      "library lack it");
    if (const auto *parameters = (*found)->parameters())
      if (Error error = checkParameters(form, *parameters))
        return failure("kernel '", form.name, "': ", error.message(),
                       ": the kernels are of another version than the library");
    kernels.found[static_cast<size_t>(kernel)] = *found;
  }
  kernels.owner = std::move(device);
  kernels.image = std::move(*image);
  return kernels;
}
