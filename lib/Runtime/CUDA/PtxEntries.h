//===- PtxEntries.h - The kernels of a PTX text -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CUDA_PTXENTRIES_H
#define GNN_LIB_RUNTIME_CUDA_PTXENTRIES_H

#include "CUDA/Driver.h"

#include "GNN/Runtime/Device.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gnn::runtime::cuda {

/// The kernels of a PTX text that have nothing in common, so that some of them
/// are a text too.
class PtxEntries {
public:
  /// Nothing where there is more than kernels in the text, or none.
  static std::optional<PtxEntries> split(const std::string &text);

  bool has(const std::string &name) const { return entries.count(name) != 0; }

  /// The parameters of a kernel of this text.
  std::vector<KernelParameter> parameters(const std::string &name) const;

  /// Kernels of this text in at most `count` groups of about the same size, and
  /// in no more than are worth a module.
  std::vector<std::vector<std::string>>
  group(const std::vector<std::string> &names, size_t count) const;

  /// The text of some kernels.
  std::string textOf(const std::vector<std::string> &names) const;

private:
  std::string header, trailer;
  std::map<std::string, std::string> entries;
};

/// Modules of some kernels each, which are loaded when they are asked for.
class PtxModules {
public:
  PtxModules(PtxEntries entries,
             std::function<Expected<Module>(const std::string &)> loadModule)
      : entries(std::move(entries)), loadModule(std::move(loadModule)) {}

  /// Loads those of these kernels that are not there yet, by several threads.
  Error load(const std::vector<std::string> &names);

  /// The module of a kernel, which is loaded if it is not.
  Expected<Module> find(const std::string &name);

  const PtxEntries &text() const { return entries; }
  const std::vector<Module> &all() const { return modules; }

private:
  PtxEntries entries;
  std::function<Expected<Module>(const std::string &)> loadModule;
  std::vector<Module> modules;
  std::map<std::string, Module> moduleOf;
};

} // namespace gnn::runtime::cuda

#endif // GNN_LIB_RUNTIME_CUDA_PTXENTRIES_H
