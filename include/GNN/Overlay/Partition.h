//===- Partition.h - Fibers and shards of a graph ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The partitioner (GraphAGILE 6.5): edges sorted into subshards, one for each
// pair of a block of N1 destinations and a block of N1 sources.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OVERLAY_PARTITION_H
#define GNN_OVERLAY_PARTITION_H

#include "GNN/Overlay/Program.h"
#include "GNN/Runtime/Graph.h"

#include <memory>
#include <vector>

namespace gnn::overlay {

/// An entry of the table of descriptors as memory has it, little-endian.
struct Descriptor {
  /// Address of the first edge, in bytes.
  uint64_t address = 0;
  /// Edges, at most N_E.
  uint32_t count = 0;
  /// The block of the sources.
  uint32_t block = 0;
};
static_assert(sizeof(Descriptor) == descriptorBytes);

/// An edge as memory has it: ids of the whole graph.
struct Edge {
  uint32_t src = 0;
  uint32_t dst = 0;
  float weight = 0;
};
static_assert(sizeof(Edge) == edgeBytes);

/// The edges of one subshard, or of a part of one with more than N_E.
struct Entry {
  /// Place of the first edge among all of the graph.
  uint64_t first = 0;
  uint32_t count = 0;
  /// The block of the sources.
  uint32_t block = 0;

  bool operator==(const Entry &other) const {
    return first == other.first && count == other.count && block == other.block;
  }
};

struct PartitionOptions {
  /// Leave out subshards without edges; otherwise each has an entry.
  bool skipEmpty = false;
};

/// Seconds of the parts of the partitioner's work.
struct PartitionTimes {
  double count = 0;
  double place = 0;
};

/// The subshards of a graph. A partition from counts has no edges to place, and
/// only provides results that depend on counts.
class Partition {
public:
  /// Sorts the edges of a square graph, stably, on up to numThreads() threads.
  /// The partition keeps the graph.
  static runtime::Expected<Partition>
  create(std::shared_ptr<const runtime::Graph> graph, uint64_t n1,
         const Parameters &parameters, const PartitionOptions &options = {});

  /// The partition of the graph of a program: with entries for subshards
  /// without edges if the program has them.
  static runtime::Expected<Partition>
  forProgram(std::shared_ptr<const runtime::Graph> graph,
             const Program &program);

  /// The entries of subshards with these numbers of edges: counts[j * blocks +
  /// k] from block k into block j.
  static runtime::Expected<Partition>
  ofCounts(uint64_t vertices, uint64_t n1, const std::vector<uint64_t> &counts,
           const Parameters &parameters, const PartitionOptions &options = {});

  uint64_t vertices() const { return numVertices; }
  uint64_t edges() const { return numEdges; }
  uint64_t n1() const { return rows; }
  uint64_t blocks() const { return shards.size() - 1; }
  bool hasEdges() const { return graph != nullptr; }

  /// Entries, shards in order, in a shard by block of sources.
  const std::vector<Entry> &entries() const { return table; }
  /// The first entry of shard j.
  uint64_t firstEntry(uint64_t shard) const { return shards[shard]; }
  /// The shard of an entry.
  uint64_t shardOf(uint64_t entry) const;

  /// order()[p]: the edge of the graph, in the user's numbering, at place p.
  const runtime::Indices &order() const { return places; }
  /// The edge at place p, of weight 1.
  Edge edgeAt(uint64_t place) const;

  /// Writes the table for edges at an address.
  void writeTable(uint64_t edgesAddress, Descriptor *table) const;
  /// Writes all edges with weights in the user's order; null: all 1.
  void writeEdges(const float *weights, Edge *edges) const;
  /// Reads weights back into the user's order.
  void readWeights(const Edge *edges, float *weights) const;

  /// Whether a program was compiled for this partition: vertices, edges, N1,
  /// entries, and the iterations of its loops over entries, including those of
  /// parts.
  runtime::Error checkProgram(const Program &program) const;

  /// Whether each entry fits an edge buffer of that hardware: it may be made
  /// for other hardware.
  runtime::Error checkEntries(const Parameters &parameters) const;

  /// Whether tables of subshards exist for these numbers of vertices and rows
  /// of a block.
  static runtime::Error checkSizes(uint64_t vertices, uint64_t n1,
                                   const Parameters &parameters);

  const PartitionTimes &times() const { return seconds; }

private:
  void makeEntries(const std::vector<uint64_t> &counts, uint64_t maxEdges,
                   bool skipEmpty);
  void dropEmpty();
  runtime::Error checkPart(const Program &part) const;
  runtime::Error checkLoops(const Program &program) const;
  runtime::Error checkLoop(const Program &program, const Load &load,
                           uint64_t trips) const;

  std::shared_ptr<const runtime::Graph> graph;
  uint64_t numVertices = 0, numEdges = 0, rows = 1;
  std::vector<Entry> table;
  /// [blocks + 1]
  std::vector<uint64_t> shards{0};
  runtime::Indices places;
  PartitionTimes seconds;
};

} // namespace gnn::overlay

#endif // GNN_OVERLAY_PARTITION_H
