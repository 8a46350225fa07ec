# Sources that are compiled once for each device that this build has, by its compiler.

# gothic_twins(VARIABLE source...)   files that include one source each, for the compilers of GPUs
function(gothic_twins variable)
  set(twins)
  if(GOTHIC_WITH_CUDA)
    foreach(source IN LISTS ARGN)
      get_filename_component(path ${source} ABSOLUTE)
      file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${path})
      get_filename_component(name ${source} NAME_WE)
      set(twin ${CMAKE_CURRENT_BINARY_DIR}/${name}.cu)
      file(CONFIGURE OUTPUT ${twin} CONTENT "#include \"${path}\"\n")
      list(APPEND twins ${twin})
    endforeach()
  endif()
  set(${variable} ${twins} PARENT_SCOPE)
endfunction()

# gothic_sources_for_devices(TARGET source...)
function(gothic_sources_for_devices target)
  gothic_twins(twins ${ARGN})
  target_sources(${target} PRIVATE ${ARGN} ${twins})
endfunction()
