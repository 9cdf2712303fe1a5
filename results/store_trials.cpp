#include <fmt/core.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "results/diagnosis_json.hpp"
#include "results/store_state.hpp"

namespace brink {

namespace {

const std::string kTrial =
    "SELECT t.id, t.campaign, t.experiment, t.config, t.key, t.family, t.parts, t.identity, t.attempt, "
    "t.purpose, "
    "t.commands, t.host, t.brink_version, t.wall_limit_ms, t.memory_limit_bytes, t.started_ms, c.name, "
    "e.name, "
    "o.ended_ms, o.json, d.json, d.rules_digest, v.verdict "
    "FROM trial AS t "
    "LEFT JOIN campaign AS c ON c.id = t.campaign "
    "LEFT JOIN experiment AS e ON e.id = t.experiment "
    "LEFT JOIN outcome AS o ON o.trial = t.id "
    "LEFT JOIN diagnosis AS d ON d.id = (SELECT max(id) FROM diagnosis WHERE trial = t.id) "
    "LEFT JOIN tell AS v ON v.experiment = t.experiment AND v.trial = t.id ";

NewTrial made_of(const Statement& row) {
  NewTrial made;
  made.campaign = row.integer(1);
  made.experiment = row.integer(2);
  made.config = row.text(3);
  made.key = row.text(4);
  made.family = row.text(5);
  made.parts = row.text(6);
  made.identity = row.text(7);
  made.attempt = row.text(8);
  made.purpose = row.text(9);
  made.commands = row.text(10);
  made.host = row.text(11);
  made.brink_version = row.text(12);
  made.wall_limit_ms = row.integer(13);
  made.memory_limit_bytes = static_cast<std::uint64_t>(row.integer(14));
  return made;
}

TrialRow trial_of(const Statement& row) {
  TrialRow trial;
  trial.id = row.integer(0);
  trial.made = made_of(row);
  trial.started_ms = row.integer(15);
  trial.campaign_name = row.text(16);
  trial.experiment_name = row.text(17);
  trial.state = row.is_null(19) ? "running" : "ended";
  trial.ended_ms = row.integer(18);
  if (!row.is_null(19)) trial.outcome = outcome_from_json(row.text(19));
  if (!row.is_null(20)) trial.diagnosis = diagnosis_from_json(row.text(20));
  trial.rules_digest = row.text(21);
  trial.verdict = row.text(22);
  return trial;
}

std::vector<TrialRow> trials_of(Statement& query) {
  std::vector<TrialRow> rows;
  while (query.step()) rows.push_back(trial_of(query));
  return rows;
}

/// 0 means none, which a foreign key spells NULL.
std::optional<RowId> reference(RowId id) { return id == 0 ? std::nullopt : std::optional(id); }

void insert_conflicts(Database& database, RowId diagnosis, const std::vector<Conflict>& conflicts) {
  int position = 0;
  for (const Conflict& conflict : conflicts)
    Statement(database, "INSERT INTO conflict VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .with(diagnosis, position++, to_utf8(conflict.group), to_utf8(conflict.node),
              to_utf8(conflict.bucket), to_utf8(conflict.successor), to_utf8(conflict.successor_bucket),
              conflict.layer, to_utf8(conflict.role))
        .run();
}

/// A second diagnosis by the same rules takes the first one's place and becomes the newest.
void insert_diagnosis(Database& database, RowId trial, const Diagnosis& diagnosis,
                      const std::string& rules_digest) {
  const Failure failure = diagnosis.failure.value_or(Failure{});
  Statement(database, "DELETE FROM diagnosis WHERE trial = ? AND rules_digest = ?")
      .with(trial, rules_digest)
      .run();
  Statement(database,
            "INSERT INTO diagnosis (trial, rules_digest, kind, class, signature, stage, \"group\", message, "
            "stand_in, "
            "json, made_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .with(trial, rules_digest, diagnosis_kind_text(diagnosis.kind), to_utf8(failure.failure_class),
            to_utf8(failure.signature), to_utf8(failure.stage), to_utf8(failure.group),
            to_utf8(failure.message), diagnosis.stand_in ? 1 : 0, diagnosis_to_json(diagnosis), epoch_ms())
      .run();
  insert_conflicts(database, database.last_insert(), failure.conflicts);
}

/// The state of a trial, for complaints that come before the schema's own.
bool has_outcome(Database& database, RowId trial) {
  Statement query(database,
                  "SELECT o.trial FROM trial AS t LEFT JOIN outcome AS o ON o.trial = t.id WHERE t.id = ?");
  query.with(trial);
  if (!query.step())
    throw Error(Exit::infrastructure, "store", fmt::format("there is no trial {}", trial),
                for_terminal(database.file().string()), "brink trials lists them");
  return !query.is_null(0);
}

}  // namespace

RowId Store::insert_trial(const NewTrial& trial) {
  Database& database = *state_->database;
  Transaction transaction(database);
  Statement(
      database,
      "INSERT INTO trial (campaign, experiment, config, key, family, parts, identity, attempt, purpose, "
      "commands, host, brink_version, wall_limit_ms, memory_limit_bytes, started_ms) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .with(reference(trial.campaign), reference(trial.experiment), trial.config, trial.key, trial.family,
            to_utf8(trial.parts), to_utf8(trial.identity), trial.attempt, trial.purpose,
            to_utf8(trial.commands), to_utf8(trial.host), trial.brink_version, trial.wall_limit_ms,
            static_cast<std::int64_t>(trial.memory_limit_bytes), epoch_ms())
      .run();
  const RowId id = database.last_insert();
  transaction.commit();
  return id;
}

void Store::finish_trial(RowId trial, const Outcome& outcome, const Diagnosis& diagnosis,
                         const std::string& rules_digest) {
  Database& database = *state_->database;
  Transaction transaction(database);
  if (has_outcome(database, trial))
    throw Error(Exit::infrastructure, "store", fmt::format("trial {} has an outcome already", trial),
                for_terminal(database.file().string()), "outcomes are written once");
  const std::int64_t ended = outcome.ended_ms > 0 ? outcome.ended_ms : epoch_ms();
  Statement(database, "INSERT INTO outcome VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .with(trial, ending_text(outcome.ending), to_utf8(outcome.infrastructure), to_utf8(outcome.message),
            outcome.wall_s, outcome.cpu_s, static_cast<std::int64_t>(outcome.peak_memory_bytes), ended,
            outcome_to_json(outcome))
      .run();
  insert_diagnosis(database, trial, diagnosis, rules_digest);
  transaction.commit();
}

void Store::replace_diagnosis(RowId trial, const Diagnosis& diagnosis, const std::string& rules_digest) {
  Database& database = *state_->database;
  Transaction transaction(database);
  if (!has_outcome(database, trial))
    throw Error(Exit::infrastructure, "store", fmt::format("trial {} has not ended", trial),
                for_terminal(database.file().string()), "only ended trials have a diagnosis");
  insert_diagnosis(database, trial, diagnosis, rules_digest);
  transaction.commit();
}

void Store::tell(const TellRow& tell) {
  Database& database = *state_->database;
  Transaction transaction(database);
  Statement(database,
            "INSERT INTO tell (experiment, trial, verdict, why, reused, told_ms) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (experiment, trial) DO UPDATE SET verdict = excluded.verdict, why = excluded.why")
      .with(tell.experiment, tell.trial, tell.verdict, to_utf8(tell.why), tell.reused ? 1 : 0, epoch_ms())
      .run();
  transaction.commit();
}

std::optional<TrialRow> Store::trial(RowId id) const {
  Statement query(*state_->database, kTrial + "WHERE t.id = ?");
  query.with(id);
  return query.step() ? std::optional(trial_of(query)) : std::nullopt;
}

std::vector<TrialRow> Store::running_trials() const {
  Statement query(*state_->database, kTrial + "WHERE o.trial IS NULL ORDER BY t.id");
  return trials_of(query);
}

std::vector<TrialRow> Store::trials_of_key(const std::string& key) const {
  Statement query(*state_->database, kTrial + "WHERE t.key = ? ORDER BY t.id");
  return trials_of(query.with(key));
}

std::vector<TrialRow> Store::trials_of_family(const std::string& family) const {
  Statement query(*state_->database, kTrial + "WHERE t.family = ? AND o.trial IS NOT NULL ORDER BY t.id");
  return trials_of(query.with(family));
}

std::vector<TrialRow> Store::trials_of_campaign(RowId campaign) const {
  Statement query(*state_->database, kTrial + "WHERE t.campaign = ? ORDER BY t.id");
  return trials_of(query.with(campaign));
}

std::vector<TrialRow> Store::trials_told(RowId experiment) const {
  Statement query(
      *state_->database,
      kTrial + "JOIN tell AS told ON told.trial = t.id WHERE told.experiment = ? ORDER BY told.id");
  return trials_of(query.with(experiment));
}

std::vector<TrialRow> Store::recent_trials(int most) const {
  Statement query(*state_->database, kTrial + "ORDER BY t.id DESC LIMIT ?");
  return trials_of(query.with(most));
}

std::vector<TellRow> Store::tells(RowId experiment) const {
  Statement query(
      *state_->database,
      "SELECT experiment, trial, verdict, why, reused FROM tell WHERE experiment = ? ORDER BY id");
  query.with(experiment);
  std::vector<TellRow> rows;
  while (query.step())
    rows.push_back({query.integer(0), query.integer(1), query.text(2), query.text(3), query.integer(4) != 0});
  return rows;
}

void Store::add_output_file(const std::filesystem::path& file, RowId trial) {
  Database& database = *state_->database;
  Transaction transaction(database);
  Statement(database, "INSERT INTO output_file VALUES (?, ?) ON CONFLICT (path) DO NOTHING")
      .with(file.string(), trial)
      .run();
  transaction.commit();
}

std::vector<std::filesystem::path> Store::output_files() const {
  Statement query(*state_->database, "SELECT path FROM output_file ORDER BY path");
  std::vector<std::filesystem::path> files;
  while (query.step()) files.emplace_back(query.text(0));
  return files;
}

RowId Store::last_trial() const { return state_->database->number("SELECT coalesce(max(id), 0) FROM trial"); }

}  // namespace brink
