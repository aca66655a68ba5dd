// Files of a test's own.
#pragma once

#include <gtest/gtest.h>
#include <tests/support/content.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace sinter::test {

/// A folder for one test, which goes with it: a base of fixtures.
class own_folder {
protected:
    own_folder() : folder_(testing::TempDir() + "sinter-XXXXXX") {
        if (!::mkdtemp(folder_.data())) throw std::runtime_error("no folder could be made as " + folder_);
        at_exit().folders[folder_] = ::getpid();
    }
    ~own_folder() {
        std::filesystem::remove_all(folder_);
        at_exit().folders.erase(folder_);
    }
    own_folder(const own_folder&) = delete;
    own_folder& operator=(const own_folder&) = delete;

    const std::string& folder() const { return folder_; }
    std::string path(const std::string& name) const { return folder_ + '/' + name; }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }

private:
    // The processes of death tests end in the middle of a test, without its destructors.
    struct removal {
        std::map<std::string, pid_t> folders;
        ~removal() {
            for (const auto& [folder, owner] : folders)
                if (owner == ::getpid()) std::filesystem::remove_all(folder);
        }
    };
    static removal& at_exit() {
        static removal all;
        return all;
    }

    std::string folder_;
};

}  // namespace sinter::test
