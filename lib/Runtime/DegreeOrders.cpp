//===- DegreeOrders.cpp - Rows by degree on a device ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DegreeOrders.h"

#include "GraphBuild.h"

using namespace gnn::runtime;

int64_t DegreeOrders::place(int64_t bytes) {
  auto take = [&](const RadixSort &sort) {
    int64_t begin = bytes;
    bytes += alignTo(kWord * sort.words(), kTensorAlignment);
    return begin;
  };
  degreesBegin = take(degrees);
  windowsBegin = take(windows);
  return bytes;
}

Error DegreeOrders::run(const BuildKernels &kernels, void *memory,
                        Stream stream) {
  auto wordsAt = [&](int64_t begin) {
    return reinterpret_cast<int32_t *>(static_cast<char *>(memory) + begin);
  };
  if (degrees.size() == 0)
    return {};
  if (Error error = degrees.run(kernels, wordsAt(degreesBegin), stream))
    return error;
  if (windows.size() == 0)
    return {};
  if (Error error = afterDegrees.run(kernels, memory, stream))
    return error;
  if (Error error = windows.run(kernels, wordsAt(windowsBegin), stream))
    return error;
  return afterWindows.run(kernels, memory, stream);
}

//===----------------------------------------------------------------------===//
// Degrees of one graph
//===----------------------------------------------------------------------===//

int64_t GraphBuild::mostOrdered() const {
  int64_t most = 0;
  for (const StructureKey &key : needs.structures)
    if (listsByDegree(key))
      most += std::max(rows, nodes(gnn::endOf(key.elements.space))) +
              DegreeOrders::alignment;
  return most;
}

void GraphBuild::addOrders(DegreeOrders &orders) {
  for (const StructureKey &key : needs.structures) {
    if (!listsByDegree(key))
      continue;
    Space space = key.elements.space;
    int64_t count = size(space);
    auto found =
        std::find_if(ordered.begin(), ordered.end(), [&](const Ordered &other) {
          return other.space == space;
        });
    if (found == ordered.end())
      found = ordered.insert(ordered.end(),
                             {space, orders.degrees.add(count, 0, rows), {}});
    if (key.elements.order == Order::DegreeWindows)
      found->windows = orders.windows.add(
          count, 0, std::max<int64_t>(0, count - 1) / degreeWindow);
  }
}

void GraphBuild::planOrders(int64_t &size, KernelLaunches &given,
                            DegreeOrders &orders) {
  auto read = [](const KernelArray &array) {
    Ref ref;
    ref.array = array;
    ref.step = 1;
    return ref;
  };
  bytes = size;
  for (const Ordered &one : ordered) {
    OrderedSpace natural{one.space, Order::Natural};
    auto keyOf = [&](Order order) {
      return StructureKey::map({one.space, order}, natural);
    };
    int64_t count = this->size(one.space);
    launches = &given;
    Ref pointers = array(
        StructureKey::rows(one.space, *elementsOf(one.space, Space::Edge)));
    given.add(BuildKernel::Degrees, count,
              {pointers.array, orders.degreeKeys(one.degrees, count)},
              {count, rows});
    Ref byDegree = read(orders.byDegree(one.degrees, count));
    arrays.push_back({Planned::wordOf(keyOf(Order::ByDegree)), 0, byDegree});
    if (!one.windows)
      continue;
    launches = &orders.afterDegrees;
    move(read(orders.windowKeys(*one.windows, count)), count, {byDegree},
         kDivided, degreeWindow);
    launches = &orders.afterWindows;
    move(add(keyOf(Order::DegreeWindows), count), count,
         {read(orders.byWindow(*one.windows, count)), byDegree});
  }
  size = bytes;
  launches = nullptr;
}
