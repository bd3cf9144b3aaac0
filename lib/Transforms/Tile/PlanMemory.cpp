//===- PlanMemory.cpp - One workspace for all buffers ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness on the straight line, slots, offsets. Placing the largest first is
// what TensorFlow Lite does (Pisarchyk and Lee, "Efficient Memory Management
// for Deep Neural Net Inference", 2020: greedy by size).
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "RowCounts.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_PLANMEMORY
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

namespace {
/// A buffer, the ops of the block that touch it, and its bytes by the
/// statistics of the graph.
struct Buffer {
  memref::AllocOp alloc;
  llvm::SmallSetVector<Operation *, 4> users = {};
  Operation *firstUse = nullptr, *lastUse = nullptr;
  double bytes = 0;

  bool livesBeside(const Buffer &other) const {
    return !lastUse->isBeforeInBlock(other.firstUse) &&
           !other.lastUse->isBeforeInBlock(firstUse);
  }
};

/// A range of the workspace and who lives in it, the largest first.
using Slot = SmallVector<Buffer>;
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
    buffer.users.insert(inBlock);
    if (!buffer.firstUse || inBlock->isBeforeInBlock(buffer.firstUse))
      buffer.firstUse = inBlock;
    if (!buffer.lastUse || buffer.lastUse->isBeforeInBlock(inBlock))
      buffer.lastUse = inBlock;
  }
}

/// The value of which `value` is a part or form.
static Value getViewed(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Lets what a sum reads live until the product that reads the sum, whose block
/// may compute it then (gnn-tile-fuse-sums-into-products).
static void keepForProducts(func::FuncOp func,
                            MutableArrayRef<Buffer> buffers) {
  auto keepUntil = [&](TraverseOp sum, GemmOp product) {
    for (Buffer &buffer : buffers) {
      if (!buffer.users.contains(sum) ||
          !buffer.lastUse->isBeforeInBlock(product))
        continue;
      buffer.users.insert(product);
      buffer.lastUse = product;
    }
  };
  SmallVector<TraverseOp> sums;
  func.walk([&](Operation *op) {
    auto traverse = dyn_cast<TraverseOp>(op);
    if (traverse && traverse.getDomain().getElements())
      sums.push_back(traverse);
    auto product = dyn_cast<GemmOp>(op);
    if (!product)
      return;
    for (TraverseOp sum : sums)
      if (llvm::is_contained(llvm::map_range(sum.getOutputs(), getViewed),
                             getViewed(product.getInput())))
        keepUntil(sum, product);
  });
}

/// True if two buffers have the same run-time rows.
static bool sameRows(memref::AllocOp a, memref::AllocOp b) {
  return a.getDynamicSizes() == b.getDynamicSizes();
}

/// The number that the host will compute for `size`, by the statistics of its
/// graphs.
static double estimate(Value size) {
  Operation *op = size.getDefiningOp();
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant;
  if (auto count = dyn_cast<CountOp>(op)) {
    auto graph = SymbolTable::lookupNearestSymbolFrom<gnn::GraphOp>(
        op, count.getGraphAttr());
    gnn::StatsAttr stats = gnn::getStats(graph);
    if (!stats)
      stats = gnn::getNominalStats(op->getContext());
    return gnn::evaluateCount(count.getOf(), stats);
  }
  // Arithmetic folds where all of its operands are known.
  SmallVector<Attribute> operands;
  double largest = 0;
  for (Value operand : op->getOperands()) {
    double value = estimate(operand);
    largest = std::max(largest, value);
    operands.push_back(
        IntegerAttr::get(operand.getType(), static_cast<int64_t>(value)));
  }
  SmallVector<OpFoldResult> folded;
  if (succeeded(op->fold(operands, folded)) && folded.size() == 1) {
    if (Value same = dyn_cast<Value>(folded[0]))
      return estimate(same);
    if (auto value = dyn_cast<IntegerAttr>(cast<Attribute>(folded[0])))
      return value.getValue().getSExtValue();
  }
  return largest; // such as of a division by a count that is 0
}

static double estimateBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  double bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? 1 : size;
  for (Value size : alloc.getDynamicSizes())
    bytes *= estimate(size);
  return bytes;
}

/// The largest first; equally large ones by their births: not by where they are
/// allocated, which is where the first of equal tensors was.
static void sortBySize(MutableArrayRef<Buffer> buffers) {
  llvm::sort(buffers, [](const Buffer &a, const Buffer &b) {
    if (a.bytes != b.bytes)
      return a.bytes > b.bytes;
    return a.firstUse != b.firstUse ? a.firstUse->isBeforeInBlock(b.firstUse)
                                    : a.alloc->isBeforeInBlock(b.alloc);
  });
}

namespace {
/// The ops that those of a block wait for, whatever buffers share: those that
/// write what they read, and those that these wait for.
class DataFlow {
public:
  explicit DataFlow(ArrayRef<Buffer> buffers) {
    llvm::DenseMap<Operation *, SmallVector<Operation *>> before;
    for (const Buffer &buffer : buffers)
      for (Operation *user : buffer.users)
        if (user != buffer.firstUse)
          before[user].push_back(buffer.firstUse);
    SmallVector<Operation *> ops =
        llvm::to_vector(llvm::make_first_range(before));
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ops)
      for (Operation *maker : before[op]) {
        // To add `op` may move what the map holds: the maker's are looked up
        // behind that.
        llvm::DenseSet<Operation *> &all = waits[op];
        all.insert(maker);
        if (auto found = waits.find(maker); found != waits.end())
          all.insert_range(found->second);
      }
  }

  /// Whether the ops of one of two buffers, those of which come first, are done
  /// before the other is born in any order that the data allow.
  bool isOrdered(const Buffer &a, const Buffer &b) {
    const Buffer &early = a.lastUse->isBeforeInBlock(b.firstUse) ? a : b;
    const Buffer &late = &early == &a ? b : a;
    return llvm::all_of(early.users, [&](Operation *user) {
      return waits[late.firstUse].contains(user);
    });
  }

private:
  llvm::DenseMap<Operation *, llvm::DenseSet<Operation *>> waits;
};
} // namespace

/// Gives each buffer, the largest first, a slot none of whose tenants lives
/// beside it: one by which no op waits for another for which it would not wait
/// otherwise, so that kernels run side by side; of these one of the same rows,
/// or the smallest.
static SmallVector<Slot> assignSlots(MutableArrayRef<Buffer> buffers) {
  DataFlow flow(buffers);
  SmallVector<Slot> slots;
  for (const Buffer &buffer : buffers) {
    Slot *chosen = nullptr;
    std::pair<bool, bool> best; // orders nothing anew, has the same rows
    for (Slot &slot : slots) {
      if (llvm::any_of(slot, [&](const Buffer &tenant) {
            return tenant.livesBeside(buffer);
          }))
        continue;
      std::pair<bool, bool> merits = {
          llvm::all_of(slot,
                       [&](const Buffer &tenant) {
                         return flow.isOrdered(tenant, buffer);
                       }),
          sameRows(slot.front().alloc, buffer.alloc)};
      if (chosen && merits < best)
        continue;
      chosen = &slot;
      best = merits;
    }
    if (!chosen)
      chosen = &slots.emplace_back();
    chosen->push_back(buffer);
  }
  return slots;
}

/// Places buffers that are dead before a result of the same type and rows is
/// written in the caller's buffer of that, the largest first; gives the others.
static SmallVector<Buffer> placeInResults(func::FuncOp func,
                                          ArrayRef<Buffer> buffers) {
  SmallVector<Slot> tenants(func.getNumArguments());
  auto fits = [&](const Buffer &buffer, BlockArgument result) {
    unsigned number = result.getArgNumber();
    auto rows = func.getArgAttrOfType<gnn::RowsAttr>(number, "gnn.rows");
    memref::AllocOp alloc = buffer.alloc;
    if (!func.getArgAttr(number, "bufferize.result") ||
        alloc.getType() != result.getType() || !rows ||
        alloc.getDynamicSizes().size() != 1)
      return false;
    auto count = alloc.getDynamicSizes()[0].getDefiningOp<CountOp>();
    if (!count ||
        !gnn::areEqualCounts(
            gnn::CountOfGraph(count),
            gnn::CountOfGraph(
                rows.getGraph(),
                gnn::CountKey::count(static_cast<gnn::Space>(rows.getSpace()))),
            func.getBody().front()))
      return false;
    Buffer own = {alloc};
    addUses(result, own);
    return own.firstUse && buffer.lastUse->isBeforeInBlock(own.firstUse) &&
           llvm::none_of(tenants[number], [&](const Buffer &tenant) {
             return tenant.livesBeside(buffer);
           });
  };
  SmallVector<Buffer> left;
  for (const Buffer &buffer : buffers) {
    auto found = llvm::find_if(func.getArguments(), [&](BlockArgument result) {
      return fits(buffer, result);
    });
    if (found == func.getArguments().end())
      left.push_back(buffer);
    else
      tenants[found->getArgNumber()].push_back(buffer);
  }
  for (auto [result, slot] : llvm::zip(func.getArguments(), tenants))
    for (Buffer &buffer : slot) {
      buffer.alloc.replaceAllUsesWith(result);
      buffer.alloc.erase();
    }
  return left;
}

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
  Value unit = constant(workspaceAlignment);
  bytes = arith::CeilDivUIOp::create(builder, loc, bytes, unit);
  return arith::MulIOp::create(builder, loc, bytes, unit);
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
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    SmallVector<Buffer> buffers;
    if (failed(collect(func, buffers)))
      return signalPassFailure();
    if (sumsInProducts)
      keepForProducts(func, buffers);
    sortBySize(buffers);
    size_t all = buffers.size();
    SmallVector<Slot> slots;
    if (share) {
      buffers = placeInResults(func, buffers);
      slots = assignSlots(buffers);
    } else {
      slots = llvm::map_to_vector(
          buffers, [](const Buffer &buffer) { return Slot{buffer}; });
    }
    place(func, slots);
    gnn::passed(getArgument(), func.getLoc(), "Planned")
        << gnn::counted(buffers.size(), "buffer") + " in " +
               gnn::counted(slots.size(), "slot") + " of one workspace" +
               (all == buffers.size()
                    ? ""
                    : ", " + std::to_string(all - buffers.size()) +
                          " in results");
  }

private:
  LogicalResult collect(func::FuncOp func, SmallVector<Buffer> &buffers);
  void place(func::FuncOp func, MutableArrayRef<Slot> slots);
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
    Buffer &buffer = buffers.emplace_back(Buffer{alloc});
    addUses(alloc, buffer);
    buffer.bytes = estimateBytes(alloc);
    if (!buffer.firstUse)
      buffer.firstUse = buffer.lastUse = alloc;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return success();
}

void PlanMemory::place(func::FuncOp func, MutableArrayRef<Slot> slots) {
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
  for (Slot &slot : slots) {
    Value size;
    for (Buffer &tenant : slot) {
      Value bytes = emitBytes(builder, tenant.alloc);
      size = size ? arith::MaxUIOp::create(builder, tenant.alloc.getLoc(), size,
                                           bytes)
                  : bytes;
    }
    offsets.push_back(offset);
    offset = arith::AddIOp::create(builder, func.getLoc(), offset, size);
  }
  WorkspaceSizeOp::create(builder, func.getLoc(), offset);
  for (auto [slot, start] : llvm::zip(slots, offsets))
    for (Buffer &buffer : slot) {
      memref::AllocOp tenant = buffer.alloc;
      builder.setInsertionPoint(tenant);
      auto view =
          memref::ViewOp::create(builder, tenant.getLoc(), tenant.getType(),
                                 workspace, start, tenant.getDynamicSizes());
      tenant.replaceAllUsesWith(view.getResult());
      tenant.erase();
    }
}
