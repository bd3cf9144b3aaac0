//===- Entries.cpp - The functions compiled kernels call ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "Worker.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>
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

// What the compiler calls where a processor has no instruction.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;
extern "C" {
Int128 __divti3(Int128, Int128);
Int128 __modti3(Int128, Int128);
UInt128 __udivti3(UInt128, UInt128);
UInt128 __umodti3(UInt128, UInt128);
float __powisf2(float, int);
double __powidf2(double, int);
}

/// A float of 16 bits is in the low bits of the register of a float.
static uint32_t rounded(llvm::APFloat value, const llvm::fltSemantics &to) {
  bool losesInfo;
  value.convert(to, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
}
template <typename From> static float toHalf(From value) {
  return llvm::bit_cast<float>(
      rounded(llvm::APFloat(value), llvm::APFloat::IEEEhalf()));
}
template <typename From> static float toBrainFloat(From value) {
  return llvm::bit_cast<float>(
      rounded(llvm::APFloat(value), llvm::APFloat::BFloat()));
}
static float fromHalf(float half) {
  llvm::APInt bits(16, llvm::bit_cast<uint32_t>(half) & 0xffff);
  llvm::APFloat value(llvm::APFloat::IEEEhalf(), bits);
  return value.convertToFloat();
}

// Picks one type's overload of a function of <cmath>.
#define GNN_UNARY(name)                                                        \
  {#name "f", addressOf<float(float)>(name##f), ""},                           \
      {#name, addressOf<double(double)>(name), ""}
#define GNN_BINARY(name)                                                       \
  {#name "f", addressOf<float(float, float)>(name##f), ""},                    \
      {#name, addressOf<double(double, double)>(name), ""}

llvm::ArrayRef<Entry> gnn::emulator::getLibraryFunctions() {
  static const Entry functions[] = {
      GNN_UNARY(exp),
      GNN_UNARY(exp2),
      GNN_UNARY(expm1),
      GNN_UNARY(log),
      GNN_UNARY(log2),
      GNN_UNARY(log10),
      GNN_UNARY(log1p),
      GNN_UNARY(sin),
      GNN_UNARY(cos),
      GNN_UNARY(tan),
      GNN_UNARY(asin),
      GNN_UNARY(acos),
      GNN_UNARY(atan),
      GNN_UNARY(sinh),
      GNN_UNARY(cosh),
      GNN_UNARY(tanh),
      GNN_UNARY(asinh),
      GNN_UNARY(acosh),
      GNN_UNARY(atanh),
      GNN_UNARY(erf),
      GNN_UNARY(erfc),
      GNN_UNARY(cbrt),
      GNN_UNARY(sqrt),
      GNN_UNARY(floor),
      GNN_UNARY(ceil),
      GNN_UNARY(trunc),
      GNN_UNARY(round),
      GNN_UNARY(rint),
      GNN_UNARY(nearbyint),
      GNN_UNARY(roundeven),
      GNN_BINARY(atan2),
      GNN_BINARY(pow),
      GNN_BINARY(fmod),
      GNN_BINARY(fmin),
      GNN_BINARY(fmax),
      {"fmaf", addressOf<float(float, float, float)>(fmaf), ""},
      {"fma", addressOf<double(double, double, double)>(fma), ""},
      {"ldexpf", addressOf<float(float, int)>(ldexpf), ""},
      {"ldexp", addressOf<double(double, int)>(ldexp), ""},
      {"sincosf", addressOf<void(float, float *, float *)>(sincosf), ""},
      {"sincos", addressOf<void(double, double *, double *)>(sincos), ""},
      {"__divti3", addressOf(__divti3), ""},
      {"__modti3", addressOf(__modti3), ""},
      {"__udivti3", addressOf(__udivti3), ""},
      {"__umodti3", addressOf(__umodti3), ""},
      {"__truncsfhf2", addressOf(toHalf<float>), ""},
      {"__truncdfhf2", addressOf(toHalf<double>), ""},
      {"__extendhfsf2", addressOf(fromHalf), ""},
      {"__truncsfbf2", addressOf(toBrainFloat<float>), ""},
      {"__truncdfbf2", addressOf(toBrainFloat<double>), ""},
      {"__powisf2", addressOf(__powisf2), ""},
      {"__powidf2", addressOf(__powidf2), ""},
      {"memcpy", addressOf<void *(void *, const void *, size_t)>(memcpy), ""},
      {"memmove", addressOf<void *(void *, const void *, size_t)>(memmove), ""},
      {"memset", addressOf<void *(void *, int, size_t)>(memset), ""},
  };
  return functions;
}

#undef GNN_UNARY
#undef GNN_BINARY
