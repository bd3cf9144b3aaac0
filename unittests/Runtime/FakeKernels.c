/*===- FakeKernels.c - A shared object with a kernel --------------------===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* As lld links them of what the compiler makes: the kernel adds to each of `n`
|* rows of `y`, a block each, how often the object was called.
|*
\*===----------------------------------------------------------------------===*/

#include <stdint.h>

#ifdef __x86_64__
#define PROCESSOR "x86-64"
#else
#define PROCESSOR "aarch64"
#endif

const char gnn_kernels[] =
    "{\"version\": 1, \"processor\": \"" PROCESSOR "\", \"kernels\": ["
    "{\"name\": \"count\", \"shared_bytes\": 8, \"parameters\": ["
    "{\"number\": 8}, {\"alignment\": 8, \"bytes\": 0, \"written\": true,"
    " \"element\": \"i64\"}], \"terms\": [{\"argument\": 0}, {\"const\": 0},"
    " {\"const\": 1}], \"arrays\": [{\"argument\": 1, \"element_bytes\": 8,"
    " \"offset\": 1, \"sizes\": [0], \"strides\": [2]}]}]}";

static int64_t calls = 0;

void count(void **arguments, const int64_t *grid, int64_t begin,
           int64_t end) __asm__("gnn_kernel.count");

void count(void **arguments, const int64_t *grid, int64_t begin, int64_t end) {
  int64_t *y = *(int64_t **)arguments[1];
  (void)grid;
  ++calls;
  for (int64_t i = begin; i < end; ++i)
    y[i] += calls;
}
