// .npy files of sharded arrays: the bytes equal those of the whole array's file, whichever process writes them.
#include <gmock/gmock.h>
#include <sinter/sharded_npy.hpp>
#include <tests/language/on_meshes.hpp>
#include <tests/support/message_of.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace sinter::test {
namespace {

class sharded_npy : public on_meshes {
protected:
    /// A file that all processes of a mesh mean.
    static std::string file_for(const std::string& name) {
        const auto folder = std::filesystem::temp_directory_path() / "sinter_sharded_npy";
        std::filesystem::create_directories(folder);
        return folder / (name + (is_one_of_several_processes() ? "_processes.npy" : "_" + test_device_name() + ".npy"));
    }
    static std::string content(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

TEST_F(sharded_npy, files_are_those_of_whole_arrays) {
    const auto x = random<float>(shape<3>(11, 4, 3));
    const std::string path = file_for("parts");
    for (const mesh& m : meshes()) {
        const std::string whole = file_for("whole" + std::to_string(m.first()));
        save_npy(whole, x);
        for (int a = 0; a < 3; ++a) {
            const auto s = scatter(m, x, axis=a);
            save_npy(m, path, s);
            EXPECT_EQ(content(path), content(whole));
            const sharded<float, 3> back = load_npy<float, 3>(m, path, axis=a);
            EXPECT_EQ(back.axis(), a);
            expect_same(back, x, 0);
            save_npy(m, path, s * 2);  // over the one that is there
            expect_same(load_npy<double, 3>(m, path), x * 2, 0);
        }
        save_npy(m, path, replicate(m, x(0, all, all)));
        expect_same(load_npy<float, 2>(m, path, axis=1), x(0, all, all), 0);
        save_npy(m, path, sum(scatter(m, x)));
        expect_same(gather(replicate(m, sinter::load_npy<float, 0>(path))), sum(x));
        save_npy(m, path, scatter(m, x(range(0, 0))));
        EXPECT_EQ((load_npy<float, 3>(m, path).shape()), (shape<3>(0, 4, 3)));
    }
}

TEST_F(sharded_npy, a_file_that_cannot_be_written_is_an_error_of_all) {
    for (const mesh& m : meshes()) {
        const auto s = scatter(m, random<float>(shape<1>(9)));
        EXPECT_THAT(message_of([&] { save_npy(m, "/nowhere/x.npy", s); }), testing::HasSubstr("/nowhere/x.npy"));
        EXPECT_THAT(message_of([&] { static_cast<void>(load_npy<float, 1>(m, "/nowhere/x.npy")); }),
                    testing::HasSubstr("/nowhere/x.npy"));
        expect_same(sum(s), sum(gather(s)));  // the mesh works on
    }
}

}  // namespace
}  // namespace sinter::test
