//===- Tiles.cpp - Instructions of tiles ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GraphAGILE, algorithms 6 to 8, and the block product of a linear layer.
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

TileBuilder::TileBuilder(ProgramOp program, bool unroll, int64_t linearGroup)
    : program(program), partition(program.getPartition()), unroll(unroll),
      linearGroup(linearGroup), n1(partition.getN1()), n2(partition.getN2()),
      blocks(partition.getBlocks()), builder(program.getContext()),
      loc(program.getLoc()) {}

//===----------------------------------------------------------------------===//
// Blocks and loops
//===----------------------------------------------------------------------===//

void TileBuilder::addTile(function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(builder);
  auto tile = TilingBlockOp::create(builder, loc);
  builder.createBlock(&tile.getBody());
  body();
}

void TileBuilder::forTiles(int64_t features,
                           function_ref<void(int64_t, int64_t)> body,
                           int64_t step) {
  for (int64_t fiber = 0; fiber < partition.getFibers(features); fiber += step)
    for (int64_t block = 0; block < blocks; ++block)
      addTile([&] { body(fiber, block); });
}

void TileBuilder::forEntries(
    function_ref<void(int64_t, int64_t, int64_t)> body) {
  DenseI64ArrayAttr sources = partition.getSources();
  int64_t entry = 0;
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t i = 0; i < partition.getNumEntries(block); ++i, ++entry)
      addTile([&] { body(block, sources ? sources[entry] : i, entry); });
}

void TileBuilder::repeat(int64_t trips,
                         function_ref<void(int64_t, bool)> body) {
  if (unroll) {
    for (int64_t trip = 0; trip < trips; ++trip)
      body(trip, /*isInLoop=*/false);
    return;
  }
  OpBuilder::InsertionGuard guard(builder);
  auto loop = LoopOp::create(builder, loc);
  builder.createBlock(&loop.getBody());
  body(0, /*isInLoop=*/true);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void TileBuilder::load(overlay::Space space, FlatSymbolRefAttr region,
                       int64_t offset, int64_t stride, int64_t rows,
                       int64_t width, int64_t buffer, bool byDescriptor,
                       int64_t fiberStride) {
  LoadOp::create(builder, loc, SpaceAttr::get(builder.getContext(), space),
                 region, number(offset), number(stride), number(rows),
                 number(width), number(fiberStride), number(buffer),
                 flag(byDescriptor), UnitAttr(), BuffersAttr());
}

void TileBuilder::store(overlay::Space space, int64_t offset, int64_t rows,
                        int64_t width, bool byDescriptor, int64_t fiber) {
  StoreOp::create(builder, loc, SpaceAttr::get(builder.getContext(), space),
                  output, number(offset), number(fiber), number(rows),
                  number(width), flag(byDescriptor), BuffersAttr());
}

void TileBuilder::loadBlock(FlatSymbolRefAttr region, int64_t fiber,
                            int64_t block, int64_t buffer, int64_t stride) {
  load(overlay::Space::Features, region,
       fiber * fiberBytes() + block * subfiberBytes(), stride, n1, n2, buffer);
}

void TileBuilder::init(InitValue value, FlatSymbolRefAttr bias, int64_t fiber,
                       int64_t trips, bool onEdges, int64_t fibers) {
  if (bias)
    value = InitValue::Bias;
  InitOp::create(builder, loc, InitValueAttr::get(builder.getContext(), value),
                 bias, number(bias ? fiber * 4 * n2 : 0),
                 number(onEdges ? 0 : fibers * n1), number(onEdges ? 0 : n2),
                 number(unroll ? 0 : trips), flag(onEdges), UnitAttr());
}

void TileBuilder::addActivations(ArrayAttr acts, int64_t buffer, bool onEdges,
                                 FlatSymbolRefAttr affine, int64_t fiber,
                                 int64_t fibers) {
  if (!acts)
    return;
  for (auto act : acts.getAsRange<ActAttr>()) {
    bool isAffine = act.getKind() == overlay::ActivationKind::Affine;
    if (act.getKind() == overlay::ActivationKind::Divide)
      act = ActAttr::get(
          act.getContext(), act.getKind(),
          builder.getF32FloatAttr(
              static_cast<int64_t>(act.getParameter().getValueAsDouble()) %
              n2));
    ActOp::create(builder, loc, act, isAffine ? affine : FlatSymbolRefAttr(),
                  number(isAffine ? fiber * 8 * n2 : 0),
                  number(onEdges ? 0 : fibers * n1), flag(onEdges),
                  number(buffer), UnitAttr(), BuffersAttr());
    buffer = outputBuffer;
  }
}

void TileBuilder::storeBlock(int64_t fiber, int64_t block, int64_t from) {
  store(overlay::Space::Features,
        fiber * fiberBytes() + block * subfiberBytes(), n1, n2,
        /*byDescriptor=*/false, from);
}

void TileBuilder::storeEntry(int64_t entry) {
  store(overlay::Space::Edges, descriptorBytes * entry, 0, 0,
        /*byDescriptor=*/true);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

void TileBuilder::addAggregate(AggregateOp op) {
  FlatSymbolRefAttr edges = regionOf(op.getWeights());
  FlatSymbolRefAttr input = regionOf(op.getInput());
  FlatSymbolRefAttr bias =
      op.getInit() ? regionOf(op.getInit()) : FlatSymbolRefAttr();
  InitValue value =
      op.getAggregationKind() == Aggregation::Max   ? InitValue::Lowest
      : op.getAggregationKind() == Aggregation::Min ? InitValue::Highest
                                                    : InitValue::Zero;
  SmallVector<int64_t> first = {0}; // entry of each shard
  for (int64_t block = 0; block < blocks; ++block)
    first.push_back(first.back() + partition.getNumEntries(block));
  forTiles(op.getOutputFeatures(), [&](int64_t fiber, int64_t block) {
    int64_t trips = partition.getNumEntries(block);
    init(value, bias, fiber, trips);
    repeat(trips, [&](int64_t trip, bool isInLoop) {
      int64_t buffer = trip % 2;
      load(overlay::Space::Edges, edges,
           descriptorBytes * (first[block] + trip), 0, 0, 0, buffer,
           /*byDescriptor=*/true);
      load(overlay::Space::Features, input, fiber * fiberBytes(),
           subfiberBytes(), n1, n2, buffer, /*byDescriptor=*/true);
      SpdmmOp::create(builder, loc, op.getAggregationAttr(), number(0),
                      number(n2), number(buffer), BuffersAttr());
    });
    addActivations(op.getActivationsAttr(), outputBuffer, /*onEdges=*/false);
    storeBlock(fiber, block);
  });
}

void TileBuilder::addLinear(LinearOp op) {
  FlatSymbolRefAttr input = regionOf(op.getInput());
  FlatSymbolRefAttr weight = regionOf(op.getWeight());
  FlatSymbolRefAttr bias =
      op.getBias() ? regionOf(op.getBias()) : FlatSymbolRefAttr();
  int64_t depth = op.getInputFeatures();
  int64_t trips = partition.getFibers(depth);
  int64_t tileBytes = 4 * n2 * n2;
  int64_t outputs = partition.getFibers(op.getOutputFeatures());
  auto addGroup = [&](int64_t fiber, int64_t block) {
    int64_t fibers = std::min(linearGroup, outputs - fiber);
    init(InitValue::Zero, bias, fiber, trips, /*onEdges=*/false, fibers);
    repeat(trips, [&](int64_t trip, bool isInLoop) {
      int64_t buffer = trip % 2;
      load(overlay::Space::Weights, weight, (fiber * trips + trip) * tileBytes,
           isInLoop ? tileBytes : 0, fibers * n2, n2, buffer,
           /*byDescriptor=*/false, fibers > 1 ? trips * tileBytes : 0);
      loadBlock(input, trip, block, buffer, isInLoop ? fiberBytes() : 0);
      int64_t length = isInLoop ? n2 : std::min(n2, depth - trip * n2);
      for (int64_t made = 0; made < fibers; ++made)
        GemmOp::create(builder, loc, number(n1), number(length), number(n2),
                       number(made), number(buffer), flag(true), BuffersAttr());
    });
    addActivations(op.getActivationsAttr(), outputBuffer, /*onEdges=*/false,
                   /*affine=*/{}, fiber, fibers);
    for (int64_t made = 0; made < fibers; ++made)
      storeBlock(fiber + made, block, made);
  };
  forTiles(op.getOutputFeatures(), addGroup, linearGroup);
}

void TileBuilder::addVectorInner(VectorInnerOp op) {
  FlatSymbolRefAttr edges = findEdges(program);
  FlatSymbolRefAttr sources = regionOf(op.getSources());
  FlatSymbolRefAttr destinations = regionOf(op.getDestinations());
  int64_t features = op.getInputFeatures();
  int64_t trips = partition.getFibers(features);
  forEntries([&](int64_t block, int64_t source, int64_t entry) {
    init(InitValue::Zero, {}, 0, trips, /*onEdges=*/true);
    load(overlay::Space::Edges, edges, descriptorBytes * entry, 0, 0, 0, 0,
         /*byDescriptor=*/true);
    repeat(trips, [&](int64_t trip, bool isInLoop) {
      int64_t buffer = trip % 2, stride = isInLoop ? fiberBytes() : 0;
      loadBlock(destinations, trip, block, buffer, stride);
      loadBlock(sources, trip, source, 1 - buffer, stride);
      int64_t width = isInLoop ? n2 : std::min(n2, features - trip * n2);
      SddmmOp::create(builder, loc, number(0), number(width), number(buffer),
                      flag(true), BuffersAttr());
    });
    addActivations(op.getActivationsAttr(), outputBuffer, /*onEdges=*/true);
    storeEntry(entry);
  });
}

void TileBuilder::addVectorAdd(VectorAddOp op) {
  FlatSymbolRefAttr lhs = regionOf(op.getLhs()), rhs = regionOf(op.getRhs());
  forTiles(op.getOutputFeatures(), [&](int64_t fiber, int64_t block) {
    loadBlock(lhs, fiber, block, 0);
    loadBlock(rhs, fiber, block, 1);
    VaddOp::create(builder, loc, number(n1), number(n2), number(0), UnitAttr(),
                   BuffersAttr());
    addActivations(op.getActivationsAttr(), outputBuffer, /*onEdges=*/false);
    storeBlock(fiber, block);
  });
}

void TileBuilder::addOnEdges(ActivationOp op) {
  FlatSymbolRefAttr edges = regionOf(op.getInput());
  forEntries([&](int64_t, int64_t, int64_t entry) {
    load(overlay::Space::Edges, edges, descriptorBytes * entry, 0, 0, 0, 0,
         /*byDescriptor=*/true);
    addActivations(op.getActivations(), 0, /*onEdges=*/true);
    storeEntry(entry);
  });
}

void TileBuilder::addActivation(ActivationOp op) {
  if (getRowSpace(op.getType()) == RowSpace::Edge)
    return addOnEdges(op);
  FlatSymbolRefAttr input = regionOf(op.getInput());
  FlatSymbolRefAttr affine =
      op.getScale() ? regionOf(op.getScale()) : FlatSymbolRefAttr();
  auto first = cast<ActAttr>(*op.getActivations().begin());
  bool divides = first.getKind() == overlay::ActivationKind::Divide;
  forTiles(op.getOutputFeatures(), [&](int64_t fiber, int64_t block) {
    loadBlock(input, fiber, block, 0);
    if (divides) {
      auto column =
          static_cast<int64_t>(first.getParameter().getValueAsDouble());
      loadBlock(input, column / n2, block, 1);
    }
    addActivations(op.getActivations(), 0, /*onEdges=*/false, affine, fiber);
    storeBlock(fiber, block);
  });
}

void TileBuilder::addBatchNorm(BatchNormOp op) {
  FlatSymbolRefAttr input = regionOf(op.getInput());
  FlatSymbolRefAttr affine = regionOf(op.getScale());
  auto act = ActAttr::get(op.getContext(), overlay::ActivationKind::Affine,
                          FloatAttr());
  forTiles(op.getOutputFeatures(), [&](int64_t fiber, int64_t block) {
    loadBlock(input, fiber, block, 0);
    addActivations(builder.getArrayAttr({act}), 0, /*onEdges=*/false, affine,
                   fiber);
    storeBlock(fiber, block);
  });
}

LogicalResult TileBuilder::checkLayer(LayerOpInterface op, int64_t layer) {
  constexpr int64_t maxLayers = 255, maxFeatures = 65535; // as csi has room for
  if (layer > maxLayers)
    return op->emitOpError("expected at most ")
           << maxLayers << " layers of a program";
  for (int64_t features : {op.getInputFeatures(), op.getOutputFeatures()})
    if (features > maxFeatures)
      return op->emitOpError("expected at most ")
             << maxFeatures << " features, got " << features;
  return success();
}

LogicalResult TileBuilder::addLayer(LayerOpInterface op, int64_t layer) {
  if (failed(checkLayer(op, layer)))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  loc = op.getLoc();
  output = regionOf(op->getResult(0));
  builder.setInsertionPointToEnd(&program.getBody().front());
  AggregationAttr aggregation;
  if (op.getAggregationKind() != Aggregation::None)
    aggregation = AggregationAttr::get(context, op.getAggregationKind());
  ActivationKindAttr activation;
  if (ArrayAttr acts = op.getFusedActivations())
    activation = ActivationKindAttr::get(
        context, cast<ActAttr>(acts.getValue().back()).getKind());
  bool normalized = op.getLayerType() == LayerType::BatchNorm;
  auto block = LayerBlockOp::create(
      builder, loc, LayerTypeAttr::get(context, op.getLayerType()), layer,
      op.getInputFeatures(), op.getOutputFeatures(), aggregation, activation,
      normalized, /*name=*/StringAttr());
  builder.createBlock(&block.getBody());
  if (auto aggregate = dyn_cast<AggregateOp>(*op))
    addAggregate(aggregate);
  else if (auto linear = dyn_cast<LinearOp>(*op))
    addLinear(linear);
  else if (auto inner = dyn_cast<VectorInnerOp>(*op))
    addVectorInner(inner);
  else if (auto add = dyn_cast<VectorAddOp>(*op))
    addVectorAdd(add);
  else if (auto act = dyn_cast<ActivationOp>(*op))
    addActivation(act);
  else
    addBatchNorm(cast<BatchNormOp>(*op));
  return success();
}
