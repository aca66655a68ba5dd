// Loads and saves arrays as .npz archives: zip files with a .npy file per member.
#include <codegen/support/printable.hpp>
#include <runtime/io/npy.hpp>
#include <runtime/io/zip.hpp>
#include <runtime/order/capture.hpp>
#include <sinter/npz.hpp>

#include <fmt/format.h>

#include <set>

namespace sinter {
namespace {

constexpr std::string_view suffix = ".npy";
constexpr std::size_t longest_name = 0xffff;

/// The array's name in NumPy: the member's name without its suffix. Empty if the member is not an array.
std::string array_name(const codegen::zip_member& m) {
    return m.name.ends_with(suffix) ? m.name.substr(0, m.name.size() - suffix.size()) : "";
}

detail::storage_ref read_member(const codegen::input_file& file, const codegen::zip_member& m, dtype type, int rank,
                                const npz_limits& limits, const std::string& archive) {
    const std::string who = archive + ": " + codegen::printable(array_name(m));
    if (m.deflated && (limits.max_bytes < 0 || m.size > static_cast<std::size_t>(limits.max_bytes)))
        throw error(
            fmt::format("{}: its {} bytes unpack to {}, more than the limit of {}; raise npz_limits::max_bytes for an "
                        "archive that you trust",
                        who, m.packed, m.size, limits.max_bytes));
    codegen::zip_reader bytes(file, m, who);
    detail::storage_ref values =
        codegen::read_npy([&](void* to, std::size_t n) { bytes.read(to, n); }, m.size, type, rank, who);
    bytes.finish();
    return values;
}

}  // namespace

std::vector<npz_member> inspect_npz(const std::string& path, const npz_limits& limits) {
    const std::string who = codegen::about_file("inspect_npz", path);
    const codegen::input_file file(path, who);
    std::vector<npz_member> members;
    for (const codegen::zip_member& m : codegen::read_zip_directory(file, limits, who)) {
        const std::string name = array_name(m);
        if (name.empty()) continue;
        const std::string about = who + ": " + codegen::printable(name);
        codegen::zip_reader bytes(file, m, about);
        const auto next = [&](void* to, std::size_t n) { bytes.read(to, n); };
        members.push_back({name, codegen::read_npy_header(next, m.size, about).info});
    }
    return members;
}

void save_npz(const std::string& path, const std::vector<npz_entry>& entries, npz_compression compression) {
    codegen::refuse_in_capture("save_npz()");
    const std::string who = codegen::about_file("save_npz", path);
    std::set<std::string> names;
    for (const npz_entry& e : entries) {
        if (!names.insert(e.name()).second)
            throw error(fmt::format("{}: two arrays are called '{}'; give each a name of its own", who,
                                    codegen::printable(e.name())));
        if (e.name().empty() || e.name().size() + suffix.size() > longest_name)
            throw error(fmt::format("{}: a name has {} bytes; use 1 to {}", who, e.name().size(),
                                    longest_name - suffix.size()));
    }
    codegen::replacement_file file(path, who);
    codegen::zip_writer archive(file, compression == npz_compression::deflated);
    for (const npz_entry& e : entries) {
        archive.begin(e.name() + std::string(suffix));
        codegen::write_npy(e.values(), who + ": " + codegen::printable(e.name()),
                           [&](const void* data, std::size_t bytes) { archive.write(data, bytes); });
        archive.end();
    }
    archive.finish();
    file.commit();
}

namespace detail {

storage_ref load_npz(const std::string& path, const std::string& name, dtype type, int rank, const npz_limits& limits) {
    codegen::refuse_in_capture("load_npz()");
    const std::string who = codegen::about_file("load_npz", path);
    const codegen::input_file file(path, who);
    std::string names;
    for (const codegen::zip_member& m : codegen::read_zip_directory(file, limits, who)) {
        const std::string found = array_name(m);
        if (found == name && !found.empty()) return read_member(file, m, type, rank, limits, who);
        if (!found.empty() && names.size() < 200) names += (names.empty() ? "" : ", ") + codegen::printable(found);
    }
    throw error(fmt::format("{}: holds no array '{}'; {}", who, codegen::printable(name),
                            names.empty() ? "there is none in it" : "there are: " + names));
}

}  // namespace detail
}  // namespace sinter
