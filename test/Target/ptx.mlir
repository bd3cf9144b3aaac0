// RUN: gnn-translate %s --gnn-to-ptx | FileCheck %s

gpu.module @kernels {
  // Rows are gathered by 16 bytes a lane through the read-only path; ids are
  // loaded as i32 and widen only for the address, which has 64 bits. No thread
  // needs memory of its own, and the size of a block is known.
  //
  // CHECK-LABEL: .entry gather(
  // CHECK:       .maxntid 128, 1, 1
  // CHECK-NOT:   .local
  // CHECK:       @%[[OUT:p[0-9]+]] bra
  // CHECK:       ld.global.nc.b32 %[[ID:r[0-9]+]], [%rd{{[0-9]+}}]
  // CHECK:       mul.wide.s32 %[[BYTES:rd[0-9]+]], %[[ID]], 256
  // CHECK:       add.s64 %[[ROW:rd[0-9]+]], %rd{{[0-9]+}}, %[[BYTES]]
  // CHECK:       ld.global.nc.v4.b32
  // CHECK-NOT:   ld.global
  // CHECK:       st.global.v4.b32
  gpu.func @gather(%x: memref<1x64xf32> {llvm.noalias, llvm.readonly},
                   %ids: memref<1xi32> {llvm.noalias, llvm.readonly},
                   %y: memref<1x64xf32> {llvm.noalias}, %n: index, %e: index)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %xs = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 64], strides: [64, 1] : memref<1x64xf32> to memref<?x64xf32>
    %is = memref.reinterpret_cast %ids to offset: [0], sizes: [%e], strides: [1] : memref<1xi32> to memref<?xi32>
    %ys = memref.reinterpret_cast %y to offset: [0], sizes: [%e, 64], strides: [64, 1] : memref<1x64xf32> to memref<?x64xf32>
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %first = arith.muli %block, %c8 : index
    %inside = arith.divui %thread, %c16 : index
    %row = arith.addi %first, %inside : index
    %lane = arith.remui %thread, %c16 : index
    %column = arith.muli %lane, %c4 : index
    %valid = arith.cmpi slt, %row, %e : index
    scf.if %valid {
      %id = memref.load %is[%row] : memref<?xi32>
      %from = arith.index_cast %id : i32 to index
      %v = vector.load %xs[%from, %column] {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
      vector.store %v, %ys[%row, %column] {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
    }
    gpu.return
  }

  // A lane that is out takes no part: the vector tail is loads of single
  // elements under predicates, not a vector load past the end.
  //
  // CHECK-LABEL: .entry tail(
  // CHECK-NOT:   .v4
  // CHECK-COUNT-4: ld.global.nc.b32
  // CHECK-NOT:   ld.global
  gpu.func @tail(%x: memref<1x7xf32> {llvm.noalias, llvm.readonly},
                 %y: memref<1x7xf32> {llvm.noalias}, %n: index) kernel {
    %xs = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 7], strides: [7, 1] : memref<1x7xf32> to memref<?x7xf32>
    %ys = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 7], strides: [7, 1] : memref<1x7xf32> to memref<?x7xf32>
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %thread = gpu.thread_id x
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c4 : index
    %left = arith.subi %c7, %column : index
    %mask = vector.create_mask %left : vector<4xi1>
    %none = ub.poison : vector<4xf32>
    %v = vector.maskedload %xs[%row, %column], %mask, %none : memref<?x7xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.maskedstore %ys[%row, %column], %mask, %v : memref<?x7xf32>, vector<4xi1>, vector<4xf32>
    gpu.return
  }

  // Functions come without CUDA's library; quotients and roots are rounded to
  // the nearest, and a product is fused with a difference only where the IR says so.
  //
  // CHECK-LABEL: .entry functions(
  // CHECK-NOT:   __nv_
  // CHECK-NOT:   .approx
  // CHECK-NOT:   .ftz
  // CHECK-NOT:   call
  // CHECK:       sqrt.rn.f32
  // CHECK:       {{(div.rn|rcp.rn)}}.f32
  // CHECK:       mul.rn.f32
  // CHECK:       sub.rn.f32
  // CHECK:       fma.rn.f32
  gpu.func @functions(%x: memref<32xf32> {llvm.noalias}) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<32xf32>
    %rsqrt = math.rsqrt %v : f32
    %product = arith.mulf %rsqrt, %v : f32
    %difference = arith.subf %product, %v : f32
    %exp = math.exp %difference : f32
    memref.store %exp, %x[%i] : memref<32xf32>
    gpu.return
  }
}
