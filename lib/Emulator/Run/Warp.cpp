//===- Warp.cpp - Joint operations of the lanes of a warp -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffles, ballots, ldmatrix and mma.sync as PTX defines them, where
// gpu-to-nvvm lowers the ops to. They happen when all lanes that they need have
// come.
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <algorithm>
#include <cstring>

using namespace gnn::emulator;
using mlir::gpu::ShuffleMode;

bool Worker::blame(FaultKind kind, uint32_t thread, uint32_t site) {
  fault = Fault();
  fault.kind = kind;
  fault.site = site;
  fault.thread = thread;
  std::copy(blockId, blockId + 3, fault.block);
  return false;
}

bool Worker::blameAbsent(uint32_t thread, uint32_t site, uint32_t other) {
  blame(FaultKind::AbsentThread, thread, site);
  const Lane &absent = lanes[other];
  fault.other = other;
  fault.otherExited = absent.state == Lane::Exited;
  fault.otherSite =
      absent.state == Lane::AtBarrier ? absent.site : absent.request.site;
  return false;
}

uint64_t Worker::shuffle(uint32_t site, uint64_t bits, uint32_t offset,
                         uint32_t width, uint32_t mode) {
  Lane &lane = lanes[thread()];
  Request &request = lane.ask(Request::Shuffle, site);
  if (mode == shuffleInParts) {
    uint32_t inside = width - 1;
    offset = (thread() % warpSize & ~inside) | (offset & inside);
    mode = static_cast<uint32_t>(ShuffleMode::IDX);
    width = warpSize;
  }
  request.bits = bits;
  request.offset = offset;
  request.width = width;
  request.mode = mode;
  yield(lane);
  valid = request.valid;
  return lane.request.bits;
}

uint32_t Worker::ballot(uint32_t site, uint32_t vote) {
  Lane &lane = lanes[thread()];
  lane.ask(Request::Ballot, site).bits = vote;
  yield(lane);
  return lane.request.bits;
}

/// As a ballot that nobody reads.
void Worker::warpBarrier(uint32_t site) {
  Lane &lane = lanes[thread()];
  lane.ask(Request::Ballot, site).bits = 0;
  yield(lane);
  ++lane.warpBarriers;
}

void Worker::loadMatrix(uint32_t site, const char *row, char *result,
                        uint32_t tiles, bool transpose) {
  Lane &lane = lanes[thread()];
  Request &request = lane.ask(Request::LoadMatrix, site);
  request.source = row;
  request.result = result;
  request.shape = tiles;
  request.transpose = transpose;
  yield(lane);
}

void Worker::mma(uint32_t site, const char *operands, char *result,
                 uint32_t k) {
  Lane &lane = lanes[thread()];
  Request &request = lane.ask(Request::Mma, site);
  request.source = operands;
  request.result = result;
  request.shape = k;
  yield(lane);
}

/// Carries out what the warp waits for. `resolved` says whether lanes can run
/// again; false is returned with a fault.
bool Worker::resolve(uint32_t first, uint32_t count, bool &resolved) {
  Lane *warp = lanes.data() + first;
  Lane *waiting = std::find_if(warp, warp + count, [](const Lane &lane) {
    return lane.state == Lane::AtRequest;
  });
  resolved = waiting != warp + count;
  if (!resolved)
    return true;

  const Request request = waiting->request;
  uint32_t thread = waiting - lanes.data();
  bool isShuffle = request.kind == Request::Shuffle;
  uint32_t needed = warpSize;
  if (isShuffle) {
    needed = request.width;
    if (needed < 1 || needed > warpSize) {
      blame(FaultKind::ShuffleWidth, thread, request.site);
      fault.values[0] = static_cast<int32_t>(needed);
      return false;
    }
    // Its lanes are named by the mask that gpu-to-nvvm gives the instruction.
    if (thread - first >= needed) {
      blame(FaultKind::ShuffleInactiveLane, thread, request.site);
      fault.values[0] = thread - first;
      fault.values[1] = needed;
      return false;
    }
  }
  for (uint32_t i = 0; i < std::min(needed, count); ++i) {
    const Lane &lane = warp[i];
    if (lane.state != Lane::AtRequest || lane.request.site != request.site)
      return blameAbsent(thread, request.site, first + i);
    if (isShuffle && lane.request.width != needed) {
      blame(FaultKind::ShuffleWidthDiffers, thread, request.site);
      fault.other = first + i;
      fault.values[0] = needed;
      fault.values[1] = lane.request.width;
      return false;
    }
  }
  if (isShuffle)
    return shuffleWarp(first, count, needed);
  if (count < warpSize) {
    blame(FaultKind::PartialWarp, thread, request.site);
    fault.values[0] = count;
    return false;
  }
  if (request.kind == Request::LoadMatrix)
    return loadMatrixWarp(first);
  if (request.kind == Request::Ballot)
    ballotWarp(first);
  else
    mmaWarp(first);
  return true;
}

void Worker::ballotWarp(uint32_t first) {
  Lane *warp = lanes.data() + first;
  uint32_t votes = 0;
  for (uint32_t i = 0; i < warpSize; ++i)
    votes |= static_cast<uint32_t>(warp[i].request.bits != 0) << i;
  for (uint32_t i = 0; i < warpSize; ++i) {
    warp[i].request.bits = votes;
    warp[i].state = Lane::Ready;
  }
}

/// The lane that `lane` reads from, or none: PTX's shfl with the clamp that
/// gpu-to-nvvm gives it.
static bool shuffleSource(ShuffleMode mode, int lane, int offset, int width,
                          int &source) {
  switch (mode) {
  case ShuffleMode::XOR:
    source = lane ^ (offset & 31);
    break;
  case ShuffleMode::DOWN:
    source = lane + (offset & 31);
    break;
  case ShuffleMode::UP:
    source = lane - (offset & 31);
    break;
  case ShuffleMode::IDX:
    source = offset & 31;
    break;
  }
  return source >= 0 && source < width;
}

bool Worker::shuffleWarp(uint32_t first, uint32_t count, uint32_t width) {
  uint64_t bits[warpSize];
  Lane *warp = lanes.data() + first;
  uint32_t participants = std::min(width, count);
  for (uint32_t i = 0; i < participants; ++i)
    bits[i] = warp[i].request.bits;
  for (uint32_t i = 0; i < participants; ++i) {
    Request &request = warp[i].request;
    int source;
    request.valid = shuffleSource(static_cast<ShuffleMode>(request.mode), i,
                                  request.offset, width, source);
    if (request.valid && source >= static_cast<int>(count)) {
      blame(FaultKind::ShuffleNoLane, first + i, request.site);
      fault.values[0] = source;
      fault.values[1] = count;
      return false;
    }
    if (request.valid)
      request.bits = bits[source];
    warp[i].state = Lane::Ready;
  }
  return true;
}

/// Lane 8t+r points at row r of tile t, 16 bytes; lane 4r+c receives word c of
/// row r of each tile, or, transposed, elements r of rows 2c and 2c+1.
bool Worker::loadMatrixWarp(uint32_t first) {
  Lane *warp = lanes.data() + first;
  uint32_t tiles = warp->request.shape;
  for (uint32_t i = 0; i < 8 * tiles; ++i)
    if (isChecked() && !touch(warp[i].request.site, epoch | (first + i),
                              warp[i].request.source, 16, FaultKind::RaceRead))
      return false;
  for (uint32_t i = 0; i < warpSize; ++i) {
    uint32_t row = i / 4, column = i % 4;
    for (uint32_t tile = 0; tile < tiles; ++tile) {
      char *result = warp[i].request.result + 4 * tile;
      const Lane *rows = warp + 8 * tile;
      if (!warp[i].request.transpose) {
        std::memcpy(result, rows[row].request.source + 4 * column, 4);
        continue;
      }
      for (uint32_t half = 0; half < 2; ++half)
        std::memcpy(result + 2 * half,
                    rows[2 * column + half].request.source + 2 * row, 2);
    }
    warp[i].state = Lane::Ready;
  }
  return true;
}

/// The bits of a float that the tensor core reads: the sign, 8 bits of
/// exponent, 10 of fraction. A NaN stays one, whatever bits carry it.
static double truncateToTF32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  bits &= ~0x1fffu;
  float truncated;
  std::memcpy(&truncated, &bits, 4);
  return value != value ? value : truncated;
}

/// D = A B + C on the fragments of mma.sync.m16n8kK.tf32, K = 4 or 8. With
/// g = lane / 4 and t = lane % 4 a lane holds of A rows g and g+8 at columns t
/// (and t+4), of B rows t (and t+4) at column g, of C rows g and g+8 at columns
/// 2t and 2t+1. Products are exact and rounded once after summing.
template <uint32_t k> static void multiply(Lane *warp) {
  double a[16][k], b[k][8], sums[16][8];
  for (uint32_t i = 0; i < warpSize; ++i) {
    float held[3 * k / 4 + 4];
    std::memcpy(held, warp[i].request.source, sizeof(held));
    uint32_t g = i / 4, t = i % 4, next = 0;
    for (uint32_t column = t; column < k; column += 4)
      for (uint32_t row = g; row < 16; row += 8)
        a[row][column] = truncateToTF32(held[next++]);
    for (uint32_t row = t; row < k; row += 4)
      b[row][g] = truncateToTF32(held[next++]);
    for (uint32_t row = g; row < 16; row += 8)
      for (uint32_t column = 2 * t; column < 2 * t + 2; ++column)
        sums[row][column] = held[next++];
  }
  // Along a row of B, so that the host has vectors of it.
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t step = 0; step < k; ++step)
      for (uint32_t column = 0; column < 8; ++column)
        sums[row][column] += a[row][step] * b[step][column];
  for (uint32_t i = 0; i < warpSize; ++i) {
    float result[4];
    for (uint32_t element = 0; element < 4; ++element)
      result[element] = static_cast<float>(
          sums[i / 4 + 8 * (element / 2)][2 * (i % 4) + element % 2]);
    std::memcpy(warp[i].request.result, result, sizeof(result));
    warp[i].state = Lane::Ready;
  }
}

void Worker::mmaWarp(uint32_t first) {
  Lane *warp = lanes.data() + first;
  warp->request.shape == 4 ? multiply<4>(warp) : multiply<8>(warp);
}
