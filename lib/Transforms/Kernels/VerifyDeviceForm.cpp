//===- VerifyDeviceForm.cpp - Contract of lowered kernels -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target exists, every op is one of its own, every function called has a
// body. Only checks.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"
#include "GNN/Transforms/Kernels/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

namespace gnn {
#define GEN_PASS_DEF_VERIFYDEVICEFORM
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The op that upstream lowers to a function of libdevice: `math.erfc` of
/// `__nv_erfcf`.
static std::string getOpOfDeviceFunction(StringRef function) {
  StringRef name = function;
  name.consume_front("__nv_");
  name.consume_front("fast_");
  StringRef special = llvm::StringSwitch<StringRef>(name)
                          .Cases({"fmodf", "fmod"}, "arith.remf")
                          .Cases({"fmaxf", "fmax"}, "arith.maxnumf")
                          .Cases({"fminf", "fmin"}, "arith.minnumf")
                          .Cases({"powf", "pow"}, "math.powf")
                          .Cases({"powif", "powi"}, "math.fpowi")
                          .Cases({"rintf", "rint"}, "math.roundeven")
                          .Cases({"fabsf", "fabs"}, "math.absf")
                          .Cases({"abs", "llabs"}, "math.absi")
                          .Cases({"erff", "erf"}, "math.erf")
                          .Cases({"isinff", "isinfd"}, "math.isinf")
                          .Cases({"isnanf", "isnand"}, "math.isnan")
                          .Cases({"finitef", "isfinited"}, "math.isfinite")
                          .Default("");
  if (!special.empty())
    return special.str();
  name.consume_back("f");
  return ("math." + name).str();
}

/// True for functions that the driver itself gives to every kernel.
static bool isGivenByDriver(StringRef function) {
  return function == "vprintf" || function == "__assertfail";
}

static LogicalResult checkCall(LLVM::CallOp call, SymbolTable &symbols) {
  std::optional<StringRef> callee = call.getCallee();
  if (!callee || isGivenByDriver(*callee))
    return success();
  auto function = symbols.lookup<LLVM::LLVMFuncOp>(*callee);
  if (function && !function.isExternal())
    return success();
  if (callee->starts_with("__nv_"))
    return mlir::emitError(call.getLoc())
           << "'" << getOpOfDeviceFunction(*callee)
           << "' has no form for the device: expected an op that "
              "gnn-expand-device-math expands, got a call of libdevice's '"
           << *callee << "'";
  return mlir::emitError(call.getLoc())
         << "expected kernels to call functions with a body, got a call of '"
         << *callee << "'";
}

/// Refuses ops on which LLVM would crash, or of which it would make calls of
/// functions that no GPU has.
static LogicalResult checkNumbers(Operation *op) {
  bool converts =
      isa<LLVM::FPToSIOp, LLVM::FPToUIOp, LLVM::SIToFPOp, LLVM::UIToFPOp>(op);
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types) {
      Type element = getElementTypeOrSelf(type);
      if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() > 64 &&
          (converts || isa<FloatType>(element)))
        return mlir::emitError(op->getLoc())
               << "'" << op->getName()
               << "' has no form for the device: expected numbers of at most "
                  "64 bits, got "
               << element;
    }
  return success();
}

/// LLVM's table of GPUs; null where it is built without them.
static std::unique_ptr<llvm::MCSubtargetInfo> getGPUs() {
  static const bool isInitialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    return true;
  }();
  (void)isInitialized;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
}

/// LLVM crashes on chips that are too old, and only warns of a chip or feature
/// that it does not know.
static LogicalResult checkTarget(Operation *kernels,
                                 NVVM::NVVMTargetAttr target) {
  if (llvm::Error error = checkChip(target.getChip(), target.getFeatures()))
    return mlir::emitError(kernels->getLoc())
           << llvm::toString(std::move(error));
  std::unique_ptr<llvm::MCSubtargetInfo> gpus = getGPUs();
  if (!gpus)
    return success();
  SmallVector<StringRef> features;
  target.getFeatures().split(features, ',', -1, /*KeepEmpty=*/false);
  for (StringRef feature : features) {
    bool isKnown =
        feature.starts_with("+") &&
        llvm::any_of(gpus->getAllProcessorFeatures(), [&](const auto &known) {
          return feature.drop_front() == known.Key;
        });
    if (!isKnown)
      return mlir::emitError(kernels->getLoc())
             << "expected a feature of LLVM's GPUs, such as +ptx80, got '"
             << feature << "'";
  }
  return success();
}

namespace {

struct VerifyDeviceForm : gnn::impl::VerifyDeviceFormBase<VerifyDeviceForm> {
  using VerifyDeviceFormBase::VerifyDeviceFormBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](gpu::GPUModuleOp kernels) {
      return failed(check(kernels)) ? WalkResult::interrupt()
                                    : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  static LogicalResult check(gpu::GPUModuleOp kernels) {
    if (ArrayAttr targets = kernels.getTargetsAttr())
      for (auto target : targets.getAsRange<NVVM::NVVMTargetAttr>())
        if (failed(checkTarget(kernels, target)))
          return failure();
    SymbolTable symbols(kernels);
    // Casts are left around an op that is left, and say less.
    Operation *cast = nullptr;
    WalkResult result = kernels.getBody()->walk([&](Operation *op) {
      if (auto call = dyn_cast<LLVM::CallOp>(op))
        return WalkResult(checkCall(call, symbols));
      if (isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(
              op->getDialect()))
        return WalkResult(checkNumbers(op));
      if (isa<UnrealizedConversionCastOp>(op)) {
        cast = op;
        return WalkResult::advance();
      }
      return WalkResult(refuse(op));
    });
    return failure(result.wasInterrupted() || (cast && failed(refuse(cast))));
  }

  static LogicalResult refuse(Operation *op) {
    return mlir::emitError(op->getLoc())
           << "'" << op->getName()
           << "' has no form for the device: expected only ops of llvm and "
              "nvvm in lowered kernels";
  }
};

} // namespace
