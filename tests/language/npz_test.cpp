// .npz archives: reads NumPy's, writes what NumPy and unzip can read, and tells damage from content.
#include <gmock/gmock.h>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>
#include <tests/support/own_folder.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace sinter::test {
namespace {

using testing::AllOf, testing::HasSubstr;

std::string data(const std::string& name) { return std::string(SINTER_TEST_DIR) + "/data/format/" + name; }

class npz : public on_devices, protected own_folder {};

TEST_F(npz, numpys_archives_are_read) {
    for (const char* name : {"stored.npz", "deflated.npz"}) {
        SCOPED_TRACE(name);
        const std::string file = data(name);
        std::vector<std::string> names;
        for (const npz_member& m : inspect_npz(file)) names.push_back(m.name);
        EXPECT_THAT(names, testing::ElementsAre("matrix", "folder/flags", "column_major", "empty", "scalar", "big",
                                                "long", "größe"));
        EXPECT_EQ(inspect_npz(file)[2].info.shape, (std::vector<std::int64_t>{3, 5, 2}));
        EXPECT_TRUE(inspect_npz(file)[2].info.fortran_order);

        const array<float, 2> matrix = load_npz<float, 2>(file, "matrix");
        EXPECT_EQ(matrix.shape(), shape<2>(3, 5));
        const auto column_major = to_host(load_npz<std::int64_t, 3>(file, "column_major"));
        const auto long_ones = to_host(load_npz<std::int32_t, 1>(file, "long"));
        for (int i = 0; i < 15; ++i) ASSERT_EQ(to_host(matrix)[static_cast<std::size_t>(i)], i * 0.75f - 11.25f);
        for (int i = 0; i < 30; ++i) ASSERT_EQ(column_major[static_cast<std::size_t>(i)], i * 7 - 50);
        for (int i = 0; i < 3000; ++i) ASSERT_EQ(long_ones[static_cast<std::size_t>(i)], i * 7 - 50);
        EXPECT_EQ(to_host(load_npz<bool, 1>(file, "folder/flags")),
                  (std::vector<bool>{true, false, false, true, false, false, true}));
        EXPECT_EQ((load_npz<double, 2>(file, "empty").shape()), shape<2>(0, 3));
        EXPECT_EQ(item(load_npz<int, 0>(file, "scalar")), -50);
        EXPECT_EQ(to_host(load_npz<double, 2>(file, "big"))[5], 5 * 0.75 - 11.25);
    }
}

TEST_F(npz, what_is_written_is_read_back) {
    const array<double, 2> x = {{1, 2, 3}, {4, 5, 6}};
    std::vector<std::int16_t> values(100'000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int16_t>(i * i % 1009);
    const auto many = from_host(std::span(values), {1000, 100});
    for (const npz_compression how : {npz_compression::stored, npz_compression::deflated}) {
        const std::string file = path("a.npz");
        save_npz(file,
                 {{"x", x},
                  {"2y + 1", 2 * transpose(x) + 1},
                  {"many", many},
                  {"none", array<float, 3>()},
                  {"größe", sum(x)}},
                 how);
        EXPECT_EQ(to_host(load_npz<double, 2>(file, "x")), to_host(x));
        EXPECT_EQ(to_host(load_npz<double, 2>(file, "2y + 1")), (std::vector<double>{3, 9, 5, 11, 7, 13}));
        EXPECT_EQ(to_host(load_npz<std::int16_t, 2>(file, "many")), values);
        EXPECT_EQ((load_npz<float, 3>(file, "none").shape()), shape<3>());
        EXPECT_EQ(item(load_npz<double, 0>(file, "größe")), 21);
        const std::string first = content(file);
        EXPECT_EQ(how == npz_compression::deflated, first.size() < 100'000);
        save_npz(file,
                 {{"x", x},
                  {"2y + 1", 2 * transpose(x) + 1},
                  {"many", many},
                  {"none", array<float, 3>()},
                  {"größe", sum(x)}},
                 how);
        EXPECT_EQ(content(file), first);
    }
    save_npz(path("empty.npz"), {});
    EXPECT_TRUE(inspect_npz(path("empty.npz")).empty());
}

TEST_F(npz, python_reads_what_is_written) {
    const array<float, 1> x = {1, 2, 3};
    for (const npz_compression how : {npz_compression::stored, npz_compression::deflated}) {
        save_npz(path("a.npz"), {{"x", x}, {"größe", x * 2}}, how);
        // zipfile is what NumPy reads archives with; testzip() compares the checksums.
        const std::string script =
            "import zipfile, sys; z = zipfile.ZipFile(sys.argv[1]); bad = z.testzip(); "
            "names = z.namelist(); sizes = [i.file_size for i in z.infolist()]; "
            "sys.exit(0 if bad is None and names == [\"x.npy\", \"gr\\u00f6\\u00dfe.npy\"] and "
            "sizes == [140, 140] else 1)";
        EXPECT_EQ(std::system(("python3 -c '" + script + "' " + path("a.npz")).c_str()), 0);
    }
}

TEST_F(npz, every_cut_and_every_changed_byte_is_noticed_or_harmless) {
    for (const char* name : {"stored.npz", "deflated.npz"}) {
        const std::string good = content(data(name));
        const auto expected = to_host(load_npz<float, 2>(data(name), "matrix"));
        for (std::size_t n = 0; n < good.size(); n += 61) {
            const std::string file = write("cut.npz", good.substr(0, n));
            EXPECT_THROW(((void)load_npz<float, 2>(file, "matrix")), error) << name << " cut to " << n;
            EXPECT_THROW((void)inspect_npz(file), error);
        }
        for (std::size_t i = 0; i < good.size(); i += 17) {
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ 0x55);
            const std::string file = write("bad.npz", bad);
            try {
                EXPECT_EQ(to_host(load_npz<float, 2>(file, "matrix")), expected) << name << " byte " << i;
            } catch (const error&) {  // just as good
            }
            try {
                EXPECT_GE(inspect_npz(file).size(), 1u);
            } catch (const error&) {
            }
        }
    }
}

/// A stored archive of members that share what they unpack to: as many entries as asked for over each of the bodies.
std::string archive_of(const std::vector<std::string>& bodies, int entries, bool same_name) {
    const auto number = [](std::uint64_t n, int bytes) {
        std::string text;
        for (int i = 0; i < bytes; ++i) text += static_cast<char>(n >> (8 * i) & 0xff);
        return text;
    };
    std::string archive, directory;
    int name = 0;
    for (const std::string& body : bodies) {
        const std::string sizes = number(0, 4) + number(body.size(), 4) + number(body.size(), 4) + number(5, 2);
        const std::size_t at = archive.size();
        archive += "PK\x03\x04" + number(20, 2) + std::string(8, '\0') + sizes + number(0, 2) + "a.npy" + body;
        for (int i = 0; i < entries; ++i, ++name)
            directory += "PK\x01\x02" + number(20, 2) + number(20, 2) + std::string(8, '\0') + sizes +
                         std::string(12, '\0') + number(at, 4) +
                         (same_name ? std::string("a.npy") : std::string("a") + number(0x30303030u + name, 4));
    }
    const std::size_t count = bodies.size() * static_cast<std::size_t>(entries);
    return archive + directory + "PK\x05\x06" + number(0, 4) + number(count, 2) + number(count, 2) +
           number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
}

TEST_F(npz, members_neither_overlap_nor_share_a_name) {
    const std::string body = content(data("empty.npy"));
    EXPECT_NO_THROW((void)inspect_npz(write("one.npz", archive_of({body, body}, 1, false))));
    EXPECT_THAT(message_of([&] { (void)inspect_npz(write("many.npz", archive_of({body}, 65'535, false))); }),
                HasSubstr("damaged archive: its members overlap"));
    EXPECT_THAT(message_of([&] {
                    (void)inspect_npz(write("twice.npz", archive_of({body, body}, 1, true)));
                }),
                HasSubstr("two members are called 'a.npy'"));
}

TEST_F(npz, an_archive_asks_for_no_more_than_the_limits) {
    const std::string file = path("zeros.npz");
    save_npz(file, {{"zeros", zeros<double>({1 << 20})}, {"x", array<int, 1>{1, 2}}}, npz_compression::deflated);
    EXPECT_THAT(message_of([&] { (void)load_npz<double, 1>(file, "zeros", {.max_bytes = 1 << 20}); }),
                AllOf(HasSubstr("zeros: its "), HasSubstr("unpack to 8388736, more than the limit of 1048576"),
                      HasSubstr("npz_limits::max_bytes")));
    EXPECT_EQ(to_host(load_npz<int, 1>(file, "x", {.max_bytes = 1 << 20}))[1], 2);
    EXPECT_THAT(message_of([&] { (void)inspect_npz(file, {.max_entries = 1}); }),
                AllOf(HasSubstr("has 2 members, more than the limit of 1"), HasSubstr("npz_limits::max_entries")));
    save_npz(file, {{"zeros", zeros<double>({1 << 20})}});  // what is stored takes no more than the file
    EXPECT_EQ((load_npz<double, 1>(file, "zeros", {.max_bytes = 1}).size()), 1 << 20);
}

TEST_F(npz, names_and_dtypes_of_archives_are_escaped) {
    const std::string file = path("names.npz");
    save_npz(file, {{"a\x1b[2J\n" + std::string(300, 'x'), array<int, 1>{1}}});
    const std::string what = message_of([&] { (void)load_npz<int, 1>(file, "b"); });
    EXPECT_THAT(what, AllOf(HasSubstr("there are: a\\x1b[2J\\x0axxx"), HasSubstr("xxx...")));
    EXPECT_LT(what.size(), 400u);
}

#ifndef __SANITIZE_ADDRESS__
/// The most memory that the process has had at once since it was asked before, in bytes.
std::size_t max_memory() {
    std::ifstream status("/proc/self/status");
    std::size_t kilobytes = 0;
    for (std::string word; status >> word;)
        if (word == "VmHWM:") status >> kilobytes;
    std::ofstream("/proc/self/clear_refs") << "5";
    return kilobytes << 10;
}

TEST_F(npz, a_deflated_array_is_not_held_twice) {
    if (!current_device().is_host()) GTEST_SKIP() << "a device's memory is not counted";
    constexpr std::size_t bytes = std::size_t{128} << 20;
    const std::string file = path("zeros.npz");
    save_npz(file, {{"zeros", zeros<double>({static_cast<std::int64_t>(bytes / 8)})}}, npz_compression::deflated);
    (void)max_memory();
    if (max_memory() == 0) GTEST_SKIP() << "there is no /proc";
    std::size_t before = max_memory();
    const auto loaded = load_npz<double, 1>(file, "zeros");
    EXPECT_LT(max_memory() - before, bytes + bytes / 2);
    EXPECT_EQ(item(sum(loaded)), 0);
}
#endif

TEST_F(npz, errors_name_cause_and_cure) {
    const array<double, 1> x = {1};
    EXPECT_THAT(message_of([] { (void)load_npz<double, 1>(data("stored.npz"), "matrx"); }),
                AllOf(HasSubstr("load_npz: "), HasSubstr("no array 'matrx'"), HasSubstr("matrix, folder/flags, ")));
    EXPECT_THAT(
        message_of([] { (void)load_npz<double, 1>(data("stored.npz"), "matrix"); }),
        AllOf(HasSubstr("stored.npz: matrix: holds shape (3, 5)"), HasSubstr("write load_npz<double, 2>(...)")));
    EXPECT_THAT(message_of([] { (void)load_npz<int, 2>(data("deflated.npz"), "matrix"); }),
                AllOf(HasSubstr("holds float32"), HasSubstr("load_npz<float, 2>")));
    EXPECT_THAT(message_of([] { (void)inspect_npz(data("empty.npy")); }), HasSubstr("not a .npz archive"));
    EXPECT_THAT(message_of([] { (void)load_npy<double, 1>(data("archive.npz")); }), HasSubstr("load_npz"));
    EXPECT_THAT(message_of([] { (void)inspect_npz("/nowhere/a.npz"); }), HasSubstr("check the path"));
    EXPECT_THAT(message_of([&] {
                    save_npz(path("twice.npz"), {{"x", x}, {"x", x}});
                }),
                AllOf(HasSubstr("two arrays are called 'x'"), HasSubstr("a name of its own")));
    EXPECT_THAT(message_of([&] { save_npz(path("no.npz"), {{"", x}}); }), HasSubstr("a name has 0 bytes"));
    EXPECT_FALSE(std::filesystem::exists(path("twice.npz")));
    std::string bad = content(data("stored.npz"));
    bad[bad.find("NUMPY") + 150] ^= 1;  // an element of the first member
    EXPECT_THAT(message_of([&] { (void)load_npz<float, 2>(write("bad.npz", bad), "matrix"); }),
                AllOf(HasSubstr("the checksum differs"), HasSubstr("copy the file again")));
}

}  // namespace
}  // namespace sinter::test
