//===- CountSum.cpp - Costs of templates by counts of a graph -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/CountSum.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

CountSum CountSum::rows(RowDomain domain) {
  if (domain.isFixed() || !domain)
    return domain.getCount();
  return domain.getCountKey();
}

CountSum CountSum::entries(const StructureKey &key) {
  switch (key.kind) {
  case StructureKey::Kind::Map:
    return CountKey::count(key.elements.space);
  case StructureKey::Kind::Tiles:
  case StructureKey::Kind::LongTiles:
    return rows(RowDomain::tilesOf(key)) * 3;
  case StructureKey::Kind::Rows:
  case StructureKey::Kind::TileRows:
  case StructureKey::Kind::LongTileRows:
  case StructureKey::Kind::MergedRows:
    return CountSum(CountKey::count(key.group)) + 1;
  case StructureKey::Kind::Stream:
    return CountSum(CountKey::count(key.elements.space)) +
           TeamShare::streamLength(0);
  case StructureKey::Kind::Filled:
    return CountSum(CountKey::count(key.group)) + TeamShare::filledLength(0);
  case StructureKey::Kind::Shares: // fields of two pieces a block
    return CountSum(CountKey::pieceCount(key.group, key.elements, key.tile)) *
           (TeamShare::sharesLength(key.tile, key.tile) / 2);
  case StructureKey::Kind::CutRows:
    return CountSum(CountKey::cutRowCount(key.group, key.elements, key.tile)) *
           3;
  case StructureKey::Kind::Merged:
    return CountSum(CountKey::mergedCount(key)) *
           MergedRows::entryLength(key.tile);
  }
  llvm_unreachable("all kinds are handled");
}

CountSum &CountSum::operator+=(const CountSum &other) {
  for (const auto &[count, factor] : other.factors)
    factors[count] += factor;
  constant += other.constant;
  return *this;
}

CountSum CountSum::operator+(const CountSum &other) const {
  CountSum sum = *this;
  return sum += other;
}

CountSum CountSum::operator*(int64_t factor) const {
  CountSum product = *this;
  for (auto &term : product.factors)
    term.second *= factor;
  product.constant *= factor;
  return product;
}

Value CountSum::materialize(
    OpBuilder &builder, Location loc,
    function_ref<Value(const CountKey &)> valueOf) const {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value sum;
  auto add = [&](Value value) {
    sum = sum ? arith::AddIOp::create(builder, loc, sum, value) : value;
  };
  for (const auto &[count, factor] : factors) {
    if (factor == 0)
      continue;
    Value value = valueOf(count);
    if (factor != 1)
      value = arith::MulIOp::create(builder, loc, value, index(factor));
    add(value);
  }
  if (constant || !sum)
    add(index(constant));
  return sum;
}

double
CountSum::evaluate(function_ref<double(const CountKey &)> valueOf) const {
  double sum = constant;
  for (const auto &[count, factor] : factors)
    sum += factor * valueOf(count);
  return sum;
}

std::string CountSum::str() const {
  std::string text;
  auto add = [&](const std::string &term) {
    text += (text.empty() ? "" : " + ") + term;
  };
  for (const auto &[count, factor] : factors)
    if (factor)
      add((factor == 1 ? "" : std::to_string(factor) + " * ") + count.str());
  if (constant || text.empty())
    add(std::to_string(constant));
  return text;
}
