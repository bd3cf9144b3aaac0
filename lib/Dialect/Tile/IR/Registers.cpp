//===- Registers.cpp - Registers of a block's threads ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where ptxas is told a bound for threads, it no longer sees to it that a block
// can be launched.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Registers.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

int64_t gnn::tile::countGiven(int64_t registers) {
  return llvm::alignTo(registers, givenTogether);
}

/// By a quarter more, nine of ten kernels spill nothing that they would not
/// without a bound.
int64_t gnn::tile::boundFor(int64_t estimate) {
  return std::clamp(countGiven(estimate + estimate / 4), fewestRegisters,
                    mostRegisters);
}

RegisterFields::RegisterFields(Attribute schedule) {
  if (auto traversal = dyn_cast_if_present<TraverseScheduleAttr>(schedule))
    *this = RegisterFields(traversal.getFields());
  if (auto product = dyn_cast_if_present<GemmScheduleAttr>(schedule)) {
    ProductSchedule fields(product);
    processorBlocks = fields.processorBlocks;
    maxRegisters = fields.maxRegisters;
  }
}

BlockRegisters::BlockRegisters(int64_t registers, const RegisterFields &fields,
                               const TargetLimits &limits, int64_t threads)
    : mostOfThread(mostRegisters), mostOfBlock(limits.registers) {
  if (fields.maxRegisters)
    mostOfThread = fields.maxRegisters;
  if (int64_t resident = fields.processorBlocks * threads;
      resident && limits.registers)
    mostOfThread = std::min(mostOfThread,
                            std::max<int64_t>(limits.registers / resident, 1));
  int64_t used =
      fields.areOpen() ? registers : std::min(registers, mostOfThread);
  ofBlock = countGiven(used) * threads;
}

std::string gnn::tile::explainRefusal(const RegisterFields &fields,
                                      const TargetLimits &limits,
                                      int64_t threads) {
  auto refuse = [](StringRef field, const Twine &because) {
    return ("cannot honour the schedule's '" + field +
            "': a multiprocessor has at most " + because)
        .str();
  };
  int64_t blocks = fields.processorBlocks;
  if (limits.processorBlocks && blocks > limits.processorBlocks)
    return refuse("processor_blocks", Twine(limits.processorBlocks) +
                                          " blocks at work, got " +
                                          Twine(blocks));
  if (limits.processorThreads && blocks * threads > limits.processorThreads)
    return refuse("processor_blocks",
                  Twine(limits.processorThreads) + " threads at work, got " +
                      Twine(blocks) + " blocks of " + Twine(threads));
  int64_t resident = threads * std::max<int64_t>(blocks, 1);
  if (limits.registers &&
      resident * countGiven(fields.maxRegisters) > limits.registers)
    return refuse("max_registers",
                  Twine(limits.registers) + " registers, " +
                      Twine(limits.registers / resident) + " for each of the " +
                      Twine(resident) + " threads of " +
                      (blocks > 1 ? Twine(blocks) + " blocks" : "a block") +
                      ", got " + Twine(fields.maxRegisters));
  return "";
}
