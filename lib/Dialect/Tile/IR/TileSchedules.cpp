//===- TileSchedules.cpp - How templates are laid out ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes that say schedules: their checks, their text in a traversal,
// and their fields as the layout takes them.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult checkField(EmitError emitError, StringRef field,
                                int64_t value, ArrayRef<int64_t> allowed) {
  if (value == 0 || llvm::is_contained(allowed, value))
    return success();
  InFlightDiagnostic diag = emitError() << "expected '" << field << "' in {";
  llvm::interleaveComma(allowed, diag);
  return diag << "}, got " << value;
}

namespace {
/// A field of any number from 1 to `most`.
struct CountedField {
  StringRef name;
  int64_t value, most;
};
} // namespace

static LogicalResult checkCounts(EmitError emitError,
                                 ArrayRef<CountedField> fields) {
  for (const CountedField &field : fields) {
    if (field.value < 0)
      return emitError() << "expected '" << field.name
                         << "' to be positive, got " << field.value;
    if (field.value > field.most)
      return emitError() << "expected '" << field.name << "' of at most "
                         << field.most << ", got " << field.value;
  }
  return success();
}

/// A row has so many features and elements at most, a block so many threads.
static constexpr int64_t mostColumns = int64_t(1) << 30,
                         mostElements = int64_t(1) << 31, mostRows = 1024;

LogicalResult TraverseScheduleAttr::verify(
    EmitError emitError, int64_t columnsPerBlock, int64_t vector, int64_t lanes,
    int64_t headLanes, int64_t elementLanes, int64_t inFlight,
    int64_t rowsPerBlock, TakenOrderAttr, RowWalkAttr walk, int64_t splitRows) {
  if (failed(checkCounts(
          emitError, {{"columns_per_block", columnsPerBlock, mostColumns},
                      {"in_flight", inFlight, 32}, // each is a copy of the body
                      {"rows_per_block", rowsPerBlock, mostRows},
                      {"split_rows", splitRows, mostElements}})))
    return failure();
  std::pair<StringRef, int64_t> powers[] = {{"lanes", lanes},
                                            {"head_lanes", headLanes},
                                            {"element_lanes", elementLanes}};
  for (auto [name, value] : powers)
    if (failed(checkField(emitError, name, value, {1, 2, 4, 8, 16, 32})))
      return failure();
  if (failed(checkField(emitError, "vector", vector, {1, 2, 4})))
    return failure();
  auto orOne = [](int64_t value) { return std::max<int64_t>(value, 1); };
  if (int64_t all = orOne(lanes) * orOne(headLanes) * orOne(elementLanes);
      all > 32)
    return emitError() << "expected 'lanes' times 'head_lanes' times "
                          "'element_lanes' within a warp of 32, got "
                       << all;
  if (splitRows && walk && walk.getValue() != RowWalk::ByLength)
    return emitError() << "expected 'row_walk' by_length with 'split_rows', "
                          "got "
                       << stringifyRowWalk(walk.getValue());
  return success();
}

LogicalResult CoreScheduleAttr::verify(EmitError emitError,
                                       int64_t columnsPerBlock, int64_t vector,
                                       int64_t rowsPerBlock, TakenOrderAttr) {
  if (failed(checkCounts(emitError,
                         {{"columns_per_block", columnsPerBlock, mostColumns},
                          {"rows_per_block", rowsPerBlock, mostRows}})))
    return failure();
  return checkField(emitError, "vector", vector, {1, 2, 4, 8, 16});
}

LogicalResult GemmScheduleAttr::verify(EmitError emitError, int64_t n,
                                       ProductKindAttr, ProductCopiesAttr) {
  return checkField(emitError, "n", n, ProductLayout::allColumns);
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

ArrayRef<StringRef> TraverseScheduleAttr::getFieldNames() const {
  static const StringRef names[] = {
      "columns_per_block", "vector",    "lanes",          "head_lanes",
      "element_lanes",     "in_flight", "rows_per_block", "row_order",
      "row_walk",          "split_rows"};
  return names;
}

ArrayRef<StringRef> CoreScheduleAttr::getFieldNames() const {
  static const StringRef names[] = {"columns_per_block", "vector",
                                    "rows_per_block", "row_order"};
  return names;
}

ArrayRef<StringRef> GemmScheduleAttr::getFieldNames() const {
  static const StringRef names[] = {"n", "kind", "copies"};
  return names;
}

ScheduleInterface TraverseScheduleAttr::getOpen() const {
  return cast<ScheduleInterface>(TraverseSchedule().get(getContext()));
}

ScheduleInterface CoreScheduleAttr::getOpen() const {
  return cast<ScheduleInterface>(TraverseSchedule::ofCore().get(getContext()));
}

ScheduleInterface GemmScheduleAttr::getOpen() const {
  return get(getContext(), 0, nullptr, nullptr);
}

template <typename EnumAttrT>
static auto valueOf(EnumAttrT attr)
    -> std::optional<decltype(attr.getValue())> {
  if (!attr)
    return std::nullopt;
  return attr.getValue();
}

TraverseSchedule TraverseScheduleAttr::getFields() const {
  TraverseSchedule schedule;
  schedule.columnsPerBlock = getColumnsPerBlock();
  schedule.vector = getVector();
  schedule.lanes = getLanes();
  schedule.headLanes = getHeadLanes();
  schedule.elementLanes = getElementLanes();
  schedule.inFlight = getInFlight();
  schedule.rowsPerBlock = getRowsPerBlock();
  schedule.rowOrder = valueOf(getRowOrder());
  schedule.rowWalk = valueOf(getRowWalk());
  schedule.splitRows = getSplitRows();
  return schedule;
}

TraverseSchedule CoreScheduleAttr::getFields() const {
  TraverseSchedule schedule = TraverseSchedule::ofCore();
  schedule.columnsPerBlock = getColumnsPerBlock();
  schedule.vector = getVector();
  schedule.rowsPerBlock = getRowsPerBlock();
  schedule.rowOrder = valueOf(getRowOrder());
  return schedule;
}

TraversalScheduleInterface
TraverseScheduleAttr::withFields(const TraverseSchedule &fields) const {
  return fields.get(getContext());
}

TraversalScheduleInterface
CoreScheduleAttr::withFields(const TraverseSchedule &fields) const {
  return fields.get(getContext());
}

//===----------------------------------------------------------------------===//
// TraverseSchedule
//===----------------------------------------------------------------------===//

TraverseSchedule::TraverseSchedule(TraversalScheduleInterface schedule) {
  if (schedule)
    *this = schedule.getFields();
}

TraverseSchedule::TraverseSchedule(TraverseOp op)
    : TraverseSchedule(op.getScheduleAttr()) {}

TraverseSchedule TraverseSchedule::ofCore() {
  TraverseSchedule schedule;
  schedule.isOneLane = true;
  schedule.lanes = schedule.headLanes = schedule.elementLanes = 1;
  schedule.inFlight = 1; // a core looks ahead by itself
  schedule.rowWalk = RowWalk::Team;
  return schedule;
}

TraversalScheduleInterface TraverseSchedule::get(MLIRContext *context) const {
  auto order = rowOrder ? TakenOrderAttr::get(context, *rowOrder) : nullptr;
  if (isOneLane)
    return CoreScheduleAttr::get(context, columnsPerBlock, vector, rowsPerBlock,
                                 order);
  return TraverseScheduleAttr::get(
      context, columnsPerBlock, vector, lanes, headLanes, elementLanes,
      inFlight, rowsPerBlock, order,
      rowWalk ? RowWalkAttr::get(context, *rowWalk) : nullptr, splitRows);
}

void TraverseSchedule::setOn(TraverseOp op) const {
  op.setScheduleAttr(get(op.getContext()));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult
gnn::tile::parseTraversalSchedule(OpAsmParser &parser,
                                  TraversalScheduleInterface &schedule) {
  Attribute other;
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult isOther = parser.parseOptionalAttribute(other);
  if (!isOther.has_value()) {
    TraverseScheduleAttr fields;
    if (parser.parseCustomAttributeWithFallback(fields))
      return failure();
    schedule = fields;
    return success();
  }
  if (failed(*isOther))
    return failure();
  schedule = dyn_cast<TraversalScheduleInterface>(other);
  if (schedule)
    return success();
  return parser.emitError(loc, "expected the schedule of a traversal, got ")
         << other;
}

void gnn::tile::printTraversalSchedule(OpAsmPrinter &printer, TraverseOp,
                                       TraversalScheduleInterface schedule) {
  if (auto fields = dyn_cast_if_present<TraverseScheduleAttr>(schedule))
    printer.printStrippedAttrOrType(fields);
  else
    printer << Attribute(schedule);
}
