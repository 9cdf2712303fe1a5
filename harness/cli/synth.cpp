#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "harness/cli/commands.hpp"
#include "harness/core/error.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"
#include "synth_models/model.hpp"

namespace brink::cli {

namespace {

std::map<std::string, std::string> fields_of(const Options& options) {
  const auto known = synth::field_names();
  std::map<std::string, std::string> fields;
  for (std::size_t i = 1; i < options.positional().size(); ++i) {
    const std::string& entry = options.positional()[i];
    const auto equals = entry.find('=');
    if (equals == std::string::npos)
      throw usage_error("\"" + for_terminal(entry) + "\" is not FIELD=VALUE", "", "as in layers=4");
    const std::string name = entry.substr(0, equals);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw usage_error("unknown field " + for_terminal(name) + did_you_mean(name, known));
    if (!fields.emplace(name, entry.substr(equals + 1)).second) throw usage_error("given twice", name);
  }
  return fields;
}

synth::GraphStyle style_of(const Options& options) {
  const std::string style = options.value("style").value_or("plain");
  if (options.has("style") && !options.has("onnx")) throw usage_error("needs --onnx", "--style");
  if (!options.has("onnx")) return synth::GraphStyle::none;
  if (style == "dfc") return synth::GraphStyle::dfc;
  throw usage_error("style \"" + for_terminal(style) + "\" is not in this version", "--onnx",
                    "give --style dfc");
}

}  // namespace

const Usage& synth_usage() {
  static const Usage usage{
      "synth DIR FIELD=VALUE… [--onnx] [options]",
      "Writes a synthetic transformer: a Hugging Face checkpoint folder and, with --onnx, its graph.",
      {{"onnx", 0, "", "write the graph, too (onnx/model.onnx)", false},
       {"style", 0, "STYLE", "of the graph: dfc", false},
       {"force", 0, "", "replace a folder that brink wrote", false},
       {"json", 0, "", "one JSON object on stdout", false},
       {"help", 'h', "", "this text", false}},
      "Fields: preset, family, layers, hidden, heads, kv_heads or nrep, head_dim, intermediate, vocab, "
      "rope_theta, norm_eps,\n"
      "max_positions, tied, dtype (f32, f16, bf16), seed, prefill, cache.",
      false};
  return usage;
}

int synth_command(const Options& options) {
  if (options.positional().empty())
    throw usage_error("no folder", "", "usage: brink " + synth_usage().synopsis);
  const std::filesystem::path folder = options.positional().front();
  const auto style = style_of(options);
  try {
    const synth::ModelSpec spec = synth::spec_from_fields(fields_of(options));
    const auto warnings = synth::write_model(
        spec, folder, style, options.has("force") ? synth::Existing::replace : synth::Existing::refuse);
    for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", for_terminal(warning));
    if (options.has("json")) {
      nlohmann::ordered_json object = {{"schema", "brink.synth/1"}, {"folder", to_utf8(folder.string())}};
      object["spec"] = nlohmann::ordered_json::parse(synth::spec_to_json(spec));
      object["warnings"] = warnings;
      fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
  } catch (const synth::SpecError& error) {
    throw usage_error(error.what(), error.field());
  } catch (const std::system_error& error) {
    throw infrastructure_error(error.what(), folder.string());
  }
  return 0;
}

}  // namespace brink::cli
