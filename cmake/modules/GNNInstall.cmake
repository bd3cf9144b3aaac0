# What `cmake --install` puts where: tools, the libraries with the C API, and,
# for those who extend the compiler, headers and a package for
# find_package(GNN).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(gnn_tools gnn-lsp-server gnn-opt gnn-overlay-sim gnn-reduce gnn-run
  gnn-translate)
set(gnn_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/GNN)

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
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/GNNCAPIConfig.cmake.in
  ${PROJECT_BINARY_DIR}/GNNCAPIConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/GNNCAPI
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/GNNCAPIConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/GNNCAPIConfig.cmake
  ${PROJECT_BINARY_DIR}/GNNCAPIConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/GNNCAPI COMPONENT gnn)

# A build with a static MLIR travels: its libraries need what every system has.
if(GNN_STATIC_MLIR)
  set_target_properties(gnn-opt gnn-run gnn-translate PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS gnn-opt gnn-run gnn-translate GNNShared GNNRuntimeShared
    COMPONENT gnn)
  return()
endif()

set_target_properties(GNNShared PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS ${gnn_tools} GNNCompiler GNNShared GNNRuntimeShared
  EXPORT GNNTargets)
install(EXPORT GNNTargets DESTINATION ${gnn_package_dir})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
  PATTERN "*.def"
  PATTERN "CMakeFiles" EXCLUDE)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/GNNConfig.cmake.in
  ${PROJECT_BINARY_DIR}/GNNConfig.cmake
  INSTALL_DESTINATION ${gnn_package_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/GNNConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/GNNConfig.cmake
  ${PROJECT_BINARY_DIR}/GNNConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/modules/GNNPlugin.cmake
  DESTINATION ${gnn_package_dir})
