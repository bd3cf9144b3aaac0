/*===- Arrays.h - Named arrays and their files -------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Arrays of the host, as models take them (Model.h) and .npz files have them.
|* Runtime.h's rules on errors and lifetimes hold.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_ARRAYS_H
#define GNN_C_ARRAYS_H

#include "GNN-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An array in memory of the host, dense, in C order, of any alignment. */
typedef struct GnnArray {
  const char *name;
  /** "f32", "i64", ... */
  const char *dtype;
  int64_t rank;
  const int64_t *shape;
  const void *data;
} GnnArray;

/** All arrays of an .npz file. */
typedef struct GnnArrayFile GnnArrayFile;

/** Reads a file of numbers, in C order. */
GNN_CAPI GnnError *gnnArrayFileLoad(const char *path, GnnArrayFile **file);
GNN_CAPI void gnnArrayFileRetain(GnnArrayFile *file);
GNN_CAPI void gnnArrayFileRelease(GnnArrayFile *file);

/** Describes an array, by its index in the order of names or by its name; false
 *  where there is none. */
GNN_CAPI int64_t gnnArrayFileNumArrays(const GnnArrayFile *file);
GNN_CAPI bool gnnArrayFileArray(const GnnArrayFile *file, int64_t index,
                                GnnArray *array);
GNN_CAPI bool gnnArrayFileFind(const GnnArrayFile *file, const char *name,
                               GnnArray *array);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_ARRAYS_H */
