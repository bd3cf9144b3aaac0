//===- PlanMemory.cpp - One workspace for all buffers ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness on the straight line, slots, offsets.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Passes.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_PLANMEMORY
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

namespace {
/// A buffer and the ops of the block that touch it first and last.
struct Buffer {
  memref::AllocOp alloc;
  Operation *firstUse, *lastUse;
};

/// A range of the workspace and who lives in it.
struct Slot {
  SmallVector<memref::AllocOp> tenants;
  Operation *freeAfter;
};
} // namespace

/// Widens the life of `buffer` by the ops that use `value`, which it is seen
/// as.
static void addUses(Value value, Buffer &buffer) {
  for (Operation *user : value.getUsers()) {
    if (isa<ViewLikeOpInterface>(user)) {
      for (Value result : user->getResults())
        addUses(result, buffer);
      continue;
    }
    Operation *inBlock = buffer.alloc->getBlock()->findAncestorOpInBlock(*user);
    if (!buffer.firstUse || inBlock->isBeforeInBlock(buffer.firstUse))
      buffer.firstUse = inBlock;
    if (!buffer.lastUse || buffer.lastUse->isBeforeInBlock(inBlock))
      buffer.lastUse = inBlock;
  }
}

/// True if two buffers have the same run-time rows.
static bool sameRows(memref::AllocOp a, memref::AllocOp b) {
  return a.getDynamicSizes() == b.getDynamicSizes();
}

/// Gives each buffer, in the order of their births, a slot whose last tenant is
/// dead before it is born.
static SmallVector<Slot> assignSlots(ArrayRef<Buffer> buffers) {
  SmallVector<Slot> slots;
  for (const Buffer &buffer : buffers) {
    Slot *chosen = nullptr;
    for (Slot &slot : slots) {
      if (!slot.freeAfter->isBeforeInBlock(buffer.firstUse))
        continue;
      if (!chosen || sameRows(slot.tenants.front(), buffer.alloc))
        chosen = &slot;
    }
    if (!chosen)
      chosen = &slots.emplace_back();
    chosen->tenants.push_back(buffer.alloc);
    chosen->freeAfter = buffer.lastUse;
  }
  return slots;
}

/// What every offset in the workspace is a multiple of, in bytes; the runtime
/// aligns the workspace itself so (kWorkspaceAlignment).
static constexpr int64_t alignment = 256;

/// The bytes of a buffer, rounded up to the alignment, as host arithmetic.
static Value emitBytes(OpBuilder &builder, memref::AllocOp alloc) {
  Location loc = alloc.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  MemRefType type = alloc.getType();
  int64_t fixed = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      fixed *= size;
  Value bytes = constant(fixed);
  for (Value size : alloc.getDynamicSizes())
    bytes = arith::MulIOp::create(builder, loc, bytes, size);
  bytes = arith::CeilDivUIOp::create(builder, loc, bytes, constant(alignment));
  return arith::MulIOp::create(builder, loc, bytes, constant(alignment));
}

/// Moves counts, structures and what the host computes of them to the front of
/// the block, so that sizes are known in time; gives these ops.
static llvm::DenseSet<Operation *> hoistScalars(Block &block) {
  llvm::DenseSet<Operation *> scalars;
  Block::iterator front = block.begin();
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool isArithmetic = isa_and_nonnull<arith::ArithDialect>(op.getDialect()) &&
                        llvm::all_of(op.getOperands(), [&](Value operand) {
                          return scalars.contains(operand.getDefiningOp());
                        });
    if (!isArithmetic && !isa<CountOp, StructureOp>(op))
      continue;
    scalars.insert(&op);
    if (front == op.getIterator())
      ++front;
    else
      op.moveBefore(&block, front);
  }
  return scalars;
}

namespace {
struct PlanMemory : gnn::impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    SmallVector<Buffer> buffers;
    if (failed(collect(func, buffers)))
      return signalPassFailure();
    SmallVector<Slot> slots = assignSlots(buffers);
    place(func, slots);
    remark::passed(func.getLoc(),
                   remark::RemarkOpts::name("Planned").category(getArgument()))
        << (Twine(buffers.size()) + " buffers in " + Twine(slots.size()) +
            " slots of one workspace")
               .str();
  }

private:
  LogicalResult collect(func::FuncOp func, SmallVector<Buffer> &buffers);
  void place(func::FuncOp func, ArrayRef<Slot> slots);
};
} // namespace

LogicalResult PlanMemory::collect(func::FuncOp func,
                                  SmallVector<Buffer> &buffers) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected a straight line, got several blocks");
  Block &block = func.getBody().front();
  llvm::DenseSet<Operation *> scalars = hoistScalars(block);
  WalkResult walk = func.walk([&](memref::AllocOp alloc) {
    if (alloc->getBlock() != &block) {
      alloc.emitOpError("expected a buffer of the straight line, got one in '")
          << alloc->getParentOp()->getName() << "'";
      return WalkResult::interrupt();
    }
    if (!alloc.getType().getLayout().isIdentity()) {
      alloc.emitOpError("expected a buffer without strides, got ")
          << alloc.getType();
      return WalkResult::interrupt();
    }
    for (Value size : alloc.getDynamicSizes())
      if (!scalars.contains(size.getDefiningOp())) {
        alloc.emitOpError("expected sizes that the host computes from counts");
        return WalkResult::interrupt();
      }
    Buffer &buffer = buffers.emplace_back(Buffer{alloc, nullptr, nullptr});
    addUses(alloc, buffer);
    if (!buffer.firstUse)
      buffer.firstUse = buffer.lastUse = alloc;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  // Not where they are allocated: that is where the first of equal tensors was.
  llvm::stable_sort(buffers, [](const Buffer &a, const Buffer &b) {
    return a.firstUse != b.firstUse && a.firstUse->isBeforeInBlock(b.firstUse);
  });
  return success();
}

void PlanMemory::place(func::FuncOp func, ArrayRef<Slot> slots) {
  Block &block = func.getBody().front();
  OpBuilder builder(func);
  auto bytesType = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
  unsigned position = func.getNumArguments();
  (void)func.insertArgument(position, bytesType,
                            builder.getDictionaryAttr(builder.getNamedAttr(
                                "gnn.workspace", builder.getUnitAttr())),
                            func.getLoc());
  Value workspace = func.getArgument(position);

  // Offsets are computed once all sizes are: behind the scalars at the front.
  builder.setInsertionPoint(&*llvm::find_if(block, [](Operation &op) {
    return !isa_and_nonnull<arith::ArithDialect>(op.getDialect()) &&
           !isa<CountOp, StructureOp>(op);
  }));
  Value offset = arith::ConstantIndexOp::create(builder, func.getLoc(), 0);
  SmallVector<Value> offsets;
  for (const Slot &slot : slots) {
    Value size;
    for (memref::AllocOp tenant : slot.tenants) {
      Value bytes = emitBytes(builder, tenant);
      size = size
                 ? arith::MaxUIOp::create(builder, tenant.getLoc(), size, bytes)
                 : bytes;
    }
    offsets.push_back(offset);
    offset = arith::AddIOp::create(builder, func.getLoc(), offset, size);
  }
  WorkspaceSizeOp::create(builder, func.getLoc(), offset);
  for (auto [slot, start] : llvm::zip(slots, offsets))
    for (memref::AllocOp tenant : slot.tenants) {
      builder.setInsertionPoint(tenant);
      auto view =
          memref::ViewOp::create(builder, tenant.getLoc(), tenant.getType(),
                                 workspace, start, tenant.getDynamicSizes());
      tenant.replaceAllUsesWith(view.getResult());
      tenant.erase();
    }
}
