//===- PadRows.cpp - Whole vectors of rows of odd widths ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that could have a pad gets one, copies of arguments included. Then what
// gains less than it costs loses it again, as long as there is such: a walk has
// vectors only where all rows that it goes through are padded.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_PADROWS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

namespace {
/// A buffer that may have a pad.
struct Padded {
  Value buffer;
  MemRefType narrow, wide;
  /// Where its rows are copied from, and by what; null: they are made in it.
  Value argument;
  TraverseOp copy;
  /// The operands that read the copy then.
  SmallVector<OpOperand *> gathers = {};
};

struct PadRows : gnn::impl::PadRowsBase<PadRows> {
  using PadRowsBase::PadRowsBase;

  void runOnOperation() override;

private:
  void collect(func::FuncOp func);
  void addCopies(func::FuncOp func);
  void addCopies(Value form, Value argument, MemRefType wide);
  void addCopy(Value form, Value argument, MemRefType wide,
               SmallVector<OpOperand *> gathers);
  int64_t widthOf(int64_t features);
  std::optional<MemRefType> padType(MemRefType type);
  std::string explain(Value buffer);
  void set(Padded &padded, bool isWide);
  void drop(Padded &padded);
  double secondsOf(const Padded &padded);
  double secondsOf(TraverseOp op);
  void report(const Padded &padded, Twine gain);

  std::optional<CostModel> model;
  int64_t coreVector = 0; ///< features of a vector register; 0: there is none
  bool hasStats = true;
  SmallVector<Padded> all;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which
//===----------------------------------------------------------------------===//

/// On a core the fewest vectors, and of these the fewest bytes. A lane of a GPU
/// loads two features at once.
int64_t PadRows::widthOf(int64_t features) {
  if (!coreVector && features <= 2)
    return features;
  int64_t best = llvm::alignTo(features, 4), vectors = best / 4;
  for (int64_t vector = 8; vector <= coreVector; vector *= 2)
    if (int64_t(llvm::divideCeil(features, vector)) < vectors) {
      best = llvm::alignTo(features, vector);
      vectors = best / vector;
    }
  return best;
}

std::optional<MemRefType> PadRows::padType(MemRefType type) {
  if (type.getRank() < 2 || !type.isDynamicDim(0) ||
      type.getNumDynamicDims() > 1 || !type.getLayout().isIdentity() ||
      type.getElementTypeBitWidth() != 32)
    return std::nullopt;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = widthOf(shape.back());
  if (type.getShape().back() == 1 || shape == type.getShape())
    return std::nullopt;
  return MemRefType::get(shape, type.getElementType());
}

/// Whether it adds or drops a dimension of heads, of which there is one.
static bool isOfOneHead(Operation *op) {
  if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
    return false;
  auto from = cast<MemRefType>(op->getOperand(0).getType());
  auto to = cast<MemRefType>(op->getResult(0).getType());
  auto isLong = [](int64_t size) { return size != 1; };
  return from.getRank() > 1 && to.getRank() > 1 && from.isDynamicDim(0) &&
         to.isDynamicDim(0) && from.getShape().back() == to.getShape().back() &&
         llvm::equal(llvm::make_filter_range(from.getShape(), isLong),
                     llvm::make_filter_range(to.getShape(), isLong));
}

/// The buffer, and with one head and without.
static SmallVector<Value> formsOf(Value buffer) {
  SmallVector<Value> forms{buffer};
  for (size_t i = 0; i < forms.size(); ++i)
    for (Operation *user : forms[i].getUsers())
      if (isOfOneHead(user))
        forms.push_back(user->getResult(0));
  return forms;
}

static SmallVector<OpOperand *> usesOf(Value buffer) {
  SmallVector<OpOperand *> uses;
  for (Value form : formsOf(buffer))
    for (OpOperand &use : form.getUses())
      if (!isOfOneHead(use.getOwner()) && !isa<memref::DimOp>(use.getOwner()))
        uses.push_back(&use);
  return uses;
}

/// Gives the last dimension of a buffer and its forms another size.
static void setColumns(Value buffer, int64_t columns) {
  for (Value form : formsOf(buffer)) {
    auto type = cast<MemRefType>(form.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = columns;
    form.setType(MemRefType::get(shape, type.getElementType()));
    if (auto expand = form.getDefiningOp<memref::ExpandShapeOp>()) {
      SmallVector<int64_t> sizes(expand.getStaticOutputShape());
      sizes.back() = columns;
      expand.setStaticOutputShape(sizes);
    }
  }
}

/// Why a buffer of the function has to stay as it is; empty if it has not.
std::string PadRows::explain(Value buffer) {
  for (OpOperand *operand : usesOf(buffer)) {
    OpOperand &use = *operand;
    Operation *user = use.getOwner();
    if (!isa<TraverseOp, GemmOp, OuterOp>(user))
      return ("'" + user->getName().getStringRef() + "' takes it whole").str();
    if (auto op = dyn_cast<TraverseOp>(user);
        op && llvm::is_contained(op.getParts(), use.get()))
      return "it has parts of rows";
    if (auto outer = dyn_cast<OuterOp>(user);
        outer && use.getOperandNumber() > 1)
      return "it has no rows of a graph";
    AtAttr at = cast<TileOpInterface>(user).getAccess(use);
    if (!at || !at.getFeature() || at.getColumn() || at.getOffset())
      return "its rows are not read and written from their first feature on";
  }
  return "";
}

void PadRows::collect(func::FuncOp func) {
  func.walk([&](memref::AllocOp alloc) {
    std::optional<MemRefType> wide = padType(alloc.getType());
    if (!wide)
      return;
    if (std::string why = explain(alloc); !why.empty()) {
      refused(getArgument(), alloc.getLoc()) << why;
      return;
    }
    all.push_back({alloc, alloc.getType(), *wide, Value(), TraverseOp()});
  });
}

/// Whether a walk gathers rows by this operand: those of another space than
/// that of what it walks.
static bool isGathered(TraverseOp op, OpOperand &input) {
  AtAttr at = op.getAccess(input);
  RowDomain walked = op.getElements() ? op.getElements() : op.getGroups();
  Anchor anchor = op.getElements() ? Anchor::Element : Anchor::Group;
  return at.getFeature() && !at.getColumn() && at.getAnchor() == anchor &&
         at.getSpace() && !at.getSpace().hasSpaceOf(walked);
}

/// Whether `argument` has its values in front of `op`: one of the caller, or a
/// result that is written before.
static bool isWrittenBefore(Value argument, Operation *op) {
  return llvm::none_of(usesOf(argument), [&](OpOperand *use) {
    auto writer = dyn_cast<DestinationStyleOpInterface>(use->getOwner());
    Operation *inBlock =
        op->getBlock()->findAncestorOpInBlock(*use->getOwner());
    return (!writer || writer.isDpsInit(use)) &&
           (!inBlock || !inBlock->isBeforeInBlock(op));
  });
}

/// Copies arguments that are gathered, once for all that gather the same rows.
void PadRows::addCopies(func::FuncOp func) {
  for (BlockArgument argument : func.getArguments())
    if (isa<MemRefType>(argument.getType()))
      for (Value form : formsOf(argument))
        if (std::optional<MemRefType> wide =
                padType(cast<MemRefType>(form.getType())))
          addCopies(form, argument, *wide);
}

void PadRows::addCopies(Value form, Value argument, MemRefType wide) {
  SmallVector<OpOperand *> gathers;
  for (OpOperand &use : form.getUses()) {
    auto op = dyn_cast<TraverseOp>(use.getOwner());
    if (!op || use.getOperandNumber() >= op.getInputs().size() ||
        op->getBlock() != argument.getParentBlock() || !isGathered(op, use))
      continue;
    AtAttr at = op.getAccess(use);
    if (!at.getOffset() && at.getSpace().getNatural() == at.getSpace() &&
        at.getSpace().isKind(RowKind::Node))
      gathers.push_back(&use);
  }
  // Uses have no order that is the same each time.
  llvm::sort(gathers, [](OpOperand *a, OpOperand *b) {
    return a->getOwner() == b->getOwner()
               ? a->getOperandNumber() < b->getOperandNumber()
               : a->getOwner()->isBeforeInBlock(b->getOwner());
  });
  while (!gathers.empty()) {
    // All read the same rows in the same way.
    auto isAlike = [first = gathers.front()](OpOperand *other) {
      auto op = cast<TraverseOp>(first->getOwner());
      auto otherOp = cast<TraverseOp>(other->getOwner());
      AtAttr at = op.getAccess(*first), otherAt = otherOp.getAccess(*other);
      return op.getGraph() == otherOp.getGraph() &&
             at.getSpace() == otherAt.getSpace() &&
             at.getHead() == otherAt.getHead();
    };
    SmallVector<OpOperand *> alike, others;
    for (OpOperand *gather : gathers)
      (isAlike(gather) ? alike : others).push_back(gather);
    gathers = std::move(others);
    if (isWrittenBefore(argument, alike.front()->getOwner()))
      addCopy(form, argument, wide, std::move(alike));
  }
}

void PadRows::addCopy(Value form, Value argument, MemRefType wide,
                      SmallVector<OpOperand *> gathers) {
  auto first = cast<TraverseOp>(gathers.front()->getOwner());
  AtAttr read = first.getAccess(*gathers.front());
  OpBuilder b(first);
  MLIRContext *context = b.getContext();
  Location loc = first.getLoc();
  auto type = cast<MemRefType>(form.getType());
  Value rows = CountOp::create(b, loc, b.getIndexType(), first.getGraph(),
                               read.getSpace().getCountKey());
  Value buffer = memref::AllocOp::create(b, loc, wide, rows);
  ArrayRef<int64_t> shape = type.getShape();
  auto at = AtAttr::get(context, Anchor::Group, RowDomain(), read.getHead(),
                        /*feature=*/true, /*offset=*/0);
  auto copy = TraverseOp::create(
      b, loc, TypeRange(), first.getGraphAttr(),
      DomainAttr::get(context, read.getSpace(), RowDomain(),
                      read.getHead() ? shape[1] : 1, shape.back()),
      ValueRange(form), ValueRange(buffer), b.getArrayAttr(at),
      b.getArrayAttr(at), /*schedule=*/nullptr);
  Block &body = copy.getBody().emplaceBlock();
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  YieldOp::create(inside, loc, body.addArgument(type.getElementType(), loc));
  all.push_back({buffer, type, wide, form, copy, gathers});
}

//===----------------------------------------------------------------------===//
// Whether
//===----------------------------------------------------------------------===//

/// A buffer of its own, or the rows of an argument in place of their copy.
void PadRows::set(Padded &padded, bool isWide) {
  if (!padded.copy)
    return setColumns(padded.buffer,
                      (isWide ? padded.wide : padded.narrow).getShape().back());
  for (OpOperand *gather : padded.gathers)
    gather->set(isWide ? padded.buffer : padded.argument);
}

void PadRows::drop(Padded &padded) {
  set(padded, /*isWide=*/false);
  if (padded.copy) {
    padded.copy.erase();
    auto alloc = padded.buffer.getDefiningOp<memref::AllocOp>();
    Operation *count = alloc.getDynamicSizes()[0].getDefiningOp();
    alloc.erase();
    count->erase();
  }
}

/// The bytes of the sectors that a row of `bytes` meets on average, of rows
/// that lie `stride` bytes apart.
static double sectorsOf(int64_t bytes, int64_t stride) {
  double sum = 0;
  for (int64_t row = 0; row < sectorBytes; ++row) {
    int64_t begin = row * stride % sectorBytes;
    sum += llvm::alignTo(begin + bytes, sectorBytes);
  }
  return sum / sectorBytes;
}

/// The time of the gathers of a walk, by vectors as wide as they may be; and of
/// what else it reads and writes in order.
double PadRows::secondsOf(TraverseOp op) {
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  StatsAttr stats = graph ? gnn::getStats(graph) : nullptr;
  hasStats &= static_cast<bool>(stats);
  if (!stats)
    stats = getNominalStats(op.getContext());
  TraverseFacts facts(op);
  RowDomain walked = op.getElements() ? op.getElements() : op.getGroups();
  int64_t vector = coreVector ? facts.widestOfCPU : facts.widestVector;
  double share = vector >= 4   ? 1
                 : vector == 2 ? KernelConstants::pairsShare
                               : KernelConstants::singlesShare;
  double seconds = 0;
  for (OpOperand *input : op.getReadInputs()) {
    AtAttr at = op.getAccess(*input);
    auto type = cast<MemRefType>(input->get().getType());
    if (!at.getFeature() || at.getAnchor() == Anchor::All)
      continue;
    int64_t heads = at.getHead() ? op.getDomain().getHeads() : 1;
    int64_t stride = 4 * heads * type.getShape().back();
    if (!isGathered(op, *input)) {
      RowDomain rows =
          at.getAnchor() == Anchor::Element ? op.getElements() : op.getGroups();
      seconds +=
          countRows(rows, stats) * stride / model->getFigures().memoryBandwidth;
      continue;
    }
    double table = countRows(at.getSpace(), stats);
    int64_t read =
        4 * heads *
        std::min<int64_t>(llvm::alignTo(op.getDomain().getFeatures(), vector),
                          type.getShape().back());
    double gather = model->gatherSeconds(
        {countRows(walked, stats), sectorsOf(read, stride), table},
        table * stride);
    seconds += gather / share;
  }
  return seconds;
}

/// The time of all ops that have to do with a buffer.
double PadRows::secondsOf(const Padded &padded) {
  double seconds = 0;
  llvm::SmallSetVector<Operation *, 8> users;
  auto add = [&](Value value) {
    for (OpOperand *use : usesOf(value))
      users.insert(use->getOwner());
  };
  if (padded.copy) {
    for (OpOperand *gather : padded.gathers)
      users.insert(gather->getOwner());
    users.insert(padded.copy);
  } else {
    add(padded.buffer);
  }
  auto type = cast<MemRefType>(padded.buffer.getType());
  double rowBytes = 4;
  for (int64_t size : type.getShape().drop_front())
    rowBytes *= size;
  bool isUsed = false; // a copy
  for (Operation *user : users) {
    auto traverse = dyn_cast<TraverseOp>(user);
    if (traverse == padded.copy && padded.copy)
      continue;
    isUsed |= llvm::is_contained(user->getOperands(), padded.buffer);
    if (traverse)
      seconds += secondsOf(traverse);
  }
  // Rows are written, and read by products, in order.
  SmallVector<Value> forms = formsOf(padded.buffer);
  for (Operation *user : users) {
    auto op = cast<TileOpInterface>(user);
    auto graph = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
        user, user->getAttrOfType<FlatSymbolRefAttr>("graph"));
    StatsAttr stats = graph ? gnn::getStats(graph) : nullptr;
    if (!stats)
      stats = getNominalStats(user->getContext());
    if (padded.copy && user == padded.copy) {
      if (isUsed) // read and written
        seconds += 2 * rowBytes * countRows(op.getGroups(), stats) /
                       model->getFigures().memoryBandwidth +
                   model->getLaunch();
      continue;
    }
    for (OpOperand &use : user->getOpOperands()) {
      bool isInput =
          isa<TraverseOp>(user) &&
          use.getOperandNumber() < cast<TraverseOp>(user).getInputs().size();
      if (!isInput && llvm::is_contained(forms, use.get()))
        seconds += rowBytes * countRows(op.getGroups(), stats) /
                   model->getFigures().memoryBandwidth;
    }
  }
  return seconds;
}

void PadRows::report(const Padded &padded, Twine gain) {
  passed(getArgument(), padded.buffer.getLoc(), "Padded")
      << ((padded.copy ? "rows of an argument, in a copy: "
                       : "rows of a buffer: ") +
          Twine(padded.wide.getShape().back()) + " columns for " +
          Twine(padded.narrow.getShape().back()) + " features" + gain)
             .str();
}

void PadRows::runOnOperation() {
  func::FuncOp func = getOperation();
  if (func.isExternal())
    return;
  if (pad == 0 || !func.getBody().hasOneBlock()) {
    refused(getArgument(), func.getLoc())
        << (pad == 0 ? "it is turned off" : "expected a body of one block");
    return;
  }
  all.clear();
  model.emplace(func, CostKind::WholeRows);
  TargetAttr target = findTarget(func);
  coreVector = target ? target.getLimits().vector : 0;
  collect(func);
  addCopies(func);
  for (Padded &padded : all)
    set(padded, /*isWide=*/true);
  auto weigh = [&](Padded &padded) -> std::pair<double, double> {
    double wide = secondsOf(padded);
    set(padded, /*isWide=*/false);
    double narrow = secondsOf(padded);
    set(padded, /*isWide=*/true);
    return {narrow, wide};
  };
  // The loss of one may be all that another one gained.
  for (bool changed = pad < 0; changed;) {
    changed = false;
    for (Padded &padded : llvm::make_early_inc_range(all)) {
      if (!padded.buffer)
        continue;
      hasStats = true;
      auto [narrow, wide] = weigh(padded);
      if (hasStats && model->isBetter(narrow, wide))
        continue;
      std::string why =
          hasStats ? llvm::formatv("a pad gains too little: {0} instead of {1} "
                                   "by the model",
                                   model->textOf(wide), model->textOf(narrow))
                         .str()
                   : "expected statistics of the graph";
      refused(getArgument(), padded.buffer.getLoc()) << why;
      drop(padded);
      padded.buffer = Value();
      changed = true;
    }
  }
  for (Padded &padded : all) {
    if (!padded.buffer)
      continue;
    auto [narrow, wide] = weigh(padded);
    report(padded, pad > 0 ? std::string()
                           : (": " + model->textOf(wide) + " instead of " +
                              model->textOf(narrow) + " by the model"));
  }
}
