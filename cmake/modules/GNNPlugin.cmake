# gnn_add_plugin(NAME SOURCE... [PASSES FILE.td] [OPS FILE.td DIALECT MNEMONIC])
#
# A shared object that gnn-opt, gnn-run and Python load. Of PASSES' file,
# FILE.h.inc is made; of OPS' file, which defines a dialect, its ops and
# its attributes, FILEDialect, FILE and FILEAttributes with {.h,.cpp}.inc. It links the compiler and the MLIR
# that the process has: a copy of its own would register everything twice.
function(gnn_add_plugin name)
  cmake_parse_arguments(ARG "" "PASSES;OPS;DIALECT" "" ${ARGN})
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")

  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_compile_options(${name} PRIVATE ${definitions})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  target_include_directories(${name} SYSTEM PRIVATE
    ${GNN_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_link_libraries(${name} PRIVATE GNN::Compiler MLIR LLVM)
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${name} PRIVATE -fno-rtti)
  endif()

  include_directories(${GNN_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  if(ARG_PASSES)
    get_filename_component(stem ${ARG_PASSES} NAME_WE)
    set(LLVM_TARGET_DEFINITIONS ${ARG_PASSES})
    mlir_tablegen(${stem}.h.inc -gen-pass-decls -name ${name})
  endif()
  if(ARG_OPS)
    get_filename_component(stem ${ARG_OPS} NAME_WE)
    set(LLVM_TARGET_DEFINITIONS ${ARG_OPS})
    mlir_tablegen(${stem}Dialect.h.inc -gen-dialect-decls -dialect=${ARG_DIALECT})
    mlir_tablegen(${stem}Dialect.cpp.inc -gen-dialect-defs -dialect=${ARG_DIALECT})
    mlir_tablegen(${stem}.h.inc -gen-op-decls -dialect=${ARG_DIALECT})
    mlir_tablegen(${stem}.cpp.inc -gen-op-defs -dialect=${ARG_DIALECT})
    mlir_tablegen(${stem}Attributes.h.inc -gen-attrdef-decls
                  -attrdefs-dialect=${ARG_DIALECT})
    mlir_tablegen(${stem}Attributes.cpp.inc -gen-attrdef-defs
                  -attrdefs-dialect=${ARG_DIALECT})
  endif()
  if(ARG_PASSES OR ARG_OPS)
    add_public_tablegen_target(${name}IncGen)
    add_dependencies(${name} ${name}IncGen)
  endif()
endfunction()
