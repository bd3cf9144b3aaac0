//===- Compile.cpp - From kernels to the LLVM dialect ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of a kernel are one function; the kernel's own function runs one
// thread on its fiber, or all of a block's threads in a loop where none waits.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "GNN/Host/HostCode.h"
#include "Lowering.h"
#include "Run/Entries.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>

using namespace mlir;
using namespace gnn::emulator;

//===----------------------------------------------------------------------===//
// The host module
//===----------------------------------------------------------------------===//

static Type typeOf(MLIRContext *context, char letter) {
  switch (letter) {
  case 'i':
    return IntegerType::get(context, 32);
  case 'l':
    return IntegerType::get(context, 64);
  case 'p':
    return LLVM::LLVMPointerType::get(context);
  default:
    return LLVM::LLVMVoidType::get(context);
  }
}

static void declareEntries(ModuleOp host) {
  MLIRContext *context = host.getContext();
  OpBuilder builder = OpBuilder::atBlockBegin(host.getBody());
  for (const Entry &entry : getEntries()) {
    SmallVector<Type> parameters;
    for (char letter : entry.signature.drop_front())
      parameters.push_back(typeOf(context, letter));
    auto function = LLVM::LLVMFuncOp::create(
        builder, host.getLoc(), entry.name,
        LLVM::LLVMFunctionType::get(typeOf(context, entry.signature.front()),
                                    parameters));
    SmallVector<Attribute> attributes{builder.getStringAttr("nounwind")};
    if (!entry.returns) {
      attributes.push_back(builder.getStringAttr("noreturn"));
      attributes.push_back(builder.getStringAttr("cold"));
    }
    function.setPassthroughAttr(builder.getArrayAttr(attributes));
  }
}

//===----------------------------------------------------------------------===//
// The function of a kernel
//===----------------------------------------------------------------------===//

namespace {
/// Builds `void kernel(context, arguments)` around a thread's function.
class KernelBuilder {
public:
  KernelBuilder(ModuleOp host, const CompiledKernel &kernel,
                ArrayRef<int64_t> sharedOffsets)
      : builder(OpBuilder::atBlockEnd(host.getBody())), loc(host.getLoc()),
        kernel(kernel), sharedOffsets(sharedOffsets),
        thread(host.lookupSymbol<LLVM::LLVMFuncOp>(
            threadFunctionName(kernel.name))),
        i32(builder.getI32Type()), i64(builder.getI64Type()),
        pointer(LLVM::LLVMPointerType::get(builder.getContext())) {}

  void build();

private:
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, type, value);
  }
  Value offset(Value base, int64_t bytes) {
    return LLVM::GEPOp::create(
        builder, loc, pointer, builder.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
  }
  Value element(Value base, Type type, Value at) {
    Value address = LLVM::GEPOp::create(builder, loc, pointer, type, base,
                                        ArrayRef<LLVM::GEPArg>{at});
    return LLVM::LoadOp::create(builder, loc, type, address);
  }
  Value field(int64_t at, Type type) {
    return LLVM::LoadOp::create(builder, loc, type, offset(context, at));
  }
  void loadArguments(Value values);
  void callThread(Value linear);
  void loopOverThreads(LLVM::LLVMFuncOp function);

  OpBuilder builder;
  Location loc;
  const CompiledKernel &kernel;
  ArrayRef<int64_t> sharedOffsets;
  LLVM::LLVMFuncOp thread;
  Type i32, i64, pointer;
  Value context;
  SmallVector<Value> passed;
};
} // namespace

void KernelBuilder::loadArguments(Value values) {
  for (auto [i, parameter] : llvm::enumerate(kernel.signature.parameters())) {
    Value at =
        LLVM::LoadOp::create(builder, loc, pointer, offset(values, 8 * i));
    Type type = parameter.isMemory()  ? pointer
                : parameter.size == 4 ? i32
                                      : i64;
    passed.push_back(LLVM::LoadOp::create(builder, loc, type, at));
  }
  Value shared = field(offsetof(KernelContext, shared), pointer);
  for (int64_t at : sharedOffsets)
    passed.push_back(offset(shared, at));
  passed.push_back(offset(shared, kernel.staticSharedBytes));
  passed.push_back(context);
}

void KernelBuilder::callThread(Value linear) {
  Value positions = field(offsetof(KernelContext, positions), pointer);
  Value position = LLVM::GEPOp::create(
      builder, loc, pointer,
      LLVM::LLVMArrayType::get(builder.getI8Type(), sizeof(ThreadPosition)),
      positions, ArrayRef<LLVM::GEPArg>{linear});
  SmallVector<Value> arguments(passed);
  for (int64_t at : {offsetof(ThreadPosition, x), offsetof(ThreadPosition, y),
                     offsetof(ThreadPosition, z)}) {
    Value id = LLVM::LoadOp::create(builder, loc, i32, offset(position, at));
    arguments.push_back(LLVM::ZExtOp::create(builder, loc, i64, id));
  }
  LLVM::CallOp::create(builder, loc, thread, arguments);
}

void KernelBuilder::loopOverThreads(LLVM::LLVMFuncOp function) {
  Block *loop = new Block, *body = new Block, *exit = new Block;
  for (Block *block : {loop, body, exit})
    function.getBody().push_back(block);
  Value count = field(offsetof(KernelContext, numThreads), i64);
  Value order = field(offsetof(KernelContext, order), pointer);
  Value epoch = field(offsetof(KernelContext, epoch), i32);
  Value zero = constant(i64, 0), one = constant(i64, 1);
  LLVM::BrOp::create(builder, loc, ValueRange{zero}, loop);

  Value i = loop->addArgument(i64, loc);
  builder.setInsertionPointToEnd(loop);
  Value more =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, i, count);
  LLVM::CondBrOp::create(builder, loc, more, body, ValueRange(), exit,
                         ValueRange());

  builder.setInsertionPointToEnd(body);
  Value linear = element(order, i32, i);
  Value key = LLVM::OrOp::create(builder, loc, epoch, linear);
  LLVM::StoreOp::create(builder, loc, key,
                        offset(context, offsetof(KernelContext, key)));
  callThread(LLVM::ZExtOp::create(builder, loc, i64, linear));
  Value next = LLVM::AddOp::create(builder, loc, i, one);
  LLVM::BrOp::create(builder, loc, ValueRange{next}, loop);

  builder.setInsertionPointToEnd(exit);
}

void KernelBuilder::build() {
  auto nounwind = builder.getStringAttr("nounwind");
  thread.setLinkage(LLVM::Linkage::Internal);
  thread.setAlwaysInline(true);
  thread.setPassthroughAttr(builder.getArrayAttr({nounwind}));
  // Nothing else of the thread's memory overlaps the context.
  thread.setArgAttr(thread.getNumArguments() - 4,
                    LLVM::LLVMDialect::getNoAliasAttrName(),
                    builder.getUnitAttr());
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, kernelFunctionName(kernel.name),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, pointer}));
  function.setPassthroughAttr(builder.getArrayAttr({nounwind}));
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToEnd(entry);
  context = entry->getArgument(0);
  loadArguments(entry->getArgument(1));
  if (kernel.needsFibers) {
    Value key = field(offsetof(KernelContext, key), i32);
    Value mask = constant(i32, threadMask);
    Value linear = LLVM::AndOp::create(builder, loc, key, mask);
    callThread(LLVM::ZExtOp::create(builder, loc, i64, linear));
  } else {
    loopOverThreads(function);
  }
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

LogicalResult
gnn::emulator::lowerToLLVM(ModuleOp host, ArrayRef<CompiledKernel> kernels,
                           ArrayRef<SmallVector<int64_t>> sharedOffsets) {
  if (failed(gnn::host::lowerToLLVM(host)))
    return failure();
  for (auto [kernel, offsets] : llvm::zip(kernels, sharedOffsets))
    KernelBuilder(host, kernel, offsets).build();
  return success();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

llvm::Expected<Program> gnn::emulator::compile(ModuleOp module, bool checked) {
  host::CollectedErrors errors(module.getContext());
  SmallVector<gpu::GPUFuncOp> kernels;
  if (failed(host::collectKernels(module, kernels)))
    return errors.take();
  Program program;
  OwningOpRef<ModuleOp> host = ModuleOp::create(module.getLoc());
  declareEntries(*host);
  SmallVector<SmallVector<int64_t>> sharedOffsets;
  for (gpu::GPUFuncOp kernel : kernels) {
    program.kernels.push_back(
        lowerKernel(kernel, *host, checked, program.sites));
    int64_t bytes;
    sharedOffsets.push_back(layOutShared(kernel, bytes));
  }
  if (failed(lowerToLLVM(*host, program.kernels, sharedOffsets)))
    return errors.take();
  if (llvm::Error error = generateCode(*host, program))
    return std::move(error);
  return std::move(program);
}
