//===- RunMemory.cpp - The memory that a run is given ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunMemory.h"

#include <functional>

using namespace gnn::runtime;

namespace {
/// A range of memory in a run: what is needed of it.
struct MemoryRange {
  const char *kind;
  const std::string &name;
  const char *begin;
  int64_t bytes;

  bool overlaps(const MemoryRange &other) const {
    std::less<const char *> before;
    return bytes > 0 && other.bytes > 0 &&
           before(begin, other.begin + other.bytes) &&
           before(other.begin, begin + bytes);
  }
};

const std::string kWorkspaceName = "workspace";
} // namespace

/// Checks a range of memory of which so many bytes are given.
static Error checkRange(const Device &device, const MemoryRange &range,
                        int64_t given, int64_t alignment) {
  if (range.bytes == 0)
    return {};
  auto fail = [&](const auto &...got) {
    return failure(range.kind, " '", range.name, "': expected ", range.bytes,
                   " bytes, got ", got...);
  };
  auto address = reinterpret_cast<uintptr_t>(range.begin);
  if (address == 0)
    return fail("null");
  if (given < range.bytes)
    return fail(given);
  if (address % static_cast<uintptr_t>(alignment) != 0)
    return failure(range.kind, " '", range.name,
                   "': expected an address aligned to ", alignment,
                   " bytes, got ", static_cast<const void *>(range.begin));
  int64_t allocated = device.bytesBehind(range.begin);
  if (allocated >= 0 && allocated < range.bytes)
    return fail(given, " of which ", allocated, " are allocated");
  return {};
}

static Error checkApart(const MemoryRange &written, const MemoryRange &other) {
  if (!written.overlaps(other))
    return {};
  return failure("expected separate memory for '", written.name, "' and '",
                 other.name, "', got an overlap");
}

Error gnn::runtime::checkRunMemory(const Device &device,
                                   const RunInputs &inputs,
                                   const RunOutputs &outputs,
                                   const RunWorkspace &workspace) {
  const ArrayView<ConstBuffer> &ins = inputs.given;
  const ArrayView<Buffer> &outs = outputs.given;
  if (ins.size() != inputs.needed.size() ||
      outs.size() != outputs.needed.size())
    return failure("expected ", inputs.needed.size(), " inputs and ",
                   outputs.needed.size(), " outputs, got ", ins.size(), " and ",
                   outs.size());
  auto rangeOf = [](const char *kind, const TensorInfo &info,
                    const void *memory) {
    return MemoryRange{kind, info.name, static_cast<const char *>(memory),
                       info.bytes};
  };
  auto input = [&](size_t i) {
    return rangeOf("input", inputs.needed[i], ins[i].data);
  };
  auto output = [&](size_t i) {
    return rangeOf("output", outputs.needed[i], outs[i].data);
  };
  MemoryRange scratch{"memory", kWorkspaceName,
                      static_cast<const char *>(workspace.given.data),
                      workspace.neededBytes};
  if (Error error = checkRange(device, scratch, workspace.given.bytes,
                               kWorkspaceAlignment))
    return error;
  for (size_t i = 0; i < ins.size(); ++i) {
    if (Error error =
            checkRange(device, input(i), ins[i].bytes, kTensorAlignment))
      return error;
    if (Error error = checkApart(scratch, input(i)))
      return error;
  }
  for (size_t o = 0; o < outs.size(); ++o) {
    if (Error error =
            checkRange(device, output(o), outs[o].bytes, kTensorAlignment))
      return error;
    if (Error error = checkApart(output(o), scratch))
      return error;
    for (size_t i = 0; i < ins.size(); ++i)
      if (Error error = checkApart(output(o), input(i)))
        return error;
    for (size_t other = 0; other < o; ++other)
      if (Error error = checkApart(output(o), output(other)))
        return error;
  }
  return {};
}
