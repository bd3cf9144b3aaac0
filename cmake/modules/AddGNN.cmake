# One call per kind of thing this project builds. Code and documentation come
# from the same call, so that nothing can be registered and undocumented.

# Generates a dialect's ops, types, attributes, enums and its page. `name` is
# the prefix of the .td files, `mnemonic` the dialect's name in the IR. The ops
# are in ${name}Ops.td, or in the files named after it, each with code of its own;
# all of them are in ${name}Ops.td or else in ${name}Dialect.td, for the page.
function(add_gnn_dialect name mnemonic)
  set(themes ${ARGN})
  if(NOT themes)
    set(themes ${name}Ops)
  endif()
  set(page ${name}Ops)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}Dialect.td)
    set(page ${name}Dialect)
  endif()
  foreach(theme ${themes})
    set(LLVM_TARGET_DEFINITIONS ${theme}.td)
    mlir_tablegen(${theme}.h.inc -gen-op-decls -dialect=${mnemonic})
    mlir_tablegen(${theme}.cpp.inc -gen-op-defs -dialect=${mnemonic})
  endforeach()
  set(LLVM_TARGET_DEFINITIONS ${name}Ops.td)
  mlir_tablegen(${name}Types.h.inc -gen-typedef-decls -typedefs-dialect=${mnemonic})
  mlir_tablegen(${name}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${mnemonic})
  mlir_tablegen(${name}Attributes.h.inc -gen-attrdef-decls -attrdefs-dialect=${mnemonic})
  mlir_tablegen(${name}Attributes.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${mnemonic})
  mlir_tablegen(${name}Dialect.h.inc -gen-dialect-decls -dialect=${mnemonic})
  mlir_tablegen(${name}Dialect.cpp.inc -gen-dialect-defs -dialect=${mnemonic})
  set(LLVM_TARGET_DEFINITIONS ${name}Enums.td)
  mlir_tablegen(${name}Enums.h.inc -gen-enum-decls)
  mlir_tablegen(${name}Enums.cpp.inc -gen-enum-defs)
  add_public_tablegen_target(GNN${name}IncGen)
  add_dependencies(mlir-headers GNN${name}IncGen)
  add_mlir_doc(${page} ${name}Dialect Dialects/ -gen-dialect-doc -dialect=${mnemonic})
endfunction()

# Generates the interfaces of a dialect, of its `op`s or `attr`s, and their page.
function(add_gnn_interfaces td kind)
  set(LLVM_TARGET_DEFINITIONS ${td}.td)
  mlir_tablegen(${td}.h.inc -gen-${kind}-interface-decls)
  mlir_tablegen(${td}.cpp.inc -gen-${kind}-interface-defs)
  add_public_tablegen_target(GNN${td}IncGen)
  add_dependencies(mlir-headers GNN${td}IncGen)
  add_mlir_doc(${td} ${td} Interfaces/ -gen-${kind}-interface-docs)
endfunction()

# Generates pass declarations and their page.
function(add_gnn_passes group td)
  set(LLVM_TARGET_DEFINITIONS ${td}.td)
  mlir_tablegen(${td}.h.inc -gen-pass-decls -name ${group})
  add_public_tablegen_target(GNN${group}PassIncGen)
  add_dependencies(mlir-headers GNN${group}PassIncGen)
  add_mlir_doc(${td} ${group}Passes Passes/ -gen-pass-doc)
endfunction()

# A library of the compiler. It names no upstream MLIR library: the process has
# one MLIR, linked with the whole compiler (gnn_link_compiler). IS_HOT: it runs
# kernels, and is fast in a build that is made fast, too.
function(add_gnn_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG IS_HOT "" "")
  set_property(GLOBAL APPEND PROPERTY GNN_LIBS ${name})
  add_mlir_library(${name} ${ARG_UNPARSED_ARGUMENTS} DEPENDS mlir-headers
    DISABLE_INSTALL)
  if(NOT GNN_STATIC_MLIR) # GNNCompiler takes the objects
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  if(ARG_IS_HOT) # GNNPrecompiled has the flags of all others
    target_compile_options(obj.${name} PRIVATE $<$<CONFIG:Release>:-O3>)
  else()
    gnn_use_precompiled(obj.${name})
  endif()
endfunction()

# Compiles the sources of `target`, which have the flags of a library of the
# compiler, with GNNPrecompiled. ccache makes the path relative in `-include-pch`,
# not in what target_precompile_headers passes.
function(gnn_use_precompiled target)
  if(NOT TARGET GNNPrecompiled)
    return()
  endif()
  get_target_property(pch GNNPrecompiled OUTPUT)
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${pch})
  add_dependencies(${target} GNNPrecompiledBuilt) # for sources of a unity build
  target_compile_options(${target} PRIVATE "SHELL:-include-pch ${pch}")
endfunction()

# Gives `target` the compiler and the one MLIR of the process: both shared, so
# that plugins find the same, or both static.
function(gnn_link_compiler target)
  if(GNN_STATIC_MLIR)
    get_property(gnn_libs GLOBAL PROPERTY GNN_LIBS)
    target_link_libraries(${target} PRIVATE ${gnn_libs} GNNStaticMLIR)
  else()
    target_link_libraries(${target} PRIVATE GNNCompiler MLIR LLVM)
  endif()
endfunction()

# A tool over the whole compiler. TRAVELS: a static build has its code in libGNN,
# whose compiler is as large as all tools together.
function(add_gnn_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "TRAVELS" "" "")
  if(GNN_STATIC_MLIR AND ARG_TRAVELS)
    string(REGEX REPLACE "^gnn-" "" short ${name})
    set(entry gnnToolMain_${short})
    add_library(obj.${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
    llvm_update_compile_flags(obj.${name})
    add_dependencies(obj.${name} mlir-headers)
    target_compile_definitions(obj.${name} PRIVATE GNN_TOOL_ENTRY=${entry}
      GNN_STATIC_MLIR GNN_VERSION="${PROJECT_VERSION}")
    target_sources(GNNShared PRIVATE $<TARGET_OBJECTS:obj.${name}>)
    add_executable(${name} ${PROJECT_SOURCE_DIR}/tools/Launcher.c)
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${LLVM_RUNTIME_OUTPUT_INTDIR})
    target_compile_definitions(${name} PRIVATE GNN_TOOL_ENTRY=${entry})
    target_link_libraries(${name} PRIVATE GNNShared)
    return()
  endif()
  add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_definitions(${name} PRIVATE GNN_VERSION="${PROJECT_VERSION}")
  gnn_link_compiler(${name})
endfunction()
