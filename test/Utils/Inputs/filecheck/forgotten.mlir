// RUN: gnn-opt %s
// CHECK: func
