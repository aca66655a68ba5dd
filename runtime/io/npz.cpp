// Arrays from and to .npz archives: a .npy file for each member of a zip file.
#include <runtime/io/npy.hpp>
#include <runtime/io/zip.hpp>
#include <runtime/order/capture.hpp>
#include <sinter/npz.hpp>

#include <fmt/format.h>

#include <limits>
#include <set>

namespace sinter {
namespace {

constexpr std::string_view suffix = ".npy";
constexpr std::size_t longest_name = 0xffff;

/// The array's name, as NumPy gives it: the member's without its suffix. Empty for a member that is no array.
std::string array_name(const codegen::zip_member& m) {
    return m.name.ends_with(suffix) ? m.name.substr(0, m.name.size() - suffix.size()) : "";
}

}  // namespace

std::vector<npz_member> inspect_npz(const std::string& path) {
    constexpr std::size_t enough = std::size_t{64} << 10;  // more than any heading that NumPy writes
    const std::string who = "inspect_npz: " + path;
    const codegen::mapped_file file(path, who);
    std::vector<npz_member> members;
    for (const codegen::zip_member& m : codegen::read_zip_directory(file.content(), who)) {
        const std::string name = array_name(m);
        if (name.empty()) continue;
        std::unique_ptr<char[]> unpacked;
        const std::string_view content = codegen::unpack(m, enough, unpacked, who + ": " + name);
        members.push_back({name, codegen::checked_npy_header(content, m.size, who + ": " + name).info});
    }
    return members;
}

void save_npz(const std::string& path, const std::vector<npz_entry>& entries, npz_compression compression) {
    codegen::refuse_in_capture("save_npz()");
    const std::string who = "save_npz: " + path;
    std::set<std::string> names;
    for (const npz_entry& e : entries) {
        if (!names.insert(e.name()).second)
            throw error(fmt::format("{}: two arrays are called '{}'; give each a name of its own", who, e.name()));
        if (e.name().empty() || e.name().size() + suffix.size() > longest_name)
            throw error(fmt::format("{}: a name has {} bytes; use 1 to {}", who, e.name().size(),
                                    longest_name - suffix.size()));
    }
    codegen::replacement_file file(path, who);
    codegen::zip_writer archive(file, compression == npz_compression::deflated);
    for (const npz_entry& e : entries) {
        archive.begin(e.name() + std::string(suffix));
        codegen::write_npy(e.values(), who + ": " + e.name(),
                           [&](const void* data, std::size_t bytes) { archive.write(data, bytes); });
        archive.end();
    }
    archive.finish();
    file.commit();
}

namespace detail {

storage_ref load_npz(const std::string& path, const std::string& name, dtype type, int rank) {
    codegen::refuse_in_capture("load_npz()");
    const std::string who = "load_npz: " + path;
    const codegen::mapped_file file(path, who);
    std::string names;
    for (const codegen::zip_member& m : codegen::read_zip_directory(file.content(), who)) {
        const std::string found = array_name(m);
        if (found == name && !found.empty()) {
            std::unique_ptr<char[]> unpacked;
            const std::string_view content =
                codegen::unpack(m, std::numeric_limits<std::size_t>::max(), unpacked, who + ": " + name);
            return codegen::read_npy(content, type, rank, who + ": " + name);
        }
        if (!found.empty() && names.size() < 200) names += (names.empty() ? "" : ", ") + found;
    }
    throw error(fmt::format("{}: holds no array '{}'; {}", who, name,
                            names.empty() ? "there is none in it" : "there are: " + names));
}

}  // namespace detail
}  // namespace sinter
