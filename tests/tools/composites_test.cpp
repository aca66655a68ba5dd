// The functions composed of rows, of every dtype and layout, against NumPy's results, which tests/data/composites.py
// wrote. The expressions are read as sinter-explain reads them, so that every dtype costs the C++ compiler nothing;
// spoken_test.cpp holds that these are the programs that C++ has.
#include <tests/language/kept_slot.hpp>
#include <tests/language/on_devices.hpp>
#include <tools/explain/dtypes.hpp>
#include <tools/explain/reader.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <fstream>

namespace sinter::spoken {
namespace {

using number_t = std::complex<double>;

const std::string data = SINTER_TEST_DIR "/data/composites/";

/// An operand's elements as an array of their dtype: row-major memory, or a view of such.
class operand {
public:
    operand(dtype type, const std::string& layout, const std::vector<number_t>& values, bool backwards) {
        const std::int64_t rows = layout == "no_rows" ? 0 : 3, columns = layout == "no_columns" ? 0 : 4;
        const std::int64_t shape[] = {rows, columns};
        std::vector<number_t> laid(values);
        if (layout == "broadcast") laid.resize(4);
        if (layout == "rank_0") laid = {values[1]};
        if (rows * columns == 0) laid.clear();
        if (backwards) {  // and every other one
            laid.assign(2 * values.size(), 1);
            for (std::size_t i = 0; i < values.size(); ++i) laid[laid.size() - 1 - 2 * i] = values[i];
        }
        const bool viewed = backwards || layout == "broadcast";
        const auto count = static_cast<std::int64_t>(laid.size());
        base_ = viewed ? sinter::detail::make_storage(type, 1, &count)
                       : sinter::detail::make_storage(type, layout == "rank_0" ? 0 : 2, shape);
        upload(laid);
        if (!viewed) {
            array = base_;
            return;
        }
        sinter::detail::foreign_memory memory;
        memory.type = type;
        memory.where = base_->where;
        memory.data = static_cast<char*>(base_->data) + (backwards ? laid.size() - 1 : 0) * size_of(type);
        const std::int64_t strides[] = {backwards ? -8 : 0, backwards ? -2 : 1};
        array = sinter::detail::wrap_memory(memory, 2, shape, strides);
    }
    sinter::detail::storage_ref array;

private:
    void upload(const std::vector<number_t>& values) {
        std::vector<std::byte> bytes;
        sinter::detail::with_dtype(base_->type, [&]<dtype D>() {
            for (const number_t& v : values) {
                element_t<D> e{};
                if constexpr (is_complex(D))
                    e = element_t<D>(v);
                else
                    e = static_cast<element_t<D>>(v.real());
                bytes.resize(bytes.size() + sizeof e);
                std::memcpy(&bytes[bytes.size() - sizeof e], static_cast<const void*>(&e), sizeof e);
            }
        });
        if (!values.empty()) sinter::detail::copy_from_host(base_, bytes.data());
    }

    sinter::detail::storage_ref base_;
};

/// The elements of an expression, and how far off they may be where they are about 1.
struct evaluated {
    std::vector<number_t> elements;
    double unit = 0;

    explicit evaluated(const std::string& text, const operand& x) {
        const node_ref e = read_expression(text, {{"x", leaf_of(x.array)}}).at(0);
        if (is_floating(e->type) || is_complex(e->type)) {
            const dtype part = is_complex(e->type) ? real_of(e->type) : e->type;
            unit = std::ldexp(1.0, part == dtype::float16    ? -10
                                   : part == dtype::bfloat16 ? -7
                                   : part == dtype::float32  ? -23
                                                             : -52);
        }
        const lowered program = lower({cast(e, dtype::complex128)});
        sinter::detail::evaluation_result result{.rank = e->rank, .extents = e->shape.data()};
        sinter::detail::evaluate(program.program(), sinter::test::kept_slot(), program.arguments(), &result);
        elements.resize(result.made->bytes / sizeof(number_t));
        if (!elements.empty()) sinter::detail::copy_to_host(elements.data(), result.made);
    }
};

bool near(double got, double want, double off) {
    return got == want || (std::isnan(got) && std::isnan(want)) || std::abs(got - want) <= off;
}

class composites_of_every_dtype : public test::on_devices {
protected:
    template <class T, int Rank>
    static std::vector<T> read(const std::string& file, const char* member = nullptr) {
        const device_scope on(host());
        return to_host(member ? load_npz<T, Rank>(data + file, member) : load_npy<T, Rank>(data + file));
    }

    static std::vector<number_t> input(const std::string& type, const std::string& layout) {
        constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
        const bool is_complex = type.starts_with("complex");
        if (layout == "special") {
            const double of[] = {nan, 1, -2, 0.5, inf, 0.25, -1, 3, -inf, -0.0, 0, 1};
            std::vector<number_t> all;
            for (std::size_t i = 0; i < 12; ++i) all.emplace_back(of[i], is_complex ? of[(i + 7) % 12] : 0.0);
            return all;
        }
        if (is_complex) return read<number_t, 2>("inputs_" + type + ".npy");
        const std::vector<double> real = read<double, 2>("inputs_" + type + ".npy");
        return {real.begin(), real.end()};
    }
};

TEST_F(composites_of_every_dtype, are_numpys) {
    const std::vector<double> re = read<double, 1>("values.npz", "re"), im = read<double, 1>("values.npz", "im");
    std::ifstream in(data + "cases.txt");
    std::size_t at = 0, number = 0;
    for (std::string type, layout, count, text; in >> type >> layout >> count && std::getline(in >> std::ws, text);) {
        SCOPED_TRACE(text + " of " + type + ", " + layout);
        const std::size_t first = at, n = count == "error" ? 0 : std::stoul(count);
        at += n;
        if (test::emulated() && number++ % 61 != 0) continue;  // each is a kernel
        const dtype d = *dtype_named(type);
        const std::vector<number_t> values = input(type, layout);
        for (const bool backwards : {false, true}) {
            if (backwards && layout != "plain") continue;
            const operand x(d, layout, values, backwards);
            if (count == "error") {
                EXPECT_ANY_THROW(evaluated(text, x));
                continue;
            }
            const evaluated got(text, x);
            ASSERT_EQ(got.elements.size(), n);
            for (std::size_t i = 0; i < n; ++i) {
                const number_t want(re[first + i], im[first + i]), e = got.elements[i];
                const double off = 8 * got.unit * std::max(1.0, std::abs(want));
                EXPECT_TRUE(near(e.real(), want.real(), off) && near(e.imag(), want.imag(), off))
                    << "element " << i << (backwards ? ", backwards: " : ": ") << e << ", not " << want;
            }
        }
    }
    EXPECT_EQ(at, re.size());
}

}  // namespace
}  // namespace sinter::spoken
