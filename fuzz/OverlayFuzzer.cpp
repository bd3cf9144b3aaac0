//===- OverlayFuzzer.cpp - Feeds bytes to the reader of .ga files ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A program that is read writes the same bytes. One that verifies, and is for
// the graph below, is timed and executed, where it is done soon.

#include "GNN/Overlay/Machine.h"
#include "GNN/Overlay/Timing.h"

#include <cstdint>
#include <cstdlib>

using namespace gnn::overlay;

static constexpr int64_t maxBytes = 1 << 20;
static constexpr uint64_t maxSteps = 1 << 14;

/// 20 vertices and 7 edges, in which a block has a hub and another no edge.
static std::shared_ptr<const gnn::runtime::Graph> graph() {
  static const int32_t src[] = {0, 1, 17, 3, 19, 0, 5};
  static const int32_t dst[] = {1, 1, 2, 18, 18, 18, 19};
  gnn::runtime::GraphArrays arrays;
  arrays.numSrcNodes = 20;
  arrays.numEdges = 7;
  arrays.edgeSrc = src;
  arrays.edgeDst = dst;
  auto made = gnn::runtime::Graph::create(arrays);
  return made ? *made : nullptr;
}

/// Whether buffers, elements and iterations are few.
static bool isSmall(const Program &program) {
  for (const Program &part : program.parts)
    if (!isSmall(part))
      return false;
  if (program.parts.size() > 16)
    return false;
  const Parameters &p = program.parameters;
  if (p.pes > 16 || p.weightRows > 1024 || p.featureRows > 1024 ||
      p.edges > 4096)
    return false;
  uint64_t trips = 0;
  for (const Instruction &instruction : program.instructions)
    if (const Init *init = instruction.as<Init>())
      trips += init->trips;
  return trips < maxSteps / (1 + program.instructions.size());
}

static void run(Program program) {
  auto made = Partition::forProgram(graph(), program);
  if (!made)
    return;
  for (auto network :
       {NetworkModel::Ideal, NetworkModel::Banks, NetworkModel::Network}) {
    TimingOptions options;
    options.network = network;
    auto report = simulate(program, *made, options);
    if (report)
      (void)(report->json().size() + report->text().size());
  }
  auto memory = Memory::create(program, maxBytes);
  if (!memory)
    return;
  std::map<std::string, std::vector<float>> values;
  std::map<std::string, Argument> arguments;
  for (const auto &[name, shape] : argumentShapes(program)) {
    double size = 1;
    for (int64_t extent : shape)
      size *= double(extent);
    if (size > maxBytes / 4)
      return;
    values[name].assign(static_cast<size_t>(size), 1);
    arguments[name] = {values[name], shape};
  }
  if (memory->fill(program, *made, arguments))
    return;
  (void)bool(execute(program, *memory));
  for (const Region &region : program.regions) {
    (void)memory->readFeatures(program, region);
    (void)memory->readWeights(program, region, *made);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  auto program = read(bytes);
  if (!program)
    return 0;
  auto written = write(*program);
  if (!written || *written != bytes)
    std::abort();
  if (verify(*program) || !isSmall(*program))
    return 0;
  run(std::move(*program));
  return 0;
}
