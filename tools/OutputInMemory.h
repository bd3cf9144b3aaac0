//===- OutputInMemory.h - What the drivers of MLIR write --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TOOLS_OUTPUTINMEMORY_H
#define GNN_TOOLS_OUTPUTINMEMORY_H

#include "ToolMain.h"

#include "GNN/OptionFiles/OptionFiles.h"

#include <csignal>
#include <fcntl.h>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gnn::tools {

/// Puts a file in memory in place of the value of -o, which it gives. Empty
/// where there is no such option.
inline std::string replaceOutput(std::vector<std::string> &arguments,
                                 const std::string &replacement) {
  std::string output;
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef option = arguments[i];
    if (!option.consume_front("--o"))
      if (!option.consume_front("-o"))
        continue;
    if (option.empty() && i + 1 < arguments.size())
      output = std::exchange(arguments[++i], replacement);
    else if (option.consume_front("=")) {
      output = option.str();
      arguments[i] = "-o=" + replacement;
    }
  }
  return output;
}

/// The error for a named pipe or a device among the inputs, which a driver of
/// MLIR would wait for or read for ever.
inline runtime::Error checkInputs(const std::vector<std::string> &arguments) {
  for (const std::string &argument : arguments) {
    struct stat status;
    if (argument.empty() || argument[0] == '-')
      continue;
    if (runtime::Error error = runtime::refuseNamedPipe(argument))
      return error;
    if (::stat(argument.c_str(), &status) != 0 || !S_ISCHR(status.st_mode))
      continue;
    int file = ::open(argument.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC);
    bool isTerminal = file >= 0 && ::isatty(file);
    if (file >= 0)
      ::close(file);
    if (isTerminal)
      continue;
    if (auto text = runtime::readFile(argument); !text)
      return text.takeError();
  }
  return {};
}

/// Runs a driver of MLIR, which empties the file of -o before it begins: it
/// writes to memory, and the file is written where it succeeds. The status of
/// the process.
inline int
runInMemory(const char *tool, int argc, char **argv,
            const std::function<bool(int argc, char **argv)> &driver) {
  std::vector<std::string> arguments(argv, argv + argc);
  std::signal(SIGXFSZ, SIG_IGN); // A limit of files is an error of writing.
  int memory = memfd_create(tool, MFD_CLOEXEC);
  std::string inMemory = "/proc/self/fd/" + std::to_string(memory);
  std::string output;
  if (memory >= 0)
    output = replaceOutput(arguments, inMemory);
  if (runtime::Error error =
          checkInputs({arguments.begin() + 1, arguments.end()}))
    return fail(tool, error.message());
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  bool succeeded = driver(argc, pointers.data());
  if (!succeeded || output.empty())
    return !succeeded;
  auto text = runtime::readFile(inMemory);
  runtime::Error error = text ? writeOutput(output, *text) : text.takeError();
  return error ? fail(tool, error.message()) : 0;
}

} // namespace gnn::tools

#endif // GNN_TOOLS_OUTPUTINMEMORY_H
