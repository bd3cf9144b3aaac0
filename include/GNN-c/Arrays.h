/*===- Arrays.h - Named arrays and their files -------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Arrays of the host, which models take (Model.h) and .npz files contain. The
|* rules of Runtime.h on errors and lifetimes hold.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_ARRAYS_H
#define GNN_C_ARRAYS_H

#include "GNN-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An array in memory of the host: dense, in C order, of any alignment. */
typedef struct GnnArray {
  const char *name;
  /** The type of an element: "f32", "i64", ... */
  const char *dtype;
  int64_t rank;
  const int64_t *shape;
  const void *data;
} GnnArray;

/** The arrays of an .npz file. */
typedef struct GnnArrayFile GnnArrayFile;

/** Reads an .npz file, whose arrays are numbers in C order. */
GNN_CAPI GnnError *gnnArrayFileLoad(const char *path, GnnArrayFile **file);
GNN_CAPI void gnnArrayFileRetain(GnnArrayFile *file);
GNN_CAPI void gnnArrayFileRelease(GnnArrayFile *file);

/** Describe an array, which is found by its index in the order of names or by
 *  its name. The result is false if there is no such array. */
GNN_CAPI int64_t gnnArrayFileNumArrays(const GnnArrayFile *file);
GNN_CAPI bool gnnArrayFileArray(const GnnArrayFile *file, int64_t index,
                                GnnArray *array);
GNN_CAPI bool gnnArrayFileFind(const GnnArrayFile *file, const char *name,
                               GnnArray *array);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_ARRAYS_H */
