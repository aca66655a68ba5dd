// The class of a kernel as bytes.
#include <codegen/lower/kernel_class.hpp>
#include <codegen/lower/reflection.hpp>

#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>

#include <array>
#include <optional>
#include <type_traits>

BOOST_HANA_ADAPT_STRUCT(sinter::codegen::kernel_class, body, how, equivalent_layouts, equivalents);

namespace sinter::codegen {
namespace {

class key_writer {
public:
    /// Zigzag LEB128: seven bits per byte, the sign in the lowest bit, so that small numbers take one byte.
    void add(std::int64_t n) { add(static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63)); }
    void add(std::uint64_t n) {
        for (; n >= 0x80; n >>= 7) bytes_ += static_cast<char>(n | 0x80);
        bytes_ += static_cast<char>(n);
    }
    template <class T>
        requires(std::is_integral_v<T>)
    void add(T n) {
        add(static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(n));
    }
    template <class T>
        requires(std::is_enum_v<T>)
    void add(T n) {
        add(static_cast<std::int64_t>(n));
    }
    template <class T>
    void add(const std::vector<T>& all) {
        add(all.size());
        for (const T& one : all) add(one);
    }
    template <class T, std::size_t N>
    void add(const std::array<T, N>& all) {
        for (const T& one : all) add(one);
    }
    /// The row's strings rather than its address, which another row may take over when a library is unloaded.
    void add(const op_row* row) {
        add(row != nullptr);
        if (row == nullptr) return;
        for (const char* text : {row->name, row->body, row->identity}) add(text);
        add(row->rule);
    }
    void add(const ir::call_row* callee) { add(callee->name); }
    template <class T>
    void add(const std::optional<T>& one) {
        add(one.has_value());
        if (one) add(*one);
    }
    void add(const char* text) {
        if (text != nullptr) bytes_ += text;
        bytes_ += '\0';
    }
    template <class T>
        requires(std::is_class_v<T> && std::is_aggregate_v<T>)
    void add(const T& members) {
        boost::hana::for_each(reflection::fields_of<T>(),
                              [&](const auto& field) { add(boost::hana::second(field)(members)); });
    }

    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

}  // namespace

std::string key_of(const kernel_class& c) {
    key_writer key;
    key.add(c);
    return key.take();
}

}  // namespace sinter::codegen
