//===- LaneWindows.cpp - What lanes load for each other -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of a team, or all threads of a block, take the positions of a window in
// turns, side by side. A team is a part of a warp: its lanes wait for each
// other with all of the warp, whose teams go through as many windows.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "LaneForms.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace gnn::tile;

/// Lets those that share a window wait for each other.
void Distribution::waitForWindow(bool ofTeam) {
  if (!ofTeam && lanes.getThreads() > lanesOfWarp()) {
    gpu::BarrierOp::create(b);
    return;
  }
  if (ofTeam && lanes.getTeamLanes() == 1)
    return;
  NVVM::SyncWarpOp::create(b, arith::ConstantIntOp::create(b, -1, 32));
}

void Distribution::stageWindow(StageWindowOp op) {
  auto type = cast<MemRefType>(op.getArrays().front().getType());
  int64_t columns = type.getDimSize(1);
  bool ofTeam = static_cast<bool>(op.getTeam());
  int64_t workers = ofTeam ? lanes.getTeamLanes() : lanes.getThreads();
  int64_t entries = ofTeam ? columns : type.getNumElements();
  Value own = thread;
  if (workers < lanes.getThreads())
    own = arith::AndIOp::create(b, own, b.index(workers - 1));
  Value first = scalar(op.getFirst()), end = scalar(op.getEnd());
  waitForWindow(ofTeam);
  b.where(b.less(first, end), [&] {
    // All loads first; of positions behind the last one that one again.
    Value last = b.sub(end, b.index(1));
    Block &body = op.getBody().front();
    SmallVector<Values> numbers;
    Values offsets;
    for (int64_t begin = 0; begin < entries; begin += workers) {
      offsets.push_back(b.add(own, begin));
      scalars.map(body.getArgument(0),
                  b.min(b.add(first, offsets.back()), last));
      for (Operation &inner : body.without_terminator())
        b.clone(inner, scalars);
      numbers.push_back(
          llvm::map_to_vector(body.getTerminator()->getOperands(),
                              [&](Value value) { return scalar(value); }));
    }
    Value length = b.sub(end, first);
    for (auto [offset, values] : llvm::zip_equal(offsets, numbers))
      b.where(b.less(offset, length), [&, &offset = offset, &values = values] {
        Value row, column = offset;
        if (ofTeam) {
          row = scalar(op.getTeam());
        } else {
          row = arith::DivUIOp::create(b, offset, b.index(columns));
          column = arith::RemUIOp::create(b, offset, b.index(columns));
        }
        for (auto [value, array] : llvm::zip_equal(values, op.getArrays())) {
          if (!op.getAsync()) {
            memref::StoreOp::create(b, value, scalar(array),
                                    ValueRange{row, column});
            continue;
          }
          // The loaded value is copied instead: the load has no other user.
          auto load = value.getDefiningOp<memref::LoadOp>();
          nvgpu::DeviceAsyncCopyOp::create(
              b, nvgpu::DeviceAsyncTokenType::get(b.getContext()),
              scalar(array), ValueRange{row, column}, load.getMemRef(),
              load.getIndices(), b.getIndexAttr(1), /*srcElements=*/Value(),
              /*bypassL1=*/UnitAttr());
        }
      });
  });
  if (op.getAsync()) {
    Value group = nvgpu::DeviceAsyncCreateGroupOp::create(
        b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), ValueRange());
    nvgpu::DeviceAsyncWaitOp::create(b, group, /*numGroups=*/nullptr);
  }
  waitForWindow(ofTeam);
}

//===----------------------------------------------------------------------===//
// Numbers side by side
//===----------------------------------------------------------------------===//

/// Exchanges vectors among as many lanes that are neighbours: lane i gets
/// vector i of each of them, in order. In step n lanes whose numbers differ in
/// bit n exchange the half of their vectors whose numbers do.
void Distribution::transpose(MutableArrayRef<Value> vectors) {
  for (size_t bit = 1; bit < vectors.size(); bit *= 2) {
    Value isUpper = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, thread, b.index(bit)), b.index(0));
    for (size_t i = 0; i < vectors.size(); ++i) {
      if (i & bit)
        continue;
      Value &low = vectors[i], &high = vectors[i | bit];
      Value got = shuffleXor(select(isUpper, low, high), bit);
      low = select(isUpper, got, low);
      high = select(isUpper, high, got);
    }
  }
}

/// Where a team is one lane, neighbours load a vector each of one share after
/// the other.
void Distribution::loadNumbers(LoadNumbersOp op) {
  auto count = static_cast<int64_t>(op.getNumbers().size()),
       each = LoadNumbersOp::together, parts = count / each;
  Value at = scalar(op.getFirst()), buffer = scalar(op.getBuffer());
  auto apart = static_cast<int64_t>(op.getShare().value_or(each));
  if (op.getTeam())
    at = b.add(at, b.mul(scalar(op.getTeam()), apart));
  bool isExchanged = areExchanged(op, lanes);
  if (isExchanged) { // the vector of its own number of the first one's share
    Value own = arith::AndIOp::create(b, thread, b.index(parts - 1));
    at = b.add(b.sub(at, b.mul(own, apart)), b.mul(own, each));
  }
  auto type = VectorType::get({each}, op.getNumbers().front().getType());
  int64_t bytes = each * type.getElementTypeBitWidth() / 8;
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < parts; ++i)
    vectors.push_back(vector::LoadOp::create(
        b, type, buffer, b.add(at, i * (isExchanged ? apart : each)),
        /*nontemporal=*/true, llvm::Align(bytes)));
  if (isExchanged)
    transpose(vectors);
  for (auto [u, number] : llvm::enumerate(op.getNumbers()))
    scalars.map(number,
                vector::ExtractOp::create(b, vectors[u / each],
                                          static_cast<int64_t>(u % each)));
}
