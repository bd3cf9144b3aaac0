//===- VerifyKernelForm.cpp - The closed list of ops of kernels -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that the emulator or the PTX side would have to guess at is
// refused here, with the reason.
//
//===----------------------------------------------------------------------===//

#include "GNN/Host/Passes.h"

#include "GNN/Dialect/GNN/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace gnn {
#define GEN_PASS_DEF_VERIFYKERNELFORM
#include "GNN/Host/Passes.h.inc"
} // namespace gnn

using namespace mlir;

/// The memory of its own that a GPU gives a thread.
static constexpr int64_t maxPrivate = 512 * 1024;

static bool isKernelOp(Operation *op) {
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    // These are lowered neither for a GPU nor for the host.
    return !isa<math::IPowIOp, math::IsInfOp, math::IsNormalOp>(op);
  static const llvm::StringSet<> names = {
      "gpu.barrier",
      "gpu.block_dim",
      "gpu.block_id",
      "gpu.dynamic_shared_memory",
      "gpu.grid_dim",
      "gpu.return",
      "gpu.shuffle",
      "gpu.thread_id",
      "memref.alloca",
      "memref.atomic_rmw",
      "memref.dim",
      "memref.load",
      "memref.reinterpret_cast",
      "memref.store",
      "memref.subview",
      "memref.view",
      "nvgpu.device_async_copy",
      "nvgpu.device_async_create_group",
      "nvgpu.device_async_wait",
      "nvgpu.ldmatrix",
      "nvgpu.mma.sync",
      "nvvm.bar.warp.sync",
      "nvvm.shfl.sync",
      "nvvm.vote.sync",
      "scf.condition",
      "scf.for",
      "scf.if",
      "scf.while",
      "scf.yield",
      "ub.poison",
      "vector.bitcast",
      "vector.broadcast",
      "vector.constant_mask",
      "vector.create_mask",
      "vector.extract",
      "vector.fma",
      "vector.from_elements",
      "vector.insert",
      "vector.load",
      "vector.maskedload",
      "vector.maskedstore",
      "vector.reduction",
      "vector.shape_cast",
      "vector.store",
      "vector.to_elements",
  };
  return names.contains(op->getName().getStringRef());
}

static bool isWorkgroup(Type type) {
  return nvgpu::NVGPUDialect::hasSharedMemoryAddressSpace(
      cast<MemRefType>(type));
}

static bool isByteSized(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

static bool isView(Operation *op) {
  return isa<memref::ReinterpretCastOp, memref::SubViewOp, memref::ViewOp>(op);
}

/// The op that makes a value says which memory it is: none is chosen at run
/// time, or carried through a loop.
static LogicalResult verifyNoMemory(Operation *op) {
  auto isMemory = [](Type type) { return isa<BaseMemRefType>(type); };
  bool carries = !isView(op) &&
                 !isa<memref::AllocaOp, gpu::DynamicSharedMemoryOp>(op) &&
                 llvm::any_of(op->getResultTypes(), isMemory);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      carries |= llvm::any_of(block.getArgumentTypes(), isMemory);
  if (carries)
    return op->emitOpError("expected memory to be used where it is known, as "
                           "an argument of the kernel or a view of it");
  return success();
}

static LogicalResult verifyMemory(Operation *op, MemRefType type) {
  if (!isByteSized(type.getElementType()))
    return op->emitOpError("expected elements of i1, i8, i16, i32, i64 or a "
                           "float, got ")
           << type.getElementType();
  if (type.getRank() > gnn::maxMemoryRank)
    return op->emitOpError("expected memory of at most ")
           << gnn::maxMemoryRank << " dimensions, got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Ops with forms of their own
//===----------------------------------------------------------------------===//

static LogicalResult verifyShuffle(gpu::ShuffleOp op) {
  Type type = op.getValue().getType();
  if (!type.isIntOrFloat() || (type.getIntOrFloatBitWidth() != 32 &&
                               type.getIntOrFloatBitWidth() != 64))
    return op.emitOpError("expected a scalar of 32 or 64 bits, got ") << type;
  // gpu-to-nvvm gives the instruction a clamp that only fits a whole warp.
  APInt width;
  if (op.getMode() == gpu::ShuffleMode::UP &&
      !(matchPattern(op.getWidth(), m_ConstantInt(&width)) && width == 32))
    return op.emitOpError("of mode up needs the constant width 32");
  return success();
}

/// Whether an operand names all lanes of a warp.
static bool areAllLanes(Value mask) {
  APInt lanes;
  return matchPattern(mask, m_ConstantInt(&lanes)) && lanes.isAllOnes();
}

static LogicalResult verifyShuffleInParts(NVVM::ShflOp op) {
  APInt clamp;
  if (op.getKind() != NVVM::ShflKind::idx || op.getReturnValueAndIsValid() ||
      !areAllLanes(op.getThreadMask()))
    return op.emitOpError("expected kind idx of all lanes, with the constant "
                          "mask -1 and without a predicate");
  // Parts of 1, 2, ... lanes, whose last lane is the last that may be read.
  if (!matchPattern(op.getMaskAndClamp(), m_ConstantInt(&clamp)) ||
      (clamp.getZExtValue() & 0xff) != 31 || (clamp.getZExtValue() >> 8) > 31 ||
      !llvm::isPowerOf2_64(32 - (clamp.getZExtValue() >> 8)))
    return op.emitOpError("expected the constant (32 - n) * 256 + 31 of parts "
                          "of n lanes, a power of two");
  return success();
}

static LogicalResult verifyVote(NVVM::VoteSyncOp op) {
  NVVM::VoteSyncKind kind = op.getKind();
  if ((kind != NVVM::VoteSyncKind::ballot && kind != NVVM::VoteSyncKind::any) ||
      !areAllLanes(op.getMask()))
    return op.emitOpError("expected a ballot or any of all lanes, with the "
                          "constant mask -1");
  return success();
}

static LogicalResult verifyWarpBarrier(NVVM::SyncWarpOp op) {
  if (!areAllLanes(op.getMask()))
    return op.emitOpError("expected all lanes, with the constant mask -1");
  return success();
}

static LogicalResult verifyMma(nvgpu::MmaSyncOp op) {
  if (!op.getTf32Enabled())
    return op.emitOpError("expected tf32Enabled");
  auto shape = op.getMmaShapeAsArray();
  if (shape[0] != 16 || shape[1] != 8 || (shape[2] != 4 && shape[2] != 8))
    return op.emitOpError("expected shape 16x8x4 or 16x8x8, got ")
           << shape[0] << "x" << shape[1] << "x" << shape[2];
  return success();
}

// The dialect's own verifier has checked memory spaces and sizes.
static LogicalResult verifyLoadMatrix(nvgpu::LdMatrixOp op) {
  int64_t tiles = op.getNumTiles();
  if (tiles != 1 && tiles != 2 && tiles != 4)
    return op.emitOpError("expected 1, 2 or 4 tiles, got ") << tiles;
  return success();
}

static LogicalResult verifyAsyncCopy(nvgpu::DeviceAsyncCopyOp op) {
  if (isWorkgroup(op.getSrc().getType()))
    return op.emitOpError("copies from global memory only");
  return success();
}

constexpr uint64_t maxAlignment = 4096;

/// The memory of an array is as long as its shape says.
static bool isDense(MemRefType type) {
  return type.hasStaticShape() && type.getLayout().isIdentity();
}

static LogicalResult verifyAlloca(memref::AllocaOp op) {
  if (!isDense(op.getType()))
    return op.emitOpError("expected a static shape and identity layout, got ")
           << op.getType();
  if (op.getAlignment().value_or(1) > maxAlignment)
    return op.emitOpError("expected an alignment of at most ")
           << maxAlignment << ", got " << *op.getAlignment();
  if (op->getParentOfType<LoopLikeOpInterface>())
    return op.emitOpError("is in a loop");
  return success();
}

/// A value in a few words.
static std::string describe(Value value) {
  if (Operation *op = value.getDefiningOp())
    return ("a result of '" + op->getName().getStringRef() + "'").str();
  return "another argument of a block";
}

static LogicalResult verifyCast(memref::ReinterpretCastOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getSource());
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  // Workgroup and private memory are arguments of the block too.
  if (!argument || argument.getOwner() != &kernel.getBody().front() ||
      argument.getArgNumber() >= kernel.getNumArguments())
    return op.emitOpError("expected an argument of the kernel, got ")
           << describe(op.getSource());
  return success();
}

static LogicalResult verifyDim(memref::DimOp op) {
  std::optional<int64_t> dimension = op.getConstantIndex();
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type || !dimension || *dimension < 0 || *dimension >= type.getRank())
    return op.emitOpError("expected the constant number of a dimension");
  return success();
}

static LogicalResult verifyVector(Operation *op, VectorType type,
                                  MemRefType memref) {
  if (type.getRank() != 1)
    return op->emitOpError("expected a vector of rank 1, got ") << type;
  if (memref.getRank() == 0)
    return op->emitOpError("expected memory with dimensions, got ") << memref;
  // Vectors of bits are packed, and arrays of them are not.
  if (memref.getElementTypeBitWidth() < 8)
    return op->emitOpError("expected elements of whole bytes, got ") << memref;
  return success();
}

/// The lowering of MLIR has no place in a vector of vectors that is a number.
template <typename Op>
static LogicalResult verifyPlace(Op op, VectorType type) {
  if (type.getRank() > 1 && op.hasDynamicPosition())
    return op.emitOpError("expected constants as places in ") << type;
  return success();
}

/// Neither the host nor a GPU has other floats.
static LogicalResult verifyFloats(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (Type element = getElementTypeOrSelf(type);
          isa<FloatType>(element) && !isByteSized(element))
        return op->emitOpError("expected floats of f16, bf16, f32 or f64, got ")
               << element;
  return success();
}

/// Nor do they have conversions of wider integers.
static LogicalResult verifyConversion(Operation *op) {
  for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()})
    if (Type element = getElementTypeOrSelf(type);
        element.getIntOrFloatBitWidth() > 64)
      return op->emitOpError("expected an integer of at most 64 bits, got ")
             << element;
  return success();
}

/// Lowerings of these take vectors apart by no dimension but the last one.
static bool isOfRows(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) ||
         isa<arith::AddUIExtendedOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
             arith::DivSIOp, arith::DivUIOp, arith::FPToSIOp, arith::FPToUIOp,
             arith::FloorDivSIOp, arith::MulSIExtendedOp,
             arith::MulUIExtendedOp, arith::RemSIOp, arith::RemUIOp>(op);
}

static LogicalResult verifyRow(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (auto vector = dyn_cast<VectorType>(type);
        vector && vector.getRank() != 1)
      return op->emitOpError("expected vectors of one dimension, got ")
             << vector;
  return success();
}

static LogicalResult verifyPower(math::FPowIOp op) {
  if (getElementTypeOrSelf(op.getRhs()).isInteger(32))
    return success();
  return op.emitOpError("expected an exponent of i32, got ")
         << op.getRhs().getType();
}

static LogicalResult verifyAtomic(memref::AtomicRMWOp op) {
  if (op.getMemRefType().getElementTypeBitWidth() >= 8)
    return success();
  return op.emitOpError("expected elements of whole bytes, got ")
         << op.getMemRefType();
}

static LogicalResult verifyOp(Operation *op) {
  if (!isKernelOp(op))
    return op->emitOpError("is not one of the ops that kernels are made of");
  if (failed(verifyNoMemory(op)) || failed(verifyFloats(op)) ||
      (isOfRows(op) && failed(verifyRow(op))))
    return failure();
  for (Type type : op->getResultTypes()) {
    if (auto memref = dyn_cast<MemRefType>(type))
      if (failed(verifyMemory(op, memref)))
        return failure();
    if (auto vector = dyn_cast<VectorType>(type);
        vector && (vector.isScalable() ||
                   llvm::any_of(vector.getShape(),
                                [](int64_t size) {
                                  return size > gnn::maxVectorElements;
                                }) ||
                   vector.getNumElements() > gnn::maxVectorElements))
      return op->emitOpError("expected a vector of at most ")
             << gnn::maxVectorElements << " elements, got " << vector;
  }
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp>(
          verifyConversion)
      .Case<math::FPowIOp>(verifyPower)
      .Case<memref::AtomicRMWOp>(verifyAtomic)
      .Case<gpu::ShuffleOp>(verifyShuffle)
      .Case<NVVM::ShflOp>(verifyShuffleInParts)
      .Case<NVVM::VoteSyncOp>(verifyVote)
      .Case<NVVM::SyncWarpOp>(verifyWarpBarrier)
      .Case<nvgpu::MmaSyncOp>(verifyMma)
      .Case<nvgpu::LdMatrixOp>(verifyLoadMatrix)
      .Case<nvgpu::DeviceAsyncCopyOp>(verifyAsyncCopy)
      .Case<memref::AllocaOp>(verifyAlloca)
      .Case<memref::DimOp>(verifyDim)
      .Case<memref::ReinterpretCastOp>(verifyCast)
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp>([](auto op) {
        return verifyVector(op, op.getVectorType(), op.getMemRefType());
      })
      .Case<vector::InsertOp>(
          [](auto op) { return verifyPlace(op, op.getDestVectorType()); })
      .Case<vector::ExtractOp>(
          [](auto op) { return verifyPlace(op, op.getSourceVectorType()); })
      .Default([](Operation *) { return success(); });
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Whether `op`, which uses `memory`, does no more than read there.
static bool isReader(Operation *op, Value memory) {
  if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op))
    return copy.getDst() != memory;
  return isa<memref::DimOp, memref::LoadOp, nvgpu::LdMatrixOp, vector::LoadOp,
             vector::MaskedLoadOp>(op);
}

Operation *gnn::findWriter(Value memory) {
  SmallVector<Value> views = {memory};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (Operation *user : view.getUsers()) {
      if (isView(user))
        views.push_back(user->getResult(0));
      else if (!isReader(user, view))
        return user;
    }
  }
  return nullptr;
}

/// Addresses are divided by an alignment, and arrays are laid out by it.
static LogicalResult verifyAlignment(gpu::GPUFuncOp kernel, Attribute align) {
  auto number = dyn_cast_or_null<IntegerAttr>(align);
  if (number &&
      (!number.getValue().isPowerOf2() || number.getValue().ugt(maxAlignment)))
    return kernel.emitOpError("expected an alignment of a power of two up to ")
           << maxAlignment << ", got " << align;
  return success();
}

static LogicalResult verifyArgument(gpu::GPUFuncOp kernel,
                                    BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  Type type = argument.getType();
  if (type.isInteger(32) || type.isInteger(64) || type.isIndex())
    return success();
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return kernel.emitOpError("argument ")
           << number << " expected a memref, i32, i64 or index, got " << type;
  if (!memref.hasStaticShape() || !memref.getLayout().isIdentity() ||
      memref.getMemorySpace())
    return kernel.emitOpError("argument ")
           << number
           << " expected a static shape, identity layout and no memory space, "
              "got "
           << type;
  if (failed(verifyMemory(kernel, memref)) ||
      failed(verifyAlignment(
          kernel,
          kernel.getArgAttr(number, LLVM::LLVMDialect::getAlignAttrName()))))
    return failure();
  auto isCast = [](Operation *user) {
    return isa<memref::ReinterpretCastOp>(user);
  };
  if (llvm::any_of(argument.getUsers(), isCast))
    for (Operation *user : argument.getUsers())
      if (!isCast(user))
        return user->emitOpError("uses argument ")
               << number << " past the memref.reinterpret_cast of it";
  if (kernel.getArgAttr(number, LLVM::LLVMDialect::getReadonlyAttrName()))
    if (Operation *writer = gnn::findWriter(argument))
      return writer->emitOpError("writes argument ")
             << number << ", which is marked "
             << LLVM::LLVMDialect::getReadonlyAttrName();
  return success();
}

/// Adds the bytes of an array; a sum that has not 64 bits stays at the end.
static void addBytes(MemRefType type, int64_t &sum) {
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      bytes = std::numeric_limits<int64_t>::max();
  if (llvm::AddOverflow(sum, bytes, sum))
    sum = std::numeric_limits<int64_t>::max();
}

static LogicalResult verifyArrays(gpu::GPUFuncOp kernel) {
  int64_t shared = 0, own = 0;
  for (auto [attributions, bytes] :
       {std::pair(kernel.getWorkgroupAttributions(), &shared),
        std::pair(kernel.getPrivateAttributions(), &own)})
    for (BlockArgument attribution : attributions) {
      auto type = cast<MemRefType>(attribution.getType());
      if (!isDense(type))
        return kernel.emitOpError("expected arrays of a static shape and "
                                  "identity layout, got ")
               << type;
      if (failed(verifyMemory(kernel, type)))
        return failure();
      addBytes(type, *bytes);
    }
  for (unsigned i = 0; i < kernel.getWorkgroupAttributions().size(); ++i)
    if (failed(verifyAlignment(kernel,
                               kernel.getWorkgroupAttributionAttr(
                                   i, LLVM::LLVMDialect::getAlignAttrName()))))
      return failure();
  kernel.getBody().walk([&](memref::AllocaOp array) {
    if (array.getType().hasStaticShape() &&
        isByteSized(array.getType().getElementType()))
      addBytes(array.getType(), own);
  });
  int64_t mostShared = getBlockLimits(kernel).sharedBytes;
  if (shared > mostShared)
    return kernel.emitOpError("expected at most ")
           << mostShared << " bytes of shared memory, got " << shared;
  if (own > maxPrivate)
    return kernel.emitOpError("expected at most ")
           << maxPrivate << " bytes of memory of each thread, got " << own;
  return success();
}

LogicalResult gnn::verifyKernelForm(gpu::GPUFuncOp kernel) {
  if (!kernel.isKernel())
    return kernel.emitOpError("is not marked as a kernel");
  if (kernel.getNumResults() != 0)
    return kernel.emitOpError("expected no results");
  for (BlockArgument argument :
       kernel.getBody().getArguments().take_front(kernel.getNumArguments()))
    if (failed(verifyArgument(kernel, argument)))
      return failure();
  if (failed(verifyArrays(kernel)))
    return failure();
  WalkResult result = kernel.getBody().walk<WalkOrder::PreOrder>(
      [](Operation *op) { return WalkResult(verifyOp(op)); });
  return failure(result.wasInterrupted());
}

namespace {
struct VerifyKernelForm : gnn::impl::VerifyKernelFormBase<VerifyKernelForm> {
  using VerifyKernelFormBase::VerifyKernelFormBase;

  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([&](gpu::GPUModuleOp module) {
      for (Operation &op : module.getOps())
        if (failed(verifyInModule(&op)))
          signalPassFailure();
      return WalkResult::skip();
    });
    markAllAnalysesPreserved();
  }

private:
  LogicalResult verifyInModule(Operation *op) {
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op))
      return gnn::verifyKernelForm(kernel);
    return op->emitOpError("expected only kernels in a gpu.module");
  }
};
} // namespace
