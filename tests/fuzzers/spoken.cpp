// Expressions and operands as sinter-explain reads them, down to the CUDA source.
#include <codegen/schedule/target_presets.hpp>
#include <runtime/launch/explain.hpp>
#include <sinter/error.hpp>
#include <tests/fuzzers/checks.hpp>
#include <tools/explain/reader.hpp>

namespace sinter::test {
namespace {

const spoken::operand_table& operands() {
    static const spoken::operand_table all = [] {
        spoken::operand_table made;
        std::uintptr_t place = 0;
        for (const char* text :
             {"x:f64[12,30,70]", "y:f32[12,30,70]", "m:f32[30,70]", "v:f32[70]", "i:i32[30,70]", "b:bool[30,70]",
              "z:complex64[30,70]", "h:f16[30,70]", "k:i64[5]", "l:i8[1099511627776,1]", "w:u64[1,1099511627776]",
              "e:f32[0,3]", "r:f32[]", "s:f64", "n:i32"})
            made.insert(spoken::read_operand(text, place++));
        return made;
    }();
    return all;
}

}  // namespace

void fuzz_spoken(bytes input) {
    const std::string text(input.begin(), input.end());
    try {
        const spoken::lowered e = spoken::lower(spoken::read_expression(text, operands()));
        // empty where there are no elements and nothing is launched, as for bincount(k, 0)
        static_cast<void>(codegen::source_for(codegen::device_properties{}, e.program(), e.arguments()));
    } catch (const error& e) {
        check_message(e.what());
    } catch (const spoken::problem& p) {
        if (spoken::with_marks(text, p).size() > 4000) found("a long message");
    }
    try {
        (void)spoken::read_operand(text, 1);
    } catch (const spoken::problem& p) {
        (void)spoken::with_marks(text, p);
    }
}

}  // namespace sinter::test
