// The file that SINTER_KERNELS names: code, so that it is used only where no other user can have written it.
#include <runtime/cache/embedded.hpp>
#include <tests/codegen/in_a_process.hpp>
#include <tests/codegen/warnings.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace sinter;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class kernels_file : public testing::Test {
protected:
    void SetUp() override {
        path = testing::TempDir() + "sinter_kernels_" + std::to_string(::getpid());
        fs::remove_all(path);
        codegen::append_image(path, "text one", 90, "image one");
        codegen::append_image(path, "text two", 90, "image two");
        ::alarm(60);
    }
    void TearDown() override {
        ::alarm(0);
        fs::remove_all(path);
    }

    /// What a program finds that is started with SINTER_KERNELS: images, and what it says.
    std::string found() const {
        return test::in_a_process([&] {
            const test::warnings said;
            ::setenv("SINTER_KERNELS", path.c_str(), 1);
            std::string what;
            for (const char* text : {"text one", "text two"})
                what += codegen::embedded_images().find(text, 90).value_or("nothing") + ", ";
            for (const std::string& line : said.lines()) what += line + '|';
            return what;
        });
    }

    std::string path;
};

TEST_F(kernels_file, gives_its_images) { EXPECT_EQ(found(), "image one, image two, "); }

TEST_F(kernels_file, is_followed_through_links_of_ones_own) {
    const std::string real = path + ".real";
    fs::rename(path, real);
    fs::create_symlink(real, path);
    EXPECT_EQ(found(), "image one, image two, ");
    fs::remove(real);
}

TEST_F(kernels_file, is_not_used_if_others_can_write_it) {
    ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
    EXPECT_EQ(found(), "nothing, nothing, SINTER_KERNELS: " + path +
                           " can be written by users other than its owner (mode 0666), so kernels are compiled; name a "
                           "file of compiled kernels that only you can write|");
}

TEST_F(kernels_file, that_is_no_file_is_said_in_one_line) {
    const auto replaced_by = [&](auto make) {
        fs::remove_all(path);
        make();
        return found();
    };
    const std::string prefix = "nothing, nothing, SINTER_KERNELS: " + path;
    EXPECT_THAT(replaced_by([] {}), HasSubstr(prefix + " does not exist"));
    EXPECT_THAT(replaced_by([&] { fs::create_directory(path); }), HasSubstr(prefix + " is a directory"));
    EXPECT_THAT(replaced_by([&] { ::mkfifo(path.c_str(), 0600); }), HasSubstr(prefix + " is not a regular file"));
    EXPECT_THAT(replaced_by([&] { fs::create_symlink("/dev/zero", path); }),
                HasSubstr(prefix + " is not a regular file"));
}

TEST_F(kernels_file, that_is_damaged_is_said_in_one_line) {
    fs::resize_file(path, fs::file_size(path) - 20);
    EXPECT_THAT(found(), AllOf(testing::StartsWith("image one, nothing, SINTER_KERNELS=" + path +
                                                   ": at byte 112 of 204 "
                                                   "no compiled kernel begins, so only the 1 before it are used"),
                               Not(HasSubstr("\n"))));
    std::ofstream(path, std::ios::trunc) << "#!/bin/sh\n";
    fs::permissions(path, fs::perms::owner_all);
    EXPECT_THAT(found(),
                HasSubstr("nothing, nothing, SINTER_KERNELS=" + path + ": at byte 0 of 10 no compiled kernel"));
}

}  // namespace
