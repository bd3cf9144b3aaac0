//===- Targets.h - Figures of the GPUs --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figures themselves are in Targets.def, what kernels reach in Kernels.def,
// the chips in Chips.def.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_TARGETS_H
#define GNN_ANALYSIS_TARGETS_H

#include "GNN/Analysis/CostOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gnn {

/// Where a figure comes from; Targets.def says more.
enum class FigureSource { Measured, Datasheet, Derived };

/// A figure of a GPU.
struct Figure {
  double value = 0;
  FigureSource source = FigureSource::Derived;

  operator double() const { return value; }
};

/// What this compiler's kernels reach on a GPU.
struct KernelFigures {
  /// Of the fp32 operations a second, what products with weights reach.
  Figure productFlops;
  /// Seconds that a row takes which a walk reduces into, with all of the GPU at
  /// it, and that an edge more of one row takes, since a row is walked by one
  /// team of lanes.
  Figure rowSeconds;
  Figure edgeSeconds;
  /// Bytes of gathered rows a second that such a walk reaches at most.
  Figure walkGather;
  /// Of traversals, whose lanes follow from the lengths of rows, in place of
  /// these two: seconds that a warp takes that walks the edges of rows, with
  /// all of the GPU at it, beside the rounds of its walk: from its start to the
  /// first edges, and from the last ones to the row's.
  Figure warpSeconds;
  /// Seconds of each round that a warp walks over the edges of a row, with all
  /// of the GPU at it.
  Figure roundSeconds;
  /// From the start of a round to the next one of the same team: ids, then what
  /// they lead to, which is in the L2 or comes from memory.
  Figure waitSeconds;
  Figure memoryWaitSeconds;

#define GNN_KERNELS(target)
#define GNN_FIGURE(figure, value, source)
#define GNN_KERNELS_END
#define GNN_CONSTANT(name, value) static constexpr double name = value;
#include "GNN/Analysis/Kernels.def"
};

/// What the cost model knows of a GPU.
struct TargetFigures {
  llvm::StringRef name;
  llvm::StringRef title;
  /// What kernels for it are compiled for, such as "sm_90".
  llvm::StringRef chip;
  /// Bytes a second read or written in order.
  Figure memoryBandwidth;
  /// Size of the L2 cache.
  Figure l2Bytes;
  /// Bytes a second of rows in random order, from a table in the L2 cache and
  /// from one that is far larger.
  Figure l2Gather;
  Figure memoryGather;
  /// Bytes of a row at least, as either counts them.
  Figure l2RowBytes;
  Figure memoryRowBytes;
  /// Fp32 operations a second, a fused multiply and add being two.
  Figure fp32Flops;
  /// Streaming multiprocessors, which run blocks side by side.
  Figure multiprocessors;
  /// Seconds from the end of a kernel to the work of one that waits for it.
  Figure launchSeconds;

  KernelFigures kernels;
};

/// All GPUs of Targets.def.
llvm::ArrayRef<TargetFigures> getTargets();

/// The figures of a GPU; of `CostTarget::chip` those of an unknown chip.
const TargetFigures &getFigures(CostTarget target);

/// The GPU that stands for a chip, such as "sm_80"; the first GPU for other
/// chips and for none.
CostTarget getTargetOfChip(llvm::StringRef chip);
/// Whether the tensor cores of that chip multiply tf32 numbers: from sm_80 on.
/// None named is that of the first GPU.
bool hasTF32(llvm::StringRef chip);
/// Whether it copies to workgroup memory asynchronously: from sm_80 on too.
bool hasAsyncCopies(llvm::StringRef chip);

/// Fails where no kernels can be made for `chip`, or not with the PTX version
/// that `features` ask for, such as "+ptx80".
llvm::Error checkChip(llvm::StringRef chip, llvm::StringRef features = "");

/// An option that names a chip.
class ChipParser : public llvm::cl::parser<std::string> {
public:
  using parser::parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::string &value);
};

} // namespace gnn

#endif // GNN_ANALYSIS_TARGETS_H
