//===- TileDialect.cpp - The gnn_tile dialect -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration, and the attributes: their text and their checks.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

#include "GNN/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "GNN/Dialect/Tile/IR/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "GNN/Dialect/Tile/IR/TileAttributes.cpp.inc"

namespace {
/// Templates may stand in functions that others call.
struct TileInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void TileDialect::initialize() {
  addInterfaces<TileInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "GNN/Dialect/Tile/IR/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

template <typename KeyAttr, typename Key>
static Attribute parseKey(AsmParser &parser) {
  FailureOr<Key> key = FieldParser<Key>::parse(parser);
  return succeeded(key) ? KeyAttr::get(parser.getContext(), *key) : KeyAttr();
}

Attribute RowDomainAttr::parse(AsmParser &parser, Type) {
  return parseKey<RowDomainAttr, RowDomain>(parser);
}
Attribute StructureKeyAttr::parse(AsmParser &parser, Type) {
  return parseKey<StructureKeyAttr, StructureKey>(parser);
}
Attribute CountKeyAttr::parse(AsmParser &parser, Type) {
  return parseKey<CountKeyAttr, CountKey>(parser);
}

void RowDomainAttr::print(AsmPrinter &printer) const {
  printer << " " << getValue().str();
}
void StructureKeyAttr::print(AsmPrinter &printer) const {
  printer << " " << getValue().str();
}
void CountKeyAttr::print(AsmPrinter &printer) const {
  printer << " " << getValue().str();
}

//===----------------------------------------------------------------------===//
// DomainAttr
//===----------------------------------------------------------------------===//

Attribute DomainAttr::parse(AsmParser &parser, Type) {
  int64_t heads = 1, features = 1;
  if (parser.parseLess())
    return {};
  auto groups = FieldParser<RowDomain>::parse(parser);
  if (failed(groups))
    return {};
  FailureOr<RowDomain> elements = RowDomain();
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("heads"))) {
      if (parser.parseEqual() || parser.parseInteger(heads))
        return {};
    } else if (succeeded(parser.parseOptionalKeyword("features"))) {
      if (parser.parseEqual() || parser.parseInteger(features))
        return {};
    } else if (!*elements) {
      elements = FieldParser<RowDomain>::parse(parser);
      if (failed(elements))
        return {};
    } else {
      parser.emitError(parser.getCurrentLocation(),
                       "expected 'heads' or 'features'");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<DomainAttr>(parser.getContext(), *groups, *elements,
                                       heads, features);
}

void DomainAttr::print(AsmPrinter &printer) const {
  printer << "<" << getGroups().str();
  if (getElements())
    printer << ", " << getElements().str();
  if (getHeads() != 1)
    printer << ", heads = " << getHeads();
  if (getFeatures() != 1)
    printer << ", features = " << getFeatures();
  printer << ">";
}

LogicalResult DomainAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 RowDomain groups, RowDomain elements,
                                 int64_t heads, int64_t features) {
  if (!groups || groups.isOfParent()) // C1
    return emitError() << "expected a row space as groups, got '"
                       << groups.str() << "'";
  if (elements && !hasRows(groups, elements)) // C2
    return emitError() << explainRows(groups, elements);
  if (heads < 1 || features < 1) // C3
    return emitError() << "expected at least one head and feature, got "
                       << heads << " and " << features;
  return success();
}

//===----------------------------------------------------------------------===//
// AtAttr
//===----------------------------------------------------------------------===//

Attribute AtAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  auto anchor = FieldParser<Anchor>::parse(parser);
  if (failed(anchor))
    return {};
  FailureOr<RowDomain> space = RowDomain();
  bool head = false, feature = false;
  int64_t offset = 0;
  if (succeeded(parser.parseOptionalArrow()))
    space = FieldParser<RowDomain>::parse(parser);
  if (failed(space))
    return {};
  if (succeeded(parser.parseOptionalColon())) {
    auto parseDim = [&]() -> ParseResult {
      if (!head && !feature && succeeded(parser.parseOptionalKeyword("head"))) {
        head = true;
        return success();
      }
      if (feature || parser.parseKeyword("feature"))
        return failure();
      feature = true;
      if (succeeded(parser.parseOptionalPlus()))
        return parser.parseInteger(offset);
      return success();
    };
    if (parser.parseCommaSeparatedList(parseDim))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<AtAttr>(parser.getContext(), *anchor, *space, head,
                                   feature, offset);
}

void AtAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyAnchor(getAnchor());
  if (getSpace())
    printer << " -> " << getSpace().str();
  if (getHead() || getFeature())
    printer << " : " << (getHead() ? "head" : "")
            << (getHead() && getFeature() ? ", " : "")
            << (getFeature() ? "feature" : "");
  if (getOffset())
    printer << " + " << getOffset();
  printer << ">";
}

LogicalResult AtAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             Anchor anchor, RowDomain space, bool head,
                             bool feature, int64_t offset) {
  if (space && anchor == Anchor::All) // C1
    return emitError() << "expected a row space reached from a group or an "
                          "element, got '"
                       << space.str() << "' at 'all'";
  if (offset < 0 || (offset && !feature)) // C2
    return emitError() << "expected a feature offset of at least 0, got "
                       << offset;
  return success();
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

static LogicalResult checkField(function_ref<InFlightDiagnostic()> emitError,
                                StringRef field, int64_t value,
                                ArrayRef<int64_t> allowed) {
  if (value == 0 || llvm::is_contained(allowed, value))
    return success();
  InFlightDiagnostic diag = emitError() << "expected '" << field << "' in {";
  llvm::interleaveComma(allowed, diag);
  return diag << "}, got " << value;
}

static LogicalResult
checkPositive(function_ref<InFlightDiagnostic()> emitError,
              ArrayRef<std::pair<StringRef, int64_t>> fields) {
  for (auto [name, value] : fields)
    if (value < 0)
      return emitError() << "expected '" << name << "' to be positive, got "
                         << value;
  return success();
}

LogicalResult TraverseScheduleAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, int64_t rowsPerBlock,
    int64_t columnsPerBlock, int64_t window, int64_t registerTile,
    int64_t lanes, int64_t elementLanes, int64_t vector, int64_t inFlight,
    StringAttr rowOrder, int64_t splitRows, bool, bool, int64_t tileRows,
    int64_t tileColumns, bool) {
  if (failed(checkPositive(emitError, {{"rows_per_block", rowsPerBlock},
                                       {"columns_per_block", columnsPerBlock},
                                       {"window", window},
                                       {"register_tile", registerTile},
                                       {"in_flight", inFlight},
                                       {"split_rows", splitRows},
                                       {"tile_rows", tileRows},
                                       {"tile_columns", tileColumns}})) ||
      failed(checkField(emitError, "lanes", lanes, {1, 2, 4, 8, 16, 32})) ||
      failed(checkField(emitError, "element_lanes", elementLanes,
                        {1, 2, 4, 8, 16, 32})) ||
      failed(checkField(emitError, "vector", vector, {1, 2, 4})))
    return failure();
  if (inFlight > 32) // each is a copy of the body
    return emitError() << "expected 'in_flight' of at most 32, got "
                       << inFlight;
  if (lanes && elementLanes && lanes * elementLanes > 32)
    return emitError() << "expected 'lanes' times 'element_lanes' within a "
                          "warp of 32, got "
                       << lanes * elementLanes;
  if (rowOrder && rowOrder != "natural" && rowOrder != "by_degree")
    return emitError() << "expected 'row_order' to be \"natural\" or "
                          "\"by_degree\", got "
                       << rowOrder;
  return success();
}

LogicalResult
GemmScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t m, int64_t n, int64_t k, int64_t warps,
                         int64_t stages, StringAttr mma, int64_t coarsening,
                         int64_t blocksPerSm, bool) {
  if (failed(checkField(emitError, "m", m, {16, 32, 64, 128})) ||
      failed(checkField(emitError, "n", n, {16, 32, 64, 128})) ||
      failed(checkField(emitError, "k", k, {4, 8, 16, 32})) ||
      failed(checkField(emitError, "warps", warps, {1, 2, 4, 8, 16})))
    return failure();
  if (mma &&
      !llvm::is_contained({"ffma", "tf32", "tf32x3", "bf16"}, mma.getValue()))
    return emitError() << "expected 'mma' in {\"ffma\", \"tf32\", \"tf32x3\", "
                          "\"bf16\"}, got "
                       << mma;
  return checkPositive(emitError, {{"stages", stages},
                                   {"coarsening", coarsening},
                                   {"blocks_per_sm", blocksPerSm}});
}
