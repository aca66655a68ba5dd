// The kernels that random shapes of one expression need: how many are compiled, and which members of their schedules
// tell them apart. Nothing is compiled by NVRTC, and no GPU is needed.
//
//     classes [--each] [NAME]     a line for each expression whose name contains NAME; --each lists the classes
#include <codegen/lower/kernel_class.hpp>
#include <codegen/lower/reflection.hpp>
#include <codegen/schedule/cost.hpp>
#include <tests/codegen/shaped_expressions.hpp>

#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sinter;
using namespace sinter::codegen;

constexpr int shapes = 1000;

struct class_use {
    int shapes = 0;
    std::string schedule, extents;
};

class spread {
public:
    void add(const compiled_kernel& k) {
        if (!k.chosen) return;
        const kernel_class c = class_of(k.body, *k.chosen);
        class_use& use = classes_[key_of(c)];
        if (use.shapes++ == 0) use = {1, describe_class(*k.chosen), extents_of(k.body)};
        kernel_class bare = c;
        bare.how = schedule();
        nests_.insert(key_of(bare));
        boost::hana::for_each(reflection::fields_of<schedule>(), [&](const auto& field) {
            const auto member = boost::hana::second(field);
            kernel_class without = c;
            member(without.how) = member(schedule());
            without_[boost::hana::to<char const*>(boost::hana::first(field))].insert(key_of(without));
        });
    }

    void print(const char* name, bool each) const {
        std::printf("%3zu  %-34s nests %zu", classes_.size(), name, nests_.size());
        for (const auto& [member, keys] : without_)
            if (keys.size() < classes_.size()) std::printf(", %s %zu", member.c_str(), classes_.size() - keys.size());
        std::printf("\n");
        std::vector<class_use> uses;
        for (const auto& [key, use] : classes_) uses.push_back(use);
        std::sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.shapes > b.shapes; });
        for (const class_use& use : uses)
            if (each) std::printf("     %4d  %-12s %s\n", use.shapes, use.extents.c_str(), use.schedule.c_str());
    }

private:
    static std::string extents_of(const loop_nest& k) {
        std::string all;
        for (std::int64_t n : k.extents) all += (all.empty() ? "" : "x") + std::to_string(n);
        return all;
    }

    std::map<std::string, class_use> classes_;
    std::set<std::string> nests_;
    std::map<std::string, std::set<std::string>> without_;
};

}  // namespace

int main(int argc, char** argv) {
    bool each = false;
    const char* wanted = "";
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--each") == 0)
            each = true;
        else
            wanted = argv[i];
    }
    const device_scope on_host(host());
    for (const codegen::testing::shaped_expression& e : codegen::testing::shaped_expressions()) {
        if (std::strstr(e.name, wanted) == nullptr) continue;
        codegen::testing::shape_source source(1);
        spread all;
        for (int i = 0; i < shapes; ++i)
            e.draw(source, [&](const bindings& b) {
                for (const compiled_kernel& k : compile(b, {}, {}).kernels) all.add(k);
            });
        all.print(e.name, each);
    }
    return 0;
}
