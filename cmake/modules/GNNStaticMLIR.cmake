# The target GNNStaticMLIR: all of MLIR, and of LLVM what it needs, as static
# libraries.
#
# Debian's MLIR libraries name the shared LLVM, some the shared MLIR, in their
# link interfaces. Here each of the two becomes an archive that brings other
# archives with it: one LLVM, a static one, is in the process.

llvm_map_components_to_libnames(gnn_llvm_libs
  # The GPU, and the host for the JIT and lld.
  NVPTX native orcjit passes
  # What MLIR's libraries call.
  asmparser bitreader bitwriter core debuginfodwarf dtlto executionengine
  frontendoffloading frontendopenmp ipo irreader linker lto mc object option
  remarks support targetparser transformutils)
list(REMOVE_ITEM gnn_llvm_libs LLVMSupport)

# Makes the shared library `name` an archive that is followed by `ARGN`.
function(gnn_make_static name archive)
  get_target_property(location ${archive} IMPORTED_LOCATION_RELWITHDEBINFO)
  set_target_properties(${name} PROPERTIES
    IMPORTED_LOCATION_RELWITHDEBINFO ${location}
    INTERFACE_LINK_LIBRARIES "${ARGN};${archive}")
endfunction()
# Nothing here calls Z3, or Polly, which lld has for link-time optimization: the
# link would still ask for them. Zstandard is inside, as other systems may not
# have it.
foreach(library LLVMSupport LLVMExtensions lldELF)
  get_target_property(gnn_needs ${library} INTERFACE_LINK_LIBRARIES)
  list(FILTER gnn_needs EXCLUDE REGEX "z3|^Polly$")
  list(TRANSFORM gnn_needs REPLACE "zstd::libzstd_shared" "zstd::libzstd_static")
  set_target_properties(${library} PROPERTIES
    INTERFACE_LINK_LIBRARIES "${gnn_needs}")
endforeach()
gnn_make_static(LLVM LLVMSupport ${gnn_llvm_libs})
gnn_make_static(MLIR MLIRSupport LLVM)
set(Boost_USE_STATIC_LIBS ON)

get_property(gnn_mlir_dialects GLOBAL PROPERTY MLIR_DIALECT_LIBS)
get_property(gnn_mlir_conversions GLOBAL PROPERTY MLIR_CONVERSION_LIBS)
get_property(gnn_mlir_extensions GLOBAL PROPERTY MLIR_EXTENSION_LIBS)
get_property(gnn_mlir_translations GLOBAL PROPERTY MLIR_TRANSLATION_LIBS)

add_library(GNNStaticMLIR INTERFACE)
target_link_libraries(GNNStaticMLIR INTERFACE
  lldELF lldCommon
  MLIRLspServerLib MLIROptLib MLIRTranslateLib
  MLIRRegisterAllDialects MLIRRegisterAllExtensions MLIRRegisterAllPasses
  ${gnn_mlir_dialects} ${gnn_mlir_conversions} ${gnn_mlir_extensions}
  ${gnn_mlir_translations}
  # memref's library calls it without naming it.
  MLIRAlignmentAttrInterface)

# Only what is reached: half the size. The library of C++ is inside, and the
# newest symbols of glibc are of 2.34.
target_link_options(GNNStaticMLIR INTERFACE
  -Wl,--gc-sections -static-libstdc++)

# MLIR initializes all targets that its LLVM was built with. Those that are left
# out here have nothing to initialize.
set(gnn_absent_targets "")
foreach(target ${LLVM_TARGETS_TO_BUILD})
  if(NOT target MATCHES "^(NVPTX|${LLVM_NATIVE_ARCH})$")
    foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser)
      string(APPEND gnn_absent_targets
        "void LLVMInitialize${target}${part}(void) {}\n")
    endforeach()
  endif()
endforeach()
# LLVM asks it for seeds of names of files; glibc has it from 2.36 on.
string(APPEND gnn_absent_targets "
#include <stdlib.h>
#include <sys/random.h>
void _Z18getPollyPluginInfov(void) { abort(); } // of LLVMExtensions, not called
unsigned arc4random(void) {
  unsigned value;
  if (getrandom(&value, sizeof value, 0) != sizeof value)
    abort();
  return value;
}
")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/AbsentTargets.c
  CONTENT "${gnn_absent_targets}" @ONLY)
add_library(GNNAbsentTargets STATIC ${PROJECT_BINARY_DIR}/AbsentTargets.c)
target_link_libraries(GNNStaticMLIR INTERFACE GNNAbsentTargets)

# One link at a time: each reads some 900 MB of archives.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS gnn_static_link=1)
set(CMAKE_JOB_POOL_LINK gnn_static_link)
