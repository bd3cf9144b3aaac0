//===- TileLoopOps.cpp - Ops of the loops form ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification. The ODS descriptions hold the labels that the comments below
// refer to.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace gnn::tile;

#define GET_OP_CLASSES
#include "GNN/Dialect/Tile/IR/TileLoopOps.cpp.inc"

/// The most workers: a block of any GPU has no more threads, and a core takes
/// no more rows in turn.
static constexpr int64_t mostWorkers = 1024;

/// The most elements in flight, each of which is a copy of the body.
static constexpr int64_t mostInFlight = 32;

/// The most elements of a window.
static constexpr int64_t mostOfWindow = int64_t(1) << 20;

/// The most elements of a row.
static constexpr int64_t mostOfRow = int64_t(1) << 31;

/// Checks that a body has one index as its argument.
static LogicalResult verifyNumber(Operation *op, Block &body) {
  if (body.getNumArguments() == 1 && body.getArgument(0).getType().isIndex())
    return success();
  return op->emitOpError("expected a body of one index argument, got ")
         << body.getNumArguments() << " arguments";
}

/// Checks the region that combines values of `types`.
static LogicalResult verifyCombine(Operation *op, Region &combine,
                                   TypeRange types) {
  if (types.empty()) {
    if (combine.empty())
      return success();
    return op->emitOpError("expected no 'combine' without results");
  }
  if (combine.empty())
    return op->emitOpError("expected a 'combine' of ")
           << types.size() << " results";
  SmallVector<Type> both(types);
  llvm::append_range(both, types);
  Block &block = combine.front();
  if (block.getArgumentTypes() != TypeRange(both))
    return op->emitOpError("expected a 'combine' of the arguments ")
           << both << ", got " << block.getArgumentTypes();
  if (block.getTerminator()->getOperandTypes() != types)
    return op->emitOpError("expected a 'combine' that yields ")
           << types << ", got " << block.getTerminator()->getOperandTypes();
  return success();
}

//===----------------------------------------------------------------------===//
// walk
//===----------------------------------------------------------------------===//

/// Checks the region that adds all elements in flight at once.
static LogicalResult verifyTogether(WalkOp walk) {
  if (walk.getTogether().empty())
    return success();
  TypeRange results = walk.getResultTypes();
  if (results.empty())
    return walk.emitOpError("expected no 'together' without results");
  SmallVector<Type> all;
  for (int64_t i = 0; i <= static_cast<int64_t>(walk.getInFlight()); ++i)
    llvm::append_range(all, results);
  Block &block = walk.getTogether().front();
  if (block.getArgumentTypes() != TypeRange(all))
    return walk.emitOpError("expected a 'together' of the arguments ")
           << all << ", got " << block.getArgumentTypes();
  for (Operation &op : block.without_terminator())
    if (!isPure(&op))
      return op.emitOpError("expected a 'together' that computes only");
  if (block.getTerminator()->getOperandTypes() != results)
    return walk.emitOpError("expected a 'together' that yields ")
           << results << ", got " << block.getTerminator()->getOperandTypes();
  return success();
}

LogicalResult WalkOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.drop_front(2).getTypes());
  return success();
}

/// Checks that the workers of `op` are not those of a gnn_tile.parallel around
/// it, or a part of them.
static LogicalResult verifyWorkers(Operation *op, Worker over) {
  for (auto outer = op->getParentOfType<ParallelOp>(); outer;
       outer = outer->getParentOfType<ParallelOp>())
    if (over == Worker::Block || over == outer.getOver())
      return op->emitOpError("expected workers of '")
             << stringifyWorker(over)
             << "' outside of those of another gnn_tile.parallel, got it in "
                "one over '"
             << stringifyWorker(outer.getOver()) << "'";
  return success();
}

/// Whether `op` is done by teams.
static LogicalResult verifyInTeam(Operation *op) {
  for (auto workers = op->getParentOfType<ParallelOp>(); workers;
       workers = workers->getParentOfType<ParallelOp>())
    if (workers.getOver() == Worker::Team)
      return success();
  return failure();
}

LogicalResult WalkOp::verify() {
  if (getOver() == Worker::Team) // C3
    return emitOpError("expected a walk over 'element' or 'block', got '")
           << stringifyWorker(getOver()) << "'";
  int64_t slots = getSlots(), inFlight = getInFlight();
  if (slots < 1 || slots > mostWorkers || inFlight < 1 ||
      inFlight > mostInFlight) // C3
    return emitOpError("expected 1 to ")
           << mostWorkers << " slots and 1 to " << mostInFlight
           << " elements in flight, got " << slots << " and " << inFlight;
  std::optional<int64_t> run = getRun();
  if (run && (*run < 1 || *run > mostOfRow)) // C4
    return emitOpError("expected a run of 1 to ")
           << mostOfRow << " elements, got " << *run;
  if (run && getNumResults() == 0) // C4
    return emitOpError("expected 'run' of a walk with results, got none");
  if (getInStep() &&
      (getOver() != Worker::Element || failed(verifyInTeam(*this)))) // C7
    return emitOpError("expected a walk 'in_step' over 'element', in a "
                       "gnn_tile.parallel over team");
  if (std::optional<int64_t> window = getWindow()) { // C8
    if (*window < 1 || *window > mostOfWindow || *window % (slots * inFlight))
      return emitOpError("expected a window of 1 to ")
             << mostOfWindow << " elements that is a multiple of the "
             << slots * inFlight << " of a step, got " << *window;
    if (run || getInStep() || !(*this)->getParentOfType<TeamsOp>())
      return emitOpError("expected 'window' of a walk in a gnn_tile.teams, "
                         "without 'run' and not 'in_step'");
  }
  return slots > 1 ? verifyWorkers(*this, getOver()) : success(); // C5
}

LogicalResult WalkOp::verifyRegions() {
  Block &body = getBody().front();
  if (failed(verifyNumber(*this, body))) // C1
    return failure();
  TypeRange yielded = body.getTerminator()->getOperandTypes();
  if (yielded != getIdentity().getTypes()) // C1
    return emitOpError("expected a body that yields ")
           << getIdentity().getTypes() << ", got " << yielded;
  if (failed(verifyCombine(*this, getCombine(), getResultTypes()))) // C2
    return failure();
  return verifyTogether(*this); // C6
}

//===----------------------------------------------------------------------===//
// teams
//===----------------------------------------------------------------------===//

static LogicalResult verifyOfTeams(Operation *op) {
  if (succeeded(verifyInTeam(op)))
    return success();
  return op->emitOpError("expected to be in a gnn_tile.parallel over team");
}

LogicalResult AnyTeamOp::verify() {
  return verifyOfTeams(*this); // C1
}

LogicalResult MostOfTeamsOp::verify() {
  return verifyOfTeams(*this); // C1
}

LogicalResult AddAtomicallyOp::verify() {
  if (!(*this)->getParentOfType<TeamsOp>()) // C1
    return emitOpError("expected a gnn_tile.teams around it");
  WalkResult walk = getRegion().walk([&](Operation *op) -> WalkResult {
    Value memory;
    if (auto write = dyn_cast<vector::TransferWriteOp>(op))
      memory = write.getBase();
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      memory = store.getMemRef();
    if (!memory)
      return success();
    auto type = dyn_cast<MemRefType>(memory.getType());
    if (type && type.getElementType().isF32() && !isInWorkgroup(memory))
      return success();
    return op->emitOpError("expected f32 in global memory, got ") // C2
           << memory.getType();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult StageWindowOp::verify() {
  ShapedType known;
  for (Value array : getArrays()) {
    auto type = cast<MemRefType>(array.getType());
    if (!isInWorkgroup(array) || type.getRank() != 2 ||
        !type.hasStaticShape() ||
        (known && known.getShape() != type.getShape())) // C2
      return emitOpError("expected arrays of workgroup memory, of one static "
                         "shape of two dimensions, got ")
             << getArrays().getTypes();
    known = type;
  }
  if (!(*this)->getParentOfType<TeamsOp>() ||
      succeeded(verifyInTeam(*this)) != static_cast<bool>(getTeam())) // C3
    return emitOpError("expected to be in a gnn_tile.teams, with 'team' in a "
                       "gnn_tile.parallel over team, without in none");
  return success();
}

LogicalResult StageWindowOp::verifyRegions() {
  Block &body = getBody().front();
  if (failed(verifyNumber(*this, body))) // C1
    return failure();
  TypeRange yielded = body.getTerminator()->getOperandTypes();
  auto elements = llvm::map_range(getArrays().getTypes(), [](Type type) {
    return cast<MemRefType>(type).getElementType();
  });
  if (!llvm::equal(yielded, elements)) // C1
    return emitOpError("expected a body that yields an element of each array, "
                       "got ")
           << yielded;
  for (Value number : body.getTerminator()->getOperands()) {
    auto load = number.getDefiningOp<memref::LoadOp>();
    if (getAsync() && (!load || load->getBlock() != &body ||
                       isInWorkgroup(load.getMemRef()))) // C4
      return emitOpError("expected numbers that the body loads from global "
                         "memory beside 'async'");
  }
  return success();
}

void LoadNumbersOp::build(OpBuilder &builder, OperationState &state,
                          unsigned count, Value buffer, Value first, Value team,
                          int64_t share) {
  Type number = cast<MemRefType>(buffer.getType()).getElementType();
  build(builder, state, SmallVector<Type>(count, number), buffer, first, team,
        team ? builder.getI64IntegerAttr(share) : IntegerAttr());
}

LogicalResult LoadNumbersOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  bool isSame = llvm::all_of(getNumbers().getTypes(), [&](Type number) {
    return number == type.getElementType();
  });
  if (!isSame || !type.getLayout().isIdentity() || isInWorkgroup(getBuffer()) ||
      isPrivate(getBuffer())) // C1
    return emitOpError("expected a buffer of global memory without a layout, "
                       "whose elements are the results, got ")
           << getNumbers().getTypes() << " of " << type;
  auto count = static_cast<int64_t>(getNumbers().size());
  auto share = static_cast<int64_t>(getShare().value_or(count));
  if (!has(count) || share < count || share % count) // C2
    return emitOpError("expected 4, 8 or 16 numbers, whose number divides "
                       "'share', got ")
           << count << " of " << share;
  if (failed(verifyInTeam(*this)) ||
      static_cast<bool>(getTeam()) != getShare().has_value()) // C3
    return emitOpError("expected to be in a gnn_tile.parallel over team, and "
                       "both 'team' and 'share', or neither");
  auto team = dyn_cast_if_present<BlockArgument>(getTeam());
  auto each = team ? dyn_cast<ParallelOp>(team.getOwner()->getParentOp())
                   : ParallelOp();
  if (getTeam() && (!each || each.getOver() != Worker::Team)) // C4
    return emitOpError("expected 'team' to be the number of the "
                       "gnn_tile.parallel over team");
  return success();
}

/// The most vectors of which a lane may have an entry each.
static constexpr size_t mostVectors = 32;

LogicalResult ReduceEachOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  auto type = operands.empty() ? VectorType()
                               : dyn_cast<VectorType>(operands[0].getType());
  if (!type || type.getRank() < 1)
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = static_cast<int64_t>(operands.size());
  types.push_back(VectorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult ReduceEachOp::verify() {
  size_t count = getVectors().size();
  if (count == 0) // C1
    return emitOpError("expected a power of two of vectors, got none");
  int64_t rank = cast<VectorType>(getVectors()[0].getType()).getRank();
  if (!llvm::isPowerOf2_64(count) || count > mostVectors || rank > 2) // C1
    return emitOpError("expected a power of two of at most ")
           << mostVectors << " vectors of one or two dimensions, got " << count
           << " of " << rank;
  if (getKind() == Reduction::Mean) // C2
    return emitOpError("expected 'sum', 'max' or 'min', got 'mean'");
  return success();
}

ParseResult ReduceEachOp::parse(OpAsmParser &parser, OperationState &state) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> vectors;
  VectorType type, result;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Reduction> kind = symbolizeReduction(keyword);
  if (!kind)
    return parser.emitError(loc, "expected sum, max or min, got '")
           << keyword << "'";
  if (parser.parseOperandList(vectors) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) || parser.parseArrow() ||
      parser.parseType(result) ||
      parser.resolveOperands(vectors, type, state.operands))
    return failure();
  state.getOrAddProperties<Properties>().kind =
      ReductionAttr::get(parser.getContext(), *kind);
  state.addTypes(result);
  return success();
}

void ReduceEachOp::print(OpAsmPrinter &printer) {
  printer << " " << stringifyReduction(getKind()) << " " << getVectors();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"kind"});
  printer << " : " << getVectors()[0].getType() << " -> " << getType();
}

LogicalResult TeamsOp::verify() {
  if (!getSpread().getTeams()) // C1
    return emitOpError("expected a spread with teams, got ") << getSpread();
  if ((*this)->getParentOfType<TeamsOp>()) // C2
    return emitOpError("expected no other gnn_tile.teams around it");
  return success();
}

//===----------------------------------------------------------------------===//
// parallel
//===----------------------------------------------------------------------===//

LogicalResult ParallelOp::verifyRegions() {
  int64_t count = getCount();
  if (count < 1 || count > mostWorkers) // C4
    return emitOpError("expected a count of 1 to ")
           << mostWorkers << ", got " << count;
  if (failed(verifyWorkers(*this, getOver()))) // C5
    return failure();
  Block &body = getBody().front();
  if (failed(verifyNumber(*this, body))) // C1
    return failure();
  TypeRange yielded = body.getTerminator()->getOperandTypes();
  if (yielded.size() != getNumResults()) // C2
    return emitOpError("expected a yielded value a result: ")
           << getNumResults() << ", got " << yielded.size();
  for (auto [result, value] : llvm::zip(getResultTypes(), yielded)) {
    auto entries = dyn_cast<VectorType>(result);
    if (result == value || (entries && entries.getRank() == 1 &&
                            entries.getElementType() == value &&
                            count % entries.getNumElements() == 0)) // C2
      continue;
    return emitOpError("expected a result of type ")
           << value << ", or a vector of it whose size divides " << count
           << ", got " << result;
  }
  return verifyCombine(*this, getCombine(), yielded); // C3
}
