/*===- DeviceColumns.h - Columns of ids on a device -------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Writes columns of ids for graphs with several types in one call. In a column
|* the ids of one type follow those of the previous type. The rules of Runtime.h
|* on errors and lifetimes hold.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_DEVICECOLUMNS_H
#define GNN_C_DEVICECOLUMNS_H

#include "GNN-c/DeviceBuild.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A column of `count` int32 values in `out`: the id plus `base`, or `base`
 *  alone if `ids` are null. An id outside [0, `limit`) gives -1. `base`, and
 *  its sum with the greatest id, are from 0 to 2^31 - 1. */
typedef struct GnnDeviceColumn {
  GnnBuffer out;
  int64_t count;
  int64_t base;
  GnnDeviceIds ids;
  int64_t limit;
} GnnDeviceColumn;

/** Writes columns, which must not overlap. `columns` may be null if there are
 *  none. The devices are those of gnnBuilderCreate. The call does not wait:
 *  `out` and `ids` must live until the stream is done. After an error no launch
 *  is in flight. */
GNN_CAPI GnnError *gnnWriteColumns(const GnnDevice *device,
                                   const GnnDeviceColumn *columns,
                                   int64_t numColumns, void *stream);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_DEVICECOLUMNS_H */
