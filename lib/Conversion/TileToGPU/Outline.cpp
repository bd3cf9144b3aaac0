//===- Outline.cpp - Kernels of loops over blocks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of the loop becomes that of the kernel. Values from outside become
// arguments, in the order of first use; nothing else is decided here.
//
//===----------------------------------------------------------------------===//

#include "Outline.h"

#include "KernelFunc.h"

#include "GNN/Dialect/GNN/IR/ScheduleFrom.h"
#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Written values
//===----------------------------------------------------------------------===//

/// The roots of the buffers that the body writes; reports a write that leads to
/// no buffer.
static FailureOr<SetVector<Value>> findWritten(BlocksOp op) {
  SetVector<Value> written;
  auto write = [&](Operation *user, Value memref) -> LogicalResult {
    auto isInside = [&] {
      return op->isAncestor(memref.getParentBlock()->getParentOp());
    };
    while (isInside()) {
      if (memref.getDefiningOp<memref::AllocaOp>())
        return success();
      auto view = memref.getDefiningOp<ViewLikeOpInterface>();
      if (!view)
        return user->emitOpError("expected a write to a buffer, to an array of "
                                 "the body, or to a view of one");
      memref = view.getViewSource();
    }
    written.insert(getBuffer(memref));
    return success();
  };
  auto writeAll = [&](Operation *user) {
    SmallVector<Value> memrefs;
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(user)) {
      SmallVector<MemoryEffects::EffectInstance> instances;
      effects.getEffects(instances);
      for (const MemoryEffects::EffectInstance &effect : instances)
        if (effect.getValue() && isa<MemoryEffects::Write>(effect.getEffect()))
          memrefs.push_back(effect.getValue());
    } else if (!user->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
      llvm::append_range(memrefs, user->getOperands());
    }
    for (Value memref : memrefs)
      if (isa<MemRefType>(memref.getType()) && failed(write(user, memref)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  };
  if (op.getBody()->walk<WalkOrder::PreOrder>(writeAll).wasInterrupted())
    return failure();
  return written;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {
class Outliner {
public:
  Outliner(BlocksOp op, gpu::GPUModuleOp module, StringRef name,
           const SetVector<Value> &written,
           const DenseMap<Value, Location> &writers)
      : op(op), func(op, module, name), host(op), written(written),
        writers(writers) {}

  LogicalResult run();

private:
  LogicalResult captureAll();
  FailureOr<Value> capture(Operation *user, Value value);
  FailureOr<Value> view(memref::ReinterpretCastOp view);
  FailureOr<Value> pointer(Operation *user, Value memref);
  Value structure(StructureOp structure);
  Value count(StringAttr graph, const CountKey &key, Value hostValue);
  LogicalResult shareArrays();
  void moveBody();
  void launch();

  BlocksOp op;
  KernelFunc func;
  OpBuilder host;
  const SetVector<Value> &written;
  const DenseMap<Value, Location> &writers;
  /// The kernel's values for those of the host.
  DenseMap<Value, Value> captured, pointers;
  std::map<std::pair<StringRef, CountKey>, Value> counts;
  /// The forms of buffers that are passed, by their roots.
  DenseMap<Value, Value> forms;
};
} // namespace

/// The pointer that a buffer is passed as, once however often it is viewed.
FailureOr<Value> Outliner::pointer(Operation *user, Value memref) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  if (Value known = pointers.lookup(memref))
    return known;
  if (failed(checkBuffer(user, cast<MemRefType>(memref.getType()))))
    return failure();
  Value root = getBuffer(memref);
  bool isWritten = written.contains(root);
  if (!forms.try_emplace(root, memref).second && isWritten)
    return user->emitOpError("expected one form of a buffer that the loop "
                             "writes, got ")
           << forms.lookup(root).getType() << " and " << memref.getType();
  auto writer = writers.find(root);
  Location from = writer == writers.end() ? memref.getLoc() : writer->second;
  return pointers[memref] = func.addPointer(host, memref, from, !isWritten);
}

/// The same view of the argument.
FailureOr<Value> Outliner::view(memref::ReinterpretCastOp view) {
  if (failed(checkBuffer(view, view.getType())))
    return failure();
  if (getConstantIntValue(view.getMixedOffsets().front()) != 0)
    return view.emitOpError("expected an offset of 0: a kernel gets the start "
                            "of a buffer");
  FailureOr<Value> argument = pointer(view, view.getSource());
  if (failed(argument))
    return failure();
  IRMapping mapping;
  mapping.map(view.getSource(), *argument);
  for (Value size : view->getOperands().drop_front()) {
    FailureOr<Value> scalar = capture(view, size);
    if (failed(scalar))
      return failure();
    mapping.map(size, *scalar);
  }
  Operation *copy = func.atStart().clone(*view, mapping);
  copy->setLoc(op.getLoc());
  return copy->getResult(0);
}

Value Outliner::count(StringAttr graph, const CountKey &key, Value hostValue) {
  Value &value = counts[{graph.getValue(), key}];
  if (!value) {
    if (!hostValue)
      hostValue = CountOp::create(host, op.getLoc(), host.getIndexType(),
                                  graph.getValue(), key);
    value = func.addScalar(hostValue);
  }
  return value;
}

/// The array with as many entries as it has by its key.
Value Outliner::structure(StructureOp structure) {
  Value argument = func.addPointer(host, structure, structure.getLoc(),
                                   /*readOnly=*/true);
  OpBuilder atStart = func.atStart();
  Value size = CountSum::entries(structure.getKey())
                   .materialize(atStart, op.getLoc(), [&](const CountKey &key) {
                     return count(structure.getGraphAttr().getAttr(), key, {});
                   });
  return withRows(atStart, op.getLoc(), argument,
                  cast<MemRefType>(structure.getType()), size);
}

/// The kernel's value for `value`, which `user` uses and the host has.
FailureOr<Value> Outliner::capture(Operation *user, Value value) {
  if (Value known = captured.lookup(value))
    return known;
  FailureOr<Value> result;
  Operation *source = value.getDefiningOp();
  auto type = dyn_cast<MemRefType>(value.getType());
  if (source && source->hasTrait<OpTrait::ConstantLike>()) {
    result = func.atStart().clone(*source)->getResult(0);
  } else if (auto array = value.getDefiningOp<StructureOp>(); array && type) {
    result = structure(array);
  } else if (auto cast = value.getDefiningOp<memref::ReinterpretCastOp>()) {
    result = view(cast);
  } else if (auto scalar = value.getDefiningOp<CountOp>()) {
    result = count(scalar.getGraphAttr().getAttr(), scalar.getOf(), value);
  } else if (type && !type.hasStaticShape()) {
    return user->emitOpError("expected a buffer of dynamic rows to be used "
                             "through a memref.reinterpret_cast, which says "
                             "how many it has, got ")
           << type;
  } else if (type) {
    result = pointer(user, value);
  } else if (value.getType().isIntOrIndex()) {
    result = func.addScalar(value);
  } else {
    return user->emitOpError("expected buffers, structures, integers and "
                             "constants of the host, got ")
           << value.getType();
  }
  if (succeeded(result))
    captured[value] = *result;
  return result;
}

/// Makes an argument of everything that the body uses from outside.
LogicalResult Outliner::captureAll() {
  auto visit = [&](Operation *user) {
    for (OpOperand &operand : user->getOpOperands()) {
      if (op->isAncestor(operand.get().getParentBlock()->getParentOp()))
        continue;
      FailureOr<Value> value = capture(user, operand.get());
      if (failed(value))
        return WalkResult::interrupt();
      operand.set(*value);
    }
    return WalkResult::advance();
  };
  return failure(
      op.getBody()->walk<WalkOrder::PreOrder>(visit).wasInterrupted());
}

/// Arrays of the workgroup belong to the kernel.
LogicalResult Outliner::shareArrays() {
  SmallVector<memref::AllocaOp> arrays;
  op.getBody()->walk([&](memref::AllocaOp array) {
    if (isInWorkgroup(array))
      arrays.push_back(array);
  });
  for (memref::AllocaOp array : arrays) {
    if (!array.getType().hasStaticShape())
      return array.emitOpError("expected an array of a static shape, got ")
             << array.getType();
    array.replaceAllUsesWith(func.addShared(array.getType()));
    array.erase();
  }
  return success();
}

void Outliner::moveBody() {
  OpBuilder builder = func.atEnd();
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, op.getLoc(), value);
  };
  for (auto [i, variable] : llvm::enumerate(op.getInductionVars())) {
    Value value = gpu::BlockIdOp::create(builder, op.getLoc(),
                                         static_cast<gpu::Dimension>(i));
    if (int64_t step = op.getSteps()[i]; step != 1)
      value = arith::MulIOp::create(builder, op.getLoc(), value, index(step));
    variable.replaceAllUsesWith(value);
  }
  op.getBody()->getTerminator()->erase();
  Block::iterator end = builder.getInsertionPoint();
  end->getBlock()->getOperations().splice(end, op.getBody()->getOperations());
}

void Outliner::launch() {
  Location loc = op.getLoc();
  Value sizes[] = {nullptr, nullptr, nullptr};
  for (auto [i, end] : llvm::enumerate(op.getMixedEnds())) {
    sizes[i] = getValueOrCreateConstantIndexOp(host, loc, end);
    if (int64_t step = op.getSteps()[i]; step != 1)
      sizes[i] = arith::CeilDivUIOp::create(
          host, loc, sizes[i], arith::ConstantIndexOp::create(host, loc, step));
  }
  for (Value &size : sizes)
    if (!size)
      size = arith::ConstantIndexOp::create(host, loc, 1);
  auto launch = func.launch(host, {sizes[0], sizes[1], sizes[2]},
                            *op.getThreads(), op.getScheduleAttr());
  gnn::copyScheduleFrom(op, launch);
}

LogicalResult Outliner::run() {
  if (failed(captureAll()) || failed(shareArrays()))
    return failure();
  moveBody();
  launch();
  op.erase();
  return success();
}

LogicalResult gnn::tile::outline(BlocksOp op, gpu::GPUModuleOp module,
                                 StringRef name,
                                 DenseMap<Value, Location> &writers) {
  if (failed(op.verifyOfThreads()))
    return failure();
  FailureOr<SetVector<Value>> written = findWritten(op);
  if (failed(written))
    return failure();
  for (Value root : *written)
    writers.insert_or_assign(root, op.getLoc());
  return Outliner(op, module, name, *written, writers).run();
}
