# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ceilings of torch's current GPU: kernels of CUDA C that do nothing but copy, gather, multiply
and wait. ceilings.py makes figures of them.

Needs torch with CUDA, and NVRTC and the driver, which such a torch brings or needs.
"""

import ctypes
import ctypes.util
import functools
import itertools
import pathlib
import subprocess

import torch

from ceilings import summarize
from race import OnGPU

# The limit of benchmarks/sparse too, which knows its hash.
GATHER = r"""
// A row is LANES vectors, which GROUP lanes of a warp read, each PARTS of them. Rows lie
// APART vectors from each other. A warp loads 32 ids at once and has UNROLL vectors a lane in
// flight.
#define GROUP (LANES < 32 ? LANES : 32)
#define PARTS (LANES / GROUP)
#define AT_ONCE (UNROLL / PARTS > 0 ? UNROLL / PARTS : 1)
#define STEPS (AT_ONCE < GROUP ? AT_ONCE : GROUP)
#define CHUNKS (AT_ONCE / STEPS)

__device__ float total(float2 v) { return v.x + v.y; }
__device__ float total(float4 v) { return v.x + v.y + v.z + v.w; }

extern "C" __global__ void __launch_bounds__(256)
gather(const VECTOR *table, const int *ids, long long chunks, long long each, float *out) {
  int lane = threadIdx.x % 32, row = lane / GROUP, part = lane % GROUP;
  long long warp = (blockIdx.x * 256ll + threadIdx.x) / 32;
  long long end = min(chunks, (warp + 1) * each);
  float sum = 0;
  for (long long chunk = warp * each; chunk < end; chunk += CHUNKS) {
    int id[CHUNKS];
#pragma unroll
    for (int c = 0; c < CHUNKS; ++c)
      id[c] = __ldcs(ids + (chunk + c) * 32 + lane);
#pragma unroll 1
    for (int first = 0; first < GROUP; first += STEPS) {
      VECTOR read[CHUNKS][STEPS][PARTS];
#pragma unroll
      for (int c = 0; c < CHUNKS; ++c)
#pragma unroll
        for (int s = 0; s < STEPS; ++s) {
          long long from = __shfl_sync(~0u, id[c], (first + s) * (32 / GROUP) + row);
#pragma unroll
          for (int p = 0; p < PARTS; ++p)
            read[c][s][p] = __ldg(table + from * APART + p * GROUP + part);
        }
#pragma unroll
      for (int c = 0; c < CHUNKS; ++c)
#pragma unroll
        for (int s = 0; s < STEPS; ++s)
#pragma unroll
          for (int p = 0; p < PARTS; ++p)
            sum += total(read[c][s][p]);
    }
  }
  for (int other = 16; other; other /= 2)
    sum += __shfl_xor_sync(~0u, sum, other);
  if (lane == 0)
    out[warp] = sum;
}
"""

_BODY = GATHER[GATHER.index("  int lane"):GATHER.rindex("}")].replace("blockIdx.x", "block")
# The same beside what is read and written in order.
STREAMS = r"""
static __device__ void gatherPart(const VECTOR *table, const int *ids, long long chunks,
                                  long long each, float *out, long long block) {
""" + _BODY + r"""}

// Beside GATHERING blocks that gather, one takes its share of what is streamed, in vectors of 16
// bytes.
extern "C" __global__ void __launch_bounds__(256)
gather_beside(const VECTOR *table, const int *ids, long long chunks, long long each,
              const float4 *source, long long reads, float4 *target, long long writes,
              float *out) {
  long long group = blockIdx.x / (GATHERING + 1), groups = gridDim.x / (GATHERING + 1);
  if (blockIdx.x % (GATHERING + 1) < GATHERING)
    return gatherPart(table, ids, chunks, each, out, blockIdx.x - group);
  float sum = 0;
#pragma unroll 4
  for (long long i = group * reads / groups + threadIdx.x; i < (group + 1) * reads / groups;
       i += 256)
    sum += total(__ldcs(source + i));
#pragma unroll 4
  for (long long i = group * writes / groups + threadIdx.x; i < (group + 1) * writes / groups;
       i += 256)
    __stcs(target + i, make_float4(1, 1, 1, 1));
  if (sum != 0) // never, of zeros
    out[0] = sum;
}
"""

SOURCE = GATHER + STREAMS + r"""
// CHAINS numbers a thread, each of which waits for itself. The summand is no register:
// three of them may be in one bank.
extern "C" __global__ void __launch_bounds__(512)
multiply(float factor, long long rounds, float *out) {
  float v[CHAINS];
  for (int i = 0; i < CHAINS; ++i)
    v[i] = threadIdx.x + i;
#pragma unroll 1
  for (long long round = 0; round < rounds; ++round)
#pragma unroll
    for (int step = 0; step < 512 / CHAINS; ++step)
#pragma unroll
      for (int i = 0; i < CHAINS; ++i)
        v[i] = fmaf(v[i], factor, 0.5f);
  float sum = 0;
  for (int i = 0; i < CHAINS; ++i)
    sum += v[i];
  out[blockIdx.x * 512ll + threadIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
next(const float *in, float *out) {
  long long i = blockIdx.x * 256ll + threadIdx.x;
  out[i] = __ldcg(in + i) + 1;
}

extern "C" __global__ void empty() {}
"""


@functools.cache
def library(name):
    """A library of CUDA's, such as "nvrtc": what torch brings, or the system's. Raises
    OSError."""
    beside = pathlib.Path(torch.__file__).parents[1] / "nvidia"
    found = [str(path) for path in sorted(beside.glob(f"**/lib{name}.so.*"))
             if "alt" not in path.name]
    for path in [*found, *(f"lib{name}.so.{n}" for n in (13, 12, 11)),
                 ctypes.util.find_library(name)]:
        try:
            return ctypes.CDLL(path)
        except (OSError, TypeError):
            continue
    raise OSError(f"expected CUDA's lib{name} beside torch or in the path of libraries, got "
                  "none")


def _nvrtc():
    try:
        return library("nvrtc")
    except OSError as error:
        raise SystemExit(str(error)) from None


@functools.cache
def _driver():
    return ctypes.CDLL("libcuda.so.1")


def _check(status, what):
    if status:
        raise RuntimeError(f"{what}: error {status}")


def _binary(source, options):
    """Machine code of CUDA C for torch's current GPU."""
    nvrtc, program = _nvrtc(), ctypes.c_void_p()
    chip = "sm_{}{}".format(*torch.cuda.get_device_capability())
    lines = [f"--gpu-architecture={chip}".encode(), *(line.encode() for line in options)]
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"ceilings.cu",
                                    0, None, None), "nvrtcCreateProgram")
    size = ctypes.c_size_t()
    if nvrtc.nvrtcCompileProgram(program, len(lines), (ctypes.c_char_p * len(lines))(*lines)):
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(log.value.decode())
    _check(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)), "nvrtcGetCUBINSize")
    binary = ctypes.create_string_buffer(size.value)
    _check(nvrtc.nvrtcGetCUBIN(program, binary), "nvrtcGetCUBIN")
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return binary


class Kernel:
    """A kernel of SOURCE with these macros: called with blocks, threads of each, and
    tensors, ints and floats, it is launched on torch's current stream."""

    def __init__(self, name, **macros):
        options = [f"-D{key}={value}" for key, value in macros.items()]
        torch.cuda.current_stream().synchronize()  # opens the context
        self._binary, module = _binary(SOURCE, options), ctypes.c_void_p()
        self._function = ctypes.c_void_p()
        _check(_driver().cuModuleLoadData(ctypes.byref(module), self._binary),
               "cuModuleLoadData")
        _check(_driver().cuModuleGetFunction(ctypes.byref(self._function), module,
                                             name.encode()), "cuModuleGetFunction")

    def __call__(self, blocks, threads, *arguments):
        kinds = {int: ctypes.c_longlong, float: ctypes.c_float}
        values = [kinds[type(a)](a) if type(a) in kinds else ctypes.c_void_p(a.data_ptr())
                  for a in arguments]
        pointers = (ctypes.c_void_p * len(values))(
            *(ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        _check(_driver().cuLaunchKernel(self._function, blocks, 1, 1, threads, 1, 1, 0,
                                        stream, pointers, None), "cuLaunchKernel")


class GPU:
    """Torch's current GPU. It measures times of single runs, in seconds, and what each did: bytes
    or operations."""

    target = place = "cuda"
    # Bytes that a gather reads in all: a run that an idle GPU starts takes some 20 us more
    # than what it does.
    GATHERED = 2**33
    UNROLLS = (4, 8, 16)

    def __init__(self, runs=15):
        if not torch.cuda.is_available():
            raise SystemExit("--target: expected cpu, since torch finds no GPU, got cuda")
        self.runs = runs
        self._kernels = {}
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        self.title, self.processors = properties.name, properties.multi_processor_count
        self.chip = "sm_{}{}".format(*torch.cuda.get_device_capability())
        self.l2_bytes = properties.L2_cache_size
        free, _ = torch.cuda.mem_get_info()
        self.largest_table = min(2**32, 2 ** (free // 4).bit_length() // 2)
        self._table = None

    def about(self):
        """Its name, and the clocks that it has while it works."""
        self.busy(2.0)
        names = {"SM clock": "clocks.sm", "at most": "clocks.max.sm"}
        answer = subprocess.run(
            ["nvidia-smi", f"--query-gpu={','.join(names.values())}",
             "--format=csv,noheader"], capture_output=True, text=True, check=False).stdout
        torch.cuda.synchronize()
        first, = answer.splitlines()[:1] or [""]
        return {**OnGPU().about(), **dict(zip(names, first.split(", ")))}

    def inputs(self, arrays):
        return {name: torch.as_tensor(array).cuda() for name, array in arrays.items()}

    def kernel(self, name, **macros):
        macros = {"VECTOR": "float4", "LANES": 1, "APART": "LANES", "UNROLL": 1, "CHAINS": 8,
                  "GATHERING": 1, **macros}
        key = (name, *macros.values())
        if key not in self._kernels:
            self._kernels[key] = Kernel(name, **macros)
        return self._kernels[key]

    def times(self, run, before=lambda: None):
        """The time of each run by CUDA events. `before` comes first each time and is not timed."""
        found = []
        for number in range(self.runs + 2):
            before()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            run()
            end.record()
            end.synchronize()
            if number >= 2:
                found.append(begin.elapsed_time(end) / 1e3)
        return found

    def _captured(self, run, count):
        """A replay of so many runs, one after another."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            run()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(count):
                run()
        graph.keeps = run
        return graph.replay

    def seconds(self, run, cold=False):
        """Times of a run of a bound function, by replays of a CUDA graph of 2 ms and more;
        `cold`: with nothing of it in the L2, as one."""
        if not cold:
            once = summarize(self.times(self._captured(run, 5)))[0] / 5
            count = max(5, min(200, int(2e-3 / once)))
            return [t / count for t in self.times(self._captured(run, count))]
        other = torch.empty(4 * self.l2_bytes, dtype=torch.uint8, device="cuda")
        return self.times(self._captured(run, 1), before=lambda: other.fill_(1))

    def busy(self, seconds):
        """Starts work that takes about so long, and does not wait for it."""
        _, run = self._multiply(1, 1000)
        once = summarize(self.times(run))[0]
        _, run = self._multiply(1, int(1000 * seconds / once))
        run()

    def warm(self):
        self.busy(0.5)
        torch.cuda.synchronize()

    def copy(self):
        """Bytes read and written, and times."""
        size = min(2**32, self.largest_table)
        source = torch.rand(size // 4, device="cuda")
        target = torch.empty_like(source)
        return 2 * size, self.times(lambda: target.copy_(source))

    def _rows(self, table_bytes):
        if self._table is None:
            self._table = torch.rand(self.largest_table // 4, device="cuda")
        return self._table[:table_bytes // 4]

    def gather(self, table_bytes, row_bytes):
        """Bytes of rows in random order, and times, of the fastest of some kernels."""
        table, count = self._rows(table_bytes), self.GATHERED // row_bytes
        ids = torch.randint(table_bytes // row_bytes, (count,), dtype=torch.int32,
                            device="cuda")
        found = []
        for unroll in self.UNROLLS:
            _, run = self.gathering(table, ids, row_bytes, unroll)
            found.append(self.times(run))
        return self.GATHERED, min(found, key=lambda times: summarize(times)[0])

    def gathering(self, table, ids, row_bytes, unroll, apart=None, streams=None):
        """The sums of warps, and what computes them: of the first `row_bytes`, a power of two
        from 8 on, of rows that lie `apart` bytes from each other (None: side by side). ids are
        a multiple of 32 times `unroll`. With `streams`, two tensors of floats and a number, a block
        beside so many others reads its share of the first tensor, of zeros, and writes ones to that
        of the second: whole vectors of 16 bytes."""
        vector = min(16, row_bytes)
        lanes, chunks = row_bytes // vector, len(ids) // 32
        kernel = self.kernel("gather_beside" if streams else "gather",
                             VECTOR=f"float{vector // 4}", LANES=lanes,
                             APART=(apart or row_bytes) // vector, UNROLL=unroll,
                             **({"GATHERING": streams[2]} if streams else {}))
        beside = [argument for tensor in (streams or ())[:2]
                  for argument in (tensor, tensor.numel() // 4)]
        # A warp takes whole batches, and there are some 65,536 warps.
        batch = max(1, unroll // max(lanes, 1)) if lanes < 32 else 1
        each = batch * max(1, chunks // batch // 2**16)
        warps = -(-chunks // each)
        blocks = launched = -(-warps // 8)
        if streams:
            groups = -(-blocks // streams[2])
            blocks, launched = groups * streams[2], groups * (streams[2] + 1)
        out = torch.empty(blocks * 8, device="cuda")
        return out, lambda: kernel(launched, 256, table, ids, chunks, each, *beside, out)

    def check(self):
        """Raises where a kernel computes anything else than what is timed."""
        table = torch.rand(2**22, device="cuda")
        widths = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
        for row_bytes, apart in (*((width, 1) for width in widths), (8, 4), (128, 2), (2048, 4)):
            rows = table.view(-1, apart * row_bytes // 4)[:, :row_bytes // 4]
            ids = torch.randint(len(rows), (2**15,), dtype=torch.int32, device="cuda")
            expected = rows.sum(1, dtype=torch.float64)[ids.long()].sum().item()
            for unroll in self.UNROLLS:
                out, run = self.gathering(rows, ids, row_bytes, unroll, apart * row_bytes)
                out.fill_(float("nan"))
                run()
                got = out.double().sum().item()
                if not abs(got - expected) <= 1e-5 * expected:
                    raise AssertionError(f"rows of {row_bytes} bytes, {apart} times as far "
                                         f"apart, {unroll} in flight: "
                                         f"expected a sum of {expected}, got {got}")
        a, b = torch.zeros(256, device="cuda"), torch.empty(256, device="cuda")
        self._chain(a, b, 1, 10)()
        if not (a == 10).all():
            raise AssertionError(f"a chain of 10 kernels: expected 10, got {a}")

    def _multiply(self, blocks, rounds, chains=8):
        """Operations of so many blocks a multiprocessor, and what computes them."""
        kernel, grid = self.kernel("multiply", CHAINS=chains), blocks * self.processors
        out = torch.empty(grid * 512, device="cuda")
        return (2.0 * 512 * grid * 512 * rounds,
                lambda: kernel(grid, 512, 0.999, rounds, out))

    def flops(self):
        """Operations of fused multiply-adds, and times, of the fastest of some kernels."""
        found = []
        for blocks, chains in itertools.product((1, 2, 4), (4, 8, 16)):
            work, run = self._multiply(blocks, 8000 // blocks, chains)
            found.append((work, self.times(run)))
        return max(found, key=lambda one: one[0] / summarize(one[1])[0])

    def product_flops(self):
        """The same of torch's product of two large matrices, in fp32."""
        torch.backends.cuda.matmul.allow_tf32 = False
        a, b = (torch.rand(8192, 8192, device="cuda") for _ in range(2))
        out = torch.empty_like(a)
        return 2.0 * 8192**3, self.times(lambda: torch.mm(a, b, out=out))

    def _chain(self, a, b, blocks, count):
        kernel = self.kernel("next")

        def run():
            for number in range(count):
                kernel(blocks, 256, *((a, b) if number % 2 == 0 else (b, a)))
        return run

    def launches(self, count=500):
        """Times from kernel to kernel where each reads what the last one wrote, by how
        they are launched: of one block, and of as many as the GPU holds."""
        found = {}
        for name, blocks in (("one block", 1), ("all of it", 8 * self.processors)):
            a, b = (torch.zeros(blocks * 256, device="cuda") for _ in range(2))
            chain = self._chain(a, b, blocks, count)
            replay = self._captured(chain, 1)
            found[f"{name}, graph"] = [t / count for t in self.times(replay)]
            # The queue is filled while another kernel runs.
            found[f"{name}, stream"] = [t / count for t in self._queued(chain)]
        return found

    def _queued(self, run):
        """Times of a run that is launched while another kernel runs."""
        found = []
        for _ in range(self.runs):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            self.busy(0.05)
            begin.record()
            run()
            end.record()
            if begin.query():
                raise AssertionError("expected launches to be faster than the kernel "
                                     "before them")
            end.synchronize()
            found.append(begin.elapsed_time(end) / 1e3)
        return found
