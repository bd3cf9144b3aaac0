//===- TimedElement.cpp - A processing element in time --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimedElement.h"

#include "Support.h"

using namespace gnn::overlay;

EdgesInBuffer TimedProgram::edgesAt(uint64_t descriptor) const {
  uint64_t address = descriptor * gnn::overlay::descriptorBytes;
  for (const Region &region : program.regions) {
    if (region.kind != RegionKind::Edges || address < region.address)
      continue;
    uint64_t place = (address - region.address) / gnn::overlay::descriptorBytes;
    uint64_t entry = region.firstRow + place;
    if (place < region.rows && entry < partition.entries().size())
      return {partition.entries()[entry].count, entry};
  }
  return {};
}

void TimedElement::begin(const LayerBlock &layer, const Tile &next,
                         LayerReport &layerReport, ElementCycles &ofElement,
                         uint64_t now) {
  const Program &program = shared.program;
  tile = &next;
  csi = program.instructions[layer.csi].as<Csi>();
  report = &layerReport;
  cycles = &ofElement;
  began = ready = now;
  at = next.begin;
  trip = 0;
  lastEdges = 0;
  edges[0] = edges[1] = tileEdges = {};
  isFirstProduct = true;
  taken = full = 0;
  parametersAsked = parametersThere = 0;
  ++cycles->tiles;
  // An init of weights comes before the load that says how many there are.
  for (size_t i = next.begin; i < next.end; ++i) {
    const Load *load = program.instructions[i].as<Load>();
    if (!load || load->space != uint64_t(gnn::overlay::Space::Edges))
      continue;
    tileEdges = load->byDescriptor
                    ? shared.edgesAt(load->address)
                    : EdgesInBuffer{load->count, EdgesInBuffer::noEntry};
    break;
  }
  uint64_t fetched = (next.end - next.begin) * shared.options.fetchBytes;
  report->bytes.instructions += fetched;
  if (fetched) {
    Request fetch;
    fetch.bytes = fetched;
    fetch.isFetch = true;
    request(fetch);
  }
  skipEmptyLoop();
}

bool TimedElement::advance(uint64_t now) {
  bool any = false, again = true;
  while (again && tile) {
    again = finishTransfer(now);
    again |= arrive(now);
    again |= finishComputation(now);
    again |= startComputation(now);
    again |= issue(now);
    again |= startTransfer(now);
    again |= endTile(now);
    any |= again;
  }
  return any;
}

uint64_t TimedElement::wake() const {
  uint64_t next = Channel::never;
  if (isBusy)
    next = std::min(next, busyUntil);
  if (!arrivals.empty())
    next = std::min(next, arrivals.front().time);
  if (isJoined)
    next = std::min(next, joinedEnd);
  // A decoder that is ready and does nothing waits for something else.
  if (hasInstruction() && !isStopped)
    next = std::min(next, ready);
  return next;
}

void TimedElement::complete(const Request &request, uint64_t time) {
  // In the order of requests, whatever each waits for.
  if (!arrivals.empty())
    time = std::max(time, arrivals.back().time);
  arrivals.push_back({time, request});
}

bool TimedElement::startTransfer(uint64_t now) {
  if (isTransferring || requests.empty())
    return false;
  const Request &next = requests.front();
  bool isIdeal = shared.options.memory == MemoryModel::Ideal;
  if (isIdeal || next.bytes == 0) {
    complete(next, now);
    requests.pop_front();
    return true;
  }
  isTransferring = true;
  if (!joinTransfer())
    channel->start(user, next.bytes, now);
  return true;
}

bool TimedElement::joinTransfer() {
  const Request &next = requests.front();
  if (!next.address)
    return false;
  auto [others, isFirst] = multicast->try_emplace(*next.address);
  if (isFirst)
    return false;
  others->second.push_back(this);
  isJoined = true;
  joinedEnd = Channel::never;
  report->bytes.features -= next.bytes;
  return true;
}

void TimedElement::endMulticast(const Request &request, uint64_t now) {
  if (!request.address)
    return;
  auto others = multicast->find(*request.address);
  for (TimedElement *other : others->second)
    other->joinedEnd = now;
  multicast->erase(others);
}

bool TimedElement::finishTransfer(uint64_t now) {
  if (!isTransferring)
    return false;
  if (isJoined ? joinedEnd > now : !channel->finish(user, now))
    return false;
  if (!isJoined)
    endMulticast(requests.front(), now);
  isTransferring = isJoined = false;
  // Nothing waits for instructions: only their bytes are modelled.
  if (!requests.front().isFetch)
    complete(requests.front(), now + shared.options.latency);
  requests.pop_front();
  return true;
}

bool TimedElement::arrive(uint64_t now) {
  if (arrivals.empty() || arrivals.front().time > now)
    return false;
  const Request &done = arrivals.front().request;
  full |= done.fills;
  full &= ~done.empties;
  taken &= ~done.empties;
  loadsOnTheirWay -= done.isLoad;
  parametersThere += done.isParameter;
  arrivals.pop_front();
  isStopped = false;
  return true;
}

bool TimedElement::finishComputation(uint64_t now) {
  if (!isBusy || busyUntil > now)
    return false;
  isBusy = false;
  full |= running.use.fills;
  full &= ~running.unlocks;
  taken &= ~running.unlocks;
  isStopped = false;
  return true;
}

bool TimedElement::startComputation(uint64_t now) {
  if (isBusy || queue.empty())
    return false;
  const Computation &next = queue.front();
  if ((next.use.reads & ~full) || (next.use.fills & taken) ||
      next.parameters > parametersThere)
    return false;
  running = next;
  queue.pop_front();
  isStopped = false;
  Cost &cost = running.cost;
  uint64_t changes = 0;
  if (cost.mode != Mode::None) {
    if (mode != Mode::None && mode != cost.mode)
      changes = shared.options.modeChange;
    mode = cost.mode;
  }
  isBusy = true;
  taken |= running.use.fills;
  busyUntil = now + changes + cost.cycles;
  cycles->busy += changes + cost.cycles;
  report->kernels.modeChanges += changes;
  report->kernels.fill += cost.fill;
  report->kernels.*cost.kernel += cost.cycles - cost.fill;
  return true;
}

void TimedElement::step() {
  ++at;
  if (tile->hasLoop() && at == tile->loopEnd) {
    if (++trip < tile->trips)
      at = tile->loopBegin;
    else
      trip = 0;
  }
  skipEmptyLoop();
}

void TimedElement::skipEmptyLoop() {
  if (tile->hasLoop() && at == tile->loopBegin && tile->trips == 0)
    at = tile->loopEnd;
}

bool TimedElement::issue(uint64_t now) {
  if (!hasInstruction() || ready > now)
    return false;
  const Instruction &instruction = shared.program.instructions[at];
  bool isIssued = false;
  if (const Load *load = instruction.as<Load>())
    isIssued = issueLoad(instruction, *load, now);
  else if (const Store *store = instruction.as<Store>())
    isIssued = issueStore(instruction, *store);
  else
    isIssued = issueComputation(instruction);
  isStopped = !isIssued;
  if (!isIssued)
    return false;
  ready = now + shared.options.issue;
  step();
  return true;
}

/// The first row that a load of features reads.
uint64_t TimedElement::addressOf(const Instruction &instruction,
                                 const Load &load) const {
  uint64_t steps = trip;
  const EdgesInBuffer &named = edges[bufferAt(instruction, trip) & 1];
  if (load.byDescriptor && named.entry < shared.partition.entries().size())
    steps = shared.partition.entries()[named.entry].block;
  return load.address + load.stride * steps;
}

bool TimedElement::issueLoad(const Instruction &instruction, const Load &load,
                             uint64_t now) {
  if (!shared.options.overlap && isComputing())
    return false;
  BufferSet fills = usesOf(instruction, trip, lastEdges).fills;
  if (instruction.lock && (taken & fills)) {
    stoppedAt = stoppedAt ? stoppedAt : now + 1;
    return false;
  }
  if (stoppedAt)
    cycles->locked += now + 1 - stoppedAt;
  stoppedAt = 0;
  Request made;
  made.isLoad = true;
  if (instruction.lock) {
    made.fills = fills;
    taken |= fills;
  }
  if (load.space == uint64_t(gnn::overlay::Space::Edges)) {
    lastEdges = bufferAt(instruction, trip) & 1;
    edges[lastEdges] = load.byDescriptor
                           ? shared.edgesAt(load.address + trip)
                           : EdgesInBuffer{load.count, EdgesInBuffer::noEntry};
    uint64_t named = load.byDescriptor ? shared.options.descriptorBytes : 0;
    made.bytes = edges[lastEdges].count * edgeBytes;
    report->bytes.edges += made.bytes;
    report->bytes.descriptors += named;
    made.bytes += named;
  } else {
    made.bytes = load.count * addressUnit;
    bool isOfAll = shared.options.multicast && made.bytes &&
                   load.space == uint64_t(gnn::overlay::Space::Features) &&
                   csi->type == uint64_t(LayerType::Aggregate);
    if (isOfAll)
      made.address = addressOf(instruction, load);
    (load.space == uint64_t(gnn::overlay::Space::Weights)
         ? report->bytes.weights
         : report->bytes.features) += made.bytes;
  }
  ++loadsOnTheirWay;
  request(made);
  return true;
}

bool TimedElement::issueStore(const Instruction &instruction,
                              const Store &store) {
  if (isComputing() || (!shared.options.overlap && loadsOnTheirWay))
    return false;
  BufferUse use = usesOf(instruction, trip, lastEdges);
  if (use.reads & ~full)
    return false;
  Request made;
  made.empties = use.reads & buffersOfBits(instruction.unlock);
  if (store.space == uint64_t(gnn::overlay::Space::Edges)) {
    uint64_t count = store.byDescriptor || !store.count ? edges[lastEdges].count
                                                        : store.count;
    uint64_t named = store.byDescriptor ? shared.options.descriptorBytes : 0;
    made.bytes = count * edgeBytes;
    report->bytes.storedEdges += made.bytes;
    report->bytes.descriptors += named;
    made.bytes += named;
  } else {
    made.bytes = store.count * addressUnit;
    report->bytes.storedFeatures += made.bytes;
  }
  request(made);
  return true;
}

/// Bytes of rows of the memory that an instruction reads besides.
static uint64_t parameterBytes(const Instruction &instruction, uint64_t n1) {
  if (const Init *init = instruction.as<Init>())
    return init->value == uint64_t(InitValue::Bias) ? biasBytes(*init, n1) : 0;
  if (const Act *act = instruction.as<Act>())
    return act->kind == uint64_t(ActivationKind::Affine) ? 2 * addressUnit : 0;
  return 0;
}

bool TimedElement::issueComputation(const Instruction &instruction) {
  if (!shared.options.overlap && loadsOnTheirWay)
    return false;
  if (queue.size() >= std::max<uint64_t>(shared.options.queue, 1))
    return false;
  Computation next;
  next.use = usesOf(instruction, trip, lastEdges);
  next.unlocks =
      (next.use.reads | next.use.fills) & buffersOfBits(instruction.unlock);
  uint64_t buffer = bufferAt(instruction, trip);
  bool isOfOwnBuffer = instruction.as<Spdmm>() ||
                       (instruction.as<Act>() && buffer != outputBuffer);
  const EdgesInBuffer &ofEdges = instruction.as<Init>() ? tileEdges
                                 : isOfOwnBuffer        ? edges[buffer & 1]
                                                        : edges[lastEdges];
  next.cost = shared.costs.of(instruction, *csi, trip, ofEdges, isFirstProduct);
  if (instruction.as<Gemm>())
    isFirstProduct = false;
  if (uint64_t bytes = parameterBytes(instruction, shared.program.n1)) {
    Request made;
    made.bytes = bytes;
    made.isParameter = true;
    report->bytes.parameters += bytes;
    ++parametersAsked;
    request(made);
  }
  next.parameters = parametersAsked;
  queue.push_back(next);
  return true;
}

bool TimedElement::endTile(uint64_t now) {
  if (hasInstruction() || isComputing() || !requests.empty() ||
      !arrivals.empty())
    return false;
  cycles->waiting += now - began;
  tile = nullptr;
  return true;
}
