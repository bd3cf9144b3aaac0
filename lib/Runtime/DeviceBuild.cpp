//===- DeviceBuild.cpp - Structures that kernels build --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBuild.h"

#include "GraphBuild.h"

#include <algorithm>

using namespace gnn::runtime;
using gnn::RowEnd;
using gnn::RowKind;

//===----------------------------------------------------------------------===//
// Needs of functions
//===----------------------------------------------------------------------===//

/// The orders that kernels sort rows in.
static bool isSorted(OrderedSpace rows) {
  switch (rows.order) {
  case Order::Natural:
  case Order::InRows:
  case Order::OutRows:
  case Order::SrcPairs:
  case Order::DstPairs:
  case Order::ByNode:
  case Order::ByType:
    return true;
  default:
    return false;
  }
}

/// Whether kernels walk these rows.
static bool isWalked(Space space) {
  RowKind kind = kindOf(space);
  return !isOfParent(space) && space != Space::Node &&
         (kind == RowKind::Edge || kind == RowKind::Pair ||
          kind == RowKind::Node);
}

/// Whether kernels build it. The others are left to who else builds: orders by
/// node types of edges and pairs, other maps of orders by degrees than to the
/// natural ones, edge types by a schema, merged rows, and what leads to the
/// parent of a derived graph.
static bool isBuilt(const StructureKey &key, bool isDerived) {
  if (key.isMerged())
    return false;
  // The edges of a derived graph are not numbered anew.
  OrderedSpace edges{Space::Edge, Order::Natural};
  bool isMap = key.kind == StructureKey::Kind::Map;
  if (key.kind == StructureKey::Kind::Stream)
    return !isByDegree(key.elements.order) &&
           isBuilt(StructureKey::map(key.elements, key.target), isDerived) &&
           isBuilt(StructureKey::rows(key.group, key.elements), isDerived);
  if (isDerived && isMap && (key.elements == edges || key.target == edges))
    return false;
  if (isMap && isByDegree(key.elements.order))
    return isWalked(key.elements.space) &&
           key.target == OrderedSpace{key.elements.space, Order::Natural};
  if (isMap) {
    Space to = key.target.space;
    if (isOfParent(to))
      return isDerived && isSorted(key.elements) &&
             key.target.order == Order::Natural &&
             (to == Space::ParentEdge
                  ? key.elements.space == Space::Edge
                  : to == Space::ParentLoop &&
                        key.elements ==
                            OrderedSpace{Space::Dst, Order::Natural});
    bool leads = isWalked(to) || to == Space::EdgeType ||
                 to == Space::SrcNodeType || to == Space::DstNodeType;
    return isWalked(key.elements.space) && leads && isSorted(key.elements) &&
           isSorted(key.target);
  }
  if (key.group == Space::Graph)
    return isWalked(key.elements.space);
  return isWalked(key.elements.space) && isSorted(key.elements);
}

static bool isBuilt(const CountKey &key, bool isDerived) {
  if (key.kind == CountKey::Kind::Count)
    return !isOfParent(key.space) ||
           (isDerived &&
            (key.space == Space::ParentEdge || key.space == Space::ParentLoop));
  auto groups = key.isOfBlocks()
                    ? StructureKey::rows(key.space, key.elements)
                    : StructureKey::tiles(key.space, key.elements, key.tile);
  return key.kind != CountKey::Kind::MaxRow &&
         key.kind != CountKey::Kind::MergedCount && isBuilt(groups, isDerived);
}

static void addSorts(OrderedSpace rows, DeviceSorts &sorts) {
  bool isOfDst = endOf(rows.space) == RowEnd::Dst;
  auto add = [&](DeviceSort src, DeviceSort dst, bool ofDst) {
    sorts.insert(ofDst ? dst : src);
  };
  if (kindOf(rows.space) == RowKind::Pair)
    add(DeviceSort::SrcPairs, DeviceSort::DstPairs, isOfDst);
  switch (rows.order) {
  case Order::InRows:
  case Order::OutRows:
    add(DeviceSort::Src, DeviceSort::Dst, rows.order == Order::InRows);
    break;
  case Order::SrcPairs:
  case Order::DstPairs:
    add(DeviceSort::SrcPairs, DeviceSort::DstPairs,
        rows.order == Order::DstPairs);
    break;
  case Order::ByNode:
    add(DeviceSort::SrcByNode, DeviceSort::DstByNode, isOfDst);
    break;
  case Order::ByType:
    add(DeviceSort::SrcTypes, DeviceSort::DstTypes, isOfDst);
    break;
  case Order::ByDegree:
  case Order::DegreeWindows:
    if (kindOf(rows.space) == RowKind::Node)
      add(DeviceSort::Src, DeviceSort::Dst, isOfDst);
    break;
  default:
    break;
  }
}

/// In ascending order, each once.
template <typename Key> static void makeSet(std::vector<Key> &keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

Expected<std::shared_ptr<const DeviceBuilder>>
DeviceBuilder::create(std::map<std::string, Needs> graphs,
                      const Package &kernels, std::shared_ptr<Device> device) {
  using Result = Expected<std::shared_ptr<const DeviceBuilder>>;
  auto builder = std::make_shared<DeviceBuilder>();
  builder->spare.reserve(4); // About as many as are under way at once.
  builder->graphs = std::move(graphs);
  for (auto &[name, needs] : builder->graphs) {
    makeSet(needs.structures);
    makeSet(needs.counts);
    bool isDerived = !needs.parent.empty();
    if (isDerived) {
      auto parent = builder->graphs.find(needs.parent);
      if (parent == builder->graphs.end() || !parent->second.parent.empty())
        return failure("graph '", name,
                       "': expected a graph to derive it from, "
                       "got '",
                       needs.parent, "'");
      parent->second.hasDerived = true;
      const Derivation &made = needs.derivation;
      if (made.types ||
          (made.loops ? *made.loops == SelfLoops::Remaining : made.shards == 0))
        return Result(nullptr);
    }
    if (needs.dstSorted && isDerived)
      return failure("graph '", name,
                     "': dst_sorted: expected a graph that is not derived");
    if (!needs.schema.empty() && isDerived)
      return Result(nullptr);
    bool areShards = needs.derivation.shards != 0;
    bool hasLoops = needs.derivation.loops.has_value();
    for (const StructureKey &key : needs.structures) {
      if (!isBuilt(key, hasLoops) ||
          (areShards && key.target.space == Space::EdgeType))
        return Result(nullptr);
      addSorts(key.elements, needs.sorts);
      addSorts(key.target, needs.sorts);
      addSorts({key.group, Order::Natural}, needs.sorts);
    }
    for (const CountKey &key : needs.counts) {
      if (!isBuilt(key, hasLoops))
        return Result(nullptr);
      addSorts(key.elements, needs.sorts);
      addSorts({key.space, Order::Natural}, needs.sorts);
    }
  }
  static const BuildKernel wanted[] = {
      BuildKernel::Keys,    BuildKernel::Digits, BuildKernel::Places,
      BuildKernel::Scatter, BuildKernel::Sums,   BuildKernel::Scan,
      BuildKernel::Search,  BuildKernel::Starts, BuildKernel::Move,
      BuildKernel::Tiles,   BuildKernel::Groups, BuildKernel::Shares,
      BuildKernel::Schema,  BuildKernel::Degrees};
  auto found = BuildKernels::find(kernels, std::move(device),
                                  {wanted, std::size(wanted)});
  if (!found)
    return found.takeError();
  builder->kernels = std::move(*found);
  return Result(std::move(builder));
}

bool DeviceBuilder::covers(const DeviceBuilder &other) const {
  auto includes = [](const auto &all, const auto &some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  return kernels.sharedDevice() == other.kernels.sharedDevice() &&
         std::all_of(other.graphs.begin(), other.graphs.end(), [&](auto &one) {
           auto own = graphs.find(one.first);
           return own != graphs.end() &&
                  own->second.parent == one.second.parent &&
                  own->second.derivation.key() == one.second.derivation.key() &&
                  (one.second.schema.empty() ||
                   own->second.schema == one.second.schema) &&
                  includes(own->second.structures, one.second.structures) &&
                  includes(own->second.counts, one.second.counts) &&
                  own->second.sorts.includes(one.second.sorts);
         });
}

std::unique_ptr<KernelLaunches> DeviceBuilder::takeLaunches() const {
  std::lock_guard<std::mutex> lock(mutex);
  if (spare.empty())
    return std::make_unique<KernelLaunches>();
  std::unique_ptr<KernelLaunches> launches = std::move(spare.back());
  spare.pop_back();
  return launches;
}

void DeviceBuilder::giveBack(std::unique_ptr<KernelLaunches> launches) const {
  launches->clear();
  std::lock_guard<std::mutex> lock(mutex);
  if (spare.size() < spare.capacity()) // It takes no memory.
    spare.push_back(std::move(launches));
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

DeviceBuild::DeviceBuild(std::shared_ptr<const DeviceBuilder> builder)
    : builder(std::move(builder)), planned(this->builder->takeLaunches()) {}

static const char *describe(GraphBuild::Problem problem) {
  switch (problem) {
  case GraphBuild::Problem::Order:
    return "expected edges sorted by destination, got another order";
  case GraphBuild::Problem::Schema:
    return "expected edges that obey the declared schema, got others";
  case GraphBuild::Problem::Loops:
    return "expected one self loop at each node, got more or fewer";
  default:
    return "expected ids below the numbers of nodes and types, got others";
  }
}

DeviceBuild::~DeviceBuild() { builder->giveBack(std::move(planned)); }

Error DeviceBuild::layOut(const std::map<std::string, DeviceEdges> &given) {
  int64_t counting = 0, orders = 0;
  bool isNarrow = true;
  graphs.reserve(builder->graphs.size());
  for (const auto &[name, needs] : builder->graphs) {
    const std::string &own = needs.parent.empty() ? name : needs.parent;
    auto found = given.find(own);
    if (found == given.end())
      return failure("expected a graph '", own, "', got none of that name");
    DeviceEdges edges = found->second;
    edges.derivation = needs.derivation;
    auto types = static_cast<int64_t>(needs.schema.size());
    if (types && types != edges.numEdgeTypes)
      return failure("graph '", name, "': expected ", types,
                     " edge types, as the schema has, got ",
                     edges.numEdgeTypes);
    graphs.push_back(
        std::make_unique<GraphBuild>(needs, edges, sort, counting, host));
    isNarrow &= graphs.back()->isNarrow();
    orders += graphs.back()->mostOrdered();
  }
  isNarrow &= RadixSort::isNarrow(orders);
  scratch = isNarrow && sort.isNarrow() ? sort.words() + counting : -1;
  return {};
}

/// Reads the numbers of all graphs. Whether one of them is wrong.
bool DeviceBuild::findProblem() {
  using Problem = GraphBuild::Problem;
  Problem gravest = Problem::None;
  auto graph = graphs.begin();
  for (const auto &[name, needs] : builder->graphs) {
    Problem found = (*graph++)->readNumbers();
    if (found <= gravest)
      continue;
    gravest = found;
    wrong = "graph '" + name + "': " + describe(found);
  }
  return gravest != Problem::None;
}

Expected<bool> DeviceBuild::count(void *memory, void *numbers, Stream stream) {
  auto *words = static_cast<int32_t *>(memory);
  const BuildKernels &kernels = builder->kernels;
  for (const auto &graph : graphs) {
    planned->beginGroup();
    graph->writeKeys(sort, words, *planned);
  }
  if (Error error = planned->run(kernels, nullptr, stream))
    return error;
  if (Error error = sort.run(kernels, words, stream))
    return error;
  for (const auto &graph : graphs) {
    planned->beginGroup();
    graph->count(sort.sorted(words), sort.order(words), words + sort.words(),
                 static_cast<int32_t *>(numbers), *planned);
    if (Error error = graph->copySchema(kernels.device(), stream))
      return error;
  }
  if (Error error = planned->run(kernels, nullptr, stream))
    return error;
  if (Error error = kernels.device().synchronize(stream))
    return error;
  if (findProblem())
    return false;
  for (const auto &graph : graphs)
    graph->addOrders(orders);
  size = orders.place(size);
  for (const auto &graph : graphs) {
    planned->beginGroup();
    graph->plan(size, *planned);
    graph->planOrders(size, *planned, orders);
  }
  return true;
}

Error DeviceBuild::fill(void *memory, Stream stream) {
  if (Error error = planned->run(builder->kernels, memory, stream))
    return error;
  if (Error error = orders.run(builder->kernels, memory, stream))
    return error;
  auto graph = graphs.begin();
  for (const auto &[name, needs] : builder->graphs)
    made[name] = (*graph++)->finish(static_cast<const char *>(memory));
  return {};
}

Error DeviceBuild::setSorted(const std::string &name) {
  auto found = made.find(name);
  if (found == made.end() || !builder->graphs.at(name).parent.empty())
    return failure("expected a graph that is built and not derived, got '",
                   name, "'");
  found->second.dstSorted = true;
  return {};
}
