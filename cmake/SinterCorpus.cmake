# sinter_corpus(files): generates one C++ file per domain of bench/corpus in the current binary folder. A target that
# compiles them must also compile SINTER_CORPUS_PROGRAM.

find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(SINTER_CORPUS_PROGRAM program.cpp commands.cpp numbers.cpp)
set(SINTER_CORPUS_EXPRESSIONS expressions.cpp commands.cpp numbers.cpp)
list(TRANSFORM SINTER_CORPUS_PROGRAM PREPEND ${PROJECT_SOURCE_DIR}/bench/corpus/)
list(TRANSFORM SINTER_CORPUS_EXPRESSIONS PREPEND ${PROJECT_SOURCE_DIR}/bench/corpus/)

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
