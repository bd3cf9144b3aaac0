//===- KernelFunc.cpp - A kernel and its launch ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments are bare pointers of static type; the first op on each gives it
// its true extent, so that loads stay read-only loads and bounds checks see
// real bounds (docs/RationaleKernels.md).
//
//===----------------------------------------------------------------------===//

#include "KernelFunc.h"

#include "GNN/Dialect/Tile/IR/Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

LogicalResult gnn::tile::checkBuffer(Operation *op, MemRefType type) {
  if (!type.getLayout().isIdentity())
    return op->emitError("expected buffers without strides, got ") << type;
  Type element = type.getElementType();
  bool isScalar = type.getRank() == 0 && element.isSignlessInteger(64);
  if (!element.isF32() && !element.isSignlessInteger(32) && !isScalar)
    return op->emitError("expected buffers of f32 and i32, got ") << type;
  return success();
}

static gpu::GPUFuncOp createFunc(Location loc, gpu::GPUModuleOp module,
                                 StringRef name) {
  OpBuilder builder = OpBuilder::atBlockEnd(&module.getBodyRegion().front());
  auto func = gpu::GPUFuncOp::create(builder, loc, name,
                                     builder.getFunctionType({}, {}));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                builder.getUnitAttr());
  return func;
}

KernelFunc::KernelFunc(Operation *op, gpu::GPUModuleOp module, StringRef name)
    : loc(op->getLoc()), func(createFunc(loc, module, name)) {
  OpBuilder builder = OpBuilder::atBlockEnd(&func.getBody().front());
  marker = arith::ConstantIndexOp::create(builder, loc, 0);
  gpu::ReturnOp::create(builder, loc);
}

Value KernelFunc::addArgument(Value hostValue, Type type, Location from,
                              ArrayRef<NamedAttribute> attributes) {
  unsigned position = func.getNumArguments();
  // Attributions follow the arguments in the entry block.
  (void)func.insertArgument(
      position, type, DictionaryAttr::get(func.getContext(), attributes), from);
  operands.push_back(hostValue);
  return func.getArgument(position);
}

/// The static type under which a buffer of dynamic rows is passed.
static MemRefType pointerType(MemRefType type) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = 1;
  return MemRefType::get(shape, type.getElementType());
}

Value KernelFunc::addPointer(OpBuilder &host, Value memref, Location from,
                             bool readOnly) {
  auto type = cast<MemRefType>(memref.getType());
  MemRefType pointer = pointerType(type);
  if (pointer != type)
    memref = memref::CastOp::create(host, loc, pointer, memref);
  OpBuilder builder(func.getContext());
  SmallVector<NamedAttribute> attributes;
  attributes.push_back(builder.getNamedAttr(
      LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr()));
  attributes.push_back(builder.getNamedAttr(
      LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(16)));
  if (readOnly)
    attributes.push_back(builder.getNamedAttr(
        LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr()));
  return addArgument(memref, pointer, from, attributes);
}

Value KernelFunc::addScalar(Value hostValue) {
  return addArgument(hostValue, hostValue.getType(), loc, {});
}

Value KernelFunc::addShared(MemRefType type) {
  Value array = func.addWorkgroupAttribution(type, loc);
  // Vectors of 16 bytes are loaded from it.
  func.setWorkgroupAttributionAttr(
      func.getNumWorkgroupAttributions() - 1,
      LLVM::LLVMDialect::getAlignAttrName(),
      OpBuilder(func.getContext()).getI64IntegerAttr(16));
  return array;
}

OpBuilder KernelFunc::atStart() { return OpBuilder(marker); }

OpBuilder KernelFunc::atEnd() {
  return OpBuilder(func.getBody().front().getTerminator());
}

gpu::LaunchFuncOp KernelFunc::launch(OpBuilder &host, gpu::KernelDim3 grid,
                                     int64_t threads, Attribute schedule) {
  marker->erase();
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(host, loc, value);
  };
  Value one = index(1);
  auto launch = gpu::LaunchFuncOp::create(
      host, loc, func, grid, gpu::KernelDim3{index(threads), one, one},
      /*dynamicSharedMemorySize=*/Value(), operands);
  if (schedule)
    launch->setAttr("gnn.schedule", schedule);
  RegisterFields registers(schedule);
  std::pair<StringRef, int64_t> bounds[] = {
      {NVVM::NVVMDialect::getMinctasmAttrName(), registers.processorBlocks},
      {NVVM::NVVMDialect::getMaxnregAttrName(), registers.maxRegisters}};
  for (auto [name, bound] : bounds)
    if (bound)
      func->setAttr(name, host.getI32IntegerAttr(bound));
  func.setKnownBlockSizeAttr(
      host.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  return launch;
}
