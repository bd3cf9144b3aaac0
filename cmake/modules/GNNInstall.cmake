# What `cmake --install` puts where: tools, the libraries with the C API, and,
# for those who extend the compiler, headers. The packages for
# find_package(GNNCAPI) and find_package(GNN) are in the build folder, too.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(gnn_tools gnn-lsp-server gnn-opt gnn-overlay-sim gnn-reduce gnn-run gnn-tune
  gnn-translate)
set(gnn_capi_libraries GNNShared GNNRuntimeShared)
set_target_properties(GNNShared PROPERTIES EXPORT_NAME GNN)
set_target_properties(GNNRuntimeShared PROPERTIES EXPORT_NAME Runtime)

# The package `name`, of the targets of its export set and of the modules ARGN.
# The build folder has it in the same place below as the install tree.
function(gnn_install_package name)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/${name})
  set(built ${PROJECT_BINARY_DIR}/${folder})
  # A build folder of before had files here that CMake finds first.
  file(REMOVE ${PROJECT_BINARY_DIR}/${name}Config.cmake
    ${PROJECT_BINARY_DIR}/${name}ConfigVersion.cmake)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/${name}Config.cmake.in
    ${built}/${name}Config.cmake
    INSTALL_DESTINATION ${folder} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${built}/${name}ConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  foreach(module ${ARGN})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/modules/${module}.cmake
      ${built}/${module}.cmake COPYONLY)
  endforeach()
  install(DIRECTORY ${built}/ DESTINATION ${folder} COMPONENT gnn
    PATTERN "*Targets*.cmake" EXCLUDE) # which the next line writes for it
  install(EXPORT ${name}Targets NAMESPACE GNN:: DESTINATION ${folder}
    COMPONENT gnn)
  export(EXPORT ${name}Targets NAMESPACE GNN:: FILE ${built}/${name}Targets.cmake)
endfunction()

# Programs in C need the headers, and CMake or pkg-config to find them by.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/GNN-c
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT gnn)
file(RELATIVE_PATH gnn_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" gnn_pc_prefix ${gnn_pc_prefix})
foreach(name GNN GNNRuntime)
  set(description "Runs packages of gnn-mlir")
  if(name STREQUAL "GNN")
    set(description "Compiles graph neural networks, and runs them")
  endif()
  string(TOLOWER ${name} file)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/gnn.pc.in
    ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${file}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT gnn)
endforeach()

# The pages, and the examples that need no checkout, in folders as in the sources.
set(gnn_share ${CMAKE_INSTALL_DATADIR}/gnn-mlir)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${gnn_share} COMPONENT gnn)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${gnn_share} COMPONENT gnn
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "reference" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/examples/rgcn.mlir
  DESTINATION ${gnn_share}/examples COMPONENT gnn)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/serve
  DESTINATION ${gnn_share}/examples COMPONENT gnn
  FILES_MATCHING PATTERN "*.c" PATTERN "*.py" PATTERN "CMakeLists.txt"
  PATTERN "__pycache__" EXCLUDE)

# Programs of a build folder find the headers in the sources.
foreach(library ${gnn_capi_libraries})
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
install(TARGETS ${gnn_capi_libraries} EXPORT GNNCAPITargets COMPONENT gnn)

# A build with a static MLIR travels: its libraries need what every system has.
if(GNN_STATIC_MLIR)
  set_target_properties(gnn-opt gnn-run gnn-translate gnn-tune PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS gnn-opt gnn-run gnn-translate gnn-tune COMPONENT gnn)
  gnn_install_package(GNNCAPI)
  return()
endif()

# Here libGNN shares the compiler with tools and plugins.
target_include_directories(GNNCompiler INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(GNNCompiler PROPERTIES EXPORT_NAME Compiler)
set_target_properties(GNNShared PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS GNNCompiler EXPORT GNNCAPITargets COMPONENT gnn)
gnn_install_package(GNNCAPI)

install(TARGETS ${gnn_tools} EXPORT GNNTargets COMPONENT gnn)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT gnn
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
  PATTERN "*.def"
  PATTERN "CMakeFiles" EXCLUDE)
gnn_install_package(GNN GNNPlugin)
