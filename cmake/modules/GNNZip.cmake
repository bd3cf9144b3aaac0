# The target GNNZip: libzip, which packages and files of graphs are read with.
#
# A static build has its own, without OpenSSL and what else reads archives that
# nothing here writes: the release that Debian 12 has as a shared library.
if(NOT GNN_STATIC_MLIR)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET GLOBAL libzip)
  add_library(GNNZip ALIAS PkgConfig::LIBZIP)
  return()
endif()

if(POLICY CMP0135) # What is unpacked is new.
  cmake_policy(SET CMP0135 NEW)
endif()
include(ExternalProject)
find_package(ZLIB REQUIRED)
set(gnn_zip_folder ${PROJECT_BINARY_DIR}/libzip)
set(gnn_zip_archive ${gnn_zip_folder}/lib/libzip.a)
set(gnn_zip_without COMMONCRYPTO GNUTLS MBEDTLS OPENSSL BZIP2 LZMA)
list(TRANSFORM gnn_zip_without REPLACE "(.+)" "-DENABLE_\\1=OFF")
ExternalProject_Add(libzip
  URL http://deb.debian.org/debian/pool/main/libz/libzip/libzip_1.7.3.orig.tar.xz
      https://libzip.org/download/libzip-1.7.3.tar.xz
  URL_HASH SHA256=a60473ffdb7b4260c08bfa19c2ccea0438edac11193c3afbbb1f17fbcf6c6132
  PREFIX ${gnn_zip_folder}/build
  CMAKE_ARGS ${gnn_zip_without}
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF
    -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF
    -DHAVE_ARC4RANDOM=OFF # which glibc has from 2.36 on
    -DCMAKE_POLICY_VERSION_MINIMUM=3.5 # CMake 4 refuses 3.0.2
    -DCMAKE_C_FLAGS=${CMAKE_C_FLAGS}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX=${gnn_zip_folder}
  BUILD_BYPRODUCTS ${gnn_zip_archive}
  LOG_DOWNLOAD ON LOG_CONFIGURE ON LOG_BUILD ON LOG_INSTALL ON)
file(MAKE_DIRECTORY ${gnn_zip_folder}/include)

add_library(GNNZip STATIC IMPORTED GLOBAL)
add_dependencies(GNNZip libzip)
set_target_properties(GNNZip PROPERTIES
  IMPORTED_LOCATION ${gnn_zip_archive}
  INTERFACE_INCLUDE_DIRECTORIES ${gnn_zip_folder}/include
  INTERFACE_LINK_LIBRARIES ZLIB::ZLIB)
