// Functions of shared libraries that are opened at run time.
#pragma once

#include <runtime/system/environment.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>

namespace sinter::codegen {

/// Opens a library, for good: those that Sinter uses start things of their own that an unloading would pull the ground
/// from under. Null where there is none of that name or path.
inline void* open_library(const std::string& file) { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }

/// Looks a function up; whether there is one of that name.
template <class F>
bool find_function(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

/// What `open` makes of the file that a variable names. Throws where it cannot be used, saying why.
template <class Library>
Library opened_by_name(const char* variable, const std::string& file,
                       std::optional<Library> (*open)(const std::string& file)) {
    if (std::optional<Library> found = open(file)) return *std::move(found);
    const bool loads = open_library(file) != nullptr;
    const char* const why = loads ? nullptr : dlerror();
    refuse_environment(
        variable, file,
        std::string(why != nullptr ? why : "it lacks functions that are needed") + "; name the library's file");
}

/// What `open` makes of the first file that it can use.
template <class Library>
std::optional<Library> first_opened(const std::vector<std::string>& files,
                                    std::optional<Library> (*open)(const std::string& file)) {
    for (const std::string& file : files)
        if (std::optional<Library> found = open(file)) return found;
    return std::nullopt;
}

}  // namespace sinter::codegen
