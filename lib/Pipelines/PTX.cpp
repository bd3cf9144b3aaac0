//===- PTX.cpp - From GPU kernels to PTX ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/Pipelines.h"

#include "GNN/Transforms/Kernels/Passes.h"
#include "GNN/Transforms/Stages/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace gnn;

/// GPU kernels in, NVVM kernels out.
static void addKernelPasses(OpPassManager &pm, bool cachePolicies) {
  pm.addPass(createConvertNVGPUToNVVMPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerDeviceMath());

  ConvertGpuOpsToNVVMOpsOptions toNVVM;
  toNVVM.useBarePtrCallConv = true;
  pm.addPass(createConvertGpuOpsToNVVMOps(toNVVM));

  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass()); // made of vector.create_mask
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertNVVMToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (cachePolicies)
    pm.addPass(createUseCachePolicies());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyDeviceForm());
}

/// Upstream's words.
ArrayRef<OptionWord<KernelFormat>> OptionWords<KernelFormat>::list() {
  static const OptionWord<KernelFormat> words[] = {
      {"isa", KernelFormat::ISA},
      {"bin", KernelFormat::Bin},
      {"fatbin", KernelFormat::Fatbin}};
  return words;
}

void gnn::buildPTXPipeline(OpPassManager &pm,
                           const PTXPipelineOptions &options) {
  pm.addPass(createVerifyForm({Form::Kernels, /*hasMath=*/false}));
  if (!options.chip.empty())
    pm.addPass(createAttachTarget({/*kind=*/"", options.chip}));
  pm.addPass(createAttachChip({options.features, options.optLevel}));
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  addKernelPasses(kernels, options.cachePolicies);
  if (options.lineInfo) {
    kernels.addPass(createPickLines());
    // Lines alone: PTX that says it is for debugging is not optimized.
    LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
    scopes.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  }

  GpuModuleToBinaryPassOptions binary;
  binary.compilationTarget = stringifyWord<KernelFormat>(options.format).str();
  pm.addPass(createGpuModuleToBinaryPass(binary));
  pm.addPass(createDropCompileTimes());
}
