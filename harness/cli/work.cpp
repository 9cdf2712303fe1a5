#include "harness/cli/work.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "harness/cli/session.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "results/report.hpp"

namespace brink::cli {

namespace {

void print_lines(const Store& store, const CampaignRow& row) {
  const Report report = make_report(store, row);
  for (const ReportedExperiment& experiment : report.experiments) {
    for (const std::string& line : answer_lines(experiment.result)) fmt::print("{}\n", line);
    for (const std::string& warning : experiment.result.warnings)
      fmt::print(stderr, "warning: {}\n", for_terminal(warning));
    for (const std::string& warning : experiment.result.answer.warnings)
      fmt::print(stderr, "warning: {}\n", for_terminal(warning));
  }
  fmt::print(stderr, "more: brink report {}\n", for_terminal(shell_text({row.name})));
}

}  // namespace

void requeue(Store& store, RowId campaign) {
  Store::Batch batch(store);
  for (ExperimentRow row : store.experiments(campaign)) {
    // An interrupted experiment goes on: its start tells its own trials from reused ones.
    if (row.state == "running") continue;
    row.state = "queued";
    row.started_ms = row.ended_ms = 0;
    store.set_experiment(row);
  }
  store.set_campaign_state(campaign, "queued");
  batch.commit();
}
NewCampaign row_of(const Campaign& campaign, bool fresh) {
  NewCampaign row;
  row.name = campaign.name;
  row.digest = campaign_digest(campaign);
  row.json = campaign_to_json(campaign);
  row.priority = campaign.priority;
  row.slots = campaign.slots;
  row.ad_hoc = campaign.ad_hoc;
  row.fresh = fresh;
  for (const Experiment& experiment : campaign.experiments)
    row.experiments.push_back({experiment.name, std::string(kind_text(experiment.kind))});
  return row;
}

int exit_code_of(const Store& store, RowId campaign) {
  bool blocked = false, unanswered = false;
  for (const ExperimentRow& row : store.experiments(campaign)) {
    blocked = blocked || row.state == "blocked";
    unanswered = unanswered || row.state != "answered";
  }
  if (blocked) return static_cast<int>(Exit::infrastructure);
  return static_cast<int>(unanswered ? Exit::no_answer : Exit::done);
}

int work_and_report(Store& store, const Campaign& campaign, bool fresh, bool json, bool lines,
                    const std::string& what) {
  // The lock comes first: who cannot run must not leave a half-wanted campaign in the queue.
  Session session(store, campaign.slots, json, what);
  const Submitted submitted = store.submit(row_of(campaign, fresh));
  // Asked again, it is answered again: stored trials under today's keys make that free, and a program that
  // has changed since makes the old answer no answer.
  requeue(store, submitted.id);
  const auto interrupted = session.work(submitted.id);
  const auto row = store.campaign(submitted.id);
  if (!row) throw infrastructure_error("the campaign is gone from the store", store.folder().string());
  if (json)
    fmt::print("{}\n", report_json(make_report(store, *row)));
  else if (lines)
    print_lines(store, *row);
  else
    fmt::print("{}", report_text(make_report(store, *row),
                                 {100, ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr}));
  return interrupted ? *interrupted : exit_code_of(store, submitted.id);
}

}  // namespace brink::cli
