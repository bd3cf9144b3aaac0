// RUN: gnn-opt %s | FileCheck %s --check-prefix=WIDE
// WIDEE-LABEL: func
