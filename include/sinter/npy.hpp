// NumPy's .npy files, format versions 1.0 to 3.0:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <sinter/array.hpp>

#include <string>
#include <vector>

namespace sinter {

/// The header of a .npy file.
struct npy_info {
    sinter::dtype type{};
    std::vector<std::int64_t> shape;
    bool fortran_order = false;  ///< column-major in the file; load_npy returns row-major arrays either way
};

/// Reads a .npy file's header, for programs that choose the element type and the rank at run time. Throws as load_npy
/// does.
[[nodiscard]] npy_info inspect_npy(const std::string& path);

namespace detail {

/// Reads a file into fresh storage on the current device, converting within a kind or to a higher kind.
storage_ref load_npy(const std::string& path, dtype type, int rank);
storage_ref map_npy(const std::string& path, dtype type, int rank);
void save_npy(const std::string& path, const storage_ref& values);

}  // namespace detail

/// Loads a .npy file: little- or big-endian, C or Fortran order. The file's dtype converts to T as in assignment.
/// Throws, naming both sides, if the file cannot be read, has another rank, or has a dtype of a higher kind.
template <element_type T, int Rank>
[[nodiscard]] array<T, Rank> load_npy(const std::string& path) {
    return array<T, Rank>(detail::load_npy(path, dtype_of<T>, Rank));
}

/// Maps the file instead of reading it: its pages are loaded on first use, as with NumPy's mmap_mode="r". A file that
/// needs conversion (another dtype, byte order or device, or bool) is loaded. The file must not change while the array
/// is in use: if another process truncates it, access ends the program with SIGBUS, as for every POSIX mapping;
/// load_npy() throws instead. Throws as load_npy does, and if the file is shorter than its header says.
template <element_type T, int Rank>
[[nodiscard]] array<T, Rank> map_npy(const std::string& path) {
    return array<T, Rank>(detail::map_npy(path, dtype_of<T>, Rank));
}

/// Writes an array or an expression's values as a version 1.0 .npy file in C order. The write is atomic: the file is on
/// disk before it is renamed, so a killed process leaves the old file.
template <operand A>
void save_npy(const std::string& path, A&& a) {
    // a leaf has storage even for a default-constructed array
    detail::save_npy(path, detail::evaluated(std::forward<A>(a)).as_expr().leaves_.item[0]);
}

}  // namespace sinter
