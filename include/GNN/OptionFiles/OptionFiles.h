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

/// The error of `readInput` if it cannot begin to read.
runtime::Error checkInput(llvm::StringRef path);

/// Writes the file at `path` in the way of all files (`runtime::NewFile`); "-"
/// is standard output. An error has the path.
runtime::Error writeOutput(llvm::StringRef path, llvm::StringRef text);

/// Adds a line to the file at `path`, and creates the file if it does not
/// exist. The line stays whole if other processes add lines too. If the last
/// line of the file is incomplete, the new line begins after it. An error has
/// the path. An empty line adds nothing.
runtime::Error appendLine(const std::string &path, llvm::StringRef line);

/// The same; then the file is replaced as a whole by the result of `shorten`
/// for its text, if `shorten` gives one. No process can add a line in between,
/// and no line that is added later is lost.
runtime::Error appendLine(
    const std::string &path, llvm::StringRef line,
    llvm::function_ref<std::optional<std::string>(llvm::StringRef)> shorten);

/// An error if the file at `path` is not one of lines of `kind`, objects of
/// JSON, because `check` refuses its first whole line. An incomplete line, and
/// missing files, files without lines, and devices give no error.
runtime::Error
checkFirstLine(const std::string &path, const std::string &kind,
               llvm::function_ref<runtime::Error(llvm::StringRef)> check);

/// A file that an option names.
struct NamedFile {
  std::string option, path;
  bool isWritten;
};

/// An error if an option would overwrite the file of another one. Empty paths,
/// "-" and devices are ignored.
runtime::Error expectDistinct(llvm::ArrayRef<NamedFile> files);

} // namespace gnn

#endif // GNN_OPTIONFILES_OPTIONFILES_H
