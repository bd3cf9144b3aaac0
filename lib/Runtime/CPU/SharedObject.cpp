//===- SharedObject.cpp - Kernels that were compiled before ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedObject.h"

#include <dlfcn.h>
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

Error SharedObject::open(const std::string &bytes) {
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
