//===- Arguments.h - Arguments and results of programs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TOOLS_GNN_OVERLAY_SIM_ARGUMENTS_H
#define GNN_TOOLS_GNN_OVERLAY_SIM_ARGUMENTS_H

#include "GNN/OptionFiles/Inputs.h"
#include "GNN/Overlay/Memory.h"

#include <map>
#include <string>
#include <vector>

namespace gnn::overlaysim {

/// Arguments with the bytes that they are of.
struct LoadedArguments {
  std::vector<std::string> bytes;
  std::map<std::string, overlay::Argument> arguments;
};

/// The arguments of a program, which may have more than it reads.
runtime::Expected<LoadedArguments>
loadArguments(const overlay::Program &program,
              const overlay::Partition &partition,
              const runtime::GraphFile &file, const run::InputOptions &options);

/// The outputs of a program that ran: edges in the order of the graph.
runtime::Expected<run::Results>
readOutputs(const overlay::Program &program, const overlay::Memory &memory,
            const overlay::Partition &partition,
            std::vector<runtime::TensorInfo> &infos);

/// Writes outputs to a file .npz, or as run::save does; prints a line about
/// each.
runtime::Error saveOutputs(const std::vector<runtime::TensorInfo> &infos,
                           const std::vector<std::string> &outputs,
                           const std::string &path);

} // namespace gnn::overlaysim

#endif // GNN_TOOLS_GNN_OVERLAY_SIM_ARGUMENTS_H
