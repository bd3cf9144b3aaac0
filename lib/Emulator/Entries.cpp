//===- Entries.cpp - The functions compiled kernels call ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "Worker.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace gnn::emulator;

static Worker &workerOf(KernelContext *context) {
  return *static_cast<Worker *>(context);
}

static void barrier(KernelContext *context, uint32_t site) {
  workerOf(context).barrier(site);
}
static uint64_t shuffle(KernelContext *context, uint32_t site, uint64_t bits,
                        uint32_t offset, uint32_t width, uint32_t mode) {
  return workerOf(context).shuffle(site, bits, offset, width, mode);
}
static uint32_t ballot(KernelContext *context, uint32_t site, uint32_t vote) {
  return workerOf(context).ballot(site, vote);
}
static void loadMatrix(KernelContext *context, uint32_t site, const char *row,
                       char *result, uint32_t tiles, uint32_t transpose) {
  workerOf(context).loadMatrix(site, row, result, tiles, transpose != 0);
}
static void mma(KernelContext *context, uint32_t site, const char *operands,
                char *result, uint32_t k) {
  workerOf(context).mma(site, operands, result, k);
}
static void asyncCopy(KernelContext *context, uint32_t site, char *destination,
                      const char *source, int64_t bytes, int64_t elements,
                      int64_t elementBytes) {
  workerOf(context).asyncCopy(site, destination, source, bytes, elements,
                              elementBytes);
}
static void asyncCommit(KernelContext *context) {
  workerOf(context).asyncCommit();
}
static void asyncWait(KernelContext *context, uint32_t groups) {
  workerOf(context).asyncWait(groups);
}
static void shadowAccess(KernelContext *context, uint32_t site,
                         const char *address, int64_t bytes, uint32_t kind) {
  workerOf(context).shadowAccess(site, address, bytes,
                                 static_cast<FaultKind>(kind));
}
static void fail(KernelContext *context, uint32_t site, uint32_t kind) {
  workerOf(context).fail(site, static_cast<FaultKind>(kind));
}

/// Faults where an index of `values`, pairs of index and extent, is outside.
template <typename... Values>
static void bounds(KernelContext *context, uint32_t site, int64_t count,
                   Values... values) {
  constexpr size_t size = sizeof...(values);
  const int64_t pairs[] = {values...};
  bool isBad = false;
  for (size_t i = 0; i < size; i += 2)
    isBad |=
        static_cast<uint64_t>(pairs[i]) >= static_cast<uint64_t>(pairs[i + 1]);
  isBad = isBad || (count != 1 && count > pairs[size - 1] - pairs[size - 2]);
  if (LLVM_LIKELY(!isBad))
    return;
  int64_t *said = context->values;
  *said++ = size / 2;
  *said++ = count;
  *said++ = -1; // Any lane.
  llvm::copy(pairs, said);
  workerOf(context).fail(site, FaultKind::OutOfBounds);
}

template <typename Function> static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

/// The check of so many values.
template <size_t... i> static void *boundsOf(std::index_sequence<i...>) {
  return addressOf(bounds<decltype(int64_t(i))...>);
}

llvm::StringRef gnn::emulator::boundsEntry(unsigned rank) {
  static constexpr llvm::StringLiteral names[maxCheckedRank] = {
      "gnn_emulator_bounds_1", "gnn_emulator_bounds_2", "gnn_emulator_bounds_3",
      "gnn_emulator_bounds_4"};
  return names[rank - 1];
}

llvm::ArrayRef<Entry> gnn::emulator::getEntries() {
  static const Entry entries[] = {
      {"gnn_emulator_barrier", addressOf(barrier), "vpi"},
      {"gnn_emulator_shuffle", addressOf(shuffle), "lpiliii"},
      {"gnn_emulator_ballot", addressOf(ballot), "ipii"},
      {"gnn_emulator_load_matrix", addressOf(loadMatrix), "vpippii"},
      {"gnn_emulator_mma", addressOf(mma), "vpippi"},
      {"gnn_emulator_async_copy", addressOf(asyncCopy), "vpipplll"},
      {"gnn_emulator_async_commit", addressOf(asyncCommit), "vp"},
      {"gnn_emulator_async_wait", addressOf(asyncWait), "vpi"},
      {"gnn_emulator_shadow_access", addressOf(shadowAccess), "vpipli"},
      {boundsEntry(1), boundsOf(std::make_index_sequence<2>()), "vpilll"},
      {boundsEntry(2), boundsOf(std::make_index_sequence<4>()), "vpilllll"},
      {boundsEntry(3), boundsOf(std::make_index_sequence<6>()), "vpilllllll"},
      {boundsEntry(4), boundsOf(std::make_index_sequence<8>()), "vpilllllllll"},
      {"gnn_emulator_fail", addressOf(fail), "vpii", /*returns=*/false},
  };
  return entries;
}
