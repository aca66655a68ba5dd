// NumPy's .npz archives: several named arrays in one zip file, stored or deflated.
// https://numpy.org/doc/stable/reference/generated/numpy.savez.html
#pragma once

#include <sinter/npy.hpp>

namespace sinter {

/// One array of an archive, as described by its header.
struct npz_member {
    std::string name;
    npy_info info;
};

/// A name and an array, or an expression's values, for save_npz.
class npz_entry {
public:
    template <operand A>
    npz_entry(std::string name, A&& a)
        : name_(std::move(name)), values_(detail::evaluated(std::forward<A>(a)).as_expr().leaves_.item[0]) {}

    const std::string& name() const { return name_; }
    const detail::storage_ref& values() const { return values_; }

private:
    std::string name_;
    detail::storage_ref values_;
};

/// How an archive stores its arrays: uncompressed (np.savez), or smaller and slower (np.savez_compressed).
enum class npz_compression : std::uint8_t { stored, deflated };

/// Limits on what reading an archive may allocate: a small file can unpack to a thousand times its size. Reading throws
/// beyond a limit. load_npz<float, 2>("f.npz", "x", {.max_bytes = 1 << 30}).
struct npz_limits {
    std::int64_t max_bytes = std::int64_t{64}
                             << 30;     ///< of a deflated array, unpacked; what is stored takes the file's
    std::int64_t max_entries = 65'535;  ///< arrays and other members
};

/// The arrays in an archive, in file order. Throws as load_npz does.
[[nodiscard]] std::vector<npz_member> inspect_npz(const std::string& path, const npz_limits& limits = {});

namespace detail {

storage_ref load_npz(const std::string& path, const std::string& name, dtype type, int rank, const npz_limits& limits);

}  // namespace detail

/// Loads the array with that name from an archive, as load_npy does. Throws if the archive cannot be read, is damaged
/// (checksums are verified; members may not overlap or share a name), exceeds the limits, or has no such array, naming
/// those it has.
template <element_type T, int Rank>
[[nodiscard]] array<T, Rank> load_npz(const std::string& path, const std::string& name, const npz_limits& limits = {}) {
    return array<T, Rank>(detail::load_npz(path, name, dtype_of<T>, Rank, limits));
}

/// Writes an archive: save_npz("f.npz", {{"x", x}, {"y", 2 * y}}). The write is atomic, and equal arrays give equal
/// bytes. Throws if two entries have the same name.
void save_npz(const std::string& path, const std::vector<npz_entry>& entries,
              npz_compression compression = npz_compression::stored);

}  // namespace sinter
