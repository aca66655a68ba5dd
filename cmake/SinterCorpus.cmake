# sinter_corpus(files): generates one C++ file per domain of bench/corpus in the current binary folder. A target that
# compiles them must also compile bench/corpus/program.cpp.

find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(sinter_corpus result)
    set(corpus ${PROJECT_SOURCE_DIR}/bench/corpus)
    file(GLOB domains CONFIGURE_DEPENDS ${corpus}/domains/*.py)
    set(files)
    foreach(rows IN LISTS domains)
        get_filename_component(domain ${rows} NAME_WE)
        set(file ${CMAKE_CURRENT_BINARY_DIR}/${domain}.cpp)
        list(APPEND files ${file})
        add_custom_command(
            OUTPUT ${file}
            COMMAND ${Python3_EXECUTABLE} ${corpus}/generate.py ${domain} ${file}
            DEPENDS ${rows} ${corpus}/generate.py ${corpus}/table.py
            VERBATIM)
    endforeach()
    set(${result} ${files} PARENT_SCOPE)
endfunction()
