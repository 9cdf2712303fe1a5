#pragma once

#include <string>

#include "harness/campaign/campaign.hpp"
#include "tests/unit/toolchain/folder.hpp"

namespace brink {

/// A toolchain with a model, an option, an unused option and a script.
inline constexpr const char* kToolchain = R"toml([toolchain]
name  = "dfc"
needs = ["model", "onnx"]
[parameters]
level  = { type = "integer", default = 0, min = 0, max = 3 }
idle   = { default = "x" }
[[stage]]
name    = "compile"
argv    = ["true", "{onnx}", "{script}", "{out.hef}"]
outputs = { hef = "model.hef" }
depends = ["level"]
)toml";

inline constexpr const char* kHead = "[campaign]\nname = \"c\"\ntoolchain = \"dfc\"\n";
inline constexpr const char* kModel = "[model]\nlayers = 4\n";
inline constexpr const char* kDepth =
    "[[experiment]]\nname = \"depth\"\nkind = \"threshold\"\naxis = { layers = \"1..24\" }\n";

/// A campaign file whose toolchain dfc lies beside it.
inline Campaign load_text(const Folder& folder, const std::string& text) {
  folder.write("dfc.toml", kToolchain);
  return load_campaign(folder.write("c.toml", text), {});
}
inline Campaign load_text(const std::string& text) {
  const Folder folder;
  return load_text(folder, text);
}

}  // namespace brink
