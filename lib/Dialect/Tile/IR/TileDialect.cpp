//===- TileDialect.cpp - The gnn_tile dialect -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration, and the attributes: their text and their checks.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/Target.h"
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
#include "GNN/Dialect/Tile/IR/TileInterfaces.cpp.inc"
#include "GNN/Dialect/Tile/IR/TileSchedules.cpp.inc"
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
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/Tile/IR/TileRowOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/Tile/IR/TileProductOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/Tile/IR/TileLoopOps.cpp.inc"
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
// OrderAttr
//===----------------------------------------------------------------------===//

LogicalResult OrderAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                RowDomain rows) {
  if (!rows.isOfGraph() || rows.isOfParent() || rows == rows.getNatural()) // C1
    return emitError() << "expected an order of a row space other than its "
                          "natural one, such as edge.in_rows, got '"
                       << rows.str() << "'";
  return success();
}

/// `edge_in_rows` of `edge.in_rows`.
OpAsmAliasResult OrderAttr::getAlias(raw_ostream &os) const {
  std::string name = getRows().str();
  llvm::replace(name, '.', '_');
  os << name;
  return OpAsmAliasResult::FinalAlias;
}

LogicalResult
OrderAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                          function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.empty() || !ShapedType::isDynamic(shape.front())) { // C2
    InFlightDiagnostic diag = emitError()
                              << "expected a leading dimension of ? for '"
                              << getRows().str() << "' rows, got ";
    return shape.empty() ? diag << "no dimension" : diag << shape.front();
  }
  return success();
}

OrderAttr gnn::tile::getOrder(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<OrderAttr>(tensor.getEncoding()) : nullptr;
}

OrderAttr gnn::tile::getOrderFor(MLIRContext *context, RowDomain rows) {
  return rows == rows.getNatural() ? nullptr : OrderAttr::get(context, rows);
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
  constexpr int64_t most = int64_t(1) << 30;
  if (heads < 1 || features < 1 || heads > most || features > most) // C3
    return emitError() << "expected 1 to " << most
                       << " heads and features, got " << heads << " and "
                       << features;
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
  bool head = false, feature = false, column = false;
  int64_t offset = 0, headOffset = 0;
  auto parseOffset = [&](int64_t &from) -> ParseResult {
    return succeeded(parser.parseOptionalPlus()) ? parser.parseInteger(from)
                                                 : ParseResult(success());
  };
  if (succeeded(parser.parseOptionalArrow()))
    space = FieldParser<RowDomain>::parse(parser);
  if (failed(space))
    return {};
  if (succeeded(parser.parseOptionalColon())) {
    auto parseDim = [&]() -> ParseResult {
      if (!head && !feature && succeeded(parser.parseOptionalKeyword("head"))) {
        head = true;
        return parseOffset(headOffset);
      }
      if (feature) {
        column = true;
        return parser.parseKeyword("column");
      }
      if (parser.parseKeyword("feature"))
        return failure();
      feature = true;
      return parseOffset(offset);
    };
    if (parser.parseCommaSeparatedList(parseDim))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<AtAttr>(parser.getContext(), *anchor, *space, head,
                                   feature, offset, column, headOffset);
}

void AtAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyAnchor(getAnchor());
  if (getSpace())
    printer << " -> " << getSpace().str();
  if (getHead() || getFeature())
    printer << " : " << (getHead() ? "head" : "");
  if (getHeadOffset())
    printer << " + " << getHeadOffset();
  printer << (getHead() && getFeature() ? ", " : "")
          << (getFeature() ? "feature" : "");
  if (getOffset())
    printer << " + " << getOffset();
  if (getColumn())
    printer << ", column";
  printer << ">";
}

RowDomain AtAttr::getStart(RowDomain groups, RowDomain elements) const {
  return getAnchor() == Anchor::Element ? elements : groups;
}

RowDomain AtAttr::getRows(RowDomain groups, RowDomain elements) const {
  return getSpace() ? getSpace() : getStart(groups, elements);
}

bool AtAttr::isInOrderOf(DomainAttr domain) const {
  return getAnchor() == Anchor::Element &&
         (!getSpace() || !needsMap(domain.getElements(), getSpace()));
}

AtAttr AtAttr::from(int64_t head, int64_t feature) const {
  return AtAttr::get(getContext(), getAnchor(), getSpace(), getHead(),
                     getFeature(), getOffset() + (getFeature() ? feature : 0),
                     getColumn(), getHeadOffset() + (getHead() ? head : 0));
}

LogicalResult AtAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             Anchor anchor, RowDomain space, bool head,
                             bool feature, int64_t offset, bool column,
                             int64_t headOffset) {
  if (space && anchor == Anchor::All) // C1
    return emitError() << "expected a row space reached from a group or an "
                          "element, got '"
                       << space.str() << "' at 'all'";
  if (offset < 0 || (offset && !feature)) // C2
    return emitError() << "expected a feature offset of at least 0, got "
                       << offset;
  if (headOffset < 0 || (headOffset && !head)) // C2
    return emitError() << "expected a head offset of at least 0, got "
                       << headOffset;
  if (column &&
      (anchor != Anchor::Group || space || head || !feature || offset)) // C3
    return emitError() << "expected 'column' at 'group : feature' alone";
  return success();
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

LogicalResult SpreadAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> each,
                                 ArrayRef<int64_t> lanes, int64_t teams,
                                 int64_t elements) {
  // The threads of a block; a thread has fewer registers than so many values.
  int64_t warp = TargetLimits::ofGPU().lanes,
          most = TargetLimits::ofGPU().threads;
  auto isPower = [](int64_t size) {
    return size >= 1 && llvm::isPowerOf2_64(size);
  };
  if (each.size() != lanes.size() || each.empty() || each.size() > 2) // C1
    return emitError() << "expected one or two dimensions of 'each' and as "
                          "many of 'lanes', got "
                       << each.size() << " and " << lanes.size();
  int64_t teamLanes = elements;
  for (ArrayRef<int64_t> sizes : {each, lanes}) {
    int64_t product = 1;
    for (int64_t size : sizes) {
      if (!isPower(size)) // C1
        return emitError() << "expected powers of two, got " << size;
      product *= std::min(size, 2 * most); // of two: no overflow
    }
    if (product > most) // C1
      return emitError() << "expected at most " << most
                         << " values of a thread and as many threads, got ["
                         << sizes << "]";
    if (sizes.data() == lanes.data())
      teamLanes = std::min(elements, 2 * most) * product;
  }
  if (!teams && !elements)
    return success();
  if (each.front() != 1 && each.size() == 2) // C2
    return emitError() << "expected one head of a lane beside 'teams', got "
                       << each.front();
  if (!isPower(elements) || teams < 1 || each.size() != 2) // C2
    return emitError() << "expected two dimensions, 'teams' and a power of two "
                          "of 'elements', got "
                       << each.size() << ", " << teams << " and " << elements;
  int64_t threads = std::min(teams, 2 * most) * teamLanes;
  if (threads == 1) // C3
    return success();
  if (teamLanes > warp) // C3
    return emitError() << "expected at most " << warp
                       << " lanes in a team, got " << teamLanes;
  if (threads % warp || threads > most) // C3
    return emitError() << "expected one lane, or whole warps of " << warp
                       << " up to " << most << " lanes, got " << threads;
  return success();
}
