// Parses and writes .npy headers.
#include <codegen/support/printable.hpp>
#include <runtime/io/npy_header.hpp>

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <optional>

namespace sinter::codegen {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 1u << 20;  // NumPy's own are around a hundred bytes
constexpr std::size_t max_axes = 64;              // NumPy's limit; arrays check their own lower limit
constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

/// A strict parser for the Python literal of a header.
class literal_reader {
public:
    literal_reader(std::string_view text, const std::string& who) : rest_(text), who_(who) {}

    [[noreturn]] void fail(const std::string& what) const {
        throw error(fmt::format("{}: damaged header: {}; write the file again with np.save", who_, what));
    }

    bool skip(char c) {
        skip_space();
        if (rest_.empty() || rest_[0] != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char c) {
        if (!skip(c)) fail(fmt::format("'{}' is missing {}", c, place()));
    }
    std::string_view string() {
        skip_space();
        const char quote = rest_.empty() ? '\0' : rest_[0];
        if (quote != '\'' && quote != '"') fail(fmt::format("a string is missing {}", place()));
        const std::size_t end = rest_.find(quote, 1);
        if (end == rest_.npos) fail(fmt::format("a string has no end {}", place()));
        const std::string_view text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return text;
    }
    bool boolean() {
        skip_space();
        for (const std::string_view word : {"True", "False"}) {
            if (!rest_.starts_with(word)) continue;
            rest_.remove_prefix(word.size());
            return word == "True";
        }
        fail(fmt::format("True or False is missing {}", place()));
    }
    std::int64_t integer() {
        skip_space();
        std::int64_t value = 0;
        const auto [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (status != std::errc() || value < 0) fail(fmt::format("an extent is missing or too large {}", place()));
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        if (!rest_.empty() && rest_[0] == 'L') rest_.remove_prefix(1);  // Python 2's long
        return value;
    }
    std::vector<std::int64_t> tuple() {
        std::vector<std::int64_t> extents;
        expect('(');
        while (!skip(')')) {
            extents.push_back(integer());
            if (extents.size() > max_axes) fail(fmt::format("the shape has more than {} axes", max_axes));
            if (skip(',')) continue;
            expect(')');
            if (extents.size() == 1) fail("the shape is a number, not a tuple");
            break;
        }
        return extents;
    }
    bool at_list() {
        skip_space();
        return rest_.starts_with('[');
    }
    bool at_end() {
        skip_space();
        return rest_.empty();
    }
    /// The current position, for messages.
    std::string place() const {
        if (rest_.empty()) return "at its end";
        return fmt::format("at \"{}\"", printable(rest_.substr(0, 12)));
    }

private:
    void skip_space() {
        const std::size_t text = rest_.find_first_not_of(" \t\n\r");
        rest_.remove_prefix(text == rest_.npos ? rest_.size() : text);
    }

    std::string_view rest_;
    const std::string& who_;
};

/// NumPy's letter for a dtype's kind.
char letter_of(dtype type) {
    constexpr char letters[] = {'b', 'u', 'i', 'f', 'c'};  // in dtype_kind's order
    return letters[static_cast<int>(kind_of(type))];
}

bool has_descr(dtype type) { return type != dtype::bfloat16 && !is_float8(type); }

std::optional<dtype> dtype_of_descr(char kind, std::string_view size) {
    for (int i = 0; i < dtype_count; ++i) {
        const auto type = static_cast<dtype>(i);
        if (has_descr(type) && kind == letter_of(type) && size == std::to_string(size_of(type))) return type;
    }
    return std::nullopt;
}

/// "<f8" etc.: byte order, kind letter, element size.
void read_descr(std::string_view descr, const std::string& who, npy_header& header) {
    const bool has_order = !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
    const std::string_view plain = descr.substr(has_order ? 1 : 0);
    const auto type = plain.empty() ? std::nullopt : dtype_of_descr(plain[0], plain.substr(1));
    if (!type || (has_order && descr[0] == '|' && size_of(*type) > 1))
        throw error(
            fmt::format("{}: dtype '{}' is not supported; convert it with NumPy's astype to bool, (u)int8 to "
                        "(u)int64, float16 to float64, complex64 or complex128",
                        who, printable(descr)));
    header.info.type = *type;
    header.swapped =
        has_order && (descr[0] == '<' || descr[0] == '>') && descr[0] != native_order && size_of(*type) > 1;
}

void read_dict(std::string_view text, const std::string& who, npy_header& header) {
    literal_reader in(text, who);
    bool has_descr = false, has_order = false, has_shape = false;
    in.expect('{');
    while (!in.skip('}')) {
        const std::string_view key = in.string();
        const auto once = [&](bool& seen) {
            if (std::exchange(seen, true)) in.fail(fmt::format("'{}' is there twice", printable(key)));
        };
        in.expect(':');
        if (key == "descr") {
            once(has_descr);
            if (in.at_list())
                throw error(
                    fmt::format("{}: the elements are structures, which are not supported; save one field, as in "
                                "np.save(path, a['field'])",
                                who));
            read_descr(in.string(), who, header);
        } else if (key == "fortran_order") {
            once(has_order);
            header.info.fortran_order = in.boolean();
        } else if (key == "shape") {
            once(has_shape);
            header.info.shape = in.tuple();
        } else {
            in.fail(fmt::format("unknown key '{}'", printable(key)));
        }
        if (!in.skip(',')) {
            in.expect('}');
            break;
        }
    }
    if (!in.at_end()) in.fail(fmt::format("more follows {}", in.place()));
    if (!has_descr || !has_order || !has_shape) in.fail("'descr', 'fortran_order' or 'shape' is missing");
}

std::size_t byte_at(std::string_view file, std::size_t i) { return static_cast<unsigned char>(file[i]); }

/// The dict's length takes two bytes in version 1, four in later versions.
std::size_t begin_of_dict(std::string_view file) { return byte_at(file, 6) == 1 ? 10 : 12; }

std::size_t length_of_dict(std::string_view file) {
    std::size_t length = 0;
    for (std::size_t i = 8; i < begin_of_dict(file); ++i) length |= byte_at(file, i) << (8 * (i - 8));
    return length;
}

}  // namespace

std::size_t npy_header_bytes(std::string_view prefix) {
    if (prefix.size() < npy_prefix_bytes || !prefix.starts_with(magic)) return 0;
    const std::size_t begin = begin_of_dict(prefix), bytes = begin + length_of_dict(prefix);
    return bytes - begin > longest_header ? 0 : bytes;
}

npy_header parse_npy_header(std::string_view file, const std::string& who) {
    if (file.starts_with("PK\x03\x04"))
        throw error(fmt::format("{}: an archive of arrays (.npz); read it with load_npz, or inspect_npz", who));
    if (!file.starts_with(magic))
        throw error(fmt::format("{}: not a .npy file: it does not begin with \\x93NUMPY; np.save writes one", who));
    const auto cut_short = [&]() {
        return error(fmt::format("{}: cut short: it ends inside its header; copy or write the file again", who));
    };

    if (file.size() < 8) throw cut_short();
    const std::size_t major = byte_at(file, 6), minor = byte_at(file, 7);
    if (major < 1 || major > 3 || minor != 0)
        throw error(
            fmt::format("{}: format version {}.{} is not known; versions 1.0 to 3.0 are, and np.save writes them", who,
                        major, minor));
    const std::size_t begin = begin_of_dict(file);
    if (file.size() < begin) throw cut_short();
    const std::size_t length = length_of_dict(file);
    if (length > longest_header)
        throw error(
            fmt::format("{}: damaged header: it claims {} bytes, more than any header has; write the file again "
                        "with np.save",
                        who, length));
    if (file.size() - begin < length) throw cut_short();

    npy_header header;
    header.bytes = begin + length;
    read_dict(file.substr(begin, length), who, header);
    return header;
}

std::string format_npy_header(dtype type, const std::int64_t* extents, int rank, const std::string& who) {
    if (!has_descr(type))
        throw error(fmt::format("{}: the format has no {}; save astype<float>(a), which holds the same values", who,
                                name(type)));
    std::string shape;
    for (int a = 0; a < rank; ++a) shape += fmt::format("{}{}", a ? ", " : "", extents[a]);
    if (rank == 1) shape += ',';
    std::string dict = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   size_of(type) == 1 ? '|' : native_order, letter_of(type), size_of(type), shape);
    constexpr std::size_t before = 10;  // magic, version and length
    constexpr std::size_t alignment = 64;
    dict.append(alignment - 1 - (before + dict.size()) % alignment, ' ');
    dict += '\n';
    std::string header(magic);
    header += {'\x01', '\x00'};
    header += {static_cast<char>(dict.size() & 0xFF), static_cast<char>(dict.size() >> 8)};
    return header + dict;
}

}  // namespace sinter::codegen
