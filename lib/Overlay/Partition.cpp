//===- Partition.cpp - Edges sorted into subshards ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Partition.h"

#include "Guarded.h"
#include "Parallel.h"
#include "Support.h"
#include "Tiles.h"

#include "GNN/Runtime/Seconds.h"

using namespace gnn::overlay;
using namespace gnn::runtime;

namespace {
/// Divides ids under 2^31 by a number under 2^31 by a product.
class BlockOf {
public:
  explicit BlockOf(uint64_t n1) {
    unsigned bits = 0;
    while (uint64_t(1) << bits < n1)
      ++bits;
    shift = 31 + bits;
    // Rounded up by less than n1 <= 2^bits in all, hence exact below 2^31.
    factor = divideUp(uint64_t(1) << shift, n1);
  }

  uint64_t operator()(int32_t id) const {
    return uint64_t(static_cast<uint32_t>(id)) * factor >> shift;
  }

private:
  uint64_t factor;
  unsigned shift;
};

/// Most bytes of the counts of all parts together.
constexpr uint64_t maxCountBytes = uint64_t(1) << 30;
} // namespace

Error Partition::checkSizes(uint64_t vertices, uint64_t n1,
                            const Parameters &parameters) {
  if (n1 == 0 || n1 > parameters.featureRows)
    return failure("expected N1 from 1 to ", parameters.featureRows, ", got ",
                   n1);
  if (parameters.edges == 0)
    return failure("expected an edge buffer of at least one edge");
  if (vertices > INT32_MAX)
    return failure("expected at most ", INT32_MAX, " vertices, got ", vertices);
  uint64_t blocks = divideUp(vertices, n1);
  if (blocks > maxCountBytes / sizeof(uint64_t) / std::max<uint64_t>(blocks, 1))
    return failure("expected subshards whose counts take at most ",
                   maxCountBytes, " bytes, got ", blocks, " x ", blocks);
  return {};
}

void Partition::makeEntries(const std::vector<uint64_t> &counts,
                            uint64_t maxEdges, bool skipEmpty) {
  uint64_t blocks = divideUp(numVertices, rows), first = 0;
  shards.assign(1, 0);
  for (uint64_t shard = 0; shard < blocks; ++shard) {
    for (uint64_t block = 0; block < blocks; ++block) {
      uint64_t left = counts[shard * blocks + block];
      if (left == 0 && !skipEmpty)
        table.push_back({first, 0, static_cast<uint32_t>(block)});
      while (left) {
        uint64_t taken = std::min(left, maxEdges);
        table.push_back({first, static_cast<uint32_t>(taken),
                         static_cast<uint32_t>(block)});
        first += taken;
        left -= taken;
      }
    }
    shards.push_back(table.size());
  }
}

Expected<Partition> Partition::create(std::shared_ptr<const Graph> graph,
                                      uint64_t n1, const Parameters &parameters,
                                      const PartitionOptions &options) {
  return guarded("partition", [&]() -> Expected<Partition> {
    if (!graph->isSquare())
      return failure("expected a graph whose edges join one set of nodes, got "
                     "a bipartite one");
    Partition made;
    made.numVertices = static_cast<uint64_t>(graph->numNodes(GraphSide::Src));
    made.numEdges = static_cast<uint64_t>(graph->numEdges());
    made.rows = n1;
    if (Error error = checkSizes(made.numVertices, n1, parameters))
      return error;
    const int32_t *src = graph->edgeEnds(GraphSide::Src).data();
    const int32_t *dst = graph->edgeEnds(GraphSide::Dst).data();
    uint64_t blocks = divideUp(made.numVertices, n1);
    uint64_t shardsByBlocks = blocks * blocks;
    BlockOf blockOf(n1);
    auto start = std::chrono::steady_clock::now();
    // Each part has counts of its own, which become its places.
    auto parts = static_cast<unsigned>(std::max<uint64_t>(
        std::min<uint64_t>(partsOf(made.numEdges),
                           maxCountBytes / sizeof(uint64_t) /
                               std::max<uint64_t>(shardsByBlocks, 1)),
        1));
    std::vector<std::vector<uint64_t>> places(parts);
    forParts(made.numEdges, parts,
             [&](unsigned part, size_t begin, size_t end) {
               std::vector<uint64_t> counts(shardsByBlocks);
               for (size_t edge = begin; edge < end; ++edge)
                 ++counts[blockOf(dst[edge]) * blocks + blockOf(src[edge])];
               places[part] = std::move(counts);
             });
    std::vector<uint64_t> counts(shardsByBlocks);
    uint64_t next = 0;
    for (uint64_t subshard = 0; subshard < shardsByBlocks; ++subshard)
      for (std::vector<uint64_t> &part : places) {
        uint64_t count = part[subshard];
        counts[subshard] += count;
        part[subshard] = next;
        next += count;
      }
    made.makeEntries(counts, parameters.edges, options.skipEmpty);
    made.seconds.count = secondsSince(start);
    start = std::chrono::steady_clock::now();
    made.places.resize(made.numEdges);
    forParts(made.numEdges, parts,
             [&](unsigned part, size_t begin, size_t end) {
               uint64_t *at = places[part].data();
               int32_t *order = made.places.data();
               for (size_t edge = begin; edge < end; ++edge)
                 order[at[blockOf(dst[edge]) * blocks + blockOf(src[edge])]++] =
                     static_cast<int32_t>(edge);
             });
    made.seconds.place = secondsSince(start);
    made.graph = std::move(graph);
    return made;
  });
}

void Partition::dropEmpty() {
  std::vector<Entry> kept;
  std::vector<uint64_t> begins{0};
  for (uint64_t shard = 0; shard < blocks(); ++shard) {
    for (uint64_t entry = shards[shard]; entry < shards[shard + 1]; ++entry)
      if (table[entry].count)
        kept.push_back(table[entry]);
    begins.push_back(kept.size());
  }
  table = std::move(kept);
  shards = std::move(begins);
}

Expected<Partition> Partition::forProgram(std::shared_ptr<const Graph> graph,
                                          const Program &program) {
  auto made = create(std::move(graph), program.n1, program.parameters);
  if (!made)
    return made;
  for (const Region &region : program.regions)
    if (region.kind == RegionKind::Edges &&
        region.rows < made->entries().size()) {
      made->dropEmpty();
      break;
    }
  if (Error error = made->checkProgram(program))
    return error;
  return made;
}

Expected<Partition> Partition::ofCounts(uint64_t vertices, uint64_t n1,
                                        const std::vector<uint64_t> &counts,
                                        const Parameters &parameters,
                                        const PartitionOptions &options) {
  return guarded("partition", [&]() -> Expected<Partition> {
    Partition made;
    made.numVertices = vertices;
    made.rows = n1;
    if (Error error = checkSizes(vertices, n1, parameters))
      return error;
    uint64_t blocks = divideUp(vertices, n1);
    if (counts.size() != blocks * blocks)
      return failure("expected counts of ", blocks, " x ", blocks,
                     " subshards, got ", counts.size());
    for (uint64_t count : counts) {
      if (count > INT32_MAX - made.numEdges)
        return failure("expected less than 2^31 edges");
      made.numEdges += count;
    }
    made.makeEntries(counts, parameters.edges, options.skipEmpty);
    return made;
  });
}

uint64_t Partition::shardOf(uint64_t entry) const {
  return static_cast<uint64_t>(
             std::upper_bound(shards.begin(), shards.end(), entry) -
             shards.begin()) -
         1;
}

Edge Partition::edgeAt(uint64_t place) const {
  size_t edge = static_cast<size_t>(places[place]);
  return {static_cast<uint32_t>(graph->edgeEnds(GraphSide::Src)[edge]),
          static_cast<uint32_t>(graph->edgeEnds(GraphSide::Dst)[edge]), 1};
}

void Partition::writeTable(uint64_t edgesAddress, Descriptor *to) const {
  for (size_t i = 0; i < table.size(); ++i)
    to[i] = {edgesAddress + table[i].first * edgeBytes, table[i].count,
             table[i].block};
}

void Partition::writeEdges(const float *weights, Edge *edges) const {
  const int32_t *src = graph->edgeEnds(GraphSide::Src).data();
  const int32_t *dst = graph->edgeEnds(GraphSide::Dst).data();
  forRanges(places.size(), [&](size_t begin, size_t end) {
    for (size_t place = begin; place < end; ++place) {
      auto edge = static_cast<size_t>(places[place]);
      edges[place] = {static_cast<uint32_t>(src[edge]),
                      static_cast<uint32_t>(dst[edge]),
                      weights ? weights[edge] : 1};
    }
  });
}

void Partition::readWeights(const Edge *edges, float *weights) const {
  forRanges(places.size(), [&](size_t begin, size_t end) {
    for (size_t place = begin; place < end; ++place)
      weights[places[place]] = edges[place].weight;
  });
}

Error Partition::checkProgram(const Program &program) const {
  return guarded("partition", [&]() -> Error {
    if (program.vertices != numVertices || numEdges > program.edges)
      return failure("expected a graph of ", program.vertices,
                     " nodes and at most ", program.edges,
                     " edges, which the program was made for, got ",
                     numVertices, " and ", numEdges);
    if (program.n1 != rows)
      return failure("expected blocks of ", program.n1, " rows, got ", rows);
    for (const Region &region : program.regions)
      if (region.kind == RegionKind::Edges && region.rows != table.size())
        return failure("expected ", region.rows,
                       " entries of subshards, which the program was made for, "
                       "got ",
                       table.size(),
                       ": a program for this graph has to be made with it");
    if (Error error = checkEntries(program.parameters))
      return error;
    if (Error error = checkLoops(program))
      return error;
    for (size_t i = 0; i < program.parts.size(); ++i)
      if (Error error = checkPart(program.parts[i]))
        return error.in("part " + std::to_string(i));
    return {};
  });
}

Error Partition::checkEntries(const Parameters &parameters) const {
  for (const Entry &entry : table)
    if (entry.count > parameters.edges)
      return failure("expected entries of at most ", parameters.edges,
                     " edges, as an edge buffer of the program's hardware "
                     "takes, got one of ",
                     entry.count);
  return {};
}

Error Partition::checkPart(const Program &part) const {
  for (const Region &region : part.regions) {
    if (region.kind != RegionKind::Edges)
      continue;
    uint64_t end = region.firstRow + region.rows;
    if (end > table.size())
      return failure("expected ", table.size(), " entries of subshards, got ",
                     end);
    uint64_t edges = 0;
    for (uint64_t entry = region.firstRow; entry < end; ++entry)
      edges += table[entry].count;
    if (edges > region.columns)
      return failure("expected at most ", region.columns, " edges of '",
                     region.name, "', which the program was made for, got ",
                     edges,
                     ": a program for this graph has to be made with it");
  }
  return checkLoops(part);
}

Error Partition::checkLoops(const Program &program) const {
  auto layers = splitTiles(program);
  if (!layers)
    return layers.takeError();
  for (const LayerBlock &layer : *layers)
    for (const Tile &tile : layer.tiles)
      for (size_t at = tile.loopBegin; at < tile.loopEnd; ++at) {
        const Load *load = program.instructions[at].as<Load>();
        if (!load || load->space != uint64_t(gnn::overlay::Space::Edges) ||
            !load->byDescriptor)
          continue;
        if (Error error = checkLoop(program, *load, tile.trips))
          return error.in("instruction " + std::to_string(at));
      }
  return {};
}

Error Partition::checkLoop(const Program &program, const Load &load,
                           uint64_t trips) const {
  uint64_t address = load.address * descriptorBytes;
  for (const Region &region : program.regions) {
    if (region.kind != RegionKind::Edges || address < region.address ||
        address - region.address > region.rows * descriptorBytes)
      continue;
    uint64_t first =
        region.firstRow + (address - region.address) / descriptorBytes;
    auto found = std::lower_bound(shards.begin(), shards.end(), first);
    // Shards without entries begin where the next one does.
    for (; found != shards.end() && *found == first; ++found)
      if (found + 1 != shards.end() && *(found + 1) - *found == trips)
        return {};
  }
  return failure("expected a loop over the entries of a shard, got ", trips,
                 " iterations from address ", address,
                 ": a program for this graph has to be made with it");
}
