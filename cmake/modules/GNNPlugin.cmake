# gnn_add_pass_plugin(NAME SOURCE... [PASSES FILE.td])
#
# A library of passes that `gnn-opt --load-pass-plugin=NAME.so` loads. Of the
# .td file, FILE.h.inc is made. The plugin links nothing: gnn-opt has GNN and
# MLIR, and a second copy of either would register everything twice.
function(gnn_add_pass_plugin name)
  cmake_parse_arguments(ARG "" "PASSES" "" ${ARGN})
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
    ${GNN_INCLUDE_DIR} ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${name} PRIVATE -fno-rtti)
  endif()

  if(ARG_PASSES)
    get_filename_component(stem ${ARG_PASSES} NAME_WE)
    set(LLVM_TARGET_DEFINITIONS ${ARG_PASSES})
    include_directories(${GNN_INCLUDE_DIR} ${MLIR_INCLUDE_DIRS})
    mlir_tablegen(${stem}.h.inc -gen-pass-decls -name ${name})
    add_public_tablegen_target(${name}IncGen)
    add_dependencies(${name} ${name}IncGen)
  endif()
endfunction()
