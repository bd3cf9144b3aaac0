//===- Package.h - Compiled modules in a file -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_PACKAGE_H
#define GNN_RUNTIME_PACKAGE_H

#include "GNN/Runtime/Device.h"
#include "GNN/Runtime/Plan.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace gnn::runtime {

struct DeviceArray;

/// A launch plan with its kernels and the constants that these read. In a file
/// it is a zip archive with `plan.json`, one `kernels.FORMAT` for each format
/// of the kernels ("ptx", "x86-64-v3.so", ...) and `constants.bin` where there
/// are constants. Immutable; kernels and constants are loaded once a device and
/// kept as long as the package lives.
class Package {
public:
  /// Verifies the plan. `images` maps a format (letters, digits, `-`, `_` and
  /// inner `.`) to its image; `constants` has the number of bytes in the plan.
  static Expected<std::shared_ptr<const Package>>
  create(LaunchPlan plan, std::map<std::string, std::string> images,
         std::string constants = {});

  /// Reads a file, or its bytes. `maxBytes` bounds all entries together once
  /// unpacked.
  static Expected<std::shared_ptr<const Package>>
  load(const std::string &path, int64_t maxBytes = int64_t(1) << 32);
  static Expected<std::shared_ptr<const Package>>
  loadBytes(std::string_view bytes, int64_t maxBytes = int64_t(1) << 32);

  /// Writes a file, completely or not at all (`NewFile`).
  Error save(const std::string &path) const;

  /// The bytes that `save` writes; the same package always gives the same ones.
  Expected<std::string> bytes() const;

  const LaunchPlan &plan() const { return launchPlan; }

  /// The images by format.
  const std::map<std::string, std::string> &images() const { return kernels; }

  /// The data that `constant` arguments of the plan point into.
  const std::string &constants() const { return constantData; }

  /// The kernels on a device, from the first of its formats that the package
  /// has and that can be loaded.
  Expected<std::shared_ptr<const Kernels>>
  kernelsOn(const std::shared_ptr<Device> &device) const;

  /// The kernels that the steps of one of its functions launch, in the order of
  /// the steps. The arguments of each step are checked against its kernel, as
  /// far as the image describes it; an error names the step. The kernels live
  /// as long as the package.
  Expected<ArrayView<const Kernel *>>
  kernelsOf(const FunctionPlan &function,
            const std::shared_ptr<Device> &device) const;

  /// The constants on a device, aligned to 256 bytes; null if there are none.
  Expected<const void *>
  constantsOn(const std::shared_ptr<Device> &device) const;

private:
  Package() = default;

  LaunchPlan launchPlan;
  std::map<std::string, std::string> kernels;
  std::string constantData;
  mutable std::mutex mutex;
  /// The facts that hold on one device, which lives as long: another may get
  /// its address.
  struct OnDevice {
    std::shared_ptr<Device> device;
    std::shared_ptr<const Kernels> kernels;
    std::shared_ptr<const DeviceArray> constants;
    std::map<const FunctionPlan *, std::vector<const Kernel *>> ofSteps;
  };
  mutable std::map<const Device *, OnDevice> loaded;

  /// Needs `mutex`.
  OnDevice &on(const std::shared_ptr<Device> &device) const;
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_PACKAGE_H
