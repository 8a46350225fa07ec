# Installs the programs, and the libraries with their headers and a CMake package: docs/library.md.
#
#   find_package(gothic)   gives gothic::core, gothic::files and gothic::ic

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gothic)
set(libraries gothic_options gothic_host gothic_core gothic_files gothic_ic)
if(GOTHIC_WITH_CUDA)
  list(APPEND libraries gothic_cuda_options)
endif()
foreach(library IN LISTS libraries)
  string(REPLACE gothic_ "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()

install(TARGETS gothic gothic-ic RUNTIME)
install(TARGETS ${libraries} EXPORT gothic ARCHIVE INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gothic)
install(EXPORT gothic NAMESPACE gothic:: FILE gothicTargets.cmake DESTINATION ${package})

# Code of devices is compiled into the libraries, with options that users of the libraries need not have.
set(headers FILES_MATCHING PATTERN "*.hpp" PATTERN "device/cpu" EXCLUDE PATTERN "device/cuda" EXCLUDE
    PATTERN "own_device.hpp" EXCLUDE PATTERN "draw_options.hpp" EXCLUDE)
install(DIRECTORY src/core src/files ic DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gothic ${headers})

configure_package_config_file(cmake/gothicConfig.cmake.in gothicConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(gothicConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gothicConfig.cmake ${PROJECT_BINARY_DIR}/gothicConfigVersion.cmake
        DESTINATION ${package})
