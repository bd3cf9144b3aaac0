//===- TileSchedules.cpp - How templates are laid out ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes that say schedules: their text, their checks, and their fields
// as the layout takes them.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string ScheduleField::str(int64_t value) const {
  return words.empty() ? std::to_string(value) : words[value - 1].str();
}

SmallVector<int64_t> ScheduleField::list() const {
  SmallVector<int64_t> values;
  for (int64_t value = range.least; value <= range.most;
       value = words.empty() ? 2 * value : value + 1)
    values.push_back(value);
  return values;
}

bool ScheduleField::has(int64_t value) const {
  return value >= range.least && value <= range.most &&
         (!range.arePowers || llvm::isPowerOf2_64(value));
}

std::string ScheduleField::describeRange() const {
  if (words.empty() && !range.arePowers)
    return ("from " + Twine(range.least) + " to " + Twine(range.most)).str();
  std::string text = "in {";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(list(), os, [&](int64_t value) { os << str(value); });
  return text + "}";
}

std::string gnn::tile::explainRanges(ScheduleInterface schedule) {
  for (auto [field, value] :
       llvm::zip_equal(schedule.getTable(), schedule.getValues()))
    if (value && !field.has(value))
      return "cannot honour the schedule's '" + field.name.str() +
             "': expected a value " + field.describeRange() + ", got " +
             std::to_string(value);
  return "";
}

/// The value that a text says, or 0: none of the field.
static int64_t read(const ScheduleField &field, StringRef text) {
  for (auto [i, word] : llvm::enumerate(field.words))
    if (word == text)
      return i + 1;
  int64_t value;
  bool isIn =
      field.words.empty() && !text.getAsInteger(10, value) && field.has(value);
  return isIn ? value : 0;
}

LogicalResult gnn::tile::setField(MutableArrayRef<int64_t> values,
                                  StringRef kind, ArrayRef<ScheduleField> table,
                                  StringRef name, StringRef text,
                                  EmitError emitError) {
  auto names = llvm::map_range(table, [](auto &field) { return field.name; });
  size_t i = llvm::find(names, name) - names.begin();
  if (i == table.size())
    return emitError() << "expected a field of #" << kind << " ("
                       << llvm::join(names, ", ") << "), got '" << name << "'"
                       << (kind == CoreScheduleAttr::name
                               ? ", which the cores of a CPU do not have: is "
                                 "it a schedule for a GPU?"
                               : "");
  if (values[i])
    return emitError() << "expected '" << name << "' once, got it twice";
  const ScheduleField &field = table[i];
  if ((values[i] = read(field, text)))
    return success();
  return emitError() << "expected '" << name << "' " << field.describeRange()
                     << ", got " << text;
}

ParseResult gnn::tile::parseFields(AsmParser &parser,
                                   SmallVectorImpl<int64_t> &values,
                                   StringRef kind,
                                   ArrayRef<ScheduleField> table) {
  values.resize(table.size());
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name, word;
    int64_t number = 0;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    bool isWord = succeeded(parser.parseOptionalKeyword(&word));
    if (!isWord && parser.parseInteger(number))
      return failure();
    return setField(values, kind, table, name,
                    isWord ? word.str() : std::to_string(number),
                    [&] { return parser.emitError(loc); });
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                        parseField);
}

void gnn::tile::printFields(AsmPrinter &printer, ArrayRef<int64_t> values,
                            StringRef, ArrayRef<ScheduleField> table) {
  llvm::ListSeparator comma;
  printer << "<";
  for (auto [field, value] : llvm::zip_equal(table, values))
    if (value)
      printer << StringRef(comma) << field.name << " = " << field.str(value);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Structs
//===----------------------------------------------------------------------===//

/// Calls `use` with each field of the attribute, and that of the struct.
template <typename Use>
static void forEachField(TraverseSchedule &schedule, Use use) {
  using namespace gnn::tile::range;
#define GNN_TRAVERSE_FIELD(type, name, keyword, range, onCore, tried, rule,    \
                           bits, ...)                                          \
  if (FieldRange values = schedule.isOneLane ? onCore : range; values.most)    \
    use(ScheduleField{keyword, values, rule, bits}, schedule.name);
#include "GNN/Dialect/Tile/IR/ScheduleFields.def"
}
template <typename Use>
static void forEachField(ProductSchedule &schedule, Use use) {
  using namespace gnn::tile::range;
#define GNN_PRODUCT_FIELD(type, name, keyword, range, rule, bits, ...)         \
  use(ScheduleField{keyword, range, rule, bits}, schedule.name);
#include "GNN/Dialect/Tile/IR/ScheduleFields.def"
}

static int64_t toValue(int64_t field) { return field; }
template <typename Enum> static int64_t toValue(std::optional<Enum> field) {
  return field ? static_cast<int64_t>(*field) + 1 : 0;
}

static void setTo(int64_t &field, int64_t value) { field = value; }
template <typename Enum>
static void setTo(std::optional<Enum> &field, int64_t value) {
  field = value ? std::optional(static_cast<Enum>(value - 1)) : std::nullopt;
}

static void addWords(ScheduleField &, int64_t) {}
template <typename Enum>
static void addWords(ScheduleField &field, std::optional<Enum>) {
  for (int i = 0; !stringifyEnum(Enum(i)).empty(); ++i)
    field.words.push_back(stringifyEnum(Enum(i)));
  field.range.most = field.words.size();
}

template <typename Schedule>
static std::vector<ScheduleField> makeTable(Schedule schedule) {
  std::vector<ScheduleField> table;
  forEachField(schedule, [&](ScheduleField field, auto &ofStruct) {
    addWords(field, ofStruct);
    table.push_back(field);
  });
  return table;
}

template <typename Schedule>
static SmallVector<int64_t> getValues(Schedule schedule) {
  SmallVector<int64_t> values;
  forEachField(schedule, [&](const ScheduleField &, auto &field) {
    values.push_back(toValue(field));
  });
  return values;
}

template <typename Schedule>
static Schedule withValues(Schedule schedule, ArrayRef<int64_t> values) {
  forEachField(schedule, [&](const ScheduleField &, auto &field) {
    setTo(field, values.consume_front());
  });
  return schedule;
}

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

StringRef TraverseSchedule::findFieldOfGPU() const {
  using namespace gnn::tile::range;
  TraverseSchedule core = ofCore();
#define GNN_TRAVERSE_FIELD(type, name, keyword, range, onCore, ...)            \
  if (FieldRange(onCore).most == 0 && this->name != core.name)                 \
    return keyword;
#include "GNN/Dialect/Tile/IR/ScheduleFields.def"
  return "";
}

TraversalScheduleInterface TraverseSchedule::get(MLIRContext *context) const {
  if (isOneLane && findFieldOfGPU().empty())
    return CoreScheduleAttr::get(context, getValues(*this));
  TraverseSchedule all = *this;
  all.isOneLane = false;
  return TraverseScheduleAttr::get(context, getValues(all));
}

void TraverseSchedule::setOn(TraverseOp op) const {
  op.setScheduleAttr(get(op.getContext()));
}

ProductSchedule::ProductSchedule(GemmScheduleAttr schedule) {
  if (schedule)
    *this = withValues(*this, schedule.getValues());
}

GemmScheduleAttr ProductSchedule::get(MLIRContext *context) const {
  return GemmScheduleAttr::get(context, getValues(*this));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

ArrayRef<ScheduleField> TraverseScheduleAttr::getTable() {
  static const auto table = makeTable(TraverseSchedule());
  return table;
}
ArrayRef<ScheduleField> CoreScheduleAttr::getTable() {
  static const auto table = makeTable(TraverseSchedule::ofCore());
  return table;
}
ArrayRef<ScheduleField> GemmScheduleAttr::getTable() {
  static const auto table = makeTable(ProductSchedule());
  return table;
}

int64_t TraverseSchedule::getBlockPositions() const {
  if (rowWalk == RowWalk::Block)
    return 1;
  return rowsPerBlock * (rowWalk == RowWalk::ByEdges
                             ? TeamShare::elements
                             : std::max<int64_t>(rowsPerTeam, 1));
}

TraverseSchedule TraverseScheduleAttr::getFields() const {
  return withValues(TraverseSchedule(), getValues());
}
TraverseSchedule CoreScheduleAttr::getFields() const {
  return withValues(TraverseSchedule::ofCore(), getValues());
}

std::string TraverseSchedule::explainConflict() const {
  auto orOne = [](int64_t value) { return std::max<int64_t>(value, 1); };
  if (int64_t all = orOne(lanes) * orOne(headLanes) * orOne(elementLanes);
      all > TargetLimits::ofGPU().lanes)
    return "expected 'lanes' times 'head_lanes' times 'element_lanes' within a "
           "warp of " +
           std::to_string(TargetLimits::ofGPU().lanes) + ", got " +
           std::to_string(all);
  RowWalk walk = rowWalk.value_or(RowWalk::ByLength);
  if (splitRows && walk != RowWalk::ByLength)
    return "expected 'row_walk' by_length with 'split_rows', got " +
           stringifyRowWalk(walk).str();
  walk = rowWalk.value_or(RowWalk::Team);
  if (rowsPerTeam > 1 && walk != RowWalk::Team)
    return "expected 'row_walk' team with 'rows_per_team', got " +
           stringifyRowWalk(walk).str();
  return "";
}

LogicalResult TraverseScheduleAttr::verify(EmitError emitError,
                                           ArrayRef<int64_t> values) {
  std::string why = withValues(TraverseSchedule(), values).explainConflict();
  return why.empty() ? success() : emitError() << why;
}

//===----------------------------------------------------------------------===//
// Text of a traversal
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
