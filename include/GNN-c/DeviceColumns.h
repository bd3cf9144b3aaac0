/*===- DeviceColumns.h - Columns of ids on a device -------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Columns of graphs of several types, one type or relation behind another,
|* written by one call. Runtime.h's rules on errors and lifetimes hold.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_DEVICECOLUMNS_H
#define GNN_C_DEVICECOLUMNS_H

#include "GNN-c/DeviceBuild.h"

#ifdef __cplusplus
extern "C" {
#endif

/** `count` int32 values in `out`: `base`, plus ids where there are some. An id
 *  that is not from 0 to `limit` - 1 gives -1. `base` and what it is with the
 *  greatest id are from 0 to 2^31 - 1. */
typedef struct GnnDeviceColumn {
  GnnBuffer out;
  int64_t count;
  int64_t base;
  GnnDeviceIds ids;
  int64_t limit;
} GnnDeviceColumn;

/** Writes columns that do not overlap; null where there are none. The library
 *  has the kernel, for the devices of gnnBuilderCreate. Does not wait: `out`
 * and `ids` must live until the stream is done. After an error nothing is in
 *  flight. */
GNN_CAPI GnnError *gnnWriteColumns(const GnnDevice *device,
                                   const GnnDeviceColumn *columns,
                                   int64_t numColumns, void *stream);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_DEVICECOLUMNS_H */
