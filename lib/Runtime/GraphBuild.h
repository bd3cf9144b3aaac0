//===- GraphBuild.h - Structures of one graph by kernels --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_GRAPHBUILD_H
#define GNN_LIB_RUNTIME_GRAPHBUILD_H

#include "DeviceBuild.h"

#include <optional>

namespace gnn::runtime {

/// The way from a row to a number: the row itself where the step is 0.
struct RowRef {
  KernelArray array;
  int64_t step = 0;
  int64_t less = 0;
};

/// The structures of one graph. First its rows of keys are laid out, then they
/// are written, then counted, and then the structures are planned.
class GraphBuild {
public:
  /// Adds its keys to those of `sort`. `scratch` and `host` are its first words
  /// of memory on the device and the host, which are moved behind.
  GraphBuild(const DeviceBuilder::Needs &needs, const DeviceEdges &edges,
             RadixSort &sort, int64_t &scratch, int64_t &host);

  /// Whether the keys of each sort have 32 bits.
  bool isNarrow() const { return narrow; }

  void writeKeys(const RadixSort &sort, int32_t *memory,
                 KernelLaunches &launches) const;

  /// Counts, given sorted keys and for each which one of its segment it was.
  void count(const int32_t *keys, const int32_t *order, int32_t *scratch,
             int32_t *numbers, KernelLaunches &launches);

  /// The faults of a graph, the gravest last: where ids are wrong, nothing else
  /// is known.
  enum class Problem { None, Order, Schema, Loops, Ids };

  /// Takes the numbers that have come. Where something is wrong, nothing may
  /// follow.
  Problem readNumbers();

  /// Plans all structures in memory from `bytes` on, which moves behind them.
  void plan(int64_t &bytes, KernelLaunches &launches);

  /// The most rows that it may have to list by degree.
  int64_t mostOrdered() const;

  /// Adds the keys of rows by degree, once it is known how many there are.
  void addOrders(DegreeOrders &orders);

  /// Plans these orders, once structures are planned.
  void planOrders(int64_t &bytes, KernelLaunches &launches,
                  DegreeOrders &orders);

  /// Copies the schema that edges are checked for, behind `count`.
  Error copySchema(Device &device, Stream stream) const;

  /// The graph with what was planned, once its memory is known.
  BuiltGraph finish(const char *memory);

private:
  using Ref = RowRef;
  /// The operations of `move` on what it has read.
  enum { kAsItIs, kTimes, kDivided, kRest };
  /// One after the other; all are 0 where there is nothing to read.
  struct Chain {
    std::array<Ref, 3> refs;
    size_t size = 0;
    bool isZero;

    Chain(std::initializer_list<Ref> given = {}, bool isZero = false)
        : isZero(isZero) {
      for (const Ref &ref : given)
        add(ref);
    }

    void add(const Ref &ref) { refs[size++] = ref; }
  };

  /// A structure that is planned, by what is quick to compare: the device waits
  /// meanwhile.
  struct Planned {
    uint64_t word;
    int64_t tile;
    Ref ref;

    static uint64_t wordOf(const StructureKey &key) {
      uint64_t word = static_cast<uint64_t>(key.kind);
      for (auto part : {static_cast<uint64_t>(key.elements.space),
                        static_cast<uint64_t>(key.elements.order),
                        static_cast<uint64_t>(key.target.space),
                        static_cast<uint64_t>(key.target.order),
                        static_cast<uint64_t>(key.group)})
        word = word << 8 | part;
      return word;
    }
  };

  /// The rows of one sort.
  struct Batch {
    int64_t begin = 0, size = 0;
    size_t segment = 0; // In the sort of all.
    /// The least key, and those of removed and refused edges.
    int64_t base = 0, removed = 0, refused = 0;
    bool isNumbered = false;
    /// Groups whose first rows are counted, keys from one to the next, and
    /// where the host gets them.
    int64_t groups = 0, step = 0, report = 0;
    /// These, and the different keys in front of each.
    std::vector<int64_t> rows, numbers;
    /// Different keys in the batches before.
    int64_t numberedBefore = 0;
  };

  /// How `sums` and `scan` count a row.
  enum class Weight {
    Differs,
    Pieces,
    LongPieces,
    LongElements,
    Filled,
    Cut,
    Border,
    Falls ///< of `sums` alone
  };

  /// The first elements of nodes or pairs, which are found before structures
  /// are planned: `words` is where, in scratch memory. How many pairs there are
  /// is not known then: behind them are groups without elements.
  struct ManyRows {
    Space group;
    OrderedSpace elements;
    int64_t words = 0;
  };

  /// Groups that are counted before structures are planned. How many come
  /// before each is `first`, in scratch memory, and how many there are `count`,
  /// where the host gets it (`report`; -1: it does not). Pairs that blocks cut
  /// are counted at borders of blocks.
  struct GroupScan {
    Weight weight;
    Space group;
    OrderedSpace elements;
    int64_t tile = 1; ///< 1 where it is not about tiles or blocks
    int64_t report = -1, partial = 0, first = 0, count = 0;
  };

  /// Rows of a space that are listed by degree, as they lie or in windows too.
  struct Ordered {
    Space space;
    size_t degrees = 0;
    std::optional<size_t> windows = {};
  };

  /// How many groups with elements come before each of few.
  struct Places {
    Space group;
    OrderedSpace elements;
    Ref ref;
  };

  /// Whether it lists rows by degree, which is done behind all others.
  static bool listsByDegree(const StructureKey &key) {
    return key.isMap() && isByDegree(key.elements.order);
  }
  int64_t nodes(RowEnd end) const {
    return end == RowEnd::Dst ? edges.numDstNodes : edges.numSrcNodes;
  }
  DeviceSort canonical(DeviceSort sort) const;
  static DeviceSort sortOf(OrderedSpace rows);
  const Batch &batch(DeviceSort sort) const;
  void addBatch(DeviceSort sort, RadixSort &all, int64_t &host);
  int64_t placeKeys(int64_t values, bool isNumbered);
  void addLoops(int32_t *keys, const Batch &batch, int64_t base, int64_t times,
                KernelLaunches &launches) const;
  int64_t size(Space space) const;
  int64_t lengthOf(const StructureKey &key);
  std::vector<int64_t> hostRows(Space group, OrderedSpace elements) const;
  int64_t count(const CountKey &key);
  int64_t tileCount(const StructureKey &key);
  static Weight weightOf(const CountKey &key);
  static int64_t numBlocks(int64_t elements, int64_t size) {
    return (elements + size - 1) / size;
  }
  /// The groups, or borders of blocks, that a scan counts among.
  int64_t rowsOf(const GroupScan &scan) const {
    return scan.weight == Weight::Border ? numBlocks(rows, scan.tile)
                                         : mostOf(scan.group);
  }
  /// Nodes, or the most pairs that there may be.
  int64_t mostOf(Space group) const {
    return kindOf(group) == RowKind::Pair ? rows : size(group);
  }
  void addScans(int64_t &scratch, int64_t &host);
  void addScan(const GroupScan &scan, int64_t &scratch, int64_t *host);
  static int64_t weigh(const GroupScan &scan, int64_t begin, int64_t end);
  const GroupScan *findScan(Weight weight, Space group, OrderedSpace elements,
                            int64_t tile) const;
  const ManyRows *findRows(Space group, OrderedSpace elements) const;
  void countGroups(KernelLaunches &launches);
  /// The edges that another one follows.
  int64_t followed() const { return rows < 2 ? 0 : rows - 1; }
  void addOrderCheck(int64_t &host);
  void checkOrder(KernelLaunches &launches) const;
  bool isInOrder() const;
  void addSchemaCheck(int64_t &scratch, int64_t &host);
  void checkSchema(KernelLaunches &launches) const;
  bool obeysSchema() const;

  bool isDerived() const { return edges.derivation.loops.has_value(); }
  /// Ranges of nodes that its edge types are; 0: they are the user's.
  int64_t shards() const { return edges.derivation.shards; }
  /// Whether self loops are taken out.
  bool removesLoops() const {
    return isDerived() && *edges.derivation.loops != SelfLoops::Add;
  }
  int64_t newLoops() const {
    return edges.derivation.addsLoops() ? edges.numDstNodes : 0;
  }
  Ref positionsOf(const Batch &batch) const;
  Ref column(Space space);
  Ref given(Space space) const;
  Ref order(OrderedSpace space);
  const Ref *find(const StructureKey &key) const;
  Ref add(const StructureKey &key, int64_t words);
  Ref array(const StructureKey &key);
  Ref firstRows(DeviceSort sort, int64_t groups);
  void addHostRows(const StructureKey &key, std::vector<int32_t> &words);
  void makeStarts(KernelLaunches &launches, const Batch &batch,
                  const KernelArray &out) const;
  Ref take(int64_t words);
  static Ref slice(Ref ref, int64_t begin, int64_t words) {
    ref.array.begin += kWord * begin;
    ref.array.bytes = kWord * words;
    return ref;
  }
  void addStep(Space from, Space to, Chain &chain);
  void makeMap(const StructureKey &key, const Ref &out);
  void makeRows(const StructureKey &key, const Ref &out);
  void makeTileRows(const StructureKey &key, const Ref &out);
  void makeTiles(const StructureKey &key, const Ref &out);
  Ref rowsOf(const StructureKey &key);
  Ref placesOf(const StructureKey &key);
  Ref give(const std::vector<int64_t> &values, std::vector<int32_t> &words);
  void give(const StructureKey &key, const std::vector<int64_t> &values,
            std::vector<int32_t> &words);
  void addHostLists(const StructureKey &key, const std::vector<int64_t> &rows,
                    std::vector<int32_t> &words);
  void listGroups(int64_t kind, int64_t count, const StructureKey &key,
                  const KernelArray &first, const Ref &out);
  void makeStream(const StructureKey &key, const Ref &out);
  void makeFilled(const StructureKey &key, const Ref &out);
  void makeShares(const StructureKey &key, const Ref &out);
  void makeCutRows(const StructureKey &key, const Ref &out);
  Chain chainOf(OrderedSpace from, OrderedSpace to);
  void move(const Ref &out, int64_t rows, const Chain &chain, int64_t how = 0,
            int64_t by = 0, const Ref &place = {}, int64_t plus = 0);
  void search(KernelLaunches &launches, const Batch &batch, int64_t first,
              int64_t step, int64_t groups, std::optional<KernelArray> at,
              std::optional<KernelArray> number) const;
  void scan(KernelLaunches &launches, KernelArray values, int64_t count,
            Weight weight, int64_t tile, KernelArray partial, KernelArray out,
            std::optional<KernelArray> total);
  KernelArray inScratch(int64_t word, int64_t words) const;
  KernelArray onHost(int64_t word, int64_t words) const;

  const DeviceBuilder::Needs &needs;
  DeviceEdges edges;
  /// In the order of sorts.
  std::vector<std::pair<DeviceSort, Batch>> batches;
  /// The keys of the numbered sort that was laid out last, from the first on to
  /// behind the last.
  int64_t firstKey = 0, lastKey = 0;
  bool narrow = true;
  std::vector<ManyRows> manyRows;
  std::vector<GroupScan> scans;
  /// Where the host gets, of a graph that is checked for the order of its
  /// edges, how many of each block of edges go to a node before that of the
  /// edge in front, and how many blocks there are.
  struct {
    int64_t report = 0, blocks = 0;
  } orderCheck;
  /// Where, of a graph that is checked for a schema, that lies and a 0 and the
  /// edges that do not obey it as 1; where the host gets how often these change
  /// in each block, and how many blocks there are.
  struct {
    int64_t table = 0, edges = 0, report = 0, blocks = 0;
  } schemaCheck;
  /// The edges and types that the caller gave, and the rows of sorts of edges:
  /// these and new loops behind them. In sorts there is no other number of an
  /// edge.
  int64_t givenEdges = 0, givenTypes = 0, rows = 0;
  /// Rows of numbered sorts, which begin at `begin`.
  int64_t begin = 0, numbered = 0;
  /// Places in scratch memory: numbers of rows, and sums over blocks.
  int64_t sums = 0, partial = 0;
  const int32_t *sorted = nullptr;
  const int32_t *positions = nullptr;
  int32_t *scratchMemory = nullptr;
  int32_t *hostMemory = nullptr;
  /// Those of pieces of few groups, once they were added up.
  std::vector<std::pair<CountKey, int64_t>> counts;
  std::vector<Planned> arrays;
  std::vector<std::pair<DeviceSort, Ref>> firsts;
  std::vector<std::pair<Space, Ref>> columns;
  std::vector<Places> places;
  std::vector<Ordered> ordered;
  int64_t bytes = 0;
  KernelLaunches *launches = nullptr;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_GRAPHBUILD_H
