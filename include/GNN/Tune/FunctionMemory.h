//===- FunctionMemory.h - Arguments and workspace ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a function runs on. Its templates run one by one, each on the
// values that the earlier ones leave.
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
  /// The number of an argument. None stands for the workspace, from `offset`
  /// on.
  std::optional<unsigned> argument;
  int64_t offset = 0, bytes = 0;
  bool isF32 = false;
  /// Elements of a row: those of a node or an edge.
  int64_t width = 1;
  /// Whether the template also reads this part.
  bool isRead = false;
  /// The contents before the template runs: those that it reads, or others that
  /// show which elements it leaves out.
  std::optional<DeviceMemory> before;
};

/// The arguments of a function by their numbers, and its workspace.
class FunctionMemory {
public:
  explicit FunctionMemory(std::shared_ptr<runtime::Device> device)
      : device(std::move(device)) {}

  /// Allocates the arguments and the workspace of a template, unless they are
  /// allocated. The contents of the workspace stay.
  runtime::Error reserve(const IsolatedTemplate &alone,
                         const runtime::BoundFunction &bound);

  /// Sets the contents of an argument.
  runtime::Error set(unsigned argument, llvm::StringRef bytes);

  /// Launches a template without waiting.
  runtime::Error run(const IsolatedTemplate &alone,
                     const runtime::BoundFunction &bound,
                     runtime::Stream stream = nullptr) const;

  /// The parts that a template writes. `bound` has the chosen schedule. The
  /// contents of parts that the template also reads are saved as they are now.
  runtime::Expected<std::vector<WrittenPart>>
  partsOf(const IsolatedTemplate &alone, const runtime::BoundFunction &bound,
          llvm::ArrayRef<std::shared_ptr<const runtime::Graph>> graphs) const;

  /// Sets the contents that a part has before the template runs.
  runtime::Error setBefore(WrittenPart &part, llvm::StringRef bytes) const;

  /// Gives parts the contents that they have before the template runs: ones in
  /// all bits where nobody has set any.
  runtime::Error reset(llvm::ArrayRef<WrittenPart> parts) const;

  /// Waits, and gives the contents of parts.
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
