// Shared libraries opened at run time.
#pragma once

#include <runtime/system/environment.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>

namespace sinter::codegen {

/// Opens a library permanently: the libraries used here start threads and other state that would not survive unloading.
/// Null if there is none with that name or path.
inline void* open_library(const std::string& file) { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }

/// Looks up a function; returns whether it exists.
template <class F>
bool find_function(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

/// Opens the file named by an environment variable. Throws with the reason if that fails.
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

/// Opens the first usable file of a list.
template <class Library>
std::optional<Library> first_opened(const std::vector<std::string>& files,
                                    std::optional<Library> (*open)(const std::string& file)) {
    for (const std::string& file : files)
        if (std::optional<Library> found = open(file)) return found;
    return std::nullopt;
}

}  // namespace sinter::codegen
