// Files that others change, that processes are killed over, and that hold what terminals obey.
#include <codegen/support/printable.hpp>
#include <runtime/io/file.hpp>
#include <tests/support/message_of.hpp>
#include <tests/support/own_folder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

namespace sinter::codegen {
namespace {

namespace fs = std::filesystem;
using test::content, test::message_of;
using testing::HasSubstr;

class files : public testing::Test, protected test::own_folder {
protected:
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& entry : fs::directory_iterator(folder())) all.push_back(entry.path().filename().string());
        return all;
    }
};

TEST_F(files, one_that_is_cut_off_while_it_is_read_is_an_error) {
    const std::string name = write("long", std::string(3 << 20, 'x'));
    const input_file file(name, "load");
    fs::resize_file(name, 5000);
    EXPECT_EQ(file.text(0, 5000), std::string(5000, 'x'));
    for (const std::size_t bytes : {std::size_t{5001}, std::size_t{3} << 20})
        EXPECT_THAT(message_of([&] { (void)file.text(0, bytes); }), HasSubstr("load: cut short: the file ends before"));
    EXPECT_THAT(message_of([&] { const mapped_file mapped(file); }), HasSubstr("load: cut short"));
    EXPECT_THAT(message_of([&] { (void)file.text(~std::uint64_t{0}, 1); }), HasSubstr("cut short"));
}

TEST_F(files, a_writer_that_is_killed_leaves_nothing) {
    const std::string name = write("kept", "old");
    const pid_t child = ::fork();
    if (child == 0) {
        replacement_file file(name, "save");
        file.write("new", 3);
        ::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(content(name), "old");
    EXPECT_THAT(names(), testing::ElementsAre("kept"));
}

TEST_F(files, the_target_is_there_when_it_was_committed) {
    for (const char* before : {"", "old"}) {
        const std::string name = path("target");
        if (*before) write("target", before);
        replacement_file file(name, "save");
        file.write("new", 3);
        file.write_over(1, "o", 1);
        EXPECT_EQ(content(name), before);
        file.commit();
        EXPECT_EQ(content(name), "now");
        fs::remove(name);
    }
    EXPECT_TRUE(names().empty());
}

TEST_F(files, text_of_files_is_shown_on_one_line) {
    EXPECT_EQ(printable("plain"), "plain");
    EXPECT_EQ(printable("größe 数"), "größe 数");
    EXPECT_EQ(printable("a\nb\x1b[2J\x7f"), "a\\x0ab\\x1b[2J\\x7f");
    EXPECT_EQ(printable(std::string("\0x", 2)), "\\x00x");
    EXPECT_EQ(printable("\xc2\x9b"
                        "1m"),
              "\\xc2\\x9b1m");  // CSI, as one character
    EXPECT_EQ(printable("\xe2\x80\xae"
                        "txt"),
              "\\xe2\\x80\\xaetxt");  // from right to left
    EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(printable("\xc0\xaf \xed\xa0\x80"), "\\xc0\\xaf \\xed\\xa0\\x80");  // overlong, surrogate
    EXPECT_EQ(printable(std::string(100, 'x'), 5), "xxxxx...");
    EXPECT_EQ(printable(std::string(5, 'x'), 5), "xxxxx");
}

}  // namespace
}  // namespace sinter::codegen
