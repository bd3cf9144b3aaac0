//===- Windows.cpp - What tiles reach of regions --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

void gnn::overlay::include(Windows &windows, const Windows &others) {
  for (auto [region, other] : others) {
    auto [it, isNew] = windows.insert({region, other});
    if (isNew)
      continue;
    Window &window = it->second;
    window.row = std::min(window.row, other.row);
    window.endRow = std::max(window.endRow, other.endRow);
    window.fiber = std::min(window.fiber, other.fiber);
    window.endFiber = std::max(window.endFiber, other.endFiber);
    window.isWritten |= other.isWritten;
  }
}

bool gnn::overlay::isSame(const Windows &windows, StringAttr region,
                          const Window &window) {
  auto found = windows.find(region);
  if (found == windows.end())
    return false;
  const Window &other = found->second;
  return window.row == other.row && window.endRow == other.endRow &&
         window.fiber == other.fiber && window.endFiber == other.endFiber;
}

Geometry::Geometry(ProgramOp program)
    : partition(program.getPartition()),
      subfiberBytes(4 * partition.getN1() * partition.getN2()),
      fiberBytes(subfiberBytes * partition.getBlocks()) {
  shape.n1 = partition.getN1();
  shape.n2 = partition.getN2();
  for (auto region : program.getBody().getOps<RegionOp>())
    regions[region.getSymNameAttr()] = region;
  entries = edges = {0};
  for (int64_t shard = 0; shard < partition.getBlocks(); ++shard) {
    entries.push_back(entries.back() + partition.getNumEntries(shard));
    edges.push_back(edges.back() + partition.getShardEdges()[shard]);
  }
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

bool Geometry::isOfEdges(StringAttr region) const {
  return RegionOp(regions.lookup(region)).getKind().getValue() ==
         overlay::RegionKind::Edges;
}

int64_t Geometry::shardOf(int64_t entry) const {
  return llvm::upper_bound(entries, entry) - entries.begin() - 1;
}

WindowExtents Geometry::extentsOf(RegionOp region, const Window &window) const {
  ArrayRef<int64_t> all = region.getExtents();
  switch (region.getKind().getValue()) {
  case overlay::RegionKind::Features: {
    int64_t n1 = partition.getN1(), n2 = partition.getN2();
    return {std::min(window.endRow * n1, all[0]) - window.row * n1,
            std::min(window.endFiber * n2, all[1]) - window.fiber * n2,
            window.row * n1, window.fiber * n2};
  }
  case overlay::RegionKind::Edges: // whole shards
    if (window.row == window.endRow)
      return {0, 0, window.row, 0};
    return {window.endRow - window.row,
            edges[shardOf(window.endRow - 1) + 1] - edges[shardOf(window.row)],
            window.row, 0};
  default:
    return {all[0], all[1], 0, 0};
  }
}

uint64_t Geometry::bytesOf(StringAttr name, const Window &window) const {
  RegionOp region = regions.lookup(name);
  WindowExtents extents = extentsOf(region, window);
  return regionBytes(region.getKind().getValue(), extents.rows, extents.columns,
                     shape);
}

uint64_t Geometry::bytesOf(const Windows &windows) const {
  uint64_t bytes = 0;
  for (auto [region, window] : windows)
    bytes += bytesOf(region, window);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Window Geometry::at(FlatSymbolRefAttr region, int64_t offset) const {
  Window window;
  switch (RegionOp(regions.lookup(region.getAttr())).getKind().getValue()) {
  case overlay::RegionKind::Features:
    window.fiber = offset / fiberBytes;
    window.row = offset % fiberBytes / subfiberBytes;
    break;
  case overlay::RegionKind::Edges:
    window.row = offset / descriptorBytes;
    break;
  default:
    break;
  }
  window.endRow = window.row + 1;
  window.endFiber = window.fiber + 1;
  return window;
}

FailureOr<GridPlace> Geometry::placeOf(TilingBlockOp tile) const {
  for (auto store : tile.getBody().getOps<StoreOp>()) {
    if (store.getSpace().getValue() == overlay::Space::Edges &&
        !store.getByDescriptor())
      return store.emitOpError("expected edges by descriptor");
    Window window = at(store.getRegionAttr(), store.getOffset());
    if (store.getSpace().getValue() == overlay::Space::Edges)
      return GridPlace{0, shardOf(window.row)};
    return GridPlace{window.fiber, window.row};
  }
  return emitError(tile.getLoc(), "expected a tile that stores its result");
}

FailureOr<Windows> Geometry::windowsOf(TilingBlockOp tile) const {
  Windows windows;
  int64_t trips = 1;
  auto add = [&](FlatSymbolRefAttr region, Window window) {
    // Whole shards; a loop of none has none.
    if (isOfEdges(region.getAttr()) && window.row < window.endRow) {
      window.row = entries[shardOf(window.row)];
      window.endRow = entries[shardOf(window.endRow - 1) + 1];
    }
    Windows one;
    one.insert({region.getAttr(), window});
    include(windows, one);
  };
  WalkResult result = tile.walk([&](Operation *op) {
    if (auto init = dyn_cast<InitOp>(op)) {
      trips = init.getTrips();
      if (init.getRegionAttr())
        add(init.getRegionAttr(), at(init.getRegionAttr(), init.getOffset()));
    } else if (auto act = dyn_cast<ActOp>(op); act && act.getRegionAttr()) {
      add(act.getRegionAttr(), at(act.getRegionAttr(), act.getOffset()));
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      Window window = at(store.getRegionAttr(), store.getOffset());
      window.isWritten = true;
      add(store.getRegionAttr(), window);
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      Window window = at(load.getRegionAttr(), load.getOffset());
      int64_t steps = isa<LoopOp>(op->getParentOp()) ? trips : 1;
      bool ofEdges = load.getSpace().getValue() == overlay::Space::Edges;
      if (ofEdges && load.getByDescriptor()) {
        window.endRow = window.row + steps;
      } else if (load.getByDescriptor()) { // any block of sources
        window.row = 0;
        window.endRow = partition.getBlocks();
      } else if (load.getSpace().getValue() == overlay::Space::Features &&
                 steps > 1 && load.getStride()) {
        if (load.getStride() != static_cast<uint64_t>(fiberBytes)) {
          load.emitOpError("expected a stride of a fiber, ")
              << fiberBytes << " bytes, got " << load.getStride();
          return WalkResult::interrupt();
        }
        window.endFiber = window.fiber + steps;
      } else if (ofEdges) {
        load.emitOpError("expected edges by descriptor");
        return WalkResult::interrupt();
      }
      add(load.getRegionAttr(), window);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return windows;
}

void Geometry::moveInto(TilingBlockOp tile, const Windows &windows) const {
  auto offsetIn = [&](FlatSymbolRefAttr region, int64_t offset) -> int64_t {
    Window place = at(region, offset);
    const Window &window = windows.find(region.getAttr())->second;
    switch (RegionOp(regions.lookup(region.getAttr())).getKind().getValue()) {
    case overlay::RegionKind::Features:
      return (place.fiber - window.fiber) * subfiberBytes *
                 (window.endRow - window.row) +
             (place.row - window.row) * subfiberBytes;
    case overlay::RegionKind::Edges:
      return (place.row - window.row) * descriptorBytes;
    default:
      return offset;
    }
  };
  tile.walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      store.setOffset(offsetIn(store.getRegionAttr(), store.getOffset()));
      return;
    }
    auto load = dyn_cast<LoadOp>(op);
    if (!load)
      return;
    load.setOffset(offsetIn(load.getRegionAttr(), load.getOffset()));
    // By descriptor a stride is a block, otherwise a fiber.
    if (load.getSpace().getValue() == overlay::Space::Features &&
        !load.getByDescriptor() && load.getStride()) {
      const Window &window =
          windows.find(load.getRegionAttr().getAttr())->second;
      load.setStride(subfiberBytes * (window.endRow - window.row));
    }
  });
}
