//===- Driver.h - The part of the CUDA driver's API in use ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CUDA_DRIVER_H
#define GNN_LIB_RUNTIME_CUDA_DRIVER_H

#include "GNN/Runtime/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gnn::runtime::cuda {

using Result = int;
using DeviceOrdinal = int;
using DevicePointer = unsigned long long;
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using DriverStream = struct StreamObject *;
using DriverEvent = struct EventObject *;
using DriverGraph = struct GraphObject *;
using GraphExec = struct GraphExecObject *;
using GraphNode = struct GraphNodeObject *;

constexpr Result kSuccess = 0;
constexpr Result kOutOfMemory = 2;

/// CUdevice_attribute
constexpr int kClock = 13; // kHz
constexpr int kProcessors = 16;
constexpr int kMemoryClock = 36;    // kHz
constexpr int kMemoryBusWidth = 37; // bits
constexpr int kL2Bytes = 38;
constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;
constexpr int kSharedBytesPerProcessor = 81;
constexpr int kMaxSharedBytesPerBlock = 97;
constexpr int kReservedSharedBytesPerBlock = 111;

/// CUfunction_attribute
constexpr int kMaxThreadsPerBlock = 0;
constexpr int kStaticSharedBytes = 1;
constexpr int kLocalBytes = 3;
constexpr int kRegisters = 4;
constexpr int kMaxDynamicSharedBytes = 8;
constexpr int kSharedCarveOut = 9; // percent

/// CUstream_flags, CUevent_flags
constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDisableTiming = 2;

/// CUstreamCaptureStatus, CUstreamUpdateCaptureDependencies_flags
constexpr int kCaptureActive = 1;
constexpr int kCaptureOfThread = 1; // CUstreamCaptureMode
constexpr unsigned kSetDependencies = 1;

/// CUjit_option
constexpr int kJitErrorLog = 5;
constexpr int kJitErrorLogBytes = 6;

/// Every function in use: its name here, its symbol, its parameters.
#define GNN_CUDA_FUNCTIONS(F)                                                  \
  F(init, "cuInit", unsigned)                                                  \
  F(getErrorName, "cuGetErrorName", Result, const char **)                     \
  F(getErrorString, "cuGetErrorString", Result, const char **)                 \
  F(deviceGetCount, "cuDeviceGetCount", int *)                                 \
  F(deviceGet, "cuDeviceGet", DeviceOrdinal *, int)                            \
  F(deviceGetName, "cuDeviceGetName", char *, int, DeviceOrdinal)              \
  F(deviceGetAttribute, "cuDeviceGetAttribute", int *, int, DeviceOrdinal)     \
  F(primaryCtxRetain, "cuDevicePrimaryCtxRetain", Context *, DeviceOrdinal)    \
  F(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", DeviceOrdinal)          \
  F(ctxGetCurrent, "cuCtxGetCurrent", Context *)                               \
  F(ctxPushCurrent, "cuCtxPushCurrent_v2", Context)                            \
  F(ctxPopCurrent, "cuCtxPopCurrent_v2", Context *)                            \
  F(memAlloc, "cuMemAlloc_v2", DevicePointer *, size_t)                        \
  F(memFree, "cuMemFree_v2", DevicePointer)                                    \
  F(memcpyHtoD, "cuMemcpyHtoD_v2", DevicePointer, const void *, size_t)        \
  F(memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", DevicePointer, const void *,      \
    size_t, DriverStream)                                                      \
  F(memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", DevicePointer, DevicePointer,     \
    size_t, DriverStream)                                                      \
  F(memHostAlloc, "cuMemHostAlloc", void **, size_t, unsigned)                 \
  F(memFreeHost, "cuMemFreeHost", void *)                                      \
  F(memcpyDtoH, "cuMemcpyDtoH_v2", void *, DevicePointer, size_t)              \
  F(memsetD8, "cuMemsetD8_v2", DevicePointer, unsigned char, size_t)           \
  F(memsetD8Async, "cuMemsetD8Async", DevicePointer, unsigned char, size_t,    \
    DriverStream)                                                              \
  F(moduleLoadDataEx, "cuModuleLoadDataEx", Module *, const void *, unsigned,  \
    int *, void **)                                                            \
  F(moduleUnload, "cuModuleUnload", Module)                                    \
  F(moduleGetFunction, "cuModuleGetFunction", Function *, Module,              \
    const char *)                                                              \
  F(funcGetAttribute, "cuFuncGetAttribute", int *, int, Function)              \
  F(funcSetAttribute, "cuFuncSetAttribute", Function, int, int)                \
  F(occupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",   \
    int *, Function, int, size_t)                                              \
  F(launchKernel, "cuLaunchKernel", Function, unsigned, unsigned, unsigned,    \
    unsigned, unsigned, unsigned, unsigned, DriverStream, void **, void **)    \
  F(streamCreate, "cuStreamCreate", DriverStream *, unsigned)                  \
  F(streamDestroy, "cuStreamDestroy_v2", DriverStream)                         \
  F(streamSynchronize, "cuStreamSynchronize", DriverStream)                    \
  F(streamIsCapturing, "cuStreamIsCapturing", DriverStream, int *)             \
  F(streamGetCaptureInfo, "cuStreamGetCaptureInfo_v2", DriverStream, int *,    \
    uint64_t *, DriverGraph *, const GraphNode **, size_t *)                   \
  F(streamUpdateCaptureDependencies, "cuStreamUpdateCaptureDependencies",      \
    DriverStream, GraphNode *, size_t, unsigned)                               \
  F(streamBeginCapture, "cuStreamBeginCapture_v2", DriverStream, int)          \
  F(streamEndCapture, "cuStreamEndCapture", DriverStream, DriverGraph *)       \
  F(graphInstantiate, "cuGraphInstantiateWithFlags", GraphExec *, DriverGraph, \
    unsigned long long)                                                        \
  F(graphLaunch, "cuGraphLaunch", GraphExec, DriverStream)                     \
  F(graphExecDestroy, "cuGraphExecDestroy", GraphExec)                         \
  F(graphDestroy, "cuGraphDestroy", DriverGraph)                               \
  F(eventCreate, "cuEventCreate", DriverEvent *, unsigned)                     \
  F(eventDestroy, "cuEventDestroy_v2", DriverEvent)                            \
  F(eventRecord, "cuEventRecord", DriverEvent, DriverStream)                   \
  F(eventSynchronize, "cuEventSynchronize", DriverEvent)                       \
  F(eventElapsedTime, "cuEventElapsedTime", float *, DriverEvent, DriverEvent)

/// The driver's functions. Stays loaded to the end of the process, as other
/// libraries may use it too.
struct Driver {
  /// Loads a library and initializes the driver.
  static Expected<std::shared_ptr<const Driver>>
  load(const std::string &library);

  /// The failure of a call; success for kSuccess.
  Error check(Result result, const char *call) const;

  /// `who` with the numbers of Device::describeGPU, as far as the driver knows
  /// them.
  std::string describe(DeviceOrdinal device, const std::string &who) const;

#define GNN_CUDA_MEMBER(member, symbol, ...)                                   \
  Result (*member)(__VA_ARGS__) = nullptr;
  GNN_CUDA_FUNCTIONS(GNN_CUDA_MEMBER)
#undef GNN_CUDA_MEMBER
};

} // namespace gnn::runtime::cuda

#endif // GNN_LIB_RUNTIME_CUDA_DRIVER_H
