// RUN: gnn-opt %s | FileCheck %s --check-prefixes=A,B
// A: func
// B-NOT: func
