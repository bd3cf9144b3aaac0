//===- VerifyWholeResults.cpp - Reads of what was written -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates that write parts of one tensor go on with each other's results: the
// columns along such a chain are added up wherever something else reads its
// end; what is written of some rows alone counts for nothing. Rows of elements
// of long groups are written by the traversal of their tiles, and all others by
// the one that goes on with its result. On buffers they write to one memref:
// the columns are added up in the order of the straight line.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_VERIFYWHOLERESULTS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

using Columns = SmallVector<ColumnRange>;

/// The first columns of `all` that are not among `columns`; none if all are.
static std::optional<ColumnRange> findGap(Columns columns, int64_t all) {
  llvm::sort(columns, [](const ColumnRange &a, const ColumnRange &b) {
    return a.begin < b.begin;
  });
  int64_t written = 0;
  for (const ColumnRange &range : columns) {
    if (range.begin > written)
      return ColumnRange{written, range.begin};
    written = std::max(written, range.end);
  }
  if (written < all)
    return ColumnRange{written, all};
  return std::nullopt;
}

/// How many columns a tensor has; one without features has rows alone.
static int64_t countColumns(Type type) {
  int64_t last = cast<ShapedType>(type).getShape().back();
  return ShapedType::isDynamic(last) ? 1 : last;
}

/// The tiles of long groups of whose elements `output` keeps the rows; none if
/// it keeps no such rows.
static std::optional<RowDomain> getKeptTiles(OpOperand &output) {
  auto op = dyn_cast<TraverseOp>(output.getOwner());
  bool ofElements = op && op.getAccess(output).getAnchor() == Anchor::Element;
  return ofElements ? op.getPartsOf() : std::nullopt;
}

/// The tiles of long groups of whose elements `output` has the rows.
static RowDomain getWrittenTiles(OpOperand &output) {
  auto op = dyn_cast<TraverseOp>(output.getOwner());
  bool ofTiles = op && op.getGroups().isLongTiles() &&
                 op.getAccess(output).getAnchor() == Anchor::Element;
  return ofTiles ? op.getGroups() : RowDomain();
}

/// The error at the template that wrote last of columns that are read.
static InFlightDiagnostic reportGap(Operation *op,
                                    ArrayRef<ColumnRange> columns,
                                    ColumnRange gap, Type type,
                                    StringRef what) {
  InFlightDiagnostic diag = op->emitOpError("leaves ");
  if (llvm::any_of(columns,
                   [](ColumnRange range) { return range.isOfSomeRows; }))
    diag << "some rows";
  else
    diag << "columns " << gap.begin << " to " << gap.end - 1;
  diag << " of " << type
       << " without a value: expected templates that write all of them, or a "
       << what << " that has values to go on with";
  return diag;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The output of a template that becomes this result.
static OpOperand &outputOf(OpResult result) {
  auto op = cast<DestinationStyleOpInterface>(result.getOwner());
  return op.getDpsInitsMutable()[result.getResultNumber()];
}

/// Adds the columns that are written of `tensor`; false if all are, or if it
/// had a value to begin with, of which the templates write a part.
static bool collectColumns(Value tensor, Columns &columns) {
  while (isa_and_nonnull<TileOpInterface>(tensor.getDefiningOp())) {
    OpOperand &output = outputOf(cast<OpResult>(tensor));
    columns.push_back(
        cast<TileOpInterface>(output.getOwner()).getWrittenColumns(output));
    if (columns.back().isWhole)
      return false;
    tensor = output.get();
    if (std::optional<RowDomain> kept = getKeptTiles(output)) {
      auto before = dyn_cast_if_present<TraverseOp>(tensor.getDefiningOp());
      if (!before || getWrittenTiles(outputOf(cast<OpResult>(tensor))) != *kept)
        columns.back() = {0, 0, false, /*isOfSomeRows=*/true};
    }
  }
  Operation *maker = tensor.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(maker))
    maker = maker->getOperand(0).getDefiningOp();
  auto allocation = dyn_cast_if_present<bufferization::AllocTensorOp>(maker);
  return isa_and_nonnull<tensor::EmptyOp>(maker) ||
         (allocation && !allocation.getCopy());
}

/// Whether something reads the result, besides a template that goes on with it.
static bool isRead(OpResult result) {
  return llvm::any_of(result.getUses(), [](OpOperand &use) {
    auto next = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    return !next || !next.isDpsInit(&use);
  });
}

static LogicalResult checkTensor(OpResult result) {
  Columns columns;
  if (!collectColumns(result, columns))
    return success();
  Type type = result.getType();
  if (auto gap = findGap(columns, countColumns(type)))
    return reportGap(result.getOwner(), columns, *gap, type, "tensor");
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {
/// The written part of a buffer that had no values to begin with.
struct Buffer {
  Columns columns;
  /// Tiles of long groups of whose elements rows have been written.
  SmallVector<RowDomain> tiles;
  Operation *lastWriter = nullptr;
  Type type; ///< in which the last writer sees it
  bool isWhole = false;

  bool isWritten() const { return isWhole || !columns.empty(); }
};

/// A buffer and null, or a workspace and an offset there: views of one offset
/// are one place, whether a constant or a value.
using Place = std::pair<Value, const void *>;

/// Follows one straight line.
class BufferCheck {
public:
  explicit BufferCheck(func::FuncOp func);
  LogicalResult visit(Operation *op);

private:
  Buffer *find(Value memref);
  LogicalResult read(Operation *op, Value memref,
                     std::optional<int64_t> columns = std::nullopt);
  void write(OpOperand &output);
  void writeWhole(Value memref);
  void copy(Value source, Value target);
  bool isWorkspace(Value memref);
  bool isWrittenElsewhere(Value memref);
  LogicalResult visitTemplate(TileOpInterface op);
  LogicalResult visitReturn(func::ReturnOp op);
  void visitView(memref::ViewOp op);
  void visitOther(Operation *op);

  func::FuncOp func;
  llvm::MapVector<Place, Buffer> buffers;
  /// Workspaces that something writes to, nobody knows where.
  llvm::DenseSet<Value> written;
};
} // namespace

BufferCheck::BufferCheck(func::FuncOp func) : func(func) {
  for (BlockArgument argument : func.getArguments())
    if (func.getArgAttr(argument.getArgNumber(), "bufferize.result"))
      buffers[{argument, nullptr}];
}

/// The buffer of which `memref` is a reshaped form.
static Value skipReshapes(Value memref) {
  while (isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp,
                         memref::CastOp>(memref.getDefiningOp()))
    memref = memref.getDefiningOp()->getOperand(0);
  return memref;
}

/// The buffer, or the place in a workspace, that `memref` is a form of.
static Place getPlace(Value memref) {
  memref = skipReshapes(memref);
  if (auto view = memref.getDefiningOp<memref::ViewOp>())
    return {skipReshapes(view.getSource()),
            getAsOpFoldResult(view.getByteShift()).getOpaqueValue()};
  return {memref, nullptr};
}

/// The facts of the buffer that `memref` is a form of; null if it had values to
/// begin with, or nothing is known.
Buffer *BufferCheck::find(Value memref) {
  auto found = buffers.find(getPlace(memref));
  return found == buffers.end() ? nullptr : &found->second;
}

bool BufferCheck::isWorkspace(Value memref) {
  auto argument = dyn_cast<BlockArgument>(memref);
  return argument && argument.getOwner() == &func.getBody().front() &&
         func.getArgAttr(argument.getArgNumber(), "gnn.workspace");
}

/// Whether other places of the workspace that `memref` is in are written. They
/// may be the same, or reach into it: only constants are known to differ, and
/// nobody knows how far they reach.
bool BufferCheck::isWrittenElsewhere(Value memref) {
  Place place = getPlace(memref);
  if (written.contains(place.first))
    return true;
  return place.second && llvm::any_of(buffers, [&](const auto &other) {
           return other.first.first == place.first &&
                  other.first.second != place.second &&
                  other.second.isWritten();
         });
}

/// The end of the columns that a template reads of rows that may have more, as
/// those behind are a pad; none where that is not known.
static std::optional<int64_t> endOfRead(OpOperand &input) {
  unsigned number = input.getOperandNumber();
  auto endOf = [](AtAttr at, int64_t columns) -> std::optional<int64_t> {
    if (!at || !at.getFeature() || at.getColumn())
      return std::nullopt;
    return at.getOffset() + columns;
  };
  if (auto op = dyn_cast<TraverseOp>(input.getOwner()))
    return endOf(op.getAccess(input), op.getDomain().getFeatures());
  if (auto op = dyn_cast<GemmOp>(input.getOwner()); op && number == 0)
    return endOf(op.getInputAt(), op.getIn());
  if (auto op = dyn_cast<GemmOp>(input.getOwner());
      op && !op.getExtras().empty() &&
      number >= op.getExtras().getBeginOperandIndex())
    return endOf(op.getAccess(input), op.getOut());
  if (auto op = dyn_cast<OuterOp>(input.getOwner()); op && number < 2)
    return endOf(cast<AtAttr>(op.getInputsAt()[number]),
                 number == 0 ? op.getIn() : op.getOut());
  return std::nullopt;
}

/// Reads all columns, or those before an end.
LogicalResult BufferCheck::read(Operation *op, Value memref,
                                std::optional<int64_t> columns) {
  Buffer *buffer = find(memref);
  if (!buffer || buffer->isWhole)
    return success();
  if (buffer->columns.empty()) {
    if (isWrittenElsewhere(memref))
      return success();
    return op->emitOpError("reads ")
           << memref.getType()
           << " before anything is written to it: expected a template in front "
              "that writes it";
  }
  // Columns of rows in another form are others.
  int64_t count = countColumns(buffer->type);
  if (columns && countColumns(memref.getType()) == count)
    count = std::min(*columns, count);
  std::optional<ColumnRange> gap = findGap(buffer->columns, count);
  if (!gap || isWrittenElsewhere(memref))
    return success();
  reportGap(buffer->lastWriter, buffer->columns, *gap, buffer->type, "buffer")
          .attachNote(op->getLoc())
      << "what reads them";
  return failure();
}

void BufferCheck::writeWhole(Value memref) {
  if (Buffer *buffer = find(memref))
    buffer->isWhole = true;
  else if (Value source = skipReshapes(memref); isWorkspace(source))
    written.insert(source);
}

/// The target has values where the source has them.
void BufferCheck::copy(Value source, Value target) {
  Buffer *from = find(source), *to = find(target);
  if (from && to && !isWrittenElsewhere(source))
    *to = *from;
  else
    writeWhole(target);
}

/// Columns of one shape add up; of several, nothing is known.
void BufferCheck::write(OpOperand &output) {
  Buffer *buffer = find(output.get());
  if (!buffer)
    return;
  Operation *op = output.getOwner();
  ColumnRange range = cast<TileOpInterface>(op).getWrittenColumns(output);
  if (std::optional<RowDomain> kept = getKeptTiles(output))
    if (!llvm::is_contained(buffer->tiles, *kept))
      range = {0, 0, false, /*isOfSomeRows=*/true};
  if (RowDomain tiles = getWrittenTiles(output))
    buffer->tiles.push_back(tiles);
  auto shapeOf = [](Type type) {
    return cast<ShapedType>(type).getShape().drop_front();
  };
  Type type = output.get().getType();
  if (range.isWhole ||
      (buffer->lastWriter && shapeOf(buffer->type) != shapeOf(type)))
    buffer->isWhole = true;
  buffer->columns.push_back(range);
  buffer->lastWriter = op;
  buffer->type = type;
}

LogicalResult BufferCheck::visitTemplate(TileOpInterface op) {
  auto destination = cast<DestinationStyleOpInterface>(op.getOperation());
  for (OpOperand *input : destination.getDpsInputOperands())
    if (failed(read(op, input->get(), endOfRead(*input))))
      return failure();
  for (OpOperand &output : destination.getDpsInitsMutable())
    write(output);
  return success();
}

LogicalResult BufferCheck::visitReturn(func::ReturnOp op) {
  for (Value value : op.getOperands())
    if (failed(read(op, value)))
      return failure();
  for (BlockArgument argument : func.getArguments())
    if (func.getArgAttr(argument.getArgNumber(), "bufferize.result") &&
        failed(read(op, argument)))
      return failure();
  return success();
}

/// The uses of a view of another buffer than a workspace are not known.
void BufferCheck::visitView(memref::ViewOp op) {
  if (isWorkspace(skipReshapes(op.getSource())))
    buffers[getPlace(op)];
  else
    writeWhole(op.getSource());
}

/// The effects of other ops on their buffers are not known.
void BufferCheck::visitOther(Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      writeWhole(operand);
  });
}

LogicalResult BufferCheck::visit(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](TileOpInterface op) { return visitTemplate(op); })
      .Case([&](func::ReturnOp op) { return visitReturn(op); })
      .Case([&](memref::AllocOp op) {
        buffers[{op, nullptr}];
        return success();
      })
      .Case([&](memref::ViewOp op) {
        visitView(op);
        return success();
      })
      .Case([&](memref::CopyOp op) {
        copy(op.getSource(), op.getTarget());
        return success();
      })
      .Case<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp,
            memref::DimOp, memref::DeallocOp>(
          [](Operation *) { return success(); })
      .Default([&](Operation *op) {
        visitOther(op);
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
struct VerifyWholeResults
    : gnn::impl::VerifyWholeResultsBase<VerifyWholeResults> {
  void runOnOperation() override {
    if (failed(checkTensors()) || failed(checkBuffers()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult checkTensors() {
    WalkResult walk = getOperation()->walk([&](TileOpInterface op) {
      for (OpResult result : op->getResults())
        if (isRead(result) && failed(checkTensor(result)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }
  LogicalResult checkBuffers() {
    func::FuncOp func = getOperation();
    if (!func.getBody().hasOneBlock() || func->hasAttr(attribute::excerpt))
      return success();
    BufferCheck check(func);
    for (Operation &op : func.getBody().front())
      if (failed(check.visit(&op)))
        return failure();
    return success();
  }
};
} // namespace
