//===- HostKernel.cpp - Run a function of MLIR on this machine ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostKernel.h"

#include "GNN/Transforms/Kernels/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

#include <regex>

using namespace mlir;

static std::string makeText(const std::string &body, int64_t lanes) {
  bool scalar = lanes == 1;
  std::string type =
      scalar ? "f32" : "vector<" + std::to_string(lanes) + "xf32>";
  std::string buffer = "memref<1xf32>";
  auto load = [&](const char *name, const char *from) {
    std::string place = std::string(from) + "[%i] : " + buffer;
    return std::string("  %") + name + " = " +
           (scalar ? "memref.load %" + place : "vector.load %" + place) +
           (scalar ? "\n" : ", " + type + "\n");
  };
  return "func.func @f(%x: " + buffer + ", %y: " + buffer + ", %z: " + buffer +
         ", %n: index) {\n  %zero = arith.constant 0 : index\n"
         "  %step = arith.constant " +
         std::to_string(lanes) +
         " : index\n  scf.for %i = %zero to %n step %step {\n" +
         load("a", "x") + load("b", "y") + "  " +
         std::regex_replace(body, std::regex("TYPE"), type) + "\n  " +
         (scalar ? "memref.store" : "vector.store") +
         " %r, %z[%i] : " + buffer + (scalar ? "" : ", " + type) +
         "\n  }\n  return\n}\n";
}

/// Lowers to LLVM; memrefs become bare pointers.
static LogicalResult lower(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(gnn::createExpandDeviceMath());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  ConvertFuncToLLVMPassOptions toLLVM;
  toLLVM.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(toLLVM));
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

gnn::test::HostKernel::HostKernel(const std::string &body, int64_t lanes) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  MLIRContext context(registry);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str() + "\n";
    return success();
  });
  auto module = parseSourceString<ModuleOp>(makeText(body, lanes), &context);
  if (!module || failed(lower(*module)))
    return;
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(*module, *llvmContext);
  if (!code)
    return;

  if (llvm::Error error = load(std::move(code), std::move(llvmContext)))
    message = toString(std::move(error));
}

llvm::Error
gnn::test::HostKernel::load(std::unique_ptr<llvm::Module> code,
                            std::unique_ptr<llvm::LLVMContext> context) {
  auto created = llvm::orc::LLJITBuilder().create();
  if (!created)
    return created.takeError();
  jit = std::move(*created);
  code->setDataLayout(jit->getDataLayout());
  if (llvm::Error error = jit->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(code), std::move(context))))
    return error;
  auto symbol = jit->lookup("f");
  if (!symbol)
    return symbol.takeError();
  function = symbol->toPtr<decltype(function)>();
  return llvm::Error::success();
}

gnn::test::HostKernel::~HostKernel() = default;
