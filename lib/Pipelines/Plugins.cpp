//===- Plugins.cpp - Dialects, ops and passes from outside ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Plugins.h"

#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Runtime/Files.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace {
/// The plugins of the process. A library stays as long as the process, and so
/// does this.
struct Plugins {
  /// The lock of this and of MLIR's registry of passes. Options of passes may
  /// be passes.
  std::recursive_mutex mutex;
  /// By real path; none for plugins of passes alone.
  std::map<std::string, std::optional<DialectPlugin>> loaded;

  static Plugins &get() {
    static Plugins plugins;
    return plugins;
  }
};
} // namespace

llvm::Error gnn::loadPlugin(StringRef path) {
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError("plugin '" + path + "': " + message);
  };
#ifdef GNN_STATIC_MLIR
  return fail("expected a build with a shared MLIR, this one is static and "
              "loads no plugins");
#else
  SmallString<128> realPath;
  if (std::error_code error = llvm::sys::fs::real_path(path, realPath))
    return fail(error.message());
  std::string name(realPath);
  if (runtime::Error error = runtime::refuseNamedPipe(name))
    return fail(error.message());
  Plugins &plugins = Plugins::get();
  std::lock_guard<std::recursive_mutex> lock(plugins.mutex);
  if (plugins.loaded.count(name))
    return llvm::Error::success();
  std::string message;
  auto library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(name.c_str(), &message);
  if (!library.isValid())
    return fail(message);
  bool hasDialects = library.getAddressOfSymbol("mlirGetDialectPluginInfo");
  bool hasPasses = library.getAddressOfSymbol("mlirGetPassPluginInfo");
  if (!hasDialects && !hasPasses)
    return fail("expected mlirGetDialectPluginInfo or mlirGetPassPluginInfo, "
                "got neither");
  std::optional<DialectPlugin> dialects;
  if (hasDialects) {
    auto plugin = DialectPlugin::load(name);
    if (!plugin)
      return plugin.takeError();
    dialects = *plugin;
  }
  if (hasPasses) {
    auto plugin = PassPlugin::load(name);
    if (!plugin)
      return plugin.takeError();
    plugin->registerPassRegistryCallbacks();
  }
  plugins.loaded.emplace(name, dialects);
  return llvm::Error::success();
#endif
}

LogicalResult gnn::parsePasses(StringRef text, OpPassManager &pm,
                               raw_ostream &errors) {
  std::lock_guard<std::recursive_mutex> lock(Plugins::get().mutex);
  static bool isRegistered = [] {
    registerPasses();
    registerCanonicalizerPass();
    registerCSEPass();
    return true;
  }();
  (void)isRegistered;
  return parsePassPipeline(text, pm, errors);
}

void gnn::registerPluginDialects(DialectRegistry &registry) {
  Plugins &plugins = Plugins::get();
  std::lock_guard<std::recursive_mutex> lock(plugins.mutex);
  for (const auto &[name, dialects] : plugins.loaded)
    if (dialects)
      dialects->registerDialectRegistryCallbacks(registry);
}
