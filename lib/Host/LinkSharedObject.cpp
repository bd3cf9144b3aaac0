//===- LinkSharedObject.cpp - Objects linked by lld -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries that code calls are stood in for by stubs, which have their names
// and functions: those of this system may have other versions than those that
// the code is loaded with, and need not be where lld looks.
//
//===----------------------------------------------------------------------===//

#include "GNN/Host/LinkSharedObject.h"

#include "LibraryFunctions.h"

#include "lld/Common/Driver.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdlib>
#include <map>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace gnn;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {
/// A folder that nobody else may open, and that goes with what is in it.
class PrivateFolder {
public:
  llvm::Error create() {
    llvm::SmallString<128> name;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, name);
    llvm::sys::path::append(name, "gnn-link-XXXXXX");
    std::string wanted = name.str().str();
    if (!mkdtemp(wanted.data()))
      return llvm::createStringError(
          "expected to make a folder " + wanted +
          ", got: " + std::generic_category().message(errno));
    path = wanted;
    return llvm::Error::success();
  }
  ~PrivateFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }

  std::string operator/(StringRef name) const {
    return path + "/" + name.str();
  }

private:
  std::string path;
};

/// Sets the options of the process aside: lld gives all of them their values by
/// default, and those of a tool are still needed.
class KeptOptions {
public:
  KeptOptions() { std::swap(kept, getMap()); }
  ~KeptOptions() { std::swap(kept, getMap()); }

private:
  using Map = decltype(llvm::cl::SubCommand::OptionsMap);
  static Map &getMap() {
    return llvm::cl::SubCommand::getTopLevel().OptionsMap;
  }

  Map kept;
};
} // namespace

static llvm::Error writeFile(StringRef path, StringRef bytes) {
  std::error_code problem;
  llvm::raw_fd_ostream file(path, problem);
  if (!problem) {
    file << bytes;
    file.close();
    problem = file.error();
    file.clear_error();
  }
  return llvm::errorCodeToError(problem);
}

/// Runs lld, one at a time: what it works with is the process's.
static llvm::Error runLinker(ArrayRef<std::string> given) {
  static std::mutex mutex;
  static bool canRun = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!canRun)
    return llvm::createStringError("expected a linker, got one that crashed");
  std::vector<const char *> arguments = {
      "ld.lld",           "-shared",     "--threads=1",
      "--build-id=none",  "--strip-all", "--as-needed",
      "--hash-style=gnu", "-znow",       "-zdefs"};
  for (const std::string &argument : given)
    arguments.push_back(argument.c_str());
  std::string text;
  llvm::raw_string_ostream messages(text);
  KeptOptions options;
  lld::Result result = lld::lldMain(arguments, messages, messages,
                                    {{lld::Gnu, &lld::elf::link}});
  canRun = result.canRunAgain;
  if (result.retCode == 0)
    return llvm::Error::success();
  StringRef why = StringRef(text).split("error: ").second.split('\n').first;
  if (why.consume_front("undefined symbol: "))
    return llvm::createStringError(
        "expected kernels that call the C library, got '" + why + "'");
  return llvm::createStringError("expected kernels that can be linked, got: " +
                                 why);
}

/// The library that a function of code of the host is in.
static StringRef getLibrary(StringRef function) {
  if (function.starts_with("__"))
    return "libgcc_s.so.1";
  return function.starts_with("mem") ? "libc.so.6" : "libm.so.6";
}

/// An object that defines functions of these names.
static llvm::Expected<host::Object>
generateStub(ArrayRef<StringRef> names,
             llvm::orc::JITTargetMachineBuilder &builder) {
  auto machine = builder.createTargetMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  llvm::Module module("stub", context);
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  for (StringRef name : names) {
    auto *function = llvm::Function::Create(
        type, llvm::GlobalValue::ExternalLinkage, name, module);
    llvm::IRBuilder<>(llvm::BasicBlock::Create(context, "", function))
        .CreateRetVoid();
  }
  return llvm::orc::SimpleCompiler(**machine)(module);
}

/// Links the stubs of all libraries; their paths.
static llvm::Expected<std::vector<std::string>>
makeStubs(const PrivateFolder &folder,
          llvm::orc::JITTargetMachineBuilder &machine) {
  std::map<StringRef, std::vector<StringRef>> libraries;
  for (const host::Symbol &function : host::getLibraryFunctions())
    libraries[getLibrary(function.name)].push_back(function.name);
  std::vector<std::string> paths;
  for (const auto &[library, names] : libraries) {
    auto object = generateStub(names, machine);
    if (!object)
      return object.takeError();
    std::string input = folder / "stub.o";
    paths.push_back(folder / library);
    if (llvm::Error error = writeFile(input, (*object)->getBuffer()))
      return std::move(error);
    if (llvm::Error error =
            runLinker({input, "-soname", library.str(), "-o", paths.back()}))
      return std::move(error);
  }
  return paths;
}

llvm::Expected<std::string>
host::linkSharedObject(ArrayRef<Object> objects, StringRef name,
                       llvm::orc::JITTargetMachineBuilder &machine) {
  PrivateFolder folder;
  if (llvm::Error error = folder.create())
    return std::move(error);
  auto stubs = makeStubs(folder, machine);
  if (!stubs)
    return stubs.takeError();
  std::string output = folder / "kernels.so";
  std::vector<std::string> arguments = {"-soname", name.str(), "-o", output};
  for (size_t i = 0; i < objects.size(); ++i) {
    arguments.push_back(folder / (std::to_string(i) + ".o"));
    if (llvm::Error error =
            writeFile(arguments.back(), objects[i]->getBuffer()))
      return std::move(error);
  }
  llvm::append_range(arguments, *stubs);
  if (llvm::Error error = runLinker(arguments))
    return std::move(error);
  auto linked = llvm::MemoryBuffer::getFile(output);
  if (!linked)
    return llvm::errorCodeToError(linked.getError());
  return (*linked)->getBuffer().str();
}
