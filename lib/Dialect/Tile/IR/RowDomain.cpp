//===- RowDomain.cpp - Rows in an order, and keys of structures -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/RowDomain.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

RowDomain RowDomain::fixed(int64_t count) {
  RowDomain domain;
  domain.kind = Kind::Fixed;
  domain.count = count;
  return domain;
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
  }
  llvm_unreachable("all kinds are handled");
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

std::string gnn::tile::explainRows(RowDomain groups, RowDomain elements) {
  if (groups.isOfGraph() && groups == groups.getNatural() &&
      elements.isOfGraph())
    return checkRows(groups.get().space, elements.get());
  return "the elements of a '" + groups.str() +
         "' do not lie side by side in '" + elements.str() + "'";
}

std::string gnn::tile::explainMap(RowDomain from, RowDomain to) {
  if (from.isOfGraph() && to.isOfGraph())
    return checkMap(from.get(), to.get());
  return "no map leads from '" + from.str() + "' to '" + to.str() + "'";
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
  std::string error;
  if (auto rows = OrderedSpace::parse(word, error))
    return RowDomain(*rows);
  return parser.emitError(loc) << error;
}

/// Parses the words of a key, up to a number or what is no word.
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
  int64_t tile;
  OptionalParseResult number = parser.parseOptionalInteger(tile);
  if (number.has_value()) {
    if (failed(*number))
      return failure();
    text += " " + std::to_string(tile);
  }
  std::string error;
  if (auto key = Key::parse(text, error))
    return *key;
  return parser.emitError(loc) << error;
}

FailureOr<StructureKey> FieldParser<StructureKey>::parse(AsmParser &parser) {
  return parseKey<StructureKey>(parser, 2);
}

FailureOr<CountKey> FieldParser<CountKey>::parse(AsmParser &parser) {
  return parseKey<CountKey>(parser, 2);
}
