//===- TargetBackend.cpp - Kinds of targets -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/TargetBackend.h"

#include "GNN/Analysis/Targets.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir;
using namespace gnn;

TargetBackend::~TargetBackend() = default;

llvm::Expected<CoreRegisters>
TargetBackend::getRegisters(llvm::StringRef) const {
  return llvm::createStringError(
      "expected none but for the target cpu, got some for " + getKind());
}

bool TargetBackend::takes(TargetAttr target) const {
  return target.getKind() == getKind();
}

tile::ScheduleInterface
TargetBackend::getOpenSchedule(tile::TileOpInterface op) const {
  return op.getOpenSchedule();
}

llvm::ArrayRef<tile::ScheduleField>
TargetBackend::getOwnScheduleFields() const {
  return {};
}

void TargetBackend::addSchedulePasses(OpPassManager &) const {}

void TargetBackend::addLoopPasses(OpPassManager &) const {}

std::optional<FailureOr<std::shared_ptr<const runtime::Package>>>
TargetBackend::compile(ModuleOp, const CompileOptions &) const {
  return std::nullopt;
}

std::optional<OwnCompilation> TargetBackend::getOwnCompilation() const {
  return std::nullopt;
}

Form TargetBackend::getLastForm() const { return Form::Kernels; }

LogicalResult TargetBackend::addImages(const PackageWork &work) const {
  work.images["mlir"] = printKernels(work.module);
  return success();
}

std::string gnn::printKernels(ModuleOp module) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    kernels->push_back(gpuModule->clone());
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernels->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

//===----------------------------------------------------------------------===//
// The backends of the process
//===----------------------------------------------------------------------===//

namespace {
/// Plugins are loaded while others compile.
struct Backends {
  std::mutex mutex;
  std::vector<std::unique_ptr<TargetBackend>> all;
};
} // namespace

/// They stay: a plugin's may be unloaded before the process ends.
static Backends &getBackends() {
  static Backends &backends = *new Backends;
  return backends;
}

llvm::SmallVector<const TargetBackend *> gnn::listBackends() {
  Backends &backends = getBackends();
  std::lock_guard<std::mutex> lock(backends.mutex);
  llvm::SmallVector<const TargetBackend *> list;
  for (const auto &backend : backends.all)
    list.push_back(backend.get());
  return list;
}

void gnn::registerBackend(std::unique_ptr<TargetBackend> backend) {
  Backends &backends = getBackends();
  std::lock_guard<std::mutex> lock(backends.mutex);
  if (llvm::none_of(backends.all, [&](const auto &known) {
        return known->getKind() == backend->getKind();
      }))
    backends.all.push_back(std::move(backend));
}

llvm::Expected<const TargetBackend *> gnn::findBackend(llvm::StringRef kind) {
  std::string kinds;
  for (const TargetBackend *backend : listBackends()) {
    if (backend->getKind() == kind)
      return backend;
    kinds += (kinds.empty() ? "" : ", ") + backend->getKind().str();
  }
  return llvm::createStringError("expected one of the targets " + kinds +
                                 ", got '" + kind + "'");
}

const TargetBackend *gnn::findBackend(Operation *op) {
  TargetAttr target = findTarget(op);
  for (const TargetBackend *backend : listBackends())
    if (target && backend->getKind() == target.getKind())
      return backend;
  return nullptr;
}
