//===- SharedObject.cpp - Kernels that were compiled before ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedObject.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>

using namespace gnn::runtime;

namespace {
/// An open file in memory.
class MemoryFile {
public:
  MemoryFile() : number(memfd_create("gnn-kernels", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (number >= 0)
      close(number);
  }

  Error write(std::string_view bytes) {
    while (number >= 0 && !bytes.empty()) {
      ssize_t count = ::write(number, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        break;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    if (number >= 0 && bytes.empty())
      return {};
    return failure("expected a file in memory, got: ", std::strerror(errno));
  }

  /// A path that no other call gives: the loader takes a file for one that is
  /// loaded where their paths are equal, and numbers of files come back.
  std::string path() const {
    static std::atomic<uint64_t> calls{0};
    std::string path = "/proc/self/fd/";
    for (uint64_t left = ++calls; left; left >>= 1)
      path += left & 1 ? "./" : "/";
    return path + std::to_string(number);
  }

private:
  const int number;
};

class SharedObject : public CodeImage {
public:
  ~SharedObject() override {
    if (handle)
      dlclose(handle);
  }

  Error load(const std::string &bytes, const std::string &processor);

  Error prepare(const std::vector<std::string> &, unsigned) override {
    return {};
  }
  const KernelCode *find(const std::string &name) override {
    auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : &found->second;
  }

private:
  Error open(const std::string &bytes);

  void *handle = nullptr;
  std::map<std::string, KernelCode> kernels;
};
} // namespace

/// Whether all that is mapped of an object is there: a read behind the end of a
/// file that is cut off would end the process.
static bool isWhole(const std::string &bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header)
    return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  auto isThere = [&](uint64_t offset, uint64_t size) {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  };
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(Elf64_Phdr) ||
      !isThere(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr)))
    return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment,
                sizeof segment);
    if (!isThere(segment.p_offset, segment.p_filesz))
      return false;
  }
  return true;
}

Error SharedObject::open(const std::string &bytes) {
  if (!isWhole(bytes))
    return failure("expected a whole shared object, got ", bytes.size(),
                   " bytes of one, or of something else");
  MemoryFile file;
  if (Error error = file.write(bytes))
    return error;
  std::string path = file.path();
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle)
    return {};
  std::string_view why = dlerror();
  if (why.substr(0, path.size() + 2) == path + ": ")
    why.remove_prefix(path.size() + 2);
  return failure("expected a shared object that the system loads, got: ", why);
}

Error SharedObject::load(const std::string &bytes,
                         const std::string &processor) {
  if (Error error = open(bytes))
    return error;
  auto *text = static_cast<const char *>(dlsym(handle, KernelTable::kSymbol));
  if (!text)
    return failure("expected a table of kernels (", KernelTable::kSymbol,
                   "), got none");
  Expected<KernelTable> table = KernelTable::parse(text);
  if (!table)
    return table.takeError();
  if (table->processor != processor)
    return failure("expected code for ", processor, ", got code for ",
                   table->processor);
  for (KernelEntry &entry : table->kernels) {
    std::string symbol = KernelTable::symbolOf(entry.name);
    KernelCode kernel;
    kernel.function =
        reinterpret_cast<BlocksFunction>(dlsym(handle, symbol.c_str()));
    if (!kernel.function)
      return failure("expected a function ", symbol, " of its table, got none");
    static_cast<KernelEntry &>(kernel) = std::move(entry);
    std::string name = kernel.name;
    kernels.emplace(std::move(name), std::move(kernel));
  }
  return {};
}

Expected<std::unique_ptr<CodeImage>>
gnn::runtime::loadSharedObject(const std::string &bytes,
                               const std::string &processor) {
  auto object = std::make_unique<SharedObject>();
  if (Error error = object->load(bytes, processor))
    return error;
  return std::unique_ptr<CodeImage>(std::move(object));
}
