# What `cmake --install` puts where: tools, the libraries with the C API, and,
# for those who extend the compiler, headers and a package for
# find_package(GNN).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(gnn_tools gnn-lsp-server gnn-opt gnn-reduce gnn-run gnn-translate)
set(gnn_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/GNN)

# A build with a static MLIR travels: it has what Debian has only as
# shared objects and other systems need not have.
if(GNN_STATIC_MLIR)
  set_target_properties(GNNShared GNNRuntimeShared PROPERTIES
    INSTALL_RPATH "$ORIGIN")
  install(TARGETS gnn-run RUNTIME OPTIONAL)
  install(TARGETS GNNShared LIBRARY OPTIONAL)
  install(TARGETS GNNRuntimeShared LIBRARY)
  install(CODE "set(folder ${CMAKE_INSTALL_LIBDIR})")
  install(CODE [[
    set(folder ${CMAKE_INSTALL_PREFIX}/${folder})
    file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${folder}/libGNNRuntime.so
      RESOLVED_DEPENDENCIES_VAR needs
      POST_EXCLUDE_REGEXES "lib(c|m|z|gcc_s|stdc[+][+])[.]so" "ld-linux")
    foreach(need ${needs})
      get_filename_component(name ${need} NAME)
      get_filename_component(need ${need} REALPATH)
      file(INSTALL ${need} DESTINATION ${folder} RENAME ${name})
    endforeach()
  ]])
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
