//===- SuperPartition.cpp - Programs for graphs above the memory ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

#include "OverlayForms.h"
#include "Placement.h"
#include "Regions.h"

#include "GNN/Transforms/Overlay/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

namespace gnn {
#define GEN_PASS_DEF_OVERLAYSUPERPARTITION
#include "GNN/Transforms/Overlay/Passes.h.inc"
} // namespace gnn

namespace {
/// Tiles of a layer that run together, and what they reach.
struct PartOfLayer {
  LayerBlockOp layer;
  SmallVector<TilingBlockOp> tiles;
  Windows windows;
};

/// A window while consecutive parts have it.
struct Stay {
  StringAttr region;
  Window window;
  size_t first, last;
  uint64_t bytes;
};

/// The cut of a layer's grid of fibers and blocks of destinations.
struct Cut {
  /// First fibers of ranges, and first blocks, with the ends.
  SmallVector<int64_t> fibers, blocks;
};

/// Cuts one program.
class Cutter {
public:
  /// Parts have `asked` bytes at most; 0: half the memory.
  Cutter(ProgramOp program, uint64_t asked)
      : program(program), geometry(program), asked(asked),
        memory(program.getTarget().getValues().memoryBytes),
        most(asked ? asked : memory / 2) {}

  /// Chooses parts of at most `most` bytes, and where their windows lie.
  /// Failure: an error was printed.
  LogicalResult choose();
  /// Where the windows end.
  uint64_t end() const { return memoryEnd; }
  size_t size() const { return parts.size(); }
  /// Makes the parts.
  void apply();

private:
  LogicalResult addLayer(LayerBlockOp layer);
  bool cutBlocks(Cut &cut, uint64_t limit);
  void balance(Cut &cut);
  std::vector<PartOfLayer> partsOf(LayerBlockOp layer, const Cut &cut) const;
  uint64_t transferOf(ArrayRef<PartOfLayer> order) const;
  LogicalResult readGrid(LayerBlockOp layer);
  FailureOr<Cut> chooseCut(LayerBlockOp layer);
  Windows reach(int64_t fiber, int64_t endFiber, int64_t block,
                int64_t endBlock) const;
  void place();
  void makePart(size_t number);

  ProgramOp program;
  Geometry geometry;
  const uint64_t asked, memory;
  uint64_t most, memoryEnd = 0;
  std::vector<PartOfLayer> parts;
  std::vector<Stay> stays;
  /// Of each part, the stays of its windows.
  std::vector<llvm::MapVector<StringAttr, size_t>> staysOf;
  SmallVector<uint64_t> addresses;

  /// Of the layer at hand: its tiles by [fiber][block], several where edges are
  /// in entries, and what those of a block reach.
  int64_t numFibers = 0, numBlocks = 0;
  std::vector<SmallVector<TilingBlockOp>> grid;
  std::vector<Windows> reached;
  bool isByDestination = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Ranges of a layer
//===----------------------------------------------------------------------===//

Windows Cutter::reach(int64_t fiber, int64_t endFiber, int64_t block,
                      int64_t endBlock) const {
  Windows all;
  for (int64_t i = fiber; i < endFiber; ++i)
    for (int64_t j = block; j < endBlock; ++j)
      include(all, reached[i * numBlocks + j]);
  return all;
}

/// Cuts the blocks where the next one would not fit `limit` with some range of
/// fibers; false: a block does not fit.
bool Cutter::cutBlocks(Cut &cut, uint64_t limit) {
  size_t ranges = cut.fibers.size() - 1;
  std::vector<Windows> open(ranges);
  cut.blocks = {0};
  for (int64_t block = 0; block < numBlocks; ++block) {
    for (bool isFirst : {cut.blocks.back() == block, true}) {
      bool fits = true;
      std::vector<Windows> wider(ranges);
      for (size_t i = 0; i < ranges; ++i) {
        wider[i] = isFirst ? Windows() : open[i];
        include(wider[i],
                reach(cut.fibers[i], cut.fibers[i + 1], block, block + 1));
        fits &= geometry.bytesOf(wider[i]) <= limit;
      }
      if (fits) {
        open = std::move(wider);
        if (isFirst && cut.blocks.back() != block)
          cut.blocks.push_back(block);
        break;
      }
      if (isFirst)
        return false;
    }
  }
  cut.blocks.push_back(numBlocks);
  return true;
}

/// Has as many ranges of blocks with about the least bytes for the largest.
void Cutter::balance(Cut &cut) {
  uint64_t tooFew = 0, enough = most;
  while (enough - tooFew > std::max<uint64_t>(most / 256, 1)) {
    uint64_t limit = tooFew + (enough - tooFew) / 2;
    Cut other{cut.fibers, {}};
    if (cutBlocks(other, limit) && other.blocks.size() <= cut.blocks.size()) {
      enough = limit;
      cut = other;
    } else {
      tooFew = limit;
    }
  }
}

/// The parts of a cut, in the order in which they run.
std::vector<PartOfLayer> Cutter::partsOf(LayerBlockOp layer,
                                         const Cut &cut) const {
  size_t fibers = cut.fibers.size() - 1, blocks = cut.blocks.size() - 1;
  std::vector<PartOfLayer> made;
  for (size_t number = 0; number < fibers * blocks; ++number) {
    size_t i = isByDestination ? number % fibers : number / blocks;
    size_t j = isByDestination ? number / fibers : number % blocks;
    PartOfLayer part{layer, {}, {}};
    for (int64_t fiber = cut.fibers[i]; fiber < cut.fibers[i + 1]; ++fiber)
      for (int64_t block = cut.blocks[j]; block < cut.blocks[j + 1]; ++block) {
        int64_t at = fiber * numBlocks + block;
        llvm::append_range(part.tiles, grid[at]);
        include(part.windows, reached[at]);
      }
    made.push_back(std::move(part));
  }
  return made;
}

/// Bytes between host and memory for parts that run in this order.
uint64_t Cutter::transferOf(ArrayRef<PartOfLayer> order) const {
  uint64_t bytes = 0;
  const Windows *before = nullptr;
  for (const PartOfLayer &part : order) {
    for (auto [region, window] : part.windows)
      if (!before || window.isWritten || !isSame(*before, region, window))
        bytes += geometry.bytesOf(region, window);
    before = &part.windows;
  }
  return bytes;
}

/// Reads the tiles of a layer and what they reach.
LogicalResult Cutter::readGrid(LayerBlockOp layer) {
  numFibers = numBlocks = 0;
  SmallVector<std::pair<GridPlace, TilingBlockOp>> tiles;
  for (auto tile : layer.getBody().getOps<TilingBlockOp>()) {
    FailureOr<GridPlace> place = geometry.placeOf(tile);
    if (failed(place))
      return failure();
    tiles.push_back({*place, tile});
    numFibers = std::max(numFibers, place->fiber + 1);
    numBlocks = std::max(numBlocks, place->block + 1);
  }
  grid.assign(numFibers * numBlocks, {});
  reached.assign(numFibers * numBlocks, {});
  for (auto [place, tile] : tiles) {
    int64_t at = place.fiber * numBlocks + place.block;
    grid[at].push_back(tile);
    FailureOr<Windows> windows = geometry.windowsOf(tile);
    if (failed(windows))
      return failure();
    include(reached[at], *windows);
  }
  // Whether edges or rows are more: the others come again for each range.
  uint64_t edges = 0, rows = 0;
  for (auto [region, window] : reach(0, numFibers, 0, numBlocks))
    if (!window.isWritten)
      (geometry.isOfEdges(region) ? edges : rows) +=
          geometry.bytesOf(region, window);
  isByDestination = edges > rows;
  return success();
}

/// The cut of the layer for which the fewest bytes are sent.
FailureOr<Cut> Cutter::chooseCut(LayerBlockOp layer) {
  Cut best;
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (int64_t ranges = 1; ranges <= numFibers; ++ranges) {
    Cut cut;
    int64_t fibers = llvm::divideCeil(numFibers, ranges);
    for (int64_t fiber = 0; fiber < numFibers; fiber += fibers)
      cut.fibers.push_back(fiber);
    cut.fibers.push_back(numFibers);
    if (!cutBlocks(cut, most))
      continue;
    uint64_t bytes = transferOf(partsOf(layer, cut));
    if (bytes < least) {
      least = bytes;
      best = cut;
    }
  }
  if (!best.fibers.empty()) {
    balance(best);
    return best;
  }
  uint64_t needed = 0;
  for (const Windows &windows : reached)
    needed = std::max(needed, geometry.bytesOf(windows));
  if (most == asked)
    return emitError(program.getLoc(), "expected parts of at least ")
           << needed << " bytes, which a tile of layer " << layer.getLayer()
           << " needs, got " << asked;
  return emitError(program.getLoc(),
                   "expected a memory that holds parts of at least ")
         << needed << " bytes beside each other, which a tile of layer "
         << layer.getLayer() << " needs, got " << memory << " bytes";
}

LogicalResult Cutter::addLayer(LayerBlockOp layer) {
  if (failed(readGrid(layer)))
    return failure();
  if (numFibers == 0) // it has no tile
    return success();
  FailureOr<Cut> cut = chooseCut(layer);
  if (failed(cut))
    return failure();
  llvm::move(partsOf(layer, *cut), std::back_inserter(parts));
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Gives windows addresses. They come while the part before runs, and results
/// go while the next one does.
void Cutter::place() {
  stays.clear();
  staysOf.assign(parts.size(), {});
  for (size_t part = 0; part < parts.size(); ++part)
    for (auto [region, window] : parts[part].windows) {
      if (part > 0 && !window.isWritten &&
          isSame(parts[part - 1].windows, region, window)) {
        size_t stay = staysOf[part - 1].lookup(region);
        stays[stay].last = part;
        staysOf[part][region] = stay;
        continue;
      }
      staysOf[part][region] = stays.size();
      stays.push_back(
          {region, window, part, part, geometry.bytesOf(region, window)});
    }
  SmallVector<Life> lives;
  for (const Stay &stay : stays)
    lives.push_back(
        {stay.bytes, static_cast<int64_t>(stay.first) - 1,
         static_cast<int64_t>(stay.last) + (stay.window.isWritten ? 1 : 0)});
  addresses = placeByLife(lives, 0);
  memoryEnd = 0;
  for (auto [stay, address] : llvm::zip(stays, addresses))
    memoryEnd = std::max(memoryEnd, address + stay.bytes);
}

LogicalResult Cutter::choose() {
  do {
    parts.clear();
    for (auto layer : program.getBody().getOps<LayerBlockOp>())
      if (failed(addLayer(layer)))
        return failure();
    place();
    most -= llvm::divideCeil(most, 8); // should they not lie beside each other
  } while (memoryEnd > memory);
  return success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

void Cutter::makePart(size_t number) {
  PartOfLayer &part = parts[number];
  OpBuilder builder = OpBuilder::atBlockEnd(&program.getBody().front());
  Location loc = part.layer.getLoc();
  auto made = ProgramOp::create(
      builder, loc, builder.getStringAttr(partName(number)),
      program.getGraphAttr(), program.getTarget(), program.getPartition());
  builder.createBlock(&made.getBody());
  for (auto whole : program.getBody().getOps<RegionOp>()) {
    auto found = part.windows.find(whole.getSymNameAttr());
    if (found == part.windows.end())
      continue;
    const Window &window = found->second;
    WindowExtents extents = geometry.extentsOf(whole, window);
    RegionOp::create(
        builder, loc, whole.getSymNameAttr(), whole.getKind(),
        builder.getDenseI64ArrayAttr({extents.rows, extents.columns}),
        RegionRoleAttr::get(builder.getContext(), window.isWritten
                                                      ? RegionRole::Output
                                                      : RegionRole::Input),
        builder.getI64IntegerAttr(static_cast<int64_t>(
            addresses[staysOf[number].lookup(whole.getSymNameAttr())])),
        builder.getDenseI64ArrayAttr({extents.firstRow, extents.firstColumn}),
        StringAttr(), ArrayAttr());
  }
  auto layer = cast<LayerBlockOp>(builder.cloneWithoutRegions(*part.layer));
  Block *body = builder.createBlock(&layer.getBody());
  for (TilingBlockOp tile : part.tiles) {
    tile->moveBefore(body, body->end());
    geometry.moveInto(tile, part.windows);
  }
}

void Cutter::apply() {
  auto layers = llvm::to_vector(program.getBody().getOps<LayerBlockOp>());
  for (size_t number = 0; number < parts.size(); ++number)
    makePart(number);
  for (LayerBlockOp layer : layers)
    layer.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct OverlaySuperPartition
    : gnn::impl::OverlaySuperPartitionBase<OverlaySuperPartition> {
  using OverlaySuperPartitionBase::OverlaySuperPartitionBase;

  void runOnOperation() override {
    if (failed(verifyForm(getOperation(), OverlayForm::Annotated)))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(cut(program)))
        return signalPassFailure();
  }

  LogicalResult cut(ProgramOp program) {
    if (!program.getBody().getOps<ProgramOp>().empty()) {
      refused(getArgument(), program.getLoc())
          << "the program is already cut into parts";
      return success();
    }
    uint64_t memory = program.getTarget().getValues().memoryBytes;
    uint64_t bytes = overlay::memoryEnd(program);
    uint64_t fitting =
        superBytes ? std::min<uint64_t>(superBytes, memory) : memory;
    if (bytes <= fitting) {
      refused(getArgument(), program.getLoc())
          << "regions of " + std::to_string(bytes) + " bytes fit in " +
                 std::to_string(fitting);
      return success();
    }
    if (!program.getPartition().getShardEdges())
      return emitError(program.getLoc(),
                       "expected a graph that is given (graph=FILE, with "
                       "shard-edges where gnn-overlay-partition runs alone): "
                       "parts are cut by the edges of shards, and regions of ")
             << bytes << " bytes do not fit " << fitting;
    Cutter cutter(program, superBytes ? fitting : 0);
    if (failed(cutter.choose()))
      return failure();
    cutter.apply();
    passed(getArgument(), program.getLoc(), "Cut")
        << counted(cutter.size(), "part") + " in " +
               std::to_string(cutter.end()) + " bytes of memory";
    return success();
  }
};
} // namespace
