//===- Lowering.cpp - Kernels as host functions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones a gpu.func to a func.func of one thread. Ops that a thread shares with
// others become calls into the emulator; the rest stays for upstream's
// lowering.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "GNN/Host/HostCode.h"
#include "GNN/Host/Signature.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstddef>
#include <optional>

using namespace mlir;
using namespace gnn::emulator;

std::string gnn::emulator::threadFunctionName(StringRef kernel) {
  return (kernel + ".thread").str();
}
std::string gnn::emulator::kernelFunctionName(StringRef kernel) {
  return ("gnn_kernel." + kernel).str();
}

static int64_t bytesOf(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

SmallVector<int64_t> gnn::emulator::layOutShared(gpu::GPUFuncOp kernel,
                                                 int64_t &bytes) {
  SmallVector<int64_t> offsets;
  bytes = 0;
  for (auto [i, attribution] :
       llvm::enumerate(kernel.getWorkgroupAttributions())) {
    uint64_t alignment = 16;
    if (auto asked =
            dyn_cast_or_null<IntegerAttr>(kernel.getWorkgroupAttributionAttr(
                i, LLVM::LLVMDialect::getAlignAttrName())))
      alignment = std::max<uint64_t>(alignment, asked.getInt());
    bytes = llvm::alignTo(bytes, alignment);
    offsets.push_back(bytes);
    bytes += bytesOf(cast<MemRefType>(attribution.getType()));
  }
  bytes = llvm::alignTo(bytes, 16);
  return offsets;
}

/// file:line:column of the user's text, as far as the location knows.
static std::string describeLocation(Location loc) {
  std::string text = "an unknown location";
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

namespace {
/// Lowers one kernel.
class KernelLowering {
public:
  KernelLowering(gpu::GPUFuncOp kernel, ModuleOp host, bool checked,
                 std::vector<Site> &sites)
      : kernel(kernel), host(host), checked(checked), sites(sites),
        emit{OpBuilder(kernel.getContext()), kernel.getLoc(), Value()} {}

  CompiledKernel lower();

private:
  void describe();
  void describeAccess(Operation *op);
  void createFunction();
  void lowerOp(Operation *op);
  void lowerDynamicShared(gpu::DynamicSharedMemoryOp op);
  /// Checks an op that reads or writes memory, or says which memory is its own.
  void checkAccess(Operation *op);
  void lowerId(Operation *op, gpu::Dimension dimension, int64_t offset);
  Value shuffle(Operation *op, Value value, Value offset, Value lanes,
                uint32_t mode);
  void lowerShuffle(gpu::ShuffleOp op);
  void lowerShuffleInParts(NVVM::ShflOp op);
  void lowerVote(NVVM::VoteSyncOp op);
  void lowerWarpBarrier(NVVM::SyncWarpOp op);
  void lowerAsyncCopy(nvgpu::DeviceAsyncCopyOp op);
  void lowerLoadMatrix(nvgpu::LdMatrixOp op);
  void lowerMma(nvgpu::MmaSyncOp op);
  void replaceTokens(Operation *op);
  void stripTypes();
  uint32_t addSite(Operation *op);
  Value scratch(int64_t elements, Type element);

  gpu::GPUFuncOp kernel;
  ModuleOp host;
  bool checked;
  std::vector<Site> &sites;
  CallBuilder emit;
  CompiledKernel result;
  func::FuncOp function;
  Value threadIds[3], dynamicShared;
  std::optional<Checks> checks;
};
} // namespace

uint32_t KernelLowering::addSite(Operation *op) {
  sites.push_back(
      {op->getName().getStringRef().str(), describeLocation(op->getLoc())});
  return sites.size() - 1;
}

//===----------------------------------------------------------------------===//
// Facts of a kernel
//===----------------------------------------------------------------------===//

void KernelLowering::describeAccess(Operation *op) {
  auto note = [&](Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    if (!nvgpu::NVGPUDialect::hasSharedMemoryAddressSpace(type))
      return;
    unsigned bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    result.granuleShift = std::min(result.granuleShift, llvm::Log2_32(bytes));
  };
  TypeSwitch<Operation *>(op)
      .Case<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp>(
          [&](auto op) { note(op.getMemref()); })
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp>([&](auto op) { note(op.getBase()); })
      .Case<nvgpu::DeviceAsyncCopyOp>([&](auto op) {
        note(op.getDst());
        result.hasAsyncCopies = true;
      })
      .Case<nvgpu::LdMatrixOp>([&](auto op) {
        note(op.getSrcMemref());
        result.needsFibers = true;
      })
      .Case<gpu::BarrierOp, gpu::ShuffleOp, NVVM::ShflOp, NVVM::VoteSyncOp,
            NVVM::SyncWarpOp, nvgpu::MmaSyncOp>(
          [&](auto) { result.needsFibers = true; })
      .Case<memref::AllocaOp>([&](auto op) {
        result.privateBytes += llvm::alignTo(bytesOf(op.getType()), 64);
      });
}

/// Bytes of a stack in which a value may be spilled.
static int64_t countValueBytes(Type type) {
  int64_t bits = 64;
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.getNumElements() *
           (vector.getElementType().isIntOrFloat()
                ? std::max(8u, vector.getElementTypeBitWidth())
                : 64);
  return llvm::alignTo(llvm::divideCeil(bits, 8), 8);
}

void KernelLowering::describe() {
  result.name = kernel.getName().str();
  if (auto block = kernel.getKnownBlockSize())
    result.knownBlock.assign(block->begin(), block->end());
  result.signature = gnn::host::readSignature(kernel);
  layOutShared(kernel, result.staticSharedBytes);
  for (BlockArgument attribution : kernel.getPrivateAttributions())
    result.privateBytes +=
        llvm::alignTo(bytesOf(cast<MemRefType>(attribution.getType())), 64);
  kernel.getBody().walk([&](Operation *op) {
    describeAccess(op);
    for (Type type : op->getResultTypes())
      result.valueBytes += countValueBytes(type);
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        result.valueBytes += countValueBytes(type);
  });
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void KernelLowering::createFunction() {
  OpBuilder &builder = emit.builder;
  builder.setInsertionPointToEnd(host.getBody());
  function = func::FuncOp::create(builder, kernel.getLoc(),
                                  threadFunctionName(kernel.getName()),
                                  builder.getFunctionType({}, {}));
  IRMapping mapping;
  kernel.getBody().cloneInto(&function.getBody(), mapping);
  Block &entry = function.getBody().front();

  builder.setInsertionPointToStart(&entry);
  for (BlockArgument attribution : kernel.getPrivateAttributions()) {
    BlockArgument clone =
        cast<BlockArgument>(mapping.lookup(static_cast<Value>(attribution)));
    Value memory = memref::AllocaOp::create(
        builder, kernel.getLoc(),
        MemRefType::get(cast<MemRefType>(clone.getType()).getShape(),
                        cast<MemRefType>(clone.getType()).getElementType()),
        builder.getI64IntegerAttr(16));
    clone.replaceAllUsesWith(memory);
    entry.eraseArgument(clone.getArgNumber());
  }
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Location loc = kernel.getLoc();
  dynamicShared =
      entry.addArgument(MemRefType::get({1}, builder.getI8Type()), loc);
  emit.context = entry.addArgument(pointer, loc);
  for (Value &id : threadIds)
    id = entry.addArgument(builder.getIndexType(), loc);
  function.setType(builder.getFunctionType(entry.getArgumentTypes(), {}));
}

CompiledKernel KernelLowering::lower() {
  describe();
  createFunction();
  OpBuilder &builder = emit.builder;
  SmallVector<Operation *> ops;
  function.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { ops.push_back(op); });
  checks.emplace(emit);
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    emit.loc = op->getLoc();
    lowerOp(op);
  }
  stripTypes();
  return std::move(result);
}

/// The host has one memory space; tokens carry nothing.
void KernelLowering::stripTypes() {
  Type token = nvgpu::DeviceAsyncTokenType::get(function.getContext());
  auto strip = [&](Value value) {
    if (value.getType() == token)
      value.setType(emit.builder.getI32Type());
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), strip);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), strip);
  });
  gnn::host::stripMemorySpaces(function);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void KernelLowering::lowerId(Operation *op, gpu::Dimension dimension,
                             int64_t offset) {
  offset += 8 * static_cast<int64_t>(dimension);
  Value id = emit.toIndex(
      emit.field(offset, emit.builder.getI64Type(), /*constant=*/true));
  op->getResult(0).replaceAllUsesWith(id);
  op->erase();
}

/// Memory of one thread, made once at the function's entry.
Value KernelLowering::scratch(int64_t elements, Type element) {
  OpBuilder::InsertionGuard guard(emit.builder);
  emit.builder.setInsertionPointToStart(&function.getBody().front());
  result.privateBytes += 64;
  return memref::AllocaOp::create(emit.builder, emit.loc,
                                  MemRefType::get({elements}, element),
                                  emit.builder.getI64IntegerAttr(16));
}

/// The bits of `value` in the lane that a call of the runtime finds.
Value KernelLowering::shuffle(Operation *op, Value value, Value offset,
                              Value lanes, uint32_t mode) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = builder.getIntegerType(width);
  Type i64 = builder.getI64Type();
  Value bits = value;
  if (type != integer)
    bits = arith::BitcastOp::create(builder, loc, integer, bits);
  if (width < 64)
    bits = arith::ExtUIOp::create(builder, loc, i64, bits);
  bits =
      emit.call("gnn_emulator_shuffle", {emit.context, emit.i32(addSite(op)),
                                         bits, offset, lanes, emit.i32(mode)});
  if (width < 64)
    bits = arith::TruncIOp::create(builder, loc, integer, bits);
  return type == integer ? bits
                         : arith::BitcastOp::create(builder, loc, type, bits);
}

void KernelLowering::lowerShuffle(gpu::ShuffleOp op) {
  Value bits = shuffle(op, op.getValue(), op.getOffset(), op.getWidth(),
                       static_cast<uint32_t>(op.getMode()));
  Value valid =
      emit.field(offsetof(KernelContext, valid), emit.builder.getI32Type(),
                 /*constant=*/false);
  valid = emit.compare(arith::CmpIPredicate::ne, valid, emit.i32(0));
  op.replaceAllUsesWith(ValueRange{bits, valid});
  op.erase();
}

/// A shuffle from a lane of the own part of the warp.
void KernelLowering::lowerShuffleInParts(NVVM::ShflOp op) {
  APInt clamp;
  matchPattern(op.getMaskAndClamp(), m_ConstantInt(&clamp));
  uint32_t lanes = warpSize - (clamp.getZExtValue() >> 8);
  op.replaceAllUsesWith(shuffle(op, op.getVal(), op.getOffset(),
                                emit.i32(lanes), shuffleInParts));
  op.erase();
}

void KernelLowering::lowerVote(NVVM::VoteSyncOp op) {
  Value vote = arith::ExtUIOp::create(emit.builder, emit.loc,
                                      emit.builder.getI32Type(), op.getPred());
  Value votes = emit.call("gnn_emulator_ballot",
                          {emit.context, emit.i32(addSite(op)), vote});
  if (op.getKind() == NVVM::VoteSyncKind::any)
    votes = emit.compare(arith::CmpIPredicate::ne, votes, emit.i32(0));
  op.replaceAllUsesWith(votes);
  op.erase();
}

void KernelLowering::lowerWarpBarrier(NVVM::SyncWarpOp op) {
  emit.call("gnn_emulator_warp_barrier", {emit.context, emit.i32(addSite(op))});
  op.erase();
}

/// Tokens become zeros: the emulator counts groups by thread.
void KernelLowering::replaceTokens(Operation *op) {
  if (op->getNumResults() == 1) {
    Value zero = emit.i32(0);
    op->getResult(0).replaceAllUsesWith(zero);
  }
  op->erase();
}

void KernelLowering::lowerAsyncCopy(nvgpu::DeviceAsyncCopyOp op) {
  uint32_t site = addSite(op);
  auto type = cast<MemRefType>(op.getDst().getType());
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  int64_t elements = op.getDstElements().getZExtValue();
  Value count =
      op.getSrcElements() ? Value(op.getSrcElements()) : emit.index(elements);
  Value destination = emit.address(op.getDst(), op.getDstIndices());
  Value source = emit.address(op.getSrc(), op.getSrcIndices());
  if (checked) {
    Value reads;
    if (op.getSrcElements())
      reads = emit.compare(arith::CmpIPredicate::sgt, count, emit.index(0));
    uint64_t alignment = elements * elementBytes;
    checks->check(site, op.getDst(), op.getDstIndices(),
                  {emit.index(elements), Value(), alignment});
    checks->check(site, op.getSrc(), op.getSrcIndices(),
                  {count, emit.all(reads), alignment});
  }
  emit.call("gnn_emulator_async_copy",
            {emit.context, emit.i32(site), emit.pointer(destination),
             emit.pointer(source), emit.i64(elements * elementBytes),
             emit.toI64(count), emit.i64(elementBytes)});
  replaceTokens(op);
}

void KernelLowering::lowerLoadMatrix(nvgpu::LdMatrixOp op) {
  OpBuilder &builder = emit.builder;
  uint32_t site = addSite(op);
  auto type = cast<VectorType>(op.getRes().getType());
  Type element = type.getElementType();
  int64_t tiles = op.getNumTiles();
  Value row = emit.address(op.getSrcMemref(), op.getIndices());
  if (checked) {
    // The other lanes' addresses are not read.
    Value key = emit.field(offsetof(KernelContext, key), builder.getI32Type(),
                           /*constant=*/false);
    Value lane = arith::AndIOp::create(builder, emit.loc, key, emit.i32(31));
    Value reads =
        emit.compare(arith::CmpIPredicate::ult, lane, emit.i32(8 * tiles));
    Value count = emit.index(128 / type.getElementTypeBitWidth());
    checks->check(site, op.getSrcMemref(), op.getIndices(),
                  {count, emit.all(reads), /*alignment=*/16});
  }
  Value memory = scratch(type.getNumElements(), element);
  Value zero = emit.index(0);
  emit.call("gnn_emulator_load_matrix",
            {emit.context, emit.i32(site), emit.pointer(row),
             emit.pointer(emit.address(memory, zero)), emit.i32(tiles),
             emit.i32(op.getTranspose())});
  Value flat = vector::LoadOp::create(
      builder, emit.loc, VectorType::get({type.getNumElements()}, element),
      memory, zero);
  Value shaped = vector::ShapeCastOp::create(builder, emit.loc, type, flat);
  op.replaceAllUsesWith(shaped);
  op.erase();
}

void KernelLowering::lowerMma(nvgpu::MmaSyncOp op) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  // A, B and C behind each other, then the result.
  Value memory = scratch(16, builder.getF32Type());
  int64_t position = 0;
  for (Value operand : op.getOperands()) {
    int64_t elements = cast<VectorType>(operand.getType()).getNumElements();
    Value flat = vector::ShapeCastOp::create(
        builder, loc, VectorType::get({elements}, builder.getF32Type()),
        operand);
    Value at = emit.index(position);
    vector::StoreOp::create(builder, loc, flat, memory, at);
    position += elements;
  }
  Value zero = emit.index(0), twelve = emit.index(12);
  emit.call("gnn_emulator_mma", {emit.context, emit.i32(addSite(op)),
                                 emit.pointer(emit.address(memory, zero)),
                                 emit.pointer(emit.address(memory, twelve)),
                                 emit.i32(op.getMmaShapeAsArray()[2])});
  Value flat = vector::LoadOp::create(
      builder, loc, VectorType::get({4}, builder.getF32Type()), memory, twelve);
  Value shaped = vector::ShapeCastOp::create(
      builder, loc, cast<VectorType>(op.getRes().getType()), flat);
  op.replaceAllUsesWith(shaped);
  op.erase();
}

void KernelLowering::checkAccess(Operation *op) {
  TypeSwitch<Operation *>(op)
      .Case<memref::LoadOp>([&](auto op) {
        checks->access(addSite(op), op, op.getMemref(), op.getIndices(), 1,
                       FaultKind::RaceRead);
      })
      .Case<memref::StoreOp>([&](auto op) {
        checks->access(addSite(op), op, op.getMemref(), op.getIndices(), 1,
                       FaultKind::RaceWrite);
      })
      .Case<memref::AtomicRMWOp>([&](auto op) {
        checks->access(addSite(op), op, op.getMemref(), op.getIndices(), 1,
                       FaultKind::RaceAtomic);
      })
      .Case<vector::LoadOp>([&](auto op) {
        checks->access(addSite(op), op, op.getBase(), op.getIndices(),
                       op.getVectorType().getNumElements(),
                       FaultKind::RaceRead);
      })
      .Case<vector::StoreOp>([&](auto op) {
        checks->access(addSite(op), op, op.getBase(), op.getIndices(),
                       op.getVectorType().getNumElements(),
                       FaultKind::RaceWrite);
      })
      .Case<vector::MaskedLoadOp>([&](auto op) {
        checks->maskedAccess(addSite(op), op, op.getBase(), op.getIndices(),
                             op.getMask(), FaultKind::RaceRead);
      })
      .Case<vector::MaskedStoreOp>([&](auto op) {
        checks->maskedAccess(addSite(op), op, op.getBase(), op.getIndices(),
                             op.getMask(), FaultKind::RaceWrite);
      })
      .Case<memref::ReinterpretCastOp>(
          [&](auto op) { checks->argumentCast(addSite(op), op); })
      .Case<memref::ViewOp>([&](auto op) { checks->view(addSite(op), op); })
      .Case<memref::SubViewOp>(
          [&](auto op) { checks->subview(addSite(op), op); });
}

void KernelLowering::lowerDynamicShared(gpu::DynamicSharedMemoryOp op) {
  Value bytes =
      emit.toIndex(emit.field(offsetof(KernelContext, dynamicSharedBytes),
                              emit.builder.getI64Type(), /*constant=*/true));
  auto cast = memref::ReinterpretCastOp::create(
      emit.builder, emit.loc,
      MemRefType::get({ShapedType::kDynamic}, emit.builder.getI8Type()),
      dynamicShared, OpFoldResult(emit.builder.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{bytes},
      ArrayRef<OpFoldResult>{emit.builder.getIndexAttr(1)});
  // Keeps the memory space until types are stripped.
  cast.getResult().setType(op.getType());
  op.replaceAllUsesWith(cast.getResult());
  op.erase();
}

void KernelLowering::lowerOp(Operation *op) {
  TypeSwitch<Operation *>(op)
      .Case<gpu::ThreadIdOp>([&](auto op) {
        op.replaceAllUsesWith(threadIds[static_cast<int>(op.getDimension())]);
        op.erase();
      })
      .Case<gpu::BlockIdOp>([&](auto op) {
        lowerId(op, op.getDimension(), offsetof(KernelContext, blockId));
      })
      .Case<gpu::BlockDimOp>([&](auto op) {
        lowerId(op, op.getDimension(), offsetof(KernelContext, blockDim));
      })
      .Case<gpu::GridDimOp>([&](auto op) {
        lowerId(op, op.getDimension(), offsetof(KernelContext, gridDim));
      })
      .Case<gpu::DynamicSharedMemoryOp>(
          [&](auto op) { lowerDynamicShared(op); })
      .Case<gpu::ReturnOp>([&](auto op) {
        func::ReturnOp::create(emit.builder, emit.loc);
        op.erase();
      })
      .Case<gpu::BarrierOp>([&](auto op) {
        emit.call("gnn_emulator_barrier",
                  {emit.context, emit.i32(addSite(op))});
        op.erase();
      })
      .Case<gpu::ShuffleOp>([&](auto op) { lowerShuffle(op); })
      .Case<NVVM::VoteSyncOp>([&](auto op) { lowerVote(op); })
      .Case<NVVM::ShflOp>([&](auto op) { lowerShuffleInParts(op); })
      .Case<NVVM::SyncWarpOp>([&](auto op) { lowerWarpBarrier(op); })
      .Case<nvgpu::DeviceAsyncCopyOp>([&](auto op) { lowerAsyncCopy(op); })
      .Case<nvgpu::DeviceAsyncCreateGroupOp>([&](auto op) {
        emit.call("gnn_emulator_async_commit", {emit.context});
        replaceTokens(op);
      })
      .Case<nvgpu::DeviceAsyncWaitOp>([&](auto op) {
        emit.call("gnn_emulator_async_wait",
                  {emit.context, emit.i32(op.getNumGroups().value_or(0))});
        replaceTokens(op);
      })
      .Case<nvgpu::LdMatrixOp>([&](auto op) { lowerLoadMatrix(op); })
      .Case<nvgpu::MmaSyncOp>([&](auto op) { lowerMma(op); })
      .Case<arith::FPToSIOp>([&](auto op) {
        gnn::host::lowerToInteger(emit.builder, op, "llvm.fptosi.sat");
      })
      .Case<arith::FPToUIOp>([&](auto op) {
        gnn::host::lowerToInteger(emit.builder, op, "llvm.fptoui.sat");
      })
      .Case<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
            arith::FloorDivSIOp>(
          [&](auto op) { checks->division(addSite(op), op, true); })
      .Case<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(
          [&](auto op) { checks->division(addSite(op), op, false); })
      .Default([&](Operation *op) {
        if (checked)
          checkAccess(op);
      });
}

CompiledKernel gnn::emulator::lowerKernel(gpu::GPUFuncOp kernel, ModuleOp host,
                                          bool checked,
                                          std::vector<Site> &sites) {
  return KernelLowering(kernel, host, checked, sites).lower();
}
