//===- OptionFiles.cpp - Files that options name --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/OptionFiles/OptionFiles.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace gnn;

runtime::Expected<std::unique_ptr<llvm::MemoryBuffer>>
gnn::readInput(llvm::StringRef path, int64_t maxBytes) {
  bool isStdin = path == "-";
  auto text = runtime::readFile(isStdin ? "/dev/stdin" : path.str(), maxBytes);
  if (!text)
    return text.takeError();
  return llvm::MemoryBuffer::getMemBufferCopy(*text,
                                              isStdin ? "<stdin>" : path);
}

runtime::Error gnn::writeOutput(llvm::StringRef path, llvm::StringRef text) {
  // Printed text comes first where both go to one place.
  llvm::outs().flush();
  return runtime::writeFile(path == "-" ? "/dev/stdout" : path.str(), {text});
}

/// Writes all of `text`; 0 or the errno.
static int writeAll(int file, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return errno;
    text = text.drop_front(std::max<ssize_t>(written, 0));
  }
  return 0;
}

runtime::Error gnn::appendLine(const std::string &path, llvm::StringRef line) {
  int file =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  int status = file < 0 ? errno : 0;
  if (file >= 0) {
    ::flock(file, LOCK_EX); // a long write may be cut in two
    status = writeAll(file, line.empty() ? "" : (line + "\n").str());
    ::close(file);
  }
  if (status)
    return runtime::failure("cannot write '", path,
                            "': ", std::strerror(status));
  return {};
}
