#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "results/store_state.hpp"

namespace brink {

namespace {

const std::string kCampaign =
    "SELECT id, name, revision, digest, json, state, priority, slots, ad_hoc, submitted_ms, fresh_after "
    "FROM campaign ";

CampaignRow campaign_of(const Statement& row) {
  CampaignRow campaign;
  campaign.id = row.integer(0);
  campaign.name = row.text(1);
  campaign.revision = static_cast<int>(row.integer(2));
  campaign.digest = row.text(3);
  campaign.json = row.text(4);
  campaign.state = row.text(5);
  campaign.priority = static_cast<int>(row.integer(6));
  campaign.slots = static_cast<int>(row.integer(7));
  campaign.ad_hoc = row.integer(8) != 0;
  campaign.submitted_ms = row.integer(9);
  campaign.fresh_after = row.integer(10);
  return campaign;
}

std::vector<CampaignRow> campaigns_of(Statement& query) {
  std::vector<CampaignRow> rows;
  while (query.step()) rows.push_back(campaign_of(query));
  return rows;
}

std::optional<CampaignRow> first_of(Statement& query) {
  return query.step() ? std::optional(campaign_of(query)) : std::nullopt;
}

RowId newest_trial(Database& database) { return database.number("SELECT coalesce(max(id), 0) FROM trial"); }

/// The work of older revisions that is not finished is no longer wanted.
void supersede(Database& database, const std::string& name) {
  Statement(database,
            "UPDATE experiment SET state = 'cancelled' WHERE state IN ('queued', 'running') AND campaign IN "
            "(SELECT id FROM campaign WHERE name = ? AND state IN ('queued', 'running', 'paused'))")
      .with(name)
      .run();
  Statement(
      database,
      "UPDATE campaign SET state = 'superseded' WHERE name = ? AND state IN ('queued', 'running', 'paused')")
      .with(name)
      .run();
}

RowId insert_campaign(Database& database, const NewCampaign& campaign, int revision) {
  const RowId fresh_after = campaign.fresh ? newest_trial(database) : 0;
  Statement(
      database,
      "INSERT INTO campaign (name, revision, digest, json, state, priority, slots, ad_hoc, submitted_ms, "
      "fresh_after) VALUES (?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?)")
      .with(campaign.name, revision, campaign.digest, campaign.json, campaign.priority, campaign.slots,
            campaign.ad_hoc ? 1 : 0, epoch_ms(), fresh_after)
      .run();
  const RowId id = database.last_insert();
  int position = 0;
  for (const NewExperiment& experiment : campaign.experiments)
    Statement(database,
              "INSERT INTO experiment (campaign, position, name, kind, state) VALUES (?, ?, ?, ?, 'queued')")
        .with(id, position++, experiment.name, experiment.kind)
        .run();
  return id;
}

/// Submitted once more: what may have changed without changing the question is taken over, and what has no
/// answer is queued again.
void resubmit(Database& database, const CampaignRow& row, const NewCampaign& campaign) {
  Statement(database, "UPDATE campaign SET json = ?, priority = ?, slots = ? WHERE id = ?")
      .with(campaign.json, campaign.priority, campaign.slots, row.id)
      .run();
  if (campaign.fresh) {
    Statement(
        database,
        "UPDATE experiment SET state = 'queued', answer = '', identity = '', started_ms = 0, ended_ms = 0 "
        "WHERE campaign = ?")
        .with(row.id)
        .run();
    Statement(database, "UPDATE campaign SET fresh_after = ? WHERE id = ?")
        .with(newest_trial(database), row.id)
        .run();
  } else {
    const bool ended = row.state == "cancelled" || row.state == "partial" || row.state == "superseded";
    Statement unanswered(database, ended ? "UPDATE experiment SET state = 'queued', ended_ms = 0 "
                                           "WHERE campaign = ? AND state <> 'answered'"
                                         : "UPDATE experiment SET state = 'queued', ended_ms = 0 "
                                           "WHERE campaign = ? AND state = 'blocked'");
    unanswered.with(row.id).run();
    if (!ended && database.changes() == 0) return;
  }
  if (row.state == "running" || row.state == "paused") return;
  Statement(database, "UPDATE campaign SET state = 'queued' WHERE id = ?").with(row.id).run();
}

}  // namespace

Submitted Store::submit(const NewCampaign& campaign) {
  Database& database = *state_->database;
  Transaction transaction(database);
  const auto newest = this->campaign(campaign.name);
  Submitted submitted;
  if (newest && newest->digest == campaign.digest) {
    submitted = {newest->id, newest->revision, true};
    resubmit(database, *newest, campaign);
  } else {
    if (newest) supersede(database, campaign.name);
    submitted.revision = newest ? newest->revision + 1 : 1;
    submitted.id = insert_campaign(database, campaign, submitted.revision);
  }
  transaction.commit();
  return submitted;
}

std::vector<CampaignRow> Store::campaigns() const {
  Statement query(*state_->database, kCampaign + "ORDER BY id DESC");
  return campaigns_of(query);
}

std::optional<CampaignRow> Store::campaign(RowId id) const {
  Statement query(*state_->database, kCampaign + "WHERE id = ?");
  return first_of(query.with(id));
}

std::optional<CampaignRow> Store::campaign(const std::string& name, std::optional<int> revision) const {
  Statement query(
      *state_->database,
      kCampaign + "WHERE name = ?1 AND revision = coalesce(?2, revision) ORDER BY revision DESC LIMIT 1");
  return first_of(query.with(name, revision));
}

std::vector<CampaignRow> Store::runnable() const {
  Statement query(*state_->database,
                  kCampaign + "WHERE state IN ('queued', 'running') ORDER BY priority DESC, id");
  return campaigns_of(query);
}

std::vector<ExperimentRow> Store::experiments(RowId campaign) const {
  Statement query(*state_->database,
                  "SELECT id, campaign, name, kind, position, state, answer, identity, started_ms, ended_ms "
                  "FROM experiment WHERE campaign = ? ORDER BY position");
  query.with(campaign);
  std::vector<ExperimentRow> rows;
  while (query.step()) {
    ExperimentRow row;
    row.id = query.integer(0);
    row.campaign = query.integer(1);
    row.name = query.text(2);
    row.kind = query.text(3);
    row.position = static_cast<int>(query.integer(4));
    row.state = query.text(5);
    row.answer = query.text(6);
    row.identity = query.text(7);
    row.started_ms = query.integer(8);
    row.ended_ms = query.integer(9);
    rows.push_back(std::move(row));
  }
  return rows;
}

void Store::set_campaign_state(RowId campaign, const std::string& state) {
  Database& database = *state_->database;
  Transaction transaction(database);
  Statement(database, "UPDATE campaign SET state = ?1 WHERE id = ?2 AND state <> ?1")
      .with(state, campaign)
      .run();
  transaction.commit();
}

void Store::set_experiment(const ExperimentRow& row) {
  Database& database = *state_->database;
  Transaction transaction(database);
  Statement(
      database,
      "UPDATE experiment SET state = ?, answer = ?, identity = ?, started_ms = ?, ended_ms = ? WHERE id = ?")
      .with(row.state, row.answer, row.identity, row.started_ms, row.ended_ms, row.id)
      .run();
  transaction.commit();
}

std::int64_t Store::data_version() const {
  return state_->database->number("SELECT version FROM queue_version");
}

}  // namespace brink
