//===- OptionFiles.cpp - Files that options name --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/OptionFiles/OptionFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace gnn;

static std::string pathOf(llvm::StringRef path) {
  return path == "-" ? "/dev/stdin" : path.str();
}

runtime::Expected<std::unique_ptr<llvm::MemoryBuffer>>
gnn::readInput(llvm::StringRef path, int64_t maxBytes) {
  auto text = runtime::readFile(pathOf(path), maxBytes);
  if (!text)
    return text.takeError();
  return llvm::MemoryBuffer::getMemBufferCopy(*text,
                                              path == "-" ? "<stdin>" : path);
}

runtime::Error gnn::checkInput(llvm::StringRef path) {
  return runtime::checkReadable(pathOf(path));
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

namespace {
/// The file at a path for who adds to it, and nobody else until it is closed.
class LockedFile {
public:
  /// Somebody who waits for a file may get it when another has taken its place.
  explicit LockedFile(const std::string &path) {
    struct stat own, there;
    bool isThere = false;
    while (!isThere) {
      close();
      file =
          ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
      if (file < 0 && errno == EACCES) // it may be written, but not read
        file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
      if (file < 0 || ::fstat(file, &own) != 0) {
        status = errno;
        return;
      }
      int locked;
      do
        locked = ::flock(file, LOCK_EX);
      while (locked != 0 && errno == EINTR);
      // Not all file systems have locks.
      isOwn = locked == 0 && S_ISREG(own.st_mode);
      isThere =
          !isOwn || (::stat(path.c_str(), &there) == 0 &&
                     own.st_ino == there.st_ino && own.st_dev == there.st_dev);
    }
  }
  LockedFile(const LockedFile &) = delete;
  LockedFile &operator=(const LockedFile &) = delete;
  ~LockedFile() { close(); }

  /// Whether it can be read, and nobody else adds to it.
  bool isOwn = false;

  /// Adds lines. 0, or the errno: then nothing is added, if the file is one's
  /// own.
  int add(llvm::StringRef lines) const {
    if (status || lines.empty())
      return status;
    struct stat before;
    bool isKnown = isOwn && ::fstat(file, &before) == 0;
    bool isTorn = isKnown && before.st_size > 0 && !endsLine(before.st_size);
    int failed = writeAll(file, ((isTorn ? "\n" : "") + lines).str());
    if (failed && isKnown && ::ftruncate(file, before.st_size) != 0)
      return errno;
    return failed;
  }

private:
  /// Whether the last line is whole: that of who was killed is not.
  bool endsLine(off_t size) const {
    char last = '\n';
    return ::pread(file, &last, 1, size - 1) != 1 || last == '\n';
  }
  void close() {
    if (file >= 0)
      ::close(file);
    file = -1;
  }
  int file = -1, status = 0;
};
} // namespace

static runtime::Error cannotWrite(const std::string &path, int status) {
  if (!status)
    return {};
  return runtime::failure("cannot write '", path, "': ", std::strerror(status));
}

runtime::Error gnn::appendLine(const std::string &path, llvm::StringRef line) {
  if (runtime::Error error = runtime::refuseNamedPipe(path))
    return error;
  LockedFile file(path); // a long write may be cut in two
  return cannotWrite(path, file.add(line.empty() ? "" : (line + "\n").str()));
}

runtime::Error gnn::appendLine(
    const std::string &path, llvm::StringRef line,
    llvm::function_ref<std::optional<std::string>(llvm::StringRef)> shorten) {
  if (runtime::Error error = runtime::refuseNamedPipe(path))
    return error;
  LockedFile file(path);
  if (int status = file.add((line + "\n").str()))
    return cannotWrite(path, status);
  if (!file.isOwn)
    return {};
  auto text = readInput(path);
  if (!text)
    return text.takeError();
  auto shorter = shorten((*text)->getBuffer());
  return shorter ? runtime::writeFile(path, {*shorter}) : runtime::Error();
}

/// Whether a line is the beginning of an object of JSON: all that a process has
/// left that was killed while it wrote the line.
static bool isTorn(llvm::StringRef line) {
  if (!line.starts_with("{"))
    return false;
  auto value = llvm::json::parse(line);
  return !value && (llvm::consumeError(value.takeError()), true);
}

runtime::Error
gnn::checkFirstLine(const std::string &path, const std::string &kind,
                    llvm::function_ref<runtime::Error(llvm::StringRef)> check) {
  constexpr uint64_t longest = 1 << 20; // of a line of any kind
  uint64_t size = 0;
  if (!llvm::sys::fs::is_regular_file(path) ||
      llvm::sys::fs::file_size(path, size) || !size)
    return {};
  auto begin =
      llvm::MemoryBuffer::getFileSlice(path, std::min(size, longest), 0);
  if (!begin)
    return {}; // it may be written, but not read
  for (llvm::StringRef text = (*begin)->getBuffer(); !text.empty();) {
    auto [line, rest] = text.split('\n');
    bool isCut = size > longest && line.size() == text.size();
    text = rest;
    if (line.trim().empty() || (isTorn(line) && !isCut))
      continue;
    if (runtime::Error error = check(line))
      return runtime::failure("expected a file of ", kind, ", got '", path,
                              "': ", error.message());
    break;
  }
  return {};
}

/// The path that opening `path` for writing leads to: behind links, even where
/// no file is there yet.
static std::filesystem::path resolve(std::filesystem::path path,
                                     std::error_code &status) {
  namespace fs = std::filesystem;
  constexpr int mostLinks = 40; // Linux follows no more
  path = fs::absolute(path, status);
  for (int i = 0; i < mostLinks && fs::is_symlink(path, status); ++i)
    path = path.parent_path() / fs::read_symlink(path, status);
  return fs::weakly_canonical(path, status);
}

/// Whether two paths lead to one file, which may not be there yet.
static bool areOneFile(const std::string &left, const std::string &right) {
  namespace fs = std::filesystem;
  std::error_code status;
  fs::path first(left), second(right);
  if (fs::exists(first, status) && !fs::is_regular_file(first, status))
    return false;
  if (fs::equivalent(first, second, status))
    return true;
  fs::path whole = resolve(first, status);
  return !status && whole == resolve(second, status) && !status;
}

runtime::Error gnn::expectDistinct(llvm::ArrayRef<NamedFile> files) {
  auto isFile = [](const NamedFile &file) {
    return !file.path.empty() && file.path != "-";
  };
  for (auto [i, file] : llvm::enumerate(files))
    for (const NamedFile &other : files.drop_front(i + 1))
      if ((file.isWritten || other.isWritten) && isFile(file) &&
          isFile(other) && areOneFile(file.path, other.path))
        return runtime::failure(other.option, ": expected another file than ",
                                file.option, "'s, got '", other.path, "'");
  return {};
}
