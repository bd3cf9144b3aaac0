// RUN: gnn-opt %s | FileCheck %s
// CHECK: %0 = arith.addi
