#include "harness/runner/runner.hpp"

#include <algorithm>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/runner/launch.hpp"

namespace brink {

namespace {

using std::chrono::steady_clock;

/// How often the runner looks for pause, cancel and new campaigns, and redraws elapsed times.
constexpr std::chrono::milliseconds kTick{200};
/// Executions that came to nothing through no fault of the config (lost, killed from outside) are tried this
/// often again.
constexpr int kRetries = 2;
/// An experiment whose inputs change more often than this never ends: it is blocked.
constexpr int kRestarts = 4;

constexpr const char* kOutputRemedy =
    "; if the command writes one of its arguments itself, remove that file before it starts, so that it "
    "counts as an "
    "output";

/// Whether one of those waiting is this inquiry.
bool waits(const auto& waiting, const Inquiry* inquiry) {
  return std::any_of(waiting.begin(), waiting.end(), [&](const auto& one) { return one.inquiry == inquiry; });
}

bool worth_retrying(const std::string& failure_class) {
  return failure_class == "lost" || failure_class == "killed-from-outside" ||
         failure_class == "input-changed";
}

}  // namespace

Runner::Runner(Store& store, Executor& executor, RunnerSettings settings)
    : store_(store), executor_(executor), settings_(std::move(settings)) {}

Runner::~Runner() = default;

bool Runner::work(std::optional<RowId> campaign) {
  load_queue(campaign);
  for (;;) {
    if (settings_.interrupted()) return false;
    notice_queue(campaign);
    begin_startable();
    // Stored evidence may answer everything without a process: fill until nothing moves.
    while (fill()) finish_over();
    finish_over();
    const bool waiting = std::any_of(inquiries_.begin(), inquiries_.end(), [&](const auto& inquiry) {
      return begun_[inquiry.get()] ? !inquiry->over() : startable(*inquiry);
    });
    const bool ours = std::any_of(running_.begin(), running_.end(), [&](const auto& entry) {
      return !campaign || entry.second.campaign == *campaign;
    });
    if (!ours && !waiting) break;
    if (running_.empty() && !fill()) {
      // A search that is not done, asks nothing and waits for nothing would wait for ever.
      for (auto& inquiry : inquiries_)
        if (begun_[inquiry.get()] && !inquiry->over())
          inquiry->block("the search stopped asking without an answer");
      continue;
    }
    wait(kTick);
  }
  return true;
}

void Runner::load_queue(std::optional<RowId> only) {
  queue_version_ = store_.data_version();
  if (only) {
    if (const auto row = store_.campaign(*only)) load_campaign_row(*row);
    return;
  }
  for (const CampaignRow& row : store_.runnable()) load_campaign_row(row);
}

void Runner::load_campaign_row(const CampaignRow& row) {
  const bool loaded = std::any_of(inquiries_.begin(), inquiries_.end(),
                                  [&](const auto& inquiry) { return inquiry->campaign().id == row.id; });
  if (loaded) return;
  Planner& planner = planner_of(row);
  store_.set_campaign_state(row.id, "running");
  working_since_.emplace(row.id, steady_clock::now());
  std::string blocked;
  try {
    planner.establish_identity();
  } catch (const Error& error) {
    if (error.exit() != Exit::infrastructure) throw;
    blocked = error.line();
  }
  for (ExperimentRow& experiment : store_.experiments(row.id)) {
    if (experiment.state != "queued" && experiment.state != "running" && experiment.state != "blocked")
      continue;
    const auto& known = planner.campaign().experiments;
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto& e) { return e.name == experiment.name; });
    if (found == known.end()) continue;
    inquiries_.push_back(std::make_unique<Inquiry>(store_, planner, row, experiment, *found));
    begun_[inquiries_.back().get()] = false;
    if (!blocked.empty()) inquiries_.back()->block(blocked);
  }
}

Planner& Runner::planner_of(const CampaignRow& campaign) {
  auto& planner = planners_[campaign.id];
  if (!planner) {
    planner =
        std::make_unique<Planner>(campaign_from_json(campaign.json), store_.folder(), settings_.environment);
    for (const auto& file : store_.output_files()) planner->note_output(file);
    for (const auto& file : adopted_outputs_) planner->note_output(file);
  }
  return *planner;
}

void Runner::notice_queue(std::optional<RowId> only) {
  const std::int64_t version = store_.data_version();
  if (version == queue_version_) return;
  queue_version_ = version;
  if (!only)
    for (const CampaignRow& row : store_.runnable()) load_campaign_row(row);
  for (std::size_t i = 0; i < inquiries_.size();) {
    const auto row = store_.campaign(inquiries_[i]->campaign().id);
    const bool stopped =
        row && (row->state == "cancelled" || row->state == "superseded" || row->state == "paused");
    if (!stopped) {
      ++i;
      continue;
    }
    Inquiry* gone = inquiries_[i].get();
    forget_waiting(gone);
    for (auto& [id, trial] : running_) {
      if (trial.waiting.empty() && row->state == "cancelled" && trial.campaign == row->id) cancel(trial);
    }
    begun_.erase(gone);
    retries_.erase(gone);
    restarts_.erase(gone);
    inquiries_.erase(inquiries_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool Runner::startable(const Inquiry& inquiry) const {
  if (inquiry.experiment().after.empty()) return true;
  return std::none_of(inquiries_.begin(), inquiries_.end(), [&](const auto& other) {
    return other->campaign().id == inquiry.campaign().id &&
           other->experiment().name == inquiry.experiment().after;
  });
}

void Runner::begin_startable() {
  for (auto& inquiry : inquiries_) {
    if (begun_[inquiry.get()] || !startable(*inquiry)) continue;
    begun_[inquiry.get()] = true;
    if (!inquiry->blocked().empty()) continue;
    try {
      inquiry->resolve_at(store_.experiments(inquiry->campaign().id));
      inquiry->begin();
      inquiry->save(false);
    } catch (const Error& error) {
      if (error.exit() != Exit::infrastructure || error.code() == "store") throw;
      inquiry->block(error.line());
    }
  }
  finish_over();
}

void Runner::finish_over() {
  for (std::size_t i = 0; i < inquiries_.size();) {
    Inquiry& inquiry = *inquiries_[i];
    const bool awaited = std::any_of(running_.begin(), running_.end(), [&](const auto& entry) {
      return waits(entry.second.waiting, &inquiry);
    });
    if (begun_[&inquiry] && inquiry.over() && !awaited)
      finish(inquiry);
    else
      ++i;
  }
}

void Runner::finish(Inquiry& inquiry) {
  inquiry.save(true);
  say(Event::Kind::finished, &inquiry, 0, "");
  const RowId campaign = inquiry.campaign().id;
  begun_.erase(&inquiry);
  retries_.erase(&inquiry);
  restarts_.erase(&inquiry);
  std::erase_if(inquiries_, [&](const auto& one) { return one.get() == &inquiry; });
  settle_campaign(campaign);
}

void Runner::settle_campaign(RowId campaign) {
  const auto rows = store_.experiments(campaign);
  const auto all = [&](auto&& predicate) { return std::all_of(rows.begin(), rows.end(), predicate); };
  if (!all([](const ExperimentRow& row) { return row.state != "queued" && row.state != "running"; })) return;
  store_.set_campaign_state(campaign, all([](const ExperimentRow& row) { return row.state == "answered"; })
                                          ? "complete"
                                          : "partial");
  queue_version_ = store_.data_version();
}

int Runner::slots_free(const Inquiry& inquiry) const {
  int of_campaign = 0;
  for (const auto& [id, trial] : running_)
    if (trial.campaign == inquiry.campaign().id) ++of_campaign;
  return std::min(settings_.slots - static_cast<int>(running_.size()),
                  inquiry.planner().campaign().slots - of_campaign);
}

bool Runner::fill() {
  bool moved = false;
  for (std::size_t i = 0; i < inquiries_.size(); ++i) {
    Inquiry& inquiry = *inquiries_[i];
    if (!begun_[&inquiry]) continue;
    for (int free = slots_free(inquiry); free > 0 && !inquiry.over() && within_budget(inquiry);
         free = slots_free(inquiry)) {
      const auto points = inquiry.search().ask(free);
      if (points.empty()) break;
      for (const Point& point : points) moved = place(inquiry, point) || moved;
    }
  }
  return moved;
}

bool Runner::within_budget(Inquiry& inquiry) {
  const Budget& budget = inquiry.planner().campaign().budget;
  if (budget.trials && budget_used(inquiry) >= *budget.trials) {
    inquiry.out_of_budget("stopped by its budget of " + std::to_string(*budget.trials) + " trials");
    return false;
  }
  const std::chrono::duration<double> worked = steady_clock::now() - working_since_.at(inquiry.campaign().id);
  if (budget.seconds && worked.count() >= *budget.seconds) {
    inquiry.out_of_budget("stopped by its budget of time");
    return false;
  }
  return true;
}

std::int64_t Runner::budget_used(const Inquiry& inquiry) const {
  std::int64_t used = 0;
  for (const auto& other : inquiries_)
    if (other->campaign().id == inquiry.campaign().id) used += other->started();
  return used;
}

bool Runner::place(Inquiry& inquiry, const Point& point) {
  const Config config = inquiry.config(point);
  Planner& planner = inquiry.planner();
  try {
    const TrialPlan plan = planner.plan(inquiry.experiment(), config, next_folder());
    if (inquiry.inputs_changed(plan.watched) && planner.family(inquiry.experiment()) != inquiry.family()) {
      if (++restarts_[&inquiry] > kRestarts) {
        inquiry.search().withdraw(point);
        inquiry.block(
            std::string("a program or an input file changes again and again while the experiment runs") +
            kOutputRemedy);
        return true;
      }
      planner.establish_identity();
      forget_waiting(&inquiry);
      inquiry.begin(
          "a program or an input file of the command changed while the experiment ran: it began anew, and "
          "earlier trials are kept for comparison only");
      return true;
    }
    Evidence evidence;
    if (const auto stored = inquiry.reusable(plan.key, evidence)) {
      say(Event::Kind::reused, &inquiry, stored->id, config_at(inquiry.experiment().axes, point).text(), "",
          &evidence, stored->outcome->wall_s);
      drop_pointless(inquiry, inquiry.tell(*stored, point, evidence));
      return true;
    }
    for (auto& [id, trial] : running_) {
      const bool too_old = trial.id <= inquiry.campaign().fresh_after;
      if (trial.key != plan.key || trial.cancelled || too_old || waits(trial.waiting, &inquiry)) continue;
      trial.waiting.push_back({&inquiry, point});
      return true;
    }
    const RowId id = start(planner, inquiry.campaign().id, inquiry.row().id, inquiry.experiment(), config,
                           plan, "search", inquiry.family());
    running_.at(std::to_string(id)).waiting.push_back({&inquiry, point});
    inquiry.count_start();
    say(Event::Kind::started, &inquiry, id, config_at(inquiry.experiment().axes, point).text());
  } catch (const Error& error) {
    if (error.exit() != Exit::infrastructure || error.code() == "store") throw;
    inquiry.search().withdraw(point);
    inquiry.block(error.line());
  }
  return true;
}

std::filesystem::path Runner::next_folder() const { return store_.trial_folder(store_.last_trial() + 1); }

RowId Runner::start(Planner& planner, RowId campaign, RowId experiment, const Experiment& asked,
                    const Config& config, const TrialPlan& plan, const std::string& purpose,
                    const std::string& family) {
  NewTrial made = new_trial(planner, plan, config, purpose);
  made.campaign = campaign;
  made.experiment = experiment;
  made.family = family;
  made.host = settings_.host;
  made.brink_version = settings_.brink_version;
  const auto planned_folder = next_folder();
  const RowId id = store_.insert_trial(made);
  const std::string name = std::to_string(id);
  try {
    const auto folder = store_.trial_folder(id);
    make_folder(folder, 0700);
    Descriptor lock = try_lock(folder / "lock");
    if (!lock) throw infrastructure_error("the trial's lock is taken", (folder / "lock").string());
    const bool foreseen = folder == planned_folder;
    const TrialPlan placed = foreseen ? plan : planner.plan(asked, config, folder);
    const Job job = planner.prepare(asked, config, placed, name, made.attempt, folder);
    write_job(job);
    executor_.submit(job, std::move(lock));
  } catch (const Error& error) {
    // The row exists: it ends as what it was, an infrastructure failure before anything ran.
    record_unstarted(store_, id, made.attempt, error);
    std::error_code ignored;  // what was passed by name must not stay on the disk
    std::filesystem::remove(store_.trial_folder(id) / "job.json", ignored);
    throw;
  }
  running_[name] = {id, campaign, plan.key, family, made.config, steady_clock::now(), {}, false};
  return id;
}

void Runner::wait(std::chrono::milliseconds most) {
  const auto deadline = steady_clock::now() + most;
  bool any = false;
  // Everything that is over now is recorded before the slots are filled again.
  while (const auto completion = executor_.next(any ? steady_clock::now() : deadline)) {
    any = true;
    const auto running = running_.find(completion->trial);
    if (running == running_.end()) continue;
    const Running trial = running->second;
    running_.erase(running);
    {
      Store::Batch batch(store_);
      if (const auto row = record(*completion)) deliver(*row, trial);
      batch.commit();
    }
    compress_log(trial);
  }
  if (!any) say(Event::Kind::waiting, nullptr, 0, "");
}

void Runner::compress_log(const Running& trial) {
  const auto campaign = store_.campaign(trial.campaign);
  if (!campaign || planner_of(*campaign).campaign().keep_logs) return;
  try {
    store_.compress_log(trial.id);
  } catch (const Error& error) {
    // The plain log stays and serves as well.
    say(Event::Kind::warning, nullptr, trial.id, "", error.line());
  }
}

std::optional<TrialRow> Runner::record(const Completion& completion) {
  const RowId id = std::stoll(completion.trial);
  const auto row = store_.trial(id);
  if (!row || row->state != "running") return std::nullopt;
  const auto campaign = store_.campaign(row->made.campaign);
  if (!campaign) return std::nullopt;
  return record_outcome(store_, planner_of(*campaign), *row, completion.outcome);
}

void Runner::deliver(const TrialRow& trial, const Running& running) {
  bool said = false;
  for (std::size_t i = 0; i < inquiries_.size(); ++i) {
    Inquiry& inquiry = *inquiries_[i];
    if (!begun_[&inquiry]) continue;
    const auto waiting = std::find_if(running.waiting.begin(), running.waiting.end(),
                                      [&](const Waiting& one) { return one.inquiry == &inquiry; });
    const bool awaited = waiting != running.waiting.end();
    const bool welcome = inquiry.family() == trial.made.family && trial.id > inquiry.campaign().fresh_after;
    if (!awaited && !welcome) continue;
    const auto point =
        awaited ? std::optional(waiting->point) : inquiry.point_of(config_from_canonical(trial.made.config));
    if (!point) continue;
    deliver_to(inquiry, *point, trial, awaited);
    said = true;
  }
  if (said) return;
  const auto campaign = store_.campaign(trial.made.campaign);
  const Evidence evidence =
      evidence_of(trial, planner_of(*campaign).campaign(), store_.trial_folder(trial.id));
  say(Event::Kind::ended, nullptr, trial.id, config_from_canonical(trial.made.config).text(), "", &evidence,
      trial.outcome->wall_s);
}

void Runner::deliver_to(Inquiry& inquiry, const Point& point, const TrialRow& trial, bool awaited) {
  const Evidence evidence = evidence_of(trial, inquiry.planner().campaign(), store_.trial_folder(trial.id));
  if (evidence.judgement.evidence) {
    drop_pointless(inquiry, inquiry.tell(trial, point, evidence));
    inquiry.save(false);
  } else if (awaited) {
    inquiry.search().withdraw(point);
    without_evidence(inquiry, point, trial, evidence);
  }
  say(Event::Kind::ended, &inquiry, trial.id, config_at(inquiry.experiment().axes, point).text(), "",
      &evidence, trial.outcome->wall_s);
}

void Runner::without_evidence(Inquiry& inquiry, const Point& point, const TrialRow& trial,
                              const Evidence& evidence) {
  const std::string failure_class =
      evidence.diagnosis.failure ? evidence.diagnosis.failure->failure_class : "";
  if (worth_retrying(failure_class) && retries_[&inquiry][point]++ < kRetries) return;
  const std::string message =
      evidence.diagnosis.failure ? evidence.diagnosis.failure->message : trial.outcome->message;
  const std::string id = std::to_string(trial.id);
  if (trial.outcome->ending == Ending::cancelled)
    inquiry.block("trial " + id + " was cancelled by hand; run again to go on");
  else
    inquiry.block((failure_class.empty() ? "no evidence" : failure_class) + ": " + message +
                  (failure_class == "input-changed" ? kOutputRemedy : "") + " (trial " + id + ")");
}

void Runner::forget_waiting(const Inquiry* inquiry) {
  for (auto& [id, trial] : running_)
    std::erase_if(trial.waiting, [&](const Waiting& one) { return one.inquiry == inquiry; });
}

void Runner::cancel(Running& trial) {
  trial.cancelled = true;
  executor_.cancel(std::to_string(trial.id));
}

void Runner::drop_pointless(Inquiry& inquiry, const std::vector<Point>& points) {
  for (const Point& point : points) {
    for (auto& [id, trial] : running_) {
      const auto dropped = std::erase_if(
          trial.waiting, [&](const Waiting& one) { return one.inquiry == &inquiry && one.point == point; });
      if (dropped > 0 && trial.waiting.empty()) cancel(trial);
    }
  }
}

void Runner::adopt() {
  for (const TrialRow& row : store_.running_trials()) {
    const std::string id = std::to_string(row.id);
    const auto job = stored_job(store_.trial_folder(row.id), id, row.made.attempt);
    running_[id] = {row.id,          row.made.campaign,   row.made.key, row.made.family,
                    row.made.config, steady_clock::now(), {},           false};
    for (auto& file : files_made(job)) adopted_outputs_.push_back(std::move(file));
    executor_.adopt(job);
    say(Event::Kind::adopted, nullptr, row.id, config_from_canonical(row.made.config).text());
  }
}

std::optional<TrialRow> Runner::execute(RowId campaign, RowId experiment, const Config& config,
                                        const std::string& purpose) {
  const auto row = store_.campaign(campaign);
  if (!row) throw usage_error("there is no campaign " + std::to_string(campaign));
  Planner& planner = planner_of(*row);
  planner.establish_identity();
  const auto rows = store_.experiments(campaign);
  const auto named =
      std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.id == experiment; });
  const auto& all = planner.campaign().experiments;
  const auto asked = std::find_if(all.begin(), all.end(), [&](const auto& one) {
    return named != rows.end() && one.name == named->name;
  });
  if (asked == all.end()) throw usage_error("campaign " + row->name + " has no such experiment");
  const TrialPlan plan = planner.plan(*asked, config, next_folder());
  while (static_cast<int>(running_.size()) >= settings_.slots) {
    if (settings_.interrupted()) return std::nullopt;
    wait(kTick);
  }
  const RowId id =
      start(planner, campaign, experiment, *asked, config, plan, purpose, planner.family(*asked));
  say(Event::Kind::started, nullptr, id, config.text());
  while (running_.contains(std::to_string(id))) {
    if (settings_.interrupted()) return std::nullopt;
    wait(kTick);
  }
  return store_.trial(id);
}

std::vector<Runner::Underway> Runner::underway() const {
  std::vector<Underway> all;
  for (const auto& [id, trial] : running_) {
    const std::chrono::duration<double> seconds = steady_clock::now() - trial.since;
    all.push_back({trial.id, config_from_canonical(trial.config).text(), seconds.count()});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.trial < b.trial; });
  return all;
}

void Runner::cancel_all() {
  for (auto& [id, trial] : running_) {
    trial.waiting.clear();
    cancel(trial);
  }
  while (!running_.empty()) wait(kTick);
}

void Runner::say(Event::Kind kind, const Inquiry* inquiry, RowId trial, const std::string& config,
                 const std::string& text, const Evidence* evidence, double wall_s) const {
  if (settings_.watch) settings_.watch({kind, inquiry, trial, config, evidence, wall_s, text});
}

}  // namespace brink
