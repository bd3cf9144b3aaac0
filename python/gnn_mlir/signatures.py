# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structs and functions of the C API (include/GNN-c), as ctypes has them."""

import ctypes
import math
from ctypes import (CFUNCTYPE, POINTER, c_bool, c_char_p, c_int, c_int32, c_int64,
                    c_size_t, c_void_p)


class Buffer(ctypes.Structure):
    """Memory: GnnBuffer, and GnnConstBuffer."""

    _fields_ = [("data", c_void_p), ("bytes", c_int64)]

    @classmethod
    def of(cls, array):
        """The memory of an array of NumPy, which must outlive it."""
        return cls(array.ctypes.data, array.nbytes)

    @classmethod
    def several(cls, given):
        """Buffers from (address, bytes) each, as two arguments: an array and its length."""
        return (cls * len(given))(*given), len(given)


def described(function, kind, *arguments):
    """The structures that a function fills for the indices from 0 on."""
    found = []
    while function(*arguments, len(found), ctypes.byref(one := kind())):
        found.append(one)
    return found


class GraphArrays(ctypes.Structure):
    _fields_ = [("square", c_bool), ("id_bits", c_int32),
                ("num_src_nodes", c_int64), ("num_dst_nodes", c_int64),
                ("num_edges", c_int64), ("num_node_types", c_int64),
                ("num_edge_types", c_int64), ("edge_src", Buffer),
                ("edge_dst", Buffer), ("edge_type", Buffer),
                ("src_node_type", Buffer), ("dst_node_type", Buffer),
                ("schema", Buffer), ("node_type_names", POINTER(c_char_p)),
                ("edge_type_names", POINTER(c_char_p))]


Allocate = CFUNCTYPE(c_void_p, c_void_p, c_int64)
Free = CFUNCTYPE(None, c_void_p, c_void_p)
Progress = CFUNCTYPE(None, c_void_p, c_char_p, ctypes.c_double)
LetGo = CFUNCTYPE(None, c_void_p)
TuneProgress = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_int64, c_int64, ctypes.c_double,
                         ctypes.c_double)


class BindOptions(ctypes.Structure):
    _fields_ = [("allocate", Allocate), ("free", Free),
                ("progress", Progress), ("context", c_void_p)]


class TensorInfo:
    """An input or output of a bound function. `role` is "input", "output", or of a
    forward or backward pass also "saved" and "gradient", which is that `of` an output or
    an input; `shape` is a tuple."""

    __slots__ = "name", "dtype", "role", "of", "shape"

    def __init__(self, name, dtype, role, of, shape):
        self.name, self.dtype, self.role, self.of = name, dtype, role, of
        self.shape = shape

    @property
    def bytes(self):
        return math.prod(self.shape) * (8 if self.dtype == "i64" else 4)

    def __repr__(self):
        return f"{self.name}: {self.dtype}{list(self.shape)}"


class NativeTensorInfo(ctypes.Structure):
    """GnnTensorInfo."""

    _fields_ = [("name", c_char_p), ("dtype", c_char_p), ("rank", c_int64),
                ("shape", POINTER(c_int64)), ("bytes", c_int64)]


class Array(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_char_p), ("rank", c_int64),
                ("shape", POINTER(c_int64)), ("data", c_void_p)]


class ModelTarget(ctypes.Structure):
    _fields_ = [("kind", c_char_p), ("chip", c_char_p)]


class Processor(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("present", c_bool), ("common", c_bool)]


class GraphNeeds(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("self_loops", c_bool), ("dst_sorted", c_bool),
                ("num_counts", c_int64),
                ("count_keys", POINTER(c_char_p)), ("num_structures", c_int64),
                ("structure_keys", POINTER(c_char_p)), ("parent", c_char_p),
                ("loops", c_char_p), ("loop_type", c_int64), ("shards", c_int64),
                ("shard_end", c_char_p), ("schema", Buffer)]


class DeviceIds(ctypes.Structure):
    _fields_ = [("values", c_void_p), ("bytes", c_int64), ("bits", c_int64),
                ("stride", c_int64)]


class DeviceGraph(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("square", c_bool), ("num_src_nodes", c_int64),
                ("num_dst_nodes", c_int64), ("num_edges", c_int64),
                ("num_node_types", c_int64), ("num_edge_types", c_int64),
                ("src", DeviceIds), ("dst", DeviceIds), ("edge_type", DeviceIds),
                ("src_node_type", DeviceIds), ("dst_node_type", DeviceIds)]


# GnnErrorKind.
OTHER, OPTION, PROGRAM, EDGE_TYPES, NODE_TYPES, LIMIT, EDGE_ORDER = range(7)

# Functions that report failure by an error object (null: none).
FALLIBLE = {
    "gnnSetNumThreads": [c_int64],
    "gnnCopyIds": [c_void_p, c_int32, c_bool, c_int64, c_int64, c_void_p,
                   POINTER(c_int64)],
    "gnnGraphCreate": [POINTER(GraphArrays), POINTER(c_void_p)],
    "gnnGraphBorrow": [POINTER(GraphArrays), LetGo, c_void_p, POINTER(c_void_p)],
    "gnnGraphCount": [c_void_p, c_char_p, POINTER(c_int64)],
    "gnnGraphStructure": [c_void_p, c_char_p, c_void_p, c_int64,
                          POINTER(c_int64)],
    "gnnGraphStats": [c_void_p, POINTER(c_void_p)],
    "gnnGraphDegrees": [c_void_p, c_int, c_int32, c_void_p, c_int64],
    "gnnGraphAddSelfLoops": [c_void_p, c_bool, c_int32, POINTER(c_void_p)],
    "gnnGraphAddInverses": [c_void_p, POINTER(c_void_p)],
    "gnnGraphRefineTypes": [c_void_p, POINTER(c_void_p)],
    "gnnGraphMergeTypes": [c_void_p, c_bool, c_bool, POINTER(c_void_p)],
    "gnnGraphBlocks": [c_void_p, c_int64, c_int64, POINTER(c_void_p)],
    "gnnBlocksCreate": [POINTER(GraphArrays), c_int64, c_int64, POINTER(c_void_p)],
    "gnnGraphRenumber": [c_void_p, c_void_p, c_int64, c_void_p, c_int64,
                         POINTER(c_void_p)],
    "gnnGraphFileLoad": [c_char_p, POINTER(c_void_p)],
    "gnnGraphFileFeatures": [c_void_p, c_int64, c_void_p, c_int64],
    "gnnCudaDeviceCount": [POINTER(c_int)],
    "gnnDeviceOpenCuda": [c_int, POINTER(c_void_p)],
    "gnnDeviceOpenCpu": [c_int, POINTER(c_void_p)],
    "gnnDeviceAllocate": [c_void_p, c_int64, POINTER(c_void_p)],
    "gnnDeviceCopyToDevice": [c_void_p, c_void_p, c_void_p, c_int64],
    "gnnDeviceCopyToHost": [c_void_p, c_void_p, c_void_p, c_int64],
    "gnnDeviceSynchronize": [c_void_p, c_void_p],
    "gnnPackageLoad": [c_char_p, POINTER(c_void_p)],
    "gnnPackageLoadBytes": [c_char_p, c_size_t, POINTER(c_void_p)],
    "gnnPackageSave": [c_void_p, c_char_p],
    "gnnPackageBytes": [c_void_p, POINTER(c_void_p), POINTER(c_size_t)],
    "gnnBind": [c_void_p, c_char_p, POINTER(c_void_p), c_int64, c_void_p,
                POINTER(BindOptions), POINTER(c_void_p)],
    "gnnBindAll": [c_void_p, POINTER(c_char_p), c_int64, POINTER(c_char_p),
                   POINTER(c_void_p), c_int64, c_void_p, POINTER(BindOptions),
                   POINTER(c_void_p)],
    "gnnBuilderCreate": [POINTER(GraphNeeds), c_int64, c_void_p, POINTER(c_void_p)],
    "gnnBuildCreate": [c_void_p, POINTER(DeviceGraph), c_int64, POINTER(c_void_p),
                       POINTER(c_int64)],
    "gnnBuildCount": [c_void_p, Buffer, Buffer, c_void_p, POINTER(c_int64)],
    "gnnBuildSetSorted": [c_void_p, c_char_p],
    "gnnBuildFill": [c_void_p, Buffer, c_void_p],
    "gnnWriteColumns": [c_void_p, c_char_p, c_int64, c_void_p],
    "gnnBuildBind": [c_void_p, c_void_p, POINTER(c_char_p), c_int64, POINTER(c_void_p)],
    "gnnBuildNumber": [c_void_p, c_char_p, c_char_p, POINTER(c_int64)],
    "gnnBuildStructure": [c_void_p, c_char_p, c_char_p, POINTER(c_void_p),
                          POINTER(c_int64)],
    "gnnModelLoad": [c_char_p, POINTER(c_void_p)],
    "gnnModelBind": [c_void_p, POINTER(Array), c_int64, c_void_p,
                     POINTER(BindOptions), POINTER(c_void_p)],
    "gnnModelMakeGraph": [c_void_p, c_int64, POINTER(Array), c_int64, POINTER(c_void_p)],
    "gnnModelCallPackage": [c_void_p, c_int64, c_void_p, POINTER(c_void_p)],
    "gnnBoundModelRun": [c_void_p, c_void_p, c_int64, c_void_p, c_int64, Buffer, c_void_p],
    "gnnBoundRun": [c_void_p, c_void_p, c_int64, c_void_p, c_int64, Buffer, c_void_p],
    "gnnBoundReport": [c_void_p, POINTER(c_void_p)],
    "gnnBoundProfile": [c_void_p, c_void_p, c_int64, c_void_p, c_int64, Buffer, c_void_p,
                        c_int, POINTER(c_void_p)],
}

# The others: result, then arguments.
PLAIN = {
    "gnnErrorMessage": (c_char_p, c_void_p),
    "gnnErrorKind": (c_int, c_void_p),
    "gnnErrorDestroy": (None, c_void_p),
    "gnnStringDestroy": (None, c_void_p),
    "gnnRuntimeVersion": (c_char_p,),
    "gnnWriteFile": (c_int, c_char_p, c_char_p, c_size_t),
    "gnnPhysicalMemory": (c_int64,),
    "gnnNumThreads": (c_int64,),
    "gnnGraphRelease": (None, c_void_p),
    "gnnGraphIsSquare": (c_bool, c_void_p),
    "gnnGraphNumNodes": (c_int64, c_void_p, c_int),
    "gnnGraphNumEdges": (c_int64, c_void_p),
    "gnnGraphNumNodeTypes": (c_int64, c_void_p),
    "gnnGraphNumEdgeTypes": (c_int64, c_void_p),
    "gnnGraphEdgeEnds": (c_void_p, c_void_p, c_int),
    "gnnGraphEdgeTypes": (c_void_p, c_void_p),
    "gnnGraphNodeTypes": (c_void_p, c_void_p, c_int),
    "gnnGraphSchema": (c_void_p, c_void_p),
    "gnnGraphNodeTypeName": (c_char_p, c_void_p, c_int64),
    "gnnGraphEdgeTypeName": (c_char_p, c_void_p, c_int64),
    "gnnGraphFileRelease": (None, c_void_p),
    "gnnGraphFileGraph": (c_void_p, c_void_p),
    "gnnGraphFileFeatureDim": (c_int64, c_void_p),
    "gnnDeviceRelease": (None, c_void_p),
    "gnnDeviceKind": (c_char_p, c_void_p),
    "gnnDeviceName": (c_char_p, c_void_p),
    "gnnDeviceDescribeGPU": (c_char_p, c_void_p),
    "gnnDeviceFree": (None, c_void_p, c_void_p),
    "gnnPackageRelease": (None, c_void_p),
    "gnnPackageNumFunctions": (c_int64, c_void_p),
    "gnnPackageFunctionName": (c_char_p, c_void_p, c_int64),
    "gnnPackagePlan": (c_char_p, c_void_p),
    "gnnPackageKernels": (c_void_p, c_void_p, c_char_p, POINTER(c_size_t)),
    "gnnBuilderRelease": (None, c_void_p),
    "gnnBuilderCovers": (c_bool, c_void_p, c_void_p),
    "gnnBuildRelease": (None, c_void_p),
    "gnnBuildProblem": (c_char_p, c_void_p),
    "gnnProcessor": (c_bool, c_int64, POINTER(Processor)),
    "gnnModelRelease": (None, c_void_p),
    "gnnModelManifest": (c_char_p, c_void_p),
    "gnnModelTarget": (c_bool, c_void_p, c_int64, POINTER(ModelTarget)),
    "gnnModelParameterData": (Buffer, c_void_p, c_int64),
    "gnnBoundModelRelease": (None, c_void_p),
    "gnnBoundModelNumInputs": (c_int64, c_void_p),
    "gnnBoundModelNumOutputs": (c_int64, c_void_p),
    "gnnBoundModelInput": (c_bool, c_void_p, c_int64, POINTER(NativeTensorInfo)),
    "gnnBoundModelOutput": (c_bool, c_void_p, c_int64, POINTER(NativeTensorInfo)),
    "gnnBoundModelWorkspaceBytes": (c_int64, c_void_p),
    "gnnBoundRelease": (None, c_void_p),
    "gnnBoundWorkspaceBytes": (c_int64, c_void_p),
    "gnnBoundStructureBytes": (c_int64, c_void_p),
    "gnnBoundRows": (None, c_void_p, POINTER(c_int64), c_int64),
}

# Those that read a field. They keep Python's lock: to let go of it, and to wait for it
# where another thread computes, would take far longer than they do.
READS = tuple(name for name in PLAIN
              if not name.endswith(("Release", "Destroy", "Free", "WriteFile")))

# Functions that only libGNN.so has.
COMPILER = {
    "gnnLoadPlugin": [c_char_p],
    "gnnCompileOptionsCreate": [POINTER(c_void_p)],
    "gnnCompileOptionsSet": [c_void_p, c_char_p, c_char_p],
    "gnnCompileOptionsAddGraph": [c_void_p, c_char_p, c_void_p],
    "gnnCompileOptionsDestroy": [c_void_p],
    "gnnCompile": [c_char_p, c_size_t, c_char_p, c_void_p, POINTER(c_void_p)],
    "gnnExplain": [c_char_p, c_size_t, c_char_p, c_void_p, c_int, POINTER(c_void_p)],
    "gnnListSchedules": [c_char_p, c_size_t, c_char_p, c_void_p, c_char_p, c_char_p,
                         POINTER(c_void_p)],
    "gnnTuneSettingsCreate": [POINTER(c_void_p)],
    "gnnTuneSettingsSet": [c_void_p, c_char_p, c_char_p],
    "gnnTuneSettingsSetProgress": [c_void_p, TuneProgress, c_void_p],
    "gnnTuneSettingsDestroy": [c_void_p],
    "gnnTune": [c_char_p, c_size_t, c_char_p, c_void_p, c_void_p, POINTER(Array), c_int64,
                c_void_p, POINTER(c_void_p)],
    "gnnListTargets": [POINTER(c_void_p)],
    "gnnDeviceOpen": [c_char_p, POINTER(c_void_p)],
    "gnnDeviceOpenEmulator": [c_bool, c_int64, POINTER(c_void_p)],
}
