//===- HostCode.cpp - From kernels to the LLVM dialect --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Host/HostCode.h"

#include "GNN/Host/Passes.h"
#include "GNN/InitDialects.h"
#include "GNN/Runtime/Nesting.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Levels of nesting, which are parsed, verified and lowered on the caller's
/// stack. Kernels have a few dozen at most.
static constexpr int maxNesting = 200;

/// How bytecode begins, whose nesting no text shows.
static bool isBytecode(StringRef image) { return image.starts_with("ML\xefR"); }

runtime::Expected<host::ParsedKernels>
host::parseKernels(const std::string &format, const std::string &image) {
  if (format != "mlir")
    return runtime::failure("expected kernels as 'mlir', got '", format, "'");
  if (isBytecode(image))
    return runtime::failure("expected the text of kernels, got bytecode");
  if (runtime::Error error =
          runtime::checkNesting(image, maxNesting, runtime::Syntax::Text))
    return error.in("the kernels cannot be parsed");
  if (runtime::Error error = runtime::checkVectors(image, maxVectorElements))
    return error.in("the kernels cannot be parsed");
  ParsedKernels kernels;
  kernels.context =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  DialectRegistry registry;
  registerDialects(registry);
  kernels.context->appendDialectRegistry(registry);
  CollectedErrors errors(kernels.context.get());
  kernels.module = parseSourceString<ModuleOp>(image, kernels.context.get());
  if (!kernels.module)
    return runtime::Error("the kernels cannot be parsed: " +
                          llvm::toString(errors.take()));
  return kernels;
}

host::CollectedErrors::CollectedErrors(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        llvm::raw_string_ostream os(messages);
        os << (messages.empty() ? "" : "\n") << diagnostic.getLocation() << ": "
           << diagnostic;
        return success();
      }) {}

void host::lowerToInteger(OpBuilder &builder, Operation *op,
                          StringRef intrinsic) {
  auto call = LLVM::CallIntrinsicOp::create(
      builder, op->getLoc(), op->getResult(0).getType(),
      builder.getStringAttr(intrinsic), op->getOperands());
  op->replaceAllUsesWith(call);
  op->erase();
}

LogicalResult host::collectKernels(ModuleOp module,
                                   SmallVectorImpl<gpu::GPUFuncOp> &kernels) {
  llvm::StringSet<> names;
  WalkResult result = module.walk([&](gpu::GPUFuncOp kernel) {
    if (failed(gnn::verifyKernelForm(kernel)))
      return WalkResult::interrupt();
    if (!names.insert(kernel.getName()).second) {
      kernel.emitOpError("has the name of another kernel: '")
          << kernel.getName() << "'";
      return WalkResult::interrupt();
    }
    kernels.push_back(kernel);
    return WalkResult::advance();
  });
  module.getContext()
      ->loadDialect<affine::AffineDialect, arith::ArithDialect,
                    cf::ControlFlowDialect, func::FuncDialect,
                    LLVM::LLVMDialect, memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

void host::stripMemorySpaces(func::FuncOp function) {
  auto strip = [&](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (type && type.getMemorySpace())
      value.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                    type.getLayout()));
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), strip);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), strip);
  });
  Block &entry = function.getBody().front();
  function.setType(
      FunctionType::get(function.getContext(), entry.getArgumentTypes(), {}));
}

/// Refuses the first op that no conversion takes; casts around it say less.
static LogicalResult verifyLowered(ModuleOp host) {
  for (bool casts : {false, true}) {
    WalkResult result = host.getBody()->walk([&](Operation *op) {
      if (isa<LLVM::LLVMDialect>(op->getDialect()) ||
          isa<UnrealizedConversionCastOp>(op) != casts)
        return WalkResult::advance();
      op->emitOpError("has no form in code of the host");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

/// Sizes of masks may have more bits.
static constexpr bool force32BitVectorIndices = false;

namespace {
/// The patterns of MLIR take the other bound first, which gives another number.
struct LowerClamp : public OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value above = arith::MaximumFOp::create(
        rewriter, op.getLoc(), op.getValue(), op.getMin(), op.getFastmath());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, above, op.getMax(),
                                                   op.getFastmath());
    return success();
  }
};
} // namespace

/// Rewrites ops to those that have patterns of the conversion.
static void populateExpansions(RewritePatternSet &patterns) {
  memref::populateExpandStridedMetadataPatterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
  arith::populateArithExpandOpsPatterns(patterns);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorMaskMaterializationPatterns(patterns,
                                                    force32BitVectorIndices);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  vector::populateVectorToElementsUnrollPatterns(patterns);
  patterns.add<LowerClamp>(patterns.getContext()); // It has no other.
}

LogicalResult host::lowerToLLVM(ModuleOp host) {
  MLIRContext *context = host.getContext();
  RewritePatternSet expansions(context);
  populateExpansions(expansions);
  GreedyRewriteConfig greedy;
  greedy.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  // Ops that are left are refused below, by name.
  (void)applyPatternsGreedily(host, std::move(expansions), greedy);
  // One conversion: each costs a walk, and casts between the types of both.
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter types(context, options);
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  populateVectorToLLVMConversionPatterns(types, patterns,
                                         /*reassociateFPReductions=*/false,
                                         force32BitVectorIndices);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  // Math that LLVM has no intrinsic for becomes calls of the C library, and so
  // does expm1, which exp(x) - 1 is far from near 0.
  OperationName expm1(math::ExpM1Op::getOperationName(), context);
  RewritePatternSet intrinsics(context);
  populateMathToLLVMConversionPatterns(types, intrinsics,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  for (auto &pattern : intrinsics.getNativePatterns())
    if (pattern->getRootKind() != expm1)
      patterns.add(std::move(pattern));
  populateMathToLibmConversionPatterns(patterns, /*benefit=*/1);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  if (failed(applyPartialConversion(host, target, std::move(patterns), config)))
    return failure();
  return verifyLowered(host);
}
