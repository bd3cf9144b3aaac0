//===- FunctionMemory.h - Arguments and workspace ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a function runs on, for its templates alone: each finds there
// what those before it have left.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_FUNCTIONMEMORY_H
#define GNN_TUNE_FUNCTIONMEMORY_H

#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Tune/IsolatedTemplate.h"
#include "GNN/Tune/Measurer.h"

namespace gnn::tune {

/// Memory of a device that is freed with this object.
class DeviceMemory {
public:
  static runtime::Expected<DeviceMemory>
  allocate(std::shared_ptr<runtime::Device> device, int64_t bytes);
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory &&other) noexcept;
  DeviceMemory &operator=(DeviceMemory &&other) noexcept;
  ~DeviceMemory();

  runtime::Buffer get() const { return buffer; }

private:
  std::shared_ptr<runtime::Device> device;
  runtime::Buffer buffer;
};

/// A part of memory that a template writes.
struct WrittenPart {
  /// The number of an argument, or none where it is of the workspace, from
  /// `offset` on.
  std::optional<unsigned> argument;
  int64_t offset = 0, bytes = 0;
  bool isF32 = false;
  /// Elements of a row: those of a node or an edge.
  int64_t width = 1;
  /// The template reads it too: its contents before the template runs.
  std::optional<DeviceMemory> before;
};

/// The arguments of a function by their numbers, and its workspace.
class FunctionMemory {
public:
  explicit FunctionMemory(std::shared_ptr<runtime::Device> device)
      : device(std::move(device)) {}

  /// Makes room for the arguments and the workspace of a template alone, where
  /// there is none. The contents of the workspace stay.
  runtime::Error reserve(const IsolatedTemplate &alone,
                         const runtime::BoundFunction &bound);

  /// Sets an argument.
  runtime::Error set(unsigned argument, llvm::StringRef bytes);

  /// Runs a template alone, without waiting.
  runtime::Error run(const IsolatedTemplate &alone,
                     const runtime::BoundFunction &bound,
                     runtime::Stream stream = nullptr) const;

  /// The parts that a template writes, which is as `bound` with the chosen
  /// schedule; what it reads of them is kept as it is now.
  runtime::Expected<std::vector<WrittenPart>>
  partsOf(const IsolatedTemplate &alone, const runtime::BoundFunction &bound,
          llvm::ArrayRef<std::shared_ptr<const runtime::Graph>> graphs) const;

  /// Makes parts as they were before the template, those that it does not
  /// read of all ones: what it leaves out is then seen.
  runtime::Error reset(llvm::ArrayRef<WrittenPart> parts) const;

  /// The contents of parts. Waits.
  runtime::Expected<std::vector<std::string>>
  read(llvm::ArrayRef<WrittenPart> parts) const;

private:
  void *find(const WrittenPart &part) const;

  std::shared_ptr<runtime::Device> device;
  std::vector<DeviceMemory> arguments;
  DeviceMemory workspace;
};

/// Compares the contents of parts: the same bits, or where they may differ
/// floats that are apart by at most 1e-5 of the largest of their row. A row
/// whose largest is below the median of those of all rows has the median: its
/// terms may cancel. An error says how far they are apart.
runtime::Expected<Check> compare(llvm::ArrayRef<WrittenPart> parts,
                                 llvm::ArrayRef<std::string> expected,
                                 llvm::ArrayRef<std::string> got,
                                 bool mayDiffer);

} // namespace gnn::tune

#endif // GNN_TUNE_FUNCTIONMEMORY_H
