//===- CompileOptions.h - How a module is compiled --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_COMPILEOPTIONS_H
#define GNN_TARGET_COMPILEOPTIONS_H

#include "GNN/OptionFiles/OptionFiles.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace gnn {

namespace runtime {
class Graph;
} // namespace runtime

/// A graph that a function will be bound to, by the name of its declaration. An
/// empty name is that of the one declaration there is.
struct NamedGraph {
  std::string name;
  std::shared_ptr<const runtime::Graph> graph;
};

namespace option {
using Text = std::string;
using Flag = bool;
using Number = unsigned;
using Texts = std::vector<std::string>;
} // namespace option

/// How to compile a module: the fields of CompileOptions.def.
struct CompileOptions {
#define GNN_OPTION(kind, field, keyword, initial, tools, value, summary)       \
  option::kind field{initial};
#include "GNN/Target/CompileOptions.def"

  /// Graphs that the module will run on, whose statistics it has already. A
  /// package for them may refuse others.
  std::vector<NamedGraph> graphs;

  /// Sets the option of that keyword. Errors: no such option, and a value that
  /// it cannot have.
  llvm::Error set(llvm::StringRef keyword, llvm::StringRef value);

  /// The keywords of the options that are not as they are by default.
  llvm::SmallVector<llvm::StringRef> listGiven() const;

  /// The files that the options name; `prefix` comes before each keyword.
  std::vector<NamedFile> listFiles(const std::string &prefix) const;
};

/// Options as flags of a tool's command line.
class CompileFlags {
public:
  /// The options that CompileOptions.def gives to a tool, with the values of
  /// `options` as defaults.
  CompileFlags(llvm::cl::OptionCategory &category, llvm::StringRef tool,
               CompileOptions options);
  ~CompileFlags();

  /// The options of the command line.
  const CompileOptions &operator*() const { return options; }
  const CompileOptions *operator->() const { return &options; }
  /// Whether it says something of an option.
  bool isGiven(llvm::StringRef keyword) const;
  /// The keyword of an option that it says something of; empty: of none.
  llvm::StringRef findGiven() const;
  /// An error for a path that is given as an empty text.
  llvm::Error checkPaths() const;

private:
  CompileOptions options;
  std::vector<std::unique_ptr<llvm::cl::Option>> flags;
};

} // namespace gnn

#endif // GNN_TARGET_COMPILEOPTIONS_H
