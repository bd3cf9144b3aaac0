//===- Jit.cpp - Kernels compiled when they are bound ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/CPU/Compile.h"

#include "LowerKernels.h"

#include "GNN/CPU/Processor.h"
#include "GNN/Host/HostCode.h"
#include "GNN/Host/Jit.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <mutex>

using namespace mlir;
using namespace gnn;

namespace {
/// The kernels of an image, compiled when they are asked for.
class Program : public runtime::CodeImage {
public:
  static llvm::Expected<std::unique_ptr<Program>>
  create(host::ParsedKernels image);

  runtime::Error prepare(const std::vector<std::string> &names,
                         unsigned threads) override {
    if (llvm::Error error = compile(names, threads))
      return runtime::Error(llvm::toString(std::move(error)));
    return {};
  }
  const runtime::KernelCode *find(const std::string &name) override;

private:
  explicit Program(host::ParsedKernels image) : image(std::move(image)) {}
  llvm::Error compile(ArrayRef<std::string> names, unsigned threads);

  host::ParsedKernels image;
  llvm::StringMap<gpu::GPUFuncOp> kernels;
  std::mutex mutex;
  std::unique_ptr<host::Jit> jit;
  /// By name; where they are does not change.
  std::map<std::string, runtime::KernelCode> compiled;
};
} // namespace

llvm::Expected<std::unique_ptr<Program>>
Program::create(host::ParsedKernels image) {
  host::CollectedErrors errors(image.context.get());
  SmallVector<gpu::GPUFuncOp> kernels;
  if (failed(cpu::collectKernels(*image.module, kernels)))
    return errors.take();
  auto isOptimized = cpu::isOptimized();
  if (!isOptimized)
    return isOptimized.takeError();
  host::Optimization optimization = cpu::getOptimization(cpu::getProcessor());
  if (!*isOptimized)
    optimization.runs = host::Runs::Few;
  auto jit = host::Jit::create({}, optimization);
  if (!jit)
    return jit.takeError();
  std::unique_ptr<Program> program(new Program(std::move(image)));
  program->jit = std::move(*jit);
  for (gpu::GPUFuncOp kernel : kernels)
    program->kernels[kernel.getName()] = kernel;
  return std::move(program);
}

const runtime::KernelCode *Program::find(const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = compiled.find(name);
  return found == compiled.end() ? nullptr : &found->second;
}

llvm::Error Program::compile(ArrayRef<std::string> names, unsigned threads) {
  std::lock_guard<std::mutex> lock(mutex);
  host::CollectedErrors errors(image.context.get());
  std::map<std::string, runtime::KernelCode> made;
  SmallVector<OwningOpRef<ModuleOp>> owners;
  SmallVector<ModuleOp> modules;
  for (const std::string &name : names) {
    gpu::GPUFuncOp kernel = kernels.lookup(name);
    if (!kernel || compiled.count(name) || made.count(name))
      continue;
    auto lowered = cpu::lowerKernel(kernel);
    if (failed(lowered))
      return errors.take();
    made[name] = {std::move(lowered->entry), nullptr};
    modules.push_back(*lowered->module);
    owners.push_back(std::move(lowered->module));
  }
  if (modules.empty())
    return llvm::Error::success();
  if (llvm::Error error = jit->add(modules, threads))
    return error;
  for (auto &[name, code] : made) {
    auto address = jit->lookup(runtime::KernelTable::symbolOf(name));
    if (!address)
      return address.takeError();
    code.function = reinterpret_cast<runtime::BlocksFunction>(*address);
  }
  compiled.merge(made);
  return llvm::Error::success();
}

runtime::Expected<std::unique_ptr<runtime::CodeImage>>
cpu::compileKernels(const std::string &image) {
  auto kernels = host::parseKernels("mlir", image);
  if (!kernels)
    return kernels.takeError();
  auto program = Program::create(std::move(*kernels));
  if (!program)
    return runtime::Error(llvm::toString(program.takeError()));
  return std::unique_ptr<runtime::CodeImage>(std::move(*program));
}
