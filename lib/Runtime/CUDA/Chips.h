//===- Chips.h - Chips that images are made for -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CUDA_CHIPS_H
#define GNN_LIB_RUNTIME_CUDA_CHIPS_H

#include "GNN/Runtime/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gnn::runtime::cuda {

/// Checks that an image made for `chip` ("sm_90", "sm_90a") runs on a GPU of
/// that compute capability. PTX runs on later ones too, a cubin on later ones
/// of the same major number, and what ends in a letter on its own only.
Error checkChip(const std::string &chip, bool isPtx, int major, int minor);

/// How well PTX for `chip` suits such a GPU, as Device::rankChip: the later the
/// chip, the better, and best what is for that GPU alone.
std::optional<int64_t> rankChip(const std::string &chip, int major, int minor);

} // namespace gnn::runtime::cuda

#endif // GNN_LIB_RUNTIME_CUDA_CHIPS_H
