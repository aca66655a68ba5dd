// .npy files: reads NumPy's files, round-trips its own, and refuses invalid files with the cause.
#include <gmock/gmock.h>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>
#include <tests/support/own_folder.hpp>

#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

using namespace sinter;
using test::content, test::message_of;
using testing::AllOf, testing::HasSubstr;

namespace {

std::string data(const std::string& name) { return std::string(SINTER_TEST_DIR) + "/data/format/" + name; }

class npy : public test::on_devices, protected test::own_folder {
protected:
    /// A file with the given header text; its elements are `elements` bytes.
    std::string with_header(const std::string& dict, std::size_t elements, char major = 1) const {
        std::string content = std::string("\x93NUMPY") + major + '\0';
        for (int i = 0; i < (major == 1 ? 2 : 4); ++i) content += static_cast<char>(dict.size() >> (8 * i) & 0xFF);
        return write("header.npy", content + dict + std::string(elements, '\0'));
    }
    std::size_t files_here() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder()), {}));
    }
};

/// The i-th element of the files that tests/data/make.py wrote.
template <class T>
T known(std::size_t i) {
    if constexpr (std::is_same_v<T, bool>)
        return i % 3 == 0;
    else if constexpr (is_complex(dtype_of<T>))
        return T(known<typename T::value_type>(i), static_cast<typename T::value_type>(i));
    else if constexpr (is_floating(dtype_of<T>))
        return static_cast<T>(static_cast<double>(i) * 0.75 - 11.25);
    else
        return static_cast<T>(static_cast<int>(i) * 7 - 50);
}

template <class T, int Rank>
void expect_known(const array<T, Rank>& a, const shape<Rank>& extents) {
    EXPECT_TRUE(a.shape() == extents);
    const auto values = to_host(a);
    ASSERT_EQ(values.size(), static_cast<std::size_t>(extents.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if constexpr (is_storage_only(dtype_of<T>))
            ASSERT_EQ(values[i].bits, known<T>(i).bits) << "element " << i;
        else
            ASSERT_EQ(values[i], known<T>(i)) << "element " << i;
    }
}

template <class T>
class npy_of : public test::on_devices {};
using all_types =
    testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, float16, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(npy_of, all_types);

TYPED_TEST(npy_of, every_order_and_endianness_is_read) {
    const std::string type = name(dtype_of<TypeParam>);
    for (const std::string order : {"C", "F"}) {
        for (const std::string side : {"little", "big"}) {
            if (sizeof(TypeParam) == 1 && side == "big") continue;
            SCOPED_TRACE(order + side);
            const std::string file = data(type + "_" + order + "_" + side + ".npy");
            expect_known(load_npy<TypeParam, 3>(file), shape<3>(3, 5, 2));
            const npy_info info = inspect_npy(file);
            EXPECT_EQ(info.type, dtype_of<TypeParam>);
            EXPECT_EQ(info.fortran_order, order == "F");
            EXPECT_EQ(info.shape, (std::vector<std::int64_t>{3, 5, 2}));
        }
    }
}

TYPED_TEST(npy_of, what_is_written_is_what_numpy_writes) {
    const std::string type = name(dtype_of<TypeParam>);
    const std::string file = testing::TempDir() + "sinter-npy-" + std::to_string(::getpid()) + "-" + type + ".npy";
    const std::string from_numpy = data(type + "_C_little.npy");
    const array<TypeParam, 3> a = load_npy<TypeParam, 3>(from_numpy);
    save_npy(file, a);
    expect_known(load_npy<TypeParam, 3>(file), shape<3>(3, 5, 2));
    std::ifstream one(file, std::ios::binary), other(from_numpy, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(one), {}),
              std::string(std::istreambuf_iterator<char>(other), {}));
    std::filesystem::remove(file);
}

template <int Rank>
void expect_rank(const shape<Rank>& extents) {
    for (const char* order : {"_C.npy", "_F.npy"}) {
        SCOPED_TRACE(std::to_string(Rank) + order);
        expect_known(load_npy<std::int32_t, Rank>(data("rank_" + std::to_string(Rank) + order)), extents);
    }
}

TEST_F(npy, every_rank) {
    expect_rank(shape<0>());
    expect_rank(shape<1>(7));
    expect_rank(shape<2>(3, 4));
    expect_rank(shape<3>(2, 3, 4));
    expect_rank(shape<4>(2, 1, 3, 2));
    expect_rank(shape<5>(2, 1, 2, 3, 1));
    expect_rank(shape<6>(1, 2, 1, 2, 1, 3));
    expect_rank(shape<7>(1, 2, 1, 2, 1, 3, 2));
    expect_rank(shape<8>(2, 1, 2, 1, 2, 1, 2, 2));
}

TEST_F(npy, format_versions_and_several_tiles) {
    for (const char* version : {"1", "2", "3"})
        expect_known(load_npy<double, 3>(data(std::string("version_") + version + ".npy")), shape<3>(3, 5, 2));
    expect_known(load_npy<std::int16_t, 3>(data("large_F.npy")), shape<3>(37, 2, 41));
    EXPECT_EQ((load_npy<double, 3>(data("empty.npy")).shape()), shape<3>(3, 0, 2));
}

TEST_F(npy, converts_within_a_kind_and_upwards) {
    for (const char* file : {"int16_C_little.npy", "int16_F_big.npy", "int16_C_big.npy"}) {
        SCOPED_TRACE(file);
        const auto want = to_host(load_npy<std::int16_t, 3>(data(file)));
        const auto wide = to_host(load_npy<std::int64_t, 3>(data(file)));
        const auto narrow = to_host(load_npy<std::int8_t, 3>(data(file)));
        const auto floating = to_host(load_npy<double, 3>(data(file)));
        for (std::size_t i = 0; i < want.size(); ++i) {
            EXPECT_EQ(wide[i], want[i]);
            EXPECT_EQ(narrow[i], static_cast<std::int8_t>(want[i]));
            EXPECT_EQ(floating[i], want[i]);
        }
    }
    expect_known(load_npy<float, 3>(data("float64_F_big.npy")), shape<3>(3, 5, 2));
    expect_known(load_npy<float, 3>(data("float16_F_big.npy")), shape<3>(3, 5, 2));
    expect_known(load_npy<float16, 3>(data("float64_C_little.npy")), shape<3>(3, 5, 2));
    expect_known(load_npy<bfloat16, 3>(data("float16_C_big.npy")), shape<3>(3, 5, 2));
    expect_known(load_npy<std::complex<double>, 3>(data("complex64_F_big.npy")), shape<3>(3, 5, 2));
    EXPECT_EQ(to_host(load_npy<std::complex<float>, 3>(data("float16_F_little.npy")))[1].real(), known<float>(1));
    const auto counts = to_host(load_npy<std::uint8_t, 3>(data("bool_F_little.npy")));
    for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], known<bool>(i) ? 1 : 0);
}

TEST_F(npy, bytes_that_are_no_bool_are_true) {
    const std::string file = with_header("{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}\n", 0);
    std::ofstream(file, std::ios::binary | std::ios::app) << std::string("\x00\x02\x01\xFF", 4);
    EXPECT_EQ(to_host(load_npy<bool, 1>(file)), (std::vector<bool>{false, true, true, true}));
    EXPECT_EQ(to_host(load_npy<int, 1>(file)), (std::vector<int>{0, 1, 1, 1}));
}

TEST_F(npy, headers_that_other_writers_make) {
    // Keys in another order, double quotes, no spaces, unaligned elements, Python 2's longs, native byte order.
    const std::string file = with_header("{\"shape\":(3L,),'fortran_order':True,'descr':'=i4'}", 0);
    const std::int32_t values[] = {1, -2, 3};
    std::ofstream(file, std::ios::binary | std::ios::app).write(reinterpret_cast<const char*>(values), sizeof values);
    EXPECT_EQ(to_host(load_npy<std::int32_t, 1>(file)), (std::vector<std::int32_t>{1, -2, 3}));
    EXPECT_EQ(to_host(load_npy<double, 1>(file)), (std::vector<double>{1, -2, 3}));
}

TEST_F(npy, expressions_and_empty_arrays_are_saved) {
    const array<double, 2> a = {{1, 2, 3}, {4, 5, 6}};
    save_npy(path("sum.npy"), sum(a * a, axis=1));
    EXPECT_EQ((to_host(load_npy<double, 1>(path("sum.npy")))), (std::vector<double>{14, 77}));
    save_npy(path("scalar.npy"), sum(a));
    EXPECT_EQ(item(load_npy<double, 0>(path("scalar.npy"))), 21);
    save_npy(path("never.npy"), array<float, 2>());
    EXPECT_EQ(inspect_npy(path("never.npy")).shape, (std::vector<std::int64_t>{0, 0}));
}

TEST_F(npy, the_target_is_replaced_whole_or_not_at_all) {
    const array<int, 1> old_values = {1, 2, 3}, new_values = {4, 5};
    const std::string file = path("kept.npy");
    save_npy(file, old_values);
    std::filesystem::permissions(file, std::filesystem::perms(0640));
    std::filesystem::create_symlink(file, path("link.npy"));
    save_npy(path("link.npy"), new_values);
    EXPECT_EQ(to_host(load_npy<int, 1>(file)), (std::vector<int>{4, 5}));
    EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
    EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0640));

    const std::string before = content(file);
    const std::size_t files = files_here();
    EXPECT_ANY_THROW(save_npy(file, sum(new_values * old_values)));  // shapes that do not broadcast
    EXPECT_EQ(content(file), before);
    EXPECT_EQ(files_here(), files);

    // Many writers of one file: each leaves it whole.
    const device here = current_device();
    std::vector<std::thread> writers;
    for (int t = 0; t < 4; ++t)
        writers.emplace_back([&, t] {
            const device_scope on(here);
            for (int i = 0; i < 20; ++i) save_npy(file, t % 2 ? old_values : new_values);
        });
    for (std::thread& t : writers) t.join();
    const auto last = to_host(load_npy<int, 1>(file));
    EXPECT_TRUE(last == (std::vector<int>{1, 2, 3}) || last == (std::vector<int>{4, 5}));
    EXPECT_EQ(files_here(), files);
}

TEST_F(npy, a_write_that_fails_leaves_the_target_alone) {
    const std::string file = path("kept.npy");
    save_npy(file, array<int, 1>{1, 2, 3});
    const array<double, 1> too_much = full({100000}, 1.0);
    (void)to_host(too_much);  // a kernel may be compiled for it, which writes files, too

    // The system refuses to let a file grow beyond the limit, as a full disk would.
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit usual{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
    rlimit tight = usual;
    tight.rlim_cur = 4096;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const std::string what = message_of([&] { save_npy(file, too_much); });
    ::setrlimit(RLIMIT_FSIZE, &usual);
    std::signal(SIGXFSZ, before);

    EXPECT_EQ(what, "save_npy: " + file + ": cannot write it: File too large; check the path and the disk");
    EXPECT_EQ(to_host(load_npy<int, 1>(file)), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(files_here(), 1u);
}

TEST_F(npy, a_device_file_is_not_replaced) {
    const array<int, 1> values = {1, 2, 3};
    EXPECT_THAT(message_of([&] { save_npy("/dev/null", values); }), HasSubstr("/dev/null: is not a regular file"));
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(npy, files_that_cannot_be_read_or_written) {
    const auto load = [](const std::string& p) { return message_of([&] { (void)load_npy<double, 1>(p); }); };
    EXPECT_EQ(load("/nowhere/x.npy"),
              "load_npy: /nowhere/x.npy: cannot read it: No such file or directory; check the path");
    EXPECT_EQ(load(path("")), "load_npy: " + path("") + ": is a directory; name a regular file");
    EXPECT_THAT(load("/dev/null"), HasSubstr("is not a regular file"));
    const array<double, 1> a = {1};
    EXPECT_EQ(message_of([&] { save_npy("/nowhere/x.npy", a); }),
              "save_npy: /nowhere/x.npy: cannot write it: No such file or directory; check the path");
    EXPECT_THAT(message_of([&] { save_npy(path(""), a); }), HasSubstr("is a directory"));
    EXPECT_THAT(message_of([&] { (void)inspect_npy("/nowhere/x.npy"); }),
                HasSubstr("inspect_npy: /nowhere/x.npy: cannot read"));
}

TEST_F(npy, other_ranks_and_kinds_than_asked) {
    const std::string x = data("float64_C_little.npy");
    EXPECT_EQ(message_of([&] { (void)load_npy<double, 2>(x); }),
              "load_npy: " + x + ": holds shape (3, 5, 2), rank 3; asked for rank 2; write load_npy<double, 3>(...)");
    EXPECT_EQ(message_of([&] { (void)load_npy<std::int32_t, 3>(x); }),
              "load_npy: " + x +
                  ": holds float64; asked for int32, a lower kind; write load_npy<double, 3>(...), and convert "
                  "with astype<std::int32_t>(...)");
    EXPECT_THAT(message_of([&] { (void)load_npy<bool, 3>(data("uint8_C_little.npy")); }),
                HasSubstr("holds uint8; asked for bool"));
    EXPECT_THAT(message_of([&] { (void)load_npy<double, 8>(data("rank_9.npy")); }), HasSubstr("at most 8 axes"));
    EXPECT_EQ(inspect_npy(data("rank_9.npy")).shape.size(), 9u);
}

TEST_F(npy, dtypes_that_are_not_supported_are_named) {
    const auto refused = [](const std::string& name) {
        return message_of([&] { (void)load_npy<double, 1>(data("refused_" + name + ".npy")); });
    };
    EXPECT_THAT(refused("longdouble"), HasSubstr("dtype '<f16' is not supported; convert it with NumPy's astype"));
    EXPECT_THAT(refused("text"), HasSubstr("'<U3'"));
    EXPECT_THAT(refused("date"), HasSubstr("'<M8[s]'"));
    EXPECT_THAT(refused("bytes"), HasSubstr("'|S3'"));
    EXPECT_THAT(refused("structure"), HasSubstr("the elements are structures"));
}

TEST_F(npy, bfloat16_has_no_letter) {
    const array<bfloat16, 1> a = full({3}, bfloat16(1.5f));
    EXPECT_THAT(message_of([&] { save_npy(path("b.npy"), a); }), HasSubstr("no bfloat16; save astype<float>(a)"));
    EXPECT_EQ(files_here(), 0u);
    save_npy(path("b.npy"), astype<float>(a));
    EXPECT_EQ(to_host(load_npy<bfloat16, 1>(path("b.npy")))[2].bits, 0x3fc0);
}

TEST_F(npy, damaged_files) {
    const auto load = [](const std::string& p) { return message_of([&] { (void)load_npy<double, 1>(p); }); };
    const std::string whole = content(data("rank_1_C.npy"));
    EXPECT_THAT(load(write("empty", "")), HasSubstr("not a .npy file"));
    EXPECT_THAT(load(write("text", "1,2,3\n")), HasSubstr("not a .npy file"));
    EXPECT_THAT(load(data("archive.npz")), HasSubstr("an archive of arrays (.npz)"));
    EXPECT_THAT(load(write("long", whole + "x")),
                HasSubstr("bytes follow the elements: shape (7,) of int32 takes 28 bytes, "
                          "and the file holds 29"));
    // Wherever it is cut, an error says so.
    for (std::size_t n = 6; n < whole.size(); ++n)
        ASSERT_THAT(load(write("short", whole.substr(0, n))), HasSubstr("cut short")) << n << " bytes";
    std::string other_version = whole;
    other_version[6] = 4;
    EXPECT_THAT(load(write("version", other_version)), HasSubstr("format version 4.0 is not known"));
}

TEST_F(npy, a_file_that_is_cut_off_while_it_is_loaded) {
    const std::string file = path("changing.npy");
    const array<double, 1> values = full({1 << 20}, 1.0);
    save_npy(file, values);
    const std::string whole = content(file);
    std::atomic<bool> done{false};
    std::thread other([&] {
        while (!done) {
            std::filesystem::resize_file(file, 4096);
            std::ofstream(file, std::ios::binary | std::ios::in | std::ios::out) << whole;
        }
    });
    for (int i = 0; i < 30; ++i) {
        try {
            (void)load_npy<double, 1>(file);
        } catch (const error&) {  // rather than SIGBUS
        }
    }
    done = true;
    other.join();
    EXPECT_EQ((load_npy<double, 1>(file).size()), 1 << 20);
}

TEST_F(npy, damaged_headers) {
    const auto load = [&](const std::string& dict) {
        return message_of([&] { (void)load_npy<double, 1>(with_header(dict, 8)); });
    };
    const std::string order = "'fortran_order': False", shape = "'shape': (1,)", descr = "'descr': '<f8'";
    const auto dict = [](const std::string& a, const std::string& b, const std::string& c) {
        return "{" + a + ", " + b + ", " + c + ", }";
    };
    EXPECT_NO_THROW((void)(load_npy<double, 1>(with_header(dict(descr, order, shape), 8))));
    EXPECT_THAT(load(""), HasSubstr("damaged header: '{' is missing at its end"));
    EXPECT_THAT(load("{"), HasSubstr("a string is missing"));
    EXPECT_THAT(load("{'descr"), HasSubstr("a string has no end"));
    EXPECT_THAT(load("{'\x1b[2J\n" + std::string(500, 'k') + "': 1}"),
                AllOf(HasSubstr("unknown key '\\x1b[2J\\x0akkk"), HasSubstr("kkk...'")));
    EXPECT_THAT(load(dict("'descr': '\x1b[31mf8'", order, shape)), HasSubstr("dtype '\\x1b[31mf8'"));
    EXPECT_THAT(load(dict(descr, order, order)), HasSubstr("'fortran_order' is there twice"));
    EXPECT_THAT(load("{" + descr + "}"), HasSubstr("'descr', 'fortran_order' or 'shape' is missing"));
    EXPECT_THAT(load(dict(descr, order, "'size': 3")), HasSubstr("unknown key 'size'"));
    EXPECT_THAT(load(dict(descr, "'fortran_order': 0", shape)), HasSubstr("True or False is missing"));
    EXPECT_THAT(load(dict(descr, order, "'shape': (1)")), HasSubstr("a number, not a tuple"));
    EXPECT_THAT(load(dict(descr, order, "'shape': (-1,)")), HasSubstr("an extent is missing or too large"));
    EXPECT_THAT(load(dict(descr, order, "'shape': (99999999999999999999,)")), HasSubstr("too large"));
    EXPECT_THAT(load(dict(descr, order, "'shape': (4294967296, 4294967296)")), HasSubstr("more than 2^63 - 1 bytes"));
    EXPECT_THAT(load(dict(descr, order, "'shape': (1, 1")), HasSubstr("missing"));
    EXPECT_THAT(load(dict(descr, order, shape) + " x"), HasSubstr("more follows"));
    EXPECT_THAT(load(dict("'descr': '|f8'", order, shape)), HasSubstr("dtype '|f8'"));
    EXPECT_THAT(load(dict("'descr': ''", order, shape)), HasSubstr("dtype ''"));
    const std::string huge =
        write("huge.npy", std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\x7F", 12) + std::string(100, ' '));
    EXPECT_THAT(message_of([&] { (void)inspect_npy(huge); }), HasSubstr("it claims 2147483647 bytes"));
}

}  // namespace
