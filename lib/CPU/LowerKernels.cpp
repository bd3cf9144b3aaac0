//===- LowerKernels.cpp - Kernels of one thread as loops over blocks ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel becomes a function that loops over blocks, so that what they share
// is loaded once. LLVM does the rest, as for any code that runs often.
//
//===----------------------------------------------------------------------===//

#include "LowerKernels.h"

#include "GNN/Host/HostCode.h"
#include "GNN/Host/Signature.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::cpu;

/// The function over blocks, and the one that the device calls.
static std::string blocksName(StringRef kernel) {
  return (kernel + ".blocks").str();
}
static std::string entryName(StringRef kernel) {
  return runtime::KernelTable::symbolOf(kernel);
}

/// Refuses what takes more than one thread.
static LogicalResult checkThreads(gpu::GPUFuncOp kernel) {
  if (auto block = kernel.getKnownBlockSize();
      block && llvm::any_of(*block, [](int32_t size) { return size != 1; }))
    return kernel.emitOpError("expected one thread a block on the CPU, got (")
           << (*block)[0] << ", " << (*block)[1] << ", " << (*block)[2]
           << "); the emulator runs kernels of a GPU";
  WalkResult walk = kernel.getBody().walk([](Operation *op) {
    if (!isa<gpu::BarrierOp, gpu::ShuffleOp, gpu::DynamicSharedMemoryOp>(op) &&
        !isa<nvgpu::NVGPUDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitOpError("expected a kernel whose thread is alone in its block: the "
                    "CPU runs no other");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// A loop over blocks
//===----------------------------------------------------------------------===//

namespace {
/// Builds `void f(arguments..., grid x, y, z, begin, end)` of a kernel.
class BlocksBuilder {
public:
  BlocksBuilder(gpu::GPUFuncOp kernel, ModuleOp host)
      : kernel(kernel), loc(kernel.getLoc()),
        builder(OpBuilder::atBlockEnd(host.getBody())) {}

  runtime::KernelEntry build();

private:
  void createFunction();
  void allocate(Value array);
  void cloneBody();
  void lowerOp(Operation *op);
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  gpu::GPUFuncOp kernel;
  Location loc;
  OpBuilder builder;
  runtime::KernelEntry result;
  func::FuncOp function;
  IRMapping mapping;
  Value grid[3], block[3], begin, end;
};
} // namespace

void BlocksBuilder::createFunction() {
  unsigned count = kernel.getNumArguments();
  SmallVector<Type> types(kernel.getArgumentTypes());
  types.append(5, builder.getIndexType());
  function = func::FuncOp::create(builder, loc, blocksName(kernel.getName()),
                                  builder.getFunctionType(types, {}));
  for (unsigned i = 0; i < count; ++i)
    for (NamedAttribute attribute :
         cast<FunctionOpInterface>(*kernel).getArgAttrs(i))
      function.setArgAttr(i, attribute.getName(), attribute.getValue());
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  for (unsigned i = 0; i < count; ++i)
    mapping.map(kernel.getArgument(i), entry->getArgument(i));
  for (int i = 0; i < 3; ++i)
    grid[i] = entry->getArgument(count + i);
  begin = entry->getArgument(count + 3);
  end = entry->getArgument(count + 4);
}

/// Gives an array of the kernel memory of the function: one block runs after
/// the other.
void BlocksBuilder::allocate(Value array) {
  constexpr int64_t lineBytes = 64;
  auto type = cast<MemRefType>(array.getType());
  mapping.map(array,
              memref::AllocaOp::create(
                  builder, loc,
                  MemRefType::get(type.getShape(), type.getElementType()),
                  builder.getI64IntegerAttr(lineBytes)));
}

void BlocksBuilder::cloneBody() {
  for (BlockArgument array : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(array.getType());
    result.sharedBytes +=
        type.getNumElements() * static_cast<int64_t>(llvm::divideCeil(
                                    type.getElementTypeBitWidth(), 8));
    allocate(array);
  }
  for (BlockArgument array : kernel.getPrivateAttributions())
    allocate(array);
  auto loop = scf::ForOp::create(builder, loc, begin, end, index(1));
  builder.setInsertionPointToStart(loop.getBody());
  Value rest = loop.getInductionVar();
  for (int i = 0; i < 2; ++i) {
    block[i] = arith::RemUIOp::create(builder, loc, rest, grid[i]);
    rest = arith::DivUIOp::create(builder, loc, rest, grid[i]);
  }
  block[2] = rest;
  for (Operation &op : kernel.getBody().front().without_terminator())
    builder.clone(op, mapping);
}

void BlocksBuilder::lowerOp(Operation *op) {
  builder.setInsertionPoint(op);
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](gpu::BlockIdOp id) {
        replace(block[static_cast<int>(id.getDimension())]);
      })
      .Case([&](gpu::GridDimOp id) {
        replace(grid[static_cast<int>(id.getDimension())]);
      })
      .Case([&](memref::AllocaOp array) { // once, not in the loop
        Block &entry = function.getBody().front();
        array->moveBefore(&entry, entry.begin());
      })
      .Case([&](gpu::ThreadIdOp) { replace(index(0)); })
      .Case([&](gpu::BlockDimOp) { replace(index(1)); })
      .Case([&](math::FmaOp) { // without such an instruction, a call for each
        replace(LLVM::FMulAddOp::create(builder, op->getLoc(),
                                        op->getResult(0).getType(),
                                        op->getOperands()));
      })
      .Case([&](arith::FPToSIOp) {
        host::lowerToInteger(builder, op, "llvm.fptosi.sat");
      })
      .Case([&](arith::FPToUIOp) {
        host::lowerToInteger(builder, op, "llvm.fptoui.sat");
      });
}

runtime::KernelEntry BlocksBuilder::build() {
  result.name = kernel.getName().str();
  result.signature = host::readSignature(kernel);
  createFunction();
  cloneBody();
  builder.setInsertionPointToEnd(&function.getBody().front());
  func::ReturnOp::create(builder, loc);
  SmallVector<Operation *> ops;
  function.getBody().walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    lowerOp(op);
  host::stripMemorySpaces(function);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Calls of the device
//===----------------------------------------------------------------------===//

/// Builds `void entry(arguments, grid, begin, end)` around a lowered function.
static void buildEntry(ModuleOp module, const runtime::KernelEntry &kernel) {
  auto blocks = module.lookupSymbol<LLVM::LLVMFuncOp>(blocksName(kernel.name));
  Location loc = blocks.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  blocks.setLinkage(LLVM::Linkage::Internal);
  ArrayAttr nounwind = builder.getArrayAttr(builder.getStringAttr("nounwind"));
  blocks.setPassthroughAttr(nounwind);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  auto entry = LLVM::LLVMFuncOp::create(
      builder, loc, entryName(kernel.name),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, pointer, i64, i64}));
  entry.setPassthroughAttr(nounwind);
  Block *body = entry.addEntryBlock(builder);
  builder.setInsertionPointToEnd(body);
  auto load = [&](Value base, int64_t number, Type type) -> Value {
    Value at = LLVM::GEPOp::create(
        builder, loc, pointer, i64, base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
    return LLVM::LoadOp::create(builder, loc, type, at);
  };
  SmallVector<Value> passed;
  for (size_t i = 0; i < kernel.signature.parameters().size(); ++i) {
    Value at = load(body->getArgument(0), i, pointer);
    passed.push_back(LLVM::LoadOp::create(
        builder, loc, blocks.getFunctionType().getParamType(i), at));
  }
  for (int i = 0; i < 3; ++i)
    passed.push_back(load(body->getArgument(1), i, i64));
  passed.push_back(body->getArgument(2));
  passed.push_back(body->getArgument(3));
  LLVM::CallOp::create(builder, loc, blocks, passed);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult cpu::collectKernels(ModuleOp image,
                                  SmallVectorImpl<gpu::GPUFuncOp> &kernels) {
  if (failed(host::collectKernels(image, kernels)))
    return failure();
  return failure(llvm::any_of(kernels, [](gpu::GPUFuncOp kernel) {
    return failed(checkThreads(kernel));
  }));
}

FailureOr<LoweredKernel> cpu::lowerKernel(gpu::GPUFuncOp kernel) {
  LoweredKernel lowered{ModuleOp::create(kernel.getLoc()), {}};
  lowered.entry = BlocksBuilder(kernel, *lowered.module).build();
  if (failed(host::lowerToLLVM(*lowered.module)))
    return failure();
  buildEntry(*lowered.module, lowered.entry);
  return std::move(lowered);
}

host::Optimization cpu::getOptimization(StringRef processor) {
  host::Optimization optimization;
  optimization.runs = host::Runs::Many;
  optimization.mayContract = true;
  optimization.processor = processor.str();
  return optimization;
}
