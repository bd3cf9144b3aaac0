//===- Weights.cpp - Weights of layers ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of weights, and rows that become others by them.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

using namespace mlir;
using namespace gnn;

Value Converter::reshapeWeight(Location loc, Value weight,
                               ArrayRef<int64_t> shape) {
  auto type = getTensorType(weight);
  if (type.getShape() == shape)
    return weight;
  return ReshapeOp::create(builder, loc,
                           RankedTensorType::get(shape, type.getElementType()),
                           weight);
}

Value Converter::flatWeight(Location loc, Value weight, int64_t features) {
  auto type = getTensorType(weight);
  int64_t numbers = type.getNumElements();
  if (numbers == features)
    return reshapeWeight(loc, weight, {features});
  // For each head, or for each feature.
  SmallVector<int64_t> shape = {features / numbers};
  llvm::append_range(shape, type.getShape());
  Value repeated = BroadcastOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()),
      weight);
  return reshapeWeight(loc, repeated, {features});
}

Value Converter::assemble(Location loc, ArrayRef<int64_t> shape,
                          ArrayRef<Block> blocks, ArrayRef<int64_t> ones) {
  SmallVector<Value> inputs;
  SmallVector<int64_t> numbers;
  SmallVector<bool> transposed;
  for (const Block &block : blocks) {
    inputs.push_back(block.weight);
    transposed.push_back(block.transposed);
    numbers.append({block.fromRow, block.fromColumn, block.row, block.column,
                    block.rows, block.columns});
  }
  return overlay::AssembleOp::create(
      builder, loc,
      RankedTensorType::get(shape, Float32Type::get(builder.getContext())),
      inputs, numbers, transposed, ones);
}

Value Converter::layerWeight(Location loc, Value weight) {
  auto transpose = weight.getDefiningOp<WeightTransposeOp>();
  auto type = getTensorType(weight);
  if (!transpose || type.getRank() != 2)
    return weight;
  Block block;
  block.weight = transpose.getInput();
  block.transposed = true;
  block.rows = type.getDimSize(0);
  block.columns = type.getDimSize(1);
  return assemble(loc, type.getShape(), block);
}

Value Converter::project(Location loc, Value rows, int64_t offset,
                         int64_t width, int64_t at, int64_t total,
                         ArrayRef<int64_t> ones) {
  int64_t features = getNumFeatures(getTensorType(rows));
  if (offset == 0 && at == 0 && width == features && total == features)
    return rows;
  auto product = rows.getDefiningOp<overlay::LinearOp>();
  if (product && product.getActivations())
    product = nullptr;
  Value input = product ? product.getInput() : rows;
  Value weight, bias;
  SmallVector<int64_t> places; // of ones, in the bias
  for (int64_t one : ones)
    places.append({0, one, 1, 1});
  SmallVector<Block> biases;
  if (product) {
    int64_t depth = getTensorType(product.getWeight()).getDimSize(0);
    Block block = {product.getWeight(), false, 0, offset, 0, at, depth, width};
    weight = assemble(loc, {depth, total}, block);
    if (product.getBias())
      biases.push_back({product.getBias(), false, 0, offset, 0, at, 1, width});
  } else {
    SmallVector<int64_t> diagonal;
    for (int64_t i = 0; i < width; ++i)
      diagonal.append({offset + i, at + i, 1, 1});
    weight = assemble(loc, {features, total}, {}, diagonal);
  }
  if (!biases.empty() || !places.empty())
    bias = assemble(loc, {total}, biases, places);
  return overlay::LinearOp::create(builder, loc, rowsType(total), input, weight,
                                   bias, ArrayAttr());
}
