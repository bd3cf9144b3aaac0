// RUN: gnn-opt %s --gnn-attach-target | FileCheck %s
// RUN: gnn-opt %s --gnn-attach-target=chip=h200 --gnn-attach-target=chip=sm_90 | FileCheck %s
// RUN: gnn-opt %s --gnn-attach-target=chip=h100 --gnn-attach-target=chip=sm_90 --gnn-attach-target | FileCheck %s --check-prefix=KEPT
// RUN: gnn-opt %s --gnn-attach-target="kind=emulator chip=sm_75" --remarks-filter=gnn-attach-target \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: gnn-opt %s --gnn-attach-target=chip=rtx3090 --remarks-filter=gnn-attach-target \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: gnn-opt %s --gnn-attach-target='chip={sm_90, NVIDIA H100 80GB HBM3: processors=132 clock=1.98e+09}' | FileCheck %s --check-prefix=KEPT
// RUN: gnn-opt %s --remarks-filter=gnn-attach-target --remark-format=emitRemark \
// RUN:   --gnn-attach-target='chip={sm_89, NVIDIA L40S: processors=142 clock=2.52e+09 l2_bytes=1.00663e+08 memory_bandwidth=8.64e+11}' 2>&1 | FileCheck %s --check-prefix=DESCRIBED
// RUN: not gnn-opt %s --gnn-attach-target='chip={sm_89, NVIDIA L40S: processors=many}' 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not gnn-opt %s --gnn-attach-target='chip={sm_89, NVIDIA L40S: clock=inf}' 2>&1 | FileCheck %s --check-prefix=INFINITE
// RUN: gnn-opt %s --gnn-attach-target='kind=emulator chip=h100' --gnn-attach-target=chip=h100 --gnn-attach-target=kind=emulator | FileCheck %s --check-prefix=SAME
// RUN: not gnn-opt %s --gnn-attach-target=chip=gtx1080 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not gnn-opt %s --gnn-attach-target='chip={sm_89, L40S: clock=2e9 clock=3e9}' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not gnn-opt %s --gnn-attach-target='chip={sm_89, : clock=2e9}' 2>&1 | FileCheck %s --check-prefix=NAMELESS
// RUN: not gnn-opt %s --gnn-attach-target='kind=cpu chip=sm_90' 2>&1 | FileCheck %s --check-prefix=PROCESSOR
// RUN: not gnn-opt %s --gnn-attach-target='kind=emulator vector=4' 2>&1 | FileCheck %s --check-prefix=NOCORES
// RUN: not gnn-opt %s --gnn-attach-target='kind=cpu vector=8' --gnn-attach-target=vector=16 2>&1 | FileCheck %s --check-prefix=OTHERCORES
// RUN: gnn-opt %s --gnn-attach-target='chip={sm_89, X: clock=1.98e9}' | FileCheck %s --check-prefix=LEFTOUT
// RUN: not gnn-opt %s --gnn-attach-target=chip=h100 --gnn-attach-target=chip=h200 2>&1 | FileCheck %s --check-prefix=OTHER

// The limits, abilities and figures of a GPU by its name, by its chip, or by what
// its driver says of it.

// CHECK: #target = #gnn.target<kind = "cuda", name = "h200", chip = "sm_90", limits = {lanes = 32, threads = 1024, processor_threads = 2048, processor_blocks = 32, shared_bytes = 49152, registers = 65536}, abilities = [tf32, async_copies, cache_policies, fast_powers, long_rows], figures = {memory_bandwidth = 4.300000e+12, l2_bytes = 6.000000e+07,
// CHECK: module attributes {gnn.target = #target}

// TWICE: error: gnn-attach-target: expected {{.*}} each once and 1 or more, got 'clock=3e9'
// NAMELESS: error: gnn-attach-target: expected a GPU as 'CHIP, NAME: ...', got 'sm_89, '
// PROCESSOR: error: gnn-attach-target: expected a processor that LLVM knows, got 'sm_90'
// NOCORES: error: gnn-attach-target: expected 'vector' and 'vector-registers' with kind=cpu, got emulator
// OTHERCORES: error: target: expected #gnn.target<kind = "cpu", {{.*}}vector = 8, {{.*}}which the module is for, got
// LEFTOUT: chip = "sm_89", {{.*}}, figures = {memory_bandwidth = 4.300000e+12, l2_bytes = 6.000000e+07,
// KEPT: name = "h100"
// SAME: kind = "emulator", name = "h100"
// UNKNOWN: remark: {{.*}}no figures are known of sm_75, costs are those of NVIDIA H200 SXM
// UNKNOWN: #gnn.target<kind = "emulator", name = "", chip = "sm_75", {{.*}}processor_threads = 1024, processor_blocks = 16, {{.*}}, abilities = [fast_powers, long_rows], figures = {memory_bandwidth = 4.300000e+12,
// KNOWN:   remark: {{.*}}costs are those of NVIDIA GeForce RTX 3090, of whose 17 figures 15 are derived from those of another GPU
// KNOWN:   memory_bandwidth = 8.38{{[0-9]+}}e+11
// DESCRIBED: remark: {{.*}}costs are by what the driver says of NVIDIA L40S
// DESCRIBED: #gnn.target<kind = "cuda", name = "NVIDIA L40S", chip = "sm_89", {{.*}}processor_threads = 1536, processor_blocks = 24, {{.*}}, figures = {memory_bandwidth = 7.7{{[0-9]+}}e+11, l2_bytes = 1.006630e+08, {{.*}}processors = 1.420000e+02,
// WRONG:   error: gnn-attach-target: expected processors, clock, l2_bytes and memory_bandwidth=NUMBER of a GPU, each once and 1 or more, got 'processors=many'
// INFINITE: error: gnn-attach-target: expected processors, clock, l2_bytes and memory_bandwidth=NUMBER of a GPU, each once and 1 or more, got 'clock=inf'
// NONE:    error: gnn-attach-target: expected h200, h100, a100, rtx3090 or a chip of sm_70, {{.*}}, got 'gtx1080'
// OTHER:   error: target: expected cuda, NVIDIA H100 SXM, which the module is for, got cuda, NVIDIA H200 SXM
module {
}

// Cores of a CPU are weighed as such.
// RUN: gnn-opt %s --gnn-attach-target='kind=cpu vector=8 vector-registers=16' \
// RUN:   --remarks-filter=gnn-attach-target 2>&1 | FileCheck %s --check-prefix=CORES
// CORES: remark: {{.*}}no figures are known of cpu, costs are those of 16 threads of an Intel Xeon
// CORES: kind = "cpu"{{.*}}memory_bandwidth = 7.18
