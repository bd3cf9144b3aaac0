//===- Spreads.cpp - How values are held ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Over lanes, all vectors have one spread, and an axis that follows from what
// they are computed of. In products, from what is staged, summed and stored
// back to what it is computed of: which spreads a value is asked for. A value
// that only a load or store in its own block asks for is computed there, part
// by part.
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"
#include "Distribution.h"
#include "LaneForms.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

int64_t Spread::rowsOf(VectorType type) const {
  if (!hasRows() || isFlat())
    return 1;
  return llvm::divideCeil(type.getDimSize(0), eachRows() * laneRows()) *
         eachRows();
}

bool Spread::isOfParts(VectorType type) const {
  return llvm::is_contained({1, 2}, type.getRank()) && !type.isScalable() &&
         rowsOf(type) <= mostParts && columnsOf(type) <= mostParts &&
         partsOf(type) <= mostParts;
}

int64_t Spread::columnsOf(VectorType type) const {
  if (hasElements())
    return llvm::divideCeil(type.getShape().back(), laneElements(type));
  return hasColumns()
             ? llvm::divideCeil(type.getShape().back(), width() * laneColumns())
             : 1;
}

bool Spread::fits(VectorType type) const {
  if (!isOfParts(type))
    return false;
  bool isColumn =
      axis == Rows && type.getRank() == 2 && type.getDimSize(1) == 1;
  if ((type.getRank() == 2) != (axis == Tile || isColumn) ||
      (isFlat() && axis != Columns))
    return false;
  bool rowsFit =
      !hasRows() || type.getDimSize(0) % (eachRows() * laneRows()) == 0;
  bool columnsFit =
      !hasColumns() || type.getShape().back() % (width() * laneColumns()) == 0;
  return rowsFit && columnsFit;
}

/// By what a vector varies: by rows and columns that are more than one, unless
/// it is made of a vector that does not. A vector of one dimension is one of
/// columns, if it was not made of rows.
Spread::Axis Distribution::axisOf(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return Spread::None;
  if (auto known = axes.find(value); known != axes.end())
    return known->second;
  unsigned axis = Spread::Columns;
  if (type.getRank() == 2)
    axis = (type.getDimSize(0) > 1) * Spread::Rows |
           (type.getDimSize(1) > 1) * Spread::Columns;
  auto ofYielded = [&](Region &region, unsigned number) {
    return axisOf(region.front().getTerminator()->getOperand(number));
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      axis = axisOf(loop.getInitArgs()[number - 1]);
    else if (auto workers = dyn_cast<ParallelOp>(parent)) // what is combined
      axis = ofYielded(workers.getBody(), number % workers.getNumResults());
  } else {
    unsigned number = cast<OpResult>(value).getResultNumber();
    llvm::TypeSwitch<Operation *>(value.getDefiningOp())
        .Case([&](scf::ForOp op) { axis = axisOf(op.getInitArgs()[number]); })
        .Case(
            [&](scf::IfOp op) { axis = ofYielded(op.getThenRegion(), number); })
        .Case([&](ParallelOp op) { axis = ofYielded(op.getBody(), number); })
        .Case<ReduceEachOp, vector::FromElementsOp, vector::GatherOp>(
            [&](auto) { axis = (axis & Spread::Rows) | Spread::Elements; })
        .Case([&](vector::BroadcastOp op) {
          if (axisOf(op.getSource()) & Spread::Elements)
            axis = (axis & Spread::Rows) | Spread::Elements;
        })
        .Case([&](vector::ExtractStridedSliceOp op) {
          axis = axisOf(op.getSource()) & axis;
        })
        .Case([&](vector::TransferReadOp op) {
          if (isPrivate(op.getBase()))
            axis = axisOf(getLeftVector(op.getBase()));
        })
        .Case([&](vector::ShapeCastOp op) {
          if (type.getRank() == 1)
            axis = axisOf(op.getSource());
        })
        .Case([&](vector::MultiDimReductionOp op) {
          Spread source{{}, axisOf(op.getSource())};
          axis = source.axis & ~source.axisOf(op.getSourceVectorType(),
                                              op.getReductionDims().front());
        })
        .Default([&](Operation *op) {
          if (!OpTrait::hasElementwiseMappableTraits(op))
            return;
          for (Value operand : op->getOperands())
            if (isa<VectorType>(operand.getType()) &&
                !matchPattern(operand, m_Constant())) {
              axis = axisOf(operand);
              if (!isOfAnyAxis(operand))
                return;
            }
        });
  }
  return axes[value] = static_cast<Spread::Axis>(axis);
}

/// Whether a vector is made where it is needed, in the spread of who needs it.
bool Distribution::isOfAnyAxis(Value value) {
  if (isOfScalars(value))
    return true;
  auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
  return broadcast && !(axisOf(broadcast.getSource()) &
                        (Spread::Columns | Spread::Elements));
}

SmallVector<Spread> Distribution::spreadsOf(Value value) {
  if (!lanes)
    return asked.lookup(value);
  return {{lanes, axisOf(value)}};
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

static InFlightDiagnostic refuse(Operation *op, const Twine &expected) {
  return op->emitOpError("cannot be distributed over threads: expected ")
         << expected;
}

/// True if `op` may be computed at `user`, a load or store behind it in its
/// block.
static bool isFreeUntil(Operation *op, Operation *user) {
  if (op->getBlock() != user->getBlock() || op->getNumRegions())
    return false;
  auto load = dyn_cast<LoadRowsOp>(op);
  if (!load)
    return isPure(op) && !isa<ContractOp>(op);
  // Barriers are placed for what is read where it stands.
  if (isInWorkgroup(load.getSource()))
    return false;
  // A part of the store at hand may come after others have been stored.
  Value buffer = getBuffer(load.getSource());
  auto store = dyn_cast<StoreRowsOp>(user);
  if (store && getBuffer(store.getTarget()) == buffer &&
      !isInPlace(load, store))
    return false;
  for (Operation *next = op->getNextNode(); next != user;
       next = next->getNextNode()) {
    WalkResult walk = next->walk([&](Operation *inner) {
      auto write = dyn_cast<vector::TransferWriteOp>(inner);
      bool isOther = write && getBuffer(write.getBase()) != buffer;
      if (isOther || isMemoryEffectFree(inner) ||
          isa<StageOp, LoadRowsOp, scf::ForOp, scf::IfOp, TeamsOp,
              vector::TransferReadOp, gpu::BarrierOp, memref::LoadOp>(inner))
        return WalkResult::advance();
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return false;
  }
  return true;
}

/// Notes that `value` is held in a spread; false if that is known.
bool Distribution::record(Value value, Spread spread) {
  SmallVector<Spread> &spreads = asked[value];
  if (llvm::any_of(spreads, [&](const Spread &other) {
        return other.key() == spread.key();
      }))
    return false;
  spreads.push_back(spread);
  return true;
}

LogicalResult Distribution::ask(Operation *user, Value value, Spread spread,
                                Operation *at) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return success();
  if (!spread.fits(type)) {
    InFlightDiagnostic diag = user->emitOpError(
        "cannot be distributed over threads: expected vectors that ");
    return diag << spread.attr << " divides, got " << type;
  }
  Operation *op = value.getDefiningOp();
  if (at && op && isFreeUntil(op, at)) {
    Key key{value.getAsOpaquePointer(), spread.key()};
    bool isNew = askedAt.insert({key, at}).second; // a value may be used often
    return isNew ? askOperands(op, spread, at) : success();
  }
  if (!record(value, spread))
    return success();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return refuse(user, "no vectors from outside of the loop over blocks");
    return askCarried(loop, argument.getArgNumber() - 1, spread);
  }
  if (isa<scf::ForOp, scf::IfOp>(op))
    return askCarried(op, cast<OpResult>(value).getResultNumber(), spread);
  return askOperands(op, spread, nullptr);
}

/// A value that a loop carries, or that branches give, has one spread.
LogicalResult Distribution::askCarried(Operation *op, unsigned number,
                                       Spread spread) {
  SmallVector<Value> same{op->getResult(number)}, given;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    same.push_back(loop.getRegionIterArg(number));
    given = {loop.getInitArgs()[number], loop.getYieldedValues()[number]};
  } else {
    for (Region &region : op->getRegions())
      given.push_back(region.front().getTerminator()->getOperand(number));
  }
  for (Value value : same) {
    record(value, spread);
    if (asked[value].size() > 1) {
      InFlightDiagnostic diag =
          op->emitOpError("cannot be distributed over threads: expected one "
                          "spread of result #");
      return diag << number << ", got " << asked[value][0].attr << " and "
                  << asked[value][1].attr;
    }
  }
  for (Value value : given)
    if (failed(ask(op, value, spread)))
      return failure();
  return success();
}

/// True if a constant is 0, 1, 2, and so on.
static bool isStep(DenseElementsAttr value) {
  if (!value.getElementType().isIndex())
    return false;
  int64_t expected = 0;
  return llvm::all_of(value.getValues<APInt>(), [&](const APInt &entry) {
    return entry.getSExtValue() == expected++;
  });
}

LogicalResult Distribution::askOperands(Operation *op, Spread spread,
                                        Operation *at) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (value &&
        (value.isSplat() || (spread.axis == Spread::Rows && isStep(value))))
      return success();
    return refuse(op, "one value everywhere, or the numbers of rows, got ")
           << constant.getValue();
  }
  if (isa<vector::StepOp>(op))
    return spread.axis == Spread::Rows
               ? success()
               : refuse(op, "numbers of rows, not of columns");
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    Value source = broadcast.getSource();
    Spread::Axis axis = axisOf(source);
    if (axis != Spread::None &&
        (spread.axis != Spread::Tile || axis == spread.axis))
      return refuse(op,
                    "a scalar, or a vector of rows or of columns as a tile");
    return ask(op, source, spread.of(axis), at);
  }
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op))
    return spread.axis == Spread::Rows
               ? ask(op, cast.getSource(), spread, at)
               : refuse(op, "rows as a column of a tile");
  if (auto load = dyn_cast<LoadRowsOp>(op)) {
    bool isOfTile = load.getType().getRank() == 2;
    Spread::Axis axis = isOfTile            ? Spread::Tile
                        : load.hasColumns() ? Spread::Columns
                                            : Spread::Rows;
    if (axis != spread.axis)
      return refuse(op, "rows as rows and columns as columns");
    for (Value rows : {load.getRowVector(), Value(load.getInside())})
      if (rows && failed(ask(op, rows, spread.of(Spread::Rows), at ? at : op)))
        return failure();
    return success();
  }
  if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
    if (spread.axis != Spread::Tile)
      return refuse(op, "rows and columns of a tile that is staged");
    if (permutationOf(read.getBase()) > 1 &&
        spread.width() > ArrayOp::columnsTogether)
      return refuse(op, "threads to read up to ")
             << ArrayOp::columnsTogether
             << " columns side by side of a permuted array, got "
             << spread.attr;
    return verifyStaged(read, spread.width());
  }
  if (auto slice = dyn_cast<vector::ExtractStridedSliceOp>(op)) {
    auto numbers = [](ArrayAttr attr) {
      return llvm::map_to_vector(
          attr.getAsRange<IntegerAttr>(),
          [](IntegerAttr entry) { return entry.getInt(); });
    };
    SmallVector<int64_t> offsets = numbers(slice.getOffsets()),
                         sizes = numbers(slice.getSizes());
    bool isOfRows = spread.axis == Spread::Tile && offsets.size() == 2 &&
                    offsets[1] == 0 &&
                    sizes[1] == slice.getSourceVectorType().getDimSize(1) &&
                    offsets[0] % (spread.eachRows() * spread.laneRows()) == 0;
    return isOfRows ? ask(op, slice.getSource(), spread, at)
                    : refuse(op, "all columns of rows that threads hold in "
                                 "turns");
  }
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
    VectorType source = reduction.getSourceVectorType();
    if (spread.axis != Spread::Columns || !spread.isFlat() ||
        reduction.getKind() != vector::CombiningKind::ADD ||
        source.getRank() != 2 ||
        reduction.getReductionMask() != SmallVector<bool>{true, false})
      return refuse(op, "a sum over rows that a thread has all of");
    SpreadAttr ofColumns = SpreadAttr::get(
        op->getContext(), {source.getDimSize(0), spread.width()},
        {1, spread.laneColumns()});
    if (failed(verifyReduction(reduction)))
      return failure();
    return ask(op, reduction.getSource(), {ofColumns, Spread::Tile}, at);
  }
  if (auto contract = dyn_cast<ContractOp>(op)) {
    SpreadAttr own = contract.getSpread();
    if (own == spread.attr)
      return success();
    InFlightDiagnostic diag = op->emitOpError(
        "cannot be distributed over threads: expected the spread that is "
        "asked for, ");
    return diag << spread.attr << ", got " << own;
  }
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return refuse(op, "an op that is distributed as its result is");
  for (Value operand : op->getOperands())
    if (failed(ask(op, operand, spread, at)))
      return failure();
  return success();
}

/// A copy takes rows and their mask, and no part of what is loaded. They are
/// computed where they stand, in front of what copies wait for.
LogicalResult Distribution::askCopied(StageOp op, Spread spread) {
  LoadRowsOp load = op.getCopiedRows();
  if (!load || load->getBlock() != op->getBlock())
    return refuse(op, "a copy of rows that its block loads, 16 bytes of one a "
                      "thread");
  if (!spread.fits(load.getType()))
    return refuse(op, "a spread that divides the rows that are copied");
  for (Value rows : {load.getRowVector(), Value(load.getInside())})
    if (rows && failed(ask(op, rows, spread.of(Spread::Rows))))
      return failure();
  return success();
}

/// Asks for what is staged, summed and stored. Teams need not ask.
LogicalResult Distribution::askAll() {
  SmallVector<TeamsOp> allTeams;
  auto walk = [&](Operation *op) -> WalkResult {
    if (auto teams = dyn_cast<TeamsOp>(op)) {
      allTeams.push_back(teams);
      return WalkResult::skip();
    }
    auto hold = [&](SpreadAttr attr) {
      threads = std::max(threads, attr.getNumThreads());
      return Spread::ofWhole(attr);
    };
    if (auto stage = dyn_cast<StageOp>(op)) {
      Spread spread = hold(stage.getSpread());
      return stage.getBy() == Staging::InFlight
                 ? askCopied(stage, spread)
                 : ask(op, stage.getTile(), spread);
    }
    if (auto contract = dyn_cast<ContractOp>(op)) {
      Spread spread = hold(contract.getSpread());
      record(contract.getResult(), spread);
      return ask(op, contract.getSums(), spread);
    }
    auto store = dyn_cast<StoreRowsOp>(op);
    if (!store)
      return WalkResult::advance();
    Spread spread = hold(store.getSpread());
    if (!store.hasColumns())
      return refuse(op, "columns");
    for (Value rows : {store.getRowVector(), Value(store.getInside())})
      if (rows && failed(ask(op, rows, spread.of(Spread::Rows), store)))
        return failure();
    return ask(op, store.getValue(), spread, store);
  };
  if (blocks.getBody()->walk<WalkOrder::PreOrder>(walk).wasInterrupted())
    return failure();
  for (TeamsOp teams : allTeams) {
    int64_t own = teams.getSpread().getThreads();
    if (threads && own != threads) {
      InFlightDiagnostic diag =
          refuse(teams, "as many as the rest of the block is spread over, ");
      return diag << threads << ", got " << own;
    }
    threads = own;
  }
  int64_t most = getBlockLimits(blocks).threads;
  if (threads <= most)
    return success();
  return blocks.emitOpError("cannot be distributed over threads: expected at "
                            "most ")
         << most << " of a block on the target, got " << threads;
}
