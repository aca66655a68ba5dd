// NumPy's .npy files, format versions 1.0 to 3.0:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <sinter/array.hpp>

#include <string>
#include <vector>

namespace sinter {

/// What a .npy file says of its array.
struct npy_info {
    sinter::dtype type{};
    std::vector<std::int64_t> shape;
    bool fortran_order = false;  ///< column-major in the file; load_npy gives row-major arrays of either
};

/// Reads a .npy file's header, for programs that choose the element type and the rank at run time. Throws as load_npy
/// does.
[[nodiscard]] npy_info inspect_npy(const std::string& path);

namespace detail {

/// Reads a file into fresh storage on the current device, converting dtypes within a kind and upwards.
storage_ref load_npy(const std::string& path, dtype type, int rank);
storage_ref map_npy(const std::string& path, dtype type, int rank);
void save_npy(const std::string& path, const storage_ref& values);

}  // namespace detail

/// The array in a .npy file: little- or big-endian, C or Fortran order. The file's dtype converts to T as assignment
/// does. Throws, naming both sides, when the file cannot be read, has another rank, or holds a dtype of a higher kind.
template <element_type T, int Rank>
[[nodiscard]] array<T, Rank> load_npy(const std::string& path) {
    return array<T, Rank>(detail::load_npy(path, dtype_of<T>, Rank));
}

/// Without an element type and a rank it says that they are missing.
template <class T = void>
int load_npy(const std::string&) {
    static_assert(detail::never<T>,
                  "sinter: say what the file holds: load_npy<double, 2>(path); inspect_npy(path) tells it at run time");
    return 0;
}

/// The same without reading the file: the array lies over the file's pages, which come in when they are first used, as
/// with NumPy's mmap_mode="r". What the file must be converted for - another dtype, byte order or device, or bool - is
/// loaded. The file must not change while the array is in use: where another process cuts it off, reading what is gone
/// ends the program by SIGBUS, as POSIX has it for every mapping; load_npy() throws instead. Throws as load_npy does,
/// and where the file is no longer as long as its header says.
template <element_type T, int Rank>
[[nodiscard]] array<T, Rank> map_npy(const std::string& path) {
    return array<T, Rank>(detail::map_npy(path, dtype_of<T>, Rank));
}

/// Writes an array, or an expression's values, as a version 1.0 .npy file in C order. The file appears whole or not at
/// all: it is on the disk before it takes its name, and a process that is killed leaves the old one.
template <operand A>
void save_npy(const std::string& path, A&& a) {
    // As a leaf: it has storage even where the array was default-constructed.
    detail::save_npy(path, detail::evaluated(std::forward<A>(a)).as_expr().leaves_.item[0]);
}

}  // namespace sinter
