//===- OptionFiles.h - Files that options name ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OPTIONFILES_OPTIONFILES_H
#define GNN_OPTIONFILES_OPTIONFILES_H

#include "GNN/Runtime/Files.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>

namespace gnn {

/// Reads the file at `path`; "-" is standard input. Errors have the path.
runtime::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInput(llvm::StringRef path, int64_t maxBytes = runtime::physicalMemory());

/// The error of `readInput` where there is nothing that it could begin to read.
runtime::Error checkInput(llvm::StringRef path);

/// Writes the file at `path` as all files are written (`runtime::NewFile`), "-"
/// to standard output; an error has the path.
runtime::Error writeOutput(llvm::StringRef path, llvm::StringRef text);

/// Adds a line to the file at `path`, which it creates where there is none,
/// whole whoever else adds lines, and apart from a last line that is not whole;
/// an error has the path. An empty line adds nothing.
runtime::Error appendLine(const std::string &path, llvm::StringRef line);

/// The same; then the file becomes, as a whole, what `shorten` makes of its
/// text, where it makes something of it. Nobody adds a line in between, and no
/// line that is added later is lost.
runtime::Error appendLine(
    const std::string &path, llvm::StringRef line,
    llvm::function_ref<std::optional<std::string>(llvm::StringRef)> shorten);

/// An error where there is a file at `path` to which lines of `kind` may not be
/// added, because `check` refuses its first line. Files without lines and
/// devices have none.
runtime::Error
checkFirstLine(const std::string &path, const std::string &kind,
               llvm::function_ref<runtime::Error(llvm::StringRef)> check);

/// A file that an option names.
struct NamedFile {
  std::string option, path;
  bool isWritten;
};

/// An error if an option writes the file of another one, which would lose it.
/// Empty paths, "-" and devices are no files.
runtime::Error expectDistinct(llvm::ArrayRef<NamedFile> files);

} // namespace gnn

#endif // GNN_OPTIONFILES_OPTIONFILES_H
