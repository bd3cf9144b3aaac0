//===- RowDomain.cpp - Rows in an order, and keys of structures -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/RowDomain.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

RowDomain RowDomain::fixed(int64_t count) {
  RowDomain domain;
  domain.kind = Kind::Fixed;
  domain.count = count;
  return domain;
}

RowDomain RowDomain::tiles(Space groups, OrderedSpace elements, int64_t most) {
  RowDomain domain(elements);
  domain.kind = Kind::Tiles;
  domain.tiled = groups;
  domain.count = most;
  return domain;
}

RowDomain RowDomain::longTiles(Space groups, OrderedSpace elements,
                               int64_t most) {
  RowDomain domain = tiles(groups, elements, most);
  domain.kind = Kind::LongTiles;
  return domain;
}

RowDomain RowDomain::pieces(Space groups, OrderedSpace elements,
                            int64_t block) {
  RowDomain domain = tiles(groups, elements, block);
  domain.kind = Kind::Pieces;
  return domain;
}

RowDomain RowDomain::cutRows(Space groups, OrderedSpace elements,
                             int64_t block) {
  RowDomain domain = tiles(groups, elements, block);
  domain.kind = Kind::CutRows;
  return domain;
}

RowDomain RowDomain::tilesOf(const StructureKey &key) {
  return key.isOfLong() ? longTiles(key.group, key.elements, key.tile)
                        : tiles(key.group, key.elements, key.tile);
}

RowDomain RowDomain::tilesOf(const CountKey &key) {
  return key.kind == CountKey::Kind::TileCount
             ? tiles(key.space, key.elements, key.tile)
             : longTiles(key.space, key.elements, key.tile);
}

CountKey RowDomain::getCountKey() const {
  if (isLongTiles())
    return CountKey::longTileCount(tiled, rows, count);
  if (isPieces())
    return CountKey::pieceCount(tiled, rows, count);
  if (isCutRows())
    return CountKey::cutRowCount(tiled, rows, count);
  return isTiles() ? CountKey::tileCount(tiled, rows, count)
                   : CountKey::count(rows.space);
}

RowDomain RowDomain::getNatural() const {
  return isOfGraph() ? RowDomain(rows.space) : *this;
}

std::string RowDomain::str() const {
  switch (kind) {
  case Kind::None:
    return "";
  case Kind::OfGraph:
    return rows.str();
  case Kind::Fixed:
    return std::to_string(count);
  case Kind::Tiles:
  case Kind::LongTiles:
  case Kind::Pieces:
  case Kind::CutRows:
    break;
  }
  StringRef what = isLongTiles() ? "long_tiles"
                   : isPieces()  ? "pieces"
                   : isCutRows() ? "cut_rows"
                                 : "tiles";
  return (what + "<" + name(tiled) + ", " + rows.str() + ", " + Twine(count) +
          ">")
      .str();
}

bool gnn::tile::hasRows(RowDomain groups, RowDomain elements) {
  return explainRows(groups, elements).empty();
}

bool gnn::tile::hasMap(RowDomain from, RowDomain to) {
  return explainMap(from, to).empty();
}

bool gnn::tile::isInjective(RowDomain from, RowDomain to) {
  return from == to || (from.isOfGraph() && to.isOfGraph() &&
                        gnn::isInjective(from.get(), to.get()));
}

bool gnn::tile::needsMap(RowDomain from, RowDomain to) {
  return from != to && !(from.isOfGraph() && to.isOfGraph() &&
                         gnn::isPrefixOf(from.get(), to.get()));
}

RowDomain gnn::tile::ofSortedEdges(RowDomain rows) {
  RowDomain byDst(Space::Edge, RowOrder::InRows);
  return rows == byDst.getNatural() ? byDst : rows;
}

bool gnn::tile::isMapped(GraphOp graph, RowDomain from, RowDomain to) {
  if (!to || !graph || !graph.getDstSorted())
    return to && needsMap(from, to);
  return needsMap(ofSortedEdges(from), ofSortedEdges(to));
}

std::string gnn::tile::explainRows(RowDomain groups, RowDomain elements) {
  bool isNatural = groups.isOfGraph() && groups == groups.getNatural();
  if (isNatural && elements.isOfGraph())
    return checkRows(groups.get().space, elements.get());
  if (groups.isTiles() && elements == RowDomain(groups.getTiles().elements))
    return "";
  if (isNatural && elements.isTiles() && groups.isIn(elements.getTiles().group))
    return "";
  return "the elements of a '" + groups.str() +
         "' do not lie side by side in '" + elements.str() + "'";
}

std::string gnn::tile::explainMap(RowDomain from, RowDomain to) {
  if (from.isOfGraph() && to.isOfGraph())
    return checkMap(from.get(), to.get());
  if (from.isTiles() && to == RowDomain(from.getTiles().group))
    return "";
  return "no map leads from '" + from.str() + "' to '" + to.str() + "'";
}

StructureKey gnn::tile::getRowsKey(RowDomain groups, RowDomain elements) {
  if (groups.isTiles())
    return groups.getTiles();
  if (!elements.isTiles())
    return StructureKey::rows(groups.get().space, elements.get());
  return StructureKey::tileRows(elements.getTiles());
}

StructureKey gnn::tile::getMapKey(RowDomain from, RowDomain to) {
  return from.isTiles() ? from.getTiles()
                        : StructureKey::map(from.get(), to.get());
}

/// Parses what follows `tiles`, `long_tiles` or `pieces`:
/// `<edge_type, src_pair, 1024>`.
static FailureOr<RowDomain> parseTiles(AsmParser &parser, SMLoc loc,
                                       StringRef kind) {
  StringRef groups, elements;
  int64_t most;
  if (parser.parseLess() || parser.parseKeyword(&groups) ||
      parser.parseComma() || parser.parseKeyword(&elements) ||
      parser.parseComma() || parser.parseInteger(most) || parser.parseGreater())
    return failure();
  std::string error;
  bool isPieces = kind == "pieces";
  auto key = StructureKey::parse(((isPieces ? "cut_rows" : kind) + " " +
                                  groups + " " + elements + " " + Twine(most))
                                     .str(),
                                 error);
  if (!key)
    return parser.emitError(loc) << error;
  return isPieces ? RowDomain::pieces(key->group, key->elements, key->tile)
                  : RowDomain::tilesOf(*key);
}

FailureOr<RowDomain> FieldParser<RowDomain>::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t count;
  OptionalParseResult number = parser.parseOptionalInteger(count);
  if (number.has_value()) {
    if (failed(*number))
      return failure();
    if (count < 0)
      return parser.emitError(loc, "expected a number of rows, got ") << count;
    return RowDomain::fixed(count);
  }
  // The lexer takes `edge.in_rows` as one bare identifier.
  StringRef word;
  if (failed(parser.parseKeyword(&word)))
    return failure();
  if (word == "tiles" || word == "long_tiles" || word == "pieces")
    return parseTiles(parser, loc, word);
  std::string error;
  if (auto rows = OrderedSpace::parse(word, error))
    return RowDomain(*rows);
  return parser.emitError(loc) << error;
}

/// Parses the words of a key, up to what is no word, and the numbers behind.
template <typename Key>
static FailureOr<Key> parseKey(AsmParser &parser, size_t mostDomains) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseKeyword(&word)))
    return failure();
  std::string text = word.str();
  for (size_t i = 0;
       i < mostDomains && succeeded(parser.parseOptionalKeyword(&word)); ++i)
    text += " " + word.str();
  int64_t number;
  for (OptionalParseResult parsed = parser.parseOptionalInteger(number);
       parsed.has_value(); parsed = parser.parseOptionalInteger(number)) {
    if (failed(*parsed))
      return failure();
    text += " " + std::to_string(number);
  }
  std::string error;
  if (auto key = Key::parse(text, error))
    return *key;
  return parser.emitError(loc) << error;
}

FailureOr<StructureKey> FieldParser<StructureKey>::parse(AsmParser &parser) {
  return parseKey<StructureKey>(parser, 3);
}

FailureOr<CountKey> FieldParser<CountKey>::parse(AsmParser &parser) {
  return parseKey<CountKey>(parser, 3);
}
