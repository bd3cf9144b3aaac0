//===- Files.h - Whole files, read and written ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_FILES_H
#define GNN_RUNTIME_FILES_H

#include "GNN/Runtime/Error.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gnn::runtime {

/// The bytes of memory that this process may use: those of the machine, or of
/// its control group if that has fewer.
int64_t physicalMemory();

/// An error for a named pipe, because a read would wait until its other end is
/// opened. Pipes of the shell have no name.
Error refuseNamedPipe(const std::string &path);

/// The error of `readFile` if it cannot begin to read.
Error checkReadable(const std::string &path);

/// Reads a whole file, or a pipe of the shell or a terminal to its end. More
/// than `maxBytes` are an error, and so are a named pipe and a device that
/// gives any.
Expected<std::string> readFile(const std::string &path,
                               int64_t maxBytes = physicalMemory());

/// A file that is being written. `keep` gives it its final name; without `keep`
/// it is removed.
///
/// All files of this project are written in this way. Symbolic links are
/// followed. A regular file is replaced as a whole and keeps its permissions. A
/// device, a pipe or /dev/stdout is written directly, by `create`. If this
/// fails, the status is the errno.
class NewFile {
public:
  NewFile() = default;
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;
  NewFile(NewFile &&other) noexcept;
  ~NewFile();

  /// Writes the pieces one after another, for `path`; 0 or the errno.
  int create(const std::string &path,
             std::initializer_list<std::string_view> pieces);

  /// Replaces the file at the path. Returns 0 or the errno.
  int keep();

private:
  int openBeside(const std::string &path);

  int file = -1;
  /// The final path, and the temporary one; empty while there is none.
  std::string target, temporary;
};

/// Writes a file and gives it its name; 0 or the errno.
int tryWriteFile(const std::string &path,
                 std::initializer_list<std::string_view> pieces);

/// The same with an error that names the path.
Error writeFile(const std::string &path,
                std::initializer_list<std::string_view> pieces);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_FILES_H
