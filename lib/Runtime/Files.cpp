//===- Files.cpp - Whole files, read and written --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Files.h"

#include "Guarded.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace gnn::runtime;

namespace {
/// A file descriptor that closes itself.
struct Descriptor {
  explicit Descriptor(int value) : value(value) {}
  ~Descriptor() {
    if (value >= 0)
      ::close(value);
  }
  int value;
};

/// Keeps this thread from the signals of a pipe that nobody reads and of a file
/// over the limit, which end a process: `write` fails then, which is enough.
class BlockedSignals {
public:
  BlockedSignals() {
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
  }
  ~BlockedSignals() {
    for (int signal : {SIGPIPE, SIGXFSZ})
      if (sigismember(&before, signal))
        sigdelset(&signals, signal); // whoever blocked it takes it
    timespec now = {0, 0};
    while (sigtimedwait(&signals, nullptr, &now) > 0)
      continue;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

private:
  sigset_t signals, before;
};

/// The end of a path, past its symbolic links.
struct ResolvedPath {
  std::string path;
  /// A descriptor of this process, as /dev/stdout is one; -1: none.
  int descriptor = -1;
  /// It is neither a regular file nor a folder.
  bool isSpecial = false;
};

constexpr size_t kChunk = size_t(1) << 16;
} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

int64_t gnn::runtime::physicalMemory() {
  int64_t bytes =
      int64_t(::sysconf(_SC_PHYS_PAGES)) * int64_t(::sysconf(_SC_PAGESIZE));
  for (const char *limit : {"/sys/fs/cgroup/memory.max",
                            "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    int64_t most = 0;
    if (std::ifstream(limit) >> most) // "max" is no number
      bytes = std::min(bytes, most);
  }
  return bytes;
}

Error gnn::runtime::refuseNamedPipe(const std::string &path) {
  char real[PATH_MAX];
  struct stat status;
  if (::realpath(path.c_str(), real) && ::stat(real, &status) == 0 &&
      S_ISFIFO(status.st_mode))
    return failure("expected a file, got the named pipe '", path, "'");
  return {};
}

static int openToRead(const std::string &path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/// Whether the file at `path` can be read, and its `status`.
static Error checkOpened(const std::string &path, const Descriptor &file,
                         struct stat &status) {
  if (file.value < 0 || ::fstat(file.value, &status) < 0)
    return failure("cannot open '", path, "': ", std::strerror(errno));
  if (S_ISDIR(status.st_mode))
    return failure("expected a file, got the folder '", path, "'");
  return {};
}

Error gnn::runtime::checkReadable(const std::string &path) {
  return guarded(path.c_str(), [&]() -> Error {
    if (Error error = refuseNamedPipe(path))
      return error;
    struct stat status;
    return checkOpened(path, Descriptor(openToRead(path)), status);
  });
}

Expected<std::string> gnn::runtime::readFile(const std::string &path,
                                             int64_t maxBytes) {
  return guarded(path.c_str(), [&]() -> Expected<std::string> {
    if (Error error = refuseNamedPipe(path))
      return error;
    Descriptor file(openToRead(path));
    struct stat status;
    if (Error error = checkOpened(path, file, status))
      return error;
    bool isDevice = S_ISBLK(status.st_mode) ||
                    (S_ISCHR(status.st_mode) && ::isatty(file.value) == 0);
    auto tooLong = [&](const char *more, int64_t bytes) {
      return limitExceeded("expected at most ", maxBytes, " bytes in '", path,
                           "', got ", more, bytes);
    };
    if (S_ISREG(status.st_mode) && status.st_size > maxBytes)
      return tooLong("", status.st_size);
    // A regular file may say 0, as those of /proc do.
    std::string bytes;
    size_t done = 0, expected = static_cast<size_t>(status.st_size);
    for (;;) {
      bytes.resize(done < expected ? expected
                                   : std::max(done + kChunk, done + done / 2));
      ssize_t count =
          ::read(file.value, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return failure("cannot read '", path, "': ", std::strerror(errno));
      if (count > 0 && isDevice)
        return failure("expected a file, got the device '", path, "'");
      done += static_cast<size_t>(count);
      if (static_cast<int64_t>(done) > maxBytes)
        return tooLong("over ", maxBytes);
      if (count == 0 || (expected > 0 && done == expected))
        break;
    }
    bytes.resize(done);
    return bytes;
  });
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string folderOf(const std::string &path) {
  size_t end = path.rfind('/');
  if (end == std::string::npos)
    return ".";
  return end == 0 ? "/" : path.substr(0, end);
}

/// Whether the entries of a folder are this process's descriptors.
static bool isOwnDescriptors(const std::string &folder) {
  char here[PATH_MAX], own[PATH_MAX];
  return ::realpath(folder.c_str(), here) && ::realpath("/proc/self/fd", own) &&
         std::strcmp(here, own) == 0;
}

/// Follows the links at the end of a path, one that leads nowhere too; 0 or the
/// errno.
static int followLinks(ResolvedPath &resolved) {
  std::string &path = resolved.path;
  for (int links = 0; links < 40; ++links) {
    struct stat info, behind;
    if (::lstat(path.c_str(), &info) < 0)
      return errno == ENOENT ? 0 : errno;
    if (S_ISLNK(info.st_mode) && isOwnDescriptors(folderOf(path))) {
      resolved.descriptor = std::atoi(path.c_str() + path.rfind('/') + 1);
      return 0;
    }
    // Not each that there is has a path: a pipe of another process has none.
    if (::stat(path.c_str(), &behind) == 0)
      resolved.isSpecial = !S_ISREG(behind.st_mode) && !S_ISDIR(behind.st_mode);
    if (!S_ISLNK(info.st_mode) || resolved.isSpecial)
      return 0;
    char next[PATH_MAX];
    ssize_t size = ::readlink(path.c_str(), next, sizeof(next));
    if (size < 0)
      return errno;
    std::string found(next, static_cast<size_t>(size));
    path = found.front() == '/' ? found : folderOf(path) + "/" + found;
  }
  return ELOOP;
}

/// Writes the pieces in order; 0 or the errno.
static int writePieces(int file,
                       std::initializer_list<std::string_view> pieces) {
  BlockedSignals blocked;
  for (std::string_view piece : pieces)
    while (!piece.empty()) {
      ssize_t count = ::write(file, piece.data(), piece.size());
      if (count < 0 && errno != EINTR)
        return errno;
      piece.remove_prefix(static_cast<size_t>(std::max<ssize_t>(count, 0)));
    }
  return 0;
}

/// Gives a new file the owner and the permissions of that which it replaces. A
/// file of another owner stays the writer's where the system wants that.
static int copyPermissions(int file, const struct stat &from) {
  struct stat own;
  if (::fstat(file, &own) < 0)
    return errno;
  if (own.st_uid != from.st_uid || own.st_gid != from.st_gid) [[maybe_unused]]
    int ignored = ::fchown(file, from.st_uid, from.st_gid);
  return ::fchmod(file, from.st_mode & 0777) < 0 ? errno : 0;
}

static std::string nameOfDescriptor(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

/// Calls `make` with names beside `path` until one is free; 0 or the errno.
template <typename Make>
static int findName(const std::string &path, std::string &name, Make make) {
  static std::atomic<uint64_t> counter{0};
  for (;;) {
    name = folderOf(path) + "/gnn-" + std::to_string(::getpid()) + "." +
           std::to_string(counter++) + ".tmp";
    if (make(name.c_str()) >= 0)
      return 0;
    if (int status = errno; status != EEXIST) {
      name.clear();
      return status;
    }
  }
}

NewFile::NewFile(NewFile &&other) noexcept
    : file(std::exchange(other.file, -1)),
      target(std::exchange(other.target, "")),
      temporary(std::exchange(other.temporary, "")) {}

NewFile::~NewFile() {
  if (file >= 0)
    ::close(file);
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

/// Opens a file in the folder of `path`: without a name where the system has
/// such files, so that nothing is left of it if the process ends.
int NewFile::openBeside(const std::string &path) {
  std::string folder = folderOf(path);
  file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (file >= 0 && ::access(nameOfDescriptor(file).c_str(), F_OK) == 0)
    return 0;
  if (file >= 0)
    ::close(file); // without /proc it would never get one
  return findName(path, temporary, [&](const char *name) {
    return file = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
}

int NewFile::create(const std::string &path,
                    std::initializer_list<std::string_view> pieces) {
  ResolvedPath resolved{path};
  if (int status = followLinks(resolved))
    return status;
  if (resolved.descriptor >= 0)
    return writePieces(resolved.descriptor, pieces);
  if (resolved.isSpecial) {
    Descriptor open(
        ::open(resolved.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    return open.value < 0 ? errno : writePieces(open.value, pieces);
  }
  struct stat before;
  bool isThere = ::stat(resolved.path.c_str(), &before) == 0;
  if (isThere && S_ISDIR(before.st_mode))
    return EISDIR;
  if (isThere &&
      ::faccessat(AT_FDCWD, resolved.path.c_str(), W_OK, AT_EACCESS) < 0)
    return errno;
  if (int status = openBeside(resolved.path))
    return status;
  target = resolved.path;
  if (isThere)
    if (int status = copyPermissions(file, before))
      return status;
  if (int status = writePieces(file, pieces))
    return status;
  // Some file systems say only here that there is no room.
  return ::fsync(file) < 0 && errno != EINVAL ? errno : 0;
}

int NewFile::keep() {
  if (target.empty())
    return 0;
  if (temporary.empty())
    if (int status = findName(target, temporary, [&](const char *name) {
          return ::linkat(AT_FDCWD, nameOfDescriptor(file).c_str(), AT_FDCWD,
                          name, AT_SYMLINK_FOLLOW);
        }))
      return status;
  if (::close(std::exchange(file, -1)) < 0 ||
      std::rename(temporary.c_str(), target.c_str()) < 0)
    return errno;
  temporary.clear();
  return 0;
}

int gnn::runtime::tryWriteFile(const std::string &path,
                               std::initializer_list<std::string_view> pieces) {
  NewFile file;
  int status = file.create(path, pieces);
  return status ? status : file.keep();
}

Error gnn::runtime::writeFile(const std::string &path,
                              std::initializer_list<std::string_view> pieces) {
  return guarded(path.c_str(), [&]() -> Error {
    int status = tryWriteFile(path, pieces);
    if (status == 0)
      return {};
    return failure("cannot write '", path, "': ", std::strerror(status));
  });
}
